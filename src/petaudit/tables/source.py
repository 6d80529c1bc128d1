"""Opening a table: a path or a frame in, something that can be counted out."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import (
    ColumnError,
    InputError,
    OptionError,
    argument,
    counted,
    listing,
    phrase,
    suggestion,
)
from petaudit.labels.cells import trim
from petaudit.system.files import fingerprint_of
from petaudit.system.reading import Reading
from petaudit.tables.addresses import DUCKDB, is_address, parse_address, shown_address
from petaudit.tables.engines import OpenedTable
from petaudit.tables.engines.duckdb import open_database_file
from petaudit.tables.engines.frames import (
    THE_FRAME,
    normalized,
    with_raw_text,
    with_trimmed_text,
    without_marks,
    wrap_frame,
)
from petaudit.tables.engines.postgres import open_postgres_table
from petaudit.tables.engines.spark_files import is_uri, open_with_spark, shown_uri
from petaudit.tables.engines.spark_settings import check_master
from petaudit.tables.files import open_files
from petaudit.tables.folders import Partitions, notes_on_folders
from petaudit.tables.headers import column_named, header_note, refuse_data, shown_names
from petaudit.tables.table_counts import TableCounts

SPARK: Final = "spark"
ENGINES: Final = (DUCKDB, SPARK)
"""What can count files."""


@dataclass(frozen=True)
class Source:
    """An opened table."""

    name: str
    columns: tuple[str, ...]
    counts: TableCounts
    paths: tuple[Path, ...]
    is_untyped: bool = False
    """Whether every column is text because the file has no types."""
    partitions: Partitions | None = None
    """The columns in the names of folders, if the table is a folder of partitions."""
    database: tuple[Path, ...] = ()
    """The files of the DuckDB database that the table is in."""
    is_loaded: bool = False
    """Whether the file is not read again."""
    delimiter: str | None = None
    """What separates the cells of a text file."""

    notes: tuple[str, ...] = ()
    """What the reader of a figure should know about how the table was read."""
    left_out: tuple[int, ...] = ()
    """The places of blank rows that were left out, among all rows of the file."""
    side_car: Path | None = None
    """The side-car, if it says how to read the file."""
    reading: Reading = field(default_factory=Reading)
    """How the table was read, as far as that was given or the side-car says."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the table is in."""
        return self.paths or self.database

    @property
    def sha256(self) -> str:
        """The fingerprint of the files, and of the folders that they lie in where these count."""
        files = fingerprint_of(self.files)
        return files if self.partitions is None else self.partitions.sha256(files)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.counts.rows

    def rows_holding(self, column: str, labels: Sequence[str | None]) -> str:
        """Say how many rows hold one of some labels of a column, and which the first are.

        >>> source = open_source(pa.table({"zip": ["1", "2", "1", "3"]}))
        >>> source.rows_holding("zip", ["1", "9"]), source.rows_holding("zip", ["2"])
        (', in 2 rows of the frame (data rows 1, 3)', ', in 1 row of the frame (data row 2)')
        """
        counts = self.counts.value_counts(column)
        places = [counts.index[label] for label in labels if label in counts.index]
        rows = phrase(
            ", in {rows} of {table}",
            rows=counted(int(counts.counts[places].sum()), "row"),
            table=self.name,
        )
        if not places or not self.counts.keeps_order:
            return rows if places else ""
        [codes] = self.counts.row_codes([column])
        numbers = [*map(str, self.row_numbers(np.flatnonzero(np.isin(codes, places))).tolist())]
        if len(numbers) == 1:
            return phrase("{rows} (data row {number})", rows=rows, number=numbers[0])
        return phrase("{rows} (data rows {numbers})", rows=rows, numbers=listing(numbers, 3))

    def row_numbers(self, places: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """The numbers of rows in the user's own file, from 1, where blank ones count as well.

        >>> source = replace(open_source(pa.table({"a": [1, 2, 3]})), left_out=(0, 2))
        >>> source.row_numbers(np.arange(3)).tolist()
        [2, 4, 5]
        """
        return places_in_file(places, self.left_out) + 1

    def to_arrow(self) -> pa.Table:
        """The whole table, in row order."""
        # One query: rows without an order of their own must stay together.
        cells = self.counts.columns_values(self.columns)
        return pa.Table.from_arrays(cells, names=list(self.columns))

    def fingerprint(self) -> dict[str, Any]:
        """What identifies the input without showing a value of it."""
        identity: dict[str, Any] = {
            "name": self.name,
            "rows": self.rows,
            "columns": [*shown_names(self.columns).values()],
            "engine": self.counts.engine,
        }
        if self.files:
            identity["sha256"] = self.sha256
        if self.reading.choices:
            identity["reading"] = self.reading.choices
        return identity


def places_in_file(
    places: npt.NDArray[np.integer], left_out: Sequence[int]
) -> npt.NDArray[np.int64]:
    """Where rows stand in their file, from 0, if blank ones at some places were left out."""
    blank = np.array(left_out, dtype=np.int64)
    # Before a blank row there are as many others as its place, less the blank ones before it.
    before = np.searchsorted(blank - np.arange(len(blank)), places, side="right")
    return np.asarray(places + before, dtype=np.int64)


def open_source(
    table: object,
    *,
    called: str = THE_FRAME,
    engine: str | None = None,
    spark_master: str | None = None,
    **reading: Any,
) -> Source:
    """Open a path, a list of Parquet paths, a table in a database, or a frame of any engine.

    A frame has no name of its own; messages call it as the caller says. An opened table stays so.
    Files are counted by DuckDB, or by Spark where ``engine`` is "spark". How files are read can be
    said with the options of :class:`~petaudit.system.reading.Reading`.
    """
    check_engine(engine, spark_master)
    if isinstance(table, Source):
        return table
    read = Reading.checked(**reading)
    opened = _opened(table, read, called, engine, spark_master)
    source = source_of(opened)
    if source.is_untyped:
        refuse_data(source.name, *source.counts.names_in_data())
    notes = (header_note(source.name, source.columns), *notes_on_folders(table), *opened.notes)
    return replace(source, notes=tuple(note for note in notes if note is not None))


def _opened(
    table: Any, reading: Reading, called: str, engine: str | None, spark_master: str | None
) -> OpenedTable:
    if is_address(table):
        address = parse_address(table)
        is_file = address.path is not None
        opened = open_database_file(address) if is_file else open_postgres_table(address)
        counted_by = phrase("its database") if address.path is None else DUCKDB
    elif _is_path(table):
        if engine == SPARK:
            return open_with_spark(table, spark_master, reading)
        return open_files(table, reading)
    else:
        opened = wrap_frame(table, called)
        counted_by = opened.frame.implementation.value
    counting = opened.frame.implementation
    if engine is not None and not (
        counting.is_spark_like() if engine == SPARK else counting is nw.Implementation.DUCKDB
    ):
        raise OptionError(
            "the engine is {engine!r}, but {table} is counted by {own}; an engine can be chosen "
            "for files only",
            engine=engine,
            table=opened.name,
            own=counted_by,
        )
    return replace(opened, reading=reading)


def source_of(opened: OpenedTable) -> Source:
    """Make the table countable: names are checked, text is trimmed, NaN becomes a null."""
    columns = _column_names(opened.columns, opened.name)
    frame, untrimmed, counting = opened.frame, None, None
    if not opened.is_loaded:
        frame = normalized(opened.frame)
        if opened.load is not None:
            untrimmed = normalized(opened.frame, trim=False)
        if opened.frame.implementation.is_spark_like():
            counting = with_raw_text(opened.frame)
    if opened.reading.nulls:
        # Marks are looked for in trimmed text, so it is trimmed now.
        frame, untrimmed = without_marks(frame, opened.reading.nulls), None
        counting = None
    is_arrow = frame.implementation is nw.Implementation.PYARROW
    counts = TableCounts(
        frame,
        columns,
        opened.name,
        load=opened.load,
        untrimmed=untrimmed,
        counting=counting,
        trim=with_trimmed_text if is_arrow else None,
        replaced=opened.replaced,
        stored=opened.stored,
    )
    if opened.close is not None:
        # At exit the whole database goes, so there is nothing to drop then.
        weakref.finalize(counts, opened.close).atexit = False
    return Source(
        opened.name,
        columns,
        counts,
        opened.paths,
        is_untyped=opened.is_untyped,
        partitions=opened.partitions,
        database=opened.database,
        is_loaded=opened.is_loaded,
        delimiter=opened.delimiter,
        left_out=opened.left_out,
        side_car=opened.side_car,
        reading=opened.reading,
    )


def shown_table(name: str) -> str:
    """What a table was called, as results show it: an address without users, a path as it is.

    >>> shown_table("postgresql://eve@db/health?table=t"), shown_table("s3a://eve@box/t")
    ('postgresql://db/health?table=t', 's3a://box/t')
    """
    if is_address(name):
        return shown_address(name)
    return shown_uri(name) if is_uri(name) else name


def check_engine(engine: str | None, spark_master: str | None) -> None:
    """Refuse an engine that there is not, and a master without Spark."""
    if engine is not None and engine not in ENGINES:
        raise OptionError(
            "the engine must be 'duckdb' or 'spark', got {engine!r}{near}",
            engine=engine,
            near=suggestion(str(engine), ENGINES),
        )
    if spark_master is not None and engine != SPARK:
        raise OptionError(
            "a Spark master is given, but the engine is not Spark: add {argument}",
            argument=argument("engine", SPARK),
        )
    if spark_master is not None:
        check_master(spark_master)


def _is_path(table: object) -> bool:
    if isinstance(table, str | PathLike):
        return True
    return isinstance(table, Sequence) and all(isinstance(item, str | PathLike) for item in table)


def _column_names(names: Sequence[str], table: str) -> tuple[str, ...]:
    trimmed = tuple(trim(name) for name in names)
    if not trimmed:
        raise InputError("{table} has no column", table=table)
    twice = [name for name, times in Counter(trimmed).items() if times > 1]
    if twice:
        raise ColumnError(
            "{table} has column {column} more than once",
            table=table,
            column=column_named(twice[0], trimmed),
        )
    return trimmed


def first_rows(source: Source, many: int) -> Source:
    """The first rows of a table; their engine reads no more than these.

    >>> first_rows(open_source(pa.table({"a": [3, 1, 2]})), 2).rows
    2
    """
    source.counts.require_local()
    table = source.counts.collected(source.counts.frame.head(many))
    first = _like(source, table.rename_columns(list(source.columns)))
    return replace(first, left_out=source.left_out)


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
    opened = open_source(table, called=source.name)
    return replace(
        opened,
        paths=source.paths,
        partitions=source.partitions,
        is_untyped=source.is_untyped,
        notes=source.notes,
        side_car=source.side_car,
        reading=source.reading,
    )
