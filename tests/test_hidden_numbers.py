"""No small number of people follows from a page: every small table that gives the page is tried.

A reader of a report has the page and knows how petaudit works. So all tables of some rows are made
into pages, tables with the same page are put together, and a number of people that is the same
small one in all of them is no secret. What a reader may know by intent is ``intended``, a short
list; a number that follows from that list alone is told by intent, too (docs/threat-model.md).
"""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.i18n.voice import HIDE_BELOW

ROWS = int(os.environ.get("PETAUDIT_HIDDEN_ROWS", "0"))
"""How many rows the tables have in a long run, which also has more measures and formats."""


@dataclass(frozen=True)
class Case:
    """A table: its numbers of people by name, the document of its audit, and its page."""

    numbers: Mapping[str, int]
    document: Mapping[str, Any]
    page: str = ""


# --- the solver -------------------------------------------------------------------------------

FIGURES = ("measure", "status", "value", "limit", "highest")
"""What the steward asked for is told: the value of a measure, and the highest of a risk."""


def intended(case: Case) -> str:
    """What a reader knows by intent, beside the rows of the table.

    The figures that were asked for, whether suppressing or dropping rows helps, and that a number
    is none, few, or neither: "<5" says so.
    """
    figures = [
        [
            *(entry.get(name) for name in FIGURES),
            [own is None for own in (entry.get("remedy") or {}).values()],
            *(own["t" if "t" in own else "value"] for own in entry.get("attributes") or ()),
        ]
        for entry in case.document["results"]
    ]
    marks = [
        0 if number == 0 else 1 if number < HIDE_BELOW else 2 for number in case.numbers.values()
    ]
    return repr((figures, marks))


def leaks(cases: Sequence[Case]) -> list[str]:
    """The small numbers that pages tell and nothing that is intended does."""
    pages, intents = defaultdict[str, list[Case]](list), defaultdict[str, list[Case]](list)
    for case in cases:
        pages[case.page].append(case)
        intents[intended(case)].append(case)
    found = []
    for alike in pages.values():
        for name, number in alike[0].numbers.items():
            if len({case.numbers[name] for case in alike}) == 1 and 0 < number < HIDE_BELOW:
                by_intent = {case.numbers[name] for case in intents[intended(alike[0])]}
                if len(by_intent) > 1:
                    found.append(f"{name} is {number}: {alike[0].numbers}")
    return found


def paged(cases: Sequence[Case], format_name: str, language: str) -> list[Case]:
    """The same tables with their pages."""
    return [
        Case(
            own.numbers,
            own.document,
            petaudit.report(own.document, format=format_name, lang=language),
        )
        for own in cases
    ]


def test_the_solver_finds_a_number_that_follows() -> None:
    documents = [{"results": [{"measure": "k-anonymity", "value": 1.0}]}] * 2
    sizes = ({"alone": 3}, {"alone": 2})
    told = [
        Case(own, made, f"{100 * own['alone'] / 20} %")
        for own, made in zip(sizes, documents, strict=True)
    ]
    hidden = [Case(own, made, "<25 %") for own, made in zip(sizes, documents, strict=True)]
    assert len(leaks(told)) == 2
    assert leaks(hidden) == []
    # What the figure itself tells is no secret.
    by_figure = [
        Case(own, {"results": [{"measure": "sample-uniques", "value": own["alone"] / 20}]}, "")
        for own in sizes
    ]
    assert leaks([Case(own.numbers, own.document, str(own)) for own in by_figure]) == []


# --- class sizes and suppressed rows ----------------------------------------------------------

OF_CLASSES: Mapping[str, Mapping[str, Any]] = {
    "k-anonymity": {"limit": 3},
    "prosecutor-risk": {"limit": "0.2"},
    "sample-uniques": {"limit": "0.1"},
    "special-uniques": {"limit": "0.1"},
    "suppression": {"limit": "0.1"},
    "average-class-size": {},
}
IN_SHORT_RUNS = ("k-anonymity",)


def partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """All class sizes of so many rows, the largest first."""
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def of_classes(rows: int, suppressed: str, measures: Sequence[str]) -> Iterator[Case]:
    """Every table of so many rows, of which none or few are suppressed."""
    for marked in range(HIDE_BELOW):
        for sizes in partitions(rows - marked, rows):
            zips = [str(place) for place, size in enumerate(sizes) for _ in range(size)]
            audit = petaudit.audit(
                pa.table({"zip": [*zips, *("*",) * marked]}),
                quasi_identifiers="zip",
                suppressed=suppressed,
                measures=measures,
                options={name: OF_CLASSES[name] for name in measures if OF_CLASSES[name]},
            )
            classes = [*sizes, marked] if suppressed == "class" and marked else sizes
            below = {
                f"rows of classes below {k}": sum(size for size in classes if size < k)
                for k in (2, 3, 5)
            }
            others = {f"all but {name}": rows - own for name, own in below.items()}
            document = audit.to_dict()
            to_remove = {"to suppress or to drop": removed(document)}
            yield Case({"suppressed": marked, **below, **others, **to_remove}, document)


def removed(document: Mapping[str, Any]) -> int:
    """How many rows the advice is about."""
    [entry] = document["results"]
    remedy = entry.get("remedy") or {}
    return int(remedy.get("rows_to_suppress") or remedy.get("rows_to_drop") or 0)


@pytest.mark.parametrize("measure", OF_CLASSES if ROWS else IN_SHORT_RUNS)
@pytest.mark.parametrize("suppressed", ["exclude", "class"] if ROWS else ["exclude"])
def test_nothing_follows_from_class_sizes(measure: str, suppressed: str) -> None:
    cases = [*of_classes(ROWS or 15, suppressed, [measure])]
    assert leaks(paged(cases, "html", "en")) == []
    if ROWS:
        assert leaks(paged(cases, "markdown", "zh-TW")) == []


# --- sensitive values -------------------------------------------------------------------------

OF_VALUES: Mapping[str, Mapping[str, Any]] = {
    "t-closeness": {"limit": "0.2"},
    "l-diversity": {"limit": 2},
}


def of_values(rows: int, measure: str) -> Iterator[Case]:
    """Every table of so many rows with two classes and two sensitive values, in any order."""
    for cells in itertools.product(range(rows + 1), repeat=3):
        rest = rows - sum(cells)
        first, second = (cells[0], cells[1]), (cells[2], rest)
        if rest < 0 or not sum(first) or not sum(second):
            continue
        values = (first[0] + second[0], first[1] + second[1])
        if first < second or values[0] < values[1]:
            # The same table by other names.
            continue
        zips = ["a"] * sum(first) + ["b"] * sum(second)
        ills = [*"x" * first[0], *"y" * first[1], *"x" * second[0], *"y" * second[1]]
        audit = petaudit.audit(
            pa.table({"zip": zips, "ill": ills}),
            quasi_identifiers="zip",
            sensitive="ill",
            measures=measure,
            options={measure: OF_VALUES[measure]},
        )
        document = audit.to_dict()
        numbers = {
            "rows of the rarer value": min(values),
            "rows of the smaller class": min(sum(first), sum(second)),
            "to suppress or to drop": removed(document),
        }
        yield Case(numbers, document)


@pytest.mark.parametrize("measure", OF_VALUES)
def test_nothing_follows_from_sensitive_values(measure: str) -> None:
    cases = [*of_values(ROWS or 20, measure)]
    assert leaks(paged(cases, "html", "zh-TW")) == []
    if ROWS:
        assert leaks(paged(cases, "markdown", "en")) == []
