"""Sentences: what they are made of, kept in JSON, hidden and said in another language."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.i18n.documents import from_plain, phrases_in, restore_phrases
from petaudit.i18n.numbers import counted, exactly, foreign, numbered, share, steps, tally
from petaudit.i18n.phrases import Phrase, joined, phrase, render, term
from petaudit.i18n.zones import parts, zone

COUNTS = st.integers(0, 12)
NUMBERS = st.one_of(
    st.builds(lambda n, b: counted(n, "row", of=b), COUNTS, st.none() | COUNTS),
    st.builds(lambda n, b: tally(n, of=b), COUNTS, st.none() | COUNTS),
    st.builds(lambda n, d: share(n, 20, d), COUNTS, st.none() | st.just(2)),
    st.builds(lambda n: exactly(counted(n, "row")), COUNTS),
    st.builds(
        lambda points: steps(list(enumerate(sorted(points))), 12), st.lists(COUNTS, min_size=1)
    ),
    st.builds(foreign, st.text(max_size=20)),
    st.builds(term, st.text(max_size=20)),
)
SENTENCES = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.builds(lambda entry: joined(entry, "; "), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda a, b: phrase("{a!r} and {b} {{c}}", a=3, b=joined([a, b])), inner, inner),
        st.builds(numbered, COUNTS, inner, inner),
    ),
    max_leaves=6,
)


@given(SENTENCES)
def test_json_keeps_what_a_sentence_is_made_of(text: Phrase) -> None:
    document = {"explanation": [str(text)], "texts": json.loads(json.dumps(phrases_in([text])))}
    again = restore_phrases(document, document["texts"])["explanation"][0]
    assert isinstance(again, Phrase)
    for hide_below in (0, 5, 12):
        for language in ("en", "zh-TW"):
            assert render(again, language, hide_below) == render(text, language, hide_below)


@given(SENTENCES)
def test_copies_and_english(text: Phrase) -> None:
    assert copy.deepcopy(text) == text == render(text)
    assert isinstance(copy.deepcopy(text), type(text))
    assert from_plain(text.to_plain()) == text


@pytest.mark.parametrize("number", range(101))
def test_numbers_by_hand(number: int) -> None:
    """With a threshold of 5: nobody and everybody are told, and zones in between."""
    shown = render(tally(number, of=100), hide_below=5)
    percent = render(share(number, 100), hide_below=5)
    if number in (0, 100):
        assert (shown, percent) == (f"{number}", f"{number} %")
    elif number < 5:
        assert (shown, percent) == ("<5", "<5 %")
    elif number > 95:
        assert (shown, percent) == ("≥96", "≥96 %")
    elif number >= 90:
        assert (shown, percent) == ("90–95", "90–95 %")
    else:
        first = number // 5 * 5
        assert (shown, percent) == (f"{first}–{first + 4}", f"{first}–{first + 4} %")


def test_what_is_left_of_a_sum_says_no_more_than_the_sum() -> None:
    """Of 94 rows few are suppressed: whether one or four, the same is said."""
    texts = {render(counted(94 - few, "row", of=94), hide_below=5) for few in range(1, 5)}
    assert texts == {"≥90 rows"}


def test_of_a_very_small_table_nothing_is_told() -> None:
    texts = {render(counted(number, "row", of=19), hide_below=5) for number in range(19)}
    assert texts == {"≤19 rows"}
    assert render(counted(19, "row", of=19), hide_below=5) == "19 rows"
    assert render(counted(3, "row", of=3), hide_below=5) == "<5 rows"


@given(st.integers(20, 400), st.data())
def test_a_zone_has_several_numbers_and_holds_its_own(of: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, of - 1))
    result = zone(number, 5, of)
    assert result.lowest <= number <= result.highest
    assert result.highest - result.lowest >= 3
    # Whoever is in a zone gives the same one.
    assert {zone(item, 5, of) for item in range(result.lowest, result.highest + 1)} == {result}


def test_numbers_that_add_up_tell_no_more_than_their_sums() -> None:
    # 1 is what is left of 200, whatever the others are in their own zones.
    assert [part.text for part in parts([5, 10, 184], 5, 200)] == ["5–9", "6–14", "177–184"]
    assert [part.text for part in parts([5, 10, 185], 5, 200)][-1] == "181–185"
    assert [part.text for part in parts([3, 0, 197], 0, 200)] == ["3", "0", "197"]


def test_steps_are_shares() -> None:
    grown = steps([(2, 0), (3, 2), (5, 9), (20, 39)], 40)
    assert grown == "2: 0 %, 3: 5 %, 5: 22.5 %, 20: 97.5 %"
    assert render(grown, hide_below=5) == "2: 0 %, 3: <12.5 %, 5: 12.5–22.5 %"
    kept = {"steps": [[2, 0], [3, 2], [5, 9], [20, 39]], "whole": 40, "told": [10]}
    # So documents before 0.8.0 have it.
    assert render(from_plain(kept), hide_below=5) == render(grown, hide_below=5)


def test_chinese_by_hand() -> None:
    text = phrase(
        "{rows} in {classes}", rows=counted(3, "row"), classes=counted(7, "class", "classes")
    )
    assert text == "3 rows in 7 classes"
    assert "7 個等價類" in render(text, "zh-TW")
    assert "<5 列" in render(text, "zh-TW", 5)
