"""On paper there is what the screen shows, and nothing that can only be pressed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from tests.browser.pages import LANGUAGES, NAMES, Window

Report = Callable[[str, str], Path]
PAGES = {"demo": 8, "mpuccs": 4, "compare": 6}
"""At most."""
MARKS = {"en": "Values hidden", "zh-TW": "已隱藏資料值"}
PAPER = "rgb(255, 255, 255)"


def bare(text: str) -> str:
    """A text without spaces, and with characters that look the same made the same."""
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_pdf_has_the_expected_pages(name: str, lang: str, report: Report, window: Window) -> None:
    # Whoever prints at night gets no black paper.
    page = window.open(report(name, lang), scheme="dark").page
    file = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", file)) <= PAGES[name]
    sizes = set(re.findall(rb"/MediaBox \[0 0 (\d+)[.\d]* (\d+)", file))
    assert sizes <= {(b"594", b"841"), (b"595", b"842"), (b"595", b"841"), (b"594", b"842")}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_pdf_can_be_searched_and_every_page_has_the_mark(
    name: str, lang: str, report: Report, window: Window
) -> None:
    pypdf = pytest.importorskip("pypdf")
    page = window.open(report(name, lang)).page
    titles = page.locator("details.card h3").all_inner_texts()
    file = BytesIO(page.pdf(prefer_css_page_size=True))
    texts = [bare(entry.extract_text()) for entry in pypdf.PdfReader(file).pages]
    assert all(bare(MARKS[lang]) in text for text in texts)
    whole = "".join(texts)
    assert [entry for entry in titles if bare(entry) not in whole] == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_shut_on_the_screen_is_a_line_on_paper(
    name: str, lang: str, report: Report, window: Window
) -> None:
    page = window.open(report(name, lang), scheme="dark").page
    page.emulate_media(media="print")
    for card in page.locator("details.card").all():
        assert card.locator("summary").first.is_visible()
        is_open = card.get_attribute("open") is not None
        assert card.locator("> .body").is_visible() is is_open
    assert all(entry.is_visible() for entry in page.locator(".left-out dl").all())
    for gone in (".theme", "nav", ".skip", ".plain > summary"):
        assert not any(entry.is_visible() for entry in page.locator(gone).all())
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER


def test_paper_is_light_whatever_was_chosen(report: Report, window: Window) -> None:
    page = window.open(report("mpuccs", "en"), scheme="light").page
    page.locator("label[for=theme-dark]").click()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
