"""A DuckDB database in a file of the private folder: for what does not fit into memory."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias, TypeVar

import duckdb
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.tables.engines.duckdb import (
    cursor,
    is_interrupt,
    new_file,
    out_of_memory,
    remove_file,
)

Result = TypeVar("Result")
ArrowRows: TypeAlias = pa.Table | pa.RecordBatchReader


class OutOfTimeError(Exception):
    """A query was stopped because its time was over."""


class Deadline:
    """A time of the monotonic clock, if there is one.

    >>> deadline = Deadline()
    >>> deadline.left() is None
    True
    >>> with deadline.at(0.0):
    ...     deadline.left()
    Traceback (most recent call last):
    petaudit.tables.engines.scratch.OutOfTimeError
    """

    def __init__(self) -> None:
        self._stop_at: float | None = None

    @contextmanager
    def at(self, deadline: float | None) -> Iterator[None]:
        """Stop at a time, while this lasts."""
        self._stop_at = deadline
        try:
            yield
        finally:
            self._stop_at = None

    def left(self) -> float | None:
        """The seconds that are left, None without a deadline; raises OutOfTimeError if none are."""
        if self._stop_at is None:
            return None
        left = self._stop_at - time.monotonic()
        if left <= 0:
            raise OutOfTimeError
        return left


class Scratch:
    """Tables that are compressed on disk, and gone with the object or with the process.

    A table in a file needs no spilling: what memory has no room for is read again.
    """

    def __init__(self) -> None:
        self._connection = cursor()
        self.deadline = Deadline()
        self._name = new_file(self._connection)
        # At exit the whole private folder goes.
        weakref.finalize(self, _remove, self._connection, self._name).atexit = False

    def table(self, name: str) -> str:
        """The name of a table in queries."""
        return f"{self._name}.{name}"

    def make(self, name: str, query: str, **tables: ArrowRows) -> str:
        """Store the result of a query; return the name of the table in queries."""
        self.run(f"CREATE OR REPLACE TABLE {self.table(name)} AS {query}", **tables)
        return self.table(name)

    def drop(self, name: str) -> None:
        """Remove a table, which frees its place."""
        self.run(f"DROP TABLE IF EXISTS {self.table(name)}")

    def run(self, query: str, **tables: ArrowRows) -> list[tuple[Any, ...]]:
        """Run a query to its end; tables of this process are known to it by their names."""
        return self._guarded(lambda: self._connection.execute(query).fetchall(), tables)

    def fetch(self, query: str, **tables: ArrowRows) -> pa.Table:
        """The result of a query as an Arrow table."""
        return self._guarded(lambda: self._connection.sql(query).to_arrow_table(), tables)

    def number(self, query: str) -> int:
        """Return the single integer that a query yields; 0 for a null."""
        [(value,)] = self.run(query)
        return int(value or 0)

    def _guarded(self, work: Callable[[], Result], tables: Mapping[str, ArrowRows]) -> Result:
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            self._connection.interrupt()

        timer: threading.Timer | None = None
        left = self.deadline.left()
        if left is not None:
            timer = threading.Timer(left, stop)
            timer.daemon = True
            timer.start()
        try:
            for name, table in tables.items():
                self._connection.register(name, table)
            return work()
        except Exception as problem:
            if is_interrupt(problem):
                raise (OutOfTimeError if stopped.is_set() else KeyboardInterrupt) from None
            # An engine's message may quote cells, so only the kind of failure is passed on.
            raise out_of_memory(problem) or EngineError(
                "duckdb failed while counting combinations ({reason})",
                reason=type(problem).__name__,
            ) from None
        finally:
            if timer is not None:
                timer.cancel()
            for name in tables:
                self._connection.unregister(name)


def _remove(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    with suppress(Exception):
        remove_file(connection, name)
        connection.close()
