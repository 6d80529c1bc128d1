"""What a released label says about original values: itself, or any of the leaves under it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

import numpy as np

from petaudit.exact.fractions import parse_number
from petaudit.labels.cells import SUPPRESSED, trim
from petaudit.labels.hierarchies import NULL_LABEL, Hierarchy
from petaudit.labels.numbers import Integers, LabelNumbers, Whole, in_common_units, read_numbers
from petaudit.labels.ranges import NUMBER
from petaudit.tables import ValueCounts
from petaudit.tables.scales import NUMBERS, Scale

ValueKey: TypeAlias = Decimal | str | None

_NUMBER: Final = re.compile(NUMBER, re.ASCII)
_LONGEST: Final = 4_000
"""Digits; longer labels count nothing."""
_EXACT_FLOAT: Final = 1 << 53
_LARGEST: Final = 1 << 61


def decimal_of(label: str) -> Decimal | None:
    """The number that a label spells: many times faster to compare than a fraction, and as exact.

    >>> decimal_of(" 1.50"), decimal_of("1.5") == decimal_of("15e-1"), decimal_of("nan")
    (Decimal('1.50'), True, None)
    """
    text = trim(label)
    return Decimal(text) if len(text) < _LONGEST and _NUMBER.fullmatch(text) else None


def value_key(label: str | None) -> ValueKey:
    """What labels are compared by: numbers by their value, all else by its text.

    >>> value_key("5") == value_key("5.0"), value_key("a"), value_key(None)
    (True, 'a', None)
    """
    if label is None:
        return None
    number = decimal_of(label)
    return label if number is None else number


def numbers_among(labels: Iterable[str | None]) -> list[Fraction] | None:
    """The numbers that labels spell, nulls left out; None where one is no number, or all are null.

    >>> [str(number) for number in numbers_among(["2.5", None])], numbers_among(["1", "a"])
    (['5/2'], None)
    """
    found = [parse_number(label) for label in labels if label is not None]
    numbers = [number for number in found if number is not None]
    return numbers if found and len(numbers) == len(found) else None


class LeavesUnder:
    """The leaves that every label of a hierarchy stands for; ``*`` stands for all.

    >>> under = LeavesUnder(Hierarchy("age", [["1", "low"], ["2", "low"], ["7", "high"]]))
    >>> under.leaves("low"), under.leaves("7.0"), under.leaves("*"), under.leaves("x")
    (('1', '2'), ('7',), ('1', '2', '7'), None)
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        under: dict[str, list[str | None]] = {}
        for leaf in hierarchy.leaves:
            for level, label in enumerate(hierarchy.path_of(leaf)):
                # A label of several levels counts at its lowest, as everywhere.
                if hierarchy.level_of(label) == level:
                    under.setdefault(label, []).append(leaf or None)
        self._under = {label: tuple(leaves) for label, leaves in under.items()}
        self.all = tuple(leaf or None for leaf in hierarchy.leaves)
        self._by_number: dict[Decimal, tuple[str | None, ...]] | None = None

    def leaves(self, label: str | None) -> tuple[str | None, ...] | None:
        """The leaves under a label; None where no level has it."""
        text = NULL_LABEL if label is None else label
        if text in self._under:
            return self._under[text]
        if text == SUPPRESSED:
            return self.all
        number = decimal_of(text)
        if number is None:
            return None
        if self._by_number is None:
            self._by_number = {}
            # The lowest level comes last, and stays.
            for text in sorted(self._under, key=self.hierarchy.level_of, reverse=True):
                spelled = decimal_of(text)
                if spelled is not None:
                    self._by_number[spelled] = self._under[text]
        return self._by_number.get(number)

    def middle(self, label: str | None) -> Fraction | None:
        """Half-way between the lowest and the highest leaf; None unless leaves are numbers.

        >>> str(LeavesUnder(Hierarchy("age", [["1"], ["2"], ["7"]])).middle("*"))
        '4'
        """
        numbers = numbers_among(self.leaves(label) or ())
        return None if numbers is None else (min(numbers) + max(numbers)) / 2

    @property
    def silent(self) -> tuple[str, ...]:
        """The labels that say nothing: the root, unless a leaf is called so, too."""
        top = self.hierarchy.top
        return (top,) if self.says_nothing(top) else ()

    def says_nothing(self, label: str | None) -> bool:
        """Whether a label is the root, which every value has."""
        hierarchy = self.hierarchy
        return (
            label == hierarchy.top
            and hierarchy.level_of(label) == hierarchy.levels - 1
            and hierarchy.levels > 1
        )


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
