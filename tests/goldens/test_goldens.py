"""What users see does not change unnoticed."""

from __future__ import annotations

import pytest

import petaudit
from goldens import api
from goldens.run import EXPECTED, LANGUAGES, api_file, cases, expected_file, languages, outcome


@pytest.mark.parametrize(
    ("name", "language"), [(name, own) for name in cases() for own in languages(name)]
)
def test_what_users_see(name: str, language: str) -> None:
    assert outcome(cases()[name], language) == expected_file(name, language).read_text("utf-8")


@pytest.mark.parametrize("group", api.GROUPS)
def test_what_programs_get(group: str) -> None:
    assert api.outcome(group) == api_file(group).read_text("utf-8")


def test_every_measure_is_called() -> None:
    audit = petaudit.audit(api.VISITS, **api.NO_ROLE)
    known = {entry.measure for entry in (*audit.results, *audit.not_measured)}
    called = {*api.OF_ONE_TABLE, *api.OF_TWO_TABLES}
    called |= {"profitability", "utility_bias", "model_utility", "mpuccs"}
    assert {name.replace("_", "-") for name in called} == known


def test_nothing_is_kept_for_cases_that_are_gone() -> None:
    kept = {path for path in EXPECTED.rglob("*") if path.is_file()}
    expected = {expected_file(name, own) for name in cases() for own in LANGUAGES}
    assert kept == expected | {api_file(group) for group in api.GROUPS}
