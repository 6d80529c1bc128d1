"""Tables that Spark reads: Parquet anywhere, tables of a catalogue, CSV files of this machine.

What a file is, what its columns are called and what is wrong with it is found out as for DuckDB.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.errors import ColumnError, InputError, PetauditError, counted
from petaudit.system.reading import Reading
from petaudit.tables._private_folder import private_folder
from petaudit.tables.addresses import name_parts
from petaudit.tables.engines import OpenedTable
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.engines.spark_csv import csv_on_spark, spark_address
from petaudit.tables.engines.spark_jobs import Done, spark_failure, watched
from petaudit.tables.engines.spark_session import spark_session
from petaudit.tables.engines.spark_settings import is_local
from petaudit.tables.files import (
    Given,
    TableFiles,
    blank_rows_note,
    files_of_table,
    parquet_columns,
)
from petaudit.tables.folders import (
    Lake,
    Partitions,
    different_keys,
    lake_elsewhere,
    lake_of,
    not_plain,
    partitions,
    table_folders,
)
from petaudit.tables.formats import Format
from petaudit.tables.text_encoding import utf8_text

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

_URI = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_OURS = re.compile(r"benchmark://", re.IGNORECASE)
_CATALOGUE = re.compile(r"table://", re.IGNORECASE)
_PATTERN = re.compile(r"[][{}*?\\]")
_ESCAPED: Final = r"\\\g<0>"
_PLACE = re.compile(r"[a-z][a-z0-9+.-]*:(//[^/]*)?", re.IGNORECASE)
"""What stands before the path of an address."""
_USER = re.compile(r"(?<=://)[^/@]*@")
# There, what stands before the @ is a part of the place.
_CONTAINER = re.compile(r"(abfss?|wasbs?)://[^/@:]*@", re.IGNORECASE)
_BY_CHARACTERS: Final = "UTF8_BINARY"
_DECIMALS_CUT: Final = (len("12:00:00."), len("12:00:00.123456"))
_READ_WIDER: Final = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20),
    pa.null(): pa.int32(),
    pa.string_view(): pa.string(),
}
"""What Spark makes of types that it lacks."""
_KINDS: Final = {str: "string", int: "bigint", date: "date"}
_DIFFERENT_KEYS: Final = ("CONFLICTING_DIRECTORY_STRUCTURES", "CONFLICTING_PARTITION_COLUMN_NAMES")


def is_uri(name: object) -> bool:
    """Whether a table is named by an address that Spark knows and this machine does not.

    >>> is_uri("hdfs://host/people"), is_uri("benchmark://adult"), is_uri("people.parquet")
    (True, False, False)
    """
    return isinstance(name, str) and bool(_URI.match(name)) and not _OURS.match(name)


def shown_uri(address: str) -> str:
    """An address as results show it: without users and passwords.

    >>> shown_uri("s3a://key:secret@bucket/people"), shown_uri("abfss://box@account/people")
    ('s3a://bucket/people', 'abfss://box@account/people')
    """
    return address if _CONTAINER.match(address) else _USER.sub("", address)


def open_with_spark(
    table: Given | Sequence[Given], master: str | None, reading: Reading
) -> OpenedTable:
    """Open Parquet, a table with a log beside its Parquet, one of a catalogue, or a CSV file."""
    names = [table] if isinstance(table, str | PathLike) else list(table)
    if any(map(is_uri, names)):
        opened = _open_addresses([fspath(name) for name in names], master)
        return replace(opened, reading=reading)
    folder = Path(os.path.expanduser(names[0])) if len(names) == 1 else None  # noqa: PTH111
    lake = lake_of(folder) if folder is not None and os.path.isdir(folder) else None  # noqa: PTH112
    if folder is not None and lake is not None:
        session = spark_session(master)
        frame = _lake(session, spark_address(session, folder, folder), str(folder), lake)
        return replace(_opened(str(fspath(names[0])), frame), reading=reading)
    with files_of_table(table, reading) as files:
        notes = [files.note_on_name]
        if files.kind is Format.PARQUET:
            opened = _parquet_files(files, spark_session(master))
        elif files.kind is Format.TEXT:
            shown = files.paths[0]
            text, note = utf8_text(files.unpacked[0], shown, files.reading.encoding)
            frame, columns, blank = csv_on_spark(spark_session(master), text, shown, files.reading)
            notes += [note, blank_rows_note(shown, blank) if blank else None]
            opened = OpenedTable(files.name, columns, nw.from_native(frame), is_untyped=True)
        else:
            raise InputError(
                "{path}: is {kind}, which Spark does not read here; save it as Parquet or CSV, or "
                "leave the engine out",
                path=files.paths[0],
                kind=files.kind.named,
            )
    return replace(
        opened,
        paths=files.paths,
        partitions=files.partitions,
        notes=tuple(filter(None, notes)),
        reading=files.reading,
        side_car=files.side_car,
    )


def _opened(name: str, frame: DataFrame) -> OpenedTable:
    return OpenedTable(name, tuple(frame.columns), nw.from_native(numbered_columns(frame)))


def _open_addresses(addresses: Sequence[str], master: str | None) -> OpenedTable:
    first, shown = addresses[0], shown_uri(addresses[0])
    if any(map(_CATALOGUE.match, addresses)):
        return _catalogue_table(addresses, master)
    if first.lower().rstrip("/").endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        raise InputError(
            "{path}: CSV is read from files of this machine only; Spark reads Parquet from "
            "addresses",
            path=shown,
        )
    session = spark_session(master)
    lake = _lake_at(session, first.rstrip("/"), shown) if len(addresses) == 1 else None
    if lake is not None:
        return _opened(shown, _lake(session, first, shown, lake))
    frame = _parquet(session, addresses, shown)
    files = [PurePosixPath(unquote(_PLACE.sub("", file))) for file in frame.inputFiles()]
    root = PurePosixPath(_PLACE.sub("", first) or "/")
    place = first.removesuffix(_PLACE.sub("", first))
    for folder in {folder for file in files for folder in table_folders(file)}:
        lake = _lake_at(session, f"{place}{folder}", shown)
        if lake is not None:
            raise not_plain(shown, lake)
    if len(addresses) == 1 and all(file.is_relative_to(root) for file in files):
        parts = partitions(root, files)
        frame = frame if parts is None else _named(frame, parts, shown)
    return _opened(shown, frame)


def _catalogue_table(addresses: Sequence[str], master: str | None) -> OpenedTable:
    """A table that the session knows by name: of Hive, Unity, Glue, Iceberg and others."""
    parts = name_parts(addresses[0].partition("://")[2])
    if len(addresses) > 1 or parts is None:
        raise InputError(
            "a table in a catalogue of Spark is named table://CATALOG.SCHEMA.NAME, "
            "table://SCHEMA.NAME or table://NAME, alone, with double quotes around a part that has "
            "a dot"
        )
    session = spark_session(master)
    name = ".".join("`" + part.replace("`", "``") + "`" for part in parts)

    def read() -> DataFrame:
        frame: DataFrame = session.table(name)
        return _settled(frame)

    return _opened(
        addresses[0],
        or_error(
            session,
            read,
            lambda reason: InputError(
                "{table}: Spark finds no such table, or cannot read it ({reason}); its catalogue "
                "must be set up in spark-defaults.conf (spark.sql.catalog...) or in the open "
                "session",
                table=addresses[0],
                reason=reason,
            ),
        ),
    )


def _lake(session: SparkSession, address: str, shown: str, lake: Lake) -> DataFrame:
    """A table with a log beside its Parquet files, as its own package reads it."""
    return or_error(
        session,
        lambda: _settled(session.read.format(lake.form).load(address)),
        lambda reason: InputError(
            "{path}: is {kind}, which this Spark cannot read ({reason}); it needs the package for "
            "the format {form}: name it as spark.jars.packages in spark-defaults.conf or in the "
            "open session",
            path=shown,
            kind=lake.kind,
            form=lake.form,
            reason=reason,
        ),
    )


def _settled(frame: DataFrame) -> DataFrame:
    """The frame, once it is known what its columns are."""
    _ = frame.schema
    return frame


def _lake_at(session: SparkSession, folder: str, shown: str) -> Lake | None:
    """What :func:`lake_of` says, of a folder that Spark finds."""
    java: Any = session._jvm
    settings = session._jsc.hadoopConfiguration()

    def holds(pattern: str) -> bool:
        path = java.org.apache.hadoop.fs.Path(pattern)
        return bool(path.getFileSystem(settings).globStatus(path))

    return or_error(
        session, lambda: lake_elsewhere(folder, holds), lambda reason: _unreachable(shown, reason)
    )


def _parquet_files(files: TableFiles, session: SparkSession) -> OpenedTable:
    columns, parts = parquet_columns(files), files.partitions
    is_linked = parts is not None and is_local(str(session.sparkContext.master))
    options = {}
    if is_linked:
        options["basePath"], addresses = _links_to(files)
    elif parts is not None:
        options["basePath"] = spark_address(session, Path(parts.root), Path(parts.root))
        within = (path.relative_to(parts.root) for path in files.paths)
        # Folders may be called like patterns, which Spark would look for.
        names = (_PATTERN.sub(_ESCAPED, str(path)) for path in within)
        addresses = [f"{options['basePath']}/{name}" for name in names]
    else:
        places = zip(files.unpacked, files.paths, strict=True)
        addresses = [spark_address(session, *place) for place in places]
    unreadable: dict[str, str] = {}
    try:
        frame = _parquet(session, addresses, files.name, options)
    except InputError:
        readable, unreadable = _readable(files, columns)
        if not unreadable:
            raise
        frame = _parquet(session, addresses, files.name, options, readable)
    if parts is not None:
        frame = (
            _numbered_partitions(frame, parts) if is_linked else _named(frame, parts, files.name)
        )
    if len(frame.columns) + len(unreadable) != len(columns):
        raise InputError(
            "{path}: Spark finds {found} where the file has {number}",
            path=files.shown[0],
            found=counted(len(frame.columns), "column"),
            number=len(columns),
        )
    frame = _with_places(numbered_columns(frame), columns, unreadable)
    return OpenedTable(files.name, columns, nw.from_native(frame), replaced=unreadable)


def _links_to(files: TableFiles) -> tuple[str, list[str]]:
    """A folder with a partition for each file, by number: Java may not know the letters of names.

    Without a locale it knows none but those of ASCII.
    """
    root = private_folder() / fresh_name()
    links = [root / f"file={place}" / "0.parquet" for place in range(len(files.unpacked))]
    for link, path in zip(links, files.unpacked, strict=True):
        link.parent.mkdir(parents=True, mode=0o700)
        link.symlink_to(path.absolute())
    return f"file://{root}", [f"file://{link}" for link in links]


def _numbered_partitions(frame: DataFrame, parts: Partitions) -> DataFrame:
    """The cells of partitions in place of the number of a row's file."""
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    width = len(frame.columns) - 1
    numbered = frame.toDF(*(f"c{index}" for index in range(width + 1)))
    # A number that is not there is an error, and not a null.
    place = sql.col(f"c{width}").cast("int") + 1
    cells = [
        sql.element_at(sql.array(*(sql.lit(value).cast(_KINDS[kind]) for value in values)), place)
        for kind, values in zip(parts.kinds, zip(*parts.cells, strict=True), strict=True)
    ]
    cells_of_files = [sql.col(f"c{index}") for index in range(width)]
    return numbered.select(*cells_of_files, *cells).toDF(*frame.columns[:width], *parts.keys)


def _named(frame: DataFrame, parts: Partitions, shown: str) -> DataFrame:
    """The cells of partitions from what Spark reads in the names of folders, as text.

    Spark takes the bytes of a letter that is written as %E8%87%BA for one letter each.
    """
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    width = len(frame.columns) - len(parts.keys)
    if tuple(frame.columns[width:]) != parts.keys_on_spark:
        raise ColumnError("{table} has a column name more than once", table=shown)
    numbered = frame.toDF(*(f"c{index}" for index in range(len(frame.columns))))
    cells: list[Column] = [sql.col(f"c{index}") for index in range(width)]
    for place, kind in enumerate(parts.kinds):
        given = cell = sql.col(f"c{width + place}").cast("string")
        for read, meant in parts.misread_by_spark(place).items():
            cell = sql.when(given == sql.lit(read), sql.lit(meant)).otherwise(cell)
        cells.append(cell.cast(_KINDS[kind]))
    return numbered.select(*cells).toDF(*frame.columns[:width], *parts.keys)


def _readable(files: TableFiles, columns: Sequence[str]) -> tuple[StructType, dict[str, str]]:
    """How to read the columns that Spark has a type for, and the types of the others, by name."""
    from pyarrow import parquet  # noqa: PLC0415 (slow to load)
    from pyspark.sql.pandas.types import from_arrow_type  # noqa: PLC0415 (large)
    from pyspark.sql.types import StructType  # noqa: PLC0415 (large)

    with files.unpacked[0].open("rb") as file:
        fields = parquet.read_schema(file)
    readable, unreadable = StructType(), {}
    for name, field in zip(columns, fields, strict=False):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        try:
            if not _is_readable(kind):
                raise TypeError
            readable.add(field.name, from_arrow_type(_READ_WIDER.get(kind, kind)))
        except Exception:
            # PySpark says in many ways that it does not know a type.
            unreadable[name] = str(kind)
    return readable, unreadable


def _is_readable(kind: pa.DataType) -> bool:
    is_short = pa.types.is_float16(kind) or pa.types.is_time32(kind)
    is_long = pa.types.is_decimal(kind) and kind.precision > 38
    is_fine = pa.types.is_timestamp(kind) and kind.unit == "ns"
    is_other = pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType)
    return not (is_short or is_long or is_fine or is_other)


def _with_places(frame: DataFrame, columns: Sequence[str], unreadable: Iterable[str]) -> DataFrame:
    """Put bytes, which nobody counts, into the places of columns that Spark cannot read."""
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    left_out = {*unreadable}
    if not left_out:
        return frame
    read = (sql.col(name) for name in frame.columns)
    cells = (sql.lit(None).cast("binary") if name in left_out else next(read) for name in columns)
    return frame.select(*(cell.alias(f"c{place}") for place, cell in enumerate(cells)))


def _parquet(
    session: SparkSession,
    addresses: Sequence[str],
    shown: str,
    options: Mapping[str, str] | None = None,
    schema: StructType | None = None,
) -> DataFrame:
    def problem(reason: str) -> PetauditError:
        if reason == "COLUMN_ALREADY_EXISTS":
            return ColumnError("{table} has a column name more than once", table=shown)
        if reason in _DIFFERENT_KEYS:
            return different_keys(shown)
        if not reason.isupper():
            # A name of Java's, not of Spark's: nobody has looked into the files yet.
            return _unreachable(shown, reason)
        return InputError(
            "{path}: Spark cannot read it as Parquet ({reason})", path=shown, reason=reason
        )

    reader = session.read.options(**(options or {}))
    reader = reader if schema is None else reader.schema(schema)
    return or_error(session, lambda: reader.parquet(*addresses), problem)


def _unreachable(shown: str, reason: str) -> InputError:
    return InputError(
        "{path}: Spark could not reach or read it ({reason})", path=shown, reason=reason
    )


def or_error(
    session: SparkSession, work: Callable[[], Done], error: Callable[[str], PetauditError]
) -> Done:
    """Do some work of Spark's; its messages may quote cells, so only their kind is passed on."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 (only where there is Spark)
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        return watched(session, work)
    except (PySparkException, Py4JError) as problem:
        raise error(spark_failure(problem) or type(problem).__name__) from None


def numbered_columns(frame: DataFrame) -> DataFrame:
    """The frame with columns c0, c1, ..., whose text is told apart by its characters alone.

    A collation can take texts for equal that are not, and classes would look larger than they are.
    Times of day are text, with six decimals or none as elsewhere.
    """
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    # Spark reads dots and backticks in names as its own syntax, but it renames by position.
    renamed = frame.toDF(*(f"c{index}" for index in range(len(frame.columns))))
    cells: dict[str, Column] = {}
    for field in renamed.schema.fields:
        if getattr(field.dataType, "collation", None) not in (None, _BY_CHARACTERS):
            cells[field.name] = sql.collate(field.name, _BY_CHARACTERS)
        elif field.dataType.simpleString().startswith("time("):
            text = sql.col(field.name).cast("string")
            is_cut = sql.length(text).between(*_DECIMALS_CUT)
            cells[field.name] = sql.when(is_cut, sql.rpad(text, _DECIMALS_CUT[1], "0")).otherwise(
                text
            )
    return renamed.withColumns(cells) if cells else renamed
