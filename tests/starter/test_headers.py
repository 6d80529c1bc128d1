"""Files that were not read as they were meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import petaudit
from petaudit.errors import ColumnError, InputError
from petaudit.starter.starter import reading_doubts
from petaudit.tables import open_source
from petaudit.tables.headers import header_doubt, header_note, looks_like_a_value


@pytest.mark.parametrize(
    "name",
    [
        "33", "-1", "3.5", "1e3", "1,234", "12%", "$5", "２０", "2024-01-02", "113/02/29",
        "2024-01-02 12:30", "2024-01-02T12:30:00Z", "12:30", "113年2月3日", "*", "4767*", "[20,30[",
        ">=40", "20-29", "A123456789", "a@b.example", "9" * 9_999,
    ],
)  # fmt: skip
def test_values(name: str) -> None:
    assert looks_like_a_value(name)


@pytest.mark.parametrize(
    "name",
    ["zip", "年齡", "Q1", "2024年收入", "x1", "t-1", "a*", "age 20-29", "icd10", "", "1st", "@x"],
)
def test_names(name: str) -> None:
    assert not looks_like_a_value(name)


def test_a_header_in_doubt() -> None:
    assert header_doubt(["", "zip"]) is None
    assert header_doubt(["zip", ""]) == "1 of 2 names is empty"
    assert header_doubt(["1", "zip"]) == "1 of 2 names looks like a number, a date or another value"
    result = header_doubt(["1", "2", "", " "])
    assert result == "2 of 4 names look like numbers, dates or other values, 2 are empty"


def test_nothing_is_quoted() -> None:
    doubt = header_note("t.csv", ["王小明", "A123456789"])
    assert doubt is not None
    assert "王小明" not in doubt
    assert "A123456789" not in doubt


@pytest.mark.parametrize(
    ("name", "given"), [("甲，乙", "'，'"), ("甲；乙", "'；'"), ("a\tb", "tab"), ("a,b", "','")]
)
def test_one_column_that_may_be_several(name: str, given: str) -> None:
    [doubt] = reading_doubts("t.csv", [name])
    assert doubt.endswith(f"--delimiter {given}")
    assert reading_doubts("t.csv", [name, "zip"]) == []


WORDS = "Wang,Taipei,F,flu\nChen,Taipei,M,flu\nLin,Yilan,F,gout\nHo,Yilan,F,flu\n"


@pytest.mark.parametrize("text", [WORDS, "age,sex\n20,F\nage,sex\n30,M\n"])
def test_words_that_stand_below_as_well_are_no_header(text: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is data, not a header") as raised:
        petaudit.mpuccs(path, path)
    for name in text.partition("\n")[0].split(","):
        assert f" {name} " not in str(raised.value).replace("'", " ")


@pytest.mark.parametrize("rows", ["name,city,sex,ill\nname,Taipei,M,flu\n", "name,city,sex,ill\n"])
def test_a_name_that_happens_to_be_a_value_is_a_name(rows: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    assert header_doubt(open_source(tmp_path / "t.csv").columns) is None


def test_a_mark_that_nobody_knows_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Mei~Taipei~flu\nLin~Yilan~gout\n", encoding="utf-8")
    with pytest.raises(ColumnError) as raised:
        petaudit.k_anonymity(tmp_path / "t.csv", quasi_identifiers="age")
    assert "Mei" not in str(raised.value)
