"""How far the values of a column moved: the distances between two distributions.

They are computed in exact integers unless roots are taken. Generalised labels stand for several
values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Final

import numpy as np

from petaudit.errors import counted, phrase
from petaudit.exact.fractions import as_float
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import LeavesUnder
from petaudit.labels.numbers import (
    IntegerArray,
    Integers,
    LabelNumbers,
    decimal_of,
    in_common_units,
    read_numbers,
)
from petaudit.tables import Source, ValueCounts
from petaudit.tables.scales import DATES, LABELS, NUMBERS, TIMES, Scale, scale_of

AUTO: Final = "auto"
FIGURES: Final = (AUTO, "total-variation", "hellinger", "kolmogorov-smirnov", "wasserstein")
_FEW_VALUES: Final = 10
_ROWS_PER_VALUE: Final = 5
"""With fewer rows than this per value, the shares of single values are a matter of chance."""
_EXACT_FLOAT: Final = 1 << 53
_LARGEST_PRODUCT: Final = 1 << 61
_LARGEST_SUM: Final = 1 << 62


@dataclass(frozen=True)
class ColumnDistance:
    """The distances of one column; those after Hellinger only for numbers, dates and times."""

    column: str
    kind: str
    """numbers, dates, times or labels."""
    distance: float | None
    """What is judged."""
    total_variation: float
    hellinger: float
    kolmogorov_smirnov: float | None
    wasserstein: float | None
    """Divided by the range of the original, at most 1."""
    wasserstein_raw: float | None
    """In the unit of the column; dates in days, times in seconds."""


def column_distance(
    name: str, tables: tuple[Source, Source], under: LeavesUnder | None, figure: str
) -> tuple[ColumnDistance, Fraction | None, list[str]]:
    """Compare a column of the original and the released table.

    Return all distances, exactly the one that is judged (None where it has none), and warnings.
    """
    values = [table.counts.value_counts(name) for table in tables]
    scale = scale_of(values[0], values[1], decimal_of, () if under is None else under.silent)
    sides = [spread(counts, under, scale) for counts in values]
    warnings = [
        warning
        for side, table in zip(sides, tables, strict=True)
        for warning in side.warnings(name, table.name, scale)
    ]
    distances = ShareDistances.between(*sides, on_a_line=scale is not None)
    gap, moved = distances.kolmogorov_smirnov, distances.wasserstein
    if figure == AUTO:
        figure = "total-variation"
        if distances.numbers is not None:
            different = int(np.count_nonzero(distances.old[: len(distances.numbers)]))
            # Numbers of few values may be codes. Their shares can be compared one by one, and what
            # comes of it is never smaller than the largest gap of the cumulative distributions.
            if different > _FEW_VALUES or values[0].rows < _ROWS_PER_VALUE * different:
                figure = "kolmogorov-smirnov"
    judged = {
        "total-variation": distances.total_variation,
        "hellinger": Fraction(distances.hellinger),
        "kolmogorov-smirnov": gap,
        "wasserstein": None if moved is None else moved[0],
    }[figure]
    raw = None
    if scale is not None and moved is not None:
        raw = as_float(moved[1] / (10**distances.places * scale.unit))
    distance = ColumnDistance(
        name,
        LABELS if scale is None else scale.kind,
        None if judged is None else float(judged),
        float(distances.total_variation),
        distances.hellinger,
        None if gap is None else float(gap),
        None if moved is None else float(moved[0]),
        raw,
    )
    return distance, judged, warnings


@dataclass(frozen=True)
class Spread:
    """How much of a column each label has: whole numbers, whose sum is ``total``."""

    labels: Sequence[str | None]
    weights: IntegerArray
    total: int
    numbers: LabelNumbers
    unknown: int
    """How many labels stand in no level of the hierarchy."""

    @property
    def off_scale(self) -> int:
        """How many labels say something that is not on the scale of the column."""
        others = np.flatnonzero(~self.numbers.is_number).tolist()
        return sum(self.labels[place] not in (None, SUPPRESSED) for place in others)

    def warnings(self, column: str, table: str, scale: Scale | None) -> Iterator[str]:
        """Say which labels no hierarchy knows, or cannot be compared with the numbers or dates."""
        if self.unknown:
            fields = {"column": column, "labels": counted(self.unknown, "label"), "table": table}
            if self.unknown == 1:
                yield phrase(
                    "column {column!r}: {labels} of {table} is in no level of its hierarchy and is "
                    "compared as written",
                    **fields,
                )
            else:
                yield phrase(
                    "column {column!r}: {labels} of {table} are in no level of its hierarchy and "
                    "are compared as written",
                    **fields,
                )
        elif scale is not None and self.off_scale:
            scales = {NUMBERS: phrase("numbers"), DATES: phrase("dates"), TIMES: phrase("times")}
            yield phrase(
                "column {column!r}: {labels} of {table} cannot be compared with the {kind} of the "
                "original; rows with such a label count as moved",
                column=column,
                labels=counted(self.off_scale, "label"),
                table=table,
                kind=scales[scale.kind],
            )


def spread(counts: ValueCounts, under: LeavesUnder | None, scale: Scale | None = None) -> Spread:
    """Share the rows of every generalised label evenly among the leaves under it.

    A label without information, such as ``*`` or the root, stays a separate value: shared among
    all leaves, it would look like knowledge.

    >>> from petaudit.labels.hierarchy import Hierarchy
    >>> under = LeavesUnder(Hierarchy("age", [["1", "low"], ["2", "low"], ["7", "high"]]))
    >>> evenly = spread(ValueCounts(("2", "low"), np.array([1, 3])), under)
    >>> evenly.labels, evenly.weights.tolist(), evenly.total
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
    parts = math.lcm(*{len(leaves) for leaves in groups})
    weights: dict[str | None, int] = {}
    for leaves, count in zip(groups, counts.counts.tolist(), strict=True):
        weight = count * parts // len(leaves)
        for leaf in leaves:
            weights[leaf] = weights.get(leaf, 0) + weight
    labels = list(weights)
    numbers = read_numbers(labels, decimal_of) if scale is None else scale.read(labels)
    exact_weights = np.array(list(weights.values()), dtype=object)
    return Spread(labels, exact_weights, counts.rows * parts, numbers, unknown)


@dataclass(frozen=True)
class ShareDistances:
    """What each value weighs in two columns: first the values that are numbers, ascending.

    ``numbers`` is None for columns of labels, which have no distance along a line.

    >>> both = ShareDistances(np.array([1, 1, 0]), np.array([0, 1, 1]), 2, 2, np.array([1, 2, 4]))
    >>> both.total_variation, both.kolmogorov_smirnov, both.wasserstein
    (Fraction(1, 2), Fraction(1, 2), (Fraction(1, 1), Fraction(3, 2)))
    """

    old: IntegerArray
    new: IntegerArray
    old_total: int
    new_total: int
    numbers: IntegerArray | None
    places: int = 0
    """The decimal places of the unit of the numbers."""

    @classmethod
    def between(cls, before: Spread, after: Spread, *, on_a_line: bool) -> ShareDistances:
        """Compare labels as ``value_key`` does: numbers by their value, all else by its text.

        >>> one = ValueCounts(("5", "6", "a"), np.array([1, 1, 1]))
        >>> other = ValueCounts(("5.0",), np.array([2]))
        >>> both = ShareDistances.between(spread(one, None), spread(other, None), on_a_line=True)
        >>> both.old.tolist(), both.new.tolist(), both.numbers.tolist(), both.places
        ([1, 1, 1], [2, 0, 0], [50, 60], 1)
        """
        sides = (before, after)
        units, places = in_common_units(before.numbers, after.numbers)
        kept = [unit[side.numbers.is_number] for unit, side in zip(units, sides, strict=True)]
        numbers, codes = _distinct(np.concatenate(kept))
        texts: dict[str | None, int] = {}
        values = []
        for side in sides:
            is_number = side.numbers.is_number
            value = np.empty(len(side.labels), dtype=np.int64)
            value[is_number], codes = np.split(codes, [int(np.count_nonzero(is_number))])
            others = (side.labels[place] for place in np.flatnonzero(~is_number).tolist())
            value[~is_number] = [
                texts.setdefault(label, len(numbers) + len(texts)) for label in others
            ]
            values.append(value)
        # Products of both totals, and shares as floats, must be as exact as Python's own.
        largest, product = max(before.total, after.total), before.total * after.total
        kind = np.int64 if largest < _EXACT_FLOAT and product < _LARGEST_PRODUCT else object
        old, new = (np.zeros(len(numbers) + len(texts), dtype=kind) for _ in sides)
        for weights, value, side in zip((old, new), values, sides, strict=True):
            np.add.at(weights, value, side.weights.astype(kind))
        line = numbers if on_a_line else None
        return cls(old, new, before.total, after.total, line, places)

    @cached_property
    def _gained(self) -> IntegerArray:
        """What each value gained: its new share less its old one, times both totals."""
        gained: IntegerArray = self.new * self.old_total - self.old * self.new_total
        return gained

    @cached_property
    def total_variation(self) -> Fraction:
        """Half the sum of the differences between the shares."""
        return Fraction(int(np.abs(self._gained).sum()), 2 * self.old_total * self.new_total)

    @cached_property
    def hellinger(self) -> float:
        """The root of half the sum of the squared differences between the roots of the shares."""
        old, new = (
            np.sqrt((weights / total).astype(np.float64))
            for weights, total in ((self.old, self.old_total), (self.new, self.new_total))
        )
        return min(math.sqrt(math.fsum(((old - new) ** 2).tolist()) / 2), 1.0)

    @cached_property
    def kolmogorov_smirnov(self) -> Fraction | None:
        """The largest difference of the share of rows whose number is at most x, whatever x is.

        Nulls and labels have no place among numbers. So that none is forgotten, rows with some of
        them may come in addition, as it is worst. With labels alone that is total variation.
        """
        if self.numbers is None:
            return None
        count = len(self.numbers)
        ahead, others = np.cumsum(self._gained[:count]), self._gained[count:]
        more = int(ahead.max(initial=0)) + int(others[others > 0].sum())
        less = int(ahead.min(initial=0)) + int(others[others < 0].sum())
        return Fraction(max(more, -less), self.old_total * self.new_total)

    @cached_property
    def wasserstein(self) -> tuple[Fraction, Fraction] | None:
        """How far numbers moved on average, as a part of the range of the original and raw.

        Rows that have a number in one table only moved by the whole range.
        """
        if self.numbers is None:
            return None
        places, count = self.numbers, len(self.numbers)
        old, new = self.old[:count], self.new[:count]
        old_rows, new_rows = int(old.sum()), int(new.sum())
        if not old_rows or not new_rows:
            return Fraction(0 if old_rows == new_rows else 1), Fraction(0)
        ahead = np.abs(np.cumsum(new * old_rows - old * new_rows))
        steps = np.diff(places)
        if ahead.dtype != object and int(ahead.max()) * int(places[-1] - places[0]) < _LARGEST_SUM:
            moved = int(ahead[:-1] @ steps)
        else:
            moved = sum(map(mul, ahead.tolist(), steps.tolist()))
        held = places[old > 0]
        span = int(held[-1] - held[0])
        raw = Fraction(moved, old_rows * new_rows)
        part = min(raw / span, Fraction(1)) if span else Fraction(1 if moved else 0)
        shares = Fraction(old_rows, self.old_total), Fraction(new_rows, self.new_total)
        lost = abs(shares[0] - shares[1])
        return lost + min(shares) * part, raw


def _distinct(numbers: IntegerArray) -> tuple[IntegerArray, Integers]:
    """The different numbers in their order, and the place of each number among them."""
    # Both tables come in order, which a stable sort makes use of.
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    begins = np.ones(len(numbers), dtype=bool)
    begins[1:] = ascending[1:] != ascending[:-1]
    codes = np.empty(len(numbers), dtype=np.int64)
    codes[order] = np.cumsum(begins) - 1
    return ascending[begins], codes
