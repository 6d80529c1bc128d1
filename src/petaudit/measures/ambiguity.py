"""Ambiguity: how many original rows a released row may stand for."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.fractions import as_float, share_kept
from petaudit.inputs import Inputs
from petaudit.measures.base import Need, Result
from petaudit.measures.utility import ColumnsMeasure, UnknownLabels, leaves_of_columns
from petaudit.pictures.column_shares import column_shares_of
from petaudit.tables.sums import sum_of_products


class Ambiguity(ColumnsMeasure):
    """How few original rows can a released row stand for?

    How few combinations of original values a released row may stand for. With 1, every row stands
    for exactly one; with 0, every row may be anything.

    Does not say: A figure close to 1 does not mean that the table is useful: the more columns there
    are, the closer to 1 it is, however coarse the rows. Compare only tables with the same columns
    and hierarchies.

    Formula: 1 - (sum over rows of the product over columns of the leaves under the label - n) / (n
    * product of the domain sizes - n)

    Reference: J. Goldberger, T. Tassa: Efficient Anonymizations with Enhanced Utility. IEEE ICDM
    Workshops 2009, doi 10.1109/ICDMW.2009.15; normalised as in ARX

    >>> import pyarrow as pa
    >>> places = {"Germany": ["Europe", "*"], "France": ["Europe", "*"], "Peru": ["America", "*"]}
    >>> table = pa.table({"place": ["Europe", "Peru"], "sex": ["F", "*"]})
    >>> result = ambiguity(table, hierarchies={"place": places, "sex": {"F": "*", "M": "*"}})
    >>> result.value, result.mean_combinations  # 2 * 1 and 1 * 2 of 3 * 2 combinations
    (0.8, 2.0)
    """

    name = "ambiguity"
    rank = 260
    needs = (Need.HIERARCHIES,)
    limit_help = "ambiguity must be at least this (1: nothing is ambiguous)"
    pictures = staticmethod(column_shares_of)

    def compute(
        self, inputs: Inputs, limit: Fraction | None, *, unknown: UnknownLabels = "error"
    ) -> Result:
        """Multiply the leaves of the columns, row by row."""
        rows = inputs.table.rows
        columns = leaves_of_columns(inputs, unknown)
        leaves = {name: np.array(column.numbers, np.int64) for name, column in columns.items()}
        total = sum_of_products(inputs.table.counts, leaves)
        possible = prod(column.domain for column in columns.values())
        return self.result(
            share_kept(total, rows, rows * possible),
            limit,
            warnings=[message for column in columns.values() for message in column.warnings],
            breakdown={
                "columns": {name: float(column.kept) for name, column in columns.items()},
                "mean_combinations": as_float(Fraction(total, rows)),
                "possible_combinations": as_float(Fraction(possible)),
            },
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Say what a row may stand for, and the figure of each column."""
        line = phrase(
            "on average a row may stand for {mean} of {possible} combinations of values",
            mean=_shown(result.mean_combinations),
            possible=_shown(result.possible_combinations),
        )
        return (line, *super().explain(result))


ambiguity = Ambiguity.as_function()


def _shown(combinations: float) -> str:
    """Write a number, which may be large, without an exponent where people can read it.

    >>> _shown(1.5), _shown(6193850.4), _shown(1e30)
    ('1.5', '6,193,850', '1e+30')
    """
    return f"{combinations:,.0f}" if 1e4 <= combinations < 1e15 else f"{combinations:.6g}"
