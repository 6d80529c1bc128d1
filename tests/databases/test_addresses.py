"""How a table in a database is written, and what is said of an address that cannot be read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from databases.server import Server
from petaudit.cli import main
from petaudit.cli.parser import build_parser
from petaudit.errors import InputError
from petaudit.tables import open_source
from petaudit.tables.addresses import TableAddress, is_address, located, parse_address
from tables.engines import Column

MARK = "hunter2"
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("address", "schema", "table", "parameters"),
    [
        ("postgresql://db/health?table=t", None, "t", {"host": "db", "dbname": "health"}),
        ("postgres:///?table=s.t", "s", "t", {}),
        ("POSTGRESQL://db?table=t", None, "t", {"host": "db"}),
        (
            "postgresql://eve@db:5433/health?table=t&sslmode=require",
            None,
            "t",
            {"host": "db", "port": "5433", "dbname": "health", "user": "eve", "sslmode": "require"},
        ),
        ("postgresql://[::1]:5/d?table=t", None, "t", {"host": "::1", "port": "5", "dbname": "d"}),
        ("postgresql://a,b:5/d?table=t", None, "t", {"host": "a,b", "port": ",5", "dbname": "d"}),
        ("postgresql:///d?host=/run/pg&table=t", None, "t", {"host": "/run/pg", "dbname": "d"}),
        ("postgresql://db?table=%22a.b%22.%22c%22%22d%22", "a.b", 'c"d', {"host": "db"}),
        ('postgresql://db?table="a.b"', None, "a.b", {"host": "db"}),
        ('postgresql://db?schema=x.y&table="a".b.c', "x.y", '"a".b.c', {"host": "db"}),
        ("postgresql://db?table=%E8%87%BA%20%E5%8C%97+", None, "臺 北+", {"host": "db"}),
        ("postgresql://db?service=audit&table=t", None, "t", {"host": "db", "service": "audit"}),
    ],
)
def test_an_address_says_where_a_table_is(
    address: str, schema: str | None, table: str, parameters: dict[str, str]
) -> None:
    result = parse_address(address)
    assert (result.schema, result.table, dict(result.server)) == (schema, table, parameters)
    again = parse_address(result.shown)
    assert (again.schema, again.table) == (schema, table)


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@given(schema=st.none() | names, table=names)
def test_what_is_shown_can_be_read_again(schema: str | None, table: str) -> None:
    again = parse_address(TableAddress("postgresql", table, schema, {"host": "db"}).shown)
    assert (again.schema, again.table, dict(again.server)) == (schema, table, {"host": "db"})


PASSWORDS = [
    f"postgresql://eve:{MARK}@db/health?table=t",
    f"postgresql://eve%3A:{MARK}@db/health?table=t",
    f"postgres://:{MARK}@db/health?table=t",
    f"postgresql://db/health?table=t&password={MARK}",
    f"postgresql://db/health?table=t&pass%77ord={MARK}",
    f"postgresql://db/health?table=t&PassWord={MARK}",
    f"postgresql://db/health?table=t&sslpassword={MARK}",
    f"host=db password={MARK} dbname=health",
]
UNREADABLE = [
    f"postgresql://eve:a/{MARK}@db/health?table=t",
    f"postgresql://eve:a?{MARK}=1@db/health?table=t",
    f"postgresql://eve:7#{MARK}@db/health?table=t",
    f"postgresql://eve:{MARK}/health?table=t",
    f"postgresql://db:5432:{MARK}/health?table=t",
    f"postgresql://db/health?table=t&options={MARK}",
    f"postgresql://db/health?table=t&{MARK}",
    f"postgresql://db/health?table=t&x{MARK}=1",
    f"postgresql://db/health?schema={MARK}",
    f"postgresql://db/{MARK}%zz?table=t",
    f"postgresql://db/{MARK}%00?table=t",
    f"postgresql://db/%ff{MARK}?table=t",
    f"postgresql://db/h?table=a.b.{MARK}",
    f'postgresql://db/h?table="{MARK}',
    f"postgresql://db/h?table=t&table={MARK}",
    f"postgresql://db/h?table=t&host={MARK}",
    f"postgresql://db/h?table=&dbname={MARK}",
    f"postgresql://db/h?table=t&port={MARK}",
    f"postgesql://eve:{MARK}@db/health?table=t",
    f"mysql://eve:{MARK}@db/health?table=t",
    f"postgresql:eve:{MARK}@db/health?table=t",
    f"duckdb://?table={MARK}",
    f"duckdb://x.duckdb?table=t&password={MARK}",
]


@pytest.mark.parametrize("address", [*PASSWORDS, *UNREADABLE])
def test_an_address_that_is_refused_is_not_quoted(address: str, capsys: Any) -> None:
    with pytest.raises(InputError) as caught:
        open_source(address)
    holds_password = address in PASSWORDS or ("duckdb" in address and "password" in address)
    assert ("contains a password" in str(caught.value)) == holds_password
    assert main(["check", address, "--qi", "a"]) == 2
    said = capsys.readouterr()
    for shown in (str(caught.value), repr(caught.value), said.out, said.err):
        assert MARK not in shown
        assert "eve" not in shown
    assert said.out == ""


def test_a_mistyped_address_is_told() -> None:
    with pytest.raises(InputError, match=r"did you mean 'postgresql://'\?"):
        open_source("postgesql://db/health?table=t")
    with pytest.raises(InputError, match=r"unknown parameter 'tabel' \(did you mean 'table'\?\)"):
        open_source("postgresql://db/health?tabel=t")
    with pytest.raises(InputError, match=r"file 'people\.csv' does not exist"):
        open_source("people.csv")


@pytest.mark.parametrize("scheme", ["hdfs", "S3A", "abfss", "gs", "viewfs", "wasbs"])
def test_an_address_that_spark_reads(scheme: str, capsys: Any) -> None:
    assert main(["check", f"{scheme}://eve:{MARK}@host/tax/2025.parquet", "--qi", "zip"]) == 2
    said = capsys.readouterr().err
    assert f"'{scheme.lower()}:' begins an address that Spark reads" in said
    assert "add --engine spark" in said
    assert MARK not in said


def test_only_texts_are_addresses() -> None:
    assert is_address("postgres://x")
    assert not is_address(Path("postgres://x"))
    assert not is_address("postgres")


def test_a_relative_file_starts_from_a_folder(tmp_path: Path) -> None:
    assert located("postgresql://db?table=t", tmp_path) == "postgresql://db?table=t"
    result = parse_address(located("duckdb://a%20b.duckdb?table=t", tmp_path))
    assert result.path == tmp_path / "a b.duckdb"
    assert parse_address(located("duckdb:///x.duckdb?table=t", tmp_path)).path == Path("/x.duckdb")


@pytest.mark.parametrize("page", ["databases.md", "zh-TW/databases.md"])
def test_the_page_writes_addresses_that_can_be_read(page: str) -> None:
    shown = (DOCS / page).read_text(encoding="utf-8")
    addresses = re.findall(r'"((?:postgresql|duckdb)://[^"\s]+)"', shown)
    assert len(addresses) == 6
    for address in addresses:
        assert parse_address(address).table in {"released", "collected"}
    for line in re.findall(r"^petaudit .*$", shown.replace("\\\n", " "), re.MULTILINE):
        build_parser().parse_args(shlex.split(line)[1:])


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
