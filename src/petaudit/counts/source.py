"""Opening a table: a path or a frame in, something that can be counted out."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.counts._files import find_files, open_files
from petaudit.counts._frames import A_TABLE, normalized, wrap_frame
from petaudit.counts.table_counts import THE_FRAME, TableCounts
from petaudit.errors import ColumnError, InputError, phrase
from petaudit.files import sha256_of
from petaudit.labels import trim


@dataclass(frozen=True)
class Source:
    """An opened table."""

    name: str
    columns: tuple[str, ...]
    counts: TableCounts
    paths: tuple[Path, ...]
    is_untyped: bool = False
    """Whether every column is text because the file has no types."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.counts.rows

    def to_arrow(self) -> pa.Table:
        """The whole table, in row order."""
        # One query: rows without an order of their own must stay together.
        cells = self.counts.columns_values(self.columns)
        return pa.Table.from_arrays(cells, names=list(self.columns))

    def fingerprint(self) -> dict[str, Any]:
        """What identifies the input without showing a value of it."""
        found: dict[str, Any] = {
            "name": self.name,
            "rows": self.rows,
            "columns": list(self.columns),
            "engine": self.counts.engine,
        }
        if self.paths:
            found["sha256"] = sha256_of(self.paths)
        return found


def open_source(
    table: object,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    called: str = THE_FRAME,
) -> Source:
    """Open a path, a list of Parquet paths, or a frame of any supported engine.

    A frame has no name of its own; messages call it as the caller says. An opened table stays so.
    """
    if isinstance(table, Source):
        return table
    if _is_path(table):
        paths = find_files(table)  # type: ignore[arg-type]
        opened = open_files(paths, delimiter, encoding)
        columns = _column_names(opened.columns, str(paths[0]))
        lazy: nw.LazyFrame[Any] = nw.from_native(opened.relation())
        untrimmed = None
        if opened.is_view:
            untrimmed = normalized(lazy, trim=False)
            lazy = normalized(lazy)
        name = str(fspath(table)) if isinstance(table, str | PathLike) else str(paths[0])
        counts = TableCounts(lazy, columns, name, load=opened.load, untrimmed=untrimmed)
        # At exit the whole database goes, so there is nothing to drop then.
        weakref.finalize(counts, opened.close).atexit = False
        return Source(name, columns, counts, paths, is_untyped=not opened.is_view)
    lazy, names = wrap_frame(table, A_TABLE if called == THE_FRAME else called)
    columns = _column_names(names, called)
    return Source(called, columns, TableCounts(normalized(lazy), columns, called), ())


def _is_path(table: object) -> bool:
    if isinstance(table, str | PathLike):
        return True
    return isinstance(table, Sequence) and all(isinstance(item, str | PathLike) for item in table)


def _column_names(names: Sequence[str], table: str) -> tuple[str, ...]:
    trimmed = tuple(trim(name) for name in names)
    if not trimmed:
        raise InputError(phrase("{table} has no column", table=table))
    twice = [name for name, times in Counter(trimmed).items() if times > 1]
    if twice:
        raise ColumnError(
            phrase("{table} has column {column!r} more than once", table=table, column=twice[0])
        )
    return trimmed
