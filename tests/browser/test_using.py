"""Everything that can be pressed does what it says, by mouse and by keyboard, without a script."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.browser.pages import LANGUAGES, NAMES, PHONE, Window

Report = Callable[[str, str], Path]
LIGHT, DARK = "rgb(244, 246, 248)", "rgb(17, 22, 28)"
_FOCUS = """() => {
    const own = document.activeElement, style = getComputedStyle(own);
    return {kind: own.classList.contains("datum") ? "datum" : own.localName,
            label: own.getAttribute("aria-label"), tip: own.querySelector("title")?.textContent,
            outline: style.outlineStyle, width: parseFloat(style.outlineWidth),
            inside: own.getBoundingClientRect().bottom > 0
                && own.getBoundingClientRect().top < innerHeight};
}"""
_BROKEN_WORDS = """all => all.flatMap(cell => {
    const found = [], walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        for (const word of walk.currentNode.data.matchAll(/[A-Za-z0-9.]+/g)) {
            const range = document.createRange();
            range.setStart(walk.currentNode, word.index);
            range.setEnd(walk.currentNode, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(own => own.top)).size > 1)
                found.push(word[0]);
        }
    }
    return found;
})"""


def background(page: Page) -> str:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


@pytest.mark.parametrize(("scheme", "by_itself"), [("light", LIGHT), ("dark", DARK)])
def test_colours_follow_the_system_unless_chosen(
    scheme: str, by_itself: str, report: Report, window: Window
) -> None:
    page = window.open(report("mpuccs", "en"), scheme=scheme).page
    assert background(page) == by_itself
    for theme, wanted in (("dark", DARK), ("light", LIGHT), ("auto", by_itself)):
        page.locator(f"label[for=theme-{theme}]").click()
        assert page.locator(f"#theme-{theme}").is_checked()
        assert background(page) == wanted
    page.keyboard.press("ArrowRight")
    assert page.locator("#theme-light").is_checked()
    page.keyboard.press("ArrowRight")
    assert background(page) == DARK
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


@pytest.mark.parametrize("name", NAMES)
def test_the_contents_lead_to_every_part(name: str, report: Report, window: Window) -> None:
    page = window.open(report(name, "en")).page
    links = page.locator("nav a")
    titles = page.locator("main h2").all_inner_texts()
    assert [entry.lower() for entry in links.all_inner_texts()] == [
        entry.lower() for entry in titles
    ]
    for number in range(links.count()):
        links.nth(number).click()
        place = page.locator("main h2").nth(number).bounding_box()
        assert place is not None
        assert 0 <= place["y"] < 900


def test_measures_without_a_limit_are_one_line_each(report: Report, window: Window) -> None:
    page = window.open(report("demo", "en")).page
    measured = page.locator("details.card.measured")
    assert measured.count() > 15
    heights = measured.evaluate_all("all => all.map(own => own.getBoundingClientRect().height)")
    assert max(heights) < 50
    assert page.locator("details.card:not(.measured)[open]").count() == 5


def test_exact_figures_are_one_click_away(report: Report, window: Window) -> None:
    page = window.open(report("demo", "en")).page
    card = page.locator(
        "details.card", has=page.get_by_role("heading", name="t-closeness", exact=True)
    )
    exact = card.get_by_text("0.6932542050703976")
    assert not exact.is_visible()
    card.get_by_text("How it was computed").click()
    assert exact.is_visible()
    assert card.locator(".big span").get_attribute("title") == exact.inner_text()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_measures_open_and_close(lang: str, report: Report, window: Window) -> None:
    page = window.open(report("demo", lang)).page
    shut = page.locator("details.card:not([open]) > .body").first.get_attribute("id")
    opened = page.locator("details.card[open] > .body").first.get_attribute("id")
    for name, is_open in ((shut, False), (opened, True)):
        summary, body = page.locator(f"summary:has(+ #{name})"), page.locator(f"#{name}")
        assert body.is_visible() is is_open
        summary.click()
        assert body.is_visible() is not is_open
        summary.press("Enter")
        assert body.is_visible() is is_open
        summary.press("Space")
        assert body.is_visible() is not is_open
        assert page.evaluate(_FOCUS)["outline"] == "solid"


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_has_its_table(name: str, report: Report, window: Window) -> None:
    opened = window.open(report(name, "en"))
    page = opened.page
    page.locator("details.card").evaluate_all("all => all.forEach(own => own.open = true)")
    for figure in page.locator("figure.chart").all():
        table, summary = figure.locator("table"), figure.locator("summary")
        assert not table.is_visible()
        summary.click()
        assert table.is_visible()
        assert table.locator("tbody tr").count() > 0
        assert all(text.strip() for text in table.locator("thead th").all_inner_texts())
        summary.press("Enter")
        assert not table.is_visible()


def test_what_was_left_out_can_be_read(report: Report, window: Window) -> None:
    page = window.open(report("demo", "en")).page
    part = page.locator("section[aria-labelledby=left-out]")
    assert not part.locator("dl").is_visible()
    part.locator("summary").click()
    number = int(part.locator("summary").inner_text().split()[0])
    assert part.locator("dt:visible").count() == number


def test_names_in_the_overview_lead_to_their_measures(report: Report, window: Window) -> None:
    page = window.open(report("demo", "en")).page
    links = page.locator(".glance tbody a")
    for number in (0, links.count() // 2, links.count() - 1):
        link = links.nth(number)
        title = link.inner_text()
        link.click()
        card = page.locator("details.card", has=page.locator("h3", has_text=title)).filter(
            has=page.get_by_role("heading", name=title, exact=True)
        )
        place = card.locator("h3").bounding_box()
        assert place is not None
        assert 0 <= place["y"] < 900, title


def test_a_name_in_the_overview_opens_its_measure(report: Report, window: Window) -> None:
    page = window.open(report("demo", "en")).page
    shut = page.locator("details.card:not([open])").first
    title = shut.locator("h3").inner_text()
    page.locator(".glance").get_by_role("link", name=title, exact=True).click()
    card = page.locator("details.card", has=page.get_by_role("heading", name=title, exact=True))
    assert card.locator(".body").is_visible()
    assert card.locator("h3").bounding_box()["y"] >= 0  # type: ignore[index]


def test_the_first_key_leads_past_the_top(report: Report, window: Window) -> None:
    page = window.open(report("demo", "en")).page
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    place = skip.bounding_box()
    assert place is not None
    assert place["x"] >= 0
    page.keyboard.press("Enter")
    assert page.url.endswith("#verdict")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_mark_is_reached_by_keyboard_and_says_what_it_is(
    lang: str, report: Report, window: Window
) -> None:
    page = window.open(report("mpuccs", lang)).page
    marks = page.locator(".datum").count()
    assert marks > 10
    reached = []
    for _ in range(marks + 40):
        page.keyboard.press("Tab")
        focus = page.evaluate(_FOCUS)
        if focus["kind"] == "body":
            break
        # A hidden radio button has its outline on its label.
        if focus["kind"] != "input":
            assert (focus["outline"], focus["inside"]) == ("solid", True), focus
            assert focus["width"] >= 2
        if focus["kind"] == "datum":
            reached.append(focus["label"])
            assert focus["label"] == focus["tip"] != ""
    assert reached == page.locator(".datum").evaluate_all(
        "all => all.map(own => own.getAttribute('aria-label'))"
    )
    read = page.locator("figure.chart svg").first.aria_snapshot()
    assert read.count("- img ") == page.locator("figure.chart svg").first.locator(".datum").count()


def test_focus_on_a_mark_is_to_be_seen(report: Report, window: Window) -> None:
    page = window.open(report("mpuccs", "en")).page
    picture = page.locator("figure.chart svg").first
    before = picture.screenshot()
    page.locator("details.card > summary").first.focus()
    page.keyboard.press("Tab")
    assert page.evaluate(_FOCUS)["kind"] == "datum"
    assert picture.screenshot() != before


@pytest.mark.parametrize("name", NAMES)
def test_no_word_of_a_table_is_broken_on_a_phone(name: str, report: Report, window: Window) -> None:
    page = window.open(report(name, "en"), size=PHONE).page
    cells = ":is(th > a, td, thead th)"
    assert page.locator(f".glance > .scroll {cells}").evaluate_all(_BROKEN_WORDS) == []
