"""Tables in databases: counted where they are, under columns c0, c1, ..."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import duckdb
import narwhals.stable.v2 as nw

from petaudit.errors import InputError, suggestion
from petaudit.labels.cells import BLANKS
from petaudit.system.files import before_reading, watch_file
from petaudit.system.os_reasons import os_reason
from petaudit.tables.addresses import DUCKDB, TableAddress, parse_address
from petaudit.tables.engines.duckdb import (
    OpenedFile,
    cursor,
    file_in_sql,
    fresh_name,
    numbered_cells,
    quote_identifier,
    quote_text,
    run,
)
from petaudit.tables.engines.postgres_session import (
    COUNTING,
    FailedInDatabaseError,
    Session,
    new_backend,
)

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir

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


_MOST_DIGITS: Final = 38
_WHOLE: Final = {"int2": "int16", "int4": "int32", "int8": "int64", "oid": "int64"}
_AS_THEY_ARE: Final = {"bool": "boolean", "date": "date", "time": "time"}
_MOMENTS: Final = {"timestamp": None, "timestamptz": "UTC"}
_NUMBERS: Final = frozenset({"numeric", "money"})
_TEXT_CATEGORIES: Final = frozenset("SEI")
"""Strings, enumerations and network addresses."""
_AS_TEXT: Final = frozenset({"uuid", "char", "timetz", "macaddr", "macaddr8"})
_NAN: Final = "CAST('NaN' AS DOUBLE PRECISION)"


@dataclass(frozen=True)
class Column:
    """A column as the catalogue describes it; a domain counts as the type below it."""

    name: str
    base: str
    """The name of the type, empty if it is not one of PostgreSQL's own."""
    category: str
    written: str
    """The type as people write it."""


def read_column(column: Column, blanks: str) -> tuple[str, dt.DataType]:
    """How a column is read, and the type that it then has."""
    import ibis.expr.datatypes as dt  # noqa: PLC0415 (slow to load)

    cell = quote_identifier(column.name)
    if column.base in _WHOLE:
        return f"CAST({cell} AS BIGINT)", dt.int64
    if column.base in _AS_THEY_ARE:
        return f"CAST({cell} AS {column.base.upper()})", dt.dtype(_AS_THEY_ARE[column.base])
    if column.base in _MOMENTS:
        kind = dt.Timestamp(timezone=_MOMENTS[column.base], scale=6)
        return f"CAST({cell} AS {column.base.upper()})", kind
    if column.base == "float8":
        return _number(cell), dt.float64
    if column.base == "float4":
        # Through its text: widened, 0.1 would become 0.10000000149.
        return _number(f"CAST({cell} AS TEXT)"), dt.float64
    if column.base in _NUMBERS:
        return _decimal(column, cell, dt)
    if column.category in _TEXT_CATEGORIES or column.base in _AS_TEXT:
        return as_text(cell, blanks), dt.string
    if column.base == "bytea":
        return cell, dt.binary
    if column.category == "A":
        return cell, dt.Array(dt.string)
    # Nobody can count these; the type's name comes along for whoever tries.
    return cell, dt.Struct({column.written: dt.string})


def as_text(cell: str, blanks: str) -> str:
    """Text without the blanks around it, told apart by its characters alone.

    Of a ``char(n)`` the cast removes the padding.
    """
    exact = f'CAST({cell} AS TEXT) COLLATE "C"'
    return f"NULLIF(BTRIM({exact}, {quote_text(blanks)}), '')"


def _number(cell: str) -> str:
    # Adding zero turns -0.0 into 0.0: they are one number.
    wide = f"CAST({cell} AS DOUBLE PRECISION)"
    return f"NULLIF({wide}, {_NAN}) + CAST(0 AS DOUBLE PRECISION)"


def _decimal(column: Column, cell: str, dt: Any) -> tuple[str, dt.DataType]:
    exact = f"NULLIF(CAST({cell} AS NUMERIC), CAST('NaN' AS NUMERIC))"
    size = re.search(r"\((\d+),(-?\d+)\)$", column.written)
    if size and int(size[1]) <= _MOST_DIGITS and 0 <= int(size[2]) <= int(size[1]):
        return exact, dt.Decimal(int(size[1]), int(size[2]))
    # Digits without end have no type outside the database, but a text.
    return f"CAST(TRIM_SCALE({exact}) AS TEXT)", dt.string


_backends: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""One backend of ours for each connection, so that tables of it can be joined."""
_BASES = {
    "Boolean": "bool",
    "Date": "date",
    "Time": "time",
    "Float32": "float4",
    "Float64": "float8",
    "Decimal": "numeric",
    "Binary": "bytea",
    "UUID": "uuid",
    "MACADDR": "macaddr",
}
_CATEGORIES = {"String": "S", "INET": "I", "Unknown": "S", "Array": "A"}


def is_on_postgres(table: Any) -> bool:
    """Whether an Ibis table is in PostgreSQL."""
    backends = table._find_backends()[0]
    return len(backends) == 1 and backends[0].name == "postgres"


def engine_of(table: Any) -> str:
    """The name of what counts an Ibis table."""
    return "postgres" if is_on_postgres(table) else "ibis"


def read_by_ibis(table: ir.Table) -> tuple[ir.Table, tuple[str, ...]]:
    """The table with columns c0, c1, ..., and the names that its owner gave them."""
    backends = table._find_backends()[0]
    names = tuple(table.schema().names)
    numbered = {f"c{index}": name for index, name in enumerate(names)}
    if is_on_postgres(table):
        return _read_on_postgres(table)
    if not backends or not names:
        return table.rename(numbered), names
    [own] = backends
    if own.name == "duckdb":
        # Tables of this process that are part of it have to be known to the database.
        own._run_pre_execute_hooks(table)
        kinds = ["VARCHAR" if kind.is_string() else "" for kind in table.schema().values()]
        query = f"SELECT {numbered_cells(names, kinds)} FROM ({own.compile(table)}) AS own"  # noqa: S608
        types = zip(numbered, table.schema().values(), strict=True)
        return own.sql(query, schema=dict(types)), names
    _require_characters(own)
    return table.rename(numbered), names


def _require_characters(backend: Any) -> None:
    """Raise if a database takes texts for equal that are not: classes would look larger."""
    import ibis  # noqa: PLC0415 (an extra)

    if bool(backend.execute(ibis.literal("a") == ibis.literal("A"))):
        raise InputError(
            "{engine} takes texts for equal that differ in upper and lower case, so that "
            "counts would be wrong; write the table to a file, or use a binary collation",
            engine=backend.name,
        )


def _read_on_postgres(table: ir.Table) -> tuple[ir.Table, tuple[str, ...]]:
    [own] = table._find_backends()[0]
    if own.con not in _backends:
        # The connection is somebody else's, with settings that may change what is counted.
        _backends[own.con] = new_backend(settings_of_query=COUNTING)
        _backends[own.con].con = own.con
    schema = table.schema()
    read = [read_column(_column(name, kind), BLANKS) for name, kind in schema.items()]
    cells = ", ".join(f"{cell} AS c{index}" for index, (cell, _) in enumerate(read))
    types = {f"c{index}": kind for index, (_, kind) in enumerate(read)}
    query = f"SELECT {cells} FROM ({own.compile(table)}) AS own"  # noqa: S608
    return _backends[own.con].sql(query, schema=types), tuple(schema.names)


def _column(name: str, kind: Any) -> Column:
    label = type(kind).__name__
    base = _BASES.get(label, "")
    if kind.is_integer():
        base = "int8"
    elif kind.is_timestamp():
        base = "timestamp" if kind.timezone is None else "timestamptz"
    written = str(kind)
    if kind.is_decimal() and kind.precision is not None:
        written = f"numeric({kind.precision},{kind.scale or 0})"
    return Column(name, base, _CATEGORIES.get(label, "U"), written)
