"""The file to start from has its comments in the chosen language, and means the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml

from petaudit.i18n.catalogue import use_language
from petaudit.starter import guesses_from
from petaudit.starter.starter import Starter, reading_doubts, starter_text
from petaudit.starter.yaml_text import WIDEST, comment, width
from petaudit.tables.column_facts import ColumnFacts, Kind

FACTS = [
    ColumnFacts("病歷號", 500, Kind.TEXT, 0, 500, 500),
    ColumnFacts("age", 500, Kind.WHOLE, 0, 50, 3),
    ColumnFacts("salary", 500, Kind.DECIMAL, 0, 450, 400),
    ColumnFacts("joined", 500, Kind.DATE, 0, 50, 3),
]


@pytest.fixture
def _chinese() -> Iterator[None]:
    use_language("zh-TW")
    yield
    use_language("en")


@pytest.mark.usefixtures("_chinese")
@pytest.mark.parametrize("synthetic", [None, "made.csv"])
def test_comments_are_chinese_and_fit(synthetic: str | None) -> None:
    guesses = guesses_from(FACTS)
    doubts = reading_doubts("people.csv", ["33", "b", ""])
    entry = Starter(
        *("people.csv", 500, 4, guesses, 2, 1),
        synthetic=synthetic, identifiers=["病歷號"], doubts=doubts, file="audit.yaml",
    )  # fmt: skip
    text = starter_text(entry)
    use_language("en")
    assert yaml.safe_load(text) == yaml.safe_load(starter_text(entry))
    assert all(width(line) <= WIDEST for line in text.splitlines())
    assert "角色" in text
    assert "CAUTION" not in text


@pytest.mark.usefixtures("_chinese")
def test_lines_break_between_ideographs_but_before_no_mark() -> None:
    lines = comment("字，" * 60 + "word " * 40 + "（" + "字" * 80 + "）。", "  ").splitlines()
    assert all(line.startswith("  # ") for line in lines)
    assert all(width(line) <= WIDEST for line in lines)
    assert not any(line[4] in "，。）" or line[-1] == "（" for line in lines)
