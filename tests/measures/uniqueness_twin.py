"""Population uniques and special uniques straight from their definitions, with plain sums.

Nothing here shares a short cut with the package: sums run over every class and every row, subsets
are counted one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from math import comb, fsum, log, prod

from scipy.stats import binom, nbinom

Sizes = Mapping[int, int]
"""How many classes have a size."""
Row = Sequence[str | None]


def rows_of(sizes: Sizes) -> int:
    return sum(size * many for size, many in sizes.items())


def zayatz(sizes: Sizes, population: int) -> Fraction:
    """Bayes' rule with hypergeometric draws, in exact numbers."""
    rows = rows_of(sizes)

    def once(size: int) -> Fraction:
        return Fraction(size * comb(population - size, rows - 1), comb(population, rows))

    chance = once(1) * sizes[1] / sum(once(size) * many for size, many in sizes.items())
    return sizes[1] * chance * Fraction(population, rows)


def shlosser(sizes: Sizes, fraction: Fraction) -> Fraction:
    """The number of classes of the population, in exact numbers."""
    f, groups = fraction, sum(sizes.values())
    above = sum(i * f**2 * (1 - f**2) ** (i - 1) * u for i, u in sizes.items())
    below = sum((1 - f) ** i * ((1 + f) ** i - 1) * u for i, u in sizes.items())
    unseen = sum((1 - f) ** i * u for i, u in sizes.items())
    once = sum(i * f * (1 - f) ** (i - 1) * u for i, u in sizes.items())
    return groups + sizes.get(1, 0) * above / below * (unseen / once) ** 2


def snb_expected(groups: float, alpha: float, beta: float, fraction: float, size: int) -> float:
    """Classes of a size in the sample: a sum over all sizes that a class may have had."""
    return groups * fsum(
        nbinom.pmf(people - 1, alpha, beta) * binom.pmf(size, people, fraction)
        for people in range(size, 3_000)
    )


def pitman_equations(sizes: Sizes, theta: float, alpha: float) -> tuple[float, float, float, float]:
    """Both sides of both equations, term by term."""
    groups, rows = sum(sizes.values()), rows_of(sizes)
    return (
        fsum(1 / (theta + i * alpha) for i in range(1, groups)),
        fsum(1 / (theta + i) for i in range(1, rows)),
        fsum(i / (theta + i * alpha) for i in range(1, groups)),
        fsum(u * fsum(1 / (k - alpha) for k in range(1, j)) for j, u in sizes.items()),
    )


def pitman_likelihood(sizes: Sizes, theta: float, alpha: float) -> float:
    """The logarithm of the likelihood, term by term."""
    groups, rows = sum(sizes.values()), rows_of(sizes)
    return fsum(
        chain(
            (log(theta + i * alpha) for i in range(1, groups)),
            (-log(theta + i) for i in range(1, rows)),
            (u * log(k - alpha) for j, u in sizes.items() for k in range(1, j)),
        )
    )


def pitman_uniques(theta: float, alpha: float, people: int) -> float:
    """The chance that each next person does not join the class of one, times the people."""
    return people * prod((theta + alpha + i) / (theta + 1 + i) for i in range(people - 1))


def minimal_uniques(rows: Sequence[Row], up_to: int) -> list[set[tuple[int, ...]]]:
    """For each row the column sets on which it is alone and on no smaller subset."""
    columns = range(len(rows[0]))
    result: list[set[tuple[int, ...]]] = [set() for _ in rows]
    for size in range(1, up_to + 1):
        for chosen in combinations(columns, size):
            times = Counter(tuple(row[column] for column in chosen) for row in rows)
            for number, row in enumerate(rows):
                is_alone = times[tuple(row[column] for column in chosen)] == 1
                if is_alone and not any(set(entry) < set(chosen) for entry in result[number]):
                    result[number].add(chosen)
    return result


def suda_score(sets: set[tuple[int, ...]], columns: int, up_to: int) -> int:
    """The sum over the minimal sets of a row."""
    total = 0
    for entry in sets:
        score = 1
        for i in range(len(entry), min(up_to, columns - 1)):
            score *= columns - i
        total += score
    return total


def dis_scores(scores: Sequence[float], rows: Sequence[Row], fraction: float) -> list[float]:
    """DIS-SUDA as Elliot's manual has it."""
    columns = len(rows[0])
    times = Counter(tuple(row) for row in rows)
    uniques = sum(1 for many in times.values() if many == 1)
    pairs = 2 * sum(1 for many in times.values() if many == 2)
    if not uniques:
        return [0.0 for _ in scores]
    power = 1 + (8 - columns) / 20
    d = uniques * fraction / (uniques * fraction + pairs * (1 - fraction))
    adjusted = (uniques / d - uniques) / fsum(score**-power for score in scores if score)
    return [1 / (1 + adjusted * score**-power) if score else 0.0 for score in scores]
