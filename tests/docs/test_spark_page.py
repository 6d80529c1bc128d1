"""The page about Spark shows commands that there are, and says what the program says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import petaudit
from docs.pages import CHINESE, blocks, text_of
from petaudit.cli.parser import build_parser
from petaudit.tables.engines.remote import MOST_ROWS
from petaudit.tables.engines.spark_jobs import _SECONDS_WITHOUT_EXECUTOR, WAIT_VARIABLE

TRANSLATIONS = Path(petaudit.__file__).parent / "i18n" / "zh-TW.json"


@pytest.mark.parametrize("page", ["spark.md", f"{CHINESE}spark.md"])
def test_the_page_about_spark_is_true(page: str) -> None:
    lines = [line for entry in blocks(page, "sh") for line in entry.splitlines()]
    commands = [line for line in lines if line.startswith("petaudit ")]
    assert len(commands) == 2
    for line in commands:
        chosen = build_parser().parse_args(shlex.split(line)[1:])
        assert chosen.engine == "spark"
    text = text_of(page)
    assert f"{MOST_ROWS:,}" in text
    assert f"{WAIT_VARIABLE}=600" in text
    assert re.search(rf"\b{_SECONDS_WITHOUT_EXECUTOR:.0f} (seconds|秒)", text)


def test_both_pages_show_the_same_code() -> None:
    for language in ("sh", "python"):
        assert blocks("spark.md", language) == blocks(f"{CHINESE}spark.md", language)


@pytest.mark.parametrize("page", ["spark.md", f"{CHINESE}spark.md"])
def test_the_messages_of_the_page_are_those_of_the_program(page: str) -> None:
    known = json.loads(TRANSLATIONS.read_text(encoding="utf-8"))
    said = known.values() if page.startswith(CHINESE) else known.keys()
    rows = re.findall(r"^\| (.*?) \|", text_of(page), re.MULTILINE)
    rows = rows[rows.index("Message" if "Message" in rows else "訊息") + 2 :]
    assert len(rows) >= 7
    for row in rows:
        written = row.replace(" 60 ", " {seconds} ")
        # The page names no master of anybody's.
        assert any(
            written in entry.replace(" {master} ", "") or written in entry for entry in said
        ), row
