"""The page of benchmarks says what the results say, in both languages, and never drifts apart."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
MODULES = ["growth", "measuring", "options", "page", "page_comparisons", "page_sections"]
MODULES += ["page_words", "plots", "reduced"]
LANGUAGES = ("en", "zh-TW")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def bench() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield {name: importlib.import_module(name) for name in MODULES}


def runs(*seconds: float) -> dict[str, list[float]]:
    entry = list(seconds)
    return {
        "seconds": entry,
        "cpu_seconds": [2 * value for value in entry],
        "peak_mib": [100.0 for _ in entry],
        "over_idle_mib": [10.0 for _ in entry],
    }


def document() -> dict[str, Any]:
    """What a tiny run would write; its numbers are by hand."""
    return {
        "date": "2031-02-03",
        "kind": "full",
        "rows": 70,
        "repetitions": 3,
        "machine": {
            "cores": 2,
            "memory_gib": 4.0,
            "cpu": "Abacus",
            "system": "Wood",
            "load_before": 0.1,
            "load_after": 0.2,
        },
        "versions": {"python": "3.11", "petaudit": "0.9"},
        "peers": {"pyCANON": {"pycanon": "1.0"}},
        "shapes": {"not": "kept"},
        "comparisons": [
            {
                "key": "generated-text",
                "base": "bare DuckDB",
                "facts": {"rows": 70, "classes": 7, "largest": 20},
                "contenders": {
                    "bare DuckDB": runs(1.0, 1.0, 1.0),
                    "t-closeness": runs(1.5, 1.75, 2.0),
                },
            },
            {
                "key": "pycanon-adult",
                "base": "petaudit",
                "facts": {"t": 0.25, "same_figure": True},
                "contenders": {"pyCANON": runs(300.0), "petaudit": runs(1.0, 2.0)},
            },
            {
                "key": "large-text",
                "base": "bare DuckDB",
                "facts": {"rows": 700, "classes": 7, "memory": "4GB"},
                "contenders": {"bare DuckDB": runs(2.0), "t-closeness": runs(4.0)},
            },
            {
                "key": "mpuccs-large",
                "base": "in memory",
                "facts": {"rows": 90, "columns": 5, "up_to": 2, "memory": "2GB", "identified": 8},
                "contenders": {"DuckDB": runs(6.0), "in memory": runs(2.0)},
            },
        ],
        "growth": [
            {
                "key": "rows",
                "base": "bare DuckDB",
                "facts": {"quasi_identifiers": 8},
                "contenders": {
                    "bare DuckDB": {"10": runs(1.0, 1.0), "1000": runs(10.0, 1.0)},
                    "t-closeness": {"10": runs(1.0, 1.0), "1000": runs(100.0, 100.0)},
                },
            }
        ],
        "checks": [
            {
                "where": "text",
                "what": "t-closeness, time",
                "ratio": 1.75,
                "low": 1.5,
                "high": 2.0,
                "target": 2.2,
                "at_most": True,
                "passed": True,
                "is_gate": True,
            }
        ],
        "left_out": [
            {"what": "sdmetrics", "why": "could not", "said": "no file:///opt/x and /home/me"}
        ],
    }


@pytest.fixture(scope="module")
def made(bench: dict[str, ModuleType]) -> dict[str, str]:
    return bench["page"].files_of(bench["reduced"].reduced(document()))


def test_page_that_is_kept_is_what_the_results_that_are_kept_give(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    code = bench["page"].main(["--check"])
    assert (code, capsys.readouterr().out) == (0, "")


def test_results_that_are_kept_are_small_and_name_no_place(bench: dict[str, ModuleType]) -> None:
    text = bench["reduced"].LATEST.read_text(encoding="utf-8")
    assert len(text) < 200_000
    assert not re.search(r"[/\\]", text.replace(" / ", " "))
    result = json.loads(text)
    assert bench["reduced"].written(result) == text
    assert {"date", "machine", "versions", "peers"} <= set(result)
    assert {entry["key"] for entry in result["growth"]} == {
        *("rows", "columns", "mpuccs-rows", "mpuccs-columns")
    }


def test_tables_have_medians_and_ratios_with_spread(made: dict[str, str]) -> None:
    page = made["benchmarks.md"]
    assert re.search(
        r"^\| table \| t-closeness \|\n.*\n\| Text, .* \| 1\.75 \[1\.50\.\.2\.00\] \|$", page, re.M
    )
    # pyCANON ran once and petaudit twice: 300 / 1.5, between 300 / 2 and 300 / 1.
    assert "| 300 | 1.5 | 200 [150..300] | 200 [150..300] | 1.00 |" in page
    assert "both find t = 0.25. The same figure on both sides." in page
    assert "1 of 1 targets that gate are met. 0 more are only shown." in " ".join(page.split())


def test_targets_that_are_not_met_are_named(bench: dict[str, ModuleType]) -> None:
    results = document()
    results["checks"][0] |= {"target": 1.5, "passed": False}
    page = bench["page"].files_of(bench["reduced"].reduced(results))["benchmarks.md"]
    assert "text, t-closeness, time 1.75 [1.50..2.00] (at most 1.5, gate)" in page
    assert "0 of 1 targets" in page


def test_tables_beyond_memory_have_a_section_of_their_own(made: dict[str, str]) -> None:
    section = (
        made["benchmarks.md"].partition("## Large tables, little memory")[2].partition("\n## ")[0]
    )
    assert "within 4GB" in section
    assert "| 6 | 2 | 3.00 | 3.00 | 1.00 |" in section
    # The plot has what is compared with the bare query, and nothing else.
    [words] = re.findall(r"!\[(.*)\]", section)
    assert words == "Times as long as bare DuckDB: t-closeness (text) 2.0."


def test_growth_has_the_exponent_beside_that_of_the_bare_query(made: dict[str, str]) -> None:
    page = made["benchmarks.md"]
    # Rounds of the bare query: from 1 to 10 s over two decades, and none; medians 1 and 5.5.
    assert "| bare DuckDB | 10–1,000 | 1 | 5.5 | 0.37 [0.00..0.50] |" in page
    assert "| t-closeness | 10–1,000 | 1 | 100 | 1.00 | 1.00 | 1.00 |" in page


def test_page_names_the_machine_the_versions_and_what_could_not_be_measured(
    made: dict[str, str],
) -> None:
    for name in ("benchmarks.md", "zh-TW/benchmarks.md"):
        page = made[name]
        for word in ("2031-02-03", "Abacus", "Wood", "petaudit 0.9", "pycanon 1.0", "SDMetrics"):
            assert word in page
        assert "file://" not in page
        assert "/home" not in page
    assert "could not be measured: SDMetrics. no … and …" in made["benchmarks.md"]


def test_every_plot_is_on_the_page_with_its_numbers_in_words(made: dict[str, str]) -> None:
    for folder in ("", "zh-TW/"):
        result = re.findall(r"!\[(.*)\]\((\S+)\)", made[f"{folder}benchmarks.md"])
        shown = {place: words for words, place in result}
        assert {folder + place for place in shown} == {
            name for name in made if name.endswith(".svg") and name.startswith(f"{folder}images")
        }
        assert "200 [150..300]" in shown["images/benchmarks-peers.svg"]
        assert "0.37" in shown["images/benchmarks-rows.svg"]
        for place, words in shown.items():
            root = ElementTree.fromstring(made[folder + place])  # noqa: S314
            assert root.findtext(f"{SVG}desc") == words


def test_plots_are_narrow_with_words_large_enough_and_paper_of_their_own(
    made: dict[str, str],
) -> None:
    """On a screen of 320, words of 12 in 340 are still words of 11."""
    for name, svg in made.items():
        if not name.endswith(".svg"):
            continue
        root = ElementTree.fromstring(svg)  # noqa: S314
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        assert width <= 340
        paper = next(entry for entry in root if entry.tag == f"{SVG}path")
        assert paper.attrib["fill"] == "#ffffff"
        assert paper.attrib["d"] == f"M0,0h{width:g}v{height:g}h-{width:g}Z"
        texts = [entry for entry in root if entry.tag == f"{SVG}text"]
        assert texts
        assert all(float(entry.attrib["font-size"]) >= 12 for entry in texts)
        assert "var(" not in svg
        assert all(0 <= float(entry.attrib["y"]) <= height for entry in texts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_a_plot_stay_on_the_paper(
    bench: dict[str, ModuleType], language: str, made: dict[str, str]
) -> None:
    """Names of all comparisons and their numbers fit beside each other."""
    width_of = importlib.import_module("petaudit.pictures.svg").width_of
    for title, _ in bench["page_comparisons"].COMPARISONS[language].values():
        if "{" not in title:
            assert width_of(title) + width_of("466 [465..520]") < 340, title


def test_chinese_page_is_in_chinese_with_the_same_numbers(made: dict[str, str]) -> None:
    english, chinese = made["benchmarks.md"], made["zh-TW/benchmarks.md"]
    assert "| 資料表 | t-相似性 |" in chinese
    lines = r"^(?:#+ |\||- |!\[)"
    assert re.findall(lines, chinese, re.MULTILINE) == re.findall(lines, english, re.MULTILINE)
    assert not re.search(r"[\u3400-\u9fff] [\u3400-\u9fff]", chinese)


def test_both_languages_have_the_same_words(bench: dict[str, ModuleType]) -> None:
    words = bench["page_words"]
    texts = [words.TEXTS, words.TABLE, words.HEADINGS, words.KINDS]
    texts += [getattr(bench["page_comparisons"], entry) for entry in ("COMPARISONS", "LEFT_OUT")]
    texts.append(bench["page_comparisons"].GROWTH)
    for entry in texts:
        assert set(entry["en"]) == set(entry["zh-TW"])
        for name, english in entry["en"].items():
            facts = [
                sorted(re.findall(r"\{(\w+)", " ".join(said) if isinstance(said, tuple) else said))
                for said in (english, entry["zh-TW"][name])
            ]
            assert facts[0] == facts[1], name


def test_everything_that_can_be_left_out_has_words(bench: dict[str, ModuleType]) -> None:
    options = bench["options"]
    known = {*options.PARTS, *(name for kind in options.KINDS.values() for name in kind.left_out)}
    assert known <= set(bench["page_comparisons"].LEFT_OUT["en"])


def test_check_names_what_differs_is_missing_or_left_over(
    bench: dict[str, ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, latest, docs = tmp_path / "run.json", tmp_path / "results" / "latest.json", tmp_path / "d"
    run.write_text(json.dumps(document()))
    main = bench["page"].main
    assert main([str(run)], docs, latest) == 0
    assert main(["--check"], docs, latest) == 0
    (docs / "benchmarks.md").write_text("1.74")
    (docs / "images" / "benchmarks-rows.svg").unlink()
    (docs / "zh-TW" / "images" / "benchmarks-old.svg").write_text("<svg/>")
    assert main(["--check"], docs, latest) == 1
    said = capsys.readouterr().out
    assert re.findall(r"docs/(\S+) is not", said) == [
        "benchmarks.md",
        "images/benchmarks-rows.svg",
        "zh-TW/images/benchmarks-old.svg",
    ]
    assert main([], docs, latest) == 0
    assert main(["--check"], docs, latest) == 0


def test_missing_results_and_those_of_another_format_are_refused(
    bench: dict[str, ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    latest = tmp_path / "latest.json"
    assert bench["page"].main([], tmp_path, latest) == 2
    latest.write_text('{"format": 0}')
    assert bench["page"].main([], tmp_path, latest) == 2
    assert "another format" in capsys.readouterr().err
    assert not (tmp_path / "benchmarks.md").exists()


def test_the_chinese_page_links_to_the_english_one(made: dict[str, str]) -> None:
    assert made["zh-TW/benchmarks.md"].splitlines()[2] == "[English](../benchmarks.md)"


def test_figures_of_petsard_that_differ_are_not_called_the_same() -> None:
    for page, words, other in (
        ("benchmarks.md", "The same method on both sides, with [known", "The same figure"),
        ("zh-TW/benchmarks.md", "雙方是同一個方法，而有[已知的差異]", "同一個數字"),
    ):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        section = text.partition("- **PETsARD")[2].partition("\n")[0]
        assert words in section
        assert other not in section


def test_every_program_finds_what_it_imports() -> None:
    """Nothing else runs some of them before a release."""
    names = sorted(path.stem for path in BENCHMARKS.glob("*.py"))
    code = f"import importlib\nfor name in {names}: importlib.import_module(name)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=BENCHMARKS, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
