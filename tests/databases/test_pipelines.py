"""Pipelines on tables of databases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from databases.server import AUDITOR, MARKER, Server
from petaudit.cli import main
from tables.engines import Column, text

PIPELINE = """
Loader:
  people:
    filepath: '{address}'
    original: '{original}'
    key: id
    roles: {{identifier: [id], quasi_identifier: [zip], sensitive_attribute: [sick]}}
    hierarchies: {{zip: {{"476": ["*"], "479": ["*"]}}}}
Evaluator:
  classes: {{method: k-anonymity, limit: 2}}
  entropy: {{method: non-uniform-entropy}}
"""
PEOPLE = {
    "id": Column("integer", [1, 2, 3, 4]),
    "zip": text("476", "476", "479", "479"),
    "sick": text("flu", "cold", "flu", "cold"),
}


def run(folder: Path, address: str, original: str, *more: str) -> dict[str, Any]:
    path = folder / "audit.yaml"
    path.write_text(PIPELINE.format(address=address, original=original), encoding="utf-8")
    assert main(["run", str(path), "--out", str(folder / "out"), "--quiet", *more]) == 0
    result: dict[str, Any] = json.loads(
        (folder / "out" / "result.json").read_text(encoding="utf-8")
    )
    return result


def test_a_pipeline_counts_in_the_server(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    released, original = server.put("pipe1", PEOPLE), server.put("pipe2", PEOPLE)
    document = run(tmp_path, released, original)
    place = f"postgresql://127.0.0.1:{server.port}/postgres?table=public."
    told = document["inputs"]
    assert {value["name"] for value in told.values()} == {f"{place}pipe1", f"{place}pipe2"}
    assert all("sha256" not in value and value["opened"] for value in told.values())
    assert {value["engine"] for value in told.values()} == {"postgres"}
    assert document["results"][0]["value"] == 2
    with server.owner() as connection:
        connection.execute("INSERT INTO pipe1 SELECT id + 10, zip, sick FROM pipe1")
        connection.execute("INSERT INTO pipe2 SELECT id + 10, zip, sick FROM pipe2")
    # What a server holds may have changed: nothing is taken from an earlier run.
    again = run(tmp_path, released, original, "--resume")
    assert again["results"][0]["value"] == 4
    said = capsys.readouterr()
    for path in (tmp_path / "out").iterdir():
        shown = path.read_text(encoding="utf-8")
        assert MARKER not in shown
        assert AUDITOR not in shown
    assert AUDITOR not in said.out + said.err


def test_a_pipeline_counts_in_a_file_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(str(path)) as connection:
        for name in ("released", "original"):
            connection.execute(f"CREATE TABLE {name} (id INTEGER, zip VARCHAR, sick VARCHAR)")
            rows = list(zip(*(value.cells for value in PEOPLE.values()), strict=True))
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)  # noqa: S608
    place = "duckdb://data.duckdb?table="
    document = run(tmp_path, f"{place}released", f"{place}original")
    assert {value["name"] for value in document["inputs"].values()} == {
        f"{place}released",
        f"{place}original",
    }
    assert all(value["sha256"] for value in document["inputs"].values())
    assert str(tmp_path) not in json.dumps(document)


def test_a_new_pipeline_names_the_table(server: Server, tmp_path: Path) -> None:
    address = server.put("begun", PEOPLE)
    target = tmp_path / "audit.yaml"
    assert main(["init", address, "--out", str(target)]) == 0
    assert address in target.read_text(encoding="utf-8")
