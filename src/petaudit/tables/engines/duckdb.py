"""The embedded DuckDB that reads and counts files."""

from __future__ import annotations

import atexit
import glob
import itertools
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.errors import EngineError, InputError, OptionError, suggestion
from petaudit.system.files import before_reading, os_reason, watch_file
from petaudit.system.memory import engine_memory, memory_limit, memory_text, when_memory_changes
from petaudit.tables._private_folder import private_folder, temporary_folder_full
from petaudit.tables.addresses import TableAddress
from petaudit.tables.engines import OpenedTable

_MEMORY_PER_THREAD: Final = 200_000_000
"""With less, two threads that spill take longer than one."""

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
    # The order of rows is kept (DuckDB's default): codes of rows are fetched column by column.
    _keep_within_memory(database)
    return database


def _keep_within_memory(database: duckdb.DuckDBPyConnection) -> None:
    """Let DuckDB have its part of the memory; what needs more goes to the spill folder."""
    room = engine_memory()
    run(database, f"SET memory_limit = '{room}B'")
    # DuckDB's own number knows how many cores the control group has.
    run(database, "RESET threads")
    [(cores,)] = run(database, "SELECT current_setting('threads')")
    run(database, f"SET threads = {max(min(cores, room // _MEMORY_PER_THREAD), 1)}")


def _follow_memory() -> None:
    if not _database.cache_info().currsize:
        return
    try:
        _keep_within_memory(cursor())
    except EngineError:
        raise OptionError(
            "the memory limit cannot be {limit} now: the open tables take more",
            limit=memory_text(memory_limit()),
        ) from None


when_memory_changes(_follow_memory)


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
        short = out_of_memory(problem)
        if short is not None:
            raise short from None
        raise


def out_of_memory(problem: Exception) -> EngineError | None:
    """What to say where memory or the place for spilling did not suffice; None of other errors."""
    full = temporary_folder_full(problem)
    if full is not None:
        return full
    if not isinstance(problem, duckdb.OutOfMemoryException | MemoryError):
        return None
    return EngineError(
        "not enough memory: the limit is {limit}, and what did not fit could not be put into "
        "temporary files either; allow more with --memory (petaudit.set_memory)",
        limit=memory_text(memory_limit()),
    )


def is_interrupt(problem: Exception) -> bool:
    """Whether an error is DuckDB's own wrapping of Ctrl-C.

    The words alone would not do: an error of another kind may quote a cell that holds them.
    """
    return isinstance(problem, duckdb.InterruptException) or (
        type(problem) is RuntimeError and "interrupted" in str(problem).lower()
    )


def new_file(connection: duckdb.DuckDBPyConnection) -> str:
    """A database in a file of the private folder, for a table that memory has no room for.

    There it is compressed, to a tenth of what would be spilled, and never written again.
    """
    folder = private_folder() / fresh_name()
    folder.mkdir(mode=0o700)
    name = fresh_name()
    run(connection, f"ATTACH {quote_text(str(folder / 'table.db'))} AS {name}")
    return name


def remove_file(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Remove what :func:`new_file` made."""
    query = f"SELECT path FROM duckdb_databases() WHERE database_name = {quote_text(name)}"
    for (path,) in run(connection, query):
        run(connection, f"DETACH {name}")
        shutil.rmtree(Path(path).parent, ignore_errors=True)


def fresh_name() -> str:
    """A table name that no other table has."""
    return f"petaudit_{next(_serial)}"


def quote_identifier(name: str) -> str:
    """Quote a name for SQL.

    >>> print(quote_identifier('a"b'))
    "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def numbered_cells(columns: Sequence[str], kinds: Sequence[Any]) -> str:
    """Columns of a query as c0, c1, ..., text told apart by its characters alone.

    A collation can take texts for equal that are not, and classes would look larger than they are.

    >>> numbered_cells(["zip", "n"], ["VARCHAR", "INTEGER"])
    '"zip" COLLATE C AS c0, "n" AS c1'
    """
    return ", ".join(
        f"{quote_identifier(name)}{' COLLATE C' if str(kind) == 'VARCHAR' else ''} AS c{index}"
        for index, (name, kind) in enumerate(zip(columns, kinds, strict=True))
    )


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


@dataclass(frozen=True)
class Relation:
    """A table or view of our database with columns c0, c1, ..."""

    connection: duckdb.DuckDBPyConnection
    name: str
    width: int
    is_view: bool
    file: str | None = None
    """The database in a file that holds the table, if memory has no room for it."""
    delimiter: str | None = None
    """What separated the cells of the text file that the table was loaded from."""

    @property
    def frame(self) -> nw.LazyFrame[Any]:
        """The columns, in their order."""
        names = ", ".join(f"c{index}" for index in range(self.width))
        return nw.from_native(self.connection.sql(f"SELECT {names} FROM {self.name}"))

    def load(self, table: pa.Table) -> nw.LazyFrame[Any]:
        """Put a small table beside this one, in the same database."""
        return nw.from_native(self.connection.from_arrow(table))

    def close(self) -> None:
        """Drop the table or view, which frees its memory."""
        if self.file is not None:
            remove_file(self.connection, self.file)
            return
        kind = "VIEW" if self.is_view else "TABLE"
        run(self.connection, f"DROP {kind} IF EXISTS {self.name}")


def file_in_sql(path: Path) -> str:
    """A path as SQL text that means this one file: DuckDB takes names for patterns."""
    return quote_text(glob.escape(path_in_duckdb(path)))


@cache
def path_in_duckdb(path: Path) -> str:
    """What DuckDB calls a file: its name, or that of a link where DuckDB cannot say it."""
    name = str(path)
    is_utf8 = name.isascii() or name == name.encode(errors="ignore").decode()
    if not is_utf8 or ("\\" in name and glob.has_magic(name)):
        # DuckDB takes no other bytes, and a pattern cannot spell a backslash.
        link = private_folder() / fresh_name()
        link.symlink_to(path.absolute())
        name = str(link)
    return name


def open_database_file(address: TableAddress) -> OpenedTable:
    """Attach a DuckDB file to our own database, for reading only, and open one of its tables."""
    path = address.path
    assert path is not None  # noqa: S101 (so it was parsed)
    try:
        if not path.exists():
            raise InputError("file {path!r} does not exist", path=str(path))
        before_reading(path)
        # Rows that were not yet moved to the database itself are read from here.
        log = path.with_name(f"{path.name}.wal")
        watch_file(log)
        files = (path, log) if log.exists() else (path,)
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=path, reason=os_reason(problem)
        ) from None
    connection, base = cursor(), fresh_name()
    try:
        run(connection, f"ATTACH {file_in_sql(path)} AS {base} (TYPE duckdb, READ_ONLY)")
    except duckdb.Error:
        raise InputError(
            "{path}: cannot be opened as a DuckDB database; it is not one, has another version, or "
            "is open for writing elsewhere",
            path=path,
        ) from None
    try:
        schema, is_view = _find_in_file(connection, base, address)
        columns, relation = _view_of_table(connection, base, schema, address)
    except BaseException:
        run(connection, f"DETACH {base}")
        raise

    def close() -> None:
        relation.close()
        run(connection, f"DETACH {base}")

    return OpenedTable(
        address.shown,
        columns,
        relation.frame,
        # A view may read anything, also outside of its file, whose bytes then say nothing of it.
        database=() if is_view else files,
        load=relation.load,
        close=close,
    )


def _find_in_file(
    connection: duckdb.DuckDBPyConnection, base: str, address: TableAddress
) -> tuple[str, bool]:
    """The schema of a table, and whether it is a view."""
    entries = connection.execute(
        "SELECT schema_name, table_name, false FROM duckdb_tables() WHERE database_name = ? "
        "UNION ALL SELECT schema_name, view_name, true FROM duckdb_views() "
        "WHERE database_name = ? AND NOT internal",
        [base, base],
    ).fetchall()
    is_view = {(schema, name): is_view for schema, name, is_view in entries}
    wanted = (address.schema or "main", address.table)
    if wanted not in is_view:
        names = sorted(name if schema == "main" else f"{schema}.{name}" for schema, name in is_view)
        near = suggestion(address.table, names)
        raise InputError("{table}: there is no such table{near}", table=address.shown, near=near)
    return wanted[0], is_view[wanted]


def _view_of_table(
    connection: duckdb.DuckDBPyConnection, base: str, schema: str, address: TableAddress
) -> tuple[tuple[str, ...], Relation]:
    place = ".".join([base, quote_identifier(schema), quote_identifier(address.table)])
    try:
        described = run(connection, f"DESCRIBE FROM {place}")
        columns = tuple(row[0] for row in described)
        cells = numbered_cells(columns, [row[1] for row in described])
        name = fresh_name()
        run(connection, f"CREATE VIEW {name} AS SELECT {cells} FROM {place}")
    except duckdb.Error:
        raise InputError("{table}: cannot be read", table=address.shown) from None
    return columns, Relation(connection, name, len(columns), is_view=True)
