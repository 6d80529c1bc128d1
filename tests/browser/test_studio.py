"""The studio as a steward uses it: the whole story by mouse, and again by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from tests.browser.pages import PHONE, WIDE
from tests.studio.conftest import PEOPLE, Running

VIEWS = ("table", "columns", "limits", "audit", "deidentify", "synthetic", "take")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    started = Running(tmp_path_factory.mktemp("studio"))
    yield started
    started.end()


def opened(browser: Browser, studio: Running, **settings: object) -> tuple[Page, list[str]]:
    """A page of its own, and what it complains about."""
    context = browser.new_context(**settings)
    context.set_default_timeout(60_000)
    page, said = context.new_page(), []
    page.on("console", lambda own: said.append(own.text))
    page.on("pageerror", lambda own: said.append(str(own)))
    page.on("request", lambda own: own.url.startswith(studio.base) or said.append(own.url))
    page.goto(studio.address)
    page.wait_for_url("**/table")
    return page, said


def ready(page: Page, view: str, says: str = "") -> None:
    """Wait until a view is there, the document says something, and no job is on."""
    page.wait_for_url(f"**/{view}")
    page.locator("#document-text", has_text=says).wait_for(state="attached")
    page.wait_for_selector(f"#step-{view}[aria-current]")
    page.wait_for_selector("#job:not([hx-get])", state="attached")


def fits(page: Page) -> bool:
    wider: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wider <= 0


def test_from_a_dropped_file_to_a_release_by_mouse(
    browser: Browser, studio: Running, tmp_path: Path
) -> None:
    page, said = opened(browser, studio, viewport=WIDE, accept_downloads=True)
    table = tmp_path / "people.csv"
    table.write_text(PEOPLE)
    page.set_input_files("#file", table)
    page.wait_for_selector(".preview")
    page.click("#go-on")
    page.click('label[for="role-0-identifier"]')
    page.wait_for_selector("#card-0.identifier")
    page.click("#go-on")
    ready(page, "limits")
    page.wait_for_selector("#limit-k-anonymity .means")
    page.click("#chip-k-anonymity-3")
    ready(page, "limits", "k-anonymity, limit: 3")
    page.click("#leave-t-closeness")
    page.locator("#leave-t-closeness").wait_for(state="detached")
    page.click("#go-on")
    ready(page, "audit")
    page.wait_for_selector(".verdict.failed")
    page.click("#go-on")
    ready(page, "deidentify")
    page.click("#search")
    # A point of the picture stands for its cell of the table.
    page.locator(".plot [data-for]").first.press("Enter")
    ready(page, "deidentify", "Anonymizer")
    page.wait_for_selector("#made")
    # Nothing is lost by going back, by a reload, or by a second tab.
    page.go_back()
    # htmx asks for the page anew, since it keeps none.
    page.wait_for_timeout(1_500)
    page.reload()
    assert "Anonymizer" in page.inner_text("#document-text")
    page.click("#step-take")
    ready(page, "take")
    with page.expect_download() as taken:
        page.click("#take-config")
    document = yaml.safe_load(Path(taken.value.path()).read_text())
    assert document["Loader"]["people"]["filepath"] == "people.csv"
    with page.expect_download() as taken:
        page.click("#take-released")
    assert "Wanda" not in Path(taken.value.path()).read_text()
    assert said == []
    page.context.close()


def test_the_same_by_keyboard_in_chinese_on_a_phone(browser: Browser, studio: Running) -> None:
    page, said = opened(browser, studio, viewport=PHONE)

    def tab_to(identity: str) -> None:
        for _ in range(200):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == identity:
                return
        raise AssertionError(f"no Tab leads to {identity}")

    tab_to("language-en")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("html[lang=zh-TW]")
    tab_to("address")
    page.keyboard.press("Control+a")
    page.keyboard.type("benchmark://patient")
    page.keyboard.press("Enter")
    ready(page, "table", "benchmark://patient")
    page.wait_for_selector(".preview")
    tab_to("go-on")
    page.keyboard.press("Enter")
    page.wait_for_selector(".cards")
    page.focus("#card-0 input:checked")
    page.keyboard.press("q")
    page.wait_for_selector("#card-0.quasi_identifier")
    assert page.evaluate("document.activeElement.id") == "role-0-quasi_identifier"
    page.keyboard.press("n")
    page.wait_for_selector("#card-0.insensitive_attribute")
    tab_to("go-on")
    page.keyboard.press("Enter")
    ready(page, "limits")
    tab_to("value-k-anonymity")
    page.keyboard.press("Control+a")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    ready(page, "limits", "limit: 2")
    for view in VIEWS:
        page.goto(f"{studio.base}/{view}")
        ready(page, view)
        assert fits(page), view
        assert "隱藏所有值" in page.content()
    assert said == []
    page.context.close()


def test_a_synthetic_table_is_attacked(browser: Browser, studio: Running, tmp_path: Path) -> None:
    studio.do("language", language="en")
    page, said = opened(browser, studio, viewport=WIDE, bypass_csp=True)
    page.click("#trio summary")
    # A file can be chosen for each; then the bundled ones.
    chosen = tmp_path / "original.csv"
    chosen.write_text(PEOPLE)
    page.set_input_files("#file-original", chosen)
    page.wait_for_function("document.getElementById('original').value === 'original.csv'")
    page.click("#bundled-trio")
    page.wait_for_selector("#try")
    # What is chosen while the attacks run is not lost when they end.
    page.focus("#columns")
    page.keyboard.press("2")
    page.uncheck("#secret-10")
    page.focus("#secret-11")
    page.keyboard.press("Space")
    page.wait_for_selector("#verdict")
    page.click("#try")
    ready(page, "synthetic", "secret: [income]")
    page.wait_for_selector(".verdict.failed")
    assert page.inner_text("#headline").count("1 of 5")
    assert page.locator(".report figure svg").count() >= 4
    assert grave_findings(page) == {}
    page.click("#step-deidentify")
    page.click("#go-on")
    ready(page, "synthetic")
    page.set_viewport_size(PHONE)
    assert fits(page)
    page.click("#go-on")
    ready(page, "take")
    assert page.locator("#take-released").count() == 0
    with page.expect_download() as taken:
        page.click("#take-report-en")
    assert "Attribute inference" in Path(taken.value.path()).read_text()
    assert said == []
    page.context.close()


def grave_findings(page: Page) -> dict[str, list[str]]:
    """What axe finds serious when all is unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach(own => own.open = true)")
    found = Axe().run(page).response
    assert {entry["id"] for entry in found["passes"]} >= {"color-contrast", "html-has-lang"}
    return {
        entry["id"]: [node["html"][:200] for node in entry["nodes"]]
        for entry in found["violations"]
        if entry["impact"] in ("serious", "critical")
    }


def test_everybody_can_read_it(browser: Browser, studio: Running) -> None:
    for scheme, size in (("light", WIDE), ("dark", PHONE)):
        page, _ = opened(browser, studio, bypass_csp=True, color_scheme=scheme, viewport=size)
        for view in VIEWS:
            page.goto(f"{studio.base}/{view}")
            ready(page, view)
            assert grave_findings(page) == {}, (view, scheme)
        page.context.close()
    studio.do("language", language="en")
