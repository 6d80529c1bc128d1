"""Writing a table anew with other labels, in row order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import class_indices, label_codes
from petaudit.tables.results import Integers
from petaudit.tables.source import Source


def relabelled_table(
    source: Source,
    labels_of: Mapping[str, Mapping[str | None, str | None]],
    quasi_identifiers: Sequence[str],
    smallest_class: int,
    person: str | None = None,
) -> tuple[pa.Table, npt.NDArray[np.bool_]]:
    """Replace labels column by column, then suppress the rows of classes below a size.

    The size of a class is its rows, or the different people of the person column. Also which rows
    have the mark in every quasi-identifier now, whatever the reason.
    """
    cells = dict(zip(source.columns, source.counts.columns_values(source.columns), strict=True))
    codes = {
        name: _relabelled(cells[name], labels_of.get(name))
        for name in source.columns
        if name in labels_of or name in quasi_identifiers
    }
    suppressed = np.ones(source.rows, dtype=bool)
    for name in quasi_identifiers:
        codes_of_rows, labels = codes[name]
        suppressed &= codes_of_rows == (labels.index(SUPPRESSED) if SUPPRESSED in labels else -1)
    if smallest_class > 1:
        classes = class_indices([codes[name][0] for name in quasi_identifiers], source.rows)
        members = classes
        if person is not None:
            # As in the original: the column may be an identifier, and suppressed by now.
            people, _ = _relabelled(cells[person], None)
            width = int(people.max(initial=0)) + 1
            members = np.unique(classes * width + people) // width
        suppressed |= np.bincount(members, minlength=1)[classes] < smallest_class
    for name, (codes_of_rows, labels) in codes.items():
        if name in labels_of or smallest_class > 1:
            hidden = suppressed if name in quasi_identifiers else np.zeros_like(suppressed)
            with_mark = pa.array([*labels, SUPPRESSED], type=pa.string())
            cells[name] = with_mark.take(pa.array(np.where(hidden, len(labels), codes_of_rows)))
    return pa.table(cells), suppressed


def in_kind_of(
    frame: object, table: pa.Table, changed: Collection[str], kept: npt.NDArray[np.bool_]
) -> Any:
    """Return a relabelled table as a frame of the kind that it was made from.

    Frames in memory and lazy frames of Polars keep their kind, pandas also its index and the types
    of columns that are not ``changed``. Anything else, such as a file, becomes a PyArrow table.
    """
    given = nw.from_native(frame, pass_through=True)
    if isinstance(given, nw.LazyFrame) and given.implementation.is_polars():
        return nw.from_arrow(table, backend="polars").lazy().to_native()
    if not isinstance(given, nw.DataFrame) or given.implementation.is_pyarrow():
        return table
    # Names were trimmed; the order of the columns is the same.
    names_as_given = dict(zip(table.column_names, given.columns, strict=True))
    names = [name for name in table.column_names if name in changed]
    columns = nw.from_arrow(table.select(names), backend=given.implementation)
    relabelled = given.filter(kept.tolist()).with_columns(
        *(columns[name].alias(names_as_given[name]) for name in names)
    )
    return relabelled.to_native()


def _relabelled(
    cells: pa.ChunkedArray, labels_of: Mapping[str | None, str | None] | None
) -> tuple[Integers, list[str | None]]:
    """Codes of the new labels: two values that share a label share a code."""
    codes, old = label_codes(cells)
    new = old if labels_of is None else [labels_of[label] for label in old]
    labels = list(dict.fromkeys(new))
    position = {label: index for index, label in enumerate(labels)}
    recode = np.array([position[label] for label in new], dtype=np.int64)
    return recode[codes], labels
