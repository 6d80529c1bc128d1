"""Suppression: how much of a table says nothing any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.errors import HierarchyError, counted, phrase, share
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.inputs import Inputs, gather
from petaudit.labels.cells import SUPPRESSED
from petaudit.measures._old import OldMeasure
from petaudit.measures._tables import COLUMNWISE
from petaudit.measures._utility import COLUMN_TABLES, ColumnsResult
from petaudit.measures.base import Better, Family, Need, announce
from petaudit.tables.result_frames import ResultColumn


@dataclass(frozen=True)
class SuppressionResult(ColumnsResult):
    """The suppressed cells of the quasi-identifiers, in all and per column."""

    measure: ClassVar[str] = "suppression"
    better: ClassVar[Better] = Better.LOWER

    suppressed_cells: Mapping[str, int]
    rows: int
    suppressed_rows: int
    suppressed_rows_share: float

    @property
    def explanation(self) -> tuple[str, ...]:
        """Rows and cells in numbers, and the columns with most of them."""
        cells = sum(self.suppressed_cells.values())
        if not cells:
            return (phrase("no cell of the quasi-identifiers is suppressed"),)
        total = self.rows * len(self.columns)
        lines = [
            phrase(
                "{cells} of {all:,} suppressed", cells=counted(cells, "cell", of=total), all=total
            )
        ]
        if self.suppressed_rows:
            lines.append(
                phrase(
                    "{rows} of {all:,} ({share}) suppressed in every quasi-identifier",
                    rows=counted(self.suppressed_rows, "row", of=self.rows),
                    all=self.rows,
                    share=share(self.suppressed_rows, self.rows),
                )
            )
        return (*lines, *super().explanation)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``columnwise`` has the share and the number of suppressed cells of each column."""
        found = super().table(granularity)
        if granularity == COLUMNWISE:
            cells = list(self.suppressed_cells.values())
            return found | {"suppressed_cells": ResultColumn("integer", cells)}
        return found


def suppression(table: object, *, limit: Number | None = None, **given: Any) -> SuppressionResult:
    """Measure the share of suppressed cells among the quasi-identifiers.

    A cell is suppressed where it is ``*``, or the root of its hierarchy and no leaf as well.

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*", "*", "*"], "zip": ["47", "48", "*"]})
    >>> found = suppression(table, quasi_identifiers=["born", "zip"], limit=0.5)
    >>> found.value, found.passed, found.suppressed_rows
    (0.5, True, 1)
    """
    result = compute(gather(table, **given), limit=limit)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None) -> SuppressionResult:
    """Measure suppression from opened inputs."""
    name = phrase("the limit of {measure}", measure=SuppressionResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    names, rows = inputs.quasi_identifiers, inputs.table.rows
    cells: dict[str, int] = {}
    counts = inputs.table.counts
    for column in names:
        root = _root(inputs, column)
        if root is None and not counts.is_text(counts.position(column)):
            # Only text can hold the mark.
            cells[column] = 0
            continue
        values = counts.value_counts(column)
        marks = {SUPPRESSED, root}
        places = [values.index[mark] for mark in marks if mark is not None and mark in values.index]
        cells[column] = int(values.counts[places].sum())
    suppressed_rows = counts.suppressed_rows(names)
    return SuppressionResult.of(
        Fraction(sum(cells.values()), rows * len(names)),
        bound,
        (),
        columns={column: own / rows for column, own in cells.items()},
        suppressed_cells=cells,
        rows=rows,
        suppressed_rows=suppressed_rows,
        suppressed_rows_share=suppressed_rows / rows,
    )


def _root(inputs: Inputs, column: str) -> str | None:
    """The label that stands for everything, unless it is also a value of its own."""
    if column not in inputs.hierarchies:
        return None
    try:
        hierarchy = inputs.hierarchy(column)
    except HierarchyError:
        if inputs.original is None:
            # A rule knows no root without the values of an original, and none is needed here.
            return None
        raise
    return None if hierarchy.is_leaf(hierarchy.top) else hierarchy.top


MEASURE = OldMeasure(
    name="suppression",
    title="Suppression",
    family=Family.UTILITY,
    question="How much of the quasi-identifiers is suppressed?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula="suppressed cells of the quasi-identifiers / all of them",
    reference=(
        "P. Samarati: Protecting Respondents' Identities in Microdata Release. IEEE TKDE 13(6), "
        "2001, doi 10.1109/69.971193"
    ),
    meaning=(
        "The share of the cells of the quasi-identifiers that say nothing any more. 0 means "
        "that none is suppressed; with 0.1, one cell in ten is lost."
    ),
    does_not_say=(
        "It does not see generalised cells, which may say next to nothing, nor rows that were "
        "deleted. It also does not say who is missing: the suppressed rows may be all patients "
        "over 80."
    ),
    compute=compute,
    limit_help="the share of suppressed cells may be at most this",
    granularities=COLUMN_TABLES,
)
