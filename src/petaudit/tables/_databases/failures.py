"""What went wrong in a database, in plain words: its own messages may hold names and cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import InputError, phrase
from petaudit.tables._spark.failures import spark_failure

if TYPE_CHECKING:
    from petaudit.tables._databases.addresses import TableAddress

_LOST: Final = phrase("the connection was lost")
_KINDS: Final = {
    "57014": phrase("it was cancelled, or took longer than the server allows"),
    "57P01": _LOST,
    "57P02": _LOST,
    "57P03": phrase("the server is starting or shutting down"),
    "57P05": _LOST,
    "25P03": _LOST,
    "25006": phrase("it would have written, and the session may only read"),
    "53100": phrase("the server's disk is full"),
    "53200": phrase("the server ran out of memory"),
    "53300": phrase("the server takes no more connections"),
    "42501": phrase("no permission, or row security would hide rows"),
    "42P01": phrase("the table is gone"),
    "42703": phrase("a column is gone"),
    "40001": phrase("it collided with what the server had to do"),
}
_OTHER_KINDS: Final = {"08": _LOST, "22": phrase("a value that it cannot work with")}
_REFUSED: Final = (
    # libpq gives no code for a connection that did not come about, only a text in English.
    (r"password authentication failed|authentication failed|no password supplied", "login"),
    (r"no pg_hba\.conf entry|pg_hba\.conf rejects|is not permitted to log in", "login"),
    (r"role \".*\" does not exist", "login"),
    (r"database \".*\" does not exist|permission denied for database", "database"),
    (r"could not translate host name|Name or service not known|resolve host", "host"),
    (r"timeout expired|timed out|connection timeout", "timeout"),
    (r"too many clients|too many connections|remaining connection slots", "full"),
    (r"starting up|shutting down|in recovery mode", "starting"),
    (r"definition of service|service file", "service"),
    (r"SSL|certificate|GSSAPI", "ssl"),
    (r"invalid .* value|invalid connection option|invalid integer value|invalid port", "option"),
)


class FailedInDatabaseError(Exception):
    """A query failed; the message is the kind of the failure and nothing else."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(kind)


def failure_of(problem: Exception) -> str:
    """The kind of a failure, for a message."""
    if isinstance(problem, FailedInDatabaseError):
        return problem.kind
    state = getattr(problem, "sqlstate", None)
    if isinstance(state, str):
        found = _KINDS.get(state) or _OTHER_KINDS.get(state[:2])
        if found:
            return found
    if _is_of_psycopg(problem):
        if type(problem).__name__ in ("OperationalError", "InterfaceError"):
            return _LOST
        if type(problem).__name__ == "DataError":
            return phrase("a date or number that cannot be held outside of the database")
    return spark_failure(problem) or type(problem).__name__


def _is_of_psycopg(problem: Exception) -> bool:
    return type(problem).__module__.partition(".")[0] == "psycopg"


def not_connected(address: TableAddress, problem: Any, seconds: str) -> InputError:
    """Why nobody let us in, without the words of the server, which name people."""
    said = str(problem)
    kind = next((kind for words, kind in _REFUSED if re.search(words, said)), "")
    needs_password = getattr(getattr(problem, "pgconn", None), "needs_password", False)
    reasons = {
        "login": phrase(
            "the server refused the user or the password; they come from the address, from the "
            "variables PGUSER and PGPASSWORD, or from ~/.pgpass"
        ),
        "database": phrase("there is no such database, or this user may not open it"),
        "host": phrase("no such host is known"),
        "timeout": phrase("nothing answered within {seconds} seconds", seconds=seconds),
        "full": _KINDS["53300"],
        "starting": _KINDS["57P03"],
        "service": phrase("the service is not defined in the service file"),
        "ssl": phrase("the two sides did not agree on encryption or on a certificate"),
        "option": phrase("a parameter of the address or of the environment has a wrong value"),
    }
    if needs_password and not kind:  # pragma: no cover (the server spoke another language)
        kind = "login"
    reason = reasons.get(kind, phrase("nothing answers there"))
    return InputError("{table}: cannot connect: {reason}", table=address.shown, reason=reason)
