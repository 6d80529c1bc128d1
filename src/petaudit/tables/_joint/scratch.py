"""A DuckDB database in a file of the private folder: what does not fit into memory lies there."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.tables._joint.deadline import Deadline, OutOfTimeError
from petaudit.tables.engines.duckdb import (
    cursor,
    is_interrupt,
    new_file,
    out_of_memory,
    remove_file,
)

Found = TypeVar("Found")


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

    def make(self, name: str, query: str) -> str:
        """Store the result of a query; return the name of the table in queries."""
        self.run(f"CREATE OR REPLACE TABLE {self.table(name)} AS {query}")
        return self.table(name)

    def drop(self, name: str) -> None:
        """Remove a table, which frees its place."""
        self.run(f"DROP TABLE IF EXISTS {self.table(name)}")

    def register(self, name: str, table: pa.Table | pa.RecordBatchReader) -> None:
        """Make a table of this process known to queries by a name."""
        self._connection.register(name, table)

    def unregister(self, name: str) -> None:
        """Forget a registered table."""
        self._connection.unregister(name)

    def run(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query to its end."""
        return self._guarded(lambda: self._connection.execute(query).fetchall())

    def fetch(self, query: str) -> pa.Table:
        """The result of a query as an Arrow table."""
        return self._guarded(lambda: self._connection.sql(query).to_arrow_table())

    def number(self, query: str) -> int:
        """The one whole number that a query finds; 0 for a null."""
        [(found,)] = self.run(query)
        return int(found or 0)

    def _guarded(self, work: Callable[[], Found]) -> Found:
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


def _remove(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    with suppress(Exception):
        remove_file(connection, name)
        connection.close()
