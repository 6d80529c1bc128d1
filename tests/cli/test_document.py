"""The JSON document: versioned, with stable keys, and nothing else on standard output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit import datasets

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

ENTRY = [
    *("measure", "status", "figure", "value", "limit", "limit_exact", "strict", "conditions"),
    *("profile", "better", "lower_bound", "reason", "explanation", "warnings", "details"),
    *("pictures", "breaches"),
]
"""What every entry has, whichever command wrote it."""
GOLDEN = {
    "": [
        *("document", "petaudit", "command", "verdict", "exit_code", "problems"),
        *("open_questions", "strict", "columns", "roles", "options", "policies", "inputs"),
        *("results", "left_out", "breaches", "errors", "warnings", "what_to_do", "texts"),
        "timings",
    ],
    "inputs": ["table", "original", "hierarchies"],
    "inputs.table": ["name", "rows", "columns", "engine", "sha256"],
    "inputs.hierarchies": ["attributes", "sha256"],
    "options": [
        *("measures", "options", "strict", "suppressed", "key", "person"),
        "person_is_pseudonym",
        *("reveal_values", "delimiter", "encoding", "sheet", "header_row", "null", "blank_rows"),
        *("engine", "spark_master"),
    ],
    "t-closeness": ["exact_value", "attributes", "remedy"],
    "attribute": [
        *("attribute", "distance", "t", "exact_t", "classes", "classes_above_limit"),
        *("rows_above_limit", "worst_classes"),
    ],
    "worst class": ["rows", "distance", "classes", "labels"],
    "remedy": [
        *("rows_breaking", "rows_to_suppress", "share_to_suppress"),
        *("rows_to_drop", "share_to_drop", "rows_keeping", "of_rows"),
    ],
    "k-anonymity": [*("classes", "rows", "suppressed_rows", "suppressed_class", "curve", "remedy")],
    "point": ["k", "rows", "share"],
    "precision": ["columns", "suppressed_rows"],
    "non-uniform-entropy": ["columns"],
    "profitability": [
        *("allow_attack", "adversary_cost", "adversary_gain", "publisher_loss"),
        *("publisher_benefit", "rows", "suppressed_rows", "rows_failing_benefit"),
        *("rows_worth_attacking", "worst_row", "smallest_passing_class", "remedy"),
    ],
    "worst row": [
        *("class_size", "adversary_expected_gain", "adversary_payoff", "publisher_risk"),
        "publisher_payoff",
    ],
}


@pytest.fixture(scope="module")
def patient() -> list[object]:
    found = datasets.load("patient-deidentified")
    return [
        *("check", found.path, "--qi", ",".join(found.quasi_identifiers)),
        *("--sensitive", "Disease", "--hierarchies", found.hierarchies),
        *("--original", found.original, "--t", "0.4", "--format", "json"),
        *("--cost", "4", "--gain", "300", "--loss", "300", "--benefit", "1200"),
        *("--measures", "k-anonymity,t-closeness,precision,non-uniform-entropy,profitability"),
    ]


def test_the_document_has_these_keys_in_this_order(patient: list[object], run: Run) -> None:
    """A change here is a change of the format: raise the number in ``document``."""
    found = json.loads(run(*patient).out)
    results = {entry["measure"]: entry["details"] for entry in found["results"]}
    attribute = results["t-closeness"]["attributes"][0]
    keys = {
        "": list(found),
        "inputs": list(found["inputs"]),
        "inputs.table": list(found["inputs"]["table"]),
        "inputs.hierarchies": list(found["inputs"]["hierarchies"]),
        "options": list(found["options"]),
        "attribute": list(attribute),
        "worst class": list(attribute["worst_classes"][0]),
        "worst row": list(results["profitability"]["worst_row"]),
        "remedy": list(results["t-closeness"]["remedy"]),
        "point": list(results["k-anonymity"]["curve"][0]),
    } | {name: list(entry) for name, entry in results.items()}
    assert keys == GOLDEN
    assert {tuple(entry) for entry in found["results"]} == {tuple(ENTRY)}
    assert (found["document"], found["command"]) == ("petaudit.result/2", "check")


def test_the_document_says_what_was_done(patient: list[object], run: Run) -> None:
    found = json.loads(run(*patient).out)
    table = datasets.load("patient-deidentified")
    assert found["petaudit"] == petaudit.__version__
    assert (found["verdict"], found["exit_code"]) == ("passed", 0)
    assert found["roles"] == {
        "ZIPCode": "quasi_identifier",
        "Age": "quasi_identifier",
        "Disease": "sensitive_attribute",
    }
    assert found["options"] == {
        "measures": [entry["measure"] for entry in found["results"]],
        "options": {
            "t-closeness": {"limit": "0.4"},
            "profitability": {"cost": "4", "gain": "300", "loss": "300", "benefit": "1200"},
        },
        "strict": False,
        "suppressed": "class",
        "key": None,
        "person": None,
        "person_is_pseudonym": None,
        "reveal_values": False,
        "delimiter": None,
        "encoding": None,
        "sheet": None,
        "header_row": None,
        "null": None,
        "blank_rows": None,
        "engine": None,
        "spark_master": None,
    }
    for name, path in (("table", table.path), ("original", table.original)):
        fingerprint = found["inputs"][name]
        assert path is not None
        assert fingerprint["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert fingerprint["name"] == str(path)
        assert fingerprint["rows"] == 9
        assert fingerprint["columns"] == ["ZIPCode", "Age", "Salary", "Disease"]
        assert fingerprint["engine"] == "duckdb"


def test_the_fingerprint_is_of_the_file_as_it_lies_there(write: Write, run: Run) -> None:
    """A compressed file is fingerprinted compressed: that is the file that people pass on."""
    with pa.output_stream("t.csv.gz", compression="gzip") as sink:
        sink.write(b"zip;disease\n1;flu\n")
    result = run("check", "t.csv.gz", "--qi", "zip", "--sensitive", "disease", "--format", "json")
    digest = json.loads(result.out)["inputs"]["table"]["sha256"]
    assert digest == hashlib.sha256(Path("t.csv.gz").read_bytes()).hexdigest()


def test_other_contents_have_another_fingerprint(write: Write, run: Run) -> None:
    Path("parts").mkdir()
    seen = set()
    for value in ("1", "2"):
        pq.write_table(pa.table({"zip": [value], "disease": ["flu"]}), "parts/1.parquet")
        pq.write_table(pa.table({"zip": ["3"], "disease": ["flu"]}), "parts/2.parquet")
        result = run("check", "parts", "--qi", "zip", "--sensitive", "disease", "--format", "json")
        seen.add(json.loads(result.out)["inputs"]["table"]["sha256"])
    assert len(seen) == 2


def test_other_hierarchies_have_another_fingerprint(
    table: Path, hierarchies: Path, write: Write, run: Run
) -> None:
    given = ("check", table, "--qi", "zip,age", "--format", "json", "--hierarchies")

    def fingerprint(spec: object) -> dict[str, Any]:
        return dict(json.loads(run(*given, spec).out)["inputs"]["hierarchies"])

    before = fingerprint(hierarchies)
    assert set(before["attributes"]) == {"zip", "age"}
    assert fingerprint(hierarchies) == before
    write("rules.yaml", "zip: hierarchies/hierarchy_zip.csv\nage: hierarchies/hierarchy_age.csv\n")
    named = fingerprint("rules.yaml")
    write("hierarchies/hierarchy_age.csv", "29;2*;all\n22;2*;all\n")
    assert fingerprint(hierarchies)["sha256"] != before["sha256"]
    assert fingerprint("rules.yaml")["sha256"] != named["sha256"]


def test_how_the_table_was_read_is_noted(write: Write, run: Run) -> None:
    write("t.csv", "zip\tdisease\n1\tflu\n".encode("utf-16"))
    given = ("--qi", "zip", "--sensitive", "disease", "--delimiter", "tab", "--encoding", "utf-16")
    options = json.loads(run("check", "t.csv", *given, "--format", "json").out)["options"]
    assert (options["delimiter"], options["encoding"]) == ("\t", "utf-16")


def test_without_any_limit_nothing_passed(table: Path, run: Run) -> None:
    result = run("check", table, "--qi", "zip", "--sensitive", "disease", "--format", "json")
    loaded = json.loads(result.out)
    assert (result.code, loaded["exit_code"], loaded["verdict"]) == (0, 0, "measured")


@pytest.mark.parametrize(("limit", "verdict", "code"), [("0.4", "passed", 0), ("0.1", "failed", 1)])
def test_the_verdict_agrees_with_the_exit_code(
    limit: str, verdict: str, code: int, table: Path, run: Run
) -> None:
    given = ("check", table, "--qi", "zip", "--sensitive", "disease", "--t", limit)
    result = run(*given, "--format", "json")
    loaded = json.loads(result.out)
    assert (result.code, loaded["exit_code"], loaded["verdict"]) == (code, code, verdict)
    assert result.err == ""


def test_an_error_is_in_the_document_and_on_standard_error(table: Path, run: Run) -> None:
    given = ("--qi", "zip", "--sensitive", "disease", "--distance", "hierarchical")
    result = run("check", table, *given, "--measures", "t-closeness", "--format", "json")
    loaded = json.loads(result.out)
    assert (loaded["verdict"], loaded["exit_code"]) == ("error", 2)
    [entry] = loaded["results"]
    assert (entry["measure"], entry["status"], entry["value"]) == ("t-closeness", "error", None)
    assert entry["reason"] in result.err
    assert list(entry) == ENTRY


def test_warnings_are_in_the_document_and_not_on_standard_error(table: Path, run: Run) -> None:
    given = ("check", table, "--qi", "zip", "--sensitive", "disease", "--suppressed", "exclude")
    table.write_text(table.read_text() + "*;*;flu\n")
    result = run(*given, "--format", "json")
    loaded = json.loads(result.out)
    assert len(loaded["warnings"]) == 1
    [own] = [entry for entry in loaded["results"] if entry["measure"] == "t-closeness"]
    assert own["warnings"] == loaded["warnings"]
    assert result.err == ""


def test_the_same_run_gives_the_same_document(patient: list[object], run: Run) -> None:
    assert run(*patient).out == run(*patient).out


def test_a_written_document_is_the_printed_one(patient: list[object], run: Run) -> None:
    printed = run(*patient)
    written = run(*patient, "--out", "document.json")
    assert (written.code, written.out, written.err) == (printed.code, "", "")
    assert Path("document.json").read_text(encoding="utf-8") == printed.out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_the_document_is_json_whatever_the_terminal_can_show(
    encoding: str, write: Write, run_process: Run
) -> None:
    write("t.csv", "café😀年齡;b\n1;2\n")
    given = ("check", "t.csv", "--qi", "b", "--sensitive", "café😀年齡", "--format", "json")
    result = run_process(*given, env={"PYTHONIOENCODING": encoding})
    assert result.code == 0
    columns = json.loads(result.out)["inputs"]["table"]["columns"]
    assert columns == ["café😀年齡", "b"]


def test_the_demo_has_a_document_too(run: Run) -> None:
    loaded = json.loads(run("demo", "--format", "json").out)
    assert (loaded["document"], loaded["command"]) == ("petaudit.result/2", "check")
    assert {"k-anonymity", "t-closeness", "precision", "profitability"} <= {
        entry["measure"] for entry in loaded["results"]
    }


def test_every_result_is_alike_and_json(run: Run) -> None:
    """What differs between measures comes last; no figure is lost on the way to another reader."""
    adult = datasets.load("adult-deidentified")
    given = ("--original", adult.original, "--hierarchies", adult.hierarchies)
    printed = run("check", adult.path, *given, "--population", adult.original, "--format", "json")
    found = json.loads(printed.out, parse_constant=pytest.fail)
    assert len(found["results"]) > 25
    for entry in found["results"]:
        assert list(entry) == ENTRY
        assert (entry["status"], entry["limit"], entry["reason"]) == ("measured", None, None)
        figure = entry["value"]
        assert figure == "inf" or isinstance(figure, int | float)
        assert entry["better"] in {"lower", "higher", "true"}
    assert list(found["inputs"]) == ["table", "original", "population", "hierarchies"]
    assert all(list(entry) == ["measure", "reason"] for entry in found["left_out"])


def test_infinity_is_a_word_in_the_document(table: Path, run: Run) -> None:
    """A class has one value only: no c is large enough for two of them."""
    given = ("check", table, "--qi", "zip", "--sensitive", "disease")
    asked = ("--option", "recursive-l-diversity.l=2", "--limit", "recursive-l-diversity=3")
    result = run(*given, *asked, "--measures", "recursive-l-diversity", "--format", "json")
    [entry] = json.loads(result.out, parse_constant=pytest.fail)["results"]
    assert (entry["value"], entry["limit"], entry["status"]) == ("inf", 3, "failed")
    assert float(entry["value"]) == float("inf")
