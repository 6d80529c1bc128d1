"""The embedded DuckDB that reads and counts files."""

from __future__ import annotations

import atexit
import itertools
import sys
from functools import cache
from types import ModuleType
from typing import Any

import duckdb

from petaudit.counts._private_folder import private_folder

_serial = itertools.count(1)


@cache
def _database() -> duckdb.DuckDBPyConnection:
    database = duckdb.connect(
        config={
            "temp_directory": str(private_folder() / "spill"),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    run(database, "SET enable_progress_bar = false")
    # Moments come out as labels, which must not depend on where the machine stands.
    run(database, "SET GLOBAL TimeZone = 'UTC'")
    # It compares every expression with every other: minutes for a file of 5,000 columns.
    run(database, "SET disabled_optimizers = 'common_subexpressions'")
    return database


def cursor() -> duckdb.DuckDBPyConnection:
    """A cursor on the process's own in-memory database."""
    return _database().cursor()


def run(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """Run a query to its end: DuckDB 2.0 takes no further work while a result is open."""
    try:
        return connection.execute(query).fetchall()
    except Exception as problem:
        if is_interrupt(problem):
            raise KeyboardInterrupt from None
        raise


def is_interrupt(problem: Exception) -> bool:
    """Whether an error is DuckDB's own wrapping of Ctrl-C.

    The words alone would not do: an error of another kind may quote a cell that holds them.
    """
    return isinstance(problem, duckdb.InterruptException) or (
        type(problem) is RuntimeError and "interrupted" in str(problem).lower()
    )


def fresh_name() -> str:
    """A table name that no other table has."""
    return f"petaudit_{next(_serial)}"


def quote_identifier(name: str) -> str:
    """Quote a name for SQL.

    >>> print(quote_identifier('a"b'))
    "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text for SQL.

    >>> quote_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def _release_duckdb_types() -> None:
    """Let go of the DuckDB types that narwhals keeps in its modules.

    DuckDB 2.0 prints a page of leak notices when its type objects outlive it, and narwhals holds
    them in module globals and caches until the very end.
    """
    type_objects = type(duckdb.typing.VARCHAR) if hasattr(duckdb, "typing") else None
    if type_objects is None:
        return
    for name, module in list(sys.modules.items()):
        if name.startswith("narwhals.") and isinstance(module, ModuleType):
            for attribute, value in list(vars(module).items()):
                if isinstance(value, type_objects):
                    delattr(module, attribute)
                elif isinstance(value, dict) and any(
                    isinstance(item, type_objects) for item in value.values()
                ):
                    value.clear()
                elif name.startswith("narwhals._duckdb") and hasattr(value, "cache_clear"):
                    value.cache_clear()


atexit.register(_release_duckdb_types)
