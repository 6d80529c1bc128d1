"""A file that DuckDB holds or reads."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.tables._database import fresh_name, quote_text, remove_file, run
from petaudit.tables._private_folder import private_folder


@dataclass(frozen=True)
class OpenedFile:
    """A relation with columns c0, c1, ..., and the names the file gives them."""

    connection: duckdb.DuckDBPyConnection
    relation_name: str
    columns: tuple[str, ...]
    paths: tuple[Path, ...]
    is_view: bool
    file: str | None = None
    """The database in a file that holds the table, if memory has no room for it."""

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The columns as a DuckDB relation."""
        names = ", ".join(f"c{index}" for index in range(len(self.columns)))
        return self.connection.sql(f"SELECT {names} FROM {self.relation_name}")  # noqa: S608

    def load(self, table: pa.Table) -> nw.LazyFrame[Any]:
        """Put a small table beside this one, in the same database."""
        return nw.from_native(self.connection.from_arrow(table))

    def close(self) -> None:
        """Drop the table or view, which frees its memory."""
        if self.file is not None:
            remove_file(self.connection, self.file)
            return
        kind = "VIEW" if self.is_view else "TABLE"
        run(self.connection, f"DROP {kind} IF EXISTS {self.relation_name}")


def file_in_sql(path: Path) -> str:
    """A path as SQL text that means this one file: DuckDB takes names for patterns."""
    name = str(path)
    if not _is_utf8(name) or ("\\" in name and glob.has_magic(name)):
        # DuckDB takes no other bytes, and a pattern cannot spell a backslash.
        link = private_folder() / fresh_name()
        link.symlink_to(path.absolute())
        name = str(link)
    return quote_text(glob.escape(name))


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
