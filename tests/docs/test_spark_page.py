"""The page about Spark shows commands that there are, and says what the program says."""

from __future__ import annotations

import re
import shlex

import pytest

from docs.pages import CHINESE, blocks, text_of
from petaudit.cli.parser import build_parser
from petaudit.counts._remote.results import MOST_ROWS
from petaudit.counts._spark.jobs import _SECONDS_WITHOUT_EXECUTOR, WAIT_VARIABLE


@pytest.mark.parametrize("page", ["spark.md", f"{CHINESE}spark.md"])
def test_the_page_about_spark_is_true(page: str) -> None:
    lines = [line for own in blocks(page, "sh") for line in own.splitlines()]
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
