"""A folder of Parquet files with something else in it: what is left out is said."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import InputError, PetauditWarning
from petaudit.tables import open_source

NOTE = (
    "folder 'people': {number} left out, because only .parquet files that are not hidden are the "
    "table: {names}"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = Path("people")
    made.mkdir()
    for part in range(2):
        pq.write_table(pa.table({"zip": [f"{part}", "7"], "age": [1, 2]}), made / f"{part}.parquet")
    return made


def test_nothing_is_said_of_what_engines_keep_beside_their_files(folder: Path) -> None:
    for name in ("_SUCCESS", "_metadata", "_common_metadata", ".0.parquet.crc", "_committed_17"):
        (folder / name).write_bytes(b"x")
    found = open_source(folder)
    assert (found.rows, found.notes) == (4, ())


def test_strays_are_counted_and_named(folder: Path) -> None:
    (folder / "stray.csv").write_text("zip;age\n1;2\n")
    (folder / "sub").mkdir()
    pq.write_table(pa.table({"zip": ["9"], "age": [9]}), folder / ".hidden.parquet")
    found = open_source(folder)
    assert found.rows == 4
    assert found.notes == (
        NOTE.format(number="3 entries", names=".hidden.parquet, stray.csv, sub/"),
    )


def test_as_many_texts_as_parts_are_refused(folder: Path) -> None:
    (folder / "a.csv").write_text("zip;age\n")
    assert open_source(folder).rows == 4
    (folder / "b.CSV.gz").write_bytes(b"x")
    with pytest.raises(
        InputError, match=r"folder 'people' holds 2 \.parquet and 2 \.csv files; name"
    ):
        open_source(folder)


def test_a_folder_of_hidden_files_holds_no_table(folder: Path) -> None:
    for path in list(folder.iterdir()):
        path.rename(folder / f"._{path.name}")
    with pytest.raises(InputError, match=r"holds no \.parquet file"):
        open_source(folder)


def test_it_is_said_in_python_check_and_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "stray.csv").write_text("zip;age\n1;2\n")
    said = NOTE.format(number="1 entry", names="stray.csv")
    with pytest.warns(PetauditWarning, match="stray.csv"):
        petaudit.k_anonymity(folder, quasi_identifiers="zip")
    assert said in petaudit.audit(folder, quasi_identifiers="zip").warnings
    assert main(["check", "people", "--qi", "zip"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert main(["check", "people", "--qi", "zip", "--format", "json"]) == 0
    assert said in capsys.readouterr().out
    assert main(["mpuccs", "people", "people", "--no-advice"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    Path("a.yaml").write_text(
        "Loader: {a: {filepath: people, roles: {quasi_identifier: zip}}}\n"
        "Evaluator: {k: {method: k-anonymity}}\n"
    )
    assert main(["run", "a.yaml", "--out", "o"]) == 0
    document = json.loads(Path("o/result.json").read_text())
    assert "stray.csv" in json.dumps([own["warnings"] for own in document["results"]])


def test_a_table_of_its_own_has_no_notes(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        petaudit.k_anonymity(folder, quasi_identifiers="zip")
