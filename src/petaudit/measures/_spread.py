"""How much of a column each value has, where generalised labels stand for several values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Final

import numpy as np

from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import LeavesUnder
from petaudit.labels.numbers import (
    Integers,
    LabelNumbers,
    Whole,
    decimal_of,
    in_common_units,
    read_numbers,
)
from petaudit.tables import ValueCounts
from petaudit.tables.scales import NUMBERS, Scale

_EXACT_FLOAT: Final = 1 << 53
_LARGEST: Final = 1 << 61


@dataclass(frozen=True)
class Spread:
    """How much of a column each label has: whole numbers, whose sum is ``total``."""

    labels: Sequence[str | None]
    weights: Whole
    total: int
    numbers: LabelNumbers
    unknown: int
    """How many labels stand in no level of the hierarchy."""

    @property
    def strange(self) -> int:
        """How many labels say something that is not on the scale of the column."""
        others = np.flatnonzero(~self.numbers.is_number).tolist()
        return sum(self.labels[place] not in (None, SUPPRESSED) for place in others)


def spread(counts: ValueCounts, under: LeavesUnder | None, scale: Scale | None = None) -> Spread:
    """Share the rows of every generalised label evenly among the leaves under it.

    A label that says nothing, as ``*`` and the root do, is a value by itself: nobody can tell what
    to make of it, and shared among all leaves it would look like knowledge.

    >>> from petaudit.labels.hierarchy import Hierarchy
    >>> under = LeavesUnder(Hierarchy("age", [["1", "low"], ["2", "low"], ["7", "high"]]))
    >>> found = spread(ValueCounts(("2", "low"), np.array([1, 3])), under)
    >>> found.labels, found.weights.tolist(), found.total
    (['2', '1'], [5, 3], 8)
    """
    if under is None:
        if scale is None or scale.kind == NUMBERS:
            numbers = counts.numbers(decimal_of)
        else:
            numbers = scale.read(counts.labels)
        return Spread(counts.labels, counts.counts, counts.rows, numbers, 0)
    groups: list[tuple[str | None, ...]] = []
    unknown = 0
    for label in counts.labels:
        silent = label == SUPPRESSED or label in under.silent
        leaves = (SUPPRESSED,) if silent else under.leaves(label)
        # A null that the hierarchy does not mention is a value like any other.
        unknown += leaves is None and label is not None
        groups.append((label,) if leaves is None else leaves)
    parts = lcm(*{len(leaves) for leaves in groups})
    weights: dict[str | None, int] = {}
    for leaves, count in zip(groups, counts.counts.tolist(), strict=True):
        weight = count * parts // len(leaves)
        for leaf in leaves:
            weights[leaf] = weights.get(leaf, 0) + weight
    labels = list(weights)
    numbers = read_numbers(labels, decimal_of) if scale is None else scale.read(labels)
    whole = np.array(list(weights.values()), dtype=object)
    return Spread(labels, whole, counts.rows * parts, numbers, unknown)


@dataclass(frozen=True)
class SideBySide:
    """How much two columns have of each value: the numbers first and ascending."""

    old: Whole
    new: Whole
    numbers: Whole
    """In units of so many decimal places."""
    places: int


def side_by_side(before: Spread, after: Spread) -> SideBySide:
    """Compare labels as ``value_key`` does: numbers by their value, all else by its text.

    >>> one = ValueCounts(("5", "6", "a"), np.array([1, 1, 1]))
    >>> other = ValueCounts(("5.0",), np.array([2]))
    >>> both = side_by_side(spread(one, None), spread(other, None))
    >>> both.old.tolist(), both.new.tolist(), both.numbers.tolist(), both.places
    ([1, 1, 1], [2, 0, 0], [50, 60], 1)
    """
    sides = (before, after)
    units, places = in_common_units(before.numbers, after.numbers)
    kept = [own[side.numbers.is_number] for own, side in zip(units, sides, strict=True)]
    numbers, codes = _distinct(np.concatenate(kept))
    texts: dict[str | None, int] = {}
    values = []
    for side in sides:
        is_number = side.numbers.is_number
        value = np.empty(len(side.labels), dtype=np.int64)
        mine, codes = np.split(codes, [int(np.count_nonzero(is_number))])
        value[is_number] = mine
        others = (side.labels[place] for place in np.flatnonzero(~is_number).tolist())
        value[~is_number] = [texts.setdefault(label, len(numbers) + len(texts)) for label in others]
        values.append(value)
    # Products of both totals, and shares as floats, must be as exact as Python's own.
    small = max(before.total, after.total) < _EXACT_FLOAT and before.total * after.total < _LARGEST
    kind = np.int64 if small else object
    weights = [np.zeros(len(numbers) + len(texts), dtype=kind) for _ in sides]
    for own, value, side in zip(weights, values, sides, strict=True):
        np.add.at(own, value, side.weights.astype(kind))
    return SideBySide(weights[0], weights[1], numbers, places)


def _distinct(numbers: Whole) -> tuple[Whole, Integers]:
    """The different numbers in their order, and the place of each number among them."""
    # Both tables come in order, which a stable sort makes use of.
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    begins = np.ones(len(numbers), dtype=bool)
    begins[1:] = ascending[1:] != ascending[:-1]
    codes = np.empty(len(numbers), dtype=np.int64)
    codes[order] = np.cumsum(begins) - 1
    return ascending[begins], codes
