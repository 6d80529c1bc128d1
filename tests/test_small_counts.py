"""Numbers of people from 1 to 4 are in no report that is passed on, in whichever words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from tests.measures.registry_cases import ATTACKS, ENTRIES, Tables, in_frames, outcomes, tables

import petaudit
from budget import examples
from petaudit.errors import PetauditError
from petaudit.i18n.numbers import PEOPLE, Counted, Share, Tally, Unit, counted, share, tally
from petaudit.i18n.phrases import Joined, Phrase, phrase, render
from petaudit.i18n.voice import HIDE_BELOW, Voice
from petaudit.labels.hierarchy import Hierarchy
from petaudit.measures._class_question import WorstClass
from petaudit.measures.remedy import Remedy
from petaudit.measures.sensitive import AttributeFigure
from petaudit.measures.utility import suppressed_text
from petaudit.tables import PairCounts
from petaudit.tables.losses import off_path_warnings

FORMATS = ("html", "markdown", "junit", "sarif")
LANGUAGES = ("en", "zh-TW")

# --- what sentences are made of -------------------------------------------------------------

FIGURES = frozenset(
    {
        # what a measure says of a table, a class or a column: it is the figure that was asked for
        *("figure", "value", "t", "mean", "risk", "highest", "average", "lowest", "share"),
        *("smallest", "largest", "before", "after", "most", "alike", "publisher", "attacker"),
        *("distinction", "separation"),
        # what was asked for, or how it is measured
        *("k", "l", "threshold", "limit", "folds", "seed", "possible", "parts", "points"),
        # numbers of columns
        *("columns", "column", "first", "second"),
    }
)
"""Fields of sentences that may hold a number as it is."""
OF_THE_WHOLE_TABLE = frozenset(
    {
        # The number of all rows or cells, which is small for a table of next to nobody alone.
        ("{cells} of {all} suppressed", "all"),
        ("{rows} of {all} ({share}) suppressed in every quasi-identifier", "all"),
        (
            "the population has {rows}, fewer than the {own_rows} of the table; it must contain "
            "everybody in the table",
            "own_rows",
        ),
        (
            "the population table has {population} rows, fewer than the {rows} of the table, whose "
            "people are all in the population",
            "population",
        ),
        (
            "the population table has {population} rows, fewer than the {rows} of the table, whose "
            "people are all in the population",
            "rows",
        ),
    }
)
TO_BE_HIDDEN = frozenset(
    {
        ("{what} ({source}): {people} ({k} required)", "people"),
        ("fails for {failing} of {rows} rows", "rows"),
    }
)
"""Of strict-average-risk and profitability; see the tests of them."""
BARE = re.compile(
    r"(?<![\w.,<>=≥-])[1-4] (?:[a-z]+ )?(?:rows?|class(?:es)?|persons?|people|cells?|records?)\b"
)
NUMBER_OF_ITS_OWN = re.compile(r"(?<![\w.,])[1-9][\d,]*(?![\w.,]*\d)(?!%| %)")


def leaves(text: str, template: str = "", name: str = "") -> Iterator[tuple[str, str, str]]:
    """The parts of a sentence that are said as they are: template, field and text."""
    match text:
        case Counted() | Tally() | Share():
            return
        case Joined():
            for part in text.parts:
                yield from leaves(part, template, name)
        case Phrase():
            for field, value in text.values.items():
                yield from leaves(value, text.template, field)
        case _:
            yield template, name, str(text)


def sentences(asked: Tables) -> Iterator[str]:
    """All that every measure says of a table, or why it cannot be measured."""
    for found in outcomes(in_frames(asked)).values():
        if isinstance(found, PetauditError):
            yield found.text
        else:
            entry = found.to_entry()
            yield from (*entry["explanation"], *entry["warnings"], *entry.get("conditions", ()))


@settings(max_examples=examples(25))
@given(asked=tables(most_rows=17))
def test_no_sentence_holds_a_number_of_people_that_cannot_be_hidden(asked: Tables) -> None:
    bare = set()
    for text in sentences(asked):
        for template, name, own in leaves(text):
            is_known = name in FIGURES or (template, name) in OF_THE_WHOLE_TABLE
            is_known = is_known or (template, name) in TO_BE_HIDDEN
            if not is_known and re.fullmatch(r"[\d,]+", own):
                bare.add((template, name))
            if not template and NUMBER_OF_ITS_OWN.search(own):
                bare.add((own, "no phrase"))
    assert bare == set()


def test_profitability_hides_the_rows_that_are_left() -> None:
    found = petaudit.audit(
        pa.table({"zip": ["*"] * 9 + ["a"] * 3}),
        quasi_identifiers="zip",
        measures="profitability",
        options={"profitability": {"cost": 1, "gain": 900, "loss": 900, "benefit": 1}},
        suppressed="exclude",
    )
    [result] = found.to_dict()["results"]
    text = " ".join(render(own, "en", HIDE_BELOW) for own in result["explanation"])
    assert "fails for ≤12 of ≤12 rows" in text


@settings(max_examples=examples(15))
@given(asked=tables(most_rows=17))
def test_no_sentence_tells_a_small_number_of_people(asked: Tables) -> None:
    if min(len(asked.release.released), len(asked.population)) < HIDE_BELOW:
        return  # the number of all rows of a table is said as it is
    for text in sentences(asked):
        shown = render(text, "en", HIDE_BELOW)
        # A limit is no number of people.
        told = re.sub(
            r"(?:limit of|smaller than|at least|fewer than|below) [\d.]+ \w+"
            r"|\d+ rows? (?:or more|on average)|of \d+ rows(?: \(allowed\))?$"
            r"|on average a row is indistinguishable from \d+ rows",
            "",
            shown,
        )
        assert not BARE.search(told), shown


def test_the_registry_is_all_here() -> None:
    """What stays outside has its own tests; these are the only ones."""
    from petaudit.measures import all_measures  # noqa: PLC0415

    # Attacks count people in tests/attacks/test_small_rates.py.
    others = set(all_measures()) - set(ENTRIES) - set(ATTACKS)
    assert others == {"mpuccs", "utility-bias", "model-utility"}


@pytest.mark.parametrize("number", range(1, HIDE_BELOW))
@pytest.mark.parametrize("language", LANGUAGES)
def test_small_numbers_are_all_alike(number: int, language: str) -> None:
    for noun in PEOPLE:
        one = render(counted(number, noun), language, HIDE_BELOW)
        assert one == render(counted(3, noun), language, HIDE_BELOW)
        assert ("<20" if noun == "class" else "<5") in one
    assert render(tally(number), language, HIDE_BELOW) == "<5"
    shown = render(share(number, 50), language, HIDE_BELOW)
    assert shown == "<10 %"
    nested = phrase("{rows} ({share})", rows=counted(number, "row"), share=share(number, 50))
    assert render(nested, language, HIDE_BELOW).count("<") == 2


# --- one is said like few --------------------------------------------------------------------

# Each is said with a hidden number, and the verb or the article says that it is one.
SAID_OF_ONE = {
    "remedy": lambda number: Remedy.of(number, number, 60).text,
    "suppressed": lambda number: suppressed_text(number)[0],
    "breaking classes": lambda number: AttributeFigure("s", 0.5, 0.5, 9, number, 4, ()).explain(
        "", Unit.ROW, None, None
    ),
    "worst class": lambda number: AttributeFigure(
        "s", 0.5, 0.5, 9, None, None, (WorstClass(4, 0.5, number),)
    ).explain("", Unit.ROW, None, None),
    "strange labels": lambda number: off_path_warnings(
        PairCounts(("1",), ("b",), np.array([number])), Hierarchy("zip", [["1", "a"], ["2", "b"]])
    )[0],
}


@pytest.mark.parametrize("name", SAID_OF_ONE)
def test_one_is_said_like_few(name: str) -> None:
    make = SAID_OF_ONE[name]
    assert render(make(1), "en", HIDE_BELOW) == render(make(3), "en", HIDE_BELOW)


def test_few_rows_below_the_limit_do_not_follow_from_the_others() -> None:
    sizes = [1, 1, 1, 7, 7, 9]
    zips = [f"z{place}" for place, size in enumerate(sizes) for _ in range(size)]
    found = petaudit.audit(
        pa.table({"zip": zips}),
        quasi_identifiers="zip",
        measures="k-anonymity",
        options={"k-anonymity": {"limit": 2}},
    )
    page = petaudit.report(found)
    assert "26 rows in &lt;20 classes" in page
    assert "<td>&lt;5</td>" in page
    # 26 - 23 = 3
    assert "<td>23</td>" not in page


# --- a document that was kept says the same -------------------------------------------------


@settings(max_examples=examples(8))
@given(asked=tables(most_rows=12))
def test_a_kept_document_hides_as_much_as_the_audit_itself(asked: Tables) -> None:
    release = asked.release
    names = list(release.quasi_identifiers)
    rows = {name: [row[name] for row in release.released] for name in release.released[0]}
    try:
        found = petaudit.audit(
            pa.table(rows), quasi_identifiers=names, sensitive=list(release.sensitive)
        )
    except PetauditError:
        return
    document = found.to_dict()
    kept = json.loads(json.dumps(document))
    for format_name in FORMATS:
        for language in LANGUAGES:
            of_both = [
                petaudit.report(own, format=format_name, lang=language) for own in (found, kept)
            ]
            assert of_both[0] == of_both[1]


@pytest.mark.parametrize(
    ("threshold", "said"), [(5, "1 to 4 as <5, others in steps of 5"), (1, "Counts are exact")]
)
def test_a_report_says_from_where_on_it_tells_numbers(threshold: int, said: str) -> None:
    assert said in Voice(hide_below=threshold).mode
