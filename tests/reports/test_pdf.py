"""The page as PDF: printed by a browser without a network, whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import sys
import textwrap
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import PetauditError
from petaudit.reports import pdf

Program = Callable[[str], Path]
PRINTS = """
    target = next(own for own in sys.argv if own.startswith("--print-to-pdf="))
    folder = Path(target.partition("=")[2]).parent
    page = (folder / "report.html").read_text(encoding="utf-8")
    rights = f"{folder.parent.stat().st_mode & 0o777:o}"
    (folder / "report.pdf").write_text(f"%PDF- {rights} {sys.argv[1:]} {page}", encoding="utf-8")
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A program that stands in for a browser."""

    def made(body: str) -> Path:
        path = tmp_path / "browser"
        head = f"#!{sys.executable}\nimport sys\nfrom pathlib import Path\n"
        path.write_text(head + textwrap.dedent(body), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv(pdf.BROWSER, str(path))
        return path

    return made


@pytest.fixture
def check(tmp_path: Path) -> list[str]:
    """An audit of a small table."""
    (tmp_path / "t.csv").write_text("zip\n" + "1\n" * 9, encoding="utf-8")
    return ["check", str(tmp_path / "t.csv"), "--qi", "zip", "--k", "5"]


def test_the_page_is_printed_in_private_and_without_a_network(
    program: Program, check: list[str], tmp_path: Path
) -> None:
    program(PRINTS)
    target = tmp_path / "a.pdf"
    html = tmp_path / "a.html"
    assert main([*check, "--report", str(target), "--report", str(html)]) == 0
    printed = target.read_text(encoding="utf-8")
    assert printed.startswith("%PDF- 700 ['--headless'")
    assert printed.endswith(html.read_text(encoding="utf-8"))
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in printed
    folder = re.search(r"--user-data-dir=([^']+)", printed)
    assert folder is not None
    assert not Path(folder[1]).parent.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="root is a word of POSIX")
@pytest.mark.parametrize("user", [0, 1000])
def test_only_root_does_without_a_sandbox(
    user: int, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(PRINTS)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert (b"--no-sandbox" in pdf.as_pdf("")) is (user == 0)


def test_from_python(program: Program, tmp_path: Path) -> None:
    program(PRINTS)
    audit = petaudit.audit(pa.table({"zip": ["1"] * 9}), quasi_identifiers="zip")
    page = petaudit.report(audit, tmp_path / "a.pdf", reviewer="Ann <Lee>")
    assert page.startswith("<!doctype html>")
    assert "Ann &lt;Lee&gt;" in page
    assert (tmp_path / "a.pdf").read_text(encoding="utf-8").endswith(page)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("sys.exit(3)", "exit code 3"),
        ("pass", "exit code 0"),
        (PRINTS.replace("%PDF-", "<html>"), "exit code 0"),
    ],
)
def test_a_browser_that_prints_nothing_leaves_the_old_file(
    body: str,
    why: str,
    program: Program,
    check: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = program(body)
    target = tmp_path / "a.pdf"
    target.write_text("as before", encoding="utf-8")
    assert main([*check, "--report", str(target)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        f"petaudit: error: {path} printed no PDF ({why}); name another browser in {pdf.BROWSER}, "
        "or write a report that ends with .html and print it"
    ]
    assert target.read_text(encoding="utf-8") == "as before"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.pdf", "browser", "t.csv"]


def test_a_browser_that_hangs_is_ended(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program("import time\ntime.sleep(600)")
    monkeypatch.setattr(pdf, "_SECONDS", 0.2)
    with pytest.raises(PetauditError, match="TimeoutExpired"):
        pdf.as_pdf("<!doctype html>")


def test_without_a_browser_it_is_said_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda _: None)
    monkeypatch.setattr(pdf, "_PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(pdf.BROWSER, raising=False)
    target = tmp_path / "a.pdf"
    for command in (["check", "none.csv", "--report"], ["report", "none.json", "--out"]):
        assert main([*command, str(target)]) == 2
        [said] = capsys.readouterr().err.splitlines()
        assert "a PDF needs Chromium, Chrome, Edge or WeasyPrint" in said
    monkeypatch.setenv(pdf.BROWSER, "none")
    assert main(["check", "none.csv", "--report", str(target)]) == 2
    assert f"{pdf.BROWSER} is 'none', and there is no such program" in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.browser
def test_the_demo_has_at_most_eight_pages(tmp_path: Path) -> None:
    target = tmp_path / "demo.pdf"
    assert main(["demo", "--report", str(target)]) == 0
    assert 3 <= len(re.findall(rb"/Type /Page\b", target.read_bytes())) <= 8


@pytest.mark.skipif(find_spec("weasyprint") is None, reason="WeasyPrint is not installed")
def test_weasyprint_prints_where_there_is_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_browser", lambda: None)
    assert pdf.as_pdf("<!doctype html><title>x</title>").startswith(b"%PDF-")
