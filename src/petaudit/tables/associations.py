"""Associations between columns of a table: from its rows, or from sums of an engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from petaudit.exact.association import (
    Cells,
    Floats,
    WholeColumn,
    centred_labels,
    corrected_ratio,
    corrected_v,
    correlation_ratio,
    count_cells,
    cramers_v,
    doubled_ranks,
    exact_correlation,
    pearson,
    ranks_of,
    spearman,
)
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import LeavesUnder
from petaudit.labels.numbers import Bools, IntegerArray, Integers, decimal_of, in_common_units
from petaudit.tables import Source, TableCounts, ValueCounts
from petaudit.tables.column_values import Codes, column_codes
from petaudit.tables.scales import NUMBERS, Scale, scale_of
from petaudit.tables.sums import PairSums

NumbersAndRanks: TypeAlias = tuple[WholeColumn, WholeColumn]
Reading: TypeAlias = tuple[Bools, Floats | None, Integers | None]
"""Which labels say something, and their numbers as in :class:`AssociatedColumn`."""

_DIGITS: Final = 12
_ROWS_PER_LABEL: Final = 2
_EXACT_FLOAT: Final = 1 << 53
_EXACT_POWER: Final = 22
"""Ten to the power of this is exact as a float."""
_MOST_ROWS_HELD: Final = 100_000
_LARGEST: Final = 1 << 31
"""Products of larger numbers are too large to be added up in 64 bits."""


@dataclass(frozen=True)
class AssociatedColumn:
    """A column of one table, and what is known of each label."""

    name: str
    counts: TableCounts
    codes: Codes
    """The label of each row; empty where rows live elsewhere."""
    known: Bools
    """Whether a label says anything: ``*`` does not, nor does a null among numbers."""
    numbers: Floats | None
    integers: Integers | None = None
    """The same as integers of some unit, starting at 0, where they fit into 64 bits."""

    @property
    def is_constant(self) -> bool:
        """Whether all rows that count have the same value."""
        if self.numbers is None:
            return int(np.count_nonzero(self.known)) < 2
        return len(np.unique(self.numbers[self.known])) < 2

    def numbers_and_ranks(self, codes: Codes) -> NumbersAndRanks:
        """The integers of all rows or of some, and twice their ranks."""
        # Of small tables they are held: every other column asks for the same.
        if codes is self.codes and len(codes) <= _MOST_ROWS_HELD:
            return self._numbers_and_ranks
        return self._read(codes)

    @cached_property
    def _numbers_and_ranks(self) -> NumbersAndRanks:
        return self._read(self.codes)

    def _read(self, codes: Codes) -> NumbersAndRanks:
        assert self.integers is not None  # noqa: S101 (callers check)
        ranks = doubled_ranks(self.integers, codes)
        return WholeColumn.of(self.integers[codes]), WholeColumn.of(ranks[codes])


Sides: TypeAlias = tuple[AssociatedColumn, AssociatedColumn]
"""A column of the original and of the table."""


def both_sides(
    original: Source, table: Source, leaves_under: Mapping[str, LeavesUnder | None]
) -> dict[str, Sides]:
    """Read columns of both tables; as numbers only where both can be read so."""
    tables = (original, table)
    codes = [
        {} if side.counts.is_remote else column_codes(side, tuple(leaves_under)) for side in tables
    ]
    elsewhere = np.zeros(0, np.int32)
    columns: dict[str, Sides] = {}
    for name, under in leaves_under.items():
        values = [side.counts.value_counts(name) for side in tables]
        before, after = (
            AssociatedColumn(name, side.counts, codes_of_side.get(name, elsewhere), *reading)
            for side, codes_of_side, reading in zip(
                tables, codes, _read_labels(values, under), strict=True
            )
        )
        columns[name] = (before, after)
    return columns


class Association:
    """Two columns, in the rows in which both say something."""

    def __init__(self, left: AssociatedColumn, right: AssociatedColumn) -> None:
        self._left, self._right = left, right

    @cached_property
    def _cells(self) -> Cells:
        """Counted pairs of values, so that the order of rows makes no difference."""
        left, right = self._left, self._right
        cells = count_cells(left.codes, right.codes, (len(left.known), len(right.known)))
        if left.known.all() and right.known.all():
            return cells
        return cells.where(left.known[cells.first] & right.known[cells.second])

    @property
    def rows(self) -> int:
        """How many rows say something in both columns."""
        return int(self._cells.counts.sum())

    @property
    def values(self) -> tuple[int, int]:
        """How many different labels these rows have, of either column."""
        first, second = (
            int(np.count_nonzero(np.bincount(places)))
            for places in (self._cells.first, self._cells.second)
        )
        return first, second

    def correlations(self) -> tuple[float, float]:
        """Pearson's and Spearman's, of two columns of numbers."""
        exact = self._exact_correlations()
        if exact is not None:
            return exact
        first, second = _numbers(self._left), _numbers(self._right)
        return pearson(self._cells, first, second), spearman(self._cells, first, second)

    def _exact_correlations(self) -> tuple[float, float] | None:
        """Straight from the rows, where integers are small enough to be added up exactly."""
        left, right = self._left, self._right
        if left.integers is None or right.integers is None:
            return None
        codes = [left.codes, right.codes]
        if not (left.known.all() and right.known.all()):
            chosen = left.known[left.codes] & right.known[right.codes]
            codes = [codes_of_side[chosen] for codes_of_side in codes]
        sides = map(AssociatedColumn.numbers_and_ranks, (left, right), codes)
        linear, ranked = (exact_correlation(*pair) for pair in zip(*sides, strict=True))
        return None if linear is None or ranked is None else (linear, ranked)

    def ratio(self) -> float:
        """Eta, of a column of numbers and one of labels."""
        if self._right.numbers is None:
            return correlation_ratio(self._cells.swapped, _numbers(self._left))
        return correlation_ratio(self._cells, self._right.numbers)

    def cramers_v(self) -> float:
        """Of two columns of labels."""
        return cramers_v(self._cells)


class _AssociationElsewhere(Association):
    """The same where rows live elsewhere: their engine adds up, and no rows or pairs are fetched.

    Figures have twelve digits: an engine may add up floats in any order.
    """

    @cached_property
    def _sums(self) -> PairSums:
        left, right = self._left, self._right
        return PairSums(left.counts, (left.name, right.name), (left.known, right.known))

    @property
    def rows(self) -> int:
        return int(self._sums.rows[0].sum())

    @property
    def values(self) -> tuple[int, int]:
        first, second = map(np.count_nonzero, self._sums.rows)
        return int(first), int(second)

    def correlations(self) -> tuple[float, float]:
        rows = self._sums.rows
        values = [_numbers(self._left), _numbers(self._right)]
        sides = [
            list(map(centred_labels, numbers, rows))
            for numbers in (values, list(map(ranks_of, values, rows)))
        ]
        # Values that are all the same have the same rank too.
        factors = [(one, other) for one, other in sides if one is not None and other is not None]
        if not factors:
            return 0.0, 0.0
        coefficients = []
        sums = self._sums.products(factors)
        for (one, other), covariance in zip(factors, sums, strict=True):
            squares = float(np.sum(rows[0] * one * one)) * float(np.sum(rows[1] * other * other))
            coefficients.append(_rounded(max(-1.0, min(1.0, covariance / math.sqrt(squares)))))
        return coefficients[0], coefficients[1]

    def ratio(self) -> float:
        group = int(self._left.numbers is not None)
        rows, others = self._sums.rows[group], self._sums.rows[1 - group]
        centred = centred_labels(_numbers(self._left if group else self._right), others)
        if centred is None:
            return 0.0
        present = rows > 0
        sums = self._sums.sums_by(group, centred)
        between = float(np.sum(sums[present] ** 2 / rows[present]))
        squares = float(np.sum(others * centred * centred))
        return _rounded(corrected_ratio(between / squares, self.values[group], self.rows))

    def cramers_v(self) -> float:
        if min(self.values) < 2:
            return 0.0
        total = float(self.rows)
        surplus, expected, pairs = self._sums.surplus()
        if pairs < self.values[0] * self.values[1]:
            # What independence expects of the pairs that never occur: each adds just that.
            surplus += max(total - expected, 0.0)
        return _rounded(corrected_v(surplus / total, self.values, self.rows))


def _numbers(column: AssociatedColumn) -> Floats:
    assert column.numbers is not None  # noqa: S101 (asked only of columns of numbers)
    return column.numbers


def _rounded(coefficient: float) -> float:
    # Adding zero makes -0.0 a 0.0.
    return round(coefficient, _DIGITS) + 0.0


@dataclass(frozen=True)
class PairChange:
    """The association of two columns before and after; ``change`` is from 0 to 1.

    It is None, as both sides are, where labels are nearly all different: nothing can be told then.
    """

    first: str
    second: str
    kind: str
    coefficient: str
    original: float | None
    released: float | None
    change: float | None
    pearson_original: float | None = None
    pearson_released: float | None = None
    spearman_original: float | None = None
    spearman_released: float | None = None


def pair_change(one: Sides, other: Sides, correlation: str, crowded: dict[str, None]) -> PairChange:
    """Compare two columns; those whose labels are nearly all different are noted as crowded."""
    first, second = one[0].name, other[0].name
    sides = [
        (_AssociationElsewhere if left.counts.is_remote else Association)(left, right)
        for left, right in zip(one, other, strict=True)
    ]
    are_numbers = [one[0].numbers is not None, other[0].numbers is not None]
    if all(are_numbers):
        linear, ranked = zip(*(side.correlations() for side in sides), strict=True)
        before, after = linear if correlation == "pearson" else ranked
        # These go from -1 to 1, the others from 0 to 1: halved, every change is from 0 to 1.
        change = abs(after - before) / 2
        kind = "number-number"
        return PairChange(first, second, kind, correlation, before, after, change, *linear, *ranked)
    kind = "-".join("number" if is_number else "category" for is_number in are_numbers)
    pair = (first, second, kind, "eta" if any(are_numbers) else "cramers-v")
    noted = [
        name
        for place, name in enumerate((first, second))
        if not are_numbers[place] and any(_is_crowded(side, place) for side in sides)
    ]
    if noted:
        crowded.update(dict.fromkeys(noted))
        return PairChange(*pair, None, None, None)
    before, after = (side.ratio() if any(are_numbers) else side.cramers_v() for side in sides)
    return PairChange(*pair, before, after, abs(after - before))


def _is_crowded(side: Association, place: int) -> bool:
    """Whether labels have fewer than two rows each: then chance explains as much as they do."""
    return 0 < side.rows < _ROWS_PER_LABEL * side.values[place]


def _read_labels(values: Sequence[ValueCounts], under: LeavesUnder | None) -> list[Reading]:
    """Which labels of each table say something, and as which numbers; none where one has none."""
    silent = (SUPPRESSED, *(() if under is None else under.silent))
    known = [np.ones(len(counts.labels), dtype=bool) for counts in values]
    for counts, says_something in zip(values, known, strict=True):
        # Looking for the few silent labels takes less than asking each label whether it is one.
        for label in silent:
            if label in counts.labels:
                says_something[counts.labels.index(label)] = False
    as_labels: list[Reading] = [(says_something, None, None) for says_something in known]
    # The original decides; only the released table has labels that stand for several.
    scale = scale_of(values[0], values[1], decimal_of, silent)
    if scale is None:
        return as_labels
    leaf_numbers = {} if under is None else _leaf_numbers(under, scale)
    readings: list[Reading] = []
    for counts, says_something in zip(values, known, strict=True):
        is_numbers = scale.kind == NUMBERS
        numbers = counts.numbers(decimal_of) if is_numbers else scale.read(counts.labels)
        if under is not None:
            places = np.flatnonzero(says_something).tolist()
            numbers = numbers.with_others(_middles(under, leaf_numbers, counts.labels, places))
        unread = np.flatnonzero(says_something & ~numbers.is_number).tolist()
        if any(counts.labels[place] is not None for place in unread):
            return as_labels
        counting = says_something & numbers.is_number
        [integers], places_after_point = in_common_units(numbers)
        floats = _as_floats(integers, places_after_point, counting)
        if floats is None:
            return as_labels
        readings.append((counting, floats, _from_zero(integers, counting)))
    return readings


def _leaf_numbers(under: LeavesUnder, scale: Scale) -> dict[str | None, Fraction | None]:
    [numbers], places = in_common_units(read := scale.read(under.all))
    return {
        leaf: Fraction(number, 10**places) if is_number else None
        for leaf, number, is_number in zip(
            under.all, numbers.tolist(), read.is_number.tolist(), strict=True
        )
    }


def _middles(
    under: LeavesUnder,
    leaf_numbers: Mapping[str | None, Fraction | None],
    labels: Sequence[str | None],
    places: Sequence[int],
) -> dict[int, Fraction | None]:
    """What labels above the leaves count as: half-way between the lowest and the highest leaf.

    None where a leaf has no number.
    """
    middles: dict[int, Fraction | None] = {}
    for place in places:
        leaves = under.leaves(labels[place])
        if leaves is None or leaves == (labels[place],):
            continue
        numbers = [leaf_numbers[leaf] for leaf in leaves if leaf is not None]
        read = [number for number in numbers if number is not None]
        is_read = bool(read) and len(read) == len(numbers)
        middles[place] = (min(read) + max(read)) / 2 if is_read else None
    return middles


def _as_floats(integers: IntegerArray, places: int, counting: Bools) -> Floats | None:
    """The nearest float of each number, NaN where it does not count; None where one has none."""
    floats = np.full(len(integers), math.nan)
    chosen = integers[counting]
    unit = 10**places
    is_exact = integers.dtype != object and places <= _EXACT_POWER
    if is_exact and (np.abs(chosen) < _EXACT_FLOAT).all():
        # Both are exact as floats, so that their quotient is rounded once.
        floats[counting] = chosen / unit
        return floats
    try:
        floats[counting] = [number / unit for number in chosen.tolist()]
    except OverflowError:
        return None
    return floats


def _from_zero(integers: IntegerArray, counting: Bools) -> Integers | None:
    chosen = integers[counting]
    if not chosen.size:
        return np.zeros(len(integers), dtype=np.int64)
    low = chosen.min()
    if chosen.max() - low >= _LARGEST:
        return None
    above = np.where(counting, integers - low, 0).astype(np.int64)
    step = int(np.gcd.reduce(above))
    return above // step if step > 1 else above
