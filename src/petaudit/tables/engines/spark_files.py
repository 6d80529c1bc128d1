"""Tables in files that Spark reads: Parquet wherever Spark finds it, and CSV files of this machine.

What a file is, what its columns are called and what is wrong with it is found out as for DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Final

import narwhals.stable.v2 as nw

from petaudit.errors import ColumnError, EngineLostError, InputError, counted
from petaudit.labels.cells import BLANKS
from petaudit.system.reading import Reading
from petaudit.tables._private_folder import private_folder
from petaudit.tables.csv_files import csv_dialect, load_csv, mixed_line_ends
from petaudit.tables.engines import OpenedTable
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.engines.spark_jobs import spark_failure, spark_result, watched
from petaudit.tables.engines.spark_session import spark_session
from petaudit.tables.engines.spark_settings import is_local
from petaudit.tables.files import (
    Given,
    TableFiles,
    blank_rows_note,
    files_of_table,
    parquet_columns,
)
from petaudit.tables.formats import Format
from petaudit.tables.text_encoding import undecodable, utf8_text

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_URI = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_OURS = re.compile(r"benchmark://", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/@]*@")
# There, what stands before the @ is a part of the place.
_CONTAINER = re.compile(r"(abfss?|wasbs?)://[^/@:]*@", re.IGNORECASE)
# Spark takes other signs for patterns, and hidden files for none at all.
_PLAIN_PATH = re.compile(r"(?:/(?![._])[\w .+=,@%-]+)+")
_BY_CHARACTERS: Final = "UTF8_BINARY"

_BLOCK: Final = 4 << 20
_BLANKS: Final = rb"[\x01-\x09\x0b\x0c\x0e-\x20]"
_EMPTY_LINE = re.compile(rb"\A[\r\n]|\n\n|\r\r|\n\r")
_BLANK_LINE = re.compile(rb"(?:\A|[\r\n])[\x00-\x09\x0b\x0c\x0e-\x20]+(?=[\r\n]|\Z)")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


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
    """Open Parquet files, a folder of them, addresses of Parquet, or one CSV file."""
    names = [table] if isinstance(table, str | PathLike) else list(table)
    if any(map(is_uri, names)):
        opened = _open_addresses([fspath(name) for name in names], master)
        return replace(opened, reading=reading)
    with files_of_table(table, reading) as files:
        notes = [files.note_on_name]
        if files.kind is Format.PARQUET:
            frame, columns = _parquet_files(files, master)
        elif files.kind is Format.TEXT:
            shown = files.paths[0]
            text, note = utf8_text(files.unpacked[0], shown, files.reading.encoding)
            frame, columns, blank = _csv_file(spark_session(master), text, shown, files.reading)
            notes += [note, blank_rows_note(shown, blank) if blank else None]
        else:
            raise InputError(
                "{path}: is {kind}, which Spark does not read here; save it as Parquet or CSV, or "
                "leave the engine out",
                path=files.paths[0],
                kind=files.kind.named,
            )
    return OpenedTable(
        files.name,
        columns,
        nw.from_native(frame),
        files.paths,
        is_untyped=files.kind is Format.TEXT,
        notes=tuple(filter(None, notes)),
        reading=files.reading,
        side_car=files.side_car,
    )


def _open_addresses(addresses: Sequence[str], master: str | None) -> OpenedTable:
    shown = shown_uri(addresses[0])
    if addresses[0].lower().rstrip("/").endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        raise InputError(
            "{path}: CSV is read from files of this machine only; Spark reads Parquet from "
            "addresses",
            path=shown,
        )
    frame = _parquet(spark_session(master), addresses, shown)
    return OpenedTable(shown, tuple(frame.columns), nw.from_native(numbered_columns(frame)))


def _parquet_files(files: TableFiles, master: str | None) -> tuple[DataFrame, tuple[str, ...]]:
    columns = parquet_columns(files)
    session = spark_session(master)
    places = zip(files.unpacked, files.paths, strict=True)
    frame = _parquet(session, [_address(session, *place) for place in places], files.name)
    if len(frame.columns) != len(columns):
        raise InputError(
            "{path}: Spark finds {found} where the file has {number}",
            path=files.paths[0],
            found=counted(len(frame.columns), "column"),
            number=len(columns),
        )
    return numbered_columns(frame), columns


def _parquet(session: SparkSession, addresses: Sequence[str], shown: str) -> DataFrame:
    from py4j.protocol import Py4JError  # noqa: PLC0415 (only where there is Spark)
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        return watched(session, lambda: session.read.parquet(*addresses))
    except (PySparkException, Py4JError) as problem:
        # The message may quote cells, so only the kind of failure is passed on.
        reason = spark_failure(problem) or type(problem).__name__
        if reason == "COLUMN_ALREADY_EXISTS":
            raise ColumnError("{table} has a column name more than once", table=shown) from None
        if not reason.isupper():
            # A name of Java's, not of Spark's: nobody has looked into the files yet.
            raise InputError(
                "{path}: Spark could not reach or read it ({reason})", path=shown, reason=reason
            ) from None
        raise InputError(
            "{path}: Spark cannot read it as Parquet ({reason})", path=shown, reason=reason
        ) from None


def _address(session: SparkSession, path: Path, shown: Path, *, is_text: bool = False) -> str:
    """A file as Spark finds it: its name is never a pattern."""
    absolute = path.absolute()
    master = str(session.sparkContext.master)
    if is_local(master):
        if not _PLAIN_PATH.fullmatch(str(absolute)) or absolute.name[0] in "._":
            link = private_folder() / f"{fresh_name()}{'.csv' if is_text else ''}"
            link.symlink_to(absolute)
            absolute = link
    elif path != shown or not _PLAIN_PATH.fullmatch(str(absolute)):
        raise InputError(
            "{path}: on {master} every machine must be able to read the file: not compressed, in "
            "UTF-8, and with a plain name",
            path=shown,
            master=master,
        )
    return f"file://{absolute}"


def numbered_columns(frame: DataFrame) -> DataFrame:
    """The frame with columns c0, c1, ..., whose text is told apart by its characters alone.

    A collation can take texts for equal that are not, and classes would look larger than they are.
    """
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    # Spark reads dots and backticks in names as its own syntax, but it renames by position.
    renamed = frame.toDF(*(f"c{index}" for index in range(len(frame.columns))))
    collated = [
        field.name
        for field in renamed.schema.fields
        if getattr(field.dataType, "collation", None) not in (None, _BY_CHARACTERS)
    ]
    if not collated:
        return renamed
    return renamed.withColumns({name: sql.collate(name, _BY_CHARACTERS) for name in collated})


def _csv_file(
    session: SparkSession, path: Path, shown: Path, reading: Reading
) -> tuple[DataFrame, tuple[str, ...], int]:
    """A UTF-8 file, every cell as text, in our own dialect: Spark reads what DuckDB reads.

    The last of the three is the number of rows without any value, which are left out.
    """
    if reading.header_row not in (None, 1):
        raise InputError(
            "{path}: Spark reads CSV whose first line holds the names; remove what is above them",
            path=shown,
        )
    address = _address(session, path, shown, is_text=True)
    mark, columns = csv_dialect(path, shown, reading)
    marks = scan_csv(path, mark)
    if "broken" in marks:
        raise undecodable(path, shown)
    if len(marks & {"\r\n", "\n", "\r"}) > 1:
        raise mixed_line_ends(shown)
    # Spark would pass over rows, or trim more than blanks.
    is_beyond_spark = (
        "blank lines" in marks
        or ("empty lines" in marks and len(columns) == 1)
        or {"blanks before quotes", "controls"} <= marks
    )
    if is_beyond_spark:
        raise _refusal(path, shown, reading)
    frame = session.read.csv(
        address,
        schema=", ".join(f"c{index} STRING" for index in range(len(columns))),
        sep=mark,
        encoding="UTF-8",
        quote='"',
        escape='"',
        header=True,
        # A quote may hold a line break; lines are read one by one only where there is none.
        multiLine="quotes" in marks,
        mode="FAILFAST",
        unescapedQuoteHandling="RAISE_ERROR",
        ignoreLeadingWhiteSpace="blanks before quotes" in marks,
        nullValue="",
        emptyValue="",
        maxColumns=len(columns) + 1,
        maxCharsPerColumn=-1,
    )
    blank = _blank_rows(frame)
    if blank is None:
        raise _refusal(path, shown, reading)
    if reading.keeps_blank_rows or len(columns) == 1 or not blank:
        return frame, columns, 0
    return frame.filter(~_is_blank(frame)), columns, blank


def _is_blank(frame: DataFrame) -> Column:
    """Whether a row has no value at all."""
    from pyspark.sql import functions  # noqa: PLC0415 (only where there is Spark)

    row = functions.concat_ws("", *(functions.col(name) for name in frame.columns))
    return row.rlike(f"^[{BLANKS}]*$")


def _blank_rows(frame: DataFrame) -> int | None:
    """How many rows have no value, in one pass; None unless every cell is one line of text."""
    from pyspark.sql import functions  # noqa: PLC0415 (only where there is Spark)

    row = functions.concat_ws("", *(functions.col(name) for name in frame.columns))
    try:
        result = spark_result(
            frame.agg(
                functions.max(row.rlike("[\\r\\n]")).alias("broken"),
                functions.sum(_is_blank(frame).cast("long")).alias("blank"),
            )
        )
    except EngineLostError:
        raise
    except Exception:
        # Spark's message quotes the line.
        return None
    is_broken = result.column("broken")[0].as_py()
    return None if is_broken else int(result.column("blank")[0].as_py() or 0)


def _refusal(path: Path, shown: Path, reading: Reading) -> InputError:
    """What is wrong with the file, as DuckDB finds it."""
    try:
        load_csv(path, shown, reading).relation.close()
    except InputError as problem:
        return problem
    return InputError("{path}: Spark cannot read it as CSV; save it as Parquet first", path=shown)


def scan_csv(path: Path, delimiter: str) -> set[str]:
    r"""What the bytes of a CSV file show that Spark would pass over, and how its lines end.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b'a;b\r\n1; "2"\r\n')
    ...     file.flush()
    ...     sorted(scan_csv(Path(file.name), ";"))
    ['\r\n', 'blanks before quotes', 'quotes']
    """
    mark = re.escape(delimiter.encode())
    patterns = {
        "quotes": re.compile(b'"'),
        "blanks before quotes": re.compile(rb"(?:\A|[\r\n]|" + mark + rb")" + _BLANKS + rb'+"'),
        "controls": _CONTROL,
        "empty lines": _EMPTY_LINE,
        # Lines of nothing but blanks or control characters.
        "blank lines": _BLANK_LINE,
    }
    marks: set[str] = set()
    for block in _blocks(path):
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            marks.add("broken")
        marks |= {
            name
            for name, pattern in patterns.items()
            if name not in marks and pattern.search(block)
        }
        pairs = block.count(b"\r\n")
        ends = {"\r\n": pairs, "\n": block.count(b"\n") - pairs, "\r": block.count(b"\r") - pairs}
        marks |= {end for end, number in ends.items() if number}
    return marks


def _blocks(path: Path) -> Iterator[bytes]:
    """The file in blocks that end where a line does."""
    rest = b""
    with path.open("rb") as file:
        while more := file.read(_BLOCK):
            rest += more
            # A CR at the very end may be half of a line end.
            cut = rest.rfind(b"\n") + 1 or rest.rfind(b"\r", 0, -1) + 1
            if cut:
                yield rest[:cut]
                rest = rest[cut:]
    if rest:
        yield rest
