"""Record-level squared error: how close whole rows stayed to their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.class_figures import Floats, Integers
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.labels.numbers import Whole
from petaudit.measures._number_columns import (
    NumberColumn,
    exact_sum,
    left_out_text,
    number_columns,
    share_kept_of,
)
from petaudit.measures._old import OldMeasure
from petaudit.measures._utility import (
    COLUMN_TABLES,
    ROUNDING,
    ColumnsResult,
    check_unknown,
    unknown_option,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import Better, Family, Need, announce
from petaudit.tables.pairs import aligned_columns
from petaudit.tables.sums import sums_of_distances


@dataclass(frozen=True)
class RecordSquaredErrorResult(ColumnsResult):
    """Closeness of the rows; each column is also judged alone."""

    measure: ClassVar[str] = "record-squared-error"
    better: ClassVar[Better] = Better.HIGHER

    mean_distance: float
    """How far a row lies from its original, in standard deviations."""
    largest_mean_distance: float
    left_out: tuple[str, ...]
    """Quasi-identifiers that hold more than numbers."""

    @property
    def explanation(self) -> tuple[str, ...]:
        """The distance, the figure per column, and what is not in it."""
        line = phrase(
            "on average a row lies {mean:.4g} standard deviations from its original, where "
            "{most:.4g} is the most",
            mean=self.mean_distance,
            most=self.largest_mean_distance,
        )
        return (line, *super().explanation, *left_out_text(self.left_out))


@dataclass(frozen=True)
class _ColumnDistances:
    """Distances of the pairs of values of one column, and the variance of its original numbers."""

    capped: Whole
    largest: Whole
    variance: Fraction
    moved: bool
    value: Fraction


def record_squared_error(
    original: object,
    table: object,
    *,
    limit: Number | None = None,
    unknown: str = "error",
    **given: Any,
) -> RecordSquaredErrorResult:
    """Measure how close rows stayed to their originals, by Euclidean distances.

    Columns are standardised first. A released label is taken at its worst: at the end of its range
    that is farther away; a number above the leaves of a hierarchy is such a label, too. A figure
    within 1e-12 of its limit keeps it, because distances are roots. Where an engine elsewhere adds
    up the rows, the order in which it does may change the last digits of the sum, from about the
    thirteenth on.

    >>> import pyarrow as pa
    >>> original = pa.table({"age": [20, 24, 40]})
    >>> released = pa.table({"age": ["[20,30[", "[20,30[", "40"]})
    >>> found = record_squared_error(original, released, quasi_identifiers="age")
    >>> round(found.value, 4)  # 1 - (10 + 6 + 0) / (20 + 16 + 20)
    0.7143
    """
    inputs = gather(table, original=original, **given)
    result = compute(inputs, limit=limit, unknown=unknown)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, unknown: str = "error"
) -> RecordSquaredErrorResult:
    """Measure the record-level squared error from opened inputs."""
    bound = utility_limit(limit, "record-squared-error")
    check_unknown(unknown)
    numeric, left_out = number_columns(inputs)
    original = inputs.aligned_original
    columns = {
        name: NumberColumn(inputs, name, numbers, unknown=unknown)
        for name, numbers in numeric.items()
    }
    is_local = not (original.counts.is_remote or inputs.table.counts.is_remote)
    found, lost, most = (_by_rows if is_local else _in_engine)(inputs, columns)
    moved = any(own.moved for own in found)
    return RecordSquaredErrorResult.of(
        share_kept_of(Fraction(lost), Fraction(most), moved=moved),
        bound,
        warn_if_limit_is_out_of_range(bound, "record-squared-error"),
        rounding=ROUNDING,
        columns={name: float(own.value) for name, own in zip(columns, found, strict=True)},
        mean_distance=lost / original.rows,
        largest_mean_distance=most / original.rows,
        left_out=left_out,
    )


def _by_rows(
    inputs: Inputs, columns: Mapping[str, NumberColumn]
) -> tuple[list[_ColumnDistances], float, float]:
    """The distances of the columns, and the sums of those of the rows and of the largest."""
    tables = (inputs.aligned_original.counts, inputs.table.counts)
    aligned = aligned_columns(*tables, tuple(columns), inputs.key)
    found = [
        _distances(column, own.original, own.released, own.counts)
        for column, own in zip(columns.values(), aligned, strict=True)
    ]
    squared = [
        [_quotients(own, by.variance)[pairs.rows] for own in (by.capped, by.largest)]
        for by, pairs in zip(found, aligned, strict=True)
    ]
    # An exactly rounded sum does not depend on the order of the rows.
    lost, most = (math.fsum(np.sqrt(sum(own)).tolist()) for own in zip(*squared, strict=True))
    return found, lost, most


def _in_engine(
    inputs: Inputs, columns: Mapping[str, NumberColumn]
) -> tuple[list[_ColumnDistances], float, float]:
    """The same where rows cannot be fetched: pairs of values are, and the engine adds up rows."""
    found, numbers = [], []
    for name, column in columns.items():
        pairs = inputs.pair_codes(name)
        own = _distances(column, pairs.original, pairs.released, pairs.counts)
        found.append(own)
        if own.variance:
            numbers.append(column.in_engine(name, own.variance))
    tables = (inputs.aligned_original.counts, inputs.table.counts)
    lost, most = sums_of_distances(*tables, numbers, str(inputs.key)) if numbers else (0.0, 0.0)
    return found, lost, most


def _distances(
    column: NumberColumn, old: Integers, new: Integers, counts: Integers
) -> _ColumnDistances:
    distances, largest = column.distances(old, new)
    capped = np.minimum(distances, largest)
    moved = bool(distances.any())
    value = share_kept_of(exact_sum(counts, capped), exact_sum(counts, largest), moved=moved)
    counts = np.where(column.is_null[old], 0, counts)
    numbers = column.numbers[old]
    rows, total = exact_sum(counts), exact_sum(counts, numbers)
    variance = Fraction(rows * exact_sum(counts, numbers, numbers) - total * total, rows * rows)
    return _ColumnDistances(capped, largest, variance, moved, value)


def _quotients(distances: Whole, variance: Fraction) -> Floats:
    """Squared distances in units of the variance, each rounded once."""
    if not variance:
        return np.zeros(len(distances))
    times, divisor = variance.denominator, variance.numerator
    own = [distance * distance * times / divisor for distance in distances.tolist()]
    return np.array(own, dtype=np.float64)


MEASURE = OldMeasure(
    name="record-squared-error",
    title="Record-level squared error",
    family=Family.UTILITY,
    question="How close did whole rows stay to what they were?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.ORIGINAL),
    formula=(
        "1 - mean distance of a row / mean largest possible distance, distance = square root of "
        "the sum over numeric columns of ((x - farther end of the label's range) / sd)^2"
    ),
    reference=(
        'D. Sánchez, S. Martínez, J. Domingo-Ferrer: Comment on "Unique in the shopping mall". '
        "Science 351(6279), 2016, doi 10.1126/science.aad9295; as in ARX"
    ),
    meaning=(
        "How close whole rows stayed to their original numbers: 1 means that nothing changed, 0 "
        "that every row is as far off as it can be. A range counts as its farther end."
    ),
    does_not_say=(
        "Only columns of numbers are in it. Rows may be near to their originals though "
        "relations between columns are gone, and a few enormous values make the errors of all "
        "others look small."
    ),
    compute=compute,
    limit_help="the record-level squared error must score at least this (1: no error)",
    options=(
        unknown_option("labels that are no range of numbers: error, or maximal (any number)"),
    ),
    granularities=COLUMN_TABLES,
)
