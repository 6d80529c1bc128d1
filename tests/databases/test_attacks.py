"""Attacks that compare equal rows are counted in PostgreSQL as they are here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attacks.elsewhere import Put, check_figures, check_measure, tables_of_people
from databases.server import Server
from petaudit.cli import main
from tables.engines import Column

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


KINDS = {"int32": "integer", "double": "float", "string": "text", "date32[day]": "date"}


@pytest.fixture
def put(server: Server) -> Put:
    def stored(name: str, table: pa.Table) -> str:
        columns = {
            field.name: Column(KINDS[str(field.type)], table.column(field.name).to_pylist())
            for field in table.schema
        }
        return server.put(f"attack {name}", columns)

    return stored


@pytest.mark.parametrize("check", [check_figures, check_measure])
def test_figures_are_those_of_this_process(check: Callable[[Put], None], put: Put) -> None:
    check(put)


@pytest.mark.parametrize("remote", ["original", "synthetic", "control"])
def test_rows_that_stay_in_the_engine_have_no_numbers(
    remote: str, put: Put, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {}
    names = ("synthetic", "original", "control")
    for name, table in zip(names, tables_of_people(5, (40, 60, 50)), strict=True):
        given[name] = str(tmp_path / f"{name}.parquet")
        if name == remote:
            given[name] = put(name, table)
        else:
            pq.write_table(table, given[name])
    before = sorted(tmp_path.iterdir())
    asked = ["attack", given["original"], given["synthetic"], "--control", given["control"]]
    written = ["--rows", str(tmp_path / "rows.csv"), "--report", str(tmp_path / "report.html")]
    assert main([*asked, "--person", "who", "--measures", "copied-rows", *written]) == 2
    shown = capsys.readouterr()
    assert "(--rows)" in shown.err
    assert not shown.out
    assert sorted(tmp_path.iterdir()) == before
