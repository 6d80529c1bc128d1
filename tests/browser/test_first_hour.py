"""The first hour of a steward, played on tables as people keep them (``steward.py``)."""

from __future__ import annotations

import shlex
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.browser.pages import Window

import petaudit
from budget import IS_RANDOM
from steward import Screen, Steward

TABLES = (
    *("bands.csv", "dates.csv", "export.csv", "hospital-big5.csv", "hospital-gb18030.csv"),
    *("hospital-utf16.txt", "hospital.csv", "hospital.ods", "hospital.xls", "hospital.xlsx"),
    *("missing.csv", "numbers.csv", "text.xlsx", "visits.feather", "visits.jsonl"),
    *("visits.parquet", "visits.tsv", "visits.xlsx", "western.csv"),
)
SHORT_OF_ALL = [
    *((name, "en") for name in ("export.csv", "hospital.xls", "missing.csv", "visits.parquet")),
    *((name, "zh-TW") for name in ("hospital-big5.csv", "hospital.xlsx")),
]
"""An hour is twenty commands: one for each way in which a table is odd or a screen differs."""
HOURS = list(product(TABLES, ("en", "zh-TW"))) if IS_RANDOM else SHORT_OF_ALL
ROLES = {"copayment": "n", "Ort": "q", "Größe": "n", "Kosten": "s", "Name": "i"}
"""What a steward knows about columns whose names say too little."""


def test_every_messy_table_is_played(messy: dict[str, Path]) -> None:
    assert {*messy} == {*TABLES}


@pytest.mark.long
@pytest.mark.parametrize(("name", "language"), HOURS)
def test_the_hour(
    name: str, language: str, messy: dict[str, Path], tmp_path: Path, window: Window
) -> None:
    steward = Steward(Path(shutil.copy(messy[name], tmp_path)), language, ROLES)
    proposed = steward.begin()
    assert proposed.code == 0
    # What the other commands show is the same in every language but for its words.
    ran = [
        steward.type(command)
        for command in proposed.commands
        if language == "en" or command.startswith("petaudit run ")
    ]
    [breached] = [screen for screen in ran if "audit-results" in screen.text]
    assert breached.code == 1, breached.text
    for screen in (proposed, *ran):
        assert _height(screen) <= 40, screen.text

    [page] = steward.pages()
    opened = window.open(page)
    assert not opened.complaints()
    shown = opened.page.inner_text("body")
    steward.look(shown, f"the page {page.name}")
    assert "k-anonymity" in _first_screen(opened.page) or "k-匿名性" in _first_screen(opened.page)
    for command in breached.commands:
        assert command in shown, "the page advises something else than the terminal"

    assert breached.ways, breached.text
    for way in breached.ways:
        _check_reached(steward, way, _limits(tmp_path / "audit.yaml"))


def _check_reached(steward: Steward, way: list[str], limits: dict[str, Any]) -> None:
    """What a screen advised ends at a table that meets all limits and names nobody."""
    end = steward.follow(way)
    assert end.code == 0, end.text
    words = shlex.split(end.command)
    assert words[1] in ("check", "anonymize"), "the last screen has no verdict"
    roles = {
        key: words[words.index(option) + 1].split(",")
        for option, key in (("--qi", "quasi_identifiers"), ("--sensitive", "sensitive"))
    }
    released = words[words.index("--out") + 1] if "--out" in words else words[2]
    path = steward.table.parent / released
    audit = petaudit.audit(path, limits=limits, measures=[*limits], **roles)
    assert audit.verdict == "passed", audit.summary()


def _limits(file: Path) -> dict[str, Any]:
    """The limits that ``init`` proposed."""
    steps = yaml.safe_load(file.read_text(encoding="utf-8"))["Evaluator"].values()
    return {step["method"]: str(step["limit"]) for step in steps}


def _height(screen: Screen) -> int:
    """Lines from the first to the last; questions are answered one by one and scroll away."""
    return 0 if "--interactive" in screen.command else len(screen.text.splitlines())


def _first_screen(page: Any) -> str:
    """What a window shows before anybody scrolls."""
    text: str = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
            .filter(each => each.childElementCount === 0)
            .filter(each => each.getBoundingClientRect().bottom < innerHeight)
            .map(each => each.textContent).join(" ")"""
    )
    return text
