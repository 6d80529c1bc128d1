"""``petaudit check`` with all measures: what is run, shown, explained and left out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petaudit import datasets
from petaudit.measures import Family, Need, all_measures, usual_measures

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

RELEASED = """\
zip;age;disease
476**;2*;flu
476**;2*;cold
479**;3*;flu
479**;3*;flu
*;*;flu
"""
# Three people could be the two of the first class, and four the two of the second.
PEOPLE = "zip;age\n47677;29\n47602;22\n47678;21\n47905;35\n47909;36\n47906;39\n47906;38\n47801;50\n"
PEOPLE_GENERALISED = (
    "zip;age\n476**;2*\n476**;2*\n476**;2*\n479**;3*\n479**;3*\n479**;3*\n479**;3*\n478**;5*\n"
)
ZIPS = ("47677", "47602", "47678", "47905", "47909", "47906", "47801")
AGES = ("29", "22", "21", "35", "36", "39", "38", "50")
ROLES = ("--qi", "zip,age", "--sensitive", "disease")
PROFIT = ("--cost", "4", "--gain", "300", "--loss", "300", "--benefit", "1200")


@pytest.fixture
def released(write: Write) -> Path:
    """Two classes of two rows and a suppressed row, which is a class: k is 1, l is 1."""
    return write("released.csv", RELEASED)


@pytest.fixture
def folder(write: Write) -> Path:
    """Hierarchies from the people to the released labels."""
    write("h/hierarchy_zip.csv", "".join(f"{code};{code[:3]}**;*\n" for code in ZIPS))
    write("h/hierarchy_age.csv", "".join(f"{age};{age[0]}*;*\n" for age in AGES))
    return Path("h")


def document(run: Run, *arguments: object) -> dict[str, Any]:
    result = run("check", *arguments, "--format", "json")
    loaded: dict[str, Any] = json.loads(result.out)
    assert loaded["exit_code"] == result.code
    return loaded


def values(loaded: dict[str, Any]) -> dict[str, Any]:
    return {entry["measure"]: entry["value"] for entry in loaded["results"]}


def rows_of(text: str) -> dict[str, str]:
    """The rows of the last table, by measure: all with --details, else those with a limit."""
    table = [block for block in text.split("\n\n") if block.startswith("measure ")][-1]
    return {line.split()[0]: " ".join(line.split()[1:]) for line in table.splitlines()}


def section(text: str, title: str) -> list[str]:
    """The sentences below a title, each in one line."""
    _, _, rest = text.partition(f"\n{title}\n")
    sentences: list[str] = []
    for line in rest.partition("\n\n")[0].splitlines():
        if line.startswith("    "):
            sentences[-1] += f" {line.strip()}"
        else:
            sentences.append(line.strip())
    return sentences


# --- the bundled table ----------------------------------------------------------------------


def given(adult: datasets.Dataset, *more: object) -> tuple[object, ...]:
    return (
        *(adult.path, "--original", adult.original, "--hierarchies", adult.hierarchies),
        *("--qi", ",".join(adult.quasi_identifiers), "--sensitive", ",".join(adult.sensitive)),
        *more,
    )


def needs_population(name: str) -> bool:
    measure = all_measures()[name]
    return Need.POPULATION in {*measure.needs, *(need for need, _ in measure.either)}


def test_every_measure_that_can_run_did(adult: datasets.Dataset, run: Run) -> None:
    result = run("check", *given(adult), "--details")
    assert (result.code, result.err) == (0, "")
    can_run = {
        name
        for name, measure in usual_measures().items()
        if measure.only_by_name is None and name != "profitability" and not needs_population(name)
    }
    assert len(can_run) > 20
    shown = rows_of(result.out)
    assert {name for name in usual_measures() if name in shown} == can_run
    left_out = dict(line.split(": ", 1) for line in section(result.out, "Left out"))
    assert set(left_out) == set(usual_measures()) - can_run
    for name, reason in left_out.items():
        if needs_population(name):
            assert "needs a population table (--population)" in reason
        elif name == "profitability":
            assert reason == "needs the options cost, gain, loss, benefit"
        else:
            why = all_measures()[name].only_by_name
            assert reason == f"{why}; name it to run it (--measures {name})"
    assert "population_size" in left_out["k-map"]


def test_everything_can_run_at_once(adult: datasets.Dataset, run: Run) -> None:
    more = ("--population", adult.original, *PROFIT)
    loaded = document(run, *given(adult, *more))
    expected = {name for name, own in usual_measures().items() if own.only_by_name is None}
    assert set(values(loaded)) == expected
    left_out = {entry["measure"] for entry in loaded["left_out"]}
    assert left_out == set(usual_measures()) - expected
    assert loaded["exit_code"] == 0


def test_figures_stand_below_their_family(adult: datasets.Dataset, run: Run) -> None:
    result = run("check", *given(adult), "--details").out
    [table] = [block.splitlines() for block in result.split("\n\n") if block.startswith("measure ")]
    families: dict[str, list[str]] = {}
    for line in table[2:]:
        if line.endswith(":"):
            families[line.removesuffix(":")] = []
        else:
            families[list(families)[-1]].append(line.split()[0])
    assert list(families) == [own.value for own in Family if own.value in families]
    assert len(families) == 3
    for family, names in families.items():
        assert {all_measures()[name].family.value for name in names} == {family}
        assert names == [name for name in all_measures() if name in names]


def test_one_family_needs_no_heading(released: Path, run: Run) -> None:
    named = ("--measures", "k-anonymity,l-diversity")
    result = run("check", released, *ROLES, *named, "--details")
    assert set(rows_of(result.out)) == {"measure", "-----------", "k-anonymity", "l-diversity"}


# --- what is behind the figures -------------------------------------------------------------


def test_figures_without_a_limit_are_explained_on_request(released: Path, run: Run) -> None:
    plain = run("check", released, *ROLES)
    assert "\nk-anonymity\n" not in plain.out
    assert "\nAll digits, explanations and reasons: --details\n" in plain.out
    detailed = run("check", released, *ROLES, "--details")
    assert "--details" not in detailed.out
    assert section(detailed.out, "k-anonymity")[0] == (
        "5 rows in 3 classes; 1 row suppressed, counted as one class"
    )
    for entry in document(run, released, *ROLES)["results"]:
        title = all_measures()[entry["measure"]].title
        assert section(detailed.out, title), title


def test_judged_figures_are_explained_where_a_screen_has_room(released: Path, run: Run) -> None:
    result = run("check", released, *ROLES, "--k", "1")
    assert section(result.out, "k-anonymity")[1] == "no row breaks the limit"
    assert "\nl-diversity (distinct)\n" not in result.out
    assert "\nAll digits, explanations and reasons: --details\n" in result.out


def test_named_measures_are_explained(released: Path, run: Run) -> None:
    result = run("check", released, *ROLES, "--measures", "l-diversity,k-anonymity")
    assert section(result.out, "l-diversity (distinct)")
    assert section(result.out, "k-anonymity")
    assert "--details" not in result.out


def test_few_figures_are_explained(released: Path, folder: Path, write: Write, run: Run) -> None:
    write("released.yaml", "DATASET: {HIERARCHY: h}\n")
    result = run("check", released)
    assert len(document(run, released)["results"]) <= 6
    assert section(result.out, "Precision")


# --- a population ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["raw", "generalised"])
def test_a_population_raw_or_generalised(
    kind: str, released: Path, folder: Path, write: Write, run: Run
) -> None:
    """By hand: 2 of 3 people and 2 of 4 are in the table, nobody of the third class.

    That class has one person, and it fits nobody else: so this is the suppressed row.
    """
    people = write("people.csv", PEOPLE if kind == "raw" else PEOPLE_GENERALISED)
    how = ("--hierarchies", folder) if kind == "raw" else ()
    asked = (released, *ROLES, "--population", people, *how)
    found = values(document(run, *asked))
    assert (found["k-anonymity"], found["k-map"], found["delta-presence"]) == (1, 1, 1)
    assert (found["prosecutor-risk"], found["journalist-risk"]) == (1, 1)
    loaded = document(run, *asked, "--suppressed", "exclude")
    found = values(loaded)
    assert found["k-anonymity"] == 2
    assert found["k-map"] == 3
    assert found["delta-presence"] == pytest.approx(2 / 3)
    assert found["prosecutor-risk"] == 1 / 2
    assert found["journalist-risk"] == pytest.approx(1 / 3)
    assert loaded["inputs"]["population"]["rows"] == 8
    assert loaded["exit_code"] == 0


def test_a_raw_population_without_hierarchies_is_explained_once(
    released: Path, write: Write, run: Run
) -> None:
    people = write("people.csv", PEOPLE)
    result = run("check", released, *ROLES, "--population", people)
    assert result.code == 2
    [line] = result.err.splitlines()
    assert line.startswith("petaudit: error: k-map, delta-presence, ")
    assert "2 classes of the table with 4 rows" in line
    [said] = section(result.out, "Not measured")
    assert said.startswith("k-map, delta-presence, ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "file 'people.csv' does not exist"),
        ("zip;age\n", "has a header but no rows"),
        ("zip;years\n1;2\n", "unknown column 'age'"),
    ],
)
def test_a_population_that_cannot_be_read(
    content: str | None, message: str, released: Path, write: Write, run: Run
) -> None:
    if content is not None:
        write("people.csv", content)
    result = run("check", released, *ROLES, "--population", "people.csv", "--k", "2")
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_the_population_is_never_written_to(released: Path, write: Write, run: Run) -> None:
    people = write("people.csv", PEOPLE_GENERALISED)
    result = run("check", released, *ROLES, "--population", people, "--out", people)
    assert result.code == 2
    assert "is one of the inputs" in result.err
    assert people.read_text() == PEOPLE_GENERALISED


def test_a_population_size(released: Path, run: Run) -> None:
    without, with_size = (
        document(run, released, *ROLES, *more) for more in ((), ("--population-size", "1000"))
    )
    more_measures = set(values(with_size)) - set(values(without))
    assert more_measures == {"k-map", "population-uniqueness"}
    assert values(with_size)["strict-average-risk"] < values(without)["strict-average-risk"] / 20
    assert with_size["options"]["options"]["k-map"] == {"population_size": 1000}
    assert with_size["verdict"] == "measured"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--population-size", "many"), "population_size must be an integer >= 1, got 'many'"),
        (("--population-size", "0"), "population_size must be an integer >= 1, got 0"),
        (("--population-size", "-5"), "population_size must be an integer >= 1, got '-5'"),
        (("--population-size", "2"), "population_size is 2, fewer than the 5 rows"),
        (("--population-size", "2", "--k", "2"), "population_size is 2, fewer than the 5 rows"),
        (
            ("--population-size", "9", "--measures", "k-anonymity"),
            "population_size has no effect on the requested measures; it is for k-map",
        ),
        (
            ("--population-size", "9", "--option", "k-map.population_size=9"),
            "the population_size of k-map is given twice",
        ),
        (
            ("--population-size", "9", "--population", "people.csv"),
            "population_size is 9, but the population table has 8 rows",
        ),
    ],
)
def test_a_population_size_that_cannot_be(
    more: tuple[str, ...], message: str, released: Path, write: Write, run: Run
) -> None:
    write("people.csv", PEOPLE_GENERALISED)
    result = run("check", released, *ROLES, *more)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


# --- limits ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "limit", "measure", "row"),
    [
        ("--k", "1", "k-anonymity", "1 at least 1 pass"),
        ("--k", "3", "k-anonymity", "1 at least 3 FAIL"),
        ("--l", "1", "l-diversity", "1 at least 1 pass"),
        ("--l", "2", "l-diversity", "1 at least 2 FAIL"),
    ],
)
def test_k_and_l_have_options_of_their_own(
    option: str, limit: str, measure: str, row: str, released: Path, run: Run
) -> None:
    result = run("check", released, *ROLES, option, limit)
    assert rows_of(result.out)[measure] == row
    assert result.code == int("FAIL" in row)
    again = run("check", released, *ROLES, "--limit", f"{measure}={limit}")
    assert again.out == result.out
    twice = run("check", released, *ROLES, option, limit, "--limit", f"{measure}={limit}")
    assert (twice.code, twice.out) == (2, "")
    assert f"the limit of {measure} is given twice" in twice.err


def test_what_it_takes_is_said_with_the_limit(released: Path, write: Write, run: Run) -> None:
    larger = write("larger.csv", RELEASED + "476**;2*;flu\n" * 3)
    result = run("check", larger, *ROLES, "--k", "3", "--l", "2", "--details")
    # Two rows and the suppressed one: suppressed, they are a class of three, of one value.
    said = "3 rows break the limit; suppressing 2 rows (25 %) reaches it"
    assert said in section(result.out, "k-anonymity")
    said = "3 rows break the limit; dropping 3 rows (37.5 %) from the table reaches it"
    assert said in section(result.out, "l-diversity (distinct)")
    loaded = document(run, larger, *ROLES, "--k", "3", "--measures", "k-anonymity")
    assert loaded["results"][0]["details"]["remedy"] == {
        "rows_breaking": 3,
        "rows_to_suppress": 2,
        "share_to_suppress": 0.25,
        "rows_to_drop": None,
        "share_to_drop": None,
        "rows_keeping": 5,
        "of_rows": 8,
    }


def test_what_it_takes_is_enough(released: Path, write: Write, run: Run) -> None:
    """Who drops the rows that break the limit passes."""
    kept = [line for line in RELEASED.splitlines() if not line.startswith(("479", "*"))]
    better = write("better.csv", "\n".join(kept) + "\n")
    assert run("check", released, *ROLES, "--l", "2").code == 1
    assert run("check", better, *ROLES, "--l", "2").code == 0


@pytest.mark.parametrize(
    ("limit", "rule", "verdict"), [("2", "below 2", "FAIL"), ("2.1", "below 2.1", "pass")]
)
def test_a_strict_limit_is_shown_as_one(
    limit: str, rule: str, verdict: str, write: Write, run: Run
) -> None:
    """Values come twice and once: r1 = 2 must be below c * (r2) = 2, so c = 2 itself fails."""
    table = write("t.csv", "zip;disease\n1;flu\n1;flu\n1;cold\n")
    asked = ("--limit", f"recursive-l-diversity={limit}", "--option", "recursive-l-diversity.l=2")
    given = ("check", table, "--qi", "zip", "--sensitive", "disease")
    result = run(*given, *asked)
    assert rows_of(result.out)["recursive-l-diversity"] == f"2 {rule} {verdict}"
    assert result.code == int(verdict == "FAIL")


def test_a_limit_that_is_the_figure_itself(write: Write, run: Run) -> None:
    """It is broken exactly where the table says below. By hand: |log2(1 / (1/2))| = 1."""
    table = write("t.csv", "zip;disease\n1;a\n1;a\n2;b\n2;b\n")
    roles = (table, "--qi", "zip", "--sensitive", "disease")
    options = ("--option", "delta-disclosure.base=2", "--option", "recursive-l-diversity.l=1")
    loaded = document(run, *roles, *options)
    # Figures whose text is what they are exactly.
    figures = {
        name: str(value) for name, value in values(loaded).items() if value not in {"inf", 0}
    }
    figures = {name: value for name, value in figures.items() if len(value) <= 5}
    assert figures["delta-disclosure"] == "1.0"
    limits = [part for name, value in figures.items() for part in ("--limit", f"{name}={value}")]
    shown = rows_of(run("check", *roles, *options, *limits).out)
    strict = {name for name in figures if " below " in shown[name] or " above " in shown[name]}
    assert {name for name in figures if "FAIL" in shown[name]} == strict
    assert "delta-disclosure" in strict
    assert len(figures) - len(strict) > 6


def test_infinity_is_shown_and_breaks_every_limit(released: Path, run: Run) -> None:
    asked = ("--limit", "recursive-l-diversity=1000", "--option", "recursive-l-diversity.l=2")
    result = run("check", released, *ROLES, *asked)
    assert rows_of(result.out)["recursive-l-diversity"] == "inf below 1000 FAIL"
    said = "the limit is breached: recursive-l-diversity is inf, must be below 1000"
    assert result.out.splitlines()[1] == f"Verdict: {said} (exit code 1)"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--k", "abc"), "the limit of k-anonymity must be a finite number, got 'abc'"),
        (("--k", "inf"), "the limit of k-anonymity must be a finite number, got 'inf'"),
        (("--k", "nan"), "the limit of k-anonymity must be a finite number, got 'nan'"),
        (("--k", "-1"), "the limit of k-anonymity must not be negative, got -1"),
        (("--l", ""), "the limit of l-diversity must be a finite number, got ''"),
        (("--k",), "expected one argument"),
        (("--limit", "k-anonimity=3"), "(did you mean 'k-anonymity'?)"),
        (("--limit", "k-anonymity"), "--limit 'k-anonymity': expected NAME=VALUE"),
        (("--option", "k-anonymity.limt=3"), "has no option 'limt' (did you mean 'limit'?)"),
        (("--option", "delta-disclosure.base=10"), "base must be e or 2, got 10"),
        (("--option", "recursive-l-diversity.l=0"), "l must be an integer >= 1, got 0"),
        (("--populaton", "x.csv"), "did you mean '--population'?"),
        (("--detail",), "did you mean '--details'?"),
        (("--measures", "k-anonymity,,k-mapp"), "unknown measure 'k-mapp'"),
    ],
)
def test_a_wrong_limit_or_option_is_one_line(
    more: tuple[str, ...], message: str, released: Path, run: Run
) -> None:
    result = run("check", released, *ROLES, *more)
    assert (result.code, result.out) == (2, "")
    first, *rest = result.err.splitlines()
    assert message in first
    assert all(line.startswith("Try 'petaudit") for line in rest)


# --- what cannot be told --------------------------------------------------------------------


def test_what_cannot_be_told_is_left_out_unless_it_was_named(write: Write, run: Run) -> None:
    table = write("t.csv", "zip;disease\n*;flu\n*;cold\n")
    roles = ("--qi", "zip", "--sensitive", "disease", "--suppressed", "exclude")
    reason = "k-anonymity: every row is suppressed: there is no class to measure"
    result = run("check", table, *roles, "--details")
    assert (result.code, result.err) == (0, "")
    assert reason in section(result.out, "Left out")
    for more in (("--measures", "k-anonymity"), ("--k", "2"), ("--limit", "k-anonymity=2")):
        result = run("check", table, *roles, *more)
        assert result.code == 2
        assert reason in section(result.out, "Not measured")
        assert result.err == f"petaudit: error: {reason}\n"


def test_named_measures_that_lack_an_input_say_which(released: Path, run: Run) -> None:
    result = run("check", released, *ROLES, "--measures", "delta-presence,k-map,precision")
    assert result.code == 2
    assert result.err.splitlines() == [
        "petaudit: error: delta-presence: needs a population table (--population)",
        "petaudit: error: k-map: needs a population table (--population) or the option "
        "population_size",
        "petaudit: error: precision: needs hierarchies (--hierarchies)",
    ]


def test_without_any_role_there_is_one_clear_error(released: Path, run: Run) -> None:
    result = run("check", released)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "petaudit: error: no quasi-identifier is known for released.csv: name them (--qi), or put "
        "a side-car <table>.yaml beside the table\n"
    )


# --- terminals ------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_whole_report_fits_the_terminal(
    columns: int, adult: datasets.Dataset, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    limits = ("--k", "5", "--t", "0.7", "--min-precision", "0.45", "--limit", "delta-disclosure=5")
    result = run("check", *given(adult, *limits, "--details"))
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= columns
    shown = rows_of(result.out)
    assert shown["k-anonymity"].startswith("5 at least 5 pass")
    # Where there is no room for it, the direction is left to the limits.
    assert shown["measure"].endswith("better") == (columns > 60)


def test_chinese_names_keep_the_table_straight(write: Write, run: Run) -> None:
    table = write("病患.csv", "年齡;郵遞區號;診斷\n20;1;感冒\n20;1;胃炎\n30;2;感冒\n30;2;胃癌\n")
    roles = ("--qi", "年齡,郵遞區號", "--sensitive", "診斷")
    result = run("check", table, *roles, "--k", "2", "--l", "3", "--details")
    assert (result.code, result.err) == (1, "")
    assert result.out.splitlines()[0].endswith(": 病患.csv, 4 rows, 3 columns")
    assert "  quasi-identifiers: 年齡, 郵遞區號\n" in result.out
    assert section(result.out, "l-diversity (distinct)")[0].startswith("診斷: 2 ")
    for value in ("感冒", "胃炎", "胃癌"):
        assert value not in result.out


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_ideographs_take_two_columns_each(
    columns: int, write: Write, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    names = [f"第{number}個準識別欄位" for number in range(12)]
    names.append("名" * 45)
    rows = [";".join([*names, "診斷"]), *(["1;" * len(names) + "感冒"] * 3)]
    write("t.csv", "\n".join(rows) + "\n")
    result = run("check", "t.csv", "--qi", ",".join(names), "--sensitive", "診斷", "--details")
    assert result.code == 0
    together = "".join(line.strip() for line in result.out.splitlines())
    assert all(name in together for name in names)
    for line in result.out.splitlines():
        # The table of figures is as wide as the names of measures are.
        is_sentence = line.startswith("  ")
        width = sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in line)
        assert width <= columns or not is_sentence


def test_a_report_in_a_file_is_the_one_on_the_terminal(released: Path, run: Run) -> None:
    for how in (("--details",), ("--format", "json"), ("--k", "2")):
        printed = run("check", released, *ROLES, *how)
        written = run("check", released, *ROLES, *how, "--out", "report")
        assert (written.code, written.out, written.err) == (printed.code, "", "")
        assert Path("report").read_text(encoding="utf-8") == printed.out


# --- what new users met ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        (("alpha-k-anonymity=1", "alpha-k-anonymity.k=5"), "at most 1, k at least 5"),
        (("strict-average-risk=1", "strict-average-risk.k=5"), "at most 1, k at least 5"),
        (("delta-presence=1", "delta-presence.least=1"), "at most 1, smallest share at least 1"),
    ],
)
def test_a_second_condition_stands_beside_the_limit(
    given: tuple[str, str], limit: str, released: Path, write: Write, run: Run
) -> None:
    people = write("people.csv", PEOPLE_GENERALISED)
    limits = ("--limit", given[0], "--option", given[1], "--population", people)
    result = run("check", released, *ROLES, *limits)
    assert result.code == 1
    assert f"{limit} FAIL" in rows_of(result.out)[given[0].partition("=")[0]]


@pytest.mark.parametrize(
    ("measure", "condition"),
    [("alpha-k-anonymity", "k=1"), ("strict-average-risk", "k=1"), ("delta-presence", "least=0")],
)
def test_a_condition_that_nothing_breaks_makes_no_limit_of_it(
    measure: str, condition: str, released: Path, write: Write, run: Run
) -> None:
    people = write("people.csv", PEOPLE_GENERALISED)
    limits = ("--limit", f"{measure}=1", "--option", f"{measure}.{condition}")
    result = run("check", released, *ROLES, *limits, "--population", people, "--strict")
    assert result.code == 2
    assert f"no table could break the limit that was set for {measure}" in result.out


def test_people_who_are_still_named_are_said(write: Write, run: Run) -> None:
    named = write("named.csv", "name;zip\nAda;1\nBob;1\n")
    result = run("check", named, "--qi", "zip", "--identifier", "name", "--k", "2")
    assert result.code == 1
    assert "the table still names people: name is an identifier" in result.out
    assert "Ada" not in result.out
    hidden = write("hidden.csv", "name;zip\n*;1\n*;1\n")
    quiet = run("check", hidden, "--qi", "zip", "--identifier", "name", "--k", "2")
    assert quiet.code == 0
    assert "still names people" not in quiet.out


def test_an_option_may_be_a_list(released: Path, write: Write, run: Run) -> None:
    original = write("original.csv", "zip;age;disease\n" + "47677;29;flu\n" * 5)
    options = ("--option", "distribution-distance.columns=zip,disease")
    named = ("--original", original, "--measures", "distribution-distance")
    [found] = document(run, released, *ROLES, *named, *options)["results"]
    assert [own["column"] for own in found["details"]["columns"]] == ["zip", "disease"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--qi", "zip", "--k", "5%"), "write 0.05 for 5%"),
        (("--qi", "zip、age"), "names are separated by a plain comma"),
        (("--qi", "zip，age"), "names are separated by a plain comma"),
    ],
)
def test_usual_slips_get_a_hint(
    arguments: tuple[str, ...], message: str, released: Path, run: Run
) -> None:
    result = run("check", released, *arguments)
    assert result.code == 2
    assert message in result.err
