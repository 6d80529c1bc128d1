"""Writing a table anew with other labels, in row order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.labels.cells import SUPPRESSED, trim
from petaudit.tables._encoding import class_indices, label_codes
from petaudit.tables.results import Integers, different_people
from petaudit.tables.source import Source

LabelsOf: TypeAlias = Mapping[str | None, str | None]
"""The new label of each old one."""


@dataclass(frozen=True)
class Relabelled:
    """The columns of a table with other labels, before small classes are suppressed.

    The size of a class is its rows, or the different people of the person column.
    """

    cells: dict[str, pa.ChunkedArray]
    """The table as it was."""
    codes: dict[str, tuple[Integers, list[str | None]]]
    """The new labels of those columns that have other ones or make classes."""
    changed: Collection[str]
    quasi_identifiers: Sequence[str]
    smallest_class: int
    person: str | None

    def suppressed(self, other: Mapping[str, LabelsOf] | None = None) -> npt.NDArray[np.bool_]:
        """Which rows have the mark in every quasi-identifier, whatever the reason.

        ``other`` columns can have other labels than they have, to see what would be.
        """
        codes = self.codes | {
            name: _relabelled(self.cells[name], labels_of)
            for name, labels_of in (other or {}).items()
        }
        rows = len(next(iter(self.cells.values())))
        suppressed = np.ones(rows, dtype=bool)
        for name in self.quasi_identifiers:
            codes_of_rows, labels = codes[name]
            mark = labels.index(SUPPRESSED) if SUPPRESSED in labels else -1
            suppressed &= codes_of_rows == mark
        if self.smallest_class > 1:
            classes = class_indices([codes[name][0] for name in self.quasi_identifiers], rows)
            sizes = np.bincount(classes, minlength=1)
            if self.person is not None:
                # As in the original: the column may be an identifier, and suppressed by now.
                people, _ = _relabelled(self.cells[self.person], None)
                sizes = different_people(classes, people, len(sizes))
            suppressed |= sizes[classes] < self.smallest_class
        return suppressed

    def table(self, suppressed: npt.NDArray[np.bool_]) -> pa.Table:
        """The table with the mark in every quasi-identifier of the suppressed rows."""
        cells = dict(self.cells)
        for name, (codes_of_rows, labels) in self.codes.items():
            if name in self.changed or self.smallest_class > 1:
                is_hidden = name in self.quasi_identifiers
                hidden = suppressed if is_hidden else np.zeros_like(suppressed)
                with_mark = pa.array([*labels, SUPPRESSED], type=pa.string())
                cells[name] = with_mark.take(pa.array(np.where(hidden, len(labels), codes_of_rows)))
        return pa.table(cells)


def relabelled_table(
    source: Source,
    labels_of: Mapping[str, LabelsOf],
    quasi_identifiers: Sequence[str],
    smallest_class: int,
    person: str | None = None,
) -> Relabelled:
    """Replace labels column by column; the rows of classes below a size can be suppressed then."""
    cells = dict(zip(source.columns, source.counts.columns_values(source.columns), strict=True))
    codes = {
        name: _relabelled(cells[name], labels_of.get(name))
        for name in source.columns
        if name in labels_of or name in quasi_identifiers
    }
    return Relabelled(cells, codes, labels_of.keys(), quasi_identifiers, smallest_class, person)


def in_kind_of(
    frame: object, table: pa.Table, changed: Collection[str], kept: npt.NDArray[np.bool_]
) -> Any:
    """Return a relabelled table as a frame of the kind that it was made from.

    Frames in memory and lazy frames of Polars keep their kind, pandas also its index and the types
    of columns that are not ``changed``; a relation of DuckDB becomes one of the same connection.
    Anything else, such as a file, becomes a PyArrow table.
    """
    given = nw.from_native(frame, pass_through=True)
    if isinstance(frame, duckdb.DuckDBPyRelation):
        # Found by its name here, and held by the relation.
        petaudit_relabelled = table  # noqa: F841
        return frame.query("petaudit_given", "FROM petaudit_relabelled")
    if isinstance(given, nw.LazyFrame) and given.implementation.is_polars():
        return nw.from_arrow(table, backend="polars").lazy().to_native()
    if not isinstance(given, nw.DataFrame) or given.implementation.is_pyarrow():
        return table
    # Names were trimmed (those of pandas may be numbers), and some columns are left out.
    names_as_given = {trim(str(name)): name for name in given.columns}
    left_out = [
        given_name for name, given_name in names_as_given.items() if name not in table.column_names
    ]
    names = [name for name in table.column_names if name in changed]
    columns = nw.from_arrow(table.select(names), backend=given.implementation)
    relabelled = (
        given.drop(left_out)
        .filter(kept.tolist())
        .with_columns(*(columns[name].alias(names_as_given[name]) for name in names))
    )
    native = relabelled.to_native()
    if given.implementation.is_pandas() and not kept.all():
        # Categories that only rows which are gone had would tell of them.
        for name in native.select_dtypes("category"):
            native[name] = native[name].cat.remove_unused_categories()
    return native


def _relabelled(
    cells: pa.ChunkedArray, labels_of: LabelsOf | None
) -> tuple[Integers, list[str | None]]:
    """Codes of the new labels: two values that share a label share a code."""
    codes, old = label_codes(cells)
    new = old if labels_of is None else [labels_of[label] for label in old]
    labels = list(dict.fromkeys(new))
    position = {label: index for index, label in enumerate(labels)}
    recode = np.array([position[label] for label in new], dtype=np.int64)
    return recode[codes], labels
