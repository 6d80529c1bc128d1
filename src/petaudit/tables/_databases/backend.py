"""Ibis on PostgreSQL, with a door that only aggregates come through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from petaudit.errors import NotMeasurableError
from petaudit.tables._databases.failures import FailedInDatabaseError, failure_of
from petaudit.tables._databases.settings import setting

if TYPE_CHECKING:
    import ibis.expr.types as ir


def new_backend(settings_of_query: Mapping[str, str] | None = None) -> Any:
    """A backend without a connection yet, which is its ``con``.

    Settings of a query hold while it runs, on a connection that is not ours.
    """
    made = _backend_class()()
    made.settings_of_query = settings_of_query
    return made


@cache
def _backend_class() -> Any:
    from ibis.backends.postgres import Backend  # noqa: PLC0415 (an extra)

    class ReadingBackend(Backend):  # type: ignore[misc]
        """Ibis's own, but it creates nothing in the database and never asks for rows."""

        compiler = _compiler()
        settings_of_query: Mapping[str, str] | None = None

        def _run_pre_execute_hooks(self, expr: Any) -> None:
            """Ibis would create tables and functions here; ours stand in the query."""

        def rows_of(self, query: str, values: Any = None) -> list[tuple[Any, ...]]:
            """Run a query to its end."""
            own = self.settings_of_query
            try:
                # A failure must not end the transaction: inside of it is a smaller one. Undone, it
                # leaves the settings of somebody else's session as they were.
                within = self.con.transaction(force_rollback=own is not None)
                with within, self.con.cursor() as cursor:
                    if own is not None:
                        cursor.execute(*setting(own, local=True))
                    cursor.execute(query, values)
                    return list(cursor.fetchall())
            except Exception as problem:
                raise FailedInDatabaseError(failure_of(problem)) from None

        def to_pyarrow_batches(
            self, expr: ir.Expr, /, *, params: Any = None, limit: Any = None, **_: Any
        ) -> pa.RecordBatchReader:
            """Fetch an aggregate: without a cursor in the server, which would count on one core."""
            table = expr.as_table()
            check_aggregate(table)
            rows = self.rows_of(self.compile(table, params=params, limit=limit))
            schema = table.schema().to_pyarrow()
            columns = list(zip(*rows, strict=True)) or [()] * len(schema)
            arrays = [_array(cells, own.type) for cells, own in zip(columns, schema, strict=True)]
            batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
            return pa.RecordBatchReader.from_batches(schema, [batch])

    return ReadingBackend


def _compiler() -> Any:
    import ibis.expr.datatypes as dt  # noqa: PLC0415 (an extra)
    import sqlglot as sg  # noqa: PLC0415
    import sqlglot.expressions as sge  # noqa: PLC0415
    from ibis.backends.sql.compilers.postgres import PostgresCompiler  # noqa: PLC0415

    class Compiler(PostgresCompiler):  # type: ignore[misc]
        """Ibis's own, with what PostgreSQL needs for it."""

        __slots__ = ()

        def constants(self, cells: Sequence[Any], kind: Any) -> Any:
            """An array, as one constant."""
            return self.cast(sge.convert(_array_text(cells)), dt.Array(kind))

        def visit_Cast(self, op: Any, *, arg: Any, to: Any) -> Any:  # noqa: N802
            """PostgreSQL casts a boolean to one kind of number only."""
            if op.arg.dtype.is_boolean() and to.is_numeric():
                arg = self.cast(arg, dt.int32)
            return super().visit_Cast(op, arg=arg, to=to)

        def visit_MapGet(self, op: Any, *, arg: Any, key: Any, default: Any) -> Any:  # noqa: N802
            """What stands at the place of the key: Ibis would go through JSON, which fails."""
            keys = self.constants(_listed(op.arg.keys), op.key.dtype)
            values = self.constants(_listed(op.arg.values), op.dtype)
            place = sge.Anonymous(this="array_position", expressions=[keys, key])
            return sge.Bracket(this=sge.Paren(this=values), expressions=[place], offset=1)

        def visit_InMemoryTable(  # noqa: N802
            self, op: Any, *, name: str, schema: Any, data: Any
        ) -> Any:
            """A table of ours as constants of the query: a reader creates no temporary table."""
            cells = data.to_pyarrow(schema)
            arrays = [
                self.constants(cells.column(column).to_pylist(), kind)
                for column, kind in schema.items()
            ]
            columns = [sg.to_identifier(column, quoted=True) for column in schema.names]
            alias = sge.TableAlias(this=sg.to_identifier("own", quoted=True), columns=columns)
            unnested = sge.Table(this=sge.Anonymous(this="unnest", expressions=arrays), alias=alias)
            return sg.select(sge.Star()).from_(unnested).subquery()

    return Compiler()


def _listed(node: Any) -> list[Any]:
    """The values of an array of constants."""
    return list(node.value) if hasattr(node, "value") else [own.value for own in node.exprs]


def _array_text(cells: Sequence[Any]) -> str:
    """An array as PostgreSQL writes it."""
    texts = []
    for cell in cells:
        if cell is None:
            texts.append("NULL")
        else:
            text = str(cell).replace("\\", "\\\\").replace('"', '\\"')
            texts.append(f'"{text}"')
    return "{" + ",".join(texts) + "}"


def check_aggregate(table: ir.Table) -> None:
    """Raise an error if a query would fetch rows of a table rather than counts of them."""
    import ibis.expr.operations as ops  # noqa: PLC0415 (slow to load)

    seen: set[Any] = set()
    waiting: list[Any] = [table.op()]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ops.Aggregate | ops.Distinct | ops.InMemoryTable) or node in seen:
            continue
        if isinstance(node, ops.PhysicalTable | ops.SQLQueryResult):
            raise NotMeasurableError(
                "this needs the rows themselves, which do not leave their database"
            )
        seen.add(node)
        waiting.extend(node.__children__)


def _array(cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Cells as the type that Ibis expects; PostgreSQL sums whole numbers to decimals."""
    if pa.types.is_integer(kind):
        cells = [None if cell is None else int(cell) for cell in cells]
    elif pa.types.is_floating(kind):
        cells = [None if cell is None else float(cell) for cell in cells]
    return pa.array(cells, type=kind)
