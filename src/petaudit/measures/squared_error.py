"""Squared errors: how far released labels lie from the numbers that they were, at the worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Annotated, TypeAlias

import numpy as np

from petaudit.errors import DataValues, NotMeasurableError, counted, listing, phrase
from petaudit.exact.class_figures import Floats
from petaudit.exact.fractions import parse_number
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import leaf_intervals, numbers_above
from petaudit.labels.numbers import (
    Integers,
    LabelNumbers,
    Ranges,
    Whole,
    in_common_units,
    ranges_of,
)
from petaudit.measures.base import Need, Result
from petaudit.measures.utility import UNKNOWN, ColumnsMeasure
from petaudit.tables.sums import Distances

_UNKNOWN_HELP = "labels that are no range of numbers: error, or maximal (any number)"
Unknown: TypeAlias = Annotated[str, UNKNOWN, _UNKNOWN_HELP]


class SquaredErrorMeasure(ColumnsMeasure):
    """How close the quasi-identifiers that hold numbers stayed to their original values."""

    needs = (Need.QUASI_IDENTIFIERS, Need.ORIGINAL)
    positional = ("original", "table")

    def number_columns(
        self, inputs: Inputs, unknown: str
    ) -> tuple[dict[str, NumberColumn], tuple[str, ...]]:
        """Read the quasi-identifiers whose original values are numbers; name those left out."""
        original, names = inputs.needed_original, inputs.quasi_identifiers
        numeric: dict[str, LabelNumbers] = {}
        for name in names:
            values = original.counts.value_counts(name)
            numbers = values.numbers(parse_number)
            nulls = sum(label is None for label in values.labels[-1:])
            if len(values.labels) - nulls == int(np.count_nonzero(numbers.is_number)) > 0:
                numeric[name] = numbers
        if not numeric:
            raise NotMeasurableError(
                "no quasi-identifier of {table} holds numbers only: {names}",
                table=original.name,
                names=listing(names),
            )
        columns = {
            name: NumberColumn(inputs, name, numbers, unknown=unknown)
            for name, numbers in numeric.items()
        }
        return columns, tuple(name for name in names if name not in numeric)

    def explain(self, result: Result) -> tuple[str, ...]:
        """Name the figure of each column, and the columns that are not in it."""
        lines = super().explain(result)
        names = listing(result.left_out)
        if not result.left_out:
            return lines
        if len(result.left_out) == 1:
            line = phrase("left out because it holds more than numbers: {name}", name=names)
        else:
            line = phrase("left out because they hold more than numbers: {names}", names=names)
        return (*lines, line)


@dataclass(frozen=True)
class CellDistances:
    """How far cells lie from their original numbers, and how far they could at the most."""

    distances: Whole
    largest: Whole
    moved: bool
    """Whether any cell is off, if only where all original numbers are the same."""

    def share_kept(self, counts: Integers, *, squared: bool = False) -> Fraction:
        """1 - lost / most; a column of one number keeps all unless it became another number."""
        power = 2 if squared else 1
        most = exact_sum(counts, *[self.largest] * power)
        return share_of(exact_sum(counts, *[self.distances] * power), most, moved=self.moved)


class NumberColumn:
    """A column whose original values are numbers.

    A null is no number: as the released cell of a number it is as bad as any value can be, and
    for a null of the original everything but a null is as far away as the smallest number is from
    the largest. All figures are whole numbers of one small unit, so that they can be added exactly.
    """

    def __init__(self, inputs: Inputs, column: str, numbers: LabelNumbers, *, unknown: str) -> None:
        values = inputs.table.counts.value_counts(column)
        released = values.numbers(parse_number)
        places = sorted(
            _places_of_ranges(values.labels, released)
            + _places_of_numbers_above(inputs, column, released)
        )
        ranges = _ranges(inputs, column, [values.labels[place] or "" for place in places], unknown)
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
        """What an engine reckons with, as floats, unless all numbers are the same.

        The span of the numbers is the unit, so that floats can neither overflow nor lose more than
        their last digit.
        """
        lowest, span = int(self._lowest), int(self._span)

        def shares(numbers: Whole, below: int = 0) -> Floats:
            # What lies outside of all numbers is farther away than counts.
            own = (max(-span, min(int(number) - below, 2 * span)) for number in numbers.tolist())
            return np.array([number / span for number in own], dtype=np.float64)

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


def exact_sum(counts: Integers, *factors: Whole) -> int:
    """The sum of the products, in whole numbers of any size.

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


def _places_of_ranges(labels: Sequence[str | None], released: LabelNumbers) -> list[int]:
    """Where the labels stand that say something, and are no numbers."""
    return [
        place
        for place in np.flatnonzero(~released.is_number).tolist()
        if (labels[place] or "").strip(SUPPRESSED)
    ]


def _places_of_numbers_above(inputs: Inputs, column: str, released: LabelNumbers) -> list[int]:
    """Where the numbers stand that are read as ranges: labels above the leaves of the hierarchy.

    ``50`` may be an age and the label of all ages. A reader of the table cannot tell one from the
    other: it is the age only if every row that has it had it before.
    """
    if column not in inputs.hierarchies or not released.is_number.any():
        return []
    hierarchy = inputs.hierarchy(column)
    labels = inputs.table.counts.value_counts(column).labels
    above = numbers_above(hierarchy)
    candidates = {
        place: number
        for place in np.flatnonzero(released.is_number).tolist()
        if (number := parse_number(labels[place] or "")) in above
    }
    if not candidates:
        return []
    originals = inputs.aligned_original.counts.value_counts(column).labels
    pairs = inputs.pair_codes(column)
    asked = np.isin(pairs.released, list(candidates))
    met = zip(pairs.original[asked].tolist(), pairs.released[asked].tolist(), strict=True)
    return sorted(
        {new for old, new in met if parse_number(originals[old] or "") != candidates[new]}
    )


def _ranges(inputs: Inputs, column: str, labels: Sequence[str], unknown: str) -> Ranges:
    """What each label may stand for.

    Whether the end of a range belongs to it makes no difference to how far away it can be.
    """
    is_known = labels and column in inputs.hierarchies
    ranges = ranges_of(labels, leaf_intervals(inputs.hierarchy(column), labels) if is_known else {})
    unread = [labels[place] for place in np.flatnonzero(~ranges.is_range).tolist()]
    if unread and unknown == "error":
        raise NotMeasurableError(
            _holds_other_labels(column, len(unread)), data=DataValues(unread, column)
        ).in_rows(inputs.rows_of)
    return ranges


def _holds_other_labels(column: str, number: int) -> str:
    labels = counted(number, "label")
    if number == 1:
        return phrase(
            "column {column!r} holds {labels} that is no number, no range like [20,30[, and in no "
            "hierarchy of numbers (unknown: maximal counts such a label as any number)",
            column=column,
            labels=labels,
        )
    return phrase(
        "column {column!r} holds {labels} that are no number, no range like [20,30[, and in no "
        "hierarchy of numbers (unknown: maximal counts such a label as any number)",
        column=column,
        labels=labels,
    )
