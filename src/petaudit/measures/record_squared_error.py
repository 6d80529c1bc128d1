"""Record-level squared error: how close whole rows stayed to their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.class_figures import Floats, Integers
from petaudit.inputs import Inputs
from petaudit.labels.numbers import Whole
from petaudit.measures.base import Result
from petaudit.measures.squared_error import SquaredErrorMeasure, Unknown
from petaudit.measures.utility import ROUNDING
from petaudit.tables.number_columns import CellDistances, NumberColumn, share_of
from petaudit.tables.pairs import aligned_columns
from petaudit.tables.sums import sums_of_distances


class RecordSquaredError(SquaredErrorMeasure):
    """How close did whole rows stay to what they were?

    How close whole rows stayed to their original numbers: 1 means that nothing changed, 0 that
    every row is as far off as it can be. A range counts as its farther end.

    Does not say: Only columns of numbers are in it. Rows may be near to their originals though
    relations between columns are gone, and a few enormous values make the errors of all others look
    small.

    Formula: 1 - mean distance of a row / mean largest possible distance, distance = square root of
    the sum over numeric columns of ((x - farther end of the label's range) / sd)^2

    Reference: D. Sánchez, S. Martínez, J. Domingo-Ferrer: Comment on "Unique in the shopping mall".
    Science 351(6279), 2016, doi 10.1126/science.aad9295; as in ARX

    Columns are standardised first. A released label is taken at its worst: at the end of its range
    that is farther away; a number above the leaves of a hierarchy is such a label, too. A figure
    within 1e-12 of its limit keeps it, because distances are roots. Where an engine elsewhere adds
    up the rows, the order in which it does may change the last digits of the sum, from about the
    thirteenth on.

    >>> import pyarrow as pa
    >>> original = pa.table({"age": [20, 24, 40]})
    >>> released = pa.table({"age": ["[20,30[", "[20,30[", "40"]})
    >>> result = record_squared_error(original, released, quasi_identifiers="age")
    >>> round(result.value, 4)  # 1 - (10 + 6 + 0) / (20 + 16 + 20)
    0.7143
    """

    name = "record-squared-error"
    title = "Record-level squared error"
    rank = 300
    limit_help = "the record-level squared error must score at least this (1: no error)"

    def compute(
        self, inputs: Inputs, limit: Fraction | None, *, unknown: Unknown = "error"
    ) -> Result:
        """Add up the distances of all rows, and the largest that are possible."""
        numeric, left_out = self.number_columns(inputs, unknown)
        original = inputs.aligned_original
        is_local = not (original.counts.is_remote or inputs.table.counts.is_remote)
        columns, lost, most = (_by_rows if is_local else _in_engine)(inputs, numeric)
        moved = any(column.cells.moved for column in columns)
        return self.result(
            share_of(Fraction(lost), Fraction(most), moved=moved),
            limit,
            tolerance=ROUNDING,
            breakdown={
                "columns": {
                    name: float(column.kept) for name, column in zip(numeric, columns, strict=True)
                },
                "mean_distance": lost / original.rows,
                "largest_mean_distance": most / original.rows,
                "left_out": left_out,
            },
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Say how far a row lies from its original, the figure per column and what is left out."""
        line = phrase(
            "on average a row lies {mean:.4g} standard deviations from its original, where "
            "{most:.4g} is the most",
            mean=result.mean_distance,
            most=result.largest_mean_distance,
        )
        return (line, *super().explain(result))


record_squared_error = RecordSquaredError.as_function()


@dataclass(frozen=True)
class _Column:
    """Distances of the pairs of values of one column, and the variance of its original numbers."""

    cells: CellDistances
    variance: Fraction
    kept: Fraction

    @classmethod
    def of(cls, column: NumberColumn, old: Integers, new: Integers, counts: Integers) -> _Column:
        cells = column.distances(old, new)
        return cls(cells, column.variance(old, counts), cells.share_kept(counts))


def _by_rows(
    inputs: Inputs, columns: Mapping[str, NumberColumn]
) -> tuple[list[_Column], float, float]:
    """The distances of the columns, and the sums of those of the rows and of the largest."""
    tables = (inputs.aligned_original.counts, inputs.table.counts)
    aligned = aligned_columns(*tables, tuple(columns), inputs.key)
    measured = [
        _Column.of(column, pairs.original, pairs.released, pairs.counts)
        for column, pairs in zip(columns.values(), aligned, strict=True)
    ]
    squared = [
        [
            _in_variances(distances, column.variance)[pairs.rows]
            for distances in (column.cells.distances, column.cells.largest)
        ]
        for column, pairs in zip(measured, aligned, strict=True)
    ]
    # An exactly rounded sum does not depend on the order of the rows.
    lost, most = (math.fsum(np.sqrt(sum(terms)).tolist()) for terms in zip(*squared, strict=True))
    return measured, lost, most


def _in_engine(
    inputs: Inputs, columns: Mapping[str, NumberColumn]
) -> tuple[list[_Column], float, float]:
    """The same where rows cannot be fetched: pairs of values are, and the engine adds up rows."""
    measured, numbers = [], []
    for name, column in columns.items():
        pairs = inputs.pair_codes(name)
        measured.append(_Column.of(column, pairs.original, pairs.released, pairs.counts))
        if measured[-1].variance:
            numbers.append(column.in_engine(name, measured[-1].variance))
    tables = (inputs.aligned_original.counts, inputs.table.counts)
    lost, most = sums_of_distances(*tables, numbers, str(inputs.key)) if numbers else (0.0, 0.0)
    return measured, lost, most


def _in_variances(distances: Whole, variance: Fraction) -> Floats:
    """Squared distances in units of the variance, each rounded once."""
    if not variance:
        return np.zeros(len(distances))
    times, divisor = variance.denominator, variance.numerator
    shares = [distance * distance * times / divisor for distance in distances.tolist()]
    return np.array(shares, dtype=np.float64)
