"""Folders of Parquet files: their partitions are columns, and tables with a log are no folders."""

from __future__ import annotations

from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import petaudit
from petaudit.cli import main
from petaudit.errors import ColumnError, InputError
from petaudit.system.files import unchanged
from petaudit.tables import open_source
from petaudit.tables.folders import partitions

NULL = "__HIVE_DEFAULT_PARTITION__"
ROWS = pa.table({"zip": ["1", "2", "2"]})
KEY = "_city %3D?"
CITIES = {
    "01": "01",
    "T %E8%87%BA": "T 臺",
    "A%3AB": "A:B",
    NULL: None,
    "%zz": "%zz",
    "臺": "臺",
    "[a]*'": "[a]*'",
}
"""What a folder is called, and what it stands for."""


def folder_of(root: Path, *folders: str, rows: pa.Table = ROWS) -> Path:
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
        parquet.write_table(rows, root / folder / "part-0.parquet")
    return root


def odd_folder(root: Path) -> Path:
    """Partitions within partitions, with names that mean something to engines."""
    days = ("2020-01-31", NULL)
    return folder_of(root, *(f"{KEY}={city}/day={day}/n=-3" for city in CITIES for day in days))


def test_the_names_of_folders_are_columns(tmp_path: Path) -> None:
    source = open_source(odd_folder(tmp_path / "t (1) [x]"))
    assert source.columns == ("zip", "_city =?", "day", "n")
    rows = source.to_arrow()
    assert rows.schema.types[1:] == [pa.string(), pa.date32(), pa.int64()]
    expected = {
        (cell, city, day, -3): many
        for cell, many in (("1", 1), ("2", 2))
        for city in CITIES.values()
        for day in (date(2020, 1, 31), None)
    }
    counted = dict.fromkeys(expected, 0)
    for row in rows.to_pylist():
        counted[tuple(row.values())] += 1
    assert counted == expected


def test_they_are_quasi_identifiers_like_any_other(tmp_path: Path) -> None:
    people = folder_of(tmp_path / "people", "sex=F", "sex=M")
    assert petaudit.k_anonymity(people, quasi_identifiers=["zip"]).value == 2
    assert petaudit.k_anonymity(people, quasi_identifiers=["zip", "sex"]).value == 1


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (("1", "20"), pa.int64()),
        (("1", "020"), pa.string()),  # two codes, not two numbers
        (("1", "9223372036854775808"), pa.string()),
        (("2020-01-31", "2020-02-30"), pa.string()),
        (("1", "1.5"), pa.string()),
        ((NULL, "1"), pa.int64()),
        ((NULL,), pa.string()),
    ],
)
def test_values_have_another_type_only_where_they_are_written_alike(
    tmp_path: Path, values: tuple[str, ...], kind: pa.DataType
) -> None:
    source = open_source(folder_of(tmp_path / "t", *(f"v={value}" for value in values)))
    cells = source.to_arrow()["v"]
    assert cells.type == kind
    assert {*map(str, cells.drop_null().unique().to_pylist())} == {*values} - {NULL}


@pytest.mark.parametrize(
    "folders", [("m=1", "y=1"), ("m=1", "m=2/y=1"), ("", "m=1"), ("y=1/m=1", "m=1/y=1")]
)
def test_other_keys_are_an_error(tmp_path: Path, folders: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="its Parquet files are in folders of different names"):
        open_source(folder_of(tmp_path / "t", *folders))


def test_a_key_that_is_a_column_and_one_without_a_value(tmp_path: Path) -> None:
    for name, folder in (("a", "zip=1"), ("b", "m=1/m=2")):
        with pytest.raises(ColumnError, match="has a column name more than once"):
            open_source(folder_of(tmp_path / name, folder))
    with pytest.raises(InputError, match="has no value behind m=; expected m=VALUE"):
        open_source(folder_of(tmp_path / "c", "m="))
    with pytest.raises(InputError, match="a folder of partitions is a table alone"):
        open_source([tmp_path / "c", folder_of(tmp_path / "d", "m=1")])


def test_no_message_shows_a_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people = folder_of(tmp_path / "people", "disease=cancer", "disease=flu")
    (people / "disease=flu" / "notes.txt").touch()
    (people / "disease=flu" / "part-0.parquet").write_bytes(b"PAR1")
    assert main(["check", str(people), "--qi", "zip,disease", "--k", "1"]) == 2
    folder_of(people, "disease=flu")
    assert main(["check", str(people), "--qi", "zip,disease", "--k", "1", "--format", "json"]) == 0
    said = "".join(capsys.readouterr())
    assert "people/disease=*/part-0.parquet: cannot be read as Parquet" in said
    assert "disease=*/notes.txt" in said
    assert "cancer" not in said
    assert "flu" not in said


def test_the_fingerprint_knows_which_folder_a_file_is_in(tmp_path: Path) -> None:
    def sha256(name: str, *folders: str) -> Any:
        return open_source(folder_of(tmp_path / name, *folders)).fingerprint()["sha256"]

    assert sha256("a", "m=1", "m=2") == sha256("b", "m=1", "m=2")
    assert sha256("a", "m=1", "m=2") != sha256("c", "m=1", "m=3")


def test_a_partition_that_comes_later_is_noticed(tmp_path: Path) -> None:
    people = folder_of(tmp_path / "people", "m=1")
    with unchanged() as watch:
        open_source(people)
        watch.check()
        folder_of(people, "m=2")
        with pytest.raises(InputError, match=r"^people changed while it was being read"):
            watch.check()
        (people / "m=2" / "part-0.parquet").unlink()


@pytest.mark.parametrize(
    ("mark", "where", "kind"),
    [
        ("_delta_log", "", "a Delta table"),
        ("_delta_log", "m=1", "a Delta table"),
        ("metadata/v1.metadata.json", "data/m=1", "an Iceberg table"),
        (".hoodie", "", "a Hudi table"),
    ],
)
def test_files_of_a_table_with_a_log_are_never_read_alone(
    tmp_path: Path, mark: str, where: str, kind: str
) -> None:
    """Rows that were deleted are still in them."""
    lake = folder_of(tmp_path / "lake", where)
    (lake / mark).mkdir(parents=True)
    file = lake / where / "part-0.parquet"
    for table in (lake, str(file), [file], str(file.parent / "*.parquet")):
        with pytest.raises(InputError, match=f"lake: is {kind}, whose Parquet files also hold"):
            open_source(table)


def test_names_that_spark_takes_for_one_are_an_error_there() -> None:
    """It reads a letter in two bytes as two letters, which another folder may be called by."""
    root = PurePosixPath("t")
    parts = partitions(root, [root / f"city={city}" / "a" for city in ("%C3%A9", "\u00c3\u00a9")])
    assert parts is not None
    assert parts.cells == (("é",), ("\u00c3\u00a9",))
    with pytest.raises(InputError, match="Spark takes different values of city for one"):
        parts.misread_by_spark(0)
