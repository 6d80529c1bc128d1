"""``--report``, the formats for CI, and ``petaudit report``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from petaudit.reports.writing import FORMATS

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

ROWS = "zip,age,disease\n" + "1,2,flu\n" * 3 + "1,3,flu\n" * 6 + "2,3,cold\n2,3,flu\n" * 4
GIVEN = ("check", "t.csv", "--qi", "zip,age", "--sensitive", "disease")


@pytest.fixture(autouse=True)
def table(write: Write) -> None:
    write("t.csv", ROWS)


def test_a_report_of_each_kind_at_once(run: Run) -> None:
    names = ("a.html", "a.md", "a.xml", "a.sarif")
    result = run(*GIVEN, "--k", "5", *(word for name in names for word in ("--report", name)))
    assert (result.code, result.err) == (1, "")
    assert result.out.splitlines()[-4:] == [f"wrote {name}" for name in names]
    page = Path("a.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Do not release this as it is: the limit is not met." in page
    assert "k-anonymity is 3, and must be at least 5." in page
    assert Path("a.md").read_text(encoding="utf-8").startswith("## ✗ petaudit: failed")
    suite = ElementTree.parse("a.xml").getroot().find("testsuite")  # noqa: S314 (our own)
    assert suite is not None
    assert suite.attrib["failures"] == "1"
    results = json.loads(Path("a.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    [finding] = [own for own in results if own["level"] == "error"]
    location = finding["locations"][0]["physicalLocation"]["artifactLocation"]
    assert (finding["ruleId"], location["uri"]) == ("k-anonymity", "t.csv")


def test_small_counts_are_hidden_unless_revealed(run: Run) -> None:
    run(*GIVEN, "--k", "5", "--report", "hidden.html")
    run(*GIVEN, "--k", "5", "--report", "shown.html", "--reveal-values")
    run(*GIVEN, "--k", "5", "--report", "all.html", "--hide-below", "0")
    hidden, shown, everything = (
        Path(name).read_text(encoding="utf-8") for name in ("hidden.html", "shown.html", "all.html")
    )
    # Of a table of so few rows nothing is told.
    assert re.search("Drop ≤1?[0-9] rows ", hidden)
    assert "Drop 3 rows " not in hidden
    assert "Values hidden" in hidden
    assert "Drop 3 rows " in shown
    assert "Contains values of the data" in shown
    assert "Drop 3 rows " in everything
    assert "Values hidden" in everything
    assert "zip = 1, age = 2" in shown
    assert "zip = 1" not in hidden + everything


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_format_takes_the_place_of_the_table(format_name: str, run: Run) -> None:
    printed = run(*GIVEN, "--k", "2", "--format", format_name)
    written = run(*GIVEN, "--k", "2", "--format", format_name, "--out", "x")
    assert (printed.code, written.code, written.out) == (0, 0, "")
    assert Path("x").read_text(encoding="utf-8") == printed.out


@pytest.mark.parametrize("format_name", FORMATS)
def test_what_was_not_decided_is_reported_and_never_as_safe(format_name: str, run: Run) -> None:
    asked = (*GIVEN, "--k", "2", "--limit", "k-map=2")
    result = run(*asked, "--format", format_name, "--out", "x", "--report", "y.html")
    assert result.code == 2
    assert "k-map: needs a population table" in result.err
    page = Path("y.html").read_text(encoding="utf-8")
    assert 'class="verdict error"' in page
    assert "Not decided" in page
    assert "population table" in Path("x").read_text(encoding="utf-8")


def test_text_and_json_are_not_written_where_nothing_was_decided(run: Run) -> None:
    for format_name in ("text", "json"):
        result = run(*GIVEN, "--limit", "k-map=2", "--format", format_name, "--out", "x")
        assert result.code == 2
        assert not Path("x").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--report", "a.doc"], "'a.doc' does not determine the report format"),
        (["--report", "none/a.html"], "folder 'none' does not exist"),
        (
            ["--report", "t.html", "--hide-below", "few"],
            "--hide-below must be an integer, got 'few'",
        ),
        (["--report", "t.html", "--hide-below", "-1"], "--hide-below"),
        (["--report", "t.html", "--baseline", "none.json"], "file 'none.json' does not exist"),
        (["--report", "t.html", "--baseline", "t.csv"], "t.csv: is not valid JSON"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_measured(
    options: list[str], words: str, run: Run
) -> None:
    result = run("check", "no-such-table.csv", "--qi", "zip", *options)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert "no-such-table" not in result.err
    assert [path.name for path in Path().iterdir()] == ["t.csv"]


def test_a_folder_is_no_place_for_a_report(run: Run) -> None:
    Path("d.html").mkdir()
    result = run("check", "no-such-table.csv", "--qi", "zip", "--report", "d.html")
    assert (result.code, result.out) == (2, "")
    assert "'d.html' is a folder, and no file can replace it" in result.err


def test_an_input_is_not_written_to(run: Run, write: Write) -> None:
    write("t.html", ROWS)
    result = run("check", "t.html", "--qi", "zip,age", "--report", "t.html")
    assert result.code == 2
    assert Path("t.html").read_text(encoding="utf-8") == ROWS


def test_before_and_after(run: Run) -> None:
    run(*GIVEN, "--format", "json", "--out", "before.json")
    found = run(
        *GIVEN, "--measures", "k-anonymity", "--report", "a.html", "--baseline", "before.json"
    )
    assert found.code == 0
    page = Path("a.html").read_text(encoding="utf-8")
    assert '<th scope="col" class="number">Before</th>' in page
    other = run("check", "t.csv", "--qi", "zip", "--report", "b.html", "--baseline", "before.json")
    assert other.code == 2
    assert "no figure in common with this result" in other.err
    assert not Path("b.html").exists()


def test_the_earlier_result_is_not_written_to(run: Run) -> None:
    run(*GIVEN, "--format", "json", "--out", "before.html")
    kept = Path("before.html").read_bytes()
    result = run(*GIVEN, "--report", "before.html", "--baseline", "before.html")
    assert result.code == 2
    assert Path("before.html").read_bytes() == kept


def test_a_report_of_a_kept_result_is_that_of_the_result(run: Run) -> None:
    run(*GIVEN, "--k", "5", "--report", "direct.html", "--format", "json", "--out", "kept.json")
    result = run("report", "kept.json")
    assert (result.code, result.out, result.err) == (0, "wrote kept.html\n", "")
    assert Path("kept.html").read_bytes() == Path("direct.html").read_bytes()


@pytest.mark.parametrize("name", ["x.html", "x.md", "x.xml", "x.sarif"])
def test_a_kept_result_speaks_either_language(name: str, run: Run) -> None:
    run(*GIVEN, "--k", "5", "--format", "json", "--out", "kept.json")
    run(*GIVEN, "--k", "5", "--report", f"direct-{name}", "--lang", "zh-TW")
    assert run("report", "kept.json", "--out", name, "--lang", "zh-TW").code == 0
    text = Path(name).read_text(encoding="utf-8")
    if name != "x.sarif":  # its findings are at the file that they were read from
        assert text == Path(f"direct-{name}").read_text(encoding="utf-8")
    assert "k-匿名性" in text


def test_values_of_a_result_stay_hidden_in_its_report(run: Run) -> None:
    run(*GIVEN, "--k", "5", "--reveal-values", "--format", "json", "--out", "kept.json")
    assert '"cold"' in Path("kept.json").read_text(encoding="utf-8")
    run("report", "kept.json", "--out", "hidden.html")
    run("report", "kept.json", "--out", "shown.html", "--reveal-values")
    assert "cold" not in Path("hidden.html").read_text(encoding="utf-8")
    assert "cold" in Path("shown.html").read_text(encoding="utf-8")


def test_reports_of_a_pipeline(run: Run, write: Write) -> None:
    write(
        "audit.yaml",
        "Loader:\n  t: {filepath: t.csv, roles: {quasi_identifier: [zip, age]}}\n"
        "Evaluator:\n  k: {method: k-anonymity, limit: 5}\n",
    )
    found = run("run", "audit.yaml", "--quiet", "--report", "a.html", "--report", "a.sarif")
    assert found.code == 1
    again = run("report", "audit-results/result.json", "--out", "b.html")
    assert again.code == 0
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()
    results = json.loads(Path("a.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    [finding] = [own for own in results if own["level"] == "error"]
    place = finding["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "audit.yaml"
    assert place["region"]["startLine"] == 4
    assert run("run", "audit.yaml", "--format", "markdown").out.startswith("## ✗ petaudit: failed")


def test_a_report_of_a_search(run: Run, write: Write) -> None:
    write("o.csv", "a,b\n1,x\n2,y\n3,z\n")
    write("s.csv", "a,b\n1,x\n9,y\n")
    result = run("mpuccs", "o.csv", "s.csv", "--report", "a.html", "--limit", "0.1", "--quiet")
    assert result.code == 1
    page = Path("a.html").read_text(encoding="utf-8")
    assert "Singling-out audit of s.csv" in page
    assert page.count("<svg") > 3
    assert run("mpuccs", "o.csv", "s.csv", "--out", "found", "--quiet").code == 0
    assert run("report", "found/summary.json", "--format", "junit").out.startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.json"], "does not exist"),
        (["t.csv"], "is not valid JSON"),
        (["t.csv", "--format", "pdf"], "invalid choice"),
        (["t.csv", "--out", "x.doc"], "does not determine the report format"),
    ],
)
def test_wrong_calls(arguments: list[str], words: str, run: Run) -> None:
    result = run("report", *arguments)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert [path.name for path in Path().iterdir()] == ["t.csv"]


def test_a_report_does_not_replace_its_result(run: Run) -> None:
    run(*GIVEN, "--format", "json", "--out", "kept.html")
    kept = Path("kept.html").read_bytes()
    assert run("report", "kept.html").code == 2
    assert Path("kept.html").read_bytes() == kept
