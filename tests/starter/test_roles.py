"""Roles that are guessed from names and counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from petaudit import datasets
from petaudit.roles import Role
from petaudit.starter import guesses_from
from petaudit.tables import open_source
from petaudit.tables.column_facts import ColumnFacts, Kind, column_facts


def facts(name: str, kind: Kind = Kind.TEXT, **entry: int) -> ColumnFacts:
    figures = {"rows": 1000, "nulls": 0, "distinct": 10, "once": 0} | entry
    return ColumnFacts(name=name, kind=kind, **figures)


UNIQUE = {"distinct": 980, "once": 970}


@pytest.mark.parametrize(
    ("own", "role", "why"),
    [
        (facts("x", **UNIQUE), Role.IDENTIFIER, "97 % of 1,000 values occur once"),
        (facts("x", Kind.WHOLE, **UNIQUE), Role.IDENTIFIER, "97 %"),
        (facts("x", Kind.DECIMAL, **UNIQUE), Role.SENSITIVE, "too detailed"),
        (facts("x", Kind.DECIMAL), Role.QUASI_IDENTIFIER, "10 different decimal numbers"),
        (facts("x", Kind.DATETIME, **UNIQUE), Role.QUASI_IDENTIFIER, "date-times"),
        (facts("x", rows=9, distinct=9, once=9), Role.QUASI_IDENTIFIER, "neither the name"),
        (facts("x", distinct=1), Role.INSENSITIVE, "the same value in all 1,000 rows"),
        (facts("x", distinct=1, nulls=1), Role.QUASI_IDENTIFIER, "1 value"),
        (facts("x", distinct=1, suppressed=1000), Role.INSENSITIVE, "suppressed (*)"),
        (facts("x", Kind.NOTHING, nulls=1000, distinct=0), Role.INSENSITIVE, "missing"),
        (facts("x", Kind.OTHER, distinct=0), Role.INSENSITIVE, "cannot be counted"),
        (facts("x", generalized=5, **UNIQUE), Role.QUASI_IDENTIFIER, "generalised labels"),
        (facts("x", Kind.BOOLEAN, distinct=2), Role.QUASI_IDENTIFIER, "2 different values"),
        (facts("age", distinct=1, suppressed=1000), Role.QUASI_IDENTIFIER, "suppressed"),
        (facts("ssn", distinct=1, suppressed=1000), Role.IDENTIFIER, "suppressed"),
        (facts("income", distinct=1, suppressed=1000), Role.INSENSITIVE, "nothing is left"),
        (facts("age", distinct=1), Role.INSENSITIVE, "the same value"),
        (facts("birth_time", Kind.DATETIME, **UNIQUE), Role.QUASI_IDENTIFIER, "make it coarser"),
        (facts("income", Kind.WHOLE, **UNIQUE), Role.SENSITIVE, "the name says income"),
        (facts("診斷時間", Kind.DATETIME), Role.QUASI_IDENTIFIER, "others may know"),
        (facts("patient_id", distinct=90), Role.IDENTIFIER, "1,000 rows hold 90 different"),
        (facts("email", distinct=2), Role.QUASI_IDENTIFIER, "only 2 different values"),
        (facts("name", distinct=90), Role.QUASI_IDENTIFIER, "share 90 different values"),
        (facts("name", distinct=400), Role.IDENTIFIER, "the name says name"),
        (facts("product_id", distinct=90), Role.QUASI_IDENTIFIER, "share 90"),
        (facts("product_id", distinct=400), Role.IDENTIFIER, "as several rows of a person do"),
        (facts("studyid", Kind.WHOLE, distinct=400), Role.IDENTIFIER, "as several rows of a pers"),
        (facts("covid", Kind.WHOLE, distinct=5), Role.SENSITIVE, "the name says illness"),
        (facts("subject", Kind.WHOLE, distinct=18), Role.IDENTIFIER, "18 different whole numbers"),
        (facts("subject", distinct=5), Role.QUASI_IDENTIFIER, "share 5 different values"),
        (facts("student", Kind.BOOLEAN, distinct=2), Role.QUASI_IDENTIFIER, "education"),
        (facts("x", Kind.WHOLE, distinct=300, once=9), Role.SENSITIVE, "too detailed"),
        (facts("time", Kind.WHOLE, distinct=300, once=9), Role.SENSITIVE, "too detailed"),
        (facts("time", Kind.DATETIME, distinct=300), Role.QUASI_IDENTIFIER, "length of time"),
        (facts("product_id", distinct=600), Role.IDENTIFIER, "the name says number"),
        (facts("編號", distinct=600), Role.IDENTIFIER, "record number"),
        (facts("fnlwgt", Kind.WHOLE, **UNIQUE), Role.INSENSITIVE, "survey"),
    ],
)
def test_a_role_and_its_reason(own: ColumnFacts, role: Role, why: str) -> None:
    [guess] = guesses_from([own])
    assert guess.role is role
    assert why in guess.reason


def test_the_original_shows_what_was_generalised() -> None:
    before = {"x": facts("x", **UNIQUE), "city": facts("city")}
    guesses = guesses_from([facts("x"), facts("city", distinct=1)], before)
    assert [guess.role for guess in guesses] == [Role.QUASI_IDENTIFIER] * 2
    assert "980 in the original" in guesses[0].reason


@pytest.mark.parametrize("name", ["adult", "adult-deidentified", "patient", "patient-deidentified"])
def test_the_bundled_tables_get_the_roles_that_people_gave_them(name: str) -> None:
    guesses = {guess.column: guess.role for guess in guesses_from(_facts(datasets.load(name).path))}
    money = {column for column in guesses if "salary" in column.casefold()}
    assert money
    for column, role in guesses.items():
        is_sensitive = column in money or column == "Disease"
        assert role is (Role.SENSITIVE if is_sensitive else Role.QUASI_IDENTIFIER), column


def test_adult_income() -> None:
    guesses = guesses_from(_facts(datasets.load("adult-income_ori").path))
    by_role = {role: {entry.column for entry in guesses if entry.role is role} for role in Role}
    assert by_role[Role.SENSITIVE] == {"capital-gain", "capital-loss", "income"}
    assert by_role[Role.INSENSITIVE] == {"fnlwgt"}
    assert not by_role[Role.IDENTIFIER]


def test_a_table_of_people(shared_data: Path) -> None:
    guesses = guesses_from(_facts(shared_data / "presence" / "presence.csv"))
    assert [entry.column for entry in guesses if entry.role is Role.IDENTIFIER] == [
        "identifier",
        "name",
    ]


def _facts(path: Path) -> tuple[ColumnFacts, ...]:
    return column_facts(open_source(path))


def test_nobody_is_sure_about_a_name_that_says_nothing() -> None:
    opaque = [facts("x"), facts("x", Kind.WHOLE, distinct=2), facts("x", Kind.OTHER, distinct=0)]
    assert [guess.is_sure for guess in guesses_from(opaque)] == [False] * 3
    told = [facts("zip"), facts("x", Kind.DATE), facts("x", generalized=5), facts("x", distinct=1)]
    assert all(guess.is_sure for guess in guesses_from(told))


def test_flags_and_numbers_of_a_table_that_holds_health_data() -> None:
    flags = [facts("x", Kind.WHOLE, distinct=2), facts("y", distinct=3), facts("z", distinct=9)]
    health = [facts("diagnosis"), facts("blood pressure", Kind.WHOLE)]
    guesses = guesses_from([*flags, *health])[:3]
    assert [(guess.role, guess.is_sure) for guess in guesses] == [
        (Role.SENSITIVE, True),
        (Role.SENSITIVE, True),
        (Role.QUASI_IDENTIFIER, False),
    ]
    assert not any(guess.is_sure for guess in guesses_from([*flags, health[0]])[:3])


@pytest.mark.parametrize(
    ("column", "is_certain"),
    [
        (facts("patient_id", distinct=90), True),
        (facts("product_id", **UNIQUE), True),
        (facts("product_id", distinct=400), False),
        (facts("patient", distinct=400), False),
        (facts("steps_num", Kind.WHOLE, **UNIQUE), False),
    ],
)
def test_what_is_certain_to_name_people(column: ColumnFacts, is_certain: bool) -> None:
    """Only that breaks a release without anybody having said so."""
    [guess] = guesses_from([column])
    assert (guess.role, guess.is_certain) == (Role.IDENTIFIER, is_certain)
