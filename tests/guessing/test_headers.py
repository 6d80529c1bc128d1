"""Files that were not read as they were meant."""

from __future__ import annotations

import pytest

from petaudit.guessing.headers import reading_doubts
from petaudit.headers import header_doubt, looks_like_a_value


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
    found = header_doubt(["1", "2", "", " "])
    assert found == "2 of 4 names look like numbers, dates or other values, 2 are empty"


def test_nothing_is_quoted() -> None:
    [doubt] = reading_doubts("t.csv", ["王小明", "A123456789"])
    assert "王小明" not in doubt
    assert "A123456789" not in doubt


@pytest.mark.parametrize(
    ("name", "given"), [("甲，乙", "'，'"), ("甲；乙", "'；'"), ("a\tb", "tab"), ("a,b", "','")]
)
def test_one_column_that_may_be_several(name: str, given: str) -> None:
    [doubt] = reading_doubts("t.csv", [name])
    assert doubt.endswith(f"--delimiter {given}")
    assert reading_doubts("t.csv", [name, "zip"]) == []


def test_text_that_is_called_a_spreadsheet() -> None:
    assert "rename it to .csv" in reading_doubts("T.XLSX", ["zip"])[0]
