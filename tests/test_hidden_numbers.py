"""No hidden number of people follows from a page: all small tables that give the page are tried.

A reader of a report knows the page, how many rows the table has, and how petaudit works. So every
table of that many rows is made into a page, tables with the same page are put together, and a
number of people that is the same small one in all of them is no secret. What a reader may know by
intent is a short list (``intended``): the figures that were asked for.
"""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.reports import charts

IS_LONG = os.environ.get("PETAUDIT_LONG") == "1"
"""More rows, thresholds and formats; some minutes."""

Numbers = Mapping[str, int]


@dataclass(frozen=True)
class Case:
    """A table: its numbers of people by name, and the document of its audit."""

    numbers: Numbers
    document: Mapping[str, Any]


@pytest.fixture(autouse=True)
def _drawings_are_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawing is made of its sheet alone, and sheets are compared a hundred times faster."""
    for module in vars(charts).values():
        if hasattr(module, "svg_of"):
            monkeypatch.setattr(module, "svg_of", lambda sheet, *_: repr(vars(sheet)))


def partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """All class sizes of so many rows, the largest first."""
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


FIGURES = ("measure", "status", "value", "limit", "highest", "average", "lowest")
"""What the steward asked for is told: the value of a measure, and the three figures of a risk."""


def intended(document: Mapping[str, Any], hide_below: int) -> str:
    """What a reader knows by intent, beside the rows of the table.

    The number of all classes is the shape of a table, as that of its rows is.
    """
    known = [
        [
            *(entry.get(name) for name in FIGURES),
            classes if (classes := entry.get("classes", 0)) >= hide_below else "few",
            *((own["attribute"], own["t" if "t" in own else "value"]) for own in entry.get("attributes", ())),
        ]
        for entry in document["results"]
    ]
    return repr(known)


def leaks(
    cases: Sequence[Case], page: Callable[[Mapping[str, Any]], str], hide_below: int
) -> list[str]:
    """The small numbers that a page tells though nothing that is intended does."""
    pages, intents = defaultdict[str, list[Case]](list), defaultdict[str, list[Case]](list)
    for case in cases:
        pages[page(case.document)].append(case)
        intents[intended(case.document, hide_below)].append(case)
    found = []
    for alike in pages.values():
        by_intent = intents[intended(alike[0].document, hide_below)]
        for name in alike[0].numbers:
            values = {case.numbers[name] for case in alike}
            value = next(iter(values))
            if len(values) > 1 or not 0 < value < hide_below:
                continue
            # That it is small may be told: "<5" says so.
            small = {case.numbers[name] for case in by_intent}
            if len([own for own in small if 0 < own < hide_below]) > 1:
                found.append(f"{name} is {value}: {alike[0].numbers}")
    return found


# --- class sizes and suppressed rows ----------------------------------------------------------

OF_CLASSES = {
    "k-anonymity": {"limit": 3},
    "sample-uniques": {"limit": "0.1"},
    "prosecutor-risk": {"limit": "0.3"},
    "average-class-size": {},
    "suppression": {},
}


def of_classes(rows: int, suppressed: str, most: int) -> Iterator[Case]:
    """Every table of so many rows, of which a few may be suppressed."""
    for marked in range(most + 1):
        for sizes in partitions(rows - marked, rows):
            if not sizes:
                continue
            zips = [str(place) for place, size in enumerate(sizes) for _ in range(size)]
            found = petaudit.audit(
                pa.table({"zip": [*zips, *("*",) * marked]}),
                quasi_identifiers="zip",
                suppressed=suppressed,
                measures=[*OF_CLASSES],
                options={name: own for name, own in OF_CLASSES.items() if own},
            )
            classes = [*sizes, marked] if suppressed == "class" and marked else sizes
            below = {
                f"rows in classes below {k}": sum(size for size in classes if size < k)
                for k in (2, 3, 4, 5, 6)
            }
            others = {f"all but {name}": rows - own for name, own in below.items()}
            by_size = {
                f"rows in classes of {size}": size * classes.count(size) for size in (1, 2, 3, 4)
            }
            numbers = {"suppressed": marked, **below, **others, **by_size}
            yield Case(numbers, found.to_dict())


def only(document: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """The document of an audit of one measure."""
    return dict(document) | {
        "results": [own for own in document["results"] if own["measure"] == measure]
    }


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
def test_nothing_follows_from_class_sizes(suppressed: str) -> None:
    hide_below, rows = 3, 12
    cases = [*of_classes(rows, suppressed, 4)]
    for measure in OF_CLASSES:
        single = [Case(own.numbers, only(own.document, measure)) for own in cases]
        for format_name in ("html", "markdown"):
            found = leaks(
                single,
                lambda own, made=format_name: petaudit.report(own, format=made, hide_below=hide_below),
                hide_below,
            )
            print(measure, format_name, len(found), found[:4])
