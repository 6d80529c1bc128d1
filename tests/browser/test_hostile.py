"""Names and labels that somebody made to run, or to break the page, are only text."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.browser.pages import LANGUAGES, PHONE, Opened, Window
from tests.reports.test_reading import check
from tests.reports.views import HOSTILE, everything

import petaudit
from petaudit.i18n.voice import Voice
from petaudit.reports.html import as_html

PAYLOADS = (
    "<script>owned=1</script>",
    "</script><script>owned=1</script>",
    "</style><script>owned=1</script>",
    "</title></head><body onload=owned=1>",
    "<img src=x onerror=owned=1>",
    '"><svg onload=owned=1><a href="javascript:owned=1">',
    '" onfocus="owned=1" autofocus tabindex="1" x="',
    "' onmouseover='owned=1' x='",
    "</details></section></main></table><iframe srcdoc='<script>parent.owned=1</script>'>",
    "]]></text></svg><script>owned=1</script>",
    "<!--<script>",
    "--><script>owned=1</script>",
    "<base href='https://evil.example/'><link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "javascript:owned=1",
    "url(https://evil.example/x.png)",
    "{{ 7*7 }}{% raw %}${7*7}",
    "&lt;script&gt;owned=1&lt;/script&gt;",
    '=HYPERLINK("https://evil.example/","x")',
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\u202egnp.exe\u202c\u200f\u2066x\u2069",
    "a\x00b\x1b[31m\r\nc\td\x9b",
    "n" * 10_000,
    "寬" * 10_000,
    "x" * 80 + " " + "<b>" * 3_000,
)
DIRECTIONS = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
STRANGE = "script, iframe, img, object, embed, form, base, link:not([href='data:,']), math, video"
_SEEN = """strange => {
    const all = [...document.querySelectorAll("*")];
    const attributes = all.flatMap(own => [...own.attributes]);
    const links = all.filter(own => own.hasAttribute("href") || own.hasAttribute("src"));
    return {
        owned: window.owned ?? null,
        strange: document.querySelectorAll(strange).length,
        policies: document.querySelectorAll("meta[http-equiv]").length,
        links: links.map(own => own.getAttribute("href") ?? own.getAttribute("src")),
        handlers: attributes.filter(own => /^on/i.test(own.name)).map(own => own.name),
        visible: ["h1", "footer"].map(own => document.querySelector(own).checkVisibility()),
        source: document.documentElement.outerHTML,
        shape: all.map(own => `${own.localName} ${own.getAttributeNames().sort()}`),
    };
}"""


def assert_harmless(opened: Opened) -> list[str]:
    """Nothing ran, nothing was asked for, and the page is a report; its elements."""
    opened.page.mouse.move(300, 300)
    opened.page.keyboard.press("Tab")
    seen = opened.page.evaluate(_SEEN, STRANGE)
    assert (seen["owned"], seen["strange"], seen["policies"]) == (None, 0, 1)
    assert opened.complaints() == []
    assert len(opened.requests) == 1
    assert all(entry.startswith("#") or entry == "data:," for entry in seen["links"])
    assert seen["handlers"] == []
    assert seen["visible"] == [True, True]
    assert DIRECTIONS.search(seen["source"]) is None
    shape: list[str] = seen["shape"]
    return shape


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose name, columns and labels are hostile."""
    # No file system has a name with a slash in it, or a long one.
    path = tmp_path_factory.mktemp("hostile") / "<img src=x onerror=owned=1>\"'\u202e.parquet"
    rows = len(PAYLOADS) * 2
    columns = {f"{entry}{'' if entry.strip() else number}": [
        PAYLOADS[(row // 2 + number) % len(PAYLOADS)] for row in range(rows)
    ] for number, entry in enumerate(PAYLOADS)}  # fmt: skip
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_hostile_table(
    lang: str, reveal: bool, tables: Path, tmp_path: Path, window: Window
) -> None:
    names = pq.read_schema(tables).names
    result = petaudit.audit(
        tables,
        quasi_identifiers=names[:-4],
        sensitive=names[-4:],
        measures=["k-anonymity", "l-diversity", "t-closeness", "prosecutor-risk"],
        options={"k-anonymity": {"limit": 5}, "l-diversity": {"limit": 2}},
        reveal_values=reveal,
    )
    target = tmp_path / "hostile.html"
    petaudit.report(result, target, lang=lang, reveal_values=reveal)
    assert target.stat().st_size < 1_500_000
    # Without the page's policy, only the escaping is left to stop a script.
    opened = window.open(target, bypass=True, size=PHONE)
    opened.open_everything()
    assert_harmless(opened)
    page = opened.page
    assert page.locator("details.card").count() == 4
    assert page.locator("figure.chart svg").count() >= 2
    assert opened.overflow() == 0
    text = page.locator("body").inner_text()
    assert "<script>owned=1</script>" in text
    assert "\\u202e" in page.title()
    for part in page.locator("h1, h3, th, td, dd, svg text, .verdict li").all_text_contents():
        assert "n" * 300 not in part


@pytest.mark.parametrize("bypass", [False, True])
def test_hostile_names_are_text_wherever_names_can_stand(
    bypass: bool, tmp_path: Path, window: Window
) -> None:
    target = tmp_path / "page.html"

    def written(name: str) -> Path:
        made = as_html(everything(name), Voice(revealed=True))
        target.write_bytes(made.encode(errors="backslashreplace"))
        return target

    opened = window.open(written("disease"), bypass=bypass)
    shape = assert_harmless(opened)
    # The others of them are for Markdown.
    marked = [entry for entry in HOSTILE if "<" in entry or not entry.isprintable()]
    # With the policy in force, one page with all of them is enough.
    for name in [*PAYLOADS, *marked] if bypass else [" ".join(entry[:60] for entry in PAYLOADS)]:
        written(name)
        opened.requests.clear()
        opened.page.goto(target.as_uri())
        assert assert_harmless(opened) == shape, name[:80]
        assert opened.overflow() == 0, name[:80]


def test_a_hostile_document(tmp_path: Path, window: Window) -> None:
    """Somebody else may have written the file that a report is made of."""
    target = tmp_path / "page.html"
    petaudit.report(check(), target)
    opened = window.open(target, bypass=True)
    for entry in PAYLOADS:
        table = {"name": entry, "rows": 3, "columns": [entry], "sha256": entry}
        made = check(
            petaudit=entry,
            inputs={"table": table},
            roles={entry: "quasi_identifier"},
            warnings=[entry],
            texts={entry: {"template": entry, "values": {}}},
            options={"options": {"t-closeness": {entry: entry}}},
            not_measured=[{"measure": entry, "status": "skipped", "reason": entry}],
        )
        petaudit.report(made, target)
        opened.requests.clear()
        opened.page.goto(target.as_uri())
        assert_harmless(opened)
        assert opened.page.locator(".about table tbody tr").count() == 1
        assert opened.page.locator("details.card").count() == 2
        assert opened.overflow() == 0


def test_no_text_is_filled_by_one_long_name(tmp_path: Path, window: Window) -> None:
    name = "n" * 10_000
    table = pa.table({"zip": ["130**"] * 6, name: ["flu", "cold"] * 3})
    result = petaudit.audit(table, quasi_identifiers=["zip"], sensitive=[name])
    target = tmp_path / "long.html"
    petaudit.report(result, target)
    page = window.open(target).page
    assert name not in page.content()
