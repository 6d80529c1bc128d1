"""A PostgreSQL server of our own: started for the tests, on loopback, and gone afterwards."""

from __future__ import annotations

import gc
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql

from extras import postgres_programs
from tables.engines import Table

OWNER = "petaudit_owner"
AUDITOR = "auditor"
MARKER = "s3cret/%@:?#&marker"
"""The auditor's password, which must be seen nowhere."""
SQL_TYPES = {
    "text": "text",
    "category": "varchar",
    "enum": "varchar(50)",
    "integer": "bigint",
    "float": "double precision",
    "float32": "real",
    "boolean": "boolean",
    "date": "date",
    "datetime": "timestamp",
    "decimal": "numeric(20,4)",
    "null": "text",
}
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "log_statement": "all",
    "log_line_prefix": "%a|%u|",
    "log_destination": "stderr",
    "fsync": "off",
    "max_connections": "99",
    "shared_buffers": "16MB",
}


def _system_user() -> str | None:
    """Who runs the server: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    return None


@dataclass
class Server:
    """A running server, and how to reach it."""

    programs: Path
    folder: Path
    port: int
    user: str | None
    passwords: dict[str, str] = field(default_factory=dict, repr=False)
    tables: set[str] = field(default_factory=set, repr=False)
    """What was put into it."""

    @classmethod
    def start(cls) -> Server:
        """Make a database cluster and serve it."""
        programs = postgres_programs()
        assert programs is not None
        # A short path: the name of a socket has a limit. And one that the server's user can enter.
        folder = Path(tempfile.mkdtemp(prefix="petaudit-pg-"))
        server = cls(programs, folder, _free_port(), _system_user())
        try:
            server._start()
        except BaseException:
            server.stop()
            raise
        return server

    def _start(self) -> None:
        self.passwords[OWNER] = secrets.token_urlsafe(12)
        secret = self.folder / "owner"
        secret.write_text(self.passwords[OWNER], encoding="utf-8")
        if self.user is not None:
            entry = pwd.getpwnam(self.user)
            for path in (self.folder, secret):
                os.chown(path, entry.pw_uid, entry.pw_gid)
        self._run(
            "initdb",
            *("--pgdata", str(self.data), "--username", OWNER, "--pwfile", str(secret)),
            *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync"),
        )
        secret.unlink()
        lines = [f"{name} = '{value}'" for name, value in SETTINGS.items()]
        lines += [f"port = {self.port}", f"unix_socket_directories = '{self.folder}'"]
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.resume()

    def resume(self) -> None:
        """Start the server, and wait until it answers."""
        self._run("pg_ctl", *self._control, "--log", str(self.log_path), "start")

    def halt(self) -> None:
        """Stop the server at once, in the middle of whatever it does."""
        self._run("pg_ctl", *self._control, "--mode", "immediate", "stop")

    def stop(self) -> None:
        """Stop the server and remove what it stored."""
        if (self.data / "postmaster.pid").exists():
            self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log_path(self) -> Path:
        return self.folder / "server.log"

    @property
    def _control(self) -> tuple[str, ...]:
        return ("--pgdata", str(self.data), "--wait", "--silent")

    def _run(self, program: str, *arguments: str) -> None:
        # pg_ctl's server keeps the streams open, so they lead to a file and not to a pipe.
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                [str(self.programs / program), *arguments],
                stdout=said,
                stderr=said,
                stdin=subprocess.DEVNULL,
                user=self.user,
                group=None if self.user is None else pwd.getpwnam(self.user).pw_gid,
                extra_groups=None if self.user is None else [],
                cwd=self.folder,
                env={"LC_ALL": "C", "PATH": os.environ.get("PATH", "")},
                check=False,
            )
            if done.returncode:
                said.seek(0)
                raise RuntimeError(f"{program} failed: {said.read().decode(errors='replace')}")

    def address(self, table: str, **more: str) -> str:
        """The address of a table, as a user writes it."""
        rest = "".join(f"&{name}={value}" for name, value in more.items())
        return f"postgresql://{AUDITOR}@127.0.0.1:{self.port}/postgres?table={table}{rest}"

    def add_user(self, name: str, password: str) -> None:
        """A user who may log in and nothing else."""
        self.passwords[name] = password
        with self.owner() as connection:
            connection.execute("SET log_statement = 'none'")
            made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
            connection.execute(made.format(sql.Identifier(name), sql.Literal(password)))

    def put(self, name: str, table: Table, types: Mapping[str, str] | None = None) -> str:
        """Make a table of the cells, which the auditor may read, and return its address."""
        known = dict(types or {})
        definitions = []
        for column, own in table.items():
            kind = sql.SQL(known.get(column) or SQL_TYPES[own.kind])
            definitions.append(sql.SQL("{} {}").format(sql.Identifier(column), kind))
        place = sql.Identifier(name)
        rows = list(zip(*(own.cells for own in table.values()), strict=True))
        with self.owner() as connection:
            if name in self.tables:
                # A failed test keeps its session, and so a lock, in its traceback: no endless wait.
                # Of a name that is new nobody has one, and looking for garbage takes long.
                gc.collect()
                connection.execute("SET lock_timeout = '60s'")
            self.tables.add(name)
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(place))
            made = sql.SQL("CREATE TABLE {} ({})")
            connection.execute(made.format(place, sql.SQL(", ").join(definitions)))
            filled = sql.SQL("COPY {} FROM STDIN").format(place)
            with connection.cursor() as cursor, cursor.copy(filled) as copy:
                for row in rows:
                    copy.write_row(row)
            self.grant(connection, name)
        return self.address(quote(name, safe=""), schema="public")

    def grant(self, connection: psycopg.Connection[Any], name: str) -> None:
        """Let the auditor read a table."""
        grant = sql.SQL("GRANT SELECT ON {} TO {}")
        connection.execute(grant.format(sql.Identifier(name), sql.Identifier(AUDITOR)))

    def owner(self, database: str = "postgres") -> psycopg.Connection[Any]:
        """A connection that may do everything."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            dbname=database,
            user=OWNER,
            password=self.passwords[OWNER],
            application_name="owner",
            autocommit=True,
        )

    def environment(self, passfile: Path) -> Mapping[str, str]:
        """What the auditor's environment says: where the passwords are."""
        lines = [
            f"*:*:*:{name}:{word.replace(':', chr(92) + ':')}\n"
            for name, word in self.passwords.items()
            if name != OWNER
        ]
        passfile.write_text("".join(lines), encoding="utf-8")
        passfile.chmod(0o600)
        return {"PGPASSFILE": str(passfile)}

    def statements(self, start: int = 0) -> list[str]:
        """What the server was asked by petaudit since some point of its log."""
        return [text for who, text in _entries(self.log_from(start)) if who == "petaudit"]

    def log_from(self, start: int) -> str:
        """The server's log since some point."""
        with self.log_path.open("rb") as file:
            file.seek(start)
            return file.read().decode()

    @property
    def log_end(self) -> int:
        """Where the log ends now; what the last statements said has arrived by then."""
        size = -1
        while size != (size := self.log_path.stat().st_size):
            time.sleep(0.01)
        return size


_ENTRY = re.compile(r"(?m)^([^|\n]*)\|([^|\n]*)\|")
_STATEMENT = re.compile(r"(?s)LOG:  (?:statement|execute [^:]*): (.*)")


def _entries(log: str) -> list[tuple[str, str]]:
    """Who said what: an entry of the log goes on over lines that begin with a tab."""
    parts = _ENTRY.split(log)[1:]
    result = []
    for application, _user, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        statement = _STATEMENT.match(text)
        if statement:
            result.append((application, statement[1].replace("\n\t", "\n").rstrip("\n")))
    return result


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
