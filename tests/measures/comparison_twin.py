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
    found = number(label)
    return label if found is None else found


def paths(hierarchy: Hierarchy) -> dict[str, list[str]]:
    """From leaf to root; several roots are joined by the star."""
    found = {leaf: [leaf, *above] for leaf, above in hierarchy.items()}
    if len({path[-1] for path in found.values()}) > 1:
        found = {leaf: [*path, STAR] for leaf, path in found.items()}
    return found


def leaves_of(label: str, hierarchy: Hierarchy | None) -> list[str]:
    """The leaves that a label stands for; itself where the hierarchy does not know it."""
    if hierarchy is None:
        return [label]
    found = paths(hierarchy)
    levels = len(next(iter(found.values())))
    for level in range(levels):
        under = [leaf for leaf, path in found.items() if path[level] == label]
        if under:
            return under
    if label == STAR:
        return list(found)
    return [leaf for leaf in found if number(label) is not None and same(leaf) == same(label)] or [
        label
    ]


def shares(labels: Sequence[str], hierarchy: Hierarchy | None) -> dict[Fraction | str, Fraction]:
    """The share of every value, generalised rows spread evenly."""
    found: dict[Fraction | str, Fraction] = {}
    for label in labels:
        leaves = leaves_of(label, hierarchy)
        for leaf in leaves:
            part = Fraction(1, len(labels) * len(leaves))
            found[same(leaf)] = found.get(same(leaf), Fraction(0)) + part
    return found


def total_variation(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction]) -> Fraction:
    """The largest difference of the probability of any event: all that p likes better."""
    return sum((max(p[key] - q.get(key, 0), 0) for key in p), start=Fraction(0))


def hellinger(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction]) -> float:
    """By the affinity of the distributions."""
    affinity = math.fsum(math.sqrt(p[key] * q[key]) for key in p if key in q)
    return math.sqrt(max(1 - affinity, 0))


def wasserstein(
    p: Mapping[Any, Fraction], q: Mapping[Any, Fraction]
) -> tuple[Fraction, Fraction] | None:
    """Carry the smallest numbers to the smallest, piece by piece; normalised, and raw."""
    sides = []
    for own in (p, q):
        numbers = {key: part for key, part in own.items() if key != NULL}
        if not numbers or any(isinstance(key, str) for key in numbers):
            return None
        total = sum(numbers.values())
        sides.append([[key, part / total] for key, part in sorted(numbers.items())])
    places = [key for side in sides for key, _ in side]
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
    return (cost / span if span else Fraction(0)), cost


# --- association ----------------------------------------------------------------------------


def says_nothing(label: str, hierarchy: Hierarchy | None) -> bool:
    """Whether a label is the star, or the root of its hierarchy and nothing below it."""
    if label == STAR:
        return True
    if hierarchy is None:
        return False
    found = list(paths(hierarchy).values())
    return len(found[0]) > 1 and all(path[-1] == label and label not in path[:-1] for path in found)


def reading(
    original: Sequence[str], released: Sequence[str], hierarchy: Hierarchy | None
) -> Callable[[str], Fraction | None] | None:
    """How labels become numbers; None where the column is one of categories."""

    def read(label: str) -> Fraction | None:
        own = number(label)
        if own is None and hierarchy is not None and label != leaves_of(label, hierarchy)[0]:
            under = [leaf for leaf in leaves_of(label, hierarchy) if leaf != NULL]
            values = [number(leaf) for leaf in under]
            if values and None not in values:
                own = (min(values) + max(values)) / 2  # type: ignore[type-var, operator]
        return own

    before = [x for x in original if x != NULL and not says_nothing(x, hierarchy)]
    after = [x for x in released if x != NULL and not says_nothing(x, hierarchy)]
    if not before or any(number(label) is None for label in before):
        return None
    return None if any(read(label) is None for label in after) else read


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


def eta(pairs: Sequence[tuple[str, Fraction]]) -> float:
    """Root of the variance between groups over the variance."""
    if not pairs:
        return 0.0
    mean = sum(value for _, value in pairs) / Fraction(len(pairs))
    variance = sum((value - mean) ** 2 for _, value in pairs)
    between = Fraction(0)
    for group in {own for own, _ in pairs}:
        members = [value for own, value in pairs if own == group]
        between += len(members) * (sum(members) / Fraction(len(members)) - mean) ** 2
    return math.sqrt(between / variance) if variance else 0.0


def cramers_v(pairs: Sequence[tuple[str, str]]) -> float:
    """Root of chi-square over n and the smaller number of values less one."""
    left, right = {a for a, _ in pairs}, {b for _, b in pairs}
    smaller = min(len(left), len(right)) - 1
    if smaller < 1:
        return 0.0
    n = len(pairs)
    chi = Fraction(0)
    for a in left:
        for b in right:
            rows = sum(pair[0] == a for pair in pairs)
            expected = Fraction(rows * sum(pair[1] == b for pair in pairs), n)
            chi += (pairs.count((a, b)) - expected) ** 2 / expected
    return math.sqrt(chi / (n * smaller))


def association_changes(
    original: Rows,
    released: Rows,
    columns: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    correlation: str = "pearson",
) -> dict[tuple[str, str], tuple[float, float, float]]:
    """For every pair of columns the association before and after, and the change."""
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
        own = read[name]
        if own is None:
            return row[name]
        return None if row[name] == NULL else own(row[name])

    found = {}
    for one, other in combinations(columns, 2):
        both = []
        for rows in (original, released):
            pairs: list[Any] = [(value(row, one), value(row, other)) for row in rows]
            pairs = [pair for pair in pairs if None not in pair]
            if read[one] and read[other]:
                both.append((pearson if correlation == "pearson" else spearman)(pairs))
            elif read[one]:
                both.append(eta([(b, a) for a, b in pairs]))
            elif read[other]:
                both.append(eta(pairs))
            else:
                both.append(cramers_v(pairs))
        change = abs(both[1] - both[0]) / (2 if read[one] and read[other] else 1)
        found[one, other] = (both[0], both[1], change)
    return found
