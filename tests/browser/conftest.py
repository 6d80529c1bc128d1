"""One browser for the tests of a file, and the reports that they open.

Workers of pytest-xdist share nothing: each has a browser of its own, and makes the audits itself.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from petaudit import datasets
from petaudit.cli import main

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

from playwright.sync_api import Browser, sync_playwright
from tests.browser.pages import Window

ROOT = Path(__file__).resolve().parents[2]
Report = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium.

    For a module, not for the session: while Playwright is there, nobody else in the process can
    have an event loop.
    """
    path = shutil.which("chromium")
    # Root can have no sandbox, and a container little shared memory.
    flags = [
        "--disable-dev-shm-usage",
        "--disable-gpu",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="module")
def window(browser: Browser) -> Window:
    """Where reports are opened, one after another."""
    return Window(browser)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a bundled audit in a language; each audit is made once, by the commands."""
    folder = tmp_path_factory.mktemp("reports")
    arguments = {
        "demo": ["demo"],
        "revealed": ["demo", "--reveal-values"],
        "mpuccs": [
            *("mpuccs", _bundled("adult-income_ori"), _bundled("adult-income_syn")),
            *("--control", _bundled("adult-income_control"), "--max-cols", "2"),
        ],
        "compare": ["run", str(ROOT / "examples" / "pipelines" / "compare.yaml"), "--quiet"],
    }

    def made(name: str, lang: str) -> Path:
        path = folder / f"{name}-{lang}.html"
        if path.exists():
            return path
        kept = folder / f"{name}.json"
        if not kept.exists():
            _make(arguments[name], name, folder, kept)
        more = ["--reveal-values"] if name == "revealed" else []
        assert main(["report", str(kept), "--lang", lang, "--out", str(path), *more]) == 0
        return path

    return made


def _bundled(name: str) -> str:
    return str(Path(datasets.__file__).parent / "data" / f"{name}.parquet")


def _make(arguments: list[str], name: str, folder: Path, kept: Path) -> None:
    """Make an audit, and the English report of it at once, as a person does."""
    written = ["--report", str(folder / f"{name}-en.html")]
    out = folder / f"{name}-results"
    if name in ("demo", "revealed"):
        assert main([*arguments, *written, "--format", "json", "--out", str(kept)]) == 0
        return
    assert main([*arguments, *written, "--out", str(out)]) == 0
    (out / {"mpuccs": "summary.json", "compare": "result.json"}[name]).rename(kept)
