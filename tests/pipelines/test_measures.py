"""Measures in pipelines: infinite figures, remedies, functions, and what cannot be measured."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

import petaudit
from petaudit.cli import main
from petaudit.errors import ManyProblemsError
from petaudit.measures import all_measures
from petaudit.pipelines.json_schema import json_schema
from petaudit.system.kinds import PythonFunction
from petaudit.system.yaml_files import parse_yaml
from pipelines.configs import problems_of, read

# Every value has a class of its own, so that no beta holds: the gain 1 is above -ln 1/2 = 0.69.
APART = "zip;ill\na;x\nb;y\n"
# Every class has the shares of the table, so that nothing is gained.
ALIKE = "zip;ill\na;x\na;y\nb;x\nb;y\n"
LOADER = (
    "Loader: {t: {filepath: t.csv, roles: {quasi_identifier: zip, sensitive_attribute: ill}}}\n"
)
BETA = "Evaluator: {e: {method: enhanced-beta-likeness%s}}\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(APART)


def strictly(text: str) -> Any:
    """JSON as other languages read it."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


def ran(text: str, out: str = "o") -> tuple[int, Any]:
    Path("a.yaml").write_text(text)
    code = main(["run", "a.yaml", "--out", out, "--quiet"])
    return code, strictly(Path(out, "result.json").read_text(encoding="utf-8"))


def test_an_infinite_figure_breaks_every_limit_and_is_written_as_a_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.yaml").write_text(LOADER + BETA % ", limit: 1000000")
    assert main(["run", "a.yaml", "--out", "o"]) == 1
    shown = capsys.readouterr().out
    assert "enhanced-beta-likeness  inf    at most 1000000  FAIL" in shown
    verdict = "enhanced-beta-likeness (line 2) is inf, must be at most 1000000"
    assert verdict in " ".join(shown.split())
    document = strictly(Path("o/result.json").read_text(encoding="utf-8"))
    [result] = document["results"]
    assert (result["value"], result["status"], result["limit"]) == ("inf", "failed", 1e6)
    [breach] = document["breaches"]
    assert (breach["value"], breach["rule"]) == ("inf", "at most")


def test_an_infinite_figure_without_a_limit_is_measured() -> None:
    code, document = ran(LOADER + BETA % "")
    assert (code, document["verdict"], document["results"][0]["value"]) == (0, "measured", "inf")


def test_in_python_it_is_a_number() -> None:
    executor = petaudit.Executor(LOADER + BETA % "")
    executor.run()
    [result] = executor.get_result().values()
    assert math.isinf(result.value)
    assert result["global"]["value"].to_pylist() == [math.inf]
    assert executor.get_summary()["value"].to_pylist() == [math.inf]


def test_reports_hold_it() -> None:
    formats = "".join(
        f"  {own}: {{method: save_report, granularity: [summary, global], format: {own}}}\n"
        for own in ("csv", "json", "parquet")
    )
    code, document = ran(f"{LOADER}{BETA % ''}Reporter:\n{formats}")
    assert code == 0
    assert len(document["files"]) == 6
    for name in ("petaudit_summary", "petaudit_e_global"):
        assert pq.read_table(f"o/{name}.parquet")["value"].to_pylist() == [math.inf]
        header, row = Path(f"o/{name}.csv").read_text(encoding="utf-8-sig").splitlines()
        assert dict(zip(header.split(";"), row.split(";"), strict=True))["value"] == "inf"
        [row] = strictly(Path(f"o/{name}.json").read_text(encoding="utf-8"))
        assert row["value"] == "inf"


@pytest.mark.parametrize(
    ("before", "after", "code", "status"),
    [
        (APART, APART, 0, "passed"),
        (APART, ALIKE, 0, "passed"),
        (ALIKE, APART, 1, "failed"),
        (ALIKE, ALIKE, 0, "passed"),
    ],
    ids=["equal", "better", "worse", "finite"],
)
def test_compared_with_an_earlier_result(before: str, after: str, code: int, status: str) -> None:
    Path("t.csv").write_text(before)
    text = LOADER + BETA % ", allowed_worsening: 1000"
    ran(text, "before")
    Path("t.csv").write_text(after)
    result = ran("Executor: {compare_to: before/result.json}\n" + text)
    assert (result[0], result[1]["results"][0]["status"]) == (code, status)
    comparison = result[1]["results"][0]["comparison"]
    assert comparison["previous"] == ("inf" if before == APART else 0.0)
    assert main(["run", "a.yaml", "--out", "text"]) == code


def test_what_it_takes_is_among_the_details() -> None:
    Path("t.csv").write_text(ALIKE + "c;x\n")
    _, document = ran(LOADER + "Evaluator: {e: {method: k-anonymity, limit: 2}}\n")
    details = document["results"][0]["details"]
    assert details["remedy"] == {
        "rows_breaking": 1,
        "rows_to_suppress": None,
        "share_to_suppress": None,
        "rows_to_drop": 1,
        "share_to_drop": 0.2,
        "rows_keeping": 4,
        "of_rows": 5,
    }
    _, document = ran(LOADER + "Evaluator: {e: {method: t-closeness, limit: 0.3}}\n")
    # c, x against 3 x and 2 y of 5: 2/5; the others are half, half: 1/10.
    assert document["results"][0]["details"]["remedy"]["rows_breaking"] == 1


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [
        ("method: k-anonymity, limit: 1, suppressed: exclude", "every row is suppressed"),
        ("method: prosecutor-risk, limit: 1, suppressed: exclude", "every row is suppressed"),
        ("method: l-diversity, suppressed: exclude", "every row is suppressed"),
        ("method: attribute-squared-error, limit: 0", "number"),
    ],
)
def test_a_measure_that_was_asked_for_and_cannot_run_is_an_error(
    evaluator: str, words: str
) -> None:
    """In an audit of everything it would be left out; here somebody named it."""
    Path("t.csv").write_text("zip;ill\n*;x\n*;y\n")
    Path("before.csv").write_text("zip;ill\nParis;x\nRome;y\n")
    loader = LOADER.replace("t.csv,", "t.csv, original: before.csv,")
    text = f"{loader}Evaluator:\n  e: {{{evaluator}}}\n  other: {{method: suppression, limit: 1}}\n"
    code, document = ran(text)
    assert (code, document["verdict"]) == (2, "error")
    first, other = document["results"]
    assert (first["status"], first["value"]) == ("error", None)
    assert words in first["reason"]
    assert [own["run"] for own in document["errors"]] == [first["run"]]
    # The other run is finished all the same.
    assert (other["status"], other["value"]) == ("passed", 1.0)


FUNCTIONS = [
    (name, option.name)
    for name, measure in all_measures().items()
    for option in measure.options
    if isinstance(option.kind, PythonFunction)
]


def test_there_is_a_measure_with_a_function() -> None:
    assert ("utility-bias", "function") in FUNCTIONS


@pytest.mark.parametrize(("measure", "option"), FUNCTIONS)
@pytest.mark.parametrize("given", ["len", "'lambda table: 1'", "5", "[len]", "'math:sqrt'"])
def test_a_file_names_no_code(measure: str, option: str, given: str) -> None:
    text = f"{LOADER}Evaluator:\n  e:\n    method: {measure}\n    {option}: {given}\n"
    [result] = problems_of(lambda: read(text))
    assert result.startswith("x.yaml, line 5: ")
    assert " must be a function (Python only: a YAML file cannot name code), got " in result
    # An editor marks it as well.
    jsonschema = pytest.importorskip("jsonschema")
    assert not jsonschema.Draft7Validator(json_schema()).is_valid(yaml.safe_load(text))


@pytest.mark.parametrize(("measure", "option"), FUNCTIONS)
def test_without_the_function_the_measure_says_that_it_needs_one(measure: str, option: str) -> None:
    text = f"{LOADER}Evaluator:\n  e: {{method: {measure}}}\n"
    [result] = problems_of(lambda: read(text))
    assert f"{measure} needs {option} (a Python function" in result
    with pytest.raises(ManyProblemsError):
        petaudit.Executor(text).validate()


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [
        ("method: alpha-k-anonymity, k: 2", "limit"),
        ("method: recursive-l-diversity, limit: 2", "l"),
        ("method: recursive-l-diversity, l: 0", "l must be an integer >= 1, got 0"),
        ("method: delta-presence, limit: 0.1, least: 0.5", "least"),
        ("method: delta-disclosure, base: 10", "base must be e or 2, got 10"),
        ("method: prosecutor-risk, figure: higest", "did you mean 'highest'"),
        ("method: k-map, significance: 1", "significance must be a number > 0 and < 1, got 1"),
        ("method: special-uniques, population_size: 9, sampling_fraction: 0.5", "not both"),
        (
            "method: population-uniqueness, sampling_fraction: 0",
            "fraction must be a number > 0 and <= 1, got 0",
        ),
        (
            "method: distribution-distance, columns: []",
            "columns must be the name of a column (quote numbers, yes and no) or a list (each: "
            "the name of a column (quote numbers, yes and no)), got an empty list",
        ),
        ("method: model-utility, model: logistic, task: regression", "logistic"),
        ("method: model-utility, folds: 1", "folds must be an integer >= 2, got 1"),
        ("method: k-anonymity, worst: 3", "unknown option 'worst'"),
    ],
)
def test_wrong_options_are_said_before_any_work(evaluator: str, words: str) -> None:
    text = f"{LOADER}Evaluator:\n  e: {{{evaluator}}}\n"
    result = problems_of(lambda: read(text))
    assert len(result) == 1
    assert result[0].startswith("x.yaml, line 3: ")
    assert words in result[0]


def test_every_option_of_every_measure_is_checked_by_its_kind() -> None:
    """A mapping of a list of nothing is no option of anybody."""
    for name, measure in all_measures().items():
        for option in measure.options:
            text = f"{LOADER}Evaluator:\n  e:\n    method: {name}\n    {option.name}: {{x: [[]]}}\n"
            result = problems_of(lambda text=text: read(text))
            assert any("must be" in entry and "line 5" in entry for entry in result), text
            assert parse_yaml(text, "x.yaml")
