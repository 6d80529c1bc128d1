"""Help, versions and listings: at once, and without a word on standard error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit import datasets
from petaudit.cli import main
from petaudit.measures import Measure, Need, all_measures, listed_measures, usual_measures

Run = Callable[..., Any]

COMMANDS = ("check", "generalize", "measures", "datasets", "demo")
ENGINES = {"duckdb", "narwhals", "numpy", "pandas", "polars", "pyarrow", "yaml"}
IMPORTS = """
import sys
from petaudit.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
print(*sorted({engines!r} & set(sys.modules)), sep=",", file=sys.stderr)
"""


def test_help_lists_the_commands_and_the_exit_codes(run: Run) -> None:
    result = run("--help")
    assert (result.code, result.err) == (0, "")
    for command in COMMANDS:
        assert f"\n    {command}" in result.out
    assert "0 all limits hold, 1 a limit is breached, 2" in " ".join(result.out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, run: Run) -> None:
    result = run(command, "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"usage: petaudit {command} ")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (
            "check",
            "--qi --identifier --sensitive --insensitive --hierarchies --original --key "
            "--suppressed --delimiter --encoding --measures --t --min-precision --min-entropy "
            "--distance --cost --gain --loss --benefit --no-attack --limit --option --format --out "
            "--reveal-values --details --population --population-size --k --l",
        ),
        (
            "generalize",
            "--levels --hierarchies --suppress-below --suppressed-rows --sensitive --qi "
            "--identifier --delimiter --encoding --out",
        ),
        ("datasets", "--hierarchies --original"),
        ("demo", "--format --out --reveal-values --details"),
        ("measures", "--format"),
    ],
)
def test_help_explains_every_option(command: str, options: str, run: Run) -> None:
    out = run(command, "--help").out
    for option in options.split():
        assert f"\n  {option}" in out


@pytest.mark.parametrize("columns", ["40", "80"])
def test_help_fits_the_terminal(columns: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for command in ([], *([name] for name in COMMANDS)):
        usage, _, rest = run(*command, "--help").out.partition("\n\n")
        assert usage.startswith("usage: petaudit")
        # The title of a group of options is not wrapped by argparse.
        # And an example is to be typed as it is.
        lines = [line for line in rest.splitlines() if not line.endswith(":")]
        lines = [line for line in lines if not line.startswith("  petaudit ")]
        assert max(map(len, lines)) <= int(columns)


def test_the_version(run: Run) -> None:
    result = run("--version")
    assert (result.code, result.out) == (0, f"petaudit {petaudit.__version__}\n")


def test_the_module_and_the_command_are_the_same(run: Run, run_process: Run) -> None:
    assert run_process("--version") == run("--version")
    [script] = entry_points(group="console_scripts", name="petaudit")
    assert script.load() is main


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["--version"], ["chekc"]])
def test_help_imports_no_engine(arguments: list[str]) -> None:
    code = IMPORTS.format(arguments=arguments, engines=ENGINES)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stderr.splitlines()[-1] == ""


def test_help_takes_less_than_a_third_of_a_second(run_process: Run) -> None:
    def seconds() -> float:
        before = os.times()
        assert run_process("check", "--help").code == 0
        after = os.times()
        used = after.children_user - before.children_user
        return used + after.children_system - before.children_system

    # The least of three: other work on the machine only ever adds.
    assert min(seconds() for _ in range(3)) < 0.3


def test_measures_lists_what_each_needs(run: Run) -> None:
    result = run("measures")
    assert (result.code, result.err) == (0, "")
    *families, last = result.out.split("\n\n")
    listed = []
    for family in families:
        title, header, _, *rows = family.splitlines()
        assert header.split() == ["measure", "better", "needs"]
        names = [row.split()[0] for row in rows if not row.startswith(" ")]
        assert {all_measures()[name].family.value for name in names} == {title}
        listed += names
    assert listed == list(listed_measures())
    assert "hierarchies, the original table" in result.out
    assert "quasi-identifiers, cost, gain, loss, benefit" in result.out
    assert "a population table or population_size" in result.out
    assert last == "Formula, options and reference: petaudit measures NAME\n"


@pytest.mark.parametrize("name", all_measures())
@pytest.mark.parametrize("columns", ["60", "100"])
def test_measures_tells_all_about_one(
    name: str, columns: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    result = run("measures", name)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{name}\n  ")
    unwrapped = " ".join(result.out.split())
    measure = all_measures()[name]
    for text in (measure.title, measure.question, measure.formula, measure.reference):
        assert " ".join(text.split()).casefold() in unwrapped.casefold()
    for need in measure.needs:
        assert need.value in unwrapped.partition("needs: ")[2]
    for option in measure.options:
        assert f"option {name}.{option.name}: " in unwrapped
        assert not option.required or option.name in unwrapped.partition("needs: ")[2]
    assert ("limit: " in unwrapped) == (measure.limit_help is not None)
    assert ("left out unless named: " in unwrapped) == (measure.only_by_name is not None)
    # An address has no blank to break at.
    assert all(len(line) <= int(columns) or "/" in line for line in result.out.splitlines())


def test_measures_tells_about_several_in_any_spelling(run: Run) -> None:
    result = run("measures", "K_Map", "t closeness")
    assert result.code == 0
    first, second = result.out.split("\n\n")
    assert first.startswith("k-map\n")
    assert second.startswith("t-closeness\n")
    listed = json.loads(run("measures", "K_Map", "--format", "json").out)
    assert [entry["name"] for entry in listed] == ["k-map"]


def test_measures_does_not_know_every_name(run: Run) -> None:
    result = run("measures", "t-closeness", "k-anonimity")
    assert (result.code, result.out) == (2, "")
    assert "unknown measure 'k-anonimity' (did you mean 'k-anonymity'?)" in result.err


def test_measures_as_json(run: Run) -> None:
    listed = json.loads(run("measures", "--format", "json").out)
    assert [entry["name"] for entry in listed] == list(listed_measures())
    for entry in listed:
        assert list(entry) == [
            *("name", "title", "question", "better", "family", "range", "needs", "limit"),
            *("options", "formula", "reference"),
        ]
    by_name = {entry["name"]: entry for entry in listed}
    assert by_name["t-closeness"]["needs"] == ["quasi-identifiers", "a sensitive attribute"]
    assert by_name["t-closeness"]["better"] == "lower"
    assert by_name["precision"]["range"] == [0.0, 1.0]
    assert by_name["profitability"]["limit"] is None
    assert by_name["profitability"]["family"] == "privacy models"
    assert by_name["k-map"]["range"] == [1.0, None]
    assert by_name["k-map"]["needs"] == [
        "quasi-identifiers",
        "a population table or population_size",
    ]


def test_datasets_lists_every_bundled_table(run: Run) -> None:
    result = run("datasets")
    assert (result.code, result.err) == (0, "")
    # A long title goes on in the next line, below itself.
    rows = [line.split()[:2] for line in result.out.splitlines()[2:] if not line.startswith(" ")]
    assert rows == [[one.name, f"{one.rows:,}"] for one in datasets.catalogue()]


@pytest.mark.parametrize("command", ["measures", "datasets"])
@pytest.mark.parametrize("columns", ["60", "80"])
def test_listings_fit_the_terminal(
    command: str, columns: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert max(map(len, run(command).out.splitlines())) <= int(columns)


@pytest.mark.parametrize("name", datasets.names())
def test_datasets_prints_a_path_that_a_shell_can_use(name: str, run: Run) -> None:
    dataset = datasets.load(name)
    for options, path in (
        ([], dataset.path),
        (["--hierarchies"], dataset.hierarchies),
        (["--original"], dataset.original),
    ):
        result = run("datasets", name, *options)
        if path is None:
            assert (result.code, result.out) == (2, "")
            assert f"{name} has no {options[0].removeprefix('--')}" in result.err
        else:
            assert (result.code, result.out) == (0, f"{path}\n")
            assert Path(path).exists()


def test_an_unknown_dataset_lists_the_known_ones(run: Run) -> None:
    result = run("datasets", "adlt")
    assert (result.code, result.out) == (2, "")
    assert "did you mean 'adult'" in result.err
    assert "patient-deidentified" in result.err


def either(measure: Measure) -> list[Need]:
    return [need for need, _ in measure.either]


def test_the_demo_measures_everything_and_holds_its_limits(run: Run) -> None:
    result = run("demo", "--details")
    assert (result.code, result.err) == (0, "")
    table, _, left_out = result.out.partition("\nLeft out\n")
    for name, measure in usual_measures().items():
        no_population = Need.POPULATION in {*measure.needs, *either(measure)}
        is_measured = measure.only_by_name is None and not no_population
        assert (f"\n{name} " in table) is is_measured
        assert (f"  {name}: " in left_out) is not is_measured
    assert result.out.splitlines()[1].startswith(
        "Verdict: all 5 limits hold, with open questions: "
    )
    assert "30,162 rows" in result.out


FRAMES = """
import duckdb, pandas, polars, pyarrow
import petaudit

columns = {"born": ["197*"] * 2 + ["198*"] * 3, "salary": [3, 4, 5, 6, 8]}
arrow = pyarrow.table(columns)
frames = [
    arrow,
    pandas.DataFrame(columns),
    polars.DataFrame(columns),
    polars.LazyFrame(columns),
    duckdb.sql("FROM arrow"),
]
for frame in frames:
    found = petaudit.t_closeness(frame, quasi_identifiers="born", sensitive="salary")
    assert str(found.exact_value) == "3/8"
    petaudit.generalize(frame, levels={"salary": 1}, hierarchies={"salary": petaudit.ranges(5)})
"""


def test_standard_error_stays_clean(run_process: Run, table: Path, hierarchies: Path) -> None:
    """DuckDB 2.0 under narwhals prints leak notices at exit unless they are taken care of."""
    generalize = ("generalize", table, "--levels", "zip=1", "--hierarchies", hierarchies)
    for arguments in (
        ("demo", "--format", "json", "--reveal-values"),
        ("check", table, "--qi", "zip", "--sensitive", "disease", "--t", "1"),
        (*generalize, "--suppress-below", "2"),
        (*generalize, "--out", "released.parquet"),
    ):
        result = run_process(*arguments)
        assert (result.code, result.err) == (0, "")


def test_standard_error_stays_clean_for_frames_of_every_engine() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FRAMES], capture_output=True, check=False, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_help_shows_how_a_table_in_a_database_is_written(run: Run, language: str) -> None:
    result = run("check", "--help", "--lang", language)
    shown = "".join(result.out.split())
    for address in ("postgresql://HOST/DATABASE?table=NAME", "duckdb://FILE?table=NAME"):
        assert address in shown
