"""A session on a PostgreSQL server that can only read."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from petaudit.errors import InputError, NotMeasurableError, phrase
from petaudit.labels.cells import BLANKS
from petaudit.tables.addresses import TableAddress
from petaudit.tables.engines.duckdb import quote_text
from petaudit.tables.engines.spark_jobs import spark_failure

if TYPE_CHECKING:
    import ibis.expr.types as ir

_TIMEOUT: Final = "10"
_CHECKED: Final = "5s"

_shared: ContextVar[dict[Any, Session] | None] = ContextVar("_shared", default=None)

COUNTING: Final[Mapping[str, str]] = {
    # What labels look like must not depend on the settings of a server or a user.
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",
    # A constant ends where its quote ends, whatever is in it.
    "standard_conforming_strings": "on",
    # Rows that a policy hides would be missing from every count: better an error.
    "row_security": "off",
}
READING: Final[Mapping[str, str]] = {
    **COUNTING,
    "default_transaction_read_only": "on",
    # Then no function that somebody put into a schema can take the place of the real one.
    "search_path": "",
}
"""The same, of a session of our own."""

_LOST: Final = phrase("the connection was lost")
_KINDS: Final = {
    "57014": phrase("it was cancelled, or took longer than the server allows"),
    "57P01": _LOST,
    "57P02": _LOST,
    "57P03": phrase("the server is starting or shutting down"),
    "57P05": _LOST,
    "25P03": _LOST,
    "25006": phrase("it would write, but the session is read-only"),
    "53100": phrase("the server's disk is full"),
    "53200": phrase("the server ran out of memory"),
    "53300": phrase("the server accepts no more connections"),
    "42501": phrase("no permission, or row security would hide rows"),
    "42P01": phrase("the table no longer exists"),
    "42P07": phrase("there is such a table already"),
    "3F000": phrase("there is no such schema"),
    "42703": phrase("a column is gone"),
    "40001": phrase("it conflicted with another operation on the server"),
}
_OTHER_KINDS: Final = {"08": _LOST, "22": phrase("a value that it cannot process")}
_PSYCOPG_ERRORS: Final = {
    "OperationalError": _LOST,
    "InterfaceError": _LOST,
    "DataError": phrase("a date or number that cannot be represented outside the database"),
}
_LOGIN: Final = phrase(
    "the server refused the user or the password; they come from the address, from the "
    "variables PGUSER and PGPASSWORD, or from ~/.pgpass"
)
_TIMED_OUT: Final = "timed out"
_REFUSED: Final = {
    # libpq gives no code for a connection that did not come about, only a text in English.
    r"authentication failed|no password supplied|no pg_hba\.conf entry|pg_hba\.conf rejects"
    r"|is not permitted to log in|role \".*\" does not exist": _LOGIN,
    r"database \".*\" does not exist|permission denied for database": phrase(
        "there is no such database, or this user may not open it"
    ),
    "could not translate host name|Name or service not known|resolve host": phrase("unknown host"),
    "timeout expired|timed out|connection timeout": _TIMED_OUT,
    "too many clients|too many connections|remaining connection slots": _KINDS["53300"],
    "starting up|shutting down|in recovery mode": _KINDS["57P03"],
    "definition of service|service file": phrase("the service is not defined in the service file"),
    "SSL|certificate|GSSAPI": phrase(
        "the two sides did not agree on encryption or on a certificate"
    ),
    "invalid .* value|invalid connection option|invalid port": phrase(
        "a parameter of the address or an environment variable has an invalid value"
    ),
}


class FailedInDatabaseError(Exception):
    """A query failed; the message is the kind of the failure and nothing else."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(kind)


def failure_of(problem: Exception) -> str:
    """The kind of a failure, for a message."""
    if isinstance(problem, FailedInDatabaseError):
        return problem.kind
    state = str(getattr(problem, "sqlstate", None))
    kind = _KINDS.get(state) or _OTHER_KINDS.get(state[:2])
    if kind is None and type(problem).__module__.partition(".")[0] == "psycopg":
        kind = _PSYCOPG_ERRORS.get(type(problem).__name__)
    return kind or spark_failure(problem) or type(problem).__name__


def not_connected(address: TableAddress, problem: Exception, seconds: str) -> InputError:
    """Why the server refused us, without its own words, which name people."""
    text = str(problem)
    reason = next((reason for words, reason in _REFUSED.items() if re.search(words, text)), None)
    if reason == _TIMED_OUT:
        reason = phrase("no answer within {seconds} seconds", seconds=seconds)
    if reason is None:
        needs_password = getattr(getattr(problem, "pgconn", None), "needs_password", False)
        # The server may speak another language.
        reason = _LOGIN if needs_password else phrase("no answer")
    return InputError("{table}: cannot connect: {reason}", table=address.shown, reason=reason)


def setting(wanted: Mapping[str, str], *, local: bool) -> tuple[str, list[str]]:
    """The query that makes settings, for one transaction or for the session, and its values."""
    calls = ", ".join([f"pg_catalog.set_config(%s, %s, {str(local).lower()})"] * len(wanted))
    return f"SELECT {calls}", [text for pair in wanted.items() for text in pair]


def new_backend(settings_of_query: Mapping[str, str] | None = None) -> Any:
    """A backend without a connection yet, which is its ``con``.

    Settings of a query hold while it runs, on a connection that is not ours.
    """
    backend = _backend_class()()
    backend.settings_of_query = settings_of_query
    return backend


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
            settings = self.settings_of_query
            try:
                # A failure must not end the transaction: inside of it is a smaller one. Undone, it
                # leaves the settings of somebody else's session as they were.
                within = self.con.transaction(force_rollback=settings is not None)
                with within, self.con.cursor() as cursor:
                    if settings is not None:
                        cursor.execute(*setting(settings, local=True))
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
            arrays = list(map(_array, columns, schema.types))
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

        def visit_Strip(self, op: Any, *, arg: Any) -> Any:  # noqa: N802
            """Ibis would cut off the blanks of ASCII alone."""
            return sge.Anonymous(this="btrim", expressions=[arg, sge.convert(BLANKS)])

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
            alias = sge.TableAlias(this=sg.to_identifier("constants", quoted=True), columns=columns)
            unnested = sge.Table(this=sge.Anonymous(this="unnest", expressions=arrays), alias=alias)
            return sg.select(sge.Star()).from_(unnested).subquery()

    return Compiler()


def _listed(node: Any) -> list[Any]:
    """The values of an array of constants."""
    return list(node.value) if hasattr(node, "value") else [item.value for item in node.exprs]


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


@contextmanager
def snapshot(sessions: dict[Any, Any] | None = None) -> Iterator[None]:
    """Tables of one database that are opened within are seen as they were at one moment.

    Only such tables can be joined: they share a connection. With ``sessions``, which begins as an
    empty dict, the moment lasts beyond the block.
    """
    if _shared.get() is not None:
        yield
        return
    token = _shared.set({} if sessions is None else sessions)
    try:
        yield
    finally:
        _shared.reset(token)


class Session:
    """One connection: all queries see the table as it was at the first of them."""

    def __init__(self, address: TableAddress, *, moment: str | None = None) -> None:
        self.backend = _connected(address)
        if moment is None:
            # Begins the one transaction of the session, which reads and never ends by itself.
            self.backend.con.execute("SELECT 1")
        else:
            # One that writes, and sees what another session sees.
            self.backend.con.read_only = False
            self.backend.con.execute(f"SET TRANSACTION SNAPSHOT {quote_text(moment)}")
        # Whoever counts keeps the session; the server should not wait for the end of the program.
        weakref.finalize(self, self.backend.con.close)
        try:
            self.schemas: tuple[str, ...] = tuple(
                self.ask("SELECT pg_catalog.current_schemas(false)")[0][0]
            )
            self.ask(*setting(READING, local=False))
            # A server whose client was killed would notice only when it answers.
            with suppress(FailedInDatabaseError):  # before version 14, and on some systems
                self.ask(*setting({"client_connection_check_interval": _CHECKED}, local=False))
            self.blanks = self._blanks(address)
        except BaseException:
            self.backend.con.close()
            raise

    @classmethod
    def to(cls, address: TableAddress) -> Session:
        """A new session, or the one that other tables of the database are seen by."""
        known = _shared.get()
        if known is None:
            return cls(address)
        key = tuple(sorted(address.server.items()))
        if key not in known or known[key].is_over:
            known[key] = cls(address)
        return known[key]

    def moment(self) -> str:
        """The state of the database that this session sees, for another one to see as well."""
        try:
            # Not within a smaller transaction, from which the server exports none.
            [[name]] = self.backend.con.execute("SELECT pg_catalog.pg_export_snapshot()").fetchall()
        except Exception as problem:
            raise FailedInDatabaseError(failure_of(problem)) from None
        return str(name)

    @property
    def is_over(self) -> bool:
        """Whether the connection is closed or broken."""
        return bool(self.backend.con.closed or self.backend.con.broken)

    def reached(self, address: TableAddress) -> dict[str, str]:
        """Where the connection leads, as far as the address does not say it.

        A service or the environment may name what tells a test from production.
        """
        info = self.backend.con.info
        reached: dict[str, str] = {}
        if not address.server.get("dbname"):
            reached["dbname"] = info.dbname
        if "hostaddr" in address.server or os.environ.get("PGHOSTADDR"):
            reached["hostaddr"] = info.hostaddr
        elif "," in address.server.get("host", ""):
            # Of several hosts the first that answers is taken.
            reached |= {"host": info.host, "port": str(info.port)}
        elif "host" not in address.server and not info.host.startswith("/"):
            reached |= {"host": info.host, "port": str(info.port)}
        return reached

    def ask(self, query: str, values: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """Ask the catalogue."""
        rows: list[tuple[Any, ...]] = self.backend.rows_of(query, values)
        return rows

    def _blanks(self, address: TableAddress) -> str:
        """The blanks that the encoding of the database can spell."""
        encoding = self.backend.con.info.parameter_status("server_encoding")
        if encoding == "UTF8":
            return BLANKS
        if encoding == "SQL_ASCII":
            raise InputError(
                "{table}: the database declares no text encoding (SQL_ASCII), so labels cannot be "
                "told apart",
                table=address.shown,
            )
        return "".join(blank for blank in BLANKS if blank.isascii() or self._spells(blank))

    def _spells(self, character: str) -> bool:
        try:
            self.ask("SELECT pg_catalog.convert_from(%s, 'UTF8') <> ''", [character.encode()])
        except FailedInDatabaseError:
            return False
        return True


def _connected(address: TableAddress) -> Any:
    """An Ibis backend of our own on a new connection."""
    try:
        import psycopg  # noqa: PLC0415 (an extra)

        backend = new_backend()
    except ImportError:
        raise InputError(
            "{table}: PostgreSQL needs Ibis, psycopg and libpq: pip install 'petaudit[postgres]'",
            table=address.shown,
        ) from None
    seconds = address.server.get("connect_timeout") or os.environ.get("PGCONNECT_TIMEOUT")
    seconds = seconds or _TIMEOUT
    given: dict[str, Any] = {**address.server, "connect_timeout": seconds}
    try:
        backend.con = psycopg.connect(**given, application_name="petaudit", client_encoding="utf8")
    except (psycopg.Error, UnicodeError, ValueError) as problem:
        raise not_connected(address, problem, seconds) from None
    # Nothing is left behind in the server, or in a pool of connections before it.
    backend.con.prepare_threshold = None
    backend.con.read_only = True
    backend.con.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    return backend
