"""Results name the server that was asked, whatever else the address calls it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from databases.server import Server
from petaudit.tables import open_source
from petaudit.tables.addresses import parse_address
from tables.engines import Column

CALLED = "production.example"
"""Nobody is there; with an address beside it, libpq does not look it up."""
ELSEWHERE = "127.0.0.1"


def by_parameter(address: str, patch: pytest.MonkeyPatch) -> str:
    return f"{address}&hostaddr={ELSEWHERE}"


def by_environment(address: str, patch: pytest.MonkeyPatch) -> str:
    patch.setenv("PGHOSTADDR", ELSEWHERE)
    return address


@pytest.mark.parametrize("way", [by_parameter, by_environment])
def test_the_address_that_was_connected_to_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch, way: Callable[[str, pytest.MonkeyPatch], str]
) -> None:
    address = server.put("people", {"zip": Column("text", ["1", "2"])})
    address = way(address.replace(ELSEWHERE, CALLED), monkeypatch)
    source = open_source(address)
    assert source.name == f"postgresql://{ELSEWHERE}:{server.port}/postgres?table=public.people"
    assert source.rows == 2


def test_of_several_hosts_the_one_that_answered_is_named(server: Server) -> None:
    address = server.put("people", {"zip": Column("text", ["1", "2"])})
    several = address.replace(ELSEWHERE, f"{server.folder}/nothing,{ELSEWHERE}".replace("/", "%2F"))
    assert open_source(several).name == open_source(address).name


def test_without_a_connection_the_parameter_is_named() -> None:
    address = parse_address("postgresql://db/health?hostaddr=10.0.0.5&table=t")
    assert address.shown == "postgresql://10.0.0.5/health?table=t"


def test_a_service_file_does_not_lead_elsewhere_than_the_host(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver looks up the host that an address names, and tells libpq the result."""
    file = tmp_path / "services.conf"
    file.write_text("[audit]\nhostaddr=192.0.2.1\n", encoding="utf-8")
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    address = server.put("people", {"zip": Column("text", ["1", "2"])})
    source = open_source(f"{address.replace(ELSEWHERE, 'localhost')}&service=audit")
    assert source.name.startswith(f"postgresql://localhost:{server.port}/")
    assert source.rows == 2
