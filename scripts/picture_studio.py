"""Take the pictures of the studio that the README and the documentation show.

python scripts/picture_studio.py        # docs/images/studio-*.png, docs/zh-TW/images/studio-*.png

It needs Debian's Chromium and a font with Chinese characters (scripts/install_browser.sh).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from petaudit.i18n.catalogue import ENGLISH, LANGUAGES

DOCS = Path(__file__).resolve().parents[1] / "docs"
SIZE: ViewportSize = {"width": 1280, "height": 860}
NO_ROLE = {4: "insensitive_attribute", 5: "insensitive_attribute", 6: "insensitive_attribute"}


def main() -> int:
    """Play the story of the page once, and take each view in each language."""
    started = subprocess.Popen(
        [sys.executable, "-m", "petaudit", "studio", "benchmark://adult", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    )
    address = "" if started.stdout is None else started.stdout.readline().strip()
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    flags += ["--font-render-hinting=none", "--disable-lcd-text"]
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=flags
            )
            page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
            page.set_default_timeout(300_000)
            page.goto(address)
            play(page, address.partition("/?")[0])
            browser.close()
    finally:
        started.terminate()
        started.wait()
    return 0


def play(page: Page, base: str) -> None:
    """Decide as the page of the documentation says, then look at each view."""
    page.wait_for_selector(".preview")
    page.goto(f"{base}/columns")
    for number, role in (NO_ROLE | {7: "sensitive_attribute"}).items():
        page.click(f'label[for="role-{number}-{role}"]')
        page.wait_for_selector(f"#card-{number}.{role}")
    page.goto(f"{base}/limits")
    page.click("#leave-t-closeness")
    page.locator("#leave-t-closeness").wait_for(state="detached")
    for view in ("columns", "limits", "audit"):
        take(page, base, view)
    page.goto(f"{base}/deidentify")
    page.click("#search")
    page.click("#choose-7")
    page.wait_for_selector("#go-on")
    take(page, base, "deidentify")
    take(page, base, "take")


def take(page: Page, base: str, view: str) -> None:
    """Take what is seen first of a view, in each language."""
    for language in LANGUAGES:
        page.goto(f"{base}/{view}")
        page.click(f'label[for="language-{language}"]')
        page.wait_for_selector(f"html[lang={language}]")
        page.wait_for_selector("#job:not([hx-get])", state="attached")
        page.wait_for_load_state()
        folder = DOCS if language == ENGLISH else DOCS / language
        page.screenshot(path=folder / "images" / f"studio-{view}.png", animations="disabled")


if __name__ == "__main__":
    sys.exit(main())
