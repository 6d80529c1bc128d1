"""What opens and counts a table: DuckDB, a frame of the caller, Spark, PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petaudit.system.reading import Reading
from petaudit.tables.folders import Partitions

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    from petaudit.tables.engines.postgres import StoredTable


@dataclass(frozen=True)
class OpenedTable:
    """A table as its engine opened it: a frame with columns c0, c1, ..., and their real names."""

    name: str
    """What messages call the table."""
    columns: tuple[str, ...]
    frame: nw.LazyFrame[Any]
    paths: tuple[Path, ...] = ()
    partitions: Partitions | None = None
    """The columns in the names of folders, if the table is a folder of partitions."""
    database: tuple[Path, ...] = ()
    """The files of the DuckDB database that the table is in."""
    is_untyped: bool = False
    """Whether every column is text because the file has no types."""
    is_loaded: bool = False
    """Whether the rows were copied and normalized, so that the file is not read again."""
    load: Callable[[pa.Table], nw.LazyFrame[Any]] | None = None
    """Puts a small table beside this one, where rows can be read again at no cost."""
    close: Callable[[], None] | None = None
    delimiter: str | None = None
    """What separates the cells of a text file."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """The types of columns that were replaced because no engine takes them."""
    notes: tuple[str, ...] = ()
    """What the reader of a figure should know about how the file was read."""
    left_out: tuple[int, ...] = ()
    """The places of blank rows that were left out, among all rows of the file."""
    reading: Reading = field(default_factory=Reading)
    """How the table was read, as far as that was given."""
    side_car: Path | None = None
    """The side-car, if it says how to read the file."""
    stored: StoredTable | None = None
    """How another table is made of it on its server, where that can be done."""
