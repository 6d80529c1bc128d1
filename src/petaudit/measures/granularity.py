"""Granularity: how small a part of its domain a generalised cell still stands for."""

from __future__ import annotations

from fractions import Fraction

from petaudit.exact.fractions import share_kept
from petaudit.inputs import Inputs
from petaudit.measures.base import Need, Result
from petaudit.measures.utility import (
    ColumnsMeasure,
    UnknownLabels,
    leaves_of_columns,
    suppressed_text,
)
from petaudit.pictures.column_shares import column_shares_of


class Granularity(ColumnsMeasure):
    """How small a part of its domain does a cell still stand for?

    How small a part of all possible values a cell still stands for. With 1, every cell is an
    original value; with 0, every cell may be anything.

    Does not say: It depends on the hierarchies: many values in them that never occur in the data
    make coarse labels look precise. Compare only tables with the same hierarchies.

    Formula: 1 - (r - m) / (1 - m), r = mean over columns of the mean share of the domain under the
    label (1 where suppressed), m = mean over columns of 1 / domain size

    Reference: V. S. Iyengar: Transforming Data to Satisfy Privacy Constraints. ACM KDD 2002, doi
    10.1145/775047.775089; normalised as in ARX

    >>> import pyarrow as pa
    >>> places = {"Germany": ["Europe", "*"], "France": ["Europe", "*"], "Peru": ["America", "*"]}
    >>> table = pa.table({"place": ["Europe", "Peru"]})
    >>> granularity(table, hierarchies={"place": places}).value  # 1 - (1/2 - 1/3) / (1 - 1/3)
    0.75
    """

    name = "granularity"
    rank = 240
    needs = (Need.HIERARCHIES,)
    limit_help = "granularity must be at least this"
    pictures = staticmethod(column_shares_of)

    def compute(
        self, inputs: Inputs, limit: Fraction | None, *, unknown: UnknownLabels = "error"
    ) -> Result:
        """Measure granularity; a suppressed cell stands for its whole domain anyway."""
        columns = leaves_of_columns(inputs, unknown)
        shares = [
            Fraction(column.total, column.rows * column.domain) for column in columns.values()
        ]
        least = [Fraction(1, column.domain) for column in columns.values()]
        return self.result(
            share_kept(sum(shares, Fraction(0)), sum(least, Fraction(0)), len(columns)),
            limit,
            warnings=[message for column in columns.values() for message in column.warnings],
            breakdown={
                "columns": {name: float(column.kept) for name, column in columns.items()},
                "suppressed_rows": inputs.table.counts.suppressed_rows(tuple(columns)),
            },
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Name the columns, and the suppressed rows."""
        return (*super().explain(result), *suppressed_text(result.suppressed_rows))


granularity = Granularity.as_function()
