"""Some rows of a table, as a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables.source import Source, open_source


def first_rows(source: Source, many: int) -> Source:
    """The first rows of a table; their engine reads no more than these.

    >>> first_rows(open_source(pa.table({"a": [3, 1, 2]})), 2).rows
    2
    """
    source.counts.require_local()
    table = source.counts.collected(source.counts.frame.head(many))
    return _like(source, table.rename_columns(list(source.columns)))


class RowPicker:
    """Takes rows out of a table, which is fetched from its engine once.

    >>> picker = RowPicker(open_source(pa.table({"a": [3, 1, 2]})))
    >>> picker.at(np.array([0, 2])).to_arrow()["a"].to_pylist()
    [3, 2]
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._table = source.to_arrow()

    def at(self, places: npt.NDArray[np.int64]) -> Source:
        """The rows at these places, in this order."""
        return _like(self.source, self._table.take(pa.array(places)))


def _like(source: Source, table: pa.Table) -> Source:
    """A table that comes from the same files."""
    made = open_source(table, called=source.name)
    return replace(made, paths=source.paths, is_untyped=source.is_untyped, notes=source.notes)
