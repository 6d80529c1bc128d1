"""Tables in databases: counted where they are, under columns c0, c1, ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw

from petaudit.errors import InputError, suggestion
from petaudit.system.files import before_reading, os_reason, watch_file
from petaudit.tables._database import cursor, fresh_name, numbered_cells, quote_identifier, run
from petaudit.tables._databases.addresses import DUCKDB, TableAddress, parse_address
from petaudit.tables._databases.columns import Column, read_column
from petaudit.tables._databases.failures import FailedInDatabaseError
from petaudit.tables._databases.session import Session
from petaudit.tables._opened_file import OpenedFile, file_in_sql

_FIND = """
SELECT c.oid, n.nspname
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = %s AND n.nspname = ANY(%s) AND c.relkind = ANY('{r,v,m,p,f}')
ORDER BY pg_catalog.array_position(%s, n.nspname::text)
"""
_NAMES = """
SELECT n.nspname, c.relname
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = ANY('{r,v,m,p,f}') AND n.nspname <> ALL('{pg_catalog,information_schema}')
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
LIMIT 10000
"""
_COLUMNS = """
WITH RECURSIVE base(attnum, type, typmod) AS (
  SELECT a.attnum, a.atttypid, a.atttypmod FROM pg_catalog.pg_attribute AS a
  WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT b.attnum, t.typbasetype, t.typtypmod
  FROM base AS b JOIN pg_catalog.pg_type AS t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT a.attname,
  CASE WHEN n.nspname = 'pg_catalog' THEN t.typname ELSE '' END,
  t.typcategory::text,
  pg_catalog.format_type(b.type, b.typmod),
  pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
FROM base AS b
JOIN pg_catalog.pg_type AS t ON t.oid = b.type AND t.typtype <> 'd'
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = %s AND a.attnum = b.attnum
ORDER BY a.attnum
"""


@dataclass(frozen=True)
class DatabaseTable:
    """An opened table of a database."""

    address: TableAddress
    columns: tuple[str, ...]
    frame: nw.LazyFrame[Any]
    close: Callable[[], None]
    in_file: OpenedFile | None = None
    """The relation in our own database, where the table is in a file."""
    files: tuple[Path, ...] = ()
    """What that database is in."""


def open_table(text: str) -> DatabaseTable:
    """Open the table that an address names."""
    address = parse_address(text)
    return _in_file(address) if address.kind == DUCKDB else _in_postgres(address)


def _in_postgres(address: TableAddress) -> DatabaseTable:
    try:
        session = Session.to(address)
        address = replace(address, server={**address.server, **session.reached(address)})
        oid, schema = _found(session, address)
        columns = _columns(session, address, oid)
    except FailedInDatabaseError as problem:
        raise InputError(
            "{table}: cannot be opened ({reason})", table=address.shown, reason=problem.kind
        ) from None
    read = [read_column(column, session.blanks) for column in columns]
    place = f"{quote_identifier(schema)}.{quote_identifier(address.table)}"
    cells = ", ".join(f"{cell} AS c{index}" for index, (cell, _) in enumerate(read))
    types = {f"c{index}": kind for index, (_, kind) in enumerate(read)}
    # With its types Ibis need not ask the server for them, which it does by making a view.
    table = session.backend.sql(f"SELECT {cells} FROM {place}", schema=types)  # noqa: S608
    names = tuple(column.name for column in columns)

    def close(kept: list[Session] = [session]) -> None:  # noqa: B006 (it is the one reference)
        kept.clear()

    return DatabaseTable(address, names, nw.from_native(table), close)


def _found(session: Session, address: TableAddress) -> tuple[int, str]:
    schemas = list(session.schemas) if address.schema is None else [address.schema]
    found = session.ask(_FIND, [address.table, schemas, schemas])
    if found:
        oid, schema = found[0]
        [[may_enter, may_read]] = session.ask(
            "SELECT pg_catalog.has_schema_privilege(%s::regnamespace, 'USAGE'), "
            "pg_catalog.has_any_column_privilege(%s, 'SELECT')",
            [quote_identifier(schema), oid],
        )
        if not (may_enter and may_read):
            raise InputError("{table}: this user has no permission to read it", table=address.shown)
        return int(oid), str(schema)
    known = {
        name if schema in session.schemas else f"{schema}.{name}"
        for schema, name in session.ask(_NAMES)
    }
    wanted = address.table if address.schema is None else f"{address.schema}.{address.table}"
    near = suggestion(wanted, sorted(known)) or suggestion(address.table, sorted(known))
    raise InputError("{table}: there is no such table{near}", table=address.shown, near=near)


def _columns(session: Session, address: TableAddress, oid: int) -> list[Column]:
    found = session.ask(_COLUMNS, [oid, oid])
    for name, *_, may_read in found:
        if not may_read:
            raise InputError(
                "{table}: this user has no permission to read column {column!r}; a view "
                "without it would do",
                table=address.shown,
                column=name,
            )
    [[is_filtered]] = session.ask("SELECT pg_catalog.row_security_active(%s::oid)", [oid])
    if is_filtered:
        raise InputError(
            "{table}: row security hides rows from this user, so that every count would be "
            "too low; use a user who sees all of them",
            table=address.shown,
        )
    return [Column(*entry[:4]) for entry in found]


def _in_file(address: TableAddress) -> DatabaseTable:
    """Attach a DuckDB file to our own database, for reading only."""
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
            "{path}: cannot be opened as a DuckDB database; it is none, of another version, "
            "or in use by somebody who writes",
            path=path,
        ) from None
    try:
        schema = _schema_in_file(connection, base, address)
        opened = _table_in_file(connection, base, schema, address)
        # A view may read anything, also outside of its file, whose bytes then say nothing of it.
        return (
            opened if _is_view(connection, base, schema, address) else replace(opened, files=files)
        )
    except BaseException:
        run(connection, f"DETACH {base}")
        raise


def _is_view(
    connection: duckdb.DuckDBPyConnection, base: str, schema: str, address: TableAddress
) -> bool:
    wanted = [base, schema, address.table]
    query = (
        "SELECT count(*) FROM duckdb_views() "
        "WHERE database_name = ? AND schema_name = ? AND view_name = ?"
    )
    return connection.execute(query, wanted).fetchall() != [(0,)]


def _schema_in_file(connection: duckdb.DuckDBPyConnection, base: str, address: TableAddress) -> str:
    known = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
        "WHERE database_name = ? AND NOT internal",
        [base, base],
    ).fetchall()
    wanted = (address.schema or "main", address.table)
    if wanted not in known:
        names = sorted(name if schema == "main" else f"{schema}.{name}" for schema, name in known)
        near = suggestion(address.table, names)
        raise InputError("{table}: there is no such table{near}", table=address.shown, near=near)
    return wanted[0]


def _table_in_file(
    connection: duckdb.DuckDBPyConnection, base: str, schema: str, address: TableAddress
) -> DatabaseTable:
    place = ".".join([base, quote_identifier(schema), quote_identifier(address.table)])
    try:
        described = run(connection, f"DESCRIBE FROM {place}")
        columns = tuple(row[0] for row in described)
        cells = numbered_cells(columns, [row[1] for row in described])
        name = fresh_name()
        run(connection, f"CREATE VIEW {name} AS SELECT {cells} FROM {place}")  # noqa: S608
    except duckdb.Error:
        raise InputError("{table}: cannot be read", table=address.shown) from None
    opened = OpenedFile(connection, name, columns, (), is_view=True)

    def close() -> None:
        opened.close()
        run(connection, f"DETACH {base}")

    return DatabaseTable(address, columns, nw.from_native(opened.relation()), close, opened)
