"""The benchmark runs: its tables have the promised shape, its results the promised form.

No test looks at a time: those belong to `make bench`.
"""

from __future__ import annotations

import doctest
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROWS = 2_000
SHAPES = ["text", "unique", "integer", "skewed", "numeric"]
MODULES = [
    *("adult", "checks", "comparison", "complete_audit", "complete_audit_worker", "findings"),
    *("generated", "growth", "growth_fit", "machine", "measuring", "options", "page"),
    *("page_sections", "plots", "reduced", "run", "shapes", "worker"),
]


@pytest.fixture(scope="module")
def bench() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        result = {name: importlib.import_module(name) for name in MODULES}
        # Tables are small here, and drawing half a million rows for each would take long.
        patch.setattr(result["shapes"], "BLOCK", ROWS)
        yield result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def report(
    bench: dict[str, ModuleType], folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """One round on one table with text and growth, in real processes."""
    target = tmp_path_factory.mktemp("results") / "report.json"
    arguments = ["--rows", str(ROWS), "--repetitions", "1", "--shapes", "text"]
    arguments += ["--data", str(folder), "--json", str(target), "--only", "generated,audit"]
    arguments += ["--profile"]
    sharing = bench["complete_audit"].measure_sharing
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench["run"], "measure_sharing", lambda rounds: sharing(rounds, runs=1))
        assert bench["run"].main(arguments) == 0
    return json.loads(target.read_text())


def generated(bench: dict[str, ModuleType], name: str, rows: int, folder: Path) -> pa.Table:
    shapes = bench["shapes"]
    return pq.read_table(shapes.table_file(shapes.shape(name), rows, folder))


def ratio(bench: dict[str, ModuleType], value: float, low: float, high: float) -> Any:
    return bench["measuring"].Ratio(value, low, high)


@pytest.mark.parametrize("name", SHAPES)
def test_table_has_eight_quasi_identifiers_and_a_sensitive_column(
    bench: dict[str, ModuleType], folder: Path, name: str
) -> None:
    table = generated(bench, name, ROWS, folder)
    assert table.num_rows == ROWS
    assert table.column_names == [*bench["shapes"].QUASI_IDENTIFIERS, "sensitive"]
    assert table.num_columns == 9
    assert not any(column.null_count for column in table.columns)


@pytest.mark.parametrize(
    ("name", "key_type", "sensitive_type", "values"),
    [
        ("text", pa.string(), pa.string(), 20),
        ("unique", pa.string(), pa.string(), 20),
        ("integer", pa.int64(), pa.string(), 20),
        ("skewed", pa.string(), pa.string(), 10),
        ("numeric", pa.string(), pa.int64(), 1_265),
    ],
)
def test_columns_have_the_types_and_values_of_the_shape(
    bench: dict[str, ModuleType],
    folder: Path,
    name: str,
    key_type: pa.DataType,
    sensitive_type: pa.DataType,
    values: int,
) -> None:
    table = generated(bench, name, ROWS, folder)
    assert {column.type for column in table.columns[:-1]} == {key_type}
    sensitive = table.column("sensitive")
    assert sensitive.type == sensitive_type
    # 2,000 draws from 2,000 numbers meet 1 - 1/e of them.
    assert len(sensitive.unique()) == pytest.approx(values, rel=0.05)


def test_nearly_every_row_of_unique_is_its_own_class(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    table = generated(bench, "unique", ROWS, folder)
    keys = list(bench["shapes"].QUASI_IDENTIFIERS)
    classes = table.group_by(keys).aggregate([]).num_rows
    assert 0.97 * ROWS < classes < ROWS


def test_skewed_has_suppressed_rows_and_a_class_far_above_the_average(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    table = generated(bench, "skewed", ROWS, folder)
    keys = list(bench["shapes"].QUASI_IDENTIFIERS)
    sizes = table.group_by(keys).aggregate([([], "count_all")]).to_pylist()
    suppressed = [row["count_all"] for row in sizes if all(row[key] == "*" for key in keys)]
    assert suppressed == [pytest.approx(0.02 * ROWS, rel=0.5)]
    others = [row["count_all"] for row in sizes if row["sex"] != "*"]
    assert max(others) > 5 * ROWS / len(sizes)


def test_smaller_table_is_the_beginning_of_the_larger(
    bench: dict[str, ModuleType], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench["shapes"], "BLOCK", 300)
    large = generated(bench, "text", 700, folder)
    assert generated(bench, "text", 400, folder).equals(large.slice(0, 400))
    assert not large.slice(300, 300).equals(large.slice(0, 300))


def test_table_is_reused_until_its_parameters_change(
    bench: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes = bench["shapes"]
    chosen = shapes.shape("integer")
    path = shapes.table_file(chosen, 50, tmp_path)
    before = path.read_bytes()
    path.write_bytes(b"kept")
    assert shapes.table_file(chosen, 50, tmp_path).read_bytes() == b"kept"
    monkeypatch.setattr(shapes, "VERSION", shapes.VERSION + 1)
    assert shapes.table_file(chosen, 50, tmp_path).read_bytes() == before


def test_half_written_table_is_not_reused(bench: dict[str, ModuleType], tmp_path: Path) -> None:
    shapes = bench["shapes"]
    (tmp_path / "integer-50.parquet").write_bytes(b"half")
    path = shapes.table_file(shapes.shape("integer"), 50, tmp_path)
    assert pq.read_table(path).num_rows == 50


def test_report_holds_every_contender_at_both_sizes(
    bench: dict[str, ModuleType], report: dict[str, Any]
) -> None:
    shape = report["shapes"]["text"]
    contenders = list(bench["worker"].CONTENDERS)
    assert shape["rows"] == ROWS
    assert list(shape["runs"]) == contenders
    assert list(shape["small_runs"]) == contenders
    assert {len(value) for value in shape["runs"].values()} == {1}


def test_measurements_are_positive_and_memory_includes_the_idle_process(
    report: dict[str, Any],
) -> None:
    runs = [value[0] for value in report["shapes"]["text"]["runs"].values()]
    assert all(run["seconds"] > 0 and run["cpu_seconds"] > 0 for run in runs)
    assert all(run["threads"] == runs[0]["threads"] for run in runs)
    known = [run for run in runs if run["peak_bytes"] is not None]
    assert all(run["peak_bytes"] >= run["idle_bytes"] > 0 for run in known)


def test_contenders_counted_the_same_classes(report: dict[str, Any]) -> None:
    runs = {name: entry[0]["figures"] for name, entry in report["shapes"]["text"]["runs"].items()}
    assert runs["bare DuckDB"] == runs["class histogram"]
    assert runs["t-closeness"]["classes"] == runs["bare DuckDB"]["classes"]
    assert runs["Profitability"]["rows"] == ROWS


def test_report_checks_time_growth_and_memory_of_each_measure(report: dict[str, Any]) -> None:
    measures = ["class histogram", "Profitability", "t-closeness"]
    result = {(check["where"], check["what"]): check for check in report["checks"]}
    times = [("text", f"{measure}, time") for measure in measures]
    growth = [("growth x10", f"{measure}, time") for measure in measures]
    assert {result[key]["target"] for key in times} == {1.3, 2.0}
    assert {result[key]["target"] for key in growth} == {11.0}
    assert all(check["low"] <= check["ratio"] <= check["high"] for check in result.values())


def test_report_names_machine_versions_and_what_was_left_out(report: dict[str, Any]) -> None:
    assert report["machine"]["cores"] >= 1
    assert {"python", "duckdb", "narwhals", "pyarrow"} <= set(report["versions"])
    assert report["pycanon"] == report["mpuccs"] == {}
    why = {entry["what"]: entry["why"] for entry in report["left_out"]}
    assert {why[part] for part in ("mpuccs", "pycanon", "anonymeter", "growth")} == {
        "not asked for"
    }
    assert why["large"] == why["shapes"] == "short"


def test_numbers_of_many_values_take_the_ordered_distance(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    shapes, worker = bench["shapes"], bench["worker"]
    path = str(shapes.table_file(shapes.shape("numeric"), ROWS, folder))
    result = worker.t_closeness(path, shapes.QUASI_IDENTIFIERS, shapes.SENSITIVE)
    assert result["distance"] == "ordered"


@pytest.mark.parametrize(
    ("value", "at_most", "passed"),
    [(1.3, True, True), (1.31, True, False), (20.0, False, True), (19.9, False, False)],
)
def test_target_itself_passes_in_both_directions(
    bench: dict[str, ModuleType], value: float, at_most: bool, passed: bool
) -> None:
    target = 1.3 if at_most else 20.0
    spread = ratio(bench, value, value, value)
    assert bench["checks"].Check("text", "time", spread, target, at_most).passed is passed


def test_rounds_on_both_sides_of_the_target_are_pointed_out(bench: dict[str, ModuleType]) -> None:
    check = bench["checks"].Check
    assert "rounds disagree" in check("text", "time", ratio(bench, 1.2, 1.1, 1.4), 1.3).row()
    assert "rounds disagree" not in check("text", "time", ratio(bench, 1.2, 1.1, 1.25), 1.3).row()


@pytest.mark.parametrize(
    ("rows", "flags", "code"), [("5000000", [], 1), ("5000000", ["--no-gate"], 0), ("2000", [], 0)]
)
def test_only_a_full_run_fails_on_a_missed_target(
    bench: dict[str, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    rows: str,
    flags: list[str],
    code: int,
) -> None:
    missed = bench["checks"].Check("text", "time", ratio(bench, 9.0, 9.0, 9.0), 1.3)

    measuring = {"generated": lambda _, found: found.checks.append(missed)}
    monkeypatch.setattr(bench["run"], "_MEASURING", measuring)
    arguments = ["--rows", rows, "--only", "generated", *flags]
    assert bench["run"].main(arguments) == code


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        ({"classes": 8, "largest": 3, "t": 0.5, "rows": 10}, "differ in 'classes'"),
        ({"classes": 7, "largest": 3, "t": 0.5, "rows": 9}, "10 rows were to be counted"),
    ],
)
def test_contenders_that_disagree_end_the_run(
    bench: dict[str, ModuleType], figures: dict[str, Any], message: str
) -> None:
    measurement = bench["measuring"].Measurement
    right = {"classes": 7, "largest": 3, "t": 0.5, "rows": 10}
    runs = {
        name: [measurement(1.0, 1.0, None, None, 2, entry)]
        for name, entry in {"bare DuckDB": right, "class histogram": figures}.items()
    }
    with pytest.raises(bench["measuring"].BenchError, match=message):
        bench["generated"].check_agreement(runs, 10)


def test_failing_contender_is_exit_code_two(
    bench: dict[str, ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bench["generated"], "CONTENDERS", {"nobody": None})
    arguments = ["--rows", "50", "--shapes", "integer", "--data", str(tmp_path)]
    arguments += ["--only", "generated"]
    assert bench["run"].main(arguments) == 2
    assert "nobody failed" in capsys.readouterr().err


def test_pycanon_that_cannot_be_installed_is_said_and_the_run_goes_on(
    bench: dict[str, ModuleType], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    python, reason = bench["adult"].pycanon_python(blocked / "environment")
    assert python is None
    assert reason


def test_petaudit_side_of_the_adult_comparison_runs(
    bench: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With petaudit in both places, only the speed of pyCANON is missing."""
    real = bench["measuring"].run_worker

    def only_petaudit(script: str, job: dict[str, Any], python: str) -> dict[str, Any]:
        return real(script, job | {"contender": "petaudit", "runs": 1}, python)

    monkeypatch.setattr(bench["measuring"], "run_worker", only_petaudit)
    result = bench["adult"].compare(bench["adult"].TABLES[0], sys.executable, 1, tmp_path)
    assert result.values["pyCANON"] == pytest.approx(0.764803395000332)
    assert result.check.target == 20
    entry = result.comparison()
    assert list(entry.runs) == ["pyCANON", "petaudit", "petaudit, from the file"]
    assert entry.facts["t"] == result.values["pyCANON"]


def test_report_holds_the_audit_cold_warm_and_measure_by_measure(report: dict[str, Any]) -> None:
    sharing = report["audit"]["sharing"]
    [alone] = sharing["alone"]
    expected = {"k-anonymity", "t-closeness", "profitability", "precision", "non-uniform-entropy"}
    assert expected <= set(alone)
    assert not {"mpuccs", "model-utility", "utility-bias"} & (
        set(alone) | set(sharing["not_measured"])
    )
    assert all(value > 0 for value in [*sharing["cold"], *sharing["warm"], *alone.values()])


def test_report_holds_the_audit_of_the_generated_table(report: dict[str, Any]) -> None:
    runs = report["audit"]["text"]["runs"]
    [bare], [audit] = runs["bare DuckDB"], runs["complete audit"]
    assert audit["classes"] == bare["classes"]
    assert audit["rows"] == ROWS
    # Nothing that needs the original or hierarchies can run there.
    assert {"k-anonymity", "t-closeness", "profitability"} <= set(audit["measures"])
    assert not {"precision", "non-uniform-entropy"} & set(audit["measures"])
    assert set(audit["alone"]) == set(audit["measures"])


def test_report_checks_what_sharing_seconds_and_the_bare_query_are_to_be(
    report: dict[str, Any],
) -> None:
    result = {
        (check["where"], check["what"]): (check["target"], check["is_gate"])
        for check in report["checks"]
        if "audit" in f"{check['where']} {check['what']}"
    }
    assert result == {
        ("complete audit, Adult", "audit / dearest measure, CPU"): (3.0, True),
        ("complete audit, Adult", "CPU seconds, warm"): (1.5, True),
        ("complete audit, Adult", "CPU seconds, first of a process"): (1.5, False),
        ("text", "complete audit, CPU"): (6.0, True),
    }


def test_measures_get_the_stakes_and_the_population_that_they_ask_for(
    bench: dict[str, ModuleType],
) -> None:
    measures = {entry.name: entry for entry in bench["complete_audit"].all_measures().values()}
    job = bench["complete_audit"].audit_job("sharing", "complete audit", {}, 100)
    assert set(job["options"]["profitability"]) == {"cost", "gain", "loss", "benefit"}
    asked = [
        name
        for name in job["measures"]
        if any(entry.name == "population_size" for entry in measures[name].options)
    ]
    assert all(job["options"][name]["population_size"] == 1000 for name in asked)
    for name, entry in job["options"].items():
        measures[name].check_options(entry)


def test_dearest_measure_is_that_of_each_round(bench: dict[str, ModuleType]) -> None:
    rounds = [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 2.0}]
    result = bench["complete_audit"].Sharing([9.0, 9.0], [4.0, 9.0], rounds, {})
    assert result.dearest == [2.0, 3.0]
    ratio = result.checks()[0].ratio
    assert (ratio.low, ratio.high) == (2.0, 3.0)


def test_petaudit_side_of_the_comparison_with_pycanons_report_runs(
    bench: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With petaudit in both places, only the speed of pyCANON is missing."""
    real = bench["measuring"].run_worker

    def only_petaudit(script: str, job: dict[str, Any], python: str) -> dict[str, Any]:
        return real(script, job | {"contender": "petaudit", "runs": 1}, python)

    audits = bench["complete_audit"]
    monkeypatch.setattr(audits, "run_worker", only_petaudit)
    result = audits.measure_against_pycanon(sys.executable, tmp_path)
    # What pyCANON 1.3.6 reports for the same frame.
    theirs = {"k-anonymity": 1, "l-diversity": 1, "t-closeness": 0.9995358397984218}
    theirs |= {"alpha-k-anonymity": 1, "beta-likeness": 2153.4285714285716}
    audits.check_figures(theirs, result.figures["petaudit"])
    [check] = result.checks()
    assert (check.target, check.at_most) == (30, False)


@pytest.mark.parametrize(
    ("ours", "message"),
    [({"k-anonymity": 2.0}, "k-anonymity is 3.0 for pyCANON"), ({}, "not in the audit")],
)
def test_reports_that_disagree_end_the_run(
    bench: dict[str, ModuleType], ours: dict[str, float], message: str
) -> None:
    with pytest.raises(bench["measuring"].BenchError, match=message):
        bench["complete_audit"].check_figures({"k-anonymity": 3.0}, ours)


@pytest.mark.parametrize(
    "name",
    [
        *("checks", "comparison", "complete_audit", "growth", "growth_fit", "measuring"),
        *("page_sections", "plots", "reduced"),
    ],
)
def test_examples_in_the_docstrings_hold(bench: dict[str, ModuleType], name: str) -> None:
    result = doctest.testmod(bench[name])
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    "bad",
    [
        ["--rows", "0"],
        ["--rows", "5"],
        ["--shapes", "round"],
        ["--petsard", "--without", "petsard"],
        ["--profile", "--only", "growth"],
        ["--only", "everything"],
        ["--full", "--quick"],
    ],
)
def test_bad_options_are_refused(bench: dict[str, ModuleType], bad: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        bench["run"].main(bad)
    assert stopped.value.code == 2
