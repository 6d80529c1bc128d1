"""Suppression: how much of a table says nothing any more."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from petaudit.errors import HierarchyError, counted, phrase, share
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.measures.base import Better, Columns, Need, Result
from petaudit.measures.utility import ColumnsMeasure
from petaudit.tables.result_frames import ResultColumn


class Suppression(ColumnsMeasure):
    """How much of the quasi-identifiers is suppressed?

    The share of quasi-identifier cells that no longer say anything. 0 means that none is
    suppressed; with 0.1, one cell in ten is lost.

    Does not say: It does not see generalised cells, which may say next to nothing, nor rows that
    were deleted. It also does not say who is missing: the suppressed rows may be all patients over
    80.

    Formula: suppressed cells of the quasi-identifiers / all of them

    Reference: P. Samarati: Protecting Respondents' Identities in Microdata Release. IEEE TKDE
    13(6), 2001, doi 10.1109/69.971193

    A cell is suppressed where it is ``*``, or the root of its hierarchy and no leaf as well.

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*", "*", "*"], "zip": ["47", "48", "*"]})
    >>> result = suppression(table, quasi_identifiers=["born", "zip"], limit=0.5)
    >>> result.value, result.passed, result.suppressed_rows
    (0.5, True, 1)
    """

    name = "suppression"
    rank = 220
    better = Better.LOWER
    needs = (Need.QUASI_IDENTIFIERS,)
    limit_help = "the share of suppressed cells may be at most this"

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Count the suppressed cells of each column."""
        names, rows = inputs.quasi_identifiers, inputs.table.rows
        cells = {name: _suppressed_cells(inputs, name) for name in names}
        suppressed_rows = inputs.table.counts.suppressed_rows(names)
        return self.result(
            Fraction(sum(cells.values()), rows * len(names)),
            limit,
            breakdown={
                "columns": {name: number / rows for name, number in cells.items()},
                "suppressed_cells": cells,
                "rows": rows,
                "suppressed_rows": suppressed_rows,
                "suppressed_rows_share": suppressed_rows / rows,
            },
        )

    def explain(self, result: Result) -> Iterator[str]:
        """Name the numbers of rows and cells, and the columns with most of them."""
        cells = sum(result.suppressed_cells.values())
        if not cells:
            yield phrase("no cell of the quasi-identifiers is suppressed")
            return
        total = result.rows * len(result.columns)
        number = counted(cells, "cell", of=total)
        yield phrase("{cells} of {all:,} suppressed", cells=number, all=total)
        if result.suppressed_rows:
            yield phrase(
                "{rows} of {all:,} ({share}) suppressed in every quasi-identifier",
                rows=counted(result.suppressed_rows, "row", of=result.rows),
                all=result.rows,
                share=share(result.suppressed_rows, result.rows),
            )
        yield from super().explain(result)

    def columnwise(self, result: Result) -> Columns:
        """Lay out the share and the number of suppressed cells of each column."""
        cells = ResultColumn("integer", list(result.suppressed_cells.values()))
        return super().columnwise(result) | {"suppressed_cells": cells}


suppression = Suppression.as_function()


def _suppressed_cells(inputs: Inputs, column: str) -> int:
    """Count the cells with the mark, or with the root of the hierarchy where that is not a leaf."""
    counts, marks, hierarchy = inputs.table.counts, [SUPPRESSED], None
    try:
        if column in inputs.hierarchies:
            hierarchy = inputs.hierarchy(column)
    except HierarchyError:
        # A rule knows no root without the values of an original, and none is needed here.
        if inputs.original is not None:
            raise
    if hierarchy is not None and not hierarchy.is_leaf(hierarchy.top):
        marks.append(hierarchy.top)
    elif not counts.is_text(counts.position(column)):
        # Only text can hold the mark.
        return 0
    values = counts.value_counts(column)
    places = {values.index[mark] for mark in marks if mark in values.index}
    return int(values.counts[list(places)].sum())
