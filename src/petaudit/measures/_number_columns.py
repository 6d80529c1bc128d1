"""How far released labels lie from the numbers that they were, at the worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import mul
from typing import TypeAlias

import numpy as np

from petaudit.errors import DataValues, NotMeasurableError, counted, listing, phrase
from petaudit.exact.class_figures import Floats
from petaudit.exact.fractions import parse_number
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import Hierarchy
from petaudit.labels.numbers import Integers, LabelNumbers, Whole, in_common_units, read_numbers
from petaudit.labels.ranges import Ranges, ranges_of
from petaudit.measures._utility import needed_original
from petaudit.tables.sums import Distances

Interval: TypeAlias = tuple[Fraction, Fraction]


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

    def distances(self, original: Integers, released: Integers) -> tuple[Whole, Whole]:
        """The distance of each pair to the farther end of its interval, and the largest possible.

        Pairs are positions among the labels of both columns. A released number may lie outside of
        the original ones, and then farther away than that.
        """
        numbers, largest = self.numbers[original], self._largest[original]
        low, high = self._low[released], self._high[released]
        was_null, became_null = self.is_null[original], self._became_null[released]
        found = np.maximum(np.abs(numbers - low), np.abs(numbers - high))
        found[was_null] = self._span
        found[became_null] = largest[became_null]
        found[was_null & became_null] = 0
        return found, largest

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


def number_columns(inputs: Inputs) -> tuple[dict[str, LabelNumbers], tuple[str, ...]]:
    """The quasi-identifiers whose original values are numbers, and those left out."""
    original = needed_original(inputs)
    names = inputs.quasi_identifiers
    numeric: dict[str, LabelNumbers] = {}
    for name in names:
        values = original.counts.value_counts(name)
        found = values.numbers(parse_number)
        nulls = sum(label is None for label in values.labels[-1:])
        if len(values.labels) - nulls == int(np.count_nonzero(found.is_number)) > 0:
            numeric[name] = found
    if not numeric:
        raise NotMeasurableError(
            "no quasi-identifier of {table} holds numbers only: {names}",
            table=original.name,
            names=listing(names),
        )
    return numeric, tuple(name for name in names if name not in numeric)


def exact_sum(counts: Integers, *factors: Whole) -> int:
    """The sum of the products, in whole numbers of any size.

    >>> exact_sum(np.array([1, 2]), np.array([10**18, 1]), np.array([10**18, 5]))
    1000000000000000000000000000000000010
    """
    products = counts.tolist()
    for factor in factors:
        products = map(mul, products, factor.tolist())
    return sum(products)


def share_kept_of(lost: Fraction | int, most: Fraction | int, *, moved: bool) -> Fraction:
    """1 - lost / most; a column of one number keeps all unless it became another number."""
    if not most:
        return Fraction(0 if moved else 1)
    return 1 - Fraction(lost) / Fraction(most)


def left_out_text(columns: Sequence[str]) -> tuple[str, ...]:
    """Say which columns are not in the figure.

    >>> left_out_text(["sex", "zip"])
    ('left out because they hold more than numbers: sex, zip',)
    """
    if not columns:
        return ()
    names = listing(columns)
    if len(columns) == 1:
        return (phrase("left out because it holds more than numbers: {name}", name=names),)
    return (phrase("left out because they hold more than numbers: {names}", names=names),)


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
    above = _numbers_above(hierarchy)
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


def _numbers_above(hierarchy: Hierarchy) -> dict[Fraction | None, set[str]]:
    """The labels above the leaves that spell a number, by that number."""
    found: dict[Fraction | None, set[str]] = {}
    for label in {label for leaf in hierarchy.leaves for label in hierarchy.path_of(leaf)[1:]}:
        number = parse_number(label)
        if number is not None:
            found.setdefault(number, set()).add(label)
    return found


def _ranges(inputs: Inputs, column: str, labels: Sequence[str], unknown: str) -> Ranges:
    """What each label may stand for.

    Whether the end of a range belongs to it makes no difference to how far away it can be.
    """
    known: Mapping[str, Interval] = {}
    if labels and column in inputs.hierarchies:
        known = _leaf_intervals(inputs.hierarchy(column), labels)
    found = ranges_of(labels, known)
    strange = [labels[place] for place in np.flatnonzero(~found.is_range).tolist()]
    if strange and unknown == "error":
        raise NotMeasurableError(
            _holds_strange_labels(column, len(strange)), data=DataValues(strange, column)
        ).in_rows(inputs.rows_of)
    return found


def _holds_strange_labels(column: str, number: int) -> str:
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


def _leaf_intervals(hierarchy: Hierarchy, labels: Sequence[str]) -> Mapping[str, Interval]:
    """The smallest and the largest number among the leaves under each of some labels."""
    leaves = hierarchy.leaves
    numbers = read_numbers(leaves)
    [whole], places = in_common_units(numbers)
    above = _numbers_above(hierarchy)
    # The table may write 50.0 where the hierarchy has 50.
    spelled = {label: above.get(parse_number(label), set()) for label in labels}
    wanted = {*labels}.union(*spelled.values())
    found: dict[str, tuple[int, int]] = {}
    for leaf, is_number, number in zip(
        leaves, numbers.is_number.tolist(), whole.tolist(), strict=True
    ):
        if is_number:
            for label in wanted.intersection(hierarchy.path_of(leaf)):
                low, high = found.get(label, (number, number))
                found[label] = (min(low, number), max(high, number))
    unit = 10**places
    ends: dict[str, Interval] = {}
    for label, others in spelled.items():
        own = [found[each] for each in (label, *others) if each in found]
        if own:
            low, high = min(each[0] for each in own), max(each[1] for each in own)
            ends[label] = (Fraction(low, unit), Fraction(high, unit))
    return ends
