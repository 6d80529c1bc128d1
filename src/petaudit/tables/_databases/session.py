"""A session on a PostgreSQL server that can only read."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from petaudit.errors import InputError
from petaudit.labels.cells import BLANKS
from petaudit.tables._databases.addresses import TableAddress
from petaudit.tables._databases.backend import new_backend
from petaudit.tables._databases.failures import FailedInDatabaseError, not_connected
from petaudit.tables._databases.settings import READING, setting

_TIMEOUT: Final = "10"

_shared: ContextVar[dict[Any, Session] | None] = ContextVar("_shared", default=None)


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

    def __init__(self, address: TableAddress) -> None:
        self.backend = _connected(address)
        # Begins the one transaction of the session, which reads and never ends by itself.
        self.backend.con.execute("SELECT 1")
        # Whoever counts keeps the session; the server should not wait for the end of the program.
        weakref.finalize(self, self.backend.con.close)
        try:
            self.schemas: tuple[str, ...] = tuple(
                self.ask("SELECT pg_catalog.current_schemas(false)")[0][0]
            )
            self.ask(*setting(READING, local=False))
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

    @property
    def is_over(self) -> bool:
        """Whether the connection is closed or broken."""
        return bool(self.backend.con.closed or self.backend.con.broken)

    def reached(self, address: TableAddress) -> dict[str, str]:
        """Where the connection leads, if that is another place than the host that was named."""
        info = self.backend.con.info
        if "hostaddr" in address.server or os.environ.get("PGHOSTADDR"):
            return {"hostaddr": info.hostaddr}
        # Of several hosts the first that answers is taken.
        return {"host": info.host} if "," in address.server.get("host", "") else {}

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
                "{table}: the database says no encoding of its text (SQL_ASCII), so that "
                "labels cannot be told apart",
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

        made = new_backend()
    except ImportError:
        raise InputError(
            "{table}: PostgreSQL needs Ibis, psycopg and libpq: pip install 'petaudit[postgres]'",
            table=address.shown,
        ) from None
    seconds = address.server.get("connect_timeout") or os.environ.get("PGCONNECT_TIMEOUT")
    seconds = seconds or _TIMEOUT
    given: dict[str, Any] = {**address.server, "connect_timeout": seconds}
    try:
        made.con = psycopg.connect(**given, application_name="petaudit", client_encoding="utf8")
    except (psycopg.Error, UnicodeError, ValueError) as problem:
        raise not_connected(address, problem, seconds) from None
    # Nothing is left behind in the server, or in a pool of connections before it.
    made.con.prepare_threshold = None
    made.con.read_only = True
    made.con.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    return made
