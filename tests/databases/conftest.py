"""One server for all tests here; workers of pytest-xdist have one each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ibis", reason="Ibis is not installed")
pytest.importorskip("psycopg", reason="psycopg is not installed")

from databases.server import AUDITOR, MARKER, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running PostgreSQL; the passwords are in a passfile, as an auditor has them."""
    started = Server.start()
    try:
        with pytest.MonkeyPatch.context() as environment:
            for name in [name for name in os.environ if name.startswith("PG")]:
                environment.delenv(name)
            started.add_user(AUDITOR, MARKER)
            passfile = tmp_path_factory.mktemp("passwords") / "pgpass"
            for name, value in started.environment(passfile).items():
                environment.setenv(name, value)
            yield started
    finally:
        started.stop()


@pytest.fixture
def passwordless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment that knows no password."""
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "nothing"))
