"""A table in PostgreSQL is de-identified there: combinations leave it, rows do not."""

from __future__ import annotations

import os
import random
import stat
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from psycopg import sql

import petaudit
from databases.server import AUDITOR, OWNER, Server
from in_process import run
from petaudit.anonymizing import making
from petaudit.errors import InputError, NotMeasurableError, UndecidedError
from tables.engines import Column

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

SCHEMA = 'out"put'
PLACE = '"out""put".released'
QUASI = ["age", "zip %s'", "sex"]
GIVEN: dict[str, Any] = {
    "quasi_identifiers": QUASI,
    "sensitive": "illness",
    "hierarchies": {"age": petaudit.ranges(10, 20)},
}
KINDS = {"weight": "numeric", "sex": "char(3)", "more": "jsonb"}


def table_of(seed: int, rows: int = 60) -> dict[str, Column]:
    pick = random.Random(seed)  # noqa: S311 (of a test)
    return {
        "name": Column("text", [f"person {number}" for number in range(rows)]),
        "age": Column("integer", [pick.choice([None, 21, 22, 35, 61]) for _ in range(rows)]),
        "zip %s'": Column(
            "text", [pick.choice(["a'b", " c ", "", "d\\", "*"]) for _ in range(rows)]
        ),
        "sex": Column("text", [pick.choice("fm") for _ in range(rows)]),
        "illness": Column("text", [pick.choice(["flu", "cold", "gout"]) for _ in range(rows)]),
        "weight": Column("text", [pick.choice(["1.50", "2"]) for _ in range(rows)]),
        "more": Column("text", ['{"x": 1}'] * rows),
        "who": Column("text", [f"p{number // 2}" for number in range(rows)]),
    }


@pytest.fixture(scope="module")
def patients(server: Server) -> str:
    with server.owner() as connection:
        place, auditor = sql.Identifier(SCHEMA), sql.Identifier(AUDITOR)
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(place))
        connection.execute(sql.SQL("GRANT ALL ON SCHEMA {} TO {}").format(place, auditor))
    return server.put("patients", table_of(1), KINDS)


def here(seed: int) -> pa.Table:
    """The same table in memory; what is in it beside its classes does not matter to a search."""
    columns = table_of(seed)
    return pa.table({name: columns[name].cells for name in [*QUASI, "illness", "who"]})


def rows_of(server: Server, query: str) -> list[tuple[Any, ...]]:
    with server.owner() as connection:
        done = connection.execute(query)
        return [] if done.description is None else done.fetchall()


@pytest.fixture(autouse=True)
def without_table(server: Server, patients: str) -> None:
    with server.owner() as connection:
        connection.execute(f"DROP TABLE IF EXISTS {PLACE}")


CASES: dict[str, dict[str, Any]] = {
    "local": {"limits": {"k-anonymity": 3}},
    "global": {"limits": {"k-anonymity": 3, "l-diversity": 2}, "recoding": "global"},
    "suppressed": {
        "limits": {"k-anonymity": 4},
        "max_suppression": "40%",
        "recoding": "global",
        "levels": {"age": 0},
    },
    "dropped": {
        "limits": {"k-anonymity": 4},
        "max_suppression": "60%",
        "drop_suppressed": True,
        "recoding": "global",
        "levels": {"age": 0, "sex": 0},
    },
    "people": {"limits": {"k-anonymity": 3}, "person": "who"},
}


@pytest.mark.parametrize("name", CASES)
def test_the_table_that_is_made_is_the_one_of_the_same_rows_here(
    name: str, server: Server, patients: str
) -> None:
    given = {**GIVEN, **CASES[name]}
    local = petaudit.anonymize(here(1), **given)
    made = petaudit.anonymize(patients, **given)
    assert made.transformation.steps == local.transformation.steps
    assert made.loss == local.loss
    for result in made.audit.results:
        assert result.value == local.audit[result.measure].value
    made.make_table(PLACE)
    written = Counter(row[:4] for row in rows_of(server, f"TABLE {PLACE}"))
    expected = local.released.select([*QUASI, "illness"]).to_pylist()
    assert written == Counter(tuple(row.values()) for row in expected)
    assert made.rows_released == sum(written.values()) == local.released.num_rows


def test_other_columns_keep_their_types_and_identifiers_leave(
    server: Server, patients: str
) -> None:
    petaudit.anonymize(patients, **GIVEN, limits={"k-anonymity": 3}, person="who").make_table(PLACE)
    described = rows_of(
        server,
        "SELECT column_name, data_type FROM information_schema.columns "
        "WHERE table_name = 'released' ORDER BY ordinal_position",
    )
    kinds = dict(described)
    assert (kinds["weight"], kinds["more"]) == ("numeric", "jsonb")
    assert not {"name", "who"} & kinds.keys()


def test_a_table_that_breaks_a_limit_is_undone(
    server: Server, patients: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the search's own figures nothing is believed: the table is measured in its transaction."""
    made = petaudit.anonymize(patients, **GIVEN, limits={"k-anonymity": 3})
    original = making.ReleasedElsewhere.statement
    monkeypatch.setattr(
        making.ReleasedElsewhere,
        "statement",
        lambda self, target: original(self, target) + " WHERE c3 <> 'flu'",
    )
    with pytest.raises(UndecidedError, match="k-anonymity"):
        made.make_table(PLACE)
    assert rows_of(server, f"SELECT to_regclass('{PLACE}')") == [(None,)]


def test_the_table_is_made_of_the_rows_that_were_counted(server: Server) -> None:
    address = server.put("growing", table_of(2), KINDS)
    made = petaudit.anonymize(address, **GIVEN, limits={"k-anonymity": 3})
    with server.owner() as connection:
        connection.execute("INSERT INTO growing (age, illness) VALUES (99, 'flu')")
    made.make_table(PLACE)
    assert len(rows_of(server, f"TABLE {PLACE}")) == 60


def test_rows_never_leave_but_as_combinations(server: Server, patients: str) -> None:
    begun = server.log_end
    made = petaudit.anonymize(patients, **GIVEN, limits={"k-anonymity": 3})
    made.make_table(PLACE)
    said = server.statements(begun)
    assert sum(each.startswith("CREATE TABLE") for each in said) == 1
    assert not any("person 1" in each for each in said)
    with pytest.raises(NotMeasurableError, match="make_table"):
        _ = made.table


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.released", "no such schema"),
        ("public.released", "no permission"),
        (PLACE, "such a table already"),
    ],
)
def test_a_table_that_cannot_be_made_is_one_line(
    name: str, message: str, server: Server, patients: str
) -> None:
    made = petaudit.anonymize(patients, **GIVEN, limits={"k-anonymity": 3})
    if name == PLACE:
        made.make_table(PLACE)
    with pytest.raises(InputError, match=message):
        made.make_table(name)


def test_the_statement_makes_the_same_table_in_psql(
    server: Server, patients: str, tmp_path: Path
) -> None:
    """Also of later rows: what nobody counted has no place in it."""
    options = ["--qi", ",".join(QUASI), "--sensitive", "illness", "--identifier", "name"]
    options += ["--k", "3", "--out-table", PLACE]
    done = run(["anonymize", patients, *options, "--out-sql", "made.sql"], tmp_path, os.environ)
    assert done.returncode == 0, done.stderr
    script = tmp_path / "made.sql"
    assert stat.S_IMODE(script.stat().st_mode) == 0o600
    assert rows_of(server, f"SELECT to_regclass('{PLACE}')") == [(None,)]
    where = ["-h", "127.0.0.1", "-p", str(server.port), "-U", OWNER, "-d", "postgres"]
    with server.owner() as connection:
        connection.execute("INSERT INTO patients (age, \"zip %s'\") VALUES (99, 'new')")
    try:
        subprocess.run(
            [server.programs / "psql", *where, "-v", "ON_ERROR_STOP=1", "-q", "-f", str(script)],
            env={**os.environ, "PGPASSWORD": server.passwords[OWNER]},
            check=True,
        )
    finally:
        rows_of(server, "DELETE FROM patients WHERE age = 99")
    by_statement = Counter(map(repr, rows_of(server, f"TABLE {PLACE}")))
    rows_of(server, f"DROP TABLE {PLACE}")
    again = run(["anonymize", patients, *options], tmp_path, os.environ)
    assert again.returncode == 0, again.stderr
    assert by_statement == Counter(map(repr, rows_of(server, f"TABLE {PLACE}")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "a.csv"], "--out-table SCHEMA.NAME"),
        ([], "--out-table SCHEMA.NAME"),
        (["--out-table", "a.b.c"], "schema.name"),
    ],
)
def test_wrong_outputs_are_refused_in_one_line(
    options: list[str], message: str, patients: str, tmp_path: Path
) -> None:
    asked = ["anonymize", patients, "--qi", "sex", "--k", "2", *options]
    done = run(asked, tmp_path, os.environ)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr
    assert not [*tmp_path.iterdir()]


def test_evaluators_after_an_anonymizer_count_where_the_rows_are(
    patients: str, tmp_path: Path
) -> None:
    text = f"""
Loader:
  people:
    filepath: "{patients}"
    roles: {{quasi_identifier: [age, sex], sensitive_attribute: [illness], identifier: [name]}}
Anonymizer:
  three: {{limits: {{k-anonymity: 3}}, recoding: global}}
Evaluator:
  k: {{method: k-anonymity, limit: 3}}
  l: {{method: l-diversity}}
"""
    (tmp_path / "audit.yaml").write_text(text)
    audit = petaudit.Executor(tmp_path / "audit.yaml")
    local = petaudit.anonymize(
        here(1).select(["age", "sex", "illness"]),
        quasi_identifiers=["age", "sex"],
        sensitive="illness",
        limits={"k-anonymity": 3},
        recoding="global",
    )
    expected = petaudit.audit(
        local.released,
        quasi_identifiers=["age", "sex"],
        sensitive="illness",
        measures=["k-anonymity", "l-diversity"],
    )
    assert audit.run() == "passed", audit.document["errors"]
    values = [entry["value"] for entry in audit.document["results"]]
    assert values == [result.value for result in expected.results]
