"""Reference pages in Traditional Chinese say what the English ones say, in the words of Taiwan."""

from __future__ import annotations

import re

import pytest

from docs.pages import CHINESE, text_of
from test_measure_pages import NOT_OF_TAIWAN

PAGES = (
    *("tables.md", "pipelines.md", "python.md", "singling-out.md", "data.md"),
    *("result-document.md", "yaml-reference.md", "command-line.md", "benchmarks.md"),
    *("databases.md", "policies.md", "singling-out-statistics.md", "singling-out-tables.md"),
    *("case-study.md", "choosing-measures.md", "comparison.md", "concepts.md", "conventions.md"),
    *("faq.md", "glossary.md", "migration/sdcmicro.md", "anonymize.md", "private-tables.md"),
    "deploying.md",
)
HAN = r"[\u3400-\u9fff]"
every_page = pytest.mark.parametrize("page", PAGES)


def shown(page: str) -> list[str]:
    """The blocks of a page with their outputs; only comments may be translated."""
    found = re.findall(r"^```\w*\n.*?^```$", text_of(page), re.DOTALL | re.MULTILINE)
    return [own if own.startswith("```text") else without_comments(own) for own in found]


def without_comments(code: str) -> str:
    return re.sub(r"[ \t]+# .*", "", code)


def without_code(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)


def prose(page: str) -> str:
    """What a page says in words, with a sign for code and addresses."""
    text = re.sub(r"^(?: {4}|> ).*$", "", without_code(page), flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`|(?<=\])\([^)\s]*\)|<[^>\s]*>", "`", text)


@every_page
def test_the_code_and_its_outputs_are_the_same(page: str) -> None:
    assert shown(CHINESE + page) == shown(page)


@every_page
def test_there_are_as_many_headings_tables_and_items(page: str) -> None:
    english, chinese = (
        re.findall(r"^(?:#+ |\||- |\d\. )", without_code(own), re.MULTILINE)
        for own in (page, CHINESE + page)
    )
    assert chinese == english


@every_page
def test_the_first_cells_name_the_same_options_and_keys(page: str) -> None:
    """First cells of nothing but code are names, which are never translated."""
    cells = r"^\| (`[^`|]+`(?:(?:, |、)`[^`|]+`)*) \|"
    english, chinese = (
        [re.findall(r"`[^`]+`", own) for own in re.findall(cells, text_of(name), re.MULTILINE)]
        for name in (page, CHINESE + page)
    )
    assert chinese == english


@every_page
def test_signs_are_those_of_chinese(page: str) -> None:
    text = prose(CHINESE + page)
    assert re.findall(rf".*{HAN}[,;:?!].*|.*{HAN}\.(?![a-z.]).*", text) == []
    assert re.findall(rf".*{HAN}[A-Za-z0-9].*|.*[A-Za-z0-9]{HAN}.*", text) == []
    assert re.findall(rf".*{HAN} +{HAN}.*", text) == []


@every_page
def test_code_stands_apart_from_chinese(page: str) -> None:
    assert re.findall(rf".*{HAN}`[^`\n]+`.*|.*`[^`\n]+`{HAN}.*", without_code(CHINESE + page)) == []


@every_page
def test_words_are_those_of_taiwan(page: str) -> None:
    text = text_of(CHINESE + page)
    assert [word for word in NOT_OF_TAIWAN if word in text] == []
