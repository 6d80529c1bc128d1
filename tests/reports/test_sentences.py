"""What a manager reads first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from tests.reports.test_reading import check

import petaudit
from petaudit.i18n.catalogue import LANGUAGES
from petaudit.i18n.voice import Voice
from petaudit.reports.reading import view_of
from petaudit.reports.sentences import headline, lead, next_steps, summary
from petaudit.reports.view import Card, Change, View


def view(verdict: str, *cards: Card, **more: Any) -> View:
    code = {"passed": 0, "measured": 0, "failed": 1, "error": 2}[verdict]
    return View("check", "a.csv", "1", verdict, code, (), {}, cards, **more)


GOOD = Card("precision", "passed", 0.9, 0.5, "higher")
BAD = Card("k-anonymity", "failed", 1.0, 5.0, "higher")
OPEN = Card("t-closeness", "error", None, None, "lower", reason="no sensitive attribute")


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (view("failed", BAD, GOOD), "Do not release this as it is: 1 of 2 limits are not met."),
        (view("failed", BAD), "Do not release this as it is: the limit is not met."),
        (view("passed", GOOD), "The limit that was set holds."),
        (view("passed", GOOD, GOOD), "All 2 limits that were set hold."),
        (view("error", OPEN, GOOD), "Not decided: something that was asked for could not be"),
        (view("measured"), "Nothing was judged: no limit was set."),
    ],
)
def test_headlines(shown: View, words: str) -> None:
    assert headline(shown).startswith(words)


def test_an_error_never_sounds_safe() -> None:
    shown = view("error", OPEN, GOOD)
    said = " ".join([headline(shown), *lead(shown), *summary(shown)])
    assert "hold" not in said
    assert "t-closeness could not be measured: no sensitive attribute." in said


def test_breaches_are_named_with_value_and_limit() -> None:
    said = [*lead(view_of(check())), *summary(view_of(check()))]
    assert "k-anonymity is 1, and must be at least 5." in said
    assert "At least one person in it can be told apart from everyone else." in said


@pytest.mark.parametrize(
    ("suppressed", "words"),
    [
        ("class", "Everyone in it is indistinguishable from at least one other person."),
        (
            "exclude",
            "Everyone not suppressed is indistinguishable from at least 3 others; suppressed rows "
            "were left out.",
        ),
    ],
)
def test_everybody_is_everybody(suppressed: Any, words: str) -> None:
    """Four people who look alike, and two whose rows are suppressed."""
    table = pa.table({"zip": ["1"] * 4 + ["*"] * 2})
    result = petaudit.audit(
        table, quasi_identifiers="zip", suppressed=suppressed, measures="k-anonymity"
    )
    said = " ".join(summary(view_of(result.to_dict())))
    assert words in said
    assert ("Everyone in it" in said) is (suppressed == "class")


def test_rows_to_drop_are_a_next_step() -> None:
    table = pa.table({"zip": ["1"] * 4 + ["2"]})
    options = {"k-anonymity": {"limit": 3}}
    result = petaudit.audit(table, quasi_identifiers="zip", options=options, measures="k-anonymity")
    assert "Drop 1 row (20 %) to meet k-anonymity: petaudit.suppress(table, " in " ".join(
        next_steps(view_of(result.to_dict()))
    )
    alone = view_of(result.to_dict() | {"what_to_do": []})
    assert "k-anonymity: dropping 1 row from the table would be enough" in " ".join(
        next_steps(alone)
    )


def test_small_counts_are_hidden_in_every_sentence() -> None:
    shown = view_of(check())
    said = " ".join(Voice().say_all([*summary(shown), *next_steps(shown)]))
    assert "suppressing <5 rows would be enough" in said


def test_limits_that_hold_are_named_with_value_and_limit() -> None:
    close = Card("t-closeness", "passed", 0.6932542, 0.7, "lower")
    [said] = lead(view("passed", GOOD, close))
    assert said == "Precision is 90 % (at least 50 %); t-closeness is 0.69 (at most 0.70)."


@pytest.mark.parametrize("verdict", ["passed", "failed", "error", "measured"])
def test_only_what_may_be_released_is_kept_with_the_release(verdict: str) -> None:
    cards = {"passed": GOOD, "failed": BAD, "error": OPEN, "measured": replace(GOOD, limit=None)}
    steps = " ".join(next_steps(view(verdict, cards[verdict])))
    assert ("Keep this report with the release" in steps) is (verdict in ("passed", "measured"))


@pytest.mark.parametrize("status", ["passed", "failed", "error", "measured"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_always_something_to_do(status: str, language: str) -> None:
    cards = {"passed": (GOOD,), "failed": (BAD,), "error": (OPEN,), "measured": ()}[status]
    steps = Voice(language).say_all(next_steps(view(status, *cards)))
    assert steps
    assert all(step.strip() for step in steps)


@pytest.mark.parametrize(
    ("after", "revealed", "words"),
    [
        (81, True, "Leaving out sex would help most: 81 of 200 identified rows would still"),
        (81, False, "Leaving out sex would help most: 80–84 of 200–204 identified rows would"),
        (198, False, "Leaving out sex would help most: 195–199 of 200–204 identified rows would"),
    ],
)
def test_what_leaving_out_a_column_would_do_is_told_as_zones(
    after: int, revealed: bool, words: str
) -> None:
    card = Card("mpuccs", "measured", 0.2, None, "lower")
    shown = replace(view("measured", card), kind="mpuccs", changes=(Change("sex", 200, after),))
    said = Voice(revealed=revealed).say_all(next_steps(shown))
    assert any(step.startswith(words) for step in said)
