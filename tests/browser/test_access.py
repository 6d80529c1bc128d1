"""People who see badly, or do not see, can read the reports: what axe-core finds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.browser.pages import LANGUAGES, NAMES, PHONE, WIDE, Window

Report = Callable[[str, str], Path]
GRAVE = ("serious", "critical")


@pytest.mark.parametrize(
    ("name", "lang", "scheme"),
    [*product(NAMES, LANGUAGES, ["light", "dark"]), ("revealed", "en", "light")],
)
def test_no_serious_violation(
    name: str, lang: str, scheme: str, report: Report, window: Window
) -> None:
    size = PHONE if (lang, scheme) == ("en", "dark") else WIDE
    # The page's own policy lets no scanner in.
    opened = window.open(report(name, lang), scheme=scheme, size=size, bypass=True)
    opened.open_everything()
    result = Axe().run(opened.page).response
    assert {entry["id"] for entry in result["passes"]} >= {"color-contrast", "html-has-lang"}
    grave = {
        entry["id"]: [node["html"][:200] for node in entry["nodes"]]
        for entry in result["violations"]
        if entry["impact"] in GRAVE
    }
    assert grave == {}
    assert opened.complaints() == []
