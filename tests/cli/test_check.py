"""``petaudit check``: exit codes, limits, options, and what a person reads."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from petaudit import datasets
from petaudit.measures import usual_measures

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

ROLES = ("--qi", "zip,age", "--sensitive", "disease")
PROFIT = ("--cost", "4", "--gain", "300", "--loss", "300", "--benefit", "1200")


def document(run: Run, *arguments: object) -> dict[str, Any]:
    result = run("check", *arguments, "--format", "json")
    loaded: dict[str, Any] = json.loads(result.out)
    assert loaded["exit_code"] == result.code
    return loaded


def result(run: Run, measure: str, *arguments: object) -> dict[str, Any]:
    results = document(run, *arguments)["results"]
    [found] = [entry for entry in results if entry["measure"] == measure]
    return {**found["details"], **found}


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        ((), 0, "no limit was given"),
        (("--t", "0.25"), 0, "the limit holds"),
        (
            ("--t", "0.2499999999999999999999"),
            1,
            "the limit is breached: t-closeness is 0.25, must be at most 24999",
        ),
        (("--t", "0.25", *PROFIT), 0, "all 2 limits hold, with open questions"),
        (("--t", "0.1", *PROFIT), 1, "1 of 2 limits breached"),
        (("--t", "0.1", *PROFIT, "--no-attack"), 1, "2 of 2 limits breached"),
        (("--t", "0.25", "--cost", "4"), 2, "could not be measured"),
        (("--t", "0.1", "--cost", "4"), 2, "could not be measured"),
    ],
)
def test_exit_code_and_verdict(
    arguments: tuple[str, ...], code: int, verdict: str, table: Path, run: Run
) -> None:
    result = run("check", table, *ROLES, *arguments)
    assert result.code == code
    quiet = run("check", table, *ROLES, *arguments, "--quiet")
    [line] = quiet.out.splitlines()
    assert quiet.code == code
    assert line.startswith("Verdict: ")
    assert verdict in line
    assert line.endswith(f"(exit code {code})")
    # The same words, folded, are what everybody reads first.
    assert " ".join(result.out.splitlines()[1:]).replace("   ", " ").startswith(line)
    assert (result.err == "") == (code != 2)


@pytest.mark.parametrize("spelled", ["t-closeness", "T-Closeness", "t_closeness", "t closeness"])
def test_measures_chooses_in_any_spelling(spelled: str, table: Path, run: Run) -> None:
    result = document(run, table, *ROLES, "--measures", spelled)
    assert [entry["measure"] for entry in result["results"]] == ["t-closeness"]
    assert result["left_out"] == []


def test_a_measure_named_twice_is_measured_once(table: Path, run: Run) -> None:
    result = document(run, table, *ROLES, "--measures", "t-closeness,t_closeness")
    assert [entry["measure"] for entry in result["results"]] == ["t-closeness"]


def test_a_measure_asked_for_that_cannot_run_is_an_error(table: Path, run: Run) -> None:
    result = document(run, table, *ROLES, "--measures", "t-closeness,precision", "--t", "1")
    assert result["verdict"] == "error"
    assert [entry["status"] for entry in result["results"]] == ["passed", "error"]
    [entry] = result["errors"]
    assert (entry["measure"], entry["reason"]) == ("precision", result["results"][1]["reason"])


def test_a_measure_not_asked_for_is_skipped(table: Path, run: Run) -> None:
    result = document(run, table, *ROLES, "--t", "1")
    assert result["exit_code"] == 0
    skipped = {entry["measure"] for entry in result["left_out"]}
    assert {"non-uniform-entropy", "precision", "profitability", "mpuccs", "k-map"} <= skipped
    done = [entry["measure"] for entry in result["results"]]
    assert sorted([*done, *skipped]) == sorted(usual_measures())


def test_limit_of_any_measure_by_name(table: Path, hierarchies: Path, run: Run) -> None:
    given = (table, *ROLES, "--hierarchies", hierarchies)
    result = document(run, *given, "--limit", "t-closeness=0.1", "--limit", "precision=0.9")
    verdicts = {entry["measure"]: entry["status"] for entry in result["results"]}
    judged = {name: status for name, status in verdicts.items() if status != "measured"}
    assert judged == {"t-closeness": "failed", "precision": "passed"}
    assert len(verdicts) > 10


@pytest.mark.parametrize(
    ("own_option", "measure"),
    [("--min-precision", "precision"), ("--min-entropy", "non-uniform-entropy")],
)
def test_utility_limits_have_options_of_their_own(
    own_option: str, measure: str, table: Path, hierarchies: Path, run: Run
) -> None:
    given = (table, *ROLES, "--hierarchies", hierarchies, "--original", table)
    assert result(run, measure, *given, own_option, "1")["status"] == "passed"
    assert result(run, measure, *given, own_option, "1.01")["status"] == "failed"


def test_options_reach_their_measure(table: Path, run: Run) -> None:
    for number in (0, 1):
        own = f"t-closeness.worst={number}"
        [attribute] = result(run, "t-closeness", table, *ROLES, "--option", own)["attributes"]
        assert len(attribute["worst_classes"]) == number
    strict = result(
        run, "profitability", table, *ROLES, *PROFIT, "--option", "profitability.allow_attack=false"
    )
    assert strict["allow_attack"] is False
    assert strict["status"] == "failed"


def test_unknown_labels_can_count_as_maximal(table: Path, write: Write, run: Run) -> None:
    write("h/hierarchy_zip.csv", "47677;4767*;*\n")
    given = (table, "--qi", "zip", "--hierarchies", "h", "--option", "precision.unknown=maximal")
    assert result(run, "precision", *given)["value"] == 0.5


@pytest.mark.parametrize(
    ("given", "distances"),
    [
        ((), ["equal", "ordered"]),
        (("--distance", "equal"), ["equal", "equal"]),
        (("--distance", "pay=equal"), ["equal", "equal"]),
        (("--distance", "disease=equal,pay=ordered"), ["equal", "ordered"]),
        (("--distance", "disease=equal", "--distance", "pay=equal"), ["equal", "equal"]),
    ],
)
def test_the_distance_is_chosen_for_all_or_for_one(
    given: tuple[str, ...], distances: list[str], write: Write, run: Run
) -> None:
    table = write("t.csv", "zip;disease;pay\n1;flu;3\n1;cold;4\n2;flu;5\n2;flu;9\n")
    found = result(run, "t-closeness", table, "--qi", "zip", "--sensitive", "disease,pay", *given)
    assert [attribute["distance"] for attribute in found["attributes"]] == distances


def test_suppressed_rows_are_left_out_or_one_class(write: Write, run: Run) -> None:
    table = write("t.csv", "zip;disease\n1;flu\n1;cold\n*;flu\n*;flu\n*;flu\n")
    given = (table, "--qi", "zip", "--sensitive", "disease", *PROFIT)
    exclude = ("--suppressed", "exclude")
    assert result(run, "profitability", *given, *exclude)["rows"] == 2
    assert result(run, "profitability", *given)["rows"] == 5
    [left_out] = result(run, "t-closeness", *given, *exclude)["attributes"]
    [one_class] = result(run, "t-closeness", *given)["attributes"]
    assert (left_out["classes"], one_class["classes"]) == (1, 2)
    # The distribution of the whole table covers the suppressed rows either way.
    assert left_out["exact_t"] == "3/10"


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown"])
def test_a_lone_suppressed_row_breaks_limits_or_is_said_to_be_left_out(
    form: str, write: Write, run: Run
) -> None:
    """``*, *, diabetes``: whoever fits no other class is that row, and the diagnosis is told."""
    rows = "1;2;flu\n1;2;cold\n1;2;flu\n1;2;cold\n*;*;diabetes\n"
    table = write("t.csv", "zip;age;disease\n" + rows)
    given = ("check", table, "--qi", "zip,age", "--sensitive", "disease", "--k", "4", "--l", "2")
    asked = (*given, "--measures", "k-anonymity,l-diversity", "--format", form)
    result = run(*asked)
    assert result.code == 1
    assert "left out" not in result.out
    excluded = run(*asked, "--suppressed", "exclude")
    assert excluded.code == 0
    number = "1" if form in ("text", "json") else "&lt;5"
    said = " ".join(excluded.out.replace("&#x27;", "'").replace("&#39;", "'").split())
    assert f"left out (suppressed: exclude): {number} row" in said.replace("\\", "")
    assert "Everyone in it is indistinguishable from" not in excluded.out


def test_a_key_joins_tables_in_different_order(write: Write, run: Run) -> None:
    write("h/hierarchy_zip.csv", "1;a;*\n2;a;*\n3;b;*\n")
    original = write("original.csv", "id;zip\nx;1\ny;2\nz;3\n")
    released = write("released.csv", "id;zip\nz;3\ny;2\nx;1\n")
    given = (released, "--qi", "zip", "--hierarchies", "h", "--original", original)
    assert result(run, "non-uniform-entropy", *given, "--key", "id")["warnings"] == []
    assert result(run, "non-uniform-entropy", *given)["warnings"] != []


@pytest.mark.parametrize(
    ("delimiter", "named"), [("\t", "tab"), ("\t", "\\t"), ("\t", "\t"), ("#", "#"), (",", ",")]
)
def test_the_delimiter_can_be_named(delimiter: str, named: str, write: Write, run: Run) -> None:
    table = write("t.csv", f"zip{delimiter}age\n1{delimiter}a;b|c\n")
    given = ("--qi", "zip", "--sensitive", "age", "--delimiter", named)
    assert document(run, table, *given)["inputs"]["table"]["columns"] == ["zip", "age"]


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str, write: Write, run: Run) -> None:
    table = write("t.csv", f"zip{delimiter}age\n1{delimiter}2\n")
    result = document(run, table, "--qi", "zip", "--sensitive", "age")
    assert result["inputs"]["table"]["columns"] == ["zip", "age"]


def test_other_encodings_are_read_when_named(write: Write, run: Run) -> None:
    table = write("t.csv", "姓名,年齡\n甲,1\n乙,2\n".encode("big5"))
    result = run("check", table, "--qi", "年齡", "--sensitive", "姓名", "--encoding", "big5")
    assert result.code == 0
    assert "  quasi-identifiers: 年齡\n" in result.out


def test_names_with_commas_are_quoted(write: Write, run: Run) -> None:
    table = write("t.csv", "a, b;c=d\n1;2\n3;4\n")
    result = document(run, table, "--qi", '"a, b"', "--sensitive", "c=d", "--distance", "c=d=equal")
    assert result["roles"] == {"a, b": "quasi_identifier", "c=d": "sensitive_attribute"}


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "csv.zst", "parquet", "folder", "pattern"])
def test_every_kind_of_table_gives_the_same_figure(kind: str, table: Path, run: Run) -> None:
    text = table.read_text()
    header, *rows = [line.split(";") for line in text.split()]
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    named: str | Path = table
    if kind == "csv.gz":
        named = Path("t.csv.gz")
        named.write_bytes(gzip.compress(text.encode()))
    elif kind == "csv.zst":
        named = Path("t.csv.zst")
        with pa.output_stream(str(named), compression="zstd") as sink:
            sink.write(text.encode())
    elif kind != "csv":
        Path("parts").mkdir()
        whole = pa.table(columns)
        pq.write_table(whole[:1], "parts/1.parquet")
        pq.write_table(whole[1:], "parts/2.parquet")
        pq.write_table(whole, "t.parquet")
        named = {"parquet": "t.parquet", "folder": "parts", "pattern": "parts/*.parquet"}[kind]
    assert result(run, "t-closeness", named, *ROLES)["exact_value"] == "1/4"


def test_roles_and_hierarchies_come_from_the_side_car(
    table: Path, hierarchies: Path, write: Write, run: Run
) -> None:
    side_car = f"""
        DATASET:
          ATTRIBUTE_TYPE:
            QUASI_IDENTIFIER: [zip, age]
            SENSITIVE_ATTRIBUTE: [disease]
          HIERARCHY: {hierarchies}
    """
    write("table.yaml", side_car)
    from_side_car, by_hand = (
        document(run, table, *given) for given in ((), (*ROLES, "--hierarchies", hierarchies))
    )
    assert from_side_car == by_hand
    measures = {entry["measure"] for entry in from_side_car["results"]}
    assert {"k-anonymity", "t-closeness", "precision"} <= measures


def test_options_win_over_the_side_car(table: Path, write: Write, run: Run) -> None:
    write("table.yaml", "DATASET: {ATTRIBUTE_TYPE: {quasi_identifier: [age]}}")
    assert document(run, table, "--qi", "zip", "--sensitive", "disease")["roles"] == {
        "zip": "quasi_identifier",
        "disease": "sensitive_attribute",
    }


@pytest.mark.parametrize(
    ("name", "sensitive", "value"),
    [("Disease", "hierarchical", 8 / 27), ("Salary", "ordered", 1 / 6)],
)
def test_the_figures_of_the_paper(name: str, sensitive: str, value: float, run: Run) -> None:
    patient = datasets.load("patient-deidentified")
    found = result(
        run,
        "t-closeness",
        *(patient.path, "--qi", ",".join(patient.quasi_identifiers), "--sensitive", name),
        *("--hierarchies", patient.hierarchies),
    )
    assert found["value"] == value
    assert found["attributes"][0]["distance"] == sensitive


def test_the_original_widens_what_is_asked_for(
    table: Path, hierarchies: Path, write: Write, run: Run
) -> None:
    """Who hands in an original wants it compared, even where only another limit is named."""
    write("short.csv", "zip;age;disease\n47677;29;flu\n")
    given = (table, *ROLES, "--hierarchies", hierarchies, "--original", "short.csv", "--t", "1")
    assert run("check", *given).code == 2


def test_a_person_reads_value_limit_verdict_and_direction(
    table: Path, hierarchies: Path, run: Run
) -> None:
    given = (table, *ROLES, *PROFIT, "--hierarchies", hierarchies)
    result = run("check", *given, "--t", "0.2", "--min-precision", "0.5", "--details")
    rows = {line.split()[0]: line.split()[1:] for line in result.out.splitlines() if line.strip()}
    assert rows["measure"] == ["value", "limit", "verdict", "better"]
    assert rows["precision"] == ["1", "at", "least", "0.5", "pass", "higher"]
    assert rows["profitability"] == ["true", "true", "pass", "true"]
    assert "t-closeness 0.25 at most 0.2 FAIL lower" in " ".join(result.out.split())
    assert "2 classes with 4 rows are above the limit" in " ".join(result.out.split())
    assert "quasi-identifiers: zip, age" in result.out
    assert "4 rows, 3 columns" in result.out


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_sentences_fit_the_terminal(
    columns: int, hierarchies: Path, table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    given = (table, *ROLES, *PROFIT, "--hierarchies", hierarchies, "--original", table)
    result = run("check", *given, "--t", "0.2")
    sentences = [line for line in result.out.splitlines() if line.startswith("  ")]
    # A command is kept on one line, to be copied.
    sentences = [line for line in sentences if not line.startswith("      petaudit ")]
    assert len(sentences) > 5
    assert max(map(len, sentences)) <= min(columns, 100)


def test_what_is_revealed_stands_apart_from_the_next_section(table: Path, run: Run) -> None:
    lines = run("check", table, *ROLES, "--reveal-values", "--details").out.splitlines()
    assert lines[lines.index("Left out") - 1] == ""


def test_revealing_values_only_adds_lines(write: Write, run: Run) -> None:
    table = write("t.csv", "zip;disease\n1;flu\n1;cold\n2;flu\n2;flu\n2;flu\n")
    given = ("check", table, "--qi", "zip", "--sensitive", "disease", "--t", "0.1")
    plain, revealed = (run(*given, *more).out for more in ((), ("--reveal-values",)))
    kept = [line for line in revealed.splitlines() if " rows: " not in line]
    assert len(kept) == len(revealed.splitlines()) - 2
    assert " ".join(kept).split() == plain.split()


def test_colours_only_on_a_terminal(table: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def on_terminal() -> str:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        return str(run("check", table, *ROLES, "--t", "0.1").out)

    assert "\033[" not in run("check", table, *ROLES, "--t", "0.1").out
    assert "\033[31;1mFAIL" in on_terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033[" not in on_terminal()


def test_a_written_report_has_no_colours(
    table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    run("check", table, *ROLES, "--t", "0.1", "--out", "report.txt")
    assert "\033[" not in Path("report.txt").read_text()
