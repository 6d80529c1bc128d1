"""Roles that are guessed from names and counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from petaudit import datasets
from petaudit.roles import Role
from petaudit.starter import guesses_from
from petaudit.tables import open_source
from petaudit.tables.column_facts import ColumnFacts, Kind, column_facts


def facts(name: str, kind: Kind = Kind.TEXT, **own: int) -> ColumnFacts:
    figures = {"rows": 1000, "nulls": 0, "distinct": 10, "once": 0} | own
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
        (facts("x", rows=9, distinct=9, once=9), Role.QUASI_IDENTIFIER, "in doubt"),
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
        (facts("product_id", distinct=400), Role.QUASI_IDENTIFIER, "share 400"),
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
    by_role = {role: {own.column for own in guesses if own.role is role} for role in Role}
    assert by_role[Role.SENSITIVE] == {"capital-gain", "capital-loss", "income"}
    assert by_role[Role.INSENSITIVE] == {"fnlwgt"}
    assert not by_role[Role.IDENTIFIER]


def test_a_table_of_people(shared_data: Path) -> None:
    guesses = guesses_from(_facts(shared_data / "presence" / "presence.csv"))
    assert [own.column for own in guesses if own.role is Role.IDENTIFIER] == ["identifier", "name"]


def _facts(path: Path) -> tuple[ColumnFacts, ...]:
    return column_facts(open_source(path))
