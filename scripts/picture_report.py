"""Take the pictures of the report that the README and the documentation show.

python scripts/picture_report.py        # docs/images/report.png, docs/zh-TW/images/report.png

It needs Debian's Chromium and a font with Chinese characters (scripts/install_browser.sh). The same
machine takes the same pictures; another one may have other fonts.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from petaudit.cli import main as petaudit
from petaudit.i18n.catalogue import ENGLISH, LANGUAGES

DOCS = Path(__file__).resolve().parents[1] / "docs"
WIDTH, HEIGHT = 1280, 900


def main() -> int:
    """Make the report of the demo in each language, and take its picture."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("there is no chromium; scripts/install_browser.sh installs it\n")
        return 1
    # Root can have no sandbox. The others make letters the same on every screen.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    flags += ["--font-render-hinting=none", "--disable-lcd-text"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        result = Path(folder) / "result.json"
        petaudit(["demo", "--format", "json", "--out", str(result)])
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        for language in LANGUAGES:
            page = result.with_name(f"{language}.html")
            petaudit(["report", str(result), "--lang", language, "--out", str(page)])
            folder_of_language = DOCS if language == ENGLISH else DOCS / language
            take(browser, page, folder_of_language / "images" / "report.png")
        browser.close()
    return 0


def take(browser: Browser, report: Path, target: Path) -> None:
    """Take a picture of what is seen first."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        device_scale_factor=1,
        color_scheme="light",
        reduced_motion="reduce",
        offline=True,
    )
    page = context.new_page()
    page.goto(report.as_uri())
    page.screenshot(path=target, animations="disabled")
    context.close()


if __name__ == "__main__":
    sys.exit(main())
