"""Comparisons of a released table with its original, straight from the definitions.

Slow on purpose: plain Python, labels and Fractions; nothing here comes from petaudit.
A null is the text NULL, as in strategies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

NULL = "∅"
STAR = "*"
Hierarchy = Mapping[str, Sequence[str]]
Rows = Sequence[Mapping[str, Any]]


def number(label: str) -> Fraction | None:
    """The number that a label spells (the labels of tests spell no infinity)."""
    try:
        return Fraction(label)
    except ValueError:
        return None


def same(label: str) -> Fraction | str:
    """What labels are compared by."""
    result = number(label)
    return label if result is None else result


def paths(hierarchy: Hierarchy) -> dict[str, list[str]]:
    """From leaf to root; several roots are joined by the star."""
    result = {leaf: [leaf, *above] for leaf, above in hierarchy.items()}
    if len({path[-1] for path in result.values()}) > 1:
        result = {leaf: [*path, STAR] for leaf, path in result.items()}
    return result


def leaves_of(label: str, hierarchy: Hierarchy | None) -> list[str]:
    """The leaves that a label stands for; itself where the hierarchy does not know it."""
    if hierarchy is None:
        return [label]
    result = paths(hierarchy)
    levels = len(next(iter(result.values())))
    for level in range(levels):
        under = [leaf for leaf, path in result.items() if path[level] == label]
        if under:
            return under
    if label == STAR:
        return list(result)
    for level in range(levels):
        under = [leaf for leaf, path in result.items() if is_same_number(path[level], label)]
        if under:
            return under
    return [label]


def is_same_number(one: str, other: str) -> bool:
    """Whether both spell one number."""
    return number(one) is not None and number(one) == number(other)


def shares(labels: Sequence[str], hierarchy: Hierarchy | None) -> dict[Fraction | str, Fraction]:
    """The share of every value, generalised rows spread evenly unless they say nothing."""
    result: dict[Fraction | str, Fraction] = {}
    for label in labels:
        leaves = [STAR] if says_nothing(label, hierarchy) else leaves_of(label, hierarchy)
        for leaf in leaves:
            part = Fraction(1, len(labels) * len(leaves))
            result[same(leaf)] = result.get(same(leaf), Fraction(0)) + part
    return result


def total_variation(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction]) -> Fraction:
    """The largest difference of the probability of any event: all that p likes better."""
    return sum((max(p[key] - q.get(key, 0), 0) for key in p), start=Fraction(0))


def hellinger(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction]) -> float:
    """By the affinity of the distributions."""
    affinity = math.fsum(math.sqrt(p[key] * q[key]) for key in p if key in q)
    return math.sqrt(max(1 - affinity, 0))


def holds_numbers(labels: Sequence[str], hierarchy: Hierarchy | None) -> bool:
    """Whether all labels of the original that say something are numbers, and no codes."""
    said = [entry for entry in labels if entry != NULL and not says_nothing(entry, hierarchy)]
    codes = [entry for entry in said if len(entry) > 1 and entry[0] == "0" and entry[1].isdigit()]
    return bool(said) and not codes and all(number(entry) is not None for entry in said)


def is_continuous(labels: Sequence[str], hierarchy: Hierarchy | None) -> bool:
    """Numbers with more than ten values, or with fewer than five rows per value."""
    said = {same(label) for label in labels if number(label) is not None}
    if not holds_numbers(labels, hierarchy):
        return False
    return len(said) > 10 or len(labels) < 5 * len(said)


def kolmogorov_smirnov(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction]) -> Fraction:
    """Over every set of a half-line of numbers and any of the labels, one by one."""
    numbers = sorted({key for entry in (p, q) for key in entry if not isinstance(key, str)})
    labels = sorted({key for entry in (p, q) for key in entry if isinstance(key, str)})
    largest = Fraction(0)
    for count in range(len(numbers) + 1):
        for size in range(len(labels) + 1):
            for chosen in combinations(labels, size):
                event = [*numbers[:count], *chosen]
                sides = [sum(entry.get(key, Fraction(0)) for key in event) for entry in (p, q)]
                largest = max(largest, abs(sides[0] - sides[1]))
    return largest


def wasserstein(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction]) -> tuple[Fraction, Fraction]:
    """Carry the smallest numbers to the smallest, piece by piece; normalised, and raw."""
    parts, sides = [], []
    for entry in (p, q):
        numbers = {key: part for key, part in entry.items() if not isinstance(key, str)}
        parts.append(sum(numbers.values(), start=Fraction(0)))
        sides.append([[key, part / parts[-1]] for key, part in sorted(numbers.items())])
    if not all(sides):
        return Fraction(1 if any(sides) else 0), Fraction(0)
    places = [key for key, _ in sides[0]]
    span = max(places) - min(places)
    cost = Fraction(0)
    left, right = sides
    while left and right:
        moved = min(left[0][1], right[0][1])
        cost += moved * abs(left[0][0] - right[0][0])
        for side in (left, right):
            side[0][1] -= moved
            if side[0][1] == 0:
                side.pop(0)
    share = min(cost / span, Fraction(1)) if span else Fraction(cost > 0)
    return abs(parts[0] - parts[1]) + min(parts) * share, cost


# --- association ----------------------------------------------------------------------------


def says_nothing(label: str, hierarchy: Hierarchy | None) -> bool:
    """Whether a label is the star, or the root of its hierarchy and nothing below it."""
    if label == STAR:
        return True
    if hierarchy is None:
        return False
    result = list(paths(hierarchy).values())
    return len(result[0]) > 1 and all(
        path[-1] == label and label not in path[:-1] for path in result
    )


def reading(
    original: Sequence[str], released: Sequence[str], hierarchy: Hierarchy | None
) -> Callable[[str], Fraction | None] | None:
    """How labels become numbers; None where the column is one of categories."""

    def read(label: str) -> Fraction | None:
        if hierarchy is None:
            return number(label)
        under = [leaf for leaf in leaves_of(label, hierarchy) if leaf != NULL]
        values = [number(leaf) for leaf in under]
        if not values or None in values:
            return None
        return (min(values) + max(values)) / 2  # type: ignore[type-var, operator]

    after = [x for x in released if x != NULL and not says_nothing(x, hierarchy)]
    before = [x for x in original if x != NULL and not says_nothing(x, hierarchy)]
    if not holds_numbers(original, hierarchy):
        return None
    return None if any(read(label) is None for label in (*before, *after)) else read


def pearson(pairs: Sequence[tuple[Fraction, Fraction]]) -> float:
    """Covariance over the roots of the variances, exact up to the roots."""
    if not pairs:
        return 0.0
    n = len(pairs)
    x, y = (sum(pair[side] for pair in pairs) / Fraction(n) for side in (0, 1))
    covariance = sum((a - x) * (b - y) for a, b in pairs)
    square = sum((a - x) ** 2 for a, _ in pairs) * sum((b - y) ** 2 for _, b in pairs)
    if not square:
        return 0.0
    return math.copysign(math.sqrt(covariance**2 / square), covariance)


def spearman(pairs: Sequence[tuple[Fraction, Fraction]]) -> float:
    """Pearson of the ranks, ties at their mean."""

    def rank(value: Fraction, side: int) -> Fraction:
        less = sum(pair[side] < value for pair in pairs)
        equal = sum(pair[side] == value for pair in pairs)
        return less + Fraction(equal + 1, 2)

    return pearson([(rank(a, 0), rank(b, 1)) for a, b in pairs])


def is_crowded(labels: Sequence[str]) -> bool:
    """Whether labels have fewer than two rows each."""
    return bool(labels) and len(labels) < 2 * len(set(labels))


def eta(pairs: Sequence[tuple[str, Fraction]]) -> float:
    """Root of 1 less the mean square within groups over the mean square of all."""
    groups = {entry for entry, _ in pairs}
    if len(groups) < 2 or len(groups) == len(pairs):
        return 0.0

    def squares(values: Sequence[Fraction]) -> Fraction:
        mean = sum(values) / Fraction(len(values))
        return sum(((value - mean) ** 2 for value in values), start=Fraction(0))

    every = squares([value for _, value in pairs])
    if not every:
        return 0.0
    within = sum(squares([value for entry, value in pairs if entry == group]) for group in groups)
    mean_within = Fraction(within) / (len(pairs) - len(groups))
    return math.sqrt(max(1 - mean_within / (every / (len(pairs) - 1)), Fraction(0)))


def cramers_v(pairs: Sequence[tuple[str, str]]) -> float:
    """Bergsma's: phi-square less its expectation, over the smaller corrected number of values."""
    left, right = {a for a, _ in pairs}, {b for _, b in pairs}
    if min(len(left), len(right)) < 2:
        return 0.0
    n = len(pairs)
    chi = Fraction(0)
    for a in left:
        for b in right:
            rows = sum(pair[0] == a for pair in pairs)
            expected = Fraction(rows * sum(pair[1] == b for pair in pairs), n)
            chi += (pairs.count((a, b)) - expected) ** 2 / expected
    r, k = len(left), len(right)
    phi = max(chi / n - Fraction((r - 1) * (k - 1), n - 1), Fraction(0))
    smaller = min(entry - Fraction((entry - 1) ** 2, n - 1) for entry in (r, k)) - 1
    return min(math.sqrt(phi / smaller), 1.0) if smaller else 0.0


def association_changes(
    original: Rows,
    released: Rows,
    columns: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    correlation: str = "pearson",
) -> dict[tuple[str, str], tuple[float, float, float] | None]:
    """For every pair the association before and after, and the change; None if it is not told."""
    read = {
        name: reading(
            [row[name] for row in original], [row[name] for row in released], hierarchies.get(name)
        )
        for name in columns
    }

    def value(row: Mapping[str, Any], name: str) -> Any:
        """None where the cell does not count."""
        if says_nothing(row[name], hierarchies.get(name)):
            return None
        entry = read[name]
        if entry is None:
            return row[name]
        return None if row[name] == NULL else entry(row[name])

    result: dict[tuple[str, str], tuple[float, float, float] | None] = {}
    for one, other in combinations(columns, 2):
        both = []
        crowded = False
        for rows in (original, released):
            pairs: list[Any] = [(value(row, one), value(row, other)) for row in rows]
            pairs = [pair for pair in pairs if None not in pair]
            for side, name in enumerate((one, other)):
                crowded |= not read[name] and is_crowded([pair[side] for pair in pairs])
            if read[one] and read[other]:
                both.append((pearson if correlation == "pearson" else spearman)(pairs))
            elif read[one]:
                both.append(eta([(b, a) for a, b in pairs]))
            elif read[other]:
                both.append(eta(pairs))
            else:
                both.append(cramers_v(pairs))
        change = abs(both[1] - both[0]) / (2 if read[one] and read[other] else 1)
        result[one, other] = None if crowded else (both[0], both[1], change)
    return result
