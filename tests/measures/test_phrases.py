"""What results say is made of phrases, so that all of it can be said in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings

from budget import examples
from measures.registry_cases import (
    ENTRIES,
    OWN_TESTS,
    PASSING,
    STAR,
    Tables,
    in_frames,
    outcomes,
    passing_inputs,
    suited,
    tables,
)
from petaudit.errors import PetauditError, Phrase, render
from petaudit.i18n.catalogue import CHINESE
from petaudit.inputs import gather
from petaudit.measures import Result, all_measures

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
# Full-width punctuation counts: a column with its figure has no other word.
CHINESE_MARK = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
ENGLISH_WORDS = re.compile(r"\b(the|of|are|was|with|which|rows?|class(es)?)\b")
"""Words that no name of a measure, column or option in these tests has."""


def texts(result: Result) -> Iterator[str]:
    """All sentences of a result."""
    yield from (*result.explanation, *result.warnings, *result.conditions)
    if result.remedy is not None:
        yield result.remedy.text


def check(name: str, text: str) -> None:
    """Whether a text is a phrase, and Chinese where Chinese is asked for."""
    assert isinstance(text, Phrase), (name, text)
    chinese = render(text, CHINESE)
    assert CHINESE_MARK.search(chinese), (name, text, chinese)
    assert not ENGLISH_WORDS.search(chinese.replace("copied-rows", "")), (name, text, chinese)


@pytest.mark.parametrize("name", [*ENTRIES, *OWN_TESTS])
def test_a_measure_is_declared_in_words_that_a_manager_reads(name: str) -> None:
    measure = all_measures()[name]
    for text in (measure.meaning, measure.does_not_say):
        assert text.endswith("."), name
        assert 40 < len(text) < 400, name
    assert measure.meaning != measure.does_not_say


@pytest.mark.parametrize("name", list(PASSING))
def test_all_that_a_passing_result_says_is_made_of_phrases(name: str) -> None:
    result = all_measures()[name].run(suited(name, passing_inputs()), PASSING[name])
    for text in texts(result):
        check(name, text)


@settings(max_examples=examples(40), phases=(Phase.explicit, Phase.generate))
@given(asked=tables())
def test_all_that_results_of_random_tables_say_is_made_of_phrases(asked: Tables) -> None:
    for name, result in outcomes(in_frames(asked)).items():
        for text in (result.text,) if isinstance(result, PetauditError) else texts(result):
            check(name, text)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("k-anonymity", {"limit": 1}),
        ("l-diversity", {"limit": 1}),
        ("k-map", {"limit": 2, "significance": 0.1}),
        ("alpha-k-anonymity", {"limit": 1, "k": 3}),
        ("delta-presence", {"limit": 1, "least": "0.9"}),
        ("delta-disclosure", {"limit": 1, "absent": "infinite"}),
        ("journalist-risk", {"limit": 1, "figure": "average"}),
        ("distribution-distance", {"limit": 1, "figure": "wasserstein", "columns": "pay"}),
        ("granularity", {"limit": 2}),
        ("discernibility", {"limit": 2}),
    ],
)
def test_warnings_and_conditions_are_phrases(name: str, options: Mapping[str, Any]) -> None:
    result = all_measures()[name].run(passing_inputs(), options)
    for text in texts(result):
        check(name, text)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("k-anonymity", {"limit": -1}),
        ("k-anonymity", {"limit": 0}),
        ("k-anonymity", {"limt": 1}),
        ("k-map", {"significance": 2}),
        ("alpha-k-anonymity", {"k": 3}),
        ("alpha-k-anonymity", {"limit": 2, "k": 3}),
        ("alpha-k-anonymity", {"limit": 1, "worst": -1}),
        ("delta-presence", {"least": "0.9"}),
        ("delta-presence", {"least": "0.9", "limit": "0.5"}),
        ("delta-disclosure", {"base": "10"}),
        ("journalist-risk", {"figure": "hihgest"}),
        ("journalist-risk", {"threshold": 3}),
        ("journalist-risk", {"limit": 0, "figure": "at-risk", "threshold": 1}),
        ("distribution-distance", {"figure": "wasserstain"}),
        ("distribution-distance", {"columns": 3}),
        ("association-change", {"most_columns": 1}),
        ("association-change", {"columns": "pay"}),
        ("granularity", {"unknown": "maximum"}),
    ],
)
def test_refused_options_are_told_in_phrases(name: str, options: Mapping[str, Any]) -> None:
    with pytest.raises(PetauditError) as caught:
        all_measures()[name].run(passing_inputs(), options)
    check(name, caught.value.text)


def test_what_a_measure_lacks_is_told_in_phrases() -> None:
    inputs = gather(pa.table({"born": ["197*", STAR]}))
    for name, measure in all_measures().items():
        needed = {"population_size", "sampling_fraction"}
        lacking = measure.missing(inputs, dict.fromkeys(needed))
        for text in (*lacking, *(need.in_pipeline for need in measure.needs)):
            check(name, text)


def test_reasons_to_leave_a_measure_out_are_phrases() -> None:
    reasons = {
        name: measure.why_left_out(passing_inputs()) for name, measure in all_measures().items()
    }
    for name, reason in reasons.items():
        if reason is not None:
            check(name, reason)
