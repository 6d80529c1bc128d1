"""Tables in PostgreSQL, by an address or as Ibis tables of the caller: counted where they are.

Every column gets a plain type, so that it counts as that of a file does: text is compared by its
characters alone, whatever the collation of the column, blanks around it are cut off, and NaN is a
null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import narwhals.stable.v2 as nw

from petaudit.errors import InputError, PetauditError, suggestion
from petaudit.labels.cells import BLANKS
from petaudit.tables.addresses import TableAddress, split_table
from petaudit.tables.engines import OpenedTable
from petaudit.tables.engines.duckdb import numbered_cells, quote_identifier, quote_text
from petaudit.tables.engines.postgres_session import (
    COUNTING,
    FailedInDatabaseError,
    Session,
    failure_of,
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


_MOST_DIGITS: Final = 38
_INTEGERS: Final = frozenset({"int2", "int4", "int8", "oid"})
_AS_THEY_ARE: Final = {"bool": "boolean", "date": "date", "time": "time"}
_MOMENTS: Final = {"timestamp": None, "timestamptz": "UTC"}
_NUMBERS: Final = frozenset({"numeric", "money"})
_TEXT_CATEGORIES: Final = frozenset("SEI")
"""Strings, enumerations and network addresses."""
_AS_TEXT: Final = frozenset({"uuid", "char", "timetz", "macaddr", "macaddr8"})
_FLOATS: Final = {"float4": "REAL", "float8": "DOUBLE PRECISION"}


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


@dataclass(frozen=True)
class Column:
    """A column as the catalogue describes it; a domain counts as the type below it."""

    name: str
    base: str
    """The name of the type, empty if it is not one of PostgreSQL's own."""
    category: str
    written: str
    """The type as people write it."""


def _read_column(column: Column, blanks: str) -> tuple[str, dt.DataType]:
    """How a column is read, and the type that it then has."""
    import ibis.expr.datatypes as dt  # noqa: PLC0415 (slow to load)

    cell = quote_identifier(column.name)
    if column.base in _INTEGERS:
        return f"CAST({cell} AS BIGINT)", dt.int64
    if column.base in _AS_THEY_ARE:
        return f"CAST({cell} AS {column.base.upper()})", dt.dtype(_AS_THEY_ARE[column.base])
    if column.base in _MOMENTS:
        kind = dt.Timestamp(timezone=_MOMENTS[column.base], scale=6)
        return f"CAST({cell} AS {column.base.upper()})", kind
    if column.base in _FLOATS:
        kind = dt.float32 if column.base == "float4" else dt.float64
        return _number(cell, _FLOATS[column.base]), kind
    if column.base in _NUMBERS:
        return _decimal(column, cell, dt)
    if _is_text(column):
        return f"NULLIF(BTRIM({_exact_text(column)}, {quote_text(blanks)}), '')", dt.string
    # Nobody can count these; the type's name comes along for whoever tries.
    return cell, dt.Struct({column.written: dt.string})


def _is_text(column: Column) -> bool:
    return column.category in _TEXT_CATEGORIES or column.base in _AS_TEXT


def _exact_text(column: Column) -> str:
    """Told apart by its characters alone; of a ``char(n)`` the cast removes the padding."""
    return f'CAST({quote_identifier(column.name)} AS TEXT) COLLATE "C"'


def _number(cell: str, kind: str) -> str:
    # Adding zero turns -0.0 into 0.0: they are one number.
    return f"NULLIF(CAST({cell} AS {kind}), CAST('NaN' AS {kind})) + CAST(0 AS {kind})"


def _decimal(column: Column, cell: str, dt: Any) -> tuple[str, dt.DataType]:
    exact = f"NULLIF(CAST({cell} AS NUMERIC), CAST('NaN' AS NUMERIC))"
    size = re.search(r"\((\d+),(-?\d+)\)$", column.written)
    if size and int(size[1]) <= _MOST_DIGITS and 0 <= int(size[2]) <= int(size[1]):
        return exact, dt.Decimal(int(size[1]), int(size[2]))
    # Digits without end have no type outside the database, but a text.
    return f"CAST(TRIM_SCALE({exact}) AS TEXT)", dt.string


@dataclass(frozen=True)
class StoredTable:
    """A table of a server, of which another table is made there."""

    address: TableAddress
    session: Session
    columns: tuple[Column, ...]
    place: str

    @cached_property
    def frame(self) -> nw.LazyFrame[Any]:
        """The columns as they are counted, c0, c1, ..., and as they are stored, o0, o1, ..."""
        session = self.session
        table = _numbered(session.backend, self.columns, session.blanks, self.place, as_stored=True)
        frame: nw.LazyFrame[Any] = nw.from_native(table)
        return frame

    @cached_property
    def counting(self) -> nw.LazyFrame[Any]:
        """The columns as they are counted, and text with the blanks around it as r0, r1, ...

        Grouping by text as it stands is several times cheaper than by what was cut off it.
        """
        session = self.session
        table = _numbered(session.backend, self.columns, session.blanks, self.place, raw_text=True)
        frame: nw.LazyFrame[Any] = nw.from_native(table)
        return frame

    def target(self, name: str) -> TableAddress:
        """The table of the same database that a user calls ``schema.name``, or just ``name``."""
        schema, table = split_table(name)
        if schema is None and not self.session.schemas:
            raise InputError("{table!r}: name the schema, too, as schema.name", table=name)
        return replace(self.address, schema=schema or self.session.schemas[0], table=table)

    def statement(
        self, target: TableAddress, released: nw.LazyFrame[Any], names: Sequence[str]
    ) -> str:
        """What makes a table of a query on this one, whose columns c0, c1, ... get names."""
        cells = ", ".join(f"c{place} AS {quote_identifier(n)}" for place, n in enumerate(names))
        query = self.session.backend.compile(released.to_native())
        made = f"{quote_identifier(str(target.schema))}.{quote_identifier(target.table)}"
        return f"CREATE TABLE {made} AS SELECT {cells} FROM (\n{query}\n) AS released"

    def script(self, statement: str) -> str:
        """A statement for a session of somebody else, with the settings that it needs."""
        settings = "".join(
            f"SET LOCAL {quote_identifier(name.lower())} = {quote_text(value)};\n"
            for name, value in {**COUNTING, "search_path": ""}.items()
        )
        return f"BEGIN;\n{settings}{statement};\nCOMMIT;\n"

    @contextmanager
    def made(self, target: TableAddress, statement: str) -> Iterator[OpenedTable]:
        """Make a table of this one as it was counted; it is kept if nothing is raised meanwhile."""
        try:
            session = Session(self.address, moment=self.session.moment())
        except FailedInDatabaseError as problem:
            raise _not_made(target, problem.kind) from None
        connection = session.backend.con
        try:
            connection.execute(statement)
            yield _opened(session, target)
            connection.commit()
        except PetauditError:
            raise
        except Exception as problem:
            raise _not_made(target, failure_of(problem)) from None
        finally:
            # What was not committed is undone.
            connection.close()


def _not_made(target: TableAddress, reason: str) -> InputError:
    return InputError("{table}: cannot be made ({reason})", table=target.shown, reason=reason)


def open_postgres_table(address: TableAddress) -> OpenedTable:
    """Open the table that an address names."""
    try:
        session = Session.to(address)
        address = replace(address, server={**address.server, **session.reached(address)})
        return _opened(session, address)
    except FailedInDatabaseError as problem:
        raise InputError(
            "{table}: cannot be opened ({reason})", table=address.shown, reason=problem.kind
        ) from None


def _opened(session: Session, address: TableAddress) -> OpenedTable:
    oid, schema = _find_table(session, address)
    columns = _describe_columns(session, address, oid)
    place = f"{quote_identifier(schema)}.{quote_identifier(address.table)}"
    table = _numbered(session.backend, columns, session.blanks, place)
    names = tuple(column.name for column in columns)
    stored = StoredTable(address, session, tuple(columns), place)

    def close(kept: list[Session] = [session]) -> None:  # noqa: B006 (it is the one reference)
        kept.clear()

    return OpenedTable(address.shown, names, nw.from_native(table), close=close, stored=stored)


def _numbered(
    backend: Any,
    columns: Sequence[Column],
    blanks: str,
    place: str,
    *,
    as_stored: bool = False,
    raw_text: bool = False,
) -> ir.Table:
    """The columns of a table or subquery as c0, c1, ..., and as they are stored as o0, o1, ...

    Text with the blanks around it is in r0, r1, ... With their types Ibis need not ask the server
    for them, which it does by making a view.
    """
    read = {f"c{place}": _read_column(column, blanks) for place, column in enumerate(columns)}
    if as_stored:
        # Whatever Ibis calls their types, nobody looks into them.
        unread = [Column(column.name, "", "", column.written) for column in columns]
        read |= {f"o{place}": _read_column(column, "") for place, column in enumerate(unread)}
    if raw_text:
        read |= {
            # Numbers without end are text as well, and never have blanks.
            f"r{place}": (_exact_text(column) if _is_text(column) else cell, kind)
            for place, (column, (cell, kind)) in enumerate(
                zip(columns, list(read.values()), strict=False)
            )
            if kind.is_string()
        }
    cells = ", ".join(f"{cell} AS {name}" for name, (cell, _) in read.items())
    types = {name: kind for name, (_, kind) in read.items()}
    return backend.sql(f"SELECT {cells} FROM {place}", schema=types)


def _find_table(session: Session, address: TableAddress) -> tuple[int, str]:
    schemas = list(session.schemas) if address.schema is None else [address.schema]
    matches = session.ask(_FIND, [address.table, schemas, schemas])
    if matches:
        oid, schema = matches[0]
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


def _describe_columns(session: Session, address: TableAddress, oid: int) -> list[Column]:
    entries = session.ask(_COLUMNS, [oid, oid])
    for name, *_, may_read in entries:
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
    return [Column(*entry[:4]) for entry in entries]


def is_on_postgres(table: Any) -> bool:
    """Whether an Ibis table is in PostgreSQL."""
    backends = table._find_backends()[0]
    return len(backends) == 1 and backends[0].name == "postgres"


def engine_of(table: Any) -> str:
    """The name of what counts an Ibis table."""
    return "postgres" if is_on_postgres(table) else "ibis"


def wrap_ibis_table(table: ir.Table) -> tuple[ir.Table, tuple[str, ...]]:
    """The table with columns c0, c1, ..., and the names that its owner gave them."""
    schema = table.schema()
    names = tuple(schema.names)
    renamed = {f"c{index}": name for index, name in enumerate(names)}
    backends = _tried_backends(table)
    if not backends or not names:
        return table.rename(renamed), names
    [backend] = backends
    if backend.name == "postgres":
        columns = [_column_of_ibis(name, kind) for name, kind in schema.items()]
        if backend.con not in _backends:
            # The connection is somebody else's, with settings that may change what is counted.
            _backends[backend.con] = new_backend(settings_of_query=COUNTING)
            _backends[backend.con].con = backend.con
        place = f"({backend.compile(table)}) AS source"
        return _numbered(_backends[backend.con], columns, BLANKS, place), names
    # Tables of this process that are part of it have to be known to the database.
    backend._run_pre_execute_hooks(table)
    kinds = ["VARCHAR" if kind.is_string() else "" for kind in schema.values()]
    cells = numbered_cells(names, kinds)
    query = f"SELECT {cells} FROM ({backend.compile(table)}) AS source"
    return backend.sql(query, schema=dict(zip(renamed, schema.values(), strict=True))), names


def _tried_backends(table: ir.Table) -> list[Any]:
    """The backend of a table, none of a table of this process; an error for one not tried.

    Other databases compare texts by rules of their own, column by column: "Wang" may equal "wang",
    and classes would look larger than they are.
    """
    backends: list[Any]
    backends, is_unbound = table._find_backends()
    if is_unbound or len(backends) > 1:
        raise InputError("a table of Ibis must be bound to one database")
    # A table of this process is counted by Ibis's default, which may be any.
    for backend in backends or [table.get_backend()]:
        if backend.name not in ("duckdb", *(["postgres"] if backends else [])):
            raise InputError(
                "tables of Ibis are counted by DuckDB and PostgreSQL only; on {engine} "
                "the figures have not been verified: write the table to a Parquet file",
                engine=backend.name,
            )
    return backends


def _column_of_ibis(name: str, kind: Any) -> Column:
    """A column of an Ibis table as the catalogue would describe it."""
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
