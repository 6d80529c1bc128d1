"""Numbers of people from 1 to 4 are in no report that is passed on, in whichever words."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from tests.measures.registry_cases import ENTRIES, Tables, in_frames, outcomes, tables

import petaudit
from petaudit.errors import PetauditError
from petaudit.languages.numbers import (
    PEOPLE,
    Counted,
    Numbered,
    Share,
    Steps,
    Tally,
    counted,
    share,
    tally,
)
from petaudit.languages.phrases import Joined, Phrase, phrase, said
from petaudit.measures import _attribute_figures, non_uniform_entropy
from petaudit.measures._remedy import Remedy
from petaudit.measures._utility import suppressed_text
from petaudit.reports.voice import HIDE_BELOW

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
            "the population has {rows}, fewer than the {own_rows} of the table; it must hold "
            "everybody of the table",
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
        ("{what} ({source}): {people}, of {k} that there must be", "people"),
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


@settings(max_examples=25)
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
    text = " ".join(said(own, "en", HIDE_BELOW) for own in result["explanation"])
    assert "fails for <5 of " in text
    assert "of 3 rows" not in text


@settings(max_examples=15)
@given(asked=tables(most_rows=17))
def test_no_sentence_tells_a_small_number_of_people(asked: Tables) -> None:
    if min(len(asked.release.released), len(asked.population)) < HIDE_BELOW:
        return  # the number of all rows of a table is said as it is
    for text in sentences(asked):
        shown = said(text, "en", HIDE_BELOW)
        # A limit is no number of people.
        told = re.sub(
            r"(?:limit of|smaller than|at least|fewer than|below) [\d.]+ \w+"
            r"|\d+ rows? (?:or more|on average)|of \d+ rows(?: \(allowed\))?$",
            "",
            shown,
        )
        assert not BARE.search(told), shown


def test_the_registry_is_all_here() -> None:
    """What stays outside has its own tests; these are the only ones."""
    from petaudit.measures import all_measures  # noqa: PLC0415

    assert set(all_measures()) - set(ENTRIES) == {"mpuccs", "utility-bias", "model-utility"}


@pytest.mark.parametrize("number", range(1, HIDE_BELOW))
@pytest.mark.parametrize("language", LANGUAGES)
def test_small_numbers_are_all_alike(number: int, language: str) -> None:
    for noun in PEOPLE:
        one = said(counted(number, noun), language, HIDE_BELOW)
        assert one == said(counted(3, noun), language, HIDE_BELOW)
        assert "<5" in one
    assert said(tally(number), language, HIDE_BELOW) == "<5"
    shown = said(share(number, 50), language, HIDE_BELOW)
    assert shown == "<10 %"
    nested = phrase("{rows} ({share})", rows=counted(number, "row"), share=share(number, 50))
    assert said(nested, language, HIDE_BELOW).count("<") == 2


# --- two tables that differ in nothing that is told -----------------------------------------


def audit_of(seed: int, measures: str, limits: dict[str, Any]) -> dict[str, Any] | None:
    """A check of a table of 30 rows by chance: classes of 1 to 9 rows, the last as it comes."""
    chance = random.Random(seed)  # noqa: S311 (no secret is made)
    zips = ["*"] * chance.choice((0, 0, 1, 2, 3, 4))
    while len(zips) < 30:
        size = chance.choice((1, 1, 2, 3, 4, 5, 6, 9))
        zips += [f"z{len(zips)}"] * min(size, 30 - len(zips))
    ill = [chance.choice("ab") for _ in zips]
    table = pa.table({"zip": zips, "ill": ill})
    try:
        found = petaudit.audit(
            table, quasi_identifiers="zip", sensitive="ill", measures=measures, options=limits
        )
    except PetauditError:
        return None
    return found.to_dict()


def told(document: Any) -> Any:
    """The same with "small" for every number of people that may not be told, words left out."""
    match document:
        case Counted():
            hidden = document.nouns[0] in PEOPLE and 0 < document.number < HIDE_BELOW
            if not hidden and 0 < document.beside < HIDE_BELOW:
                return (document.nouns[0], "the rest of", document.number + document.beside)
            return (document.nouns[0], "small" if hidden else document.number)
        case Numbered():
            return told(document.forms[1])
        case Steps():
            return said(document, hide_below=HIDE_BELOW)
        case Tally():
            return "small" if 0 < document.number < HIDE_BELOW else document.number
        case Share():
            is_small = 0 < document.part < HIDE_BELOW
            return ("small" if is_small else document.part, document.whole)
        case Joined():
            return [told(part) for part in document.parts]
        case Phrase():
            return sorted((name, str(told(own))) for name, own in document.values.items())
        case str():
            return document
        case dict():
            return {name: told(own) for name, own in document.items()}
        case list() | tuple():
            return [told(own) for own in document]
    return document


def drawn(picture: dict[str, Any]) -> Any:
    """What a picture may show: which numbers are none, small, or what."""
    if picture["kind"] == "class-sizes":
        near = [
            own["lowest"] < HIDE_BELOW and own["classes"] < HIDE_BELOW for own in picture["bins"]
        ]
        rows = [
            bool(own["rows"]) if is_near else own["rows"]
            for own, is_near in zip(picture["bins"], near, strict=True)
        ]
        return [own["lowest"] for own in picture["bins"]], rows
    return json.dumps(picture)


def coarse(number: int) -> int | str:
    return "small" if 0 < number < HIDE_BELOW else number


def signature(document: dict[str, Any]) -> str:
    """What a reader of a report may know."""
    parts = []
    for entry in document["results"]:
        own = {name: entry.get(name) for name in ("measure", "status", "value", "limit")}
        texts = [told(entry["explanation"]), told(entry["warnings"])]
        remedy = (entry.get("remedy") or {}).get("rows_to_suppress")
        worst = [
            [
                each.get("figure", each.get("distance")),
                coarse(each["rows"]),
                coarse(each["classes"]),
            ]
            for attribute in entry.get("attributes") or ()
            for each in attribute.get("worst_classes") or ()
        ]
        pictures = [drawn(picture) for picture in entry.get("pictures") or ()]
        parts.append([own, texts, None if remedy is None else coarse(remedy), worst, pictures])
    return json.dumps(parts, default=str)


def without_facts(text: str) -> str:
    """A report without hashes, ids that come from them, and rows of the tables."""
    return re.sub(r"\bp?[0-9a-f]{12,64}\b(?:-[a-z])?", "#", text)


AUDITS = {
    "k-anonymity": {"limit": 2},
    "l-diversity": {"limit": 2},
    "t-closeness": {"limit": "0.3"},
    "suppression": {},
    "sample-uniques": {"limit": "0.1"},
    "prosecutor-risk": {"limit": "0.4"},
    "alpha-k-anonymity": {"limit": "0.7", "k": 2},
}


@pytest.mark.parametrize("measure", AUDITS)
def test_tables_that_differ_in_small_numbers_give_the_same_report(measure: str) -> None:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for seed in range(500):
        document = audit_of(seed, measure, {measure: AUDITS[measure]})
        if document is not None:
            groups[signature(document)].append(document)
    assert groups
    pairs = [own for own in groups.values() if len({str(each["results"]) for each in own}) > 1]
    for place, documents in enumerate(pairs):
        # The documents tell them apart; a report may not.
        for format_name in FORMATS if place < 4 else ("markdown",):
            for language in LANGUAGES:
                made = {
                    without_facts(petaudit.report(own, format=format_name, lang=language))
                    for own in documents[:6]
                }
                assert len(made) == 1, (measure, format_name)


# Each is said with a hidden number, and the verb or the article says that it is one.
SAID_OF_ONE = {
    "remedy": lambda number: Remedy.of(number, number, 60).text,
    "suppressed": lambda number: suppressed_text(number)[0],
    "breaking classes": lambda number: _attribute_figures._breaking(number, 4),
    "worst class": lambda number: _attribute_figures._worst(
        _attribute_figures.WorstClass(4, 0.5, number)
    ),
    "strange labels": lambda number: non_uniform_entropy._strange("zip", number),
}


@pytest.mark.parametrize("name", SAID_OF_ONE)
def test_one_is_said_like_few(name: str) -> None:
    make = SAID_OF_ONE[name]
    assert said(make(1), "en", HIDE_BELOW) == said(make(3), "en", HIDE_BELOW)


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
    assert "26 rows in 6 classes" in page
    assert "<td>&lt;5</td>" in page
    # 26 - 23 = 3
    assert "<td>23</td>" not in page


# --- a document that was kept says the same -------------------------------------------------


@settings(max_examples=8)
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
