"""Markdown is read back by a CommonMark parser, and by a little one for tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.reports.views import HOSTILE, SECRET, card, everything, texts, view, views

from budget import examples
from petaudit.errors import counted, phrase
from petaudit.i18n.catalogue import CHINESE, LANGUAGES
from petaudit.i18n.text import printable
from petaudit.i18n.voice import Voice
from petaudit.reports.markdown import MOST, as_markdown, neutral
from petaudit.reports.view import Before, View

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
KNOWN = {
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "hr"),
    *("table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close"),
    *("tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close", "html_block"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
    *("text", "text_special", "code_inline", "strong_open", "strong_close", "em_open", "em_close"),
}
HTML = re.compile(r"<details>\n<summary>\w+</summary>\n|</details>\n")
# What GitHub and GitLab look for in text that is no code.
SIGNS = re.compile(
    r"@[\w-]|[#!~$&^]\w|%[^\W\d]|\b[a-z][a-z0-9]*-\d|(?<!\d):\w|://|www\.|(?<!\d\.)\b[0-9a-f]{7,40}\b|\$|`|\]\(",
    re.IGNORECASE,
)


def all_tokens(text: str) -> Iterator[Token]:
    for token in PARSER.parse(text):
        yield token
        yield from token.children or ()


def shown(token: Token) -> str:
    return "".join(entry.content for entry in token.children or ())


def check(text: str) -> None:
    """Nothing in it is a link, an image, HTML, a mention, or a block that we did not write."""
    assert len(text) < MOST
    tokens = list(all_tokens(text))
    assert {entry.type for entry in tokens} <= KNOWN
    assert all(HTML.fullmatch(entry.content) for entry in tokens if entry.type == "html_block")
    assert sum(entry.type == "hr" for entry in tokens) == 1
    assert [entry for entry in tokens if entry.type == "text" and SIGNS.search(entry.content)] == []
    assert all(mark == "\n" or mark.isprintable() or mark.isspace() for mark in text)
    assert not re.search(r"(?m)^\s*/", text)


def rows_of(text: str) -> list[list[str]]:
    """The cells of the table, split at every bar that no backslash goes before."""
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_but_text(name: str, language: str) -> None:
    text = as_markdown(everything(name), Voice(language))
    check(text)
    assert {len(cells) for cells in rows_of(text)} == {5}


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_readable(name: str) -> None:
    """What is shown is the name, with what is invisible written out."""
    wanted = " ".join(Voice().name(name).split()) or "-"
    (alone,) = [
        entry for entry in PARSER.parse(neutral(Voice().name(name))) if entry.type == "inline"
    ]
    assert shown(alone) == wanted
    result = as_markdown(view(card(run=name), subject=name), Voice())
    titles = [entry for entry in PARSER.parse(result) if entry.type == "inline"]
    assert shown(titles[0]) == f"✗ petaudit: failed · {wanted}"
    assert f"t-closeness · {wanted}" in map(shown, titles)


@given(texts)
@settings(max_examples=examples(300), deadline=None)
def test_any_text_is_one_paragraph_of_text(name: str) -> None:
    made = neutral(printable(name))
    kinds = [entry.type for entry in PARSER.parse(made)]
    assert kinds == ["paragraph_open", "inline", "paragraph_close"]
    assert {entry.type for entry in PARSER.parse(made)[1].children or ()} <= KNOWN


@given(views)
@settings(max_examples=examples(60), deadline=None)
def test_any_view(made: View) -> None:
    for voice in (Voice(), Voice(CHINESE, revealed=True)):
        text = as_markdown(made, voice)
        check(text)
        rows = rows_of(text)
        is_compared = any(entry.before is not None for entry in made.cards)
        assert {len(cells) for cells in rows} <= {5 if is_compared else 4}
        assert len(rows) == (len(made.cards) + 2 if made.cards else 0)
        assert (SECRET in text) <= voice.revealed


def test_a_failed_check() -> None:
    why = phrase("{rows} are too far", rows=counted(3, "row"))
    result = as_markdown(
        view(
            card("k-anonymity", "passed", value=7.0, limit=5.0, better="higher"),
            card(explanation=(why,)),
        ),
        Voice(),
    )
    assert result.startswith(
        "## ✗ petaudit: failed · `released.csv`\n\nDo not release this as it is"
    )
    assert rows_of(result)[2:] == [
        [" t-closeness ", " 0.44 ", " at most 0.40 ", " ✗ failed "],
        [" k-anonymity ", " 7 ", " at least 5 ", " ✓ passed "],
    ]
    assert (
        "- **t-closeness is 0.44, and must be at most 0.40.**\n  - &lt;5 rows are too far" in result
    )
    assert result.endswith("petaudit 0.5.0; values hidden; counts below 5 shown as &lt;5\n")


@pytest.mark.parametrize(
    "text",
    [
        "(alpha, k)-anonymity",
        "0.0202482",
        "-1e-05",
        "1,234,567 of 2 (25 %)",
        "t-相似性：0.4",
        "and/or",
    ],
)
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert neutral(text) == text


def test_marks_of_the_sentence_stay_out_of_code() -> None:
    assert neutral("a_b, (c_d); (e_f g_h): f(x).") == "`a_b`, (`c_d`); (`e_f` `g_h`): `f(x)`."


def test_what_was_before_has_a_column() -> None:
    made = view(card(before=Before(0.3)), card("k-map", "measured", limit=None, lower_bound=True))
    rows = rows_of(as_markdown(made, Voice()))
    assert rows[0] == [" Measure ", " Value ", " Before ", " Limit ", " Verdict "]
    assert [cells[2] for cells in rows[2:]] == [" 0.30 ", r" \- "]
    assert rows[3][1] == " ≥ 0.44 "


def test_what_could_not_be_measured_says_why() -> None:
    made = view(
        card("l-diversity", "error", value=None, reason="no sensitive attribute"),
        problems=("run 3: the table no longer exists",),
    )
    result = as_markdown(made, Voice())
    assert "### What could not be measured\n\n- " in result
    assert "no sensitive attribute" in result
    assert "- run 3: the table no longer exists" in result


def test_values_only_where_they_are_revealed() -> None:
    hidden, told = (as_markdown(everything(), Voice(revealed=entry)) for entry in (False, True))
    assert SECRET not in hidden
    assert SECRET in told
    assert "CONTAINS VALUES OF THE DATA" not in hidden
    assert "CONTAINS VALUES OF THE DATA" in told
    assert "rows: 3)" not in hidden
    assert "(classes: 1, rows: 3)" in told


def test_no_values_to_reveal() -> None:
    result = as_markdown(view(card()), Voice(revealed=True))
    assert "no values of the data, but small counts are shown" in result


@pytest.mark.parametrize("where", ["cards", "explanation", "error", "warnings"])
def test_a_long_result_is_cut_and_says_so(where: str) -> None:
    many = tuple(f"{number} {'| ` @x ' * 40}" for number in range(500))
    made = {
        "cards": view(*(card(run=text) for text in many)),
        "explanation": view(card(explanation=many)),
        "error": view(card(status="error", reason="?"), problems=many),
        "warnings": view(card(), warnings=many),
    }[where]
    result = as_markdown(made, Voice())
    check(result)
    assert "The rest is not shown, to keep this short; the JSON result has it." in result
    assert result.rstrip().endswith("shown as &lt;5")


def test_all_long_at_once() -> None:
    many = tuple(f"{number} {'` ' * 300}" for number in range(500))
    made = view(
        *(card(run=text, explanation=many) for text in many),
        card(status="error", reason=many[0]),
        problems=many,
        warnings=many,
        subject="` " * 300,
        compared_with="` " * 300,
    )
    check(as_markdown(made, Voice()))


def test_no_cards() -> None:
    result = as_markdown(view(), Voice())
    check(result)
    assert rows_of(result) == []


def test_chinese() -> None:
    result = as_markdown(everything(), Voice(CHINESE))
    assert rows_of(result)[0] == [" 指標 ", " 數值 ", " 先前 ", " 門檻 ", " 判定 "]
    assert "### 無法衡量的項目" in result
