"""Risks and population measures straight from their definitions: dicts, loops, fractions.

A row is a tuple of labels (None for a null). Nothing here is shared with petaudit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import exp, factorial, fsum

Row = tuple[str | None, ...]
Paths = Mapping[str | None, Sequence[tuple[int, str | None]]]
"""From every label to those above it, each with its level; itself first, at its lowest level."""
STAR = "*"


class OverlapError(Exception):
    """A value of the population has two released labels above it."""


class AbsentError(Exception):
    """The population does not hold everybody of the table."""


def is_suppressed(row: Row) -> bool:
    return all(cell == STAR for cell in row)


def translated(population: Sequence[Row], table: Sequence[Row], paths: Sequence[Paths | None]):
    """The population in the labels of the table; ``paths`` lead from a value to its root."""
    said = [row for row in table if not is_suppressed(row)]
    done: list[Row] = []
    for person in population:
        if is_suppressed(person):
            continue
        cells: list[str | None] = []
        for column, cell in enumerate(person):
            released = {row[column] for row in said}
            own = paths[column]
            if cell in released or own is None or cell not in own:
                cells.append(cell)
                continue
            # A label of several levels is that of the lowest of them.
            above = {
                label
                for level, label in own[cell]
                if label in released and level == lowest(own, label)
            }
            if len(above) > 1:
                raise OverlapError
            cells.append(above.pop() if above else cell)
        done.append(tuple(cells))
    return done


def lowest(paths: Paths, label: str | None) -> int:
    """The lowest level at which a label occurs."""
    return min(level for path in paths.values() for level, own in path if own == label)


def class_pairs(
    table: Sequence[Row], people: Sequence[Row], everybody: int, suppressed: str
) -> list[tuple[int, int]]:
    """f and F of every class of the table."""
    in_table = Counter(row for row in table if not is_suppressed(row))
    in_population = Counter(people)
    pairs = [(size, in_population[row]) for row, size in in_table.items()]
    if len(table) > everybody or any(of < size for size, of in pairs):
        raise AbsentError
    left = sum(map(is_suppressed, table))
    if suppressed == "class" and left:
        # Everybody whom no class of the table can be; or else whom no class must be.
        # People who are suppressed in the population are not among ``people``.
        candidates = [person for person in people if person not in in_table]
        unknown = everybody - len(people)
        if len(candidates) + unknown < left:
            candidates = [
                person for person in people if in_population[person] != in_table.get(person)
            ]
        pairs.append((left, len(candidates) + unknown))
    return pairs


def classes_without_rows(table: Sequence[Row], people: Sequence[Row]) -> Counter[Row]:
    said = {row for row in table if not is_suppressed(row)}
    return Counter(person for person in people if person not in said)


def own_pairs(table: Sequence[Row], suppressed: str) -> list[tuple[int, int]]:
    """The same where nobody is known but the people of the table."""
    sizes = Counter(row for row in table if suppressed == "class" or not is_suppressed(row))
    return [(size, size) for size in sizes.values()]


def row_risks(pairs: Sequence[tuple[int, int]]) -> list[Fraction]:
    """The risk of every row."""
    return [Fraction(1, of) for size, of in pairs for _ in range(size)]


def average(pairs: Sequence[tuple[int, int]]) -> Fraction:
    risks = row_risks(pairs)
    return sum(risks, Fraction(0)) / len(risks)


def journalist_average(pairs: Sequence[tuple[int, int]]) -> Fraction:
    return max(Fraction(len(pairs), sum(of for _, of in pairs)), average(pairs))


def share_above(pairs: Sequence[tuple[int, int]], threshold: Fraction) -> Fraction:
    risks = row_risks(pairs)
    return Fraction(sum(risk > threshold for risk in risks), len(risks))


def can_be_reached(
    pairs: Sequence[tuple[int, int]],
    rows: int,
    holds: Callable[[Sequence[tuple[int, int]]], bool],
    *,
    people_stay: bool,
) -> bool:
    """Whether so many rows can be removed, whole classes or not, so that a limit holds.

    What is left of a class is as many people as it was with a population, else as many as rows.
    """
    return any(
        sum(size for size, _ in pairs) - sum(left) == rows
        and holds(
            [
                (now, of if people_stay else now)
                for now, (_, of) in zip(left, pairs, strict=True)
                if now
            ]
        )
        for left in product(*(range(size + 1) for size, _ in pairs))
    )


def expected_risk(size: int, rows: int, people: int) -> float:
    """The mean of 1/F, where drawing goes on until ``size`` people of the class are in the table.

    The chance that this takes F people is C(F-1, size-1) p^size (1-p)^(F-size).
    """
    part = rows / people
    chance, terms = part**size, []
    for many in range(size, 100_000):
        terms.append(chance / many)
        if chance < 1e-25 and many > size / part:
            break
        chance *= many / (many - size + 1) * (1 - part)
    return fsum(terms)


def poisson_at_least(number: int, mean: float) -> float:
    return 1 - sum(exp(-mean) * mean**count / factorial(count) for count in range(number))


def k_prime(k: int, rows: int, people: int, significance: float) -> int:
    """The smallest class of the table that stands for k people, a class being seen by its rows."""
    mean = k * rows / people
    smallest = next(
        size
        for size in range(1, 10_000)
        if poisson_at_least(size, mean) / poisson_at_least(1, mean) <= significance
    )
    return min(k, smallest)


def estimated_k(smallest_class: int, rows: int, people: int, significance: float) -> int:
    return max(
        k for k in range(1, people + 1) if k_prime(k, rows, people, significance) <= smallest_class
    )
