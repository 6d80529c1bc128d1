"""Tables in files that Spark reads: Parquet wherever Spark finds it, and CSV files of this machine.

What a file is, what its columns are called and what is wrong with it is found out as for DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Final

from petaudit.errors import ColumnError, EngineLostError, InputError, counted
from petaudit.system.files import before_reading
from petaudit.system.os_reasons import os_reason
from petaudit.tables._private_folder import private_folder
from petaudit.tables.csv_files import csv_dialect, is_parquet, load_csv, undecodable
from petaudit.tables.engines.duckdb import cursor, fresh_name
from petaudit.tables.engines.spark_jobs import Done, spark_failure, spark_result, watched
from petaudit.tables.engines.spark_session import spark_session
from petaudit.tables.engines.spark_settings import is_local
from petaudit.tables.files import as_utf8, decompressed, find_files, one_table, parquet_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Given = str | PathLike[str]
_URI = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_OURS = re.compile(r"benchmark://", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/@]*@")
# There, what stands before the @ is a part of the place.
_CONTAINER = re.compile(r"(abfss?|wasbs?)://[^/@:]*@", re.IGNORECASE)
# Spark takes other signs for patterns, and hidden files for none at all.
_PLAIN_PATH = re.compile(r"(?:/(?![._])[\w .+=,@%-]+)+")


@dataclass(frozen=True)
class SparkTable:
    """A PySpark frame with columns c0, c1, ..., and the names that the files give them."""

    frame: DataFrame
    columns: tuple[str, ...]
    paths: tuple[Path, ...]
    name: str
    is_untyped: bool = False


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
    table: Given | Sequence[Given], master: str | None, delimiter: str | None, encoding: str | None
) -> SparkTable:
    """Open Parquet files, a folder of them, addresses of Parquet, or one CSV file."""
    named = [table] if isinstance(table, str | PathLike) else list(table)
    if any(map(is_uri, named)):
        return _open_addresses([fspath(own) for own in named], master)
    paths = find_files(table)
    if not paths:
        raise InputError("the list of files is empty")
    name = str(fspath(table)) if isinstance(table, str | PathLike) else str(paths[0])
    try:
        for path in paths:
            before_reading(path)
        plain = [decompressed(path) for path in paths]
        if all(map(is_parquet, plain)):
            columns = parquet_columns(cursor(), plain, paths)
            session = spark_session(master)
            frame = _parquet(
                session, [_address(session, *own) for own in zip(plain, paths, strict=True)], name
            )
            _require_names(frame, columns, paths[0])
            return SparkTable(numbered_columns(frame), columns, paths, name)
        one_table(paths)
        text = as_utf8(plain[0], paths[0], encoding)
        session = spark_session(master)
        own = open_csv(session, _address(session, text, paths[0]), text, paths[0], delimiter)
        return SparkTable(own.frame, own.columns, paths, name, is_untyped=True)
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=paths[0], reason=os_reason(problem)
        ) from None


def _open_addresses(named: Sequence[str], master: str | None) -> SparkTable:
    shown = shown_uri(named[0])
    if named[0].lower().rstrip("/").endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        raise InputError(
            "{path}: CSV is read from files of this machine only; Spark reads Parquet from "
            "addresses",
            path=shown,
        )
    frame = _parquet(spark_session(master), named, shown)
    return SparkTable(numbered_columns(frame), tuple(frame.columns), (), shown)


def _parquet(session: SparkSession, addresses: Sequence[str], shown: str) -> DataFrame:
    return _readable(lambda: watched(session, lambda: session.read.parquet(*addresses)), shown)


def _readable(work: Callable[[], Done], shown: str) -> Done:
    from py4j.protocol import Py4JError  # noqa: PLC0415 (only where there is Spark)
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        return work()
    except (PySparkException, Py4JError) as problem:
        reason = _kind_of(problem)
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


def _kind_of(problem: Exception) -> str:
    """What went wrong, without anything of the data."""
    return spark_failure(problem) or type(problem).__name__


def _require_names(frame: DataFrame, columns: Sequence[str], path: Path) -> None:
    if len(frame.columns) != len(columns):
        raise InputError(
            "{path}: Spark finds {found} where the file has {number}",
            path=path,
            found=counted(len(frame.columns), "column"),
            number=len(columns),
        )


def _address(session: SparkSession, path: Path, shown: Path) -> str:
    """A file as Spark finds it: its name is never a pattern."""
    absolute = path.absolute()
    master = str(session.sparkContext.master)
    if is_local(master):
        if not _PLAIN_PATH.fullmatch(str(absolute)) or absolute.name[0] in "._":
            link = private_folder() / f"{fresh_name()}{'.csv' if not is_parquet(path) else ''}"
            link.symlink_to(absolute)
            absolute = link
    elif path != shown or not _PLAIN_PATH.fullmatch(str(absolute)):
        raise InputError(
            "{path}: on {master} the file must be one that every machine finds: not packed, "
            "in UTF-8, and with a plain name",
            path=shown,
            master=master,
        )
    return f"file://{absolute}"


_ONLY_COLUMN = ";"


@dataclass(frozen=True)
class SparkCsv:
    """The frame, and what the header calls its columns."""

    frame: DataFrame
    columns: tuple[str, ...]


def open_csv(
    session: SparkSession, address: str, path: Path, shown: Path, delimiter: str | None
) -> SparkCsv:
    """Read a UTF-8 file, every cell as text; messages call it by the name that the user gave."""
    mark, columns = csv_dialect(path, shown, delimiter)
    seen = scan_csv(path, mark or _ONLY_COLUMN)
    if not seen.is_utf8:
        raise undecodable(path, shown)
    if len(seen.line_ends) > 1:
        raise InputError(
            "{path}: its lines end in different ways; save it with one kind of line ends",
            path=shown,
        )
    if _is_beyond_spark(seen, len(columns)):
        raise _refusal(path, shown, delimiter)
    frame = session.read.csv(
        address,
        schema=", ".join(f"c{index} STRING" for index in range(len(columns))),
        sep=mark or _ONLY_COLUMN,
        encoding="UTF-8",
        quote='"',
        escape='"',
        header=True,
        # A quote may hold a line break; lines are read one by one only where there is none.
        multiLine=seen.has_quotes,
        mode="FAILFAST",
        unescapedQuoteHandling="RAISE_ERROR",
        ignoreLeadingWhiteSpace=seen.has_blanks_before_quotes,
        nullValue="",
        emptyValue="",
        maxColumns=len(columns) + 1,
        maxCharsPerColumn=-1,
    )
    if not _holds_labels(frame):
        raise _refusal(path, shown, delimiter)
    return SparkCsv(frame, tuple(columns))


def _is_beyond_spark(seen: CsvScan, width: int) -> bool:
    """Whether Spark would pass over rows, or trim more than blanks."""
    if seen.has_blank_lines or (width == 1 and seen.has_empty_lines):
        return True
    return seen.has_blanks_before_quotes and seen.has_controls


def _holds_labels(frame: DataFrame) -> bool:
    """Whether every line has its cells and every cell is one line: one pass, as when loading."""
    from pyspark.sql import functions  # noqa: PLC0415 (only where there is Spark)

    row = functions.concat_ws("", *(functions.col(name) for name in frame.columns))
    try:
        found = spark_result(frame.agg(functions.max(row.rlike("[\\r\\n]")).alias("broken")))
    except EngineLostError:
        raise
    except Exception:
        # Spark's message quotes the line.
        return False
    return not found.column("broken")[0].as_py()


def _refusal(path: Path, shown: Path, delimiter: str | None) -> InputError:
    """What is wrong with the file, as DuckDB finds it."""
    try:
        load_csv(path, shown, delimiter).close()
    except InputError as problem:
        return problem
    return InputError("{path}: Spark cannot read it as CSV; save it as Parquet first", path=shown)


_BLOCK: Final = 4 << 20
_CONTROLS = rb"\x00-\x08\x0b\x0c\x0e-\x1f"
_EMPTY_LINE = re.compile(rb"\A[\r\n]|\n\n|\r\r|\n\r")
_BLANK_LINE = re.compile(rb"(?:\A|[\r\n])[\x00-\x09\x0b\x0c\x0e-\x20]+(?=[\r\n]|\Z)")
_CONTROL = re.compile(rb"[" + _CONTROLS + rb"]")


@dataclass(frozen=True)
class CsvScan:
    """What the bytes show, wherever it stands."""

    is_utf8: bool
    has_quotes: bool
    has_blanks_before_quotes: bool
    has_controls: bool
    has_empty_lines: bool
    has_blank_lines: bool
    """Lines of nothing but blanks or control characters."""
    line_ends: frozenset[str]


def scan_csv(path: Path, delimiter: str) -> CsvScan:
    r"""Look at the whole file, in blocks of whole lines.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b'a;b\r\n1; "2"\r\n')
    ...     file.flush()
    ...     found = scan_csv(Path(file.name), ";")
    >>> found.has_quotes, found.has_blanks_before_quotes, found.line_ends, found.has_blank_lines
    (True, True, frozenset({'\r\n'}), False)
    """
    before_quote = re.compile(
        rb"(?:\A|[\r\n]|" + re.escape(delimiter.encode()) + rb')[\x01-\x09\x0b\x0c\x0e-\x20]+"'
    )
    found: set[str] = set()
    ends: set[str] = set()
    for block in _blocks(path):
        if not _is_utf8(block):
            found.add("broken")
        if b'"' in block:
            found.add("quotes")
            if before_quote.search(block):
                found.add("blanks before quotes")
        for name, pattern in (
            ("controls", _CONTROL),
            ("empty lines", _EMPTY_LINE),
            ("blank lines", _BLANK_LINE),
        ):
            if name not in found and pattern.search(block):
                found.add(name)
        both, feeds, returns = (block.count(own) for own in (b"\r\n", b"\n", b"\r"))
        ends |= {
            end
            for end, number in (("\r\n", both), ("\n", feeds - both), ("\r", returns - both))
            if number
        }
    return CsvScan(
        is_utf8="broken" not in found,
        has_quotes="quotes" in found,
        has_blanks_before_quotes="blanks before quotes" in found,
        has_controls="controls" in found,
        has_empty_lines="empty lines" in found,
        has_blank_lines="blank lines" in found,
        line_ends=frozenset(ends),
    )


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


def _is_utf8(block: bytes) -> bool:
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_BY_CHARACTERS: Final = "UTF8_BINARY"


def numbered_columns(frame: DataFrame) -> DataFrame:
    """The frame with columns c0, c1, ..., whose text is told apart by its characters alone.

    A collation can take texts for equal that are not, and classes would look larger than they are.
    """
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    names = [f"c{index}" for index in range(len(frame.columns))]
    # Spark reads dots and backticks in names as its own syntax, but it renames by position.
    renamed = frame.toDF(*names)
    kinds = [getattr(field.dataType, "collation", None) for field in renamed.schema.fields]
    if set(kinds) <= {None, _BY_CHARACTERS}:
        return renamed
    return renamed.select(
        *(
            sql.col(name)
            if kind in (None, _BY_CHARACTERS)
            else sql.collate(sql.col(name), _BY_CHARACTERS).alias(name)
            for name, kind in zip(names, kinds, strict=True)
        )
    )
