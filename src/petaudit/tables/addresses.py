"""How a table of a database is written: what the address says, and what may be shown of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os.path import expanduser
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from petaudit.errors import InputError, OptionError, argument, listing, phrase, suggestion

POSTGRES: Final = "postgresql"
DUCKDB: Final = "duckdb"
_SCHEMES: Final = {"postgresql": POSTGRES, "postgres": POSTGRES, "duckdb": DUCKDB}
_OF_SPARK: Final = frozenset(
    {
        *(
            "table",
            "hdfs",
            "webhdfs",
            "swebhdfs",
            "viewfs",
            "s3",
            "s3a",
            "s3n",
            "gs",
            "oss",
            "cosn",
            "obs",
        ),
        *("abfs", "abfss", "wasb", "wasbs", "adl", "dbfs", "maprfs", "alluxio", "o3fs", "ofs"),
    }
)
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
"""A single letter is a drive."""
_SHAPES: Final = {
    POSTGRES: "postgresql://user@host:5432/database?table=schema.name",
    DUCKDB: "duckdb:///folder/file.duckdb?table=schema.name",
}
_SECRET: Final = frozenset({"password", "passwd", "pwd", "sslpassword", "oauth_client_secret"})
_OURS: Final = ("table", "schema")
_ANY: Final = "surrogateescape"
_LIBPQ: Final = (
    *("host", "hostaddr", "port", "dbname", "user", "service", "passfile", "connect_timeout"),
    *("sslmode", "sslnegotiation", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir"),
    *("sslsni", "sslcertmode", "ssl_min_protocol_version", "ssl_max_protocol_version"),
    *("channel_binding", "require_auth", "gssencmode", "krbsrvname", "gsslib", "requirepeer"),
    *("keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count"),
    *("tcp_user_timeout", "target_session_attrs"),
)
"""What may be said about the way to a server; not ``options``, which could change the session."""


@dataclass(frozen=True)
class TableAddress:
    """Where a table is. Its text shows no user and no parameter but the table's own."""

    kind: str
    table: str
    schema: str | None = None
    server: Mapping[str, str] = field(default_factory=dict, repr=False)
    """How libpq reaches the server."""
    path: Path | None = None
    """The file of a DuckDB database."""

    @property
    def shown(self) -> str:
        """The address for people: enough to know the table, and nothing that opens a door."""
        table = _as_parameter(self.table)
        if self.schema is not None:
            table = f"{_as_parameter(self.schema)}.{table}"
        if self.path is not None:
            return f"duckdb://{_written(str(self.path), safe='/')}?table={table}"
        database = _written(self.server.get("dbname", ""))
        return f"postgresql://{self.place}/{database}?table={table}"

    @property
    def place(self) -> str:
        """The host and port, as far as they are known.

        Where libpq is given both, it connects to ``hostaddr``; ``host`` is just what it calls it.

        >>> parse_address("postgresql://db:5433/health?hostaddr=10.0.0.5&table=t").place
        '10.0.0.5:5433'
        >>> parse_address("postgresql://a,b:5433/health?table=t").place
        'a,b:5433'
        """
        hosts = (self.server.get("hostaddr") or self.server.get("host", "")).split(",")
        ports = self.server.get("port", "").split(",")
        if len(ports) != len(hosts):
            ports = ports[:1] * len(hosts)
        written = (f"[{host}]" if ":" in host else _written(host) for host in hosts)
        return ",".join(f"{h}:{p}" if p else h for h, p in zip(written, ports, strict=True))


def is_address(table: object) -> bool:
    """Whether a text is the address of a table in a database.

    >>> is_address("postgresql://host/db?table=t"), is_address("people.csv")
    (True, False)
    """
    return isinstance(table, str) and _scheme(table) in _SCHEMES


def _scheme(text: str) -> str | None:
    match = _ADDRESS.match(text)
    return None if match is None else match[1].casefold()


def check_no_address(name: str) -> None:
    """Raise an error if what no file is called by looks like an address: it is never quoted."""
    scheme = _scheme(name)
    if re.match(r"jdbc:|(host|hostaddr|dbname|service|port|user)\s*=\s*\S", name, re.IGNORECASE):
        if re.search(r"\b(password|pgpassword)\s*=|://[^/@]*:[^/@]*@", name, re.IGNORECASE):
            raise _has_password()
        raise InputError(
            "petaudit does not read addresses of JDBC or of the form host=... dbname=...; "
            "expected {shape}",
            shape=_SHAPES[POSTGRES],
        )
    if scheme is None and not re.match("postgres(ql)?:", name, re.IGNORECASE):
        if re.search(r"\b(password|pgpassword)\s*=", name, re.IGNORECASE):
            raise _has_password()
        return
    if scheme in _OF_SPARK:
        raise InputError(
            "{scheme!r} begins an address that Spark reads: add {argument}",
            scheme=f"{scheme}:",
            argument=argument("engine", "spark"),
        )
    known = [*_SCHEMES, "benchmark"]
    raise InputError(
        "{scheme!r} is not a known scheme{near}; a table is a file or {shapes}",
        scheme=f"{scheme or POSTGRES}:",
        near=suggestion(f"{scheme}://", [f"{kind}://" for kind in known]) if scheme else "",
        shapes=listing([*_SHAPES.values(), "benchmark://NAME"]),
    )


def located(address: str, folder: Path) -> str:
    """The address with the path of a DuckDB file starting from a folder.

    >>> located("duckdb://a.duckdb?table=t", Path("/data"))
    'duckdb:///data/a.duckdb?table=t'
    """
    scheme, _, rest = address.partition("://")
    if _SCHEMES.get(scheme.casefold()) != DUCKDB:
        return address
    path, mark, query = rest.partition("?")
    file = folder / expanduser(unquote(path))  # noqa: PTH111 (never raises)
    return f"{scheme}://{quote(str(file), errors='surrogateescape')}{mark}{query}"


def shown_address(address: str) -> str:
    """The address as results show it: without users, and without where a file lies.

    >>> shown_address("postgresql://eve@db/health?table=t"), shown_address("duckdb:///a/b?table=t")
    ('postgresql://db/health?table=t', 'duckdb://b?table=t')
    """
    parsed = parse_address(address)
    if parsed.path is not None:
        parsed = replace(parsed, path=Path(parsed.path.name))
    return parsed.shown


def parse_address(address: str) -> TableAddress:
    """Read an address. No error quotes it: it may hold a password in a place of its own.

    >>> parse_address('postgresql://eve@db:5433/health?table="a.b"."c"').shown
    'postgresql://db:5433/health?table=%22a.b%22.c'
    """
    match = _ADDRESS.match(address)
    if match is None or match[1].casefold() not in _SCHEMES:  # pragma: no cover (callers look)
        raise InputError("this is not the address of a table in a database")
    kind = _SCHEMES[match[1].casefold()]
    place, _, query = match[2].partition("?")
    if "#" in match[2]:
        raise _malformed(kind, phrase("write a # in it as %23"))
    if "@" in query or (kind == POSTGRES and "@" in place.partition("/")[2]):
        # Such is what becomes of a password with a ? or a / in it.
        raise _malformed(kind, phrase("write an @ behind the host as %40"))
    if kind == POSTGRES:
        server = _server(place)
    parameters = _parameters(kind, query)
    schema, table = _table(kind, parameters)
    if kind == DUCKDB:
        path = _decoded(kind, place)
        if not path:
            raise _malformed(kind, phrase("it names no file"))
        return TableAddress(kind, table, schema, path=Path(expanduser(path)))  # noqa: PTH111
    more = {name: value for name, value in parameters.items() if name not in _OURS}
    for name in more:
        if name in server:
            raise _malformed(kind, phrase("duplicate {name}", name=name))
    return TableAddress(kind, table, schema, server | more)


def _server(place: str) -> dict[str, str]:
    """What stands before the question mark: user, host, port and database."""
    authority, _, database = place.partition("/")
    user, at, host = authority.rpartition("@")
    if ":" in user:
        raise _has_password()
    server = {"user": _decoded(POSTGRES, user)} if at and user else {}
    # As in libpq, several hosts are separated by commas, each with a port of its own or none.
    hosts, ports = [], []
    for one in host.split(","):
        within = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(?::([0-9]*))?", one)
        if within is None:
            # A password without a host behind it looks like a port.
            raise _malformed(POSTGRES, phrase("its host and port cannot be read"))
        hosts.append(_decoded(POSTGRES, within[1].strip("[]")))
        ports.append(within[2] or "")
    if any(hosts):
        server["host"] = ",".join(hosts)
    if any(ports):
        server["port"] = ",".join(ports)
    if database:
        server["dbname"] = _decoded(POSTGRES, database)
    return server


def _parameters(kind: str, query: str) -> dict[str, str]:
    known = (*_OURS, *_LIBPQ) if kind == POSTGRES else _OURS
    parameters: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        name, equals, value = part.partition("=")
        name = _decoded(kind, name)
        if name.casefold() in _SECRET:
            raise _has_password()
        if name not in known:
            shown = name if re.fullmatch("[A-Za-z_]{1,40}", name) else "?"
            raise InputError(
                "the address of the table has an unknown parameter {name!r}{near}; parameters "
                "are {known}",
                name=shown,
                near=suggestion(shown, known),
                known=listing(known, len(known)),
            )
        if not equals or not value:
            raise _malformed(kind, phrase("its parameter {name} has no value", name=name))
        if name in parameters:
            raise _malformed(kind, phrase("duplicate {name}", name=name))
        parameters[name] = _decoded(kind, value)
    if not re.fullmatch("[0-9,]*", parameters.get("port", "")):
        raise _malformed(kind, phrase("its host and port cannot be read"))
    return parameters


def _table(kind: str, parameters: Mapping[str, str]) -> tuple[str | None, str]:
    """The schema and the name: with ``schema=`` the name is taken as it stands.

    Otherwise a dot is between them, and double quotes keep a dot, as in SQL.
    """
    if "table" not in parameters:
        raise _malformed(kind, phrase("it names no table"))
    if "schema" in parameters:
        return parameters["schema"], parameters["table"]
    names = _schema_and_table(parameters["table"])
    if names is None:
        raise _malformed(
            kind,
            phrase(
                "the name of the table must be name, schema.name, or have parts in double quotes; "
                "with schema=, any other name is taken literally"
            ),
        )
    return names


def split_table(text: str) -> tuple[str | None, str]:
    """The schema and the name of a table.

    >>> split_table("health.people"), split_table('"v1.2"')
    (('health', 'people'), (None, 'v1.2'))
    """
    names = _schema_and_table(text)
    if names is None or "\0" in text:
        raise OptionError(
            "the name of a table must be name, schema.name, or have parts in double quotes, "
            "got {name!r}",
            name=text,
        )
    return names


def name_parts(text: str) -> tuple[str, ...] | None:
    """The parts of a name that dots separate, None if it is not such a name.

    >>> name_parts('lake."v1.2".people'), name_parts("a..b")
    (('lake', 'v1.2', 'people'), None)
    """
    parts = re.findall(r'(?:"((?:[^"]|"")+)"|([^".]+))(?:\.|$)', text)
    # Written anew, the parts are the text again, unless it had something else in it.
    again = ".".join(bare or f'"{inside}"' for inside, bare in parts)
    if again != text or not parts:
        return None
    return tuple(bare or inside.replace('""', '"') for inside, bare in parts)


def _schema_and_table(text: str) -> tuple[str | None, str] | None:
    names = name_parts(text) or ()
    if not 1 <= len(names) <= 2:
        return None
    return (names[0] if len(names) == 2 else None), names[-1]


def _as_parameter(name: str) -> str:
    """A name as it is written in ``table=``."""
    plain = name if re.fullmatch('[^".]+', name) else '"' + name.replace('"', '""') + '"'
    return _written(plain)


def _written(text: str, safe: str = "") -> str:
    """A text within an address; letters of all languages stay readable.

    >>> _written("病人 a&b")
    '病人%20a%26b'
    """
    return "".join(
        mark if not mark.isascii() and mark.isprintable() else quote(mark, safe, errors=_ANY)
        for mark in text
    )


def _decoded(kind: str, text: str) -> str:
    try:
        if re.search(r"%(?![0-9A-Fa-f]{2})", text):
            raise ValueError
        decoded = unquote(text, errors="strict")
    except ValueError:
        decoded = "\0"
    if "\0" in decoded:
        raise _malformed(kind, phrase("a % in it is not followed by two hexadecimal digits"))
    return decoded


def _has_password() -> InputError:
    return InputError(
        "the address of the table contains a password, which would be visible in the shell "
        "history, the process list and files: leave it out, change it if others may have seen it, "
        "and put it into ~/.pgpass or the variable PGPASSWORD"
    )


def _malformed(kind: str, reason: str) -> InputError:
    return InputError(
        "the address of the table is not valid: {reason}; expected {shape}",
        reason=reason,
        shape=_SHAPES[kind],
    )
