"""Tables in files: CSV is loaded once into DuckDB, Parquet is counted where it lies."""

from __future__ import annotations

import codecs
import glob
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.counts._csv_dialect import (
    find_delimiter,
    is_parquet,
    read_header,
    read_sample,
    undecodable,
)
from petaudit.counts._database import cursor, fresh_name, quote_identifier, quote_text, run
from petaudit.counts._private_folder import private_folder
from petaudit.errors import InputError, OptionError
from petaudit.labels import BLANKS

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_LINE_BREAK_COLUMN = "petaudit_line_break"


@dataclass(frozen=True)
class OpenedFile:
    """A relation with columns c0, c1, ..., and the names the file gives them."""

    connection: duckdb.DuckDBPyConnection
    relation_name: str
    columns: tuple[str, ...]
    paths: tuple[Path, ...]
    is_view: bool

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The columns as a DuckDB relation."""
        names = ", ".join(f"c{index}" for index in range(len(self.columns)))
        return self.connection.sql(f"SELECT {names} FROM {self.relation_name}")  # noqa: S608

    def load(self, table: pa.Table) -> nw.LazyFrame[Any]:
        """Put a small table beside this one, in the same database."""
        return nw.from_native(self.connection.from_arrow(table))

    def close(self) -> None:
        """Drop the table or view, which frees its memory."""
        kind = "VIEW" if self.is_view else "TABLE"
        run(self.connection, f"DROP {kind} IF EXISTS {self.relation_name}")


def find_files(source: str | PathLike[str] | Sequence[str | PathLike[str]]) -> tuple[Path, ...]:
    """The files that a path, a folder of Parquet files, a pattern or a list names."""
    if not isinstance(source, str | PathLike):
        return tuple(path for item in source for path in find_files(item))
    path = Path(fspath(source)).expanduser()
    if path.is_file():
        return (path,)
    if path.is_dir():
        found = sorted(path.glob("*.parquet"))
        if not found:
            raise InputError(f"folder {str(path)!r} holds no .parquet file")
        return tuple(found)
    if glob.has_magic(str(path)):
        found = sorted(Path(name) for name in glob.glob(str(path)))  # noqa: PTH207
        if found:
            return tuple(found)
    raise InputError(f"file {str(path)!r} does not exist")


def open_files(
    paths: tuple[Path, ...], delimiter: str | None = None, encoding: str | None = None
) -> OpenedFile:
    """Open one CSV file, or one or more Parquet files with the same columns."""
    if not paths:
        raise InputError("the list of files is empty")
    try:
        plain = [_decompressed(path) for path in paths]
        kinds = {is_parquet(path) for path in plain}
        if kinds == {True}:
            return _open_parquet(plain, paths)
        if len(plain) > 1:
            raise InputError(
                f"{paths[0]} and {len(paths) - 1} more: several files are read as one table "
                "only when all are Parquet"
            )
        return _load_csv(_as_utf8(plain[0], encoding), paths[0], delimiter)
    except OSError as problem:
        raise InputError(f"{paths[0]}: cannot be read ({problem.strerror or problem})") from None


def _open_parquet(plain: Sequence[Path], paths: tuple[Path, ...]) -> OpenedFile:
    connection = cursor()
    columns = _parquet_columns(connection, plain, paths)
    aliased = ", ".join(
        f"{quote_identifier(column)} AS c{index}" for index, column in enumerate(columns)
    )
    files = ", ".join(quote_text(str(path)) for path in plain)
    name = fresh_name()
    run(
        connection,
        f"CREATE VIEW {name} AS SELECT {aliased} FROM read_parquet([{files}])",  # noqa: S608
    )
    return OpenedFile(connection, name, columns, paths, is_view=True)


def _parquet_columns(
    connection: duckdb.DuckDBPyConnection, plain: Sequence[Path], paths: tuple[Path, ...]
) -> tuple[str, ...]:
    """The columns that all parts share; DuckDB would notice a bad part only while it counts."""
    found: list[tuple[str, ...]] = []
    for path, shown in zip(plain, paths, strict=True):
        try:
            described = run(connection, f"DESCRIBE FROM read_parquet({quote_text(str(path))})")
        except duckdb.Error:
            raise InputError(
                f"{shown}: cannot be read as Parquet; it is damaged or has no column"
            ) from None
        found.append(tuple(row[0] for row in described))
        if found[-1] != found[0]:
            raise InputError(f"{shown}: its columns are not those of {paths[0]}")
    return found[0]


def _load_csv(path: Path, shown: Path, delimiter: str | None) -> OpenedFile:
    if delimiter is not None and len(delimiter) != 1:
        raise OptionError(f"the delimiter is {delimiter!r}; one character was expected")
    sample = read_sample(path)
    mark = delimiter or find_delimiter(sample, shown)
    columns = read_header(sample, mark, shown)
    types = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(columns)))
    scan = (
        f"read_csv({quote_text(str(path))}, delim={quote_text(mark or ';')}, quote='\"', "
        f"escape='\"', header=true, auto_detect=false, strict_mode=true, columns={{{types}}})"
    )
    trimmed = ", ".join(
        f"nullif(trim(c{index}, {quote_text(BLANKS)}), '') AS c{index}"
        for index in range(len(columns))
    )
    line_break = " OR ".join(
        f"coalesce(contains(c{index}, chr(10)) OR contains(c{index}, chr(13)), false)"
        for index in range(len(columns))
    )
    connection = cursor()
    name = fresh_name()
    try:
        run(
            connection,
            f"CREATE TABLE {name} AS SELECT {trimmed}, "  # noqa: S608
            f"{line_break} AS {_LINE_BREAK_COLUMN} FROM {scan}",
        )
    except duckdb.Error as problem:
        raise _csv_error(path, shown, str(problem)) from None
    opened = OpenedFile(connection, name, tuple(columns), (shown,), is_view=False)
    [(broken,)] = run(
        connection,
        f"SELECT min(rowid) FROM {name} WHERE {_LINE_BREAK_COLUMN}",  # noqa: S608
    )
    if broken is not None:
        opened.close()
        raise InputError(
            f"{shown}, line {broken + 2}: a quoted field holds a line break; a label is one "
            "line of text"
        )
    return opened


def _csv_error(path: Path, shown: Path, message: str) -> InputError:
    """Say what DuckDB found, without the line itself: it holds data."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"{shown}, line {line[1]}" if line else str(shown)
    width = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if width:
        return InputError(f"{where}: {width[2]} cells where the header has {width[1]}")
    if "unicode" in message.lower() or "utf-8" in message.lower():
        return undecodable(path) if path == shown else InputError(f"{where}: is not UTF-8 text")
    if "quote" in message.lower():
        return InputError(f"{where}: a quote is opened and never closed, or closed too early")
    return InputError(f"{where}: cannot be read as CSV")


def _decompressed(path: Path) -> Path:
    codec = _COMPRESSED.get(path.suffix.lower())
    if codec is None:
        return path
    target = private_folder() / f"{fresh_name()}-{path.stem}"
    try:
        with pa.input_stream(str(path), compression=codec) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    except (OSError, pa.ArrowException):
        raise InputError(f"{path}: cannot be unpacked as {codec}") from None
    return target


def _as_utf8(path: Path, encoding: str | None) -> Path:
    if encoding is None:
        return path
    try:
        wanted = codecs.lookup(encoding)
    except LookupError:
        raise OptionError(f"unknown encoding {encoding!r}; for example utf-8 or big5") from None
    if wanted.name == "utf-8":
        return path
    target = private_folder() / f"{fresh_name()}-utf8.csv"
    try:
        with (
            path.open(encoding=wanted.name, newline="") as source,
            target.open("w", encoding="utf-8", newline="") as sink,
        ):
            shutil.copyfileobj(source, sink)
    except UnicodeError as problem:
        raise InputError(f"{path}: cannot be decoded as {encoding} ({problem})") from None
    return target
