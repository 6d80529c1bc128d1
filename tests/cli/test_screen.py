"""What ``check``, ``demo`` and ``run`` print fits a screen, and begins with the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petaudit import datasets
from petaudit.i18n.text import width_of
from petaudit.reports.terminal import figure_text, rounded
from petaudit.reports.text import SCREEN
from petaudit.tables import open_source

Run = Callable[..., Any]
EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "pipelines").glob("*.yaml"))
LANGUAGES = ("en", "zh-TW")
FIRST = {"en": "Verdict: ", "zh-TW": "判定："}


def limits_of(name: str) -> list[tuple[str, ...]]:
    """No limit, limits that some of them break, and the original where there is one."""
    both = ("--k", "3", "--t", "0.3")
    original = datasets.load(name).original
    return [(), both] + ([] if original is None else [(*both, "--original", str(original))])


def check_screen(text: str, language: str) -> None:
    lines = text.splitlines()
    assert len(lines) <= SCREEN, text
    # A command is kept on one line, to be copied.
    assert max(width_of(line) for line in lines if not line.startswith("      petaudit ")) <= 100
    assert lines[1].startswith(FIRST[language])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", datasets.names())
def test_every_bundled_table_fits_a_screen(
    name: str, language: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    roles: tuple[str, ...] = ()
    dataset = datasets.load(name)
    if not dataset.quasi_identifiers:
        *others, last = open_source(dataset.path).columns
        roles = ("--qi", ",".join(others[:4]), "--sensitive", last)
    for limits in limits_of(name):
        result = run("check", f"benchmark://{name}", *roles, *limits, "--lang", language)
        check_screen(result.out, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_demo_fits_a_screen_and_details_do_not(language: str, run: Run) -> None:
    check_screen(run("demo", "--lang", language).out, language)
    assert len(run("demo", "--lang", language, "--details").out.splitlines()) > SCREEN


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_fits_a_screen(path: Path, run: Run) -> None:
    if "compare_to" in path.read_text(encoding="utf-8"):
        pytest.skip("needs an earlier result")
    check_screen(run("run", path, "--out", "out", "--lang", "zh-TW").out, "zh-TW")


@pytest.mark.parametrize("command", ["check", "demo", "run"])
def test_quiet_is_one_line(command: str, table: Path, run: Run) -> None:
    Path("a.yaml").write_text(
        "Loader: {t: {filepath: table.csv, roles: {quasi_identifier: zip}}}\n"
        "Evaluator: {k: {method: k-anonymity, limit: 3}}\n"
    )
    given = {
        "check": ("check", table, "--qi", "zip", "--k", "3", "--report", "r.html"),
        "demo": ("demo",),
        "run": ("run", "a.yaml"),
    }
    result = run(*given[command], "--quiet")
    code = 0 if command == "demo" else 1
    assert (result.code, result.err) == (code, "")
    assert re.fullmatch(rf"Verdict: .* k-anonymity .*\(exit code {code}\)\n", result.out)


def test_what_breaks_a_release_comes_before_what_is_close_to_a_limit(table: Path, run: Run) -> None:
    limits = ("--k", "2", "--t", "0.2", "--limit", "marketer-risk=0.9", "--l", "5")
    result = run("check", table, "--qi", "zip,age", "--sensitive", "disease", *limits)
    blocks = result.out.split("\n\n")
    names = [line.split()[0] for line in blocks[1].splitlines()[2:]]
    # l is 1 of 5, t 0.25 of 0.2; k is at its limit, the risk of 0.5 far from it.
    assert names == ["l-diversity", "t-closeness", "k-anonymity", "marketer-risk"]
    assert blocks[2].startswith(
        "What to do\n  Drop 2 rows (50 %) to meet t-closeness:\n      petaudit"
    )
    assert "\n  Dropping rows does not reach the limit of l-diversity" in blocks[2]


@pytest.mark.parametrize(
    ("value", "limit", "shown"),
    [
        (0.69325, 0.7, ("0.693", "0.7")),
        (0.6996, 0.7, ("0.6996", "0.7")),
        (0.70004, 0.7, ("0.70004", "0.7")),
        (0.7, 0.7, ("0.7", "0.7")),
        (0.0104, 0.0099, ("0.0104", "0.0099")),
        (1 / 3, 1 / 3 + 1e-9, ("0.333", "0.333333")),
        (1 / 3, 1 / 3 - 1e-9, ("0.3333333", "0.333333")),
        (4.999, 5.0, ("4.999", "5")),
        (30162.0, 5.0, ("30162", "5")),
        (12345.6, 20000.0, ("12346", "20000")),
        (float("inf"), 5.0, ("inf", "5")),
    ],
)
def test_rounding_never_moves_a_figure_across_its_limit(
    value: float, limit: float, shown: tuple[str, str]
) -> None:
    assert figure_text(value, limit, 3) == shown


def test_all_digits_are_the_figure_itself() -> None:
    assert float(rounded(0.1 + 0.2, 17)) == 0.1 + 0.2


def test_what_is_odd_about_a_file_is_said_once(write: Run, run: Run) -> None:
    """Two runs of one table: the verdict comes first, and nothing is on standard error."""
    write("people.csv", "age,illness\n1,a\n,\n2,b\n")
    assert run("init", "people.csv").code == 0
    odd = "1 row without any value, left out"
    ran = run("run", "audit.yaml")
    assert (ran.out.count(odd), ran.err) == (1, "")
    assert run("validate", "audit.yaml").err.count(odd) == 1
