"""Reports open: they ask for nothing, complain about nothing, and their pictures are drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.pages import LANGUAGES, NAMES, PHONE, Drawn, Opened, Window

Report = Callable[[str, str], Path]
PICTURES = "figure.chart svg"
MOST_BYTES = 1_500_000
PHONE_TO_DESK = (320, 390, 768, 1440)
MARKS = {
    ("demo", "en"): "Values hidden",
    ("demo", "zh-TW"): "已隱藏資料值",
    ("revealed", "en"): "Contains values of the data",
    ("revealed", "zh-TW"): "內含資料的值",
}


def seen(opened: Opened, window: Window, selector: str) -> list[Drawn]:
    """What is to be seen of some elements, in one picture of the whole page at half its size."""
    places = opened.page.locator(selector).evaluate_all(
        """all => all.map(own => own.getBoundingClientRect()).map(own =>
            [own.x + scrollX, own.y + scrollY, own.width, own.height].map(place => place / 2))"""
    )
    return window.counted(opened.page.screenshot(full_page=True), places)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_one_file_that_asks_for_nothing(
    name: str, lang: str, report: Report, window: Window
) -> None:
    path = report(name, lang)
    assert path.stat().st_size < MOST_BYTES
    opened = window.open(path)
    page = opened.page
    assert page.locator("h1").is_visible()
    assert page.locator("html").get_attribute("lang") == lang
    assert page.evaluate("document.fonts.status") == "loaded"
    opened.open_everything()
    for theme in ("dark", "light", "auto"):
        page.locator(f"label[for=theme-{theme}]").click()
    page.mouse.wheel(0, 20_000)
    assert opened.complaints() == []
    assert opened.requests == [path.as_uri()]
    assert (
        page.locator("script, iframe, img, object, embed, form, link[rel=stylesheet]").count() == 0
    )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_no_page_is_wider_than_its_window(
    name: str, lang: str, report: Report, window: Window
) -> None:
    opened = window.open(report(name, lang))
    for is_open in (False, True):
        if is_open:
            opened.open_everything()
        for width in PHONE_TO_DESK:
            opened.page.set_viewport_size({"width": width, "height": 800})
            assert opened.overflow() == 0, (width, is_open)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_verdicts_are_seen_without_scrolling(
    name: str, lang: str, report: Report, window: Window
) -> None:
    """However long the names of runs are."""
    page = window.open(report(name, lang)).page
    page.locator(".glance .run").evaluate_all(
        "all => all.forEach(own => { own.textContent = "
        "'Splitter[adult]_Synthesizer[copula]_Evaluator[three_columns]' })"
    )
    for width in PHONE_TO_DESK:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator(".glance .pill").count() > 0
        hidden = page.locator(".glance > .scroll").evaluate(
            "own => own.scrollWidth - own.clientWidth"
        )
        assert hidden == 0, width
        values, before = (
            page.locator(f".glance tbody td.number:nth-of-type({place})") for place in (1, 2)
        )
        for value, earlier in zip(values.all(), before.all(), strict=False):
            one, other = value.bounding_box(), earlier.bounding_box()
            assert one is not None
            assert other is not None
            # They stand beside or below each other.
            assert one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_pictures_are_drawn_in_light_and_dark(
    name: str, lang: str, report: Report, window: Window
) -> None:
    opened = window.open(report(name, lang), scale=0.5, scheme="dark")
    page = opened.page
    opened.open_everything()
    dark = seen(opened, window, PICTURES)
    page.emulate_media(color_scheme="light")
    light = seen(opened, window, PICTURES)
    assert len(light) == page.locator("figure.chart").count() >= 4
    page.locator(".datum").evaluate_all(
        "all => all.forEach(own => own.setAttribute('visibility', 'hidden'))"
    )
    without = seen(opened, window, PICTURES)
    for by_day, by_night, empty in zip(light, dark, without, strict=True):
        assert min(by_day.drawn, by_night.drawn) > 300
        assert by_day.drawn - empty.drawn > 15, "data is drawn, and not only axes and words"
        assert by_day.ground != by_night.ground
        assert by_day.commonest != by_night.commonest


@pytest.mark.parametrize("name", NAMES)
def test_gauges_are_drawn(name: str, report: Report, window: Window) -> None:
    opened = window.open(report(name, "en"), scale=0.5)
    gauges = seen(opened, window, ".glance svg.gauge")
    assert len(gauges) >= opened.page.locator(".glance tr:not(.family) td.gauge-cell").count() - 1
    # The needle is a circle with a radius of six pixels, of which half the size leaves a quarter.
    assert all(entry.drawn > 12 for entry in gauges)


@pytest.mark.parametrize(("name", "lang"), MARKS)
def test_it_says_whether_values_are_hidden_and_nothing_lies_over_the_text(
    name: str, lang: str, report: Report, window: Window
) -> None:
    page = window.open(report(name, lang)).page
    mark = MARKS[name, lang]
    assert page.locator(".mode strong").inner_text() == mark
    assert mark in page.locator("footer").inner_text()
    assert page.evaluate("getComputedStyle(document.body, '::before').content") == "none"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_first_screen_has_the_verdict_the_tiles_and_the_facts(
    name: str, lang: str, report: Report, window: Window
) -> None:
    page = window.open(report(name, lang)).page
    seen = page.locator(".tile, .verdict h1, .verdict .facts dd").evaluate_all(
        "all => all.map(own => own.getBoundingClientRect().bottom)"
    )
    assert max(seen) <= 900
    assert page.locator(".tile").count() in (range(1, 6) if name == "mpuccs" else range(3, 6))
    assert page.locator(".verdict .facts dd", has_text="2026-09-").count() == 1


@pytest.mark.parametrize("name", NAMES)
def test_pictures_fit_on_a_phone(name: str, report: Report, window: Window) -> None:
    """As a whole, and with letters of about nine pixels."""
    opened = window.open(report(name, "en"), size=PHONE)
    opened.open_everything()
    page = opened.page
    for picture in page.locator(PICTURES).all():
        scale = picture.evaluate(
            "own => own.getBoundingClientRect().width / own.viewBox.baseVal.width"
        )
        assert 12 * scale > 8.5
    assert page.locator(".chart").evaluate_all(
        "all => all.every(own => own.scrollWidth <= own.clientWidth)"
    )


def test_revealed_values_are_only_in_the_revealed_report(report: Report, window: Window) -> None:
    label = "marital-status = "
    assert label in window.open(report("revealed", "en")).page.locator("main").inner_text()
    assert label not in window.open(report("demo", "en")).page.content()
