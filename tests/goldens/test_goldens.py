"""What users see does not change unnoticed."""

from __future__ import annotations

import pytest

from goldens.run import EXPECTED, LANGUAGES, cases, expected_file, outcome


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", cases())
def test_what_users_see(name: str, language: str) -> None:
    assert outcome(cases()[name], language) == expected_file(name, language).read_text("utf-8")


def test_nothing_is_kept_for_cases_that_are_gone() -> None:
    kept = {path.relative_to(EXPECTED) for path in EXPECTED.rglob("*.txt")}
    assert kept == {
        expected_file(name, own).relative_to(EXPECTED) for name in cases() for own in LANGUAGES
    }
