"""How tables are read: encodings, missing values, blank rows, and where that is said."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import petaudit
from budget import examples
from messy.make import COLUMNS, patients, visits
from petaudit import Executor
from petaudit.errors import InputError, OptionError, naming_options
from petaudit.inputs import gather
from petaudit.system.reading import Reading
from petaudit.tables import Source, open_source
from petaudit.tables.odd_values import odd_values_note
from petaudit.tables.text_encoding import guess_encoding

CHINESE = {
    "cp950": (
        "姓名,性別,診斷",
        "陳林黃張李王吳劉蔡楊",
        "淑芬俊傑怡君志明雅婷",
        ("高血壓", "糖尿病", "肺炎"),
    ),
    "gb18030": (
        "姓名,性别,诊断",
        "陈林黄张李王吴刘蔡杨",
        "淑芬俊杰怡君志明雅婷",
        ("高血压", "糖尿病", "肺炎"),
    ),
}
OTHERS = {
    "cp932": ("山田太郎", "すずき", "タナカ", "東京都渋谷区", "高血圧"),
    "cp949": ("김민준", "이서연", "서울특별시", "고혈압"),
    "cp1250": ("Łódź", "Wałęsa", "Dvořák", "Kraków", "Růžička"),
    "cp1251": ("Иванов", "Москва", "грипп"),
    "cp1252": ("Müller", "Núñez", "Lefèvre", "Øster", "Strauß", "Málaga"),
    "cp874": ("สมชาย", "กรุงเทพ"),
}


def labels(source: Source, column: str) -> dict[str | None, int]:
    counts = source.counts.value_counts(column)
    return dict(zip(counts.labels, counts.counts.tolist(), strict=True))


def written(folder: Path, content: bytes | str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# Encodings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["big5", "gb18030", "utf16"])
def test_a_chinese_table_in_each_encoding(encoding: str, messy: dict[str, Path]) -> None:
    suffix = "txt" if encoding == "utf16" else "csv"
    source = open_source(messy[f"hospital-{encoding}.{suffix}"])
    assert source.columns == COLUMNS
    names = [row["姓名"] for row in patients()]
    assert source.to_arrow()["姓名"].to_pylist() == names
    # What has a mark needs no note.
    assert len(source.notes) == (encoding != "utf16")
    assert all(f"encoding='{encoding}'" in note for note in source.notes)


def test_what_is_in_doubt_is_named_with_its_option(messy: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this looks like Windows-1252: encoding='cp1252'"):
        open_source(messy["western.csv"])
    with naming_options(), pytest.raises(InputError, match="Windows-1252: --encoding cp1252"):
        open_source(messy["western.csv"])
    assert "Größe" in open_source(messy["western.csv"], encoding="cp1252").columns
    few = written(tmp_path, "a,b\n男,1\n女,2\n女,3\n".encode("big5"))
    with pytest.raises(InputError, match="this looks like Big5: encoding='big5'"):
        open_source(few)


def random_table(dice: random.Random, encoding: str) -> str:
    rows = dice.choice([1, 2, 5, 20])
    if encoding in CHINESE:
        header, family, given, ill = CHINESE[encoding]
        lines = [
            f"{dice.choice(family)}{dice.choice(given)}{dice.choice(given)},"
            f"{dice.choice('男女')},{dice.choice(ill)}"
            for _ in range(rows)
        ]
        return "\n".join([dice.choice([header, "a,b,c"]), *lines]) + "\n"
    words = OTHERS[encoding]
    return "".join(
        ["a,b\n", *(f"{dice.choice(words)},{dice.choice(words)}\n" for _ in range(rows))]
    )


def test_no_wrong_encoding_is_ever_taken(tmp_path: Path) -> None:
    dice = random.Random(18)  # noqa: S311
    named = taken = chinese = 0
    for _ in range(examples(300)):
        encoding = dice.choice([*CHINESE, *CHINESE, *OTHERS])
        text = random_table(dice, encoding)
        path = written(tmp_path, text.encode(encoding))
        guess = guess_encoding(path)
        is_right = guess is not None and path.read_bytes().decode(guess.encoding, "replace") == text
        if guess is not None and guess.is_certain:
            assert is_right, (encoding, text, guess)
        chinese += encoding in CHINESE
        named += encoding in CHINESE and is_right
        taken += encoding in CHINESE and guess is not None and guess.is_certain
    assert named > 0.97 * chinese
    assert taken > 0.6 * chinese


# Other kinds of files -----------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jsonl", "feather", "parquet", "tsv", "xlsx"])
def test_the_same_table_in_every_kind(suffix: str, messy: dict[str, Path]) -> None:
    source = open_source(messy[f"visits.{suffix}"])
    assert source.columns == tuple(visits()[0])
    assert source.notes == ()
    for column in ("sex", "born", "zip", "admitted", "ward", "smoker"):
        expected = [str(row[column]) for row in visits()]
        assert labels(source, column) == {value: expected.count(value) for value in expected}
    assert labels(source, "glucose")[None] == sum(row["glucose"] is None for row in visits())


@pytest.mark.parametrize(
    ("suffix", "write"),
    [("sav", pyreadstat.write_sav), ("dta", pyreadstat.write_dta), ("xpt", pyreadstat.write_xport)],
)
def test_tables_of_statistics_programs(suffix: str, write: Any, tmp_path: Path) -> None:
    path = tmp_path / f"t.{suffix}"
    write(pd.DataFrame({"sex": ["F", "M", "F"], "born": [1980.0, None, 1990.0]}), str(path))
    source = open_source(path)
    assert labels(source, "sex") == {"F": 2, "M": 1}
    assert labels(source, "born") == {"1980": 1, "1990": 1, None: 1}


def test_an_arrow_stream(tmp_path: Path) -> None:
    table = pa.table({"a": ["x", "y"]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    assert labels(open_source(written(tmp_path, sink.getvalue(), "t.arrow")), "a") == {
        "x": 1,
        "y": 1,
    }


# Missing values -----------------------------------------------------------------------------------

CELLS = {"ward": ["NA", " - ", "a", None, "na", "9999"], "born": [1980, 9999, 7, 9999, 5, 1]}


def held(engine: str, folder: Path) -> Any:
    table = pa.table(CELLS)
    match engine:
        case "pandas":
            return pd.DataFrame(CELLS)
        case "polars":
            return pl.DataFrame(CELLS)
        case "polars-lazy":
            return pl.LazyFrame(CELLS)
        case "duckdb":
            return duckdb.from_arrow(table)
        case "ibis":
            import ibis  # noqa: PLC0415 (slow)

            return ibis.memtable(table)
        case "parquet":
            pq.write_table(table, folder / "t.parquet")
            return folder / "t.parquet"
        case "csv":
            return written(folder, pd.DataFrame(CELLS).to_csv(index=False))
    return table


@pytest.mark.parametrize(
    "engine", ["pyarrow", "pandas", "polars", "polars-lazy", "duckdb", "ibis", "parquet", "csv"]
)
def test_marks_are_nulls_on_every_engine(engine: str, tmp_path: Path) -> None:
    source = open_source(held(engine, tmp_path), null=["NA", "-", 9999])
    assert labels(source, "ward") == {"a": 1, "na": 1, None: 4}
    assert labels(source, "born") == {"1": 1, "5": 1, "7": 1, "1980": 1, None: 2}
    assert source.counts.class_histogram(["ward", "born"]).sizes.tolist() == [1, 2]
    if not source.counts.is_remote:
        assert source.to_arrow()["ward"].to_pylist() == [None, None, "a", None, "na", None]


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb"])
def test_marks_of_floats_of_32_bits(engine: str, tmp_path: Path) -> None:
    table = pa.table({"dose": pa.array([0.1, -9.9, 0.1], pa.float32())})
    frames = {"pyarrow": table, "polars": pl.from_arrow(table), "duckdb": duckdb.from_arrow(table)}
    # The last gives the same float as 0.1, and is another number.
    source = open_source(frames[engine], null=["-9.9", "1e300", "0.1000000001"])
    assert labels(source, "dose") == {"0.1": 2, None: 1}


def test_the_same_is_said_everywhere(tmp_path: Path) -> None:
    """The command line is tested with its own options."""
    path = written(tmp_path, "zip,ill\nNA,flu\nN/A,flu\n,,\n".replace(",,", ","))
    assert petaudit.k_anonymity(path, quasi_identifiers="zip").value == 1
    assert petaudit.k_anonymity(path, quasi_identifiers="zip", null="NA,N/A").value == 2
    pipeline = (
        f"Loader: {{t: {{filepath: {path}, roles: {{quasi_identifier: zip}}, null: [NA, N/A]}}}}\n"
        "Evaluator: {k: {method: k-anonymity}}\n"
    )
    executor = Executor(pipeline)
    executor.run()
    [result] = executor.get_result().values()
    assert result["global"].column("value").to_pylist() == [2]
    side_car = "DATASET: {ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [zip]}, NULL: [NA, N/A]}\n"
    written(tmp_path, side_car, "table.yaml")
    assert petaudit.k_anonymity(path).value == 2
    assert gather(path).files == (path, tmp_path / "table.yaml")
    # What is given wins.
    assert petaudit.k_anonymity(path, null=["x"]).value == 1
    written(tmp_path, "DATASET: {NULL: {a: b}}\n", "table.yaml")
    with pytest.raises(OptionError, match=r"table.yaml: null must be"):
        open_source(path)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["F", "Female", "M", "Male"], (2, 4)),
        (["F", "f", "FEMALE", "M"], (1, 3)),
        (["女", "女性", "男"], (1, 2)),
        (["Y", "No", "N", "Yes"], (2, 4)),
        # Blood groups, directions, stages, and a letter that may be short for two words.
        (["A", "B", "AB", "O"], (0, 0)),
        (["N", "NE", "NW", "S"], (0, 0)),
        (["I", "II", "III"], (0, 0)),
        (["S", "Single", "Separated"], (0, 0)),
    ],
)
def test_an_abbreviation_is_another_spelling(values: list[str], told: tuple[int, int]) -> None:
    note = odd_values_note(open_source(pa.table({"x": values})), ["x"], ["x"])
    number, spellings = told
    assert (note is None) == (number == 0)
    if note is not None:
        assert f"{number} value" in note
        assert f"{spellings} spellings" in note


def test_odd_values_are_told_once_and_change_nothing(messy: dict[str, Path]) -> None:
    path = messy["missing.csv"]
    release = petaudit.audit(path, quasi_identifiers=["sex", "born"], sensitive=["ward"])
    [told] = [note for note in release.warnings if "look like missing values" in note]
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    nines = sum(row[2] == "9999" for row in rows)
    marks = {mark: sum(row[7] == mark for row in rows) for mark in ("NA", "?", "不詳")}
    assert f"'born': 9999 ({nines})" in told
    for mark, number in marks.items():
        assert f"{mark} ({number})" in told
    assert "'sex' has 1 value in 4 spellings" in told
    assert "Female" not in told
    classes = {(row[1].strip(), row[2]) for row in rows if any(row)}
    assert release["k-anonymity"].breakdown["classes"] == len(classes)


@pytest.mark.parametrize(
    "cells",
    [["9999", "9998", "12000"], ["-99", "-5", "3"], ["a", "b", "9999"], ["999", "600", "1"]],
)
def test_numbers_that_are_no_codes(cells: list[str]) -> None:
    table = pa.table({"n": cells * 2, "s": ["x", "y", "z"] * 2})
    release = petaudit.audit(table, quasi_identifiers=["n"], sensitive=["s"])
    assert not any("look like missing" in note for note in release.warnings)


# Blank rows ---------------------------------------------------------------------------------------


def test_rows_keep_the_numbers_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n,\n1,x\n , \n,\n2,y\n3,y\n")
    source = open_source(path)
    assert source.left_out == (0, 2, 3)
    assert source.rows_holding("b", ["x", "y"]) == f", in 3 rows of {path} (data rows 2, 5, 6)"
    assert "3 rows without any value, left out" in source.notes[0]
    other = written(tmp_path, "a,b\n1,z\n9,y\n3,x\n", "other.csv")
    details = petaudit.mpuccs(other, path).details.to_pandas()
    assert set(zip(details["syn_row"], details["ori_row"], strict=True)) == {(1, 0), (5, 2)}


def test_rows_are_never_paired_with_others(tmp_path: Path) -> None:
    before = written(tmp_path, "a,b\n1,x\n,\n2,y\n", "before.csv")
    after = written(tmp_path, "a,b\n1,x\n2,y\n,\n", "after.csv")
    same = written(tmp_path, "a,b\n1,x\n2,y\n", "same.csv")
    given = {"hierarchies": {"a": petaudit.ranges(2)}, "quasi_identifiers": ["a"]}
    assert petaudit.non_uniform_entropy(before, before, **given).value == 1
    assert petaudit.non_uniform_entropy(before, same, **given).value == 1
    with pytest.raises(InputError, match="blank rows in different places"):
        petaudit.non_uniform_entropy(before, after, **given)
    assert petaudit.non_uniform_entropy(before, after, key="b", **given).value == 1


# The options --------------------------------------------------------------------------------------


def test_names_below_other_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "Hospital North\n\na,b\n1,2\n1,3\n")
    source = open_source(path, header_row=3)
    assert (source.columns, source.rows) == (("a", "b"), 2)
    with pytest.raises(InputError, match="line 2: is blank"):
        open_source(path, header_row=2)
    broken = written(tmp_path, "Hospital North\na,b\n1,2\n1\n")
    with pytest.raises(InputError, match="line 4: 1 cell where the header has 2"):
        open_source(broken, header_row=2)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("sheet", 0),
        ("sheet", [1]),
        ("header_row", "2"),
        ("null", {}),
        ("blank_rows", "no"),
        ("null", 1.5),
    ],
)
def test_options_that_make_no_sense(option: str, value: Any) -> None:
    with pytest.raises(OptionError, match=option):
        Reading.checked(**{option: value})
