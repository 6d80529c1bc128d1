"""Rounded figures stand on the same side of their limits as the figures themselves."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.i18n.voice import Voice
from petaudit.measures.limits import rounded_texts
from petaudit.reports.view import Before, Card

shares = st.floats(0, 1) | st.sampled_from([0.0, 0.7, 0.704, 0.69999999, 0.7000000001, 1.0])


def number(text: str) -> Decimal:
    """What a reader makes of a figure."""
    return Decimal(text.removesuffix(" %").replace(",", ""))


@given(shares, shares, shares, st.booleans())
def test_nobody_takes_a_breached_limit_for_a_kept_one(
    value: float, limit: float, before: float, percent: bool
) -> None:
    shown, bound, earlier = map(number, rounded_texts(value, limit, before, percent=percent))
    assert (shown > bound, shown < bound) == (value > limit, value < limit)
    assert (shown > earlier, shown < earlier) == (value > before, value < before)


@pytest.mark.parametrize(
    ("measure", "value", "limit", "texts"),
    [
        ("t-closeness", 0.6932542050703976, 0.7, ("0.69", "at most 0.70")),
        ("t-closeness", 0.704, 0.7, ("0.704", "at most 0.70")),
        ("t-closeness", 0.694, 0.6935, ("0.694", "at most 0.6935")),
        ("k-anonymity", 5.0, 5.0, ("5", "at most 5")),
        ("precision", 0.6427789934354485, 0.4, ("64 %", "at most 40 %")),
        ("precision", 0.9984, None, ("99.8 %", None)),
        ("prosecutor-risk", 0.2, 0.09, ("20 %", "at most 9 %")),
        ("beta-likeness", float("inf"), 3.0, ("∞", "at most 3")),
        ("beta-likeness", 101.59, None, ("102", None)),
        ("sample-uniques", 0.00004, None, ("0.0040 %", None)),
        ("precision", None, 0.4, ("-", "at most 40 %")),
    ],
)
def test_by_hand(
    measure: str, value: float | None, limit: float | None, texts: tuple[str, str | None]
) -> None:
    card = Card(measure, "measured", value, limit)
    assert (card.value_text, card.rule) == texts


def test_an_earlier_figure_is_told_from_the_one_of_today() -> None:
    card = Card("t-closeness", "measured", 0.6932, None, before=Before(0.6881))
    assert (card.value_text, card.before_text) == ("0.693", "0.688")


def test_where_floats_are_equal_the_fraction_decides() -> None:
    card = Card("t-closeness", "failed", 0.5, 0.5, exact="50001/100000")
    assert card.value_text == "50001/100000"
    third = Card("t-closeness", "passed", 1 / 3, 0.5, exact="1/3")
    assert third.exact_text(Voice(revealed=True)) == f"{1 / 3!r} = 1/3"
    assert third.exact_text(Voice()) == f"{1 / 3!r}"
