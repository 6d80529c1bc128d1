"""Record-level squared error: how close whole rows stayed to their numbers."""

from __future__ import annotations

from fractions import Fraction

from petaudit.errors import phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Result
from petaudit.measures.squared_error import SquaredErrorMeasure, Unknown
from petaudit.measures.utility import ROUNDING
from petaudit.tables.number_columns import row_distances, share_of


class RecordSquaredError(SquaredErrorMeasure):
    """How close are whole rows to the original ones?

    How close whole rows are to their original numbers: 1 means that nothing changed, 0 that every
    row is as far off as it can be. A range counts as its farther end.

    Does not say: Only numeric columns are included. Rows may be close to their originals though
    relations between columns are lost, and a few extreme values make the errors of all others look
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
        columns, left_out = self.number_columns(inputs, unknown)
        original = inputs.aligned_original
        rows = row_distances(original.counts, inputs.table.counts, columns, inputs.key)
        return self.result(
            share_of(Fraction(rows.lost), Fraction(rows.most), moved=rows.moved),
            limit,
            tolerance=ROUNDING,
            breakdown={
                "columns": {name: float(share) for name, share in rows.kept.items()},
                "mean_distance": rows.lost / original.rows,
                "largest_mean_distance": rows.most / original.rows,
                "left_out": left_out,
            },
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Say how far a row lies from its original, the figure per column and what is left out."""
        line = phrase(
            "on average a row is {mean:.4g} standard deviations from its original, of at most "
            "{most:.4g}",
            mean=result.mean_distance,
            most=result.largest_mean_distance,
        )
        return (line, *super().explain(result))


record_squared_error = RecordSquaredError.as_function()
