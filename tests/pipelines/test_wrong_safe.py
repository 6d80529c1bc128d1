"""Ways in which a gate could pass although nobody was shown to be safe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import ManyProblemsError
from petaudit.measures import all_measures
from petaudit.pipelines import tables

PEOPLE = "age;city\n" + "".join(f"{age};c{age % 7}\n" for age in range(20, 80))
COPY = """
Loader: {t: {filepath: people.csv}}
Synthesizer: {s: {method: custom_data, filepath: copy.csv}}
Evaluator: {risk: {method: mpuccs, limit: 0.5}}
"""
CLASSES = """
Loader: {t: {filepath: people.csv, roles: {quasi_identifier: city, sensitive_attribute: age}}}
Evaluator: {close: {method: t-closeness, limit: 1}}
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("people.csv", "copy.csv"):
        Path(name).write_text(PEOPLE)


def entry_of(text: str, **more: Any) -> dict[str, Any]:
    executor = petaudit.Executor(text, **more)
    executor.run()
    [entry] = executor.document["results"]
    return entry


def problem_of(text: str, **more: Any) -> str:
    with pytest.raises(ManyProblemsError) as caught:
        petaudit.Executor(text, **more).validate()
    return str(caught.value)


def test_a_copy_of_the_people_fails() -> None:
    assert (entry_of(COPY)["status"], entry_of(COPY)["value"]) == ("failed", 1.0)


def test_a_sample_of_the_people_decides_nothing_about_a_table_made_before() -> None:
    drawn = "Splitter: {d: {train_split_ratio: 0.1}}\nSynthesizer:"
    entry = entry_of(COPY.replace("Synthesizer:", drawn))
    assert entry["value"] < 0.5
    assert (entry["status"], entry["lower_bound"]) == ("error", True)
    assert "made before the rows were drawn" in entry["reason"]
    # What is bad enough already stays so, and without a limit it is a warning.
    worse = COPY.replace("Synthesizer:", drawn).replace("limit: 0.5", "limit: 0.01")
    assert entry_of(worse)["status"] == "failed"
    unlimited = entry_of(COPY.replace("Synthesizer:", drawn).replace(", limit: 0.5", ""))
    assert unlimited["status"] == "measured"
    assert "made before the rows were drawn" in unlimited["warnings"][0]


def test_the_first_rows_decide_nothing_about_the_others() -> None:
    entry = entry_of(CLASSES, overrides=["Loader.t.nrows=59"])
    assert entry["status"] == "error"
    assert entry["reason"].startswith("1 row of people.csv left out (nrows); this does not show")
    assert entry_of(CLASSES, overrides=["Loader.t.nrows=60"])["status"] == "passed"


@pytest.mark.parametrize("nothing", ["limit:", "limit: null", "limit: ~"])
def test_an_empty_limit_is_no_missing_limit(nothing: str) -> None:
    assert "limit is empty" in problem_of(CLASSES.replace("limit: 1", nothing))


@pytest.mark.parametrize("number", ["010", "1:30", "1_0", "0b1", "0o7", "'1,5'", "١"])
def test_a_number_that_yaml_once_read_otherwise_is_no_number(number: str) -> None:
    said = problem_of(CLASSES.replace("limit: 1", f"limit: {number}"))
    assert "a number from 0 to 1 or a fraction such as 1/11" in said


def compared(before: str, after: str, **more: Any) -> dict[str, Any]:
    executor = petaudit.Executor(before)
    executor.run()
    Path("old.json").write_text(json.dumps(executor.document))
    return entry_of(f"Executor: {{compare_to: old.json}}\n{after}", **more)


@pytest.mark.parametrize(
    ("before", "after"),
    [("nrows: 50", "nrows: 40"), ("hierarchies: {city: {c1: a}}", "hierarchies: {city: {c1: b}}")],
)
def test_what_was_measured_otherwise_is_not_compared(before: str, after: str) -> None:
    text = CLASSES.replace(", limit: 1", "").replace("people.csv,", "people.csv, CHANGE,")
    entry = compared(text.replace("CHANGE", before), text.replace("CHANGE", after))
    assert entry["status"] == "error"
    assert "was measured differently" in entry["reason"]


def test_another_share_of_the_rows_is_not_compared() -> None:
    text = (
        "Loader: {t: {filepath: people.csv}}\nSplitter: {d: {train_split_ratio: 0.5}}\n"
        "Synthesizer: {s: {method: independent}}\nEvaluator: {risk: {method: mpuccs}}\n"
    )
    assert compared(text, text)["status"] == "passed"
    assert compared(text, text.replace("0.5", "0.9"))["status"] == "error"


def test_a_comparison_needs_a_figure() -> None:
    text = "Executor: {compare_to: old.json}\nLoader: {t: {filepath: people.csv}}\n"
    assert "there is no Evaluator to compare" in problem_of(text)


def test_a_measure_that_ignores_its_limit_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = all_measures()["t-closeness"]
    computed = measure._computed
    without_limit = lambda inputs, options: computed(inputs, {**options, "limit": None})  # noqa: E731
    monkeypatch.setattr(measure, "_computed", without_limit)
    entry = entry_of(CLASSES)
    assert (entry["status"], entry["value"] is None) == ("error", False)
    assert entry["reason"] == "t-closeness did not say whether its limit holds"


def test_a_control_that_was_learned_from_is_refused() -> None:
    text = (
        "Splitter: {s: {method: custom_data, filepath: {ori: people.csv, control: copy.csv}}}\n"
        "Synthesizer: {s: {method: independent}}\nEvaluator: {risk: {method: mpuccs}}\n"
    )
    assert "the control is the training table itself" in problem_of(text)
    Path("copy.csv").write_text(PEOPLE.replace("\n20;", "\n19;"))
    petaudit.Executor(text).validate()
    twice = text.replace("mpuccs}", "mpuccs, control: copy.csv}")
    assert "the Splitter already gives the control" in problem_of(twice)


def test_the_control_of_a_measure_is_checked_and_used() -> None:
    text = COPY.replace("limit: 0.5", "control: other.csv")
    assert "Evaluator.risk: file" in problem_of(text)
    Path("other.csv").write_text(PEOPLE)
    assert "the control is the training table itself" in problem_of(text)
    Path("other.csv").write_text("age\n1\n")
    assert "must have the same columns" in problem_of(text)
    others = "age;city\n" + "".join(f"{age};c{age % 5}\n" for age in range(60, 120))
    Path("other.csv").write_text(others)
    executor = petaudit.Executor(text)
    executor.run()
    assert executor.document["inputs"]["Evaluator[risk].control"]["rows"] == 60
    assert executor.document["results"][0]["details"]["figures"]["control_identification_rate"] > 0


def test_a_table_that_changes_while_it_is_opened_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = tables.open_source

    def slowly(path: Any, **more: Any) -> Any:
        result = real(path, **more)
        Path("people.csv").write_text(PEOPLE + "99;c9\n")
        return result

    monkeypatch.setattr(tables, "open_source", slowly)
    with pytest.raises(
        petaudit.PetauditError, match=r"people\.csv changed while it was being read"
    ):
        petaudit.Executor(CLASSES).run()


def test_identifiers_in_the_table_are_pointed_out() -> None:
    text = CLASSES.replace("roles: {", "roles: {identifier: name, ")
    Path("people.csv").write_text("name;age;city\nAnn;20;x\nBob;30;x\n")
    executor = petaudit.Executor(text)
    assert executor.run() == "failed"
    assert executor.document["breaches"] == [
        {"kind": "identifiers", "run": "Loader[t]_Evaluator[close]", "columns": ["name"]}
    ]
    Path("people.csv").write_text("name;age;city\n*;20;x\n*;30;x\n")
    assert petaudit.Executor(text).run() == "passed"


def test_reasons_do_not_say_where_files_lie(tmp_path: Path) -> None:
    folder = tmp_path / "somewhere"
    folder.mkdir()
    (folder / "x_hierarchy_city.csv").write_text("c1;a\n")
    text = CLASSES.replace("people.csv,", f"people.csv, hierarchies: {folder},")
    entry = entry_of(text.replace("t-closeness, limit: 1", "precision"))
    assert entry["status"] == "error"
    assert str(tmp_path) not in json.dumps(entry)
    assert "x_hierarchy_city.csv" in entry["reason"] or "city" in entry["reason"]


def test_validating_needs_no_folder_for_results(tmp_path: Path) -> None:
    Path("a.yaml").write_text(CLASSES + "Reporter: {r: {method: save_report}}\n")
    Path("a-results").write_text("in the way")
    assert main(["validate", "a.yaml"]) == 0
    assert main(["run", "a.yaml"]) == 2


def test_a_table_given_for_a_pipeline_is_not_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["run"], ["validate"], ["validate", "--format", "json"]):
        assert main([*command, "people.csv"]) == 2
    said = capsys.readouterr()
    assert "c1" not in said.out + said.err
    assert "petaudit init TABLE" in said.err
