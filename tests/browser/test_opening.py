"""Reports open: they ask for nothing, complain about nothing, and their pictures are drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.pages import LANGUAGES, NAMES, Opened, Window

Report = Callable[[str, str], Path]
MOST_BYTES = 1_500_000
PHONE_TO_DESK = (320, 390, 768, 1440)
MARKS = {
    ("demo", "en"): "Values hidden",
    ("demo", "zh-TW"): "已隱藏資料值",
    ("revealed", "en"): "Contains values of the data",
    ("revealed", "zh-TW"): "含有資料中的值",
}


def pictures_of(opened: Opened, window: Window) -> list[tuple[int, int, list[int]]]:
    """Of each picture, the pixels drawn, those of its data, and their commonest colour."""
    found = []
    for picture in opened.page.locator("figure.chart svg").all():
        whole = window.look(picture)
        picture.evaluate("own => own.style.setProperty('--none', 0)")
        marks = picture.locator(".datum")
        marks.evaluate_all("all => all.forEach(own => own.setAttribute('visibility', 'hidden'))")
        without = window.look(picture)
        marks.evaluate_all("all => all.forEach(own => own.removeAttribute('visibility'))")
        found.append((whole.drawn, whole.drawn - without.drawn, whole.commonest))
    return found


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
    assert page.locator("script, iframe, img, object, embed, form, link[rel=stylesheet]").count() == 0


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
def test_pictures_are_drawn_in_light_and_dark(
    name: str, lang: str, report: Report, window: Window
) -> None:
    seen = {}
    for scheme in ("light", "dark"):
        opened = window.open(report(name, lang), color_scheme=scheme)
        seen[scheme] = pictures_of(opened, window)
        assert len(seen[scheme]) == opened.page.locator("figure.chart").count() >= 4
        for drawn, of_data, _ in seen[scheme]:
            assert drawn > 1_000
            assert of_data > 100
    for (_, _, light), (_, _, dark) in zip(seen["light"], seen["dark"], strict=True):
        assert light != dark


@pytest.mark.parametrize("lang", LANGUAGES)
def test_gauges_are_drawn(lang: str, report: Report, window: Window) -> None:
    page = window.open(report("demo", lang)).page
    table = page.locator(".glance table")
    corner = table.bounding_box()
    assert corner is not None
    places = [
        [own["x"] - corner["x"], own["y"] - corner["y"], own["width"], own["height"]]
        for gauge in table.locator("svg.gauge").all()
        if (own := gauge.bounding_box()) is not None
    ]
    assert len(places) >= 20
    # The needle alone is a circle of a radius of six pixels.
    assert all(own.drawn > 60 for own in window.counted(table.screenshot(), places))


@pytest.mark.parametrize(("name", "lang"), MARKS)
def test_a_mark_says_whether_values_are_hidden(
    name: str, lang: str, report: Report, window: Window
) -> None:
    page = window.open(report(name, lang)).page
    mark = MARKS[name, lang]
    drawn = page.evaluate("getComputedStyle(document.body, '::before').content")
    assert drawn == f'"{mark}"'
    assert page.locator(".mode strong").inner_text() == mark
    assert mark in page.locator("footer").inner_text()
    # It is seen over everything, too faint to be in the way.
    before = page.screenshot()
    page.evaluate("document.body.dataset.mark = ''")
    assert page.screenshot() != before


def test_revealed_values_are_only_in_the_revealed_report(report: Report, window: Window) -> None:
    hidden = window.open(report("demo", "en")).page
    revealed = window.open(report("revealed", "en")).page
    label = "marital-status = "
    assert label in revealed.locator("main").inner_text()
    assert label not in hidden.content()
