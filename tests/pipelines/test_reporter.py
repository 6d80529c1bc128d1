"""The Reporter: which files there are, and that every format says the same."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit.errors import ManyProblemsError

ORIGINAL = "name;=age;@city\nann;31;Rome\nbob;32;Rome\ncyd;33;Oslo\n=1+1;34;-Oslo\n"
SYNTHETIC = "name;=age;@city\nann;41;Rome\nxxx;32;Oslo\nyyy;55;Oslo\n=1+1;56;Rome\n"
TABLES = """
Loader:
  t: {filepath: original.csv}
Synthesizer:
  given: {method: custom_data, filepath: synthetic.csv}
  copied: {method: custom_data, filepath: original.csv}
"""
EVALUATORS = """
Evaluator:
  risk: {method: mpuccs, limit: 0.6}
  close: {method: t-closeness, roles: {quasi_identifier: "@city", sensitive_attribute: "=age"}}
"""
RUNS = ["Loader[t]_Synthesizer[given]", "Loader[t]_Synthesizer[copied]"]
GLOBAL = [
    *("privacy_risk_score", "overall_protection", "main_protection", "baseline_protection"),
    *("identification_rate", "total_identified", "total_syn_records"),
]
DETAILS = [
    *("risk_level", "syn_idx", "ori_idx", "combo_size", "field_combo", "value_combo"),
    *("baseline_protection", "syn_row", "ori_row"),
]
FORMATS = ["csv", "parquet", "json"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("original.csv").write_text(ORIGINAL)
    Path("synthetic.csv").write_text(SYNTHETIC)


def reported(reporter: str, tables: str = TABLES, **more: Any) -> petaudit.Executor:
    executor = petaudit.Executor(
        f"{tables}{EVALUATORS}Reporter:\n  r: {{{reporter}}}\n", out="out", **more
    )
    shutil.rmtree("out", ignore_errors=True)
    executor.run()
    assert executor.messages == {}
    written = sorted(path.name for path in Path("out").iterdir())
    assert written == sorted(executor.file_names)
    return executor


def read_csv(name: str) -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def read_json(name: str) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = json.loads(Path(name).read_text(encoding="utf-8"))
    return result


def read_parquet(name: str) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = pq.read_table(name).to_pylist()
    return result


READ: dict[str, Callable[[str], list[dict[str, Any]]]] = {
    "csv": read_csv, "json": read_json, "parquet": read_parquet,
}  # fmt: skip


@pytest.mark.parametrize("format_name", FORMATS)
def test_files_are_named_by_evaluator_and_granularity(format_name: str) -> None:
    result = reported(
        f"method: save_report, output: mine, granularity: [summary, global, details, tree, changes,"
        f" columnwise], format: {format_name}"
    )
    assert result.file_names == [
        *(
            f"mine_{name}.{format_name}"
            for name in (
                *("summary", "risk_global", "close_global", "risk_details", "close_details"),
                *("risk_tree", "risk_changes", "close_columnwise"),
            )
        ),
        "result.json",
    ]
    assert result.document["files"] == result.file_names[:-1]


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize(("granularity", "columns"), [("global", GLOBAL), ("details", DETAILS)])
def test_the_run_comes_first_and_then_the_columns_of_the_seed(
    format_name: str, granularity: str, columns: list[str]
) -> None:
    reported(f"method: save_report, eval: risk, granularity: {granularity}, format: {format_name}")
    rows = READ[format_name](f"out/petaudit_risk_{granularity}.{format_name}")
    assert [list(row) for row in rows] == [["run", *columns]] * len(rows)
    names = [f"{run}_Evaluator[risk]" for run in RUNS]
    assert list(dict.fromkeys(row["run"] for row in rows)) == names
    if granularity == "global":
        assert len(rows) == 2
        assert [int(row["total_identified"]) for row in rows] == [3, 4]


@pytest.mark.parametrize("granularity", ["summary", "global", "details", "tree", "changes"])
def test_all_formats_say_the_same(granularity: str) -> None:
    tables = {}
    for format_name in FORMATS:
        reported(f"method: save_report, granularity: {granularity}, format: {format_name}")
        middle = "" if granularity == "summary" else "_risk"
        tables[format_name] = READ[format_name](f"out/petaudit{middle}_{granularity}.{format_name}")
    assert len(tables["json"]) > 0

    def plain(value: Any) -> Any:
        """JSON has lists of its own; the other formats hold them as text."""
        return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value

    as_json = [{key: plain(value) for key, value in row.items()} for row in tables["json"]]
    assert as_json == tables["parquet"]
    for text, row in zip(tables["csv"], tables["parquet"], strict=True):
        assert list(text) == list(row)
        for key, value in row.items():
            cell = text[key]
            if value is None:
                assert cell == ""
            elif isinstance(value, bool):
                assert cell == str(value)
            elif isinstance(value, float | int):
                assert float(cell) == value
            else:
                assert cell.removeprefix("'") == value


def test_lists_are_json_and_values_only_if_asked_for() -> None:
    options = "method: save_report, eval: risk, granularity: details"
    reported(options)
    rows = read_csv("out/petaudit_risk_details.csv")
    assert {row["value_combo"] for row in rows} == {""}
    assert [json.loads(row["field_combo"]) for row in rows][1:3] == [["name"], ["=age"]]
    reported(options, reveal_values=True)
    rows = read_csv("out/petaudit_risk_details.csv")
    assert [json.loads(row["value_combo"]) for row in rows][:3] == [["ann"], ["=1+1"], [32]]
    reported(f"{options}, format: json", reveal_values=True)
    lists = [row["value_combo"] for row in read_json("out/petaudit_risk_details.json")]
    assert lists[:3] == [["ann"], ["=1+1"], [32]]


def test_a_spreadsheet_runs_nothing() -> None:
    reported("method: save_data, source: [Loader, Synthesizer]")
    text = Path("out/petaudit_Loader[t].csv").read_text()
    assert text.splitlines()[0] == "name;'=age;'@city"
    assert text.splitlines()[4] == "'=1+1;34;'-Oslo"
    reported("method: save_report, granularity: columnwise")
    [first, *_] = read_csv("out/petaudit_close_columnwise.csv")
    assert first["attribute"] == "'=age"
    # Programs get what is there.
    reported("method: save_report, granularity: columnwise, format: json")
    assert read_json("out/petaudit_close_columnwise.json")[0]["attribute"] == "=age"
    reported("method: save_data, source: Loader, format: parquet")
    assert pq.read_schema("out/petaudit_Loader[t].parquet").names == ["name", "=age", "@city"]


def test_columns_of_all_runs_are_there() -> None:
    """A control adds columns; a run without one has nulls in them."""
    Path("control.csv").write_text(ORIGINAL.replace("ann", "zoe"))
    tables = """
Splitter:
  alone: {method: custom_data, filepath: {ori: original.csv}}
  with: {method: custom_data, filepath: {ori: original.csv, control: control.csv}}
Synthesizer:
  given: {method: custom_data, filepath: synthetic.csv}
"""
    reported("method: save_report, eval: risk, format: json", tables)
    alone, with_control = read_json("out/petaudit_risk_global.json")
    extra = ["control_identification_rate", "excess_risk", "excess_risk_ci_lower"]
    extra.append("excess_risk_ci_upper")
    assert list(alone) == list(with_control) == ["run", *GLOBAL, *extra]
    assert [alone[name] for name in extra] == [None] * 4
    assert with_control["control_identification_rate"] == 0.5


def test_the_summary_has_a_row_per_run_with_its_verdict() -> None:
    executor = reported("method: save_report, granularity: summary, format: json")
    rows = read_json("out/petaudit_summary.json")
    assert list(rows[0]) == [
        *("run", "Loader", "Splitter", "Synthesizer", "Anonymizer", "Evaluator"),
        *("measure", "figure", "value", "better", "limit", "profile", "status"),
        *("previous", "reason"),
    ]
    results = executor.document["results"]
    for name in ("run", "measure", "value", "limit", "status"):
        assert [row[name] for row in rows] == [result[name] for result in results]
    assert [row["status"] for row in rows] == ["failed", "measured"] * 2
    assert [row["Synthesizer"] for row in rows] == ["given", "given", "copied", "copied"]
    assert {row["Splitter"] for row in rows} == {None}
    assert executor.get_summary().to_pylist() == rows
    reported("method: save_report, granularity: summary, eval: [close], format: json")
    chosen = read_json("out/petaudit_summary.json")
    assert [row["measure"] for row in chosen] == ["t-closeness"] * 2


@pytest.mark.parametrize(("unit", "seconds"), [("seconds", 1), ("minutes", 60), ("days", 86_400)])
def test_the_timing_has_a_row_per_step(unit: str, seconds: int) -> None:
    executor = reported(f"method: save_timing, time_unit: {unit}, format: json")
    rows = read_json("out/petaudit_timing.json")
    steps = executor.document["timings"]["steps"]
    assert list(rows[0]) == [
        *("run", "module", "experiment", "step", "start_time", "end_time"),
        *(f"duration_{unit}", f"cpu_{unit}"),
    ]
    assert [row["step"] for row in rows] == ["read"] * 3 + ["evaluate"] * 4
    for row, entry in zip(rows, steps, strict=True):
        assert row[f"duration_{unit}"] * seconds == pytest.approx(entry["duration_seconds"])
        assert row["start_time"] <= row["end_time"]
    reported("method: save_timing, module: [Evaluator], format: json")
    assert {row["module"] for row in read_json("out/petaudit_timing.json")} == {"Evaluator"}


@pytest.mark.parametrize(
    ("reporters", "words"),
    [
        ("a: {method: save_timing}\n  b: {method: save_timing}", "petaudit_timing.csv"),
        ("a: {method: save_timing}\n  b: {method: save_timing, output: PETaudit}", "timing.csv"),
        ("a: {method: save_report}\n  b: {method: save_report, eval: risk}", "_risk_global.csv"),
        ("a: {method: save_report, granularity: colunwise}", "did you mean 'columnwise'"),
        ("a: {method: save_report, granularity: tree, eval: close}", "gives a table 'tree'"),
        ("a: {method: save_report, eval: rsk}", "did you mean 'risk'"),
        ("a: {method: save_data, source: Splitter}", "no Splitter in the file"),
        ("a: {method: save_timing, output: ../up}", "output: '../up' is not a plain name"),
        ("a: {method: save_timing, output: 'a\\b'}", "output: 'a\\\\b' is not a plain name"),
        (f"a: {{method: save_timing, output: {'x' * 200}}}", "too long"),
        (f"a: {{method: save_timing, output: {'字' * 70}}}", "too long"),
    ],
)
def test_what_cannot_be_written_is_said_before_any_work(reporters: str, words: str) -> None:
    executor = petaudit.Executor(f"{TABLES}{EVALUATORS}Reporter:\n  {reporters}\n", out="out")
    with pytest.raises(ManyProblemsError) as caught:
        executor.run()
    assert words in str(caught.value)
    assert "line " in str(caught.value)
    assert not Path("out").exists()


def test_tables_of_people_are_saved_once_each() -> None:
    tables = TABLES.replace("Synthesizer:", "Splitter:\n  s: {num_samples: 2}\nSynthesizer:")
    # With a limit, rows that are drawn now would decide nothing about a table made before.
    no_limit = ["Evaluator.risk.limit=null"]
    sources = "method: save_data, source: [Loader, Splitter, Synthesizer]"
    executor = reported(sources, tables, overrides=no_limit)
    parts = [f"Loader[t]_Splitter[s_[2-{sample}]]" for sample in (1, 2)]
    assert executor.file_names[:-1] == [
        f"petaudit_{name}.csv"
        for name in (
            "Loader[t]",
            *(f"{entry}_{part}" for entry in parts for part in ("ori", "control")),
            *(f"{entry}_Synthesizer[{name}]" for entry in parts for name in ("given", "copied")),
        )
    ]
    saved = Path(f"out/petaudit_{parts[0]}_Synthesizer[given].csv").read_text()
    assert saved == SYNTHETIC.replace("=age;@city", "'=age;'@city").replace("=1+1", "'=1+1")
    rows = [
        line
        for part in ("ori", "control")
        for line in Path(f"out/petaudit_{parts[0]}_{part}.csv").read_text().splitlines()[1:]
    ]
    assert sorted(rows) == sorted(
        ORIGINAL.replace("=1+1", "'=1+1").replace("-O", "'-O").splitlines()[1:]
    )


def test_an_evaluator_that_failed_leaves_an_empty_table() -> None:
    for name, values in (("original", [1, 2]), ("synthetic", ["a", "b"])):
        pq.write_table(pa.table({"n": values}), f"{name}.parquet")
    executor = petaudit.Executor(
        TABLES.partition("  copied")[0].replace(".csv", ".parquet")
        + "Evaluator: {risk: {method: mpuccs}}\nReporter: {r: {method: save_report}}",
        out="out",
    )
    assert executor.run() == "error"
    assert read_csv("out/petaudit_risk_global.csv") == []
    assert executor.get_result()[f"{RUNS[0]}_Evaluator[risk]"].status == "error"
