"""The report as PDF: the HTML page, printed by a browser of this machine, or else by WeasyPrint."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NoReturn

from petaudit.errors import InputError, OptionError

BROWSER: Final = "PETAUDIT_PDF_BROWSER"
"""The variable that names a browser, or where it is."""
_NAMES: Final = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "microsoft-edge-stable", "msedge"),
)
_PLACES: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
)
"""Where macOS and Windows have them, which do not put them on the path."""
_FLAGS: Final = (
    *("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-pdf-header-footer"),
    *("--no-first-run", "--disable-extensions", "--disable-sync", "--disable-breakpad"),
    *("--disable-background-networking", "--disable-component-update"),
    # The page asks for nothing; the browser itself shall not either.
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"),
)
_SECONDS: Final = 120
_VARIABLE: Final = re.compile(r'="var\(--[a-z0-9]+,([^"]+)\)"')


def find_browser() -> str | None:
    """Return the browser that prints; None where WeasyPrint does, and an error without either."""
    named = os.environ.get(BROWSER)
    if named:
        browser = shutil.which(named)
        if browser is None:
            raise OptionError(
                "{variable} is {given!r}, and there is no such program",
                variable=BROWSER,
                given=named,
            )
        return browser
    paths = (shutil.which(name) for name in (*_NAMES, *_PLACES))
    browser = next((path for path in paths if path is not None), None)
    if browser is None and find_spec("weasyprint") is None:
        raise OptionError(
            "a PDF needs Chromium, Chrome, Edge or WeasyPrint, and none was found: install one, "
            "name a browser in {variable}, or write a report that ends with .html and print it",
            variable=BROWSER,
        )
    return browser


def as_pdf(page: str) -> bytes:
    """Return an HTML page that needs nothing else as PDF."""
    browser = find_browser()
    return _by_weasyprint(page) if browser is None else _by_browser(page, browser)


def _by_browser(page: str, browser: str) -> bytes:
    """Print in a folder that nobody else can read, with a profile that is gone afterwards."""
    # The engine, which help does without, comes with it.
    from petaudit.tables import private_folder, temporary_room  # noqa: PLC0415

    with (
        temporary_room(),
        tempfile.TemporaryDirectory(dir=private_folder(), ignore_cleanup_errors=True) as place,
    ):
        folder = Path(place)
        source, target = folder / "report.html", folder / "report.pdf"
        source.write_bytes(page.encode(errors="backslashreplace"))
        # Root can have no sandbox.
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        command = [
            *(browser, *_FLAGS, *(["--no-sandbox"] if is_root else [])),
            *(f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={target}"),
            source.as_uri(),
        ]
        folders = {name: str(folder) for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        try:
            done = subprocess.run(  # noqa: S603 (no shell, and a file of ours)
                command,
                env=os.environ | folders,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
            content = target.read_bytes() if done.returncode == 0 and target.exists() else b""
        except (subprocess.TimeoutExpired, OSError) as problem:
            _refuse(browser, type(problem).__name__)
        if not content.startswith(b"%PDF-"):
            _refuse(browser, f"exit code {done.returncode}")
        return content


def _refuse(browser: str, why: str) -> NoReturn:
    raise InputError(
        "{browser} printed no PDF ({why}); name another browser in {variable}, or write a report "
        "that ends with .html and print it",
        browser=browser,
        why=why,
        variable=BROWSER,
    ) from None


def _by_weasyprint(page: str) -> bytes:
    import weasyprint  # type: ignore[import-not-found]  # noqa: PLC0415 (an extra, and slow)

    def refuse(address: str, *_: Any, **__: Any) -> NoReturn:
        raise ValueError("a report loads nothing")

    # Its drawings know no variables of the page: a colour is the one that stands behind them.
    while (plain := _VARIABLE.sub(r'="\1"', page)) != page:
        page = plain
    content: bytes = weasyprint.HTML(string=page, url_fetcher=refuse).write_pdf()
    return content
