"""The player of the first hour: a word that no screen showed stops it before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from steward import DeadEndError, NeverShownError, Steward


@pytest.fixture
def steward(tmp_path: Path) -> Steward:
    steward = Steward(tmp_path / "people.csv", "en")
    steward.look("columns: zip, age\n  petaudit check TABLE.csv --k 5", "help")
    return steward


@pytest.mark.parametrize(
    "command",
    ["petaudit", "petaudit --help", "petaudit check people.csv --k 5", "petaudit check zip,age"],
)
def test_words_that_were_shown(steward: Steward, command: str) -> None:
    steward.refuse_unknown(command)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("petaudit run people.csv", "run"),
        ("petaudit check people.csv --qi zip", "--qi"),
        ("petaudit check people.csv --k 55", "55"),
        ("petaudit check zip,sex", "zip,sex"),
        ("petaudit check other.csv", "other.csv"),
    ],
)
def test_words_that_were_not(steward: Steward, command: str, word: str) -> None:
    with pytest.raises(NeverShownError, match=f"no screen showed '{word}'"):
        steward.type(command)
    assert len(steward.screens) == 1


def test_an_error_that_names_no_option(steward: Steward) -> None:
    with pytest.raises(DeadEndError, match="names no option"):
        steward.insist("petaudit check people.csv")
