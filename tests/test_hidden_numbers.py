"""No small number of people follows from a page: every small table that gives the page is tried.

A reader of a report has the page and knows how petaudit works. So all tables of some rows are made
into pages, tables with the same page are put together, and a number of people that is the same
small one in all of them is no secret. What a reader may know by intent is ``intended``, a short
list; a number that follows from that list alone is told by intent, too (docs/threat-model.md).
"""

from __future__ import annotations

import itertools
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.reports import charts
from petaudit.reporting import HIDE_BELOW

ROWS = int(os.environ.get("PETAUDIT_HIDDEN_ROWS", "0"))
"""How many rows the tables have in a long run; 24 take about an hour."""


@dataclass(frozen=True)
class Case:
    """A table: its numbers of people by name, the document of its audit, and its page."""

    numbers: Mapping[str, int]
    document: Mapping[str, Any]
    page: str = ""


@pytest.fixture(autouse=True)
def _drawings_are_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawing is made of its sheet alone, and sheets are compared a hundred times faster."""
    for module in vars(charts).values():
        if hasattr(module, "svg_of"):
            monkeypatch.setattr(module, "svg_of", lambda sheet, *_: repr(vars(sheet)))


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
}
IN_LONG_RUNS: Mapping[str, Mapping[str, Any]] = {
    "special-uniques": {},
    "average-class-size": {},
    "suppression": {"limit": "0.1"},
}


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
            yield Case({"suppressed": marked, **below, **others}, audit.to_dict())


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
def test_nothing_follows_from_class_sizes(suppressed: str) -> None:
    for measures in (["k-anonymity"],):
        cases = [*of_classes(ROWS or 20, suppressed, measures)]
        for made in ("html",):
          f=leaks(paged(cases, made, "en"))
          print(measures, len(f), f[:6])
