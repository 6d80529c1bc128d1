"""``benchmark://name`` stands wherever the path of a table can stand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import petaudit
from petaudit import datasets
from petaudit.cli import main
from petaudit.errors import InputError
from petaudit.tables import open_source

ORIGINAL, SYNTHETIC = "benchmark://adult-income_ori", "benchmark://adult-income_syn"


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of the caller's, no network, and an empty folder to work in."""
    for name in os.environ:
        if name.startswith("PETAUDIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PETAUDIT_OFFLINE", "1")
    monkeypatch.setenv("PETAUDIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", datasets.names())
def test_every_bundled_table_opens_by_its_address(name: str) -> None:
    for address in (f"benchmark://{name}", f"Benchmark://{name.upper()}"):
        source = open_source(address)
        assert source.name == address
        assert source.paths == (datasets.load(name).path,)
        assert source.rows == datasets.load(name).rows


def test_addresses_stand_in_lists_too() -> None:
    parts = [ORIGINAL, datasets.load("adult-income_control"), SYNTHETIC]
    assert open_source(parts).rows == 2 * 39_074 + 9_768
    with pytest.raises(InputError, match="only when all are Parquet"):
        open_source(["benchmark://patient", ORIGINAL])


@pytest.mark.skipif(os.name == "nt", reason="no folder there has a colon in its name")
def test_only_text_is_an_address(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        open_source(Path("benchmark://patient"))
    folder = tmp_path / "benchmark:"
    folder.mkdir()
    (folder / "patient").write_text("a;b\n1;2\n", encoding="utf-8")
    assert open_source(Path("benchmark://patient")).rows == 1
    assert open_source("benchmark:/patient").rows == 1
    assert open_source("benchmark://patient").rows == 9


def test_a_schema_is_no_table() -> None:
    schema = datasets.schemas()["adult-income_schema"]
    with pytest.raises(InputError) as caught:
        open_source("benchmark://Adult-Income_Schema")
    assert (
        str(caught.value)
        == f"benchmark://Adult-Income_Schema is not a table but a schema: {schema}"
    )


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("benchmark://adlut", "unknown benchmark 'adlut' (did you mean 'adult'?)"),
        ("benchmark://", "lacks a name"),
        ("benchmark://../patient", "cannot contain a path"),
        ("benchmark://*", "unknown benchmark '*'"),
        ("benchmark://a\1", "or control characters"),
        ("benchmark://" + "x" * 5000, "more than 100 characters"),
    ],
)
def test_a_wrong_address_is_an_error(
    address: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError) as caught:
        open_source(address)
    assert words in str(caught.value)
    assert main(["check", address]) == 2
    shown = capsys.readouterr()
    assert words in " ".join(shown.err.split())
    assert "Traceback" not in shown.err


def test_check_finds_the_side_car(capsys: pytest.CaptureFixture[str]) -> None:
    address = "benchmark://adult-deidentified"
    original = ("--original", "benchmark://adult")
    assert main(["check", address, *original, "--t", "0.5", "--format", "json"]) in {0, 1}
    outcome = json.loads(capsys.readouterr().out)
    adult = datasets.load("adult-deidentified")
    assert outcome["inputs"]["table"]["name"] == address
    measured = {result["measure"] for result in outcome["results"]}
    assert {"t-closeness", "precision", "non-uniform-entropy"} <= measured
    assert petaudit.audit(address).inputs.roles.quasi_identifiers == adult.quasi_identifiers
    assert main(["check", address]) == 0
    assert ": adult-deidentified, 30,162 rows" in capsys.readouterr().out


def test_a_bundled_table_is_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    path = datasets.load("patient-deidentified").path
    before = path.read_bytes()
    assert main(["check", "benchmark://patient-deidentified", "--out", str(path)]) == 2
    assert path.read_bytes() == before


def test_mpuccs_takes_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [datasets.load(f"adult-income_{part}").path for part in ("ori", "syn", "control")]
    by_address = petaudit.mpuccs(
        ORIGINAL, SYNTHETIC, "benchmark://adult-income_control", max_baseline_cols=1
    )
    by_path = petaudit.mpuccs(*paths, max_baseline_cols=1)
    assert by_address.value == by_path.value
    assert main(["mpuccs", ORIGINAL, SYNTHETIC, "--max-cols", "1", "--out", "found"]) == 0
    assert "adult-income_syn against adult-income_ori" in capsys.readouterr().out
    summary = json.loads(Path("found/summary.json").read_text(encoding="utf-8"))
    assert summary["inputs"]["original"]["name"] == ORIGINAL


def test_synthesize_takes_an_address() -> None:
    made = petaudit.synthesize("benchmark://patient", rows=5, seed=1)
    assert made.num_rows == 5
    assert made.column_names == list(open_source("benchmark://patient").columns)


def test_paths_load_nothing_for_addresses() -> None:
    code = (
        "import sys; from petaudit.tables import open_source; open_source(sys.argv[1]); "
        "print(*(name for name in sys.modules if name.startswith('petaudit.datasets')))"
    )
    path = datasets.load("patient").path
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
