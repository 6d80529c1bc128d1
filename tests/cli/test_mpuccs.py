"""``petaudit mpuccs``: the verdict first, a document with stable keys, and exit codes for CI."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.i18n.text import width_of

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

ORIGINAL = "name;age;city\nann;31;Rome\nbob;32;Rome\ncyd;33;Oslo\ndee;34;Oslo\n"
# Row 0 is Ann by her name and row 1 is Bob by his age; nobody else is found.
SYNTHETIC = "name;age;city\nann;41;Rome\nxxx;32;Oslo\nyyy;55;Oslo\nzzz;56;Rome\n"
TABLES = ("mpuccs", "original.csv", "synthetic.csv")


@pytest.fixture(autouse=True)
def tables(write: Write) -> None:
    write("original.csv", ORIGINAL)
    write("synthetic.csv", SYNTHETIC)


@pytest.fixture
def exposed(write: Write) -> Callable[[int, int], tuple[str, str, str]]:
    """Tables of which so many of so many rows are identified, and the risk is just that share.

    The original is one row of zeros, so its columns are constant and there is no baseline. Each
    identified row has a zero in another column.
    """

    def make(identified: int, rows: int) -> tuple[str, str, str]:
        write("one.csv", "a;b;c\n0;0;0\n")
        cells = [[100 * (place + 1) + row for place in range(3)] for row in range(rows)]
        for row in range(identified):
            cells[row][row] = 0
        lines = "".join(";".join(map(str, row)) + "\n" for row in cells)
        write("many.csv", f"a;b;c\n{lines}")
        return "mpuccs", "one.csv", "many.csv"

    return make


def document(result: Any) -> Any:
    return json.loads(result.out, parse_constant=pytest.fail)


def row_of(text: str, figure: str) -> list[str]:
    """The cells of a line of the table of figures."""
    [line] = [line for line in text.splitlines() if line.startswith(f"{figure}  ")]
    return re.split(r" {2,}", line)


def identified(text: str) -> str:
    """How many rows are identified, of how many."""
    [number] = re.findall(r"(\d+ of \d+) synthetic rows", text)
    return str(number)


# What a person reads.


def test_the_verdict_comes_first_then_changes_then_combinations_then_files(run: Run) -> None:
    result = run(*TABLES, "--out", "o")
    assert (result.code, result.err) == (0, "")
    places = [
        result.out.index(part)
        for part in (
            "synthetic.csv against original.csv, 4 rows, 3 columns",
            "Verdict: ",
            "original table: original.csv, 4 rows",
            "2 of 4 synthetic rows (50.00%) single out exactly one original row",
            "risk score",
            "identification rate",
            "What changing one column would do",
            "Combinations that expose most rows",
            "wrote to o: ",
        )
    ]
    assert places == sorted(places)
    assert result.out.startswith(
        f"petaudit {petaudit.__version__}: synthetic.csv against original.csv"
    )
    assert result.out.index("Verdict: ") < 200


def test_the_figures_are_these(run: Run) -> None:
    out = run(*TABLES).out
    # (1 - 2/4) / (1 - 1/32) = 16/31: 4 names, 4 ages and 2 cities.
    assert row_of(out, "risk score")[1] == "0.483871"
    assert row_of(out, "identification rate")[1] == "0.5"
    assert identified(out) == "2 of 4"
    assert "with up to 3 of 3 columns (7 combinations)" in " ".join(out.split())


def test_the_combinations_and_changes_are_these(run: Run) -> None:
    lines = run(*TABLES).out.splitlines()
    start = lines.index("identified  unique  columns")
    assert [re.split(r" {2,}", line) for line in lines[start + 2 :]] == [
        ["1", "4", "name"],
        ["1", "4", "age"],
    ]
    start = lines.index("rows after  difference  column  change")
    assert [re.split(r" {2,}", line) for line in lines[start + 2 : start + 6]] == [
        ["1", "-1", "name", "left out"],
        ["1", "-1", "age", "left out"],
        ["1", "-1", "age", "rounded to 10"],
        # All ages above 34 become 34, and the only one of these in Oslo is then Dee.
        ["3", "+1", "age", "top-coded at the 99th percentile"],
    ]


def test_without_a_limit_nothing_is_judged(run: Run) -> None:
    result = run(*TABLES)
    assert "Verdict: no limit was given, so nothing was judged (exit code 0)" in result.out
    assert result.code == 0


def test_nobody_singled_out_is_said_without_empty_tables(run: Run, write: Write) -> None:
    write("synthetic.csv", "name;age;city\nx;1;A\ny;2;B\n")
    result = run(*TABLES, "--limit", "0")
    assert result.code == 0
    assert "0 of 2 synthetic rows (0.00%)" in result.out
    assert "Combinations" not in result.out
    assert "What changing" not in result.out


def test_quiet_leaves_the_verdict_alone(run: Run) -> None:
    result = run(*TABLES, "--quiet", "--out", "o", "--limit", "0.1")
    assert (result.code, result.err) == (1, "")
    what = "the limit is breached: mpuccs is 0.484, must be at most 0.1"
    assert result.out == f"Verdict: {what} (exit code 1)\n"
    assert Path("o/summary.json").exists()


def test_removed_duplicates_are_told(run: Run, write: Write) -> None:
    write("synthetic.csv", SYNTHETIC + "ann;41;Rome\n" * 2)
    write("original.csv", ORIGINAL + "bob;32;Rome\n")
    out = run(*TABLES).out
    told = "1 in the original, 2 in the synthetic table"
    assert row_of(out, "duplicates removed")[1] == told
    kept = run(*TABLES, "--keep-duplicates")
    assert "duplicates" not in kept.out
    assert identified(kept.out) == "0 of 6"


def test_advice_can_be_left_out(run: Run) -> None:
    assert "What changing" not in run(*TABLES, "--no-advice").out
    assert (
        document(run(*TABLES, "--no-advice", "--format", "json"))["results"][0]["details"][
            "changes"
        ]
        == []
    )


def test_the_control_is_compared(run: Run, write: Write) -> None:
    write("control.csv", "name;age;city\neve;71;Rome\nfay;72;Rome\ngus;73;Oslo\nhal;74;Oslo\n")
    result = run(*TABLES, "--control", "control.csv")
    assert (result.code, result.err) == (0, "")
    assert "control table: control.csv, 4 rows" in result.out
    said = " ".join(result.out.split())
    assert re.search(r"and 0\.00% of 4 of the control; .*too few people to tell", said)
    assert re.search(r"excess risk 0.5000 \(95 % interval -?0\.\d{4} to (0|1)\.\d{4}\)", said)


def test_columns_may_come_in_another_order(run: Run, write: Write) -> None:
    moved = ["city;name;age", "Rome;ann;41", "Oslo;xxx;32", "Oslo;yyy;55", "Rome;zzz;56"]
    write("synthetic.csv", "\n".join(moved) + "\n")
    assert identified(run(*TABLES).out) == "2 of 4"


@pytest.mark.parametrize(
    ("arguments", "combinations"),
    [((), 7), (("--max-cols", "1"), 3), (("--max-cols", "all"), 7), (("--max-cols", "99"), 7)],
)
def test_sizes(arguments: tuple[str, ...], combinations: int, run: Run) -> None:
    result = document(run(*TABLES, *arguments, "--format", "json"))
    assert result["results"][0]["details"]["combinations"] == combinations


def test_three_columns_are_the_default(run: Run, write: Write) -> None:
    names = "abcde"
    for name in ("original.csv", "synthetic.csv"):
        write(name, ";".join(names) + "\n" + ";".join("12345") + "\n")
    result = document(run(*TABLES, "--format", "json"))
    assert result["results"][0]["details"]["sizes"] == [1, 2, 3]
    assert result["results"][0]["details"]["combinations"] == 5 + 10 + 10


def test_precision_can_be_given(run: Run, write: Write) -> None:
    write("original.csv", "x;t\n1.26;2020-01-01 10:00\n3.31;2021-01-01 11:00\n")
    write("synthetic.csv", "x;t\n1.31;2020-01-01 17:30\n9.99;2022-01-01 11:00\n")
    assert identified(run(*TABLES).out) == "0 of 2"
    coarse = run(*TABLES, "--numeric-precision", "1")
    assert identified(coarse.out) == "1 of 2"
    daily = document(run(*TABLES, "--datetime-precision", "d", "--format", "json"))
    assert daily["results"][0]["details"]["figures"]["total_identified"] == 1
    assert daily["results"][0]["details"]["precision"] == {"x": 2, "t": "D"}


# Exit codes.

BOUNDS = {
    "public": (1, 20),
    "research": (1, 10),
    "internal": (1, 5),
    "development": (3, 10),
    "high-risk": (1, 100),
    "excellent": (1, 100),
    "good": (1, 20),
    "acceptable": (1, 10),
}


@pytest.mark.parametrize("profile", BOUNDS)
def test_a_profile_is_a_strict_bound(profile: str, exposed: Any, run: Run) -> None:
    identified, rows = BOUNDS[profile]
    below = run(*exposed(identified, rows + 1), "--profile", profile)
    assert (below.code, below.err) == (0, "")
    assert "Verdict: the limit holds: " in below.out
    at = run(*exposed(identified, rows), "--profile", profile)
    assert (at.code, at.err) == (1, "")
    assert f"(profile {profile}) (exit code 1)" in " ".join(at.out.split())
    assert row_of(at.out, "mpuccs")[2:4] == [f"below {identified / rows:g}", "FAIL"]
    is_rate = profile in {"excellent", "good", "acceptable"}
    assert row_of(at.out, "identification rate" if is_rate else "risk score")[2] == "judged"


@pytest.mark.parametrize("profile", BOUNDS)
def test_a_limit_is_at_most(profile: str, exposed: Any, run: Run) -> None:
    identified, rows = BOUNDS[profile]
    bound = f"{identified / rows:g}"
    at = run(*exposed(identified, rows), "--limit", bound)
    assert at.code == 0
    assert row_of(at.out, "mpuccs")[1:4] == [bound, f"at most {bound}", "pass"]
    assert run(*exposed(identified, rows - 1), "--limit", bound).code == 1


def test_a_limit_is_exact_beyond_the_last_digit_of_a_float(exposed: Any, run: Run) -> None:
    given = exposed(1, 3)
    assert run(*given, "--limit", "0." + "3" * 40).code == 1
    assert run(*given, "--limit", "0." + "3" * 40 + "4").code == 0


def test_a_broken_limit_is_seen_to_be_broken(exposed: Any, run: Run) -> None:
    """Not '0.333333 at most 0.333333 FAIL'; check shows as many digits as it takes."""
    result = run(*exposed(1, 3), "--limit", "0.3333333")
    _, value, limit, verdict, *_ = row_of(result.out, "mpuccs")
    assert (result.code, verdict) == (1, "FAIL")
    assert value != limit.removeprefix("at most ")
    assert row_of(result.out, "risk score")[1] != limit.removeprefix("at most ")


@pytest.mark.parametrize(("limit", "code"), [("0", 1), ("0.4", 1), ("0.49", 0), ("1", 0)])
def test_the_document_agrees_with_the_exit_code(limit: str, code: int, run: Run) -> None:
    result = run(*TABLES, "--limit", limit, "--format", "json")
    loaded = document(result)
    verdict = "passed" if code == 0 else "failed"
    assert (result.code, loaded["exit_code"], loaded["verdict"]) == (code, code, verdict)
    assert loaded["results"][0]["status"] == verdict
    assert loaded["results"][0]["limit"] == float(limit)


def test_without_baseline_a_limit_is_for_the_rate(run: Run) -> None:
    result = run(*TABLES, "--no-baseline", "--limit", "0.5")
    assert result.code == 0
    assert "risk score" not in result.out
    assert row_of(result.out, "mpuccs")[1:4] == ["0.5", "at most 0.5", "pass"]
    assert row_of(result.out, "identification rate")[1:] == ["0.5", "judged"]
    assert run(*TABLES, "--no-baseline", "--limit", "0.49").code == 1
    assert run(*TABLES, "--no-baseline", "--profile", "acceptable").code == 1


def test_a_limit_that_always_holds_is_an_error(run: Run) -> None:
    result = run(*TABLES, "--limit", "2")
    assert result.code == 2
    assert "the limit of mpuccs is 2; no table exceeds 1" in result.err


LOWER_BOUNDS = {
    "pruned": ("--min-entropy-delta", "0.9"),
    "stopped": ("--max-cols", "all", "--time-limit", "0.05"),
}


@pytest.fixture
def wide(write: Write) -> None:
    """Tables that have 2**60 - 1 combinations, of which none singles out anybody."""
    names = ";".join(f"c{number}" for number in range(60))
    for table, first in (("original.csv", 1), ("synthetic.csv", 100)):
        rows = [";".join(str(first + row + place % 2) for place in range(60)) for row in range(6)]
        write(table, "\n".join([names, *rows, ""]))


@pytest.mark.parametrize("why", LOWER_BOUNDS)
@pytest.mark.parametrize("bound", [("--limit", "0.9"), ("--profile", "development")])
def test_a_lower_bound_within_the_limit_is_undecided(
    why: str, bound: tuple[str, str], run: Run, write: Write, request: pytest.FixtureRequest
) -> None:
    if why == "stopped":
        request.getfixturevalue("wide")
    else:
        write("synthetic.csv", SYNTHETIC + "".join(f"u{n};{n};Ulm\n" for n in range(60, 90)))
    result = run(*TABLES, *LOWER_BOUNDS[why], *bound)
    assert result.code == 2
    assert "Verdict: undecided: mpuccs (exit code 2)" in result.out
    assert "lower bound" in result.out
    assert "at least " in result.out
    assert row_of(result.out, "mpuccs")[3] == "ERROR"
    loaded = document(run(*TABLES, *LOWER_BOUNDS[why], *bound, "--format", "json"))
    assert (loaded["verdict"], loaded["exit_code"]) == ("error", 2)
    [entry] = loaded["results"]
    assert (entry["status"], entry["details"]["complete"]) == ("error", False)
    assert "does not show that the limit holds" in entry["reason"]
    assert [error["reason"] for error in loaded["errors"]] == [entry["reason"]]
    assert any("lower bounds" in text for text in loaded["warnings"])
    quiet = run(*TABLES, *LOWER_BOUNDS[why], *bound, "--quiet")
    assert quiet.code == 2
    assert "undecided" in quiet.out


def test_a_lower_bound_that_breaks_the_limit_breaks_it(run: Run) -> None:
    result = run(*TABLES, *LOWER_BOUNDS["pruned"], "--limit", "0.1")
    assert result.code == 1
    assert "Verdict: the limit is breached: mpuccs is 0.484, must be" in result.out
    assert row_of(result.out, "mpuccs")[1:4] == ["0.484", "at most 0.1", "FAIL"]
    assert row_of(result.out, "risk score")[1:] == ["at least 0.483871", "judged"]
    loaded = document(
        run(*TABLES, *LOWER_BOUNDS["pruned"], "--profile", "public", "--format", "json")
    )
    assert (loaded["verdict"], loaded["exit_code"]) == ("failed", 1)
    [entry] = loaded["results"]
    assert (entry["status"], entry["details"]["complete"]) == ("failed", False)


def test_a_lower_bound_without_a_limit_says_that_it_is_one(run: Run, wide: None) -> None:
    result = run(*TABLES, *LOWER_BOUNDS["stopped"])
    assert result.code == 0
    assert "at least 0 of 6" in result.out
    note = (
        r"Warnings the time limit was reached after [\d,]+ combinations: "
        r"the figures are lower bounds"
    )
    assert re.search(note, " ".join(result.out.split()))


# The document.

KEYS = {
    "inputs": ["table", "original"],
    "input": ["name", "rows", "columns", "engine", "sha256"],
    "details": [
        *("complete", "figures", "columns", "sizes", "combinations", "removed_original"),
        *("removed_synthetic", "removed_control", "precision", "search", "worst_combinations"),
        "changes",
    ],
    "figures": [
        *("privacy_risk_score", "overall_protection", "main_protection", "baseline_protection"),
        *("identification_rate", "total_identified", "total_syn_records"),
    ],
    "combination": ["columns", "rows_identified", "rows_unique"],
    "change": [*("column", "rows_helped", "change", "rows_before", "rows_after", "up_to_columns")],
}
CONTROL_FIGURES = [
    *("control_identification_rate", "excess_risk", "excess_risk_ci_lower"),
    "excess_risk_ci_upper",
]


def test_the_document_has_these_keys_in_this_order(run: Run) -> None:
    """A change here is a change of the format: raise the number in ``document``."""
    found = document(run(*TABLES, "--format", "json"))
    details = found["results"][0]["details"]
    keys = {
        "inputs": list(found["inputs"]),
        "input": list(found["inputs"]["original"]),
        "details": list(details),
        "figures": list(details["figures"]),
        "combination": list(details["worst_combinations"][0]),
        "change": list(details["changes"][0]),
    }
    assert keys == KEYS
    assert (found["document"], found["command"]) == ("petaudit.result/2", "mpuccs")


def test_the_keys_are_stable_whatever_is_asked(
    run: Run, write: Write, request: pytest.FixtureRequest
) -> None:
    write("control.csv", "name;age;city\neve;71;Rome\nfay;72;Rome\ngus;73;Oslo\nhal;74;Oslo\n")
    more = ("--control", "control.csv", "--profile", "public", "--threads", "1", "--seed", "7")
    result = document(run(*TABLES, *more, "--time-limit", "60", "--format", "json"))
    assert list(result["results"][0]["details"]) == KEYS["details"]
    assert list(result["inputs"]) == ["table", "original", "control"]
    assert list(result["results"][0]["details"]["figures"]) == KEYS["figures"] + CONTROL_FIGURES
    request.getfixturevalue("wide")
    stopped = document(run(*TABLES, *LOWER_BOUNDS["stopped"], "--format", "json"))
    assert stopped["results"][0]["details"]["complete"] is False
    assert list(stopped["results"][0]["details"]) == KEYS["details"]


def test_the_document_says_what_was_done(run: Run) -> None:
    result = document(run(*TABLES, "--threads", "1", "--format", "json"))
    assert result["petaudit"] == petaudit.__version__
    assert result["inputs"]["table"]["name"] == "synthetic.csv"
    assert result["inputs"]["table"]["rows"] == 4
    assert result["options"]["options"]["mpuccs"]["max_baseline_cols"] == 3
    assert result["options"]["options"]["mpuccs"]["threads"] == 1
    details = result["results"][0]["details"]
    worst = {"columns": ["name"], "rows_identified": 1, "rows_unique": 4}
    assert details["worst_combinations"][0] == worst
    assert details["figures"]["privacy_risk_score"] == pytest.approx(15 / 31, abs=1e-15)


def test_the_same_run_gives_the_same_document_whatever_the_threads(run: Run) -> None:
    seen = []
    for threads in ("1", "1", "2"):
        result = document(run(*TABLES, "--threads", threads, "--format", "json"))
        del result["timings"], result["options"]["options"]["mpuccs"]["threads"]
        seen.append(result)
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize(
    "option",
    [
        ("--renyi-alpha", "inf"),
        ("--renyi-alpha", "0"),
        ("--renyi-alpha", "1"),
        ("--time-limit", "inf"),
        ("--field-decay-factor", "0.9"),
        ("--min-entropy-delta", "0.001"),
    ],
    ids=" ".join,
)
def test_every_option_can_be_in_a_document(option: tuple[str, str], run: Run) -> None:
    """JSON knows no infinity; an option that may be infinite is still written."""
    result = run(*TABLES, *option, "--format", "json")
    assert (result.code, result.err) == (0, "")
    name = option[0].removeprefix("--").replace("-", "_")
    assert name in document(result)["options"]["options"]["mpuccs"]


def test_the_document_is_json_where_a_terminal_shows_only_ascii(
    run_process: Run, write: Write
) -> None:
    for name in ("original.csv", "synthetic.csv"):
        write(name, "café😀年齡;b\n1;2\n")
    result = run_process(*TABLES, "--format", "json", env={"PYTHONIOENCODING": "ascii"})
    assert (result.code, result.err) == (0, "")
    assert result.out.isascii()
    assert document(result)["results"][0]["details"]["columns"] == ["café😀年齡", "b"]


def test_a_number_of_many_digits_is_compared_to_the_last(run: Run, write: Write) -> None:
    """Account numbers and hashes: 2**53 + 1 is not 2**53, and neither are longer numbers."""
    for length in (17, 20, 30, 60):
        write("original.csv", f"id;b\n1{'0' * length}1;1\n5;1\n")
        write("synthetic.csv", f"id;b\n1{'0' * length}2;1\n7;1\n")
        result = document(run(*TABLES, "--format", "json"))
        assert result["results"][0]["details"]["figures"]["total_identified"] == 0, length


@pytest.mark.parametrize("digits", [77, 400])
def test_numbers_of_any_length_are_read(digits: int, run: Run, write: Write) -> None:
    write("original.csv", f"id;b\n{'9' * digits};1\n5;1\n")
    write("synthetic.csv", f"id;b\n{'9' * digits};1\n7;1\n")
    result = run(*TABLES)
    assert (result.code, result.err) == (0, "")
    assert identified(result.out) == "1 of 2"


@pytest.mark.parametrize(("limit", "strict"), [("1", "--strict"), ("1", ""), ("", "--strict")])
def test_the_gate_is_that_of_check(limit: str, strict: str, run: Run, write: Write) -> None:
    """Questions that the figure leaves open weigh the same, whichever command searches."""
    for name in ("original.csv", "synthetic.csv"):
        write(name, "a,b\n1,2\n3,4\n5,6\n")
    common = [word for word in (strict, "--format", "json") if word]
    searched = run(*TABLES, *(["--limit", limit] if limit else []), *common)
    given = ["--limit", f"mpuccs={limit}"] if limit else []
    search = ("check", TABLES[2], "--original", TABLES[1], "--measures", "mpuccs")
    checked = run(*search, *given, *common)
    assert searched.code == checked.code == (2 if strict else 0)
    questions = [json.loads(said.out)["open_questions"] for said in (searched, checked)]
    assert questions[0] == questions[1] != []


def test_help_names_every_profile_and_exit_code(run: Run) -> None:
    result = run("mpuccs", "--help")
    assert result.code == 0
    shown = " ".join(result.out.split())
    assert all(name in shown for name in BOUNDS)
    assert "exit codes: 0 all limits hold, 1 a limit is breached, 2 it could not" in shown


@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_help_and_headings_fit_a_terminal(
    language: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("mpuccs", "--lang", language, "--help").out.splitlines()
    result = run(*TABLES, "--lang", language).out.splitlines()
    # A heading stands before a table; its rows are as wide as the names of the columns.
    titles = [
        line for line, after in zip(result, result[2:], strict=False) if after.startswith("---")
    ]
    assert len(titles) == 3
    assert [line for line in (*shown, *titles) if width_of(line) > 80] == []


def test_an_unknown_profile_is_told_which_there_are(run: Run) -> None:
    result = run(*TABLES, "--profile", "reserch")
    assert result.code == 2
    assert "'research'" in result.err


@pytest.mark.parametrize("width", ["40", "60", "80"])
def test_a_narrow_terminal_breaks_no_word(
    width: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    words = [word for line in run(*TABLES).out.splitlines() for word in line.split()]
    assert "combinations)" in words
    assert sum(len(word) == 1 for word in words) < len(words) / 2
