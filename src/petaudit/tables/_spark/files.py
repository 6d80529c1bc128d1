"""Tables in files that Spark reads: Parquet wherever Spark finds it, and CSV files of this machine.

What a file is, what its columns are called and what is wrong with it is found out as for DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from petaudit.errors import ColumnError, InputError, counted
from petaudit.system.files import before_reading, os_reason
from petaudit.tables._csv_dialect import is_parquet
from petaudit.tables._database import cursor, fresh_name
from petaudit.tables._files import as_utf8, decompressed, find_files, one_table, parquet_columns
from petaudit.tables._private_folder import private_folder
from petaudit.tables._spark.columns import numbered_columns
from petaudit.tables._spark.csv_files import open_csv
from petaudit.tables._spark.failures import spark_failure
from petaudit.tables._spark.jobs import Done, watched
from petaudit.tables._spark.session import spark_session
from petaudit.tables._spark.settings import is_local

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
