"""How far released labels lie at most from the original numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np

from petaudit.exact.class_figures import Floats
from petaudit.exact.fractions import parse_number
from petaudit.labels.numbers import IntegerArray, Integers, LabelNumbers, Ranges, in_common_units
from petaudit.tables import ValueCounts
from petaudit.tables.pairs import aligned_columns, pair_codes
from petaudit.tables.sums import Distances, sums_of_distances
from petaudit.tables.table_counts import TableCounts


@dataclass(frozen=True)
class CellDistances:
    """How far cells lie from their original numbers, and how far they could at the most."""

    distances: IntegerArray
    largest: IntegerArray
    moved: bool
    """Whether any cell is off, if only where all original numbers are the same."""

    def share_kept(self, counts: Integers, *, squared: bool = False) -> Fraction:
        """1 - lost / most; a column of one number keeps all unless it became another number."""
        power = 2 if squared else 1
        most = exact_sum(counts, *[self.largest] * power)
        return share_of(exact_sum(counts, *[self.distances] * power), most, moved=self.moved)


class NumberColumn:
    """A column whose original values are numbers.

    A null that replaces a number is as far away as any value can be; for a null of the original,
    anything but a null is as far away as the smallest number is from the largest. All figures are
    integers in one small unit, so that they can be added exactly.
    """

    def __init__(
        self, numbers: LabelNumbers, values: ValueCounts, places: Sequence[int], ranges: Ranges
    ) -> None:
        """Read labels; those of ``values`` at ``places`` stand for ``ranges``."""
        released = values.numbers(parse_number)
        [self.numbers, low, *bounds], _ = in_common_units(
            numbers, released, ranges.low, ranges.high
        )
        self.is_null = ~numbers.is_number
        lowest, highest = self.numbers[~self.is_null].min(), self.numbers[~self.is_null].max()
        self._lowest, self._span = lowest, highest - lowest
        self._largest = np.maximum(self.numbers - lowest, highest - self.numbers)
        self._largest[self.is_null] = self._span
        self._became_null = np.array([label is None for label in values.labels], dtype=bool)
        self._low, self._high = low, low.copy()
        for ends, open_end, bound, known in (
            (self._low, lowest, bounds[0], ranges.low.is_number & ranges.is_range),
            (self._high, highest, bounds[1], ranges.high.is_number & ranges.is_range),
        ):
            # A label stands for numbers inside of the original ones only.
            ends[~released.is_number] = open_end
            inside = np.minimum(np.maximum(bound[known], lowest), highest)
            ends[np.array(places, dtype=np.int64)[known]] = inside

    def distances(self, original: Integers, released: Integers) -> CellDistances:
        """The distance of each pair to the farther end of its interval, and the largest possible.

        Pairs are positions among the labels of both columns. A released number may lie outside of
        the original ones, and then counts as far away as is possible.
        """
        numbers, largest = self.numbers[original], self._largest[original]
        low, high = self._low[released], self._high[released]
        was_null, became_null = self.is_null[original], self._became_null[released]
        distances = np.maximum(np.abs(numbers - low), np.abs(numbers - high))
        distances[was_null] = self._span
        distances[became_null] = largest[became_null]
        distances[was_null & became_null] = 0
        return CellDistances(np.minimum(distances, largest), largest, bool(distances.any()))

    def variance(self, original: Integers, counts: Integers) -> Fraction:
        """The variance of the original numbers, nulls left out."""
        counts = np.where(self.is_null[original], 0, counts)
        numbers = self.numbers[original]
        rows, total = exact_sum(counts), exact_sum(counts, numbers)
        return Fraction(rows * exact_sum(counts, numbers, numbers) - total * total, rows * rows)

    def in_engine(self, column: str, variance: Fraction) -> Distances:
        """What an engine computes with, as floats, unless all numbers are the same.

        The span of the numbers is the unit, so that floats can neither overflow nor lose more than
        their last digit.
        """
        lowest, span = int(self._lowest), int(self._span)

        def shares(numbers: IntegerArray, below: int = 0) -> Floats:
            # A number farther outside than the span counts as that far only.
            clipped = (
                max(-span, min(int(number) - below, 2 * span)) for number in numbers.tolist()
            )
            return np.array([number / span for number in clipped], dtype=np.float64)

        return Distances(
            column,
            number=shares(self.numbers, lowest),
            largest=shares(self._largest),
            low=shares(self._low, lowest),
            high=shares(self._high, lowest),
            was_null=self.is_null.astype(np.int64),
            became_null=self._became_null.astype(np.int64),
            weight=float(span * span / variance),
        )


@dataclass(frozen=True)
class RowDistances:
    """How far rows lie from their originals: sums over all rows, in standard deviations."""

    kept: Mapping[str, Fraction]
    """The share that each column keeps."""
    lost: float
    most: float
    moved: bool
    """Whether any cell is off."""


def row_distances(
    original: TableCounts, table: TableCounts, columns: Mapping[str, NumberColumn], key: str | None
) -> RowDistances:
    """Add up the distances of all rows, and the largest that are possible.

    Where rows cannot be fetched, pairs of values are, and the engine adds up rows.
    """
    is_remote = original.is_remote or table.is_remote
    if is_remote:
        aligned = [pair_codes(original, table, name, key) for name in columns]
    else:
        aligned = aligned_columns(original, table, tuple(columns), key)
    cells, variances, kept = [], [], {}
    for (name, column), pairs in zip(columns.items(), aligned, strict=True):
        cells.append(column.distances(pairs.original, pairs.released))
        variances.append(column.variance(pairs.original, pairs.counts))
        kept[name] = cells[-1].share_kept(pairs.counts)
    if is_remote:
        in_engine = [
            column.in_engine(name, variance)
            for (name, column), variance in zip(columns.items(), variances, strict=True)
            if variance
        ]
        lost = most = 0.0
        if in_engine:
            lost, most = sums_of_distances(original, table, in_engine, str(key))
    else:
        squared = [
            [_in_variances(each, variance)[pairs.rows] for each in (cell.distances, cell.largest)]
            for cell, variance, pairs in zip(cells, variances, aligned, strict=True)
        ]
        # An exactly rounded sum does not depend on the order of the rows.
        lost, most = (
            math.fsum(np.sqrt(sum(terms)).tolist()) for terms in zip(*squared, strict=True)
        )
    return RowDistances(kept, lost, most, any(cell.moved for cell in cells))


def _in_variances(distances: IntegerArray, variance: Fraction) -> Floats:
    """Squared distances in units of the variance, each rounded once."""
    if not variance:
        return np.zeros(len(distances))
    times, divisor = variance.denominator, variance.numerator
    shares = [distance * distance * times / divisor for distance in distances.tolist()]
    return np.array(shares, dtype=np.float64)


def exact_sum(counts: Integers, *factors: IntegerArray) -> int:
    """The sum of the products, in integers of any size.

    >>> exact_sum(np.array([1, 2]), np.array([10**18, 1]), np.array([10**18, 5]))
    1000000000000000000000000000000000010
    """
    products = counts.tolist()
    for factor in factors:
        products = map(mul, products, factor.tolist())
    return sum(products)


def share_of(lost: Fraction | int, most: Fraction | int, *, moved: bool) -> Fraction:
    """1 - lost / most; a column of one number keeps all unless it became another number."""
    if not most:
        return Fraction(0 if moved else 1)
    return 1 - Fraction(lost) / Fraction(most)
