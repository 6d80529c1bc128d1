"""Ibis tables that the caller has on PostgreSQL: read as carefully as those of an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from petaudit.errors import InputError
from petaudit.labels.cells import BLANKS
from petaudit.tables._database import numbered_cells
from petaudit.tables._databases.backend import new_backend
from petaudit.tables._databases.columns import Column, read_column
from petaudit.tables._databases.settings import COUNTING

if TYPE_CHECKING:
    import ibis.expr.types as ir

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
