"""Attribute-level squared error: how close the cells of each column stayed to their numbers."""

from __future__ import annotations

from fractions import Fraction

from petaudit.inputs import Inputs
from petaudit.measures.base import Result
from petaudit.measures.squared_error import SquaredErrorMeasure, Unknown


class AttributeSquaredError(SquaredErrorMeasure):
    """How close are the numbers of each column to the original ones?

    How close the numbers of the columns are to the original ones. With 1, every number is
    unchanged; with 0, every cell is as wrong as it can be.

    Does not say: It is a bound and not the error of a careful analyst: every range is taken at its
    worse end. One extreme value makes the errors of all others look small, and columns that hold
    more than numbers are not in it.

    Formula: mean over numeric columns of 1 - sum of squared distances to the farther end of the
    label's range / sum of the largest possible squared distances

    Reference: J. Domingo-Ferrer, J. M. Mateo-Sanz: Practical Data-Oriented Microaggregation for
    Statistical Disclosure Control. IEEE TKDE 14(1), 2002, doi 10.1109/69.979982; distances as in
    ARX

    A released label is taken at its worst: at the end of its range that is farther away. A number
    that the hierarchy has above its leaves is such a label, unless every row that has it had it
    before.

    >>> import pyarrow as pa
    >>> original = pa.table({"age": [20, 24, 40]})
    >>> released = pa.table({"age": ["[20,30[", "[20,30[", "40"]})
    >>> result = attribute_squared_error(original, released, quasi_identifiers="age")
    >>> result.value  # 1 - (10^2 + 6^2 + 0) / (20^2 + 16^2 + 20^2)
    0.8712121212121212
    >>> ages = {"age": {"20": "50", "24": "50", "50": "50"}}
    >>> original, released = pa.table({"age": [20, 24]}), pa.table({"age": [50, 50]})
    >>> attribute_squared_error(original, released, quasi_identifiers="age", hierarchies=ages).value
    0.0
    """

    name = "attribute-squared-error"
    title = "Attribute-level squared error"
    rank = 290
    limit_help = "the attribute-level squared error must score at least this (1: no error)"

    def compute(
        self, inputs: Inputs, limit: Fraction | None, *, unknown: Unknown = "error"
    ) -> Result:
        """Compare the squared distances of each column with the largest possible ones."""
        columns, left_out = self.number_columns(inputs, unknown)
        kept: dict[str, Fraction] = {}
        for name, column in columns.items():
            pairs = inputs.pair_codes(name)
            distances = column.distances(pairs.original, pairs.released)
            kept[name] = distances.share_kept(pairs.counts, squared=True)
        return self.result(
            sum(kept.values(), Fraction(0)) / len(kept),
            limit,
            breakdown={
                "columns": {name: float(share) for name, share in kept.items()},
                "left_out": left_out,
            },
        )


attribute_squared_error = AttributeSquaredError.as_function()
