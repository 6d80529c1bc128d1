"""Sentences: what they are made of, kept in JSON, hidden and said in another language."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.languages.kept import from_plain, texts_of, with_phrases
from petaudit.languages.numbers import counted, foreign, numbered, share, steps, tally
from petaudit.languages.phrases import Phrase, joined, phrase, said, term

COUNTS = st.integers(0, 12)
NUMBERS = st.one_of(
    st.builds(lambda n, b: counted(n, "row", beside=b), COUNTS, COUNTS),
    st.builds(lambda n, b: tally(n, beside=b), COUNTS, COUNTS),
    st.builds(lambda n, b, d: share(n, 20, d, beside=b), COUNTS, COUNTS, st.none() | st.just(2)),
    st.builds(
        lambda points: steps(list(enumerate(sorted(points))), 12), st.lists(COUNTS, min_size=1)
    ),
    st.builds(foreign, st.text(max_size=20)),
    st.builds(term, st.text(max_size=20)),
)
SENTENCES = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.builds(lambda own: joined(own, "; "), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda a, b: phrase("{a!r} and {b} {{c}}", a=3, b=joined([a, b])), inner, inner),
        st.builds(numbered, COUNTS, inner, inner),
    ),
    max_leaves=6,
)


@given(SENTENCES)
def test_json_keeps_what_a_sentence_is_made_of(text: Phrase) -> None:
    document = {"explanation": [str(text)], "texts": json.loads(json.dumps(texts_of([text])))}
    again = with_phrases(document, document["texts"])["explanation"][0]
    assert isinstance(again, Phrase)
    for hide_below in (0, 5, 12):
        for language in ("en", "zh-TW"):
            assert said(again, language, hide_below) == said(text, language, hide_below)


@given(SENTENCES)
def test_copies_and_english(text: Phrase) -> None:
    assert copy.deepcopy(text) == text == said(text)
    assert isinstance(copy.deepcopy(text), type(text))
    assert from_plain(text.to_plain()) == text


@pytest.mark.parametrize("number", range(9))
def test_numbers_by_hand(number: int) -> None:
    """With a threshold of 5: 1 to 4 are hidden, and so is what they would follow from."""
    is_small = 0 < number < 5
    assert said(tally(number), hide_below=5) == ("<5" if is_small else str(number))
    assert said(tally(90, beside=number), hide_below=5) == (
        f"≥{90 + number - 4}" if is_small else "90"
    )
    assert said(share(number, 50), hide_below=5) == ("<10 %" if is_small else f"{number * 2} %")


def test_what_is_left_of_a_sum_says_no_more_than_the_sum() -> None:
    """Of 94 rows few are suppressed: whether one or four, the same is said."""
    texts = {said(counted(94 - few, "row", beside=few), hide_below=5) for few in range(1, 5)}
    assert texts == {"≥90 rows"}


def test_steps_leave_out_what_differs_by_few() -> None:
    grown = steps([(2, 0), (3, 2), (5, 9), (10, 12), (20, 39)], 40, told=[10])
    assert grown == "2: 0 %, 3: 5 %, 5: 22.5 %, 10: 30 %, 20: 97.5 %"
    # 2 is few, 9 and 12 differ from 10 by few, and 39 from all by few.
    assert said(grown, hide_below=5) == "2: 0 %"
    assert said(steps([(3, 2)], 40), hide_below=5) == "-"


def test_chinese_by_hand() -> None:
    text = phrase(
        "{rows} in {classes}", rows=counted(3, "row"), classes=counted(7, "class", "classes")
    )
    assert text == "3 rows in 7 classes"
    assert "7 個等價類" in said(text, "zh-TW")
    assert "<5 列" in said(text, "zh-TW", 5)
