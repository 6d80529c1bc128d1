"""What goes wrong with a server is said in plain words, with exit code 2 and without secrets."""

from __future__ import annotations

import json
import logging
import socket
import sys
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv

import petaudit
from databases.server import AUDITOR, MARKER, Server
from petaudit import inputs, k_anonymity, non_uniform_entropy
from petaudit.cli import main
from petaudit.errors import EngineError
from petaudit.tables import open_source
from tables.engines import text

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
PEOPLE = {"zip": text("476", "476", "479", "479"), "sick": text("flu", "cold", "flu", "cold")}


def check_is_refused(address: str, words: str, capsys: Any, *more: str) -> None:
    """The command ends with exit code 2 and says what is wrong, and nothing of the server's."""
    capsys.readouterr()
    assert main(["check", address, "--qi", "zip", "--sensitive", "sick", *more]) == 2
    said = capsys.readouterr()
    assert words in said.err
    for secret in (MARKER, "FATAL", AUDITOR, "pg_hba"):
        assert secret not in said.out + said.err
    assert "Traceback" not in said.err


def test_wrong_password(server: Server, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "wrong " + MARKER)
    address = server.put("people", PEOPLE)
    check_is_refused(address, "cannot connect: the server refused the user or the password", capsys)


@pytest.mark.usefixtures("passwordless")
def test_no_password(server: Server, capsys: Any) -> None:
    check_is_refused(server.put("people2", PEOPLE), "refused the user or the password", capsys)


def test_unknown_user(server: Server, capsys: Any) -> None:
    address = server.address("people").replace(AUDITOR, "nobody")
    check_is_refused(address, "refused the user or the password", capsys)


def test_unknown_database(server: Server, capsys: Any) -> None:
    address = server.address("people").replace("/postgres?", "/other?")
    check_is_refused(address, "there is no such database", capsys)


def test_nobody_there(capsys: Any) -> None:
    with socket.socket() as taken:
        # Bound, but nobody listens.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        address = f"postgresql://127.0.0.1:{port}/postgres?table=people"
        check_is_refused(address, f"{address}: cannot connect: no answer", capsys)


def test_a_server_that_does_not_answer(capsys: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        address = f"postgresql://{place}/postgres?table=people&connect_timeout=2"
        check_is_refused(address, "no answer within 2 seconds", capsys)


def test_unknown_host(capsys: Any) -> None:
    address = "postgresql://no-such-host.invalid/postgres?table=people"
    check_is_refused(address, "unknown host", capsys)


def test_wrong_parameter(server: Server, capsys: Any) -> None:
    address = server.address("people", sslmode="perhaps")
    check_is_refused(address, "a parameter of the address or an environment variable", capsys)


def test_no_such_table(server: Server, capsys: Any) -> None:
    server.put("hospital", PEOPLE)
    for table in ("hospitl", "public.hospitl", "Hospital"):
        check_is_refused(server.address(table), "there is no such table (did you mean", capsys)


def test_no_permission(server: Server, capsys: Any) -> None:
    with server.owner() as connection:
        connection.execute("CREATE TABLE hidden (zip text, sick text)")
        connection.execute("CREATE SCHEMA closed")
        connection.execute("CREATE TABLE closed.inside (zip text, sick text)")
        connection.execute(f"GRANT SELECT ON closed.inside TO {AUDITOR}")
        connection.execute("CREATE TABLE partly (zip text, sick text, name text)")
        connection.execute(f"GRANT SELECT (zip, sick) ON partly TO {AUDITOR}")
    for table in ("hidden", "closed.inside"):
        check_is_refused(server.address(table), "no permission to read it", capsys)
    check_is_refused(server.address("partly"), "no permission to read column 'name'", capsys)


def test_rows_that_a_policy_hides(server: Server, capsys: Any) -> None:
    address = server.put("policed", PEOPLE)
    with server.owner() as connection:
        connection.execute("ALTER TABLE policed ENABLE ROW LEVEL SECURITY")
    check_is_refused(address, "row security hides rows", capsys)


def test_rows_that_a_policy_hides_from_a_view_or_a_frame(server: Server, capsys: Any) -> None:
    server.put("policed_below", PEOPLE)
    with server.owner() as connection:
        connection.execute("ALTER TABLE policed_below ENABLE ROW LEVEL SECURITY")
        connection.execute("CREATE POLICY part ON policed_below USING (zip = '476')")
        connection.execute(
            "CREATE VIEW over_policed WITH (security_invoker) AS SELECT * FROM policed_below"
        )
        connection.execute(f"GRANT SELECT ON over_policed TO {AUDITOR}")
    check_is_refused(server.address("over_policed"), "or row security would hide rows", capsys)
    entry = ibis.postgres.connect(
        host="127.0.0.1", port=server.port, user=AUDITOR, password=MARKER, database="postgres"
    )
    try:
        for name in ("policed_below", "over_policed"):
            with pytest.raises(EngineError, match="or row security would hide rows"):
                k_anonymity(entry.table(name), quasi_identifiers="zip")
    finally:
        entry.disconnect()


def test_an_empty_table(server: Server, capsys: Any) -> None:
    address = server.put("emptied", {"zip": text(), "sick": text()})
    check_is_refused(address, "has a header but no rows", capsys)


def test_dates_that_nobody_else_can_hold(server: Server) -> None:
    address = server.put("endless", {"a": text("infinity", "2024-01-01")}, {"a": "date"})
    counts = open_source(address).counts
    assert counts.class_histogram(["a"]).classes.tolist() == [2]
    with pytest.raises(EngineError, match="cannot be represented outside the database"):
        counts.value_counts("a")


def test_another_engine_is_refused(server: Server, capsys: Any) -> None:
    address = server.put("stays", PEOPLE)
    check_is_refused(address, "is counted by its database", capsys, "--engine", "duckdb")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    address = "postgresql://127.0.0.1:1/postgres?table=people"
    check_is_refused(address, "pip install 'petaudit[postgres]'", capsys)


def test_the_server_stops_in_the_middle(server: Server) -> None:
    address = server.put("lost", PEOPLE)
    source = open_source(address)
    assert source.rows == 4
    with server.owner() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'petaudit'"
        )
    with pytest.raises(EngineError, match=r"failed while counting \(the connection was lost\)"):
        source.counts.value_counts("zip")
    # The next one connects anew.
    assert open_source(address).rows == 4


def test_a_server_that_is_gone_ends_the_audit(
    server: Server, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.put("going", PEOPLE)
    open_first = inputs.open_source

    def and_stop(*given: Any, **named: Any) -> Any:
        source = open_first(*given, **named)
        assert source.rows
        server.halt()
        return source

    monkeypatch.setattr(inputs, "open_source", and_stop)
    try:
        check_is_refused(address, "the connection was lost", capsys)
    finally:
        server.resume()


def test_no_output_holds_the_password(
    server: Server,
    tmp_path: Path,
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("PGPASSWORD", MARKER)
    monkeypatch.setenv("PGUSER", AUDITOR)
    caplog.set_level(logging.DEBUG)
    address = server.put("audited", PEOPLE).replace(f"{AUDITOR}@", "")
    written = {kind: tmp_path / f"out.{kind}" for kind in ("json", "html")}
    told = ["--format", "json", "--out", str(written["json"]), "--report", str(written["html"])]
    asked = ["check", address, "--qi", "zip", "--sensitive", "sick", "--k", "2", *told]
    assert main(asked) == 0
    document = json.loads(written["json"].read_text(encoding="utf-8"))
    assert f"postgresql://127.0.0.1:{server.port}/postgres?table=public.audited" in str(document)
    said = capsys.readouterr()
    source = open_source(address)
    shown = [said.out, said.err, caplog.text, repr(source), str(source.fingerprint()), source.name]
    shown += [path.read_text(encoding="utf-8") for path in written.values()]
    for text_shown in shown:
        assert MARKER not in text_shown
        assert AUDITOR not in text_shown


def test_the_original_may_be_a_file(server: Server, tmp_path: Path) -> None:
    """A small file goes to the server as constants of the query."""
    keyed = {"id": text("1", "2", "3", "4"), **PEOPLE}
    released = keyed | {"zip": text("*", "476", "479", "*")}
    paths = {}
    for name, table in {"original": keyed, "released": released}.items():
        paths[name] = tmp_path / f"{name}.csv"
        arrow_csv.write_csv(
            pa.table({entry: cell.cells for entry, cell in table.items()}), paths[name]
        )
    given: dict[str, Any] = {"hierarchies": {"zip": {"476": "*", "479": "*"}}, "key": "id"}
    of_files = non_uniform_entropy(paths["original"], paths["released"], **given)
    address = server.put("beside", released)
    start = server.log_end
    result = non_uniform_entropy(paths["original"], address, **given)
    assert result.value == of_files.value
    assert 0 < result.value < 1
    assert not any("CREATE" in statement for statement in server.statements(start))


@pytest.mark.parametrize("measure", ["k-anonymity", "t-closeness"])
def test_a_view_that_gives_other_rows_each_time(server: Server, capsys: Any, measure: str) -> None:
    server.put("drawn_from", {name: text(*column.cells * 500) for name, column in PEOPLE.items()})
    with server.owner() as connection:
        connection.execute("DROP VIEW IF EXISTS drawn")
        # How many rows there are is the same in two queries once in 200,000 times.
        connection.execute(
            "CREATE VIEW drawn AS SELECT drawn_from.* FROM drawn_from, generate_series(1, 100) "
            "LIMIT 1 + (random() * 200000)::int"
        )
        server.grant(connection, "drawn")
    address = server.address("drawn", schema="public")
    check_is_refused(address, "rows and another", capsys, "--measures", measure)


def test_the_server_looks_whether_its_client_is_there(server: Server) -> None:
    source = open_source(server.put("watched", PEOPLE))
    assert source.counts.stored is not None
    asked = source.counts.stored.session.ask("SHOW client_connection_check_interval")
    assert asked == [("5s",)]


def test_blanks_that_only_some_rows_have_do_not_tear_classes_apart(server: Server) -> None:
    cells = {"zip": text("476", " 476", "476\u3000", "479", "479"), "sick": text(*"ababa")}
    address = server.put("blanks", cells)
    result = k_anonymity(address, quasi_identifiers=["zip"])
    assert (result.value, result.classes) == (2, 2)
    [again] = petaudit.audit(
        address, quasi_identifiers=["zip"], sensitive="sick", measures=["t-closeness"]
    ).results
    frame = pa.table({"zip": ["476"] * 3 + ["479"] * 2, "sick": [*"ababa"]})
    local = petaudit.t_closeness(frame, quasi_identifiers=["zip"], sensitive="sick")
    assert again.value == local.value


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("jdbc:postgresql://db/health", "expected postgresql://user@host:5432/database?table="),
        ("host=db dbname=health", "expected postgresql://user@host:5432/database?table="),
        (f"host=db password={MARKER}", "contains a password"),
    ],
)
def test_addresses_of_other_programs(address: str, words: str, capsys: Any) -> None:
    check_is_refused(address, words, capsys)


def test_the_environment_names_server_and_database(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put("named", PEOPLE)
    for name, value in {"PGHOST": "127.0.0.1", "PGPORT": str(server.port)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PGUSER", AUDITOR)
    monkeypatch.setenv("PGDATABASE", "postgres")
    shown = f"postgresql://127.0.0.1:{server.port}/postgres?table=named"
    assert open_source("postgresql://?table=named").name == shown
