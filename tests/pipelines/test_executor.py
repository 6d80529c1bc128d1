"""The Executor in Python: results, timing, events, logs, and the document that it leaves."""

from __future__ import annotations

import json
import logging
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import InputError, OptionError
from petaudit.pipelines.events import Event

ROWS = "zip;age;ill\n" + "\n".join(f"{row % 3};{20 + row % 5};{'ab'[row % 2]}" for row in range(20))
TWO_BY_TWO = """\
Loader:
  a: {filepath: t.csv}
Splitter:
  s: {num_samples: 2, train_split_ratio: 0.5, random_state: 7}
Synthesizer:
  g: {method: independent, random_state: 3}
  i: {method: gaussian-copula}
Evaluator:
  m: {method: mpuccs, profile: public}
  n: {method: mpuccs, max_baseline_cols: 1, seed: 5}
Reporter:
  r: {method: save_report}
"""
ONE = """\
Loader: {a: {filepath: t.csv}}
Evaluator:
  e:
    {method: t-closeness, limit: 0.5,
     roles: {quasi_identifier: zip, sensitive_attribute: ill}}
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PETAUDIT_DEBUG", raising=False)
    Path("t.csv").write_text(ROWS)


def test_a_path_and_its_text_are_the_same_pipeline() -> None:
    Path("a.yaml").write_text(ONE)
    values = set()
    for given in (ONE, "a.yaml", Path("a.yaml")):
        executor = petaudit.Executor(given)
        assert not executor.is_execution_completed()
        with pytest.raises(InputError, match="has not run yet"):
            executor.get_result()
        assert executor.run() == "passed"
        assert executor.is_execution_completed()
        values.add(executor.get_result()["Loader[a]_Evaluator[e]"].value)
    assert len(values) == 1
    assert sorted(path.name for path in Path().iterdir()) == ["a.yaml", "t.csv"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("missing.yaml", "does not exist"),
        ("no pipeline", "neither a file nor YAML text"),
        ("Loader: [", "line 1"),
        (7, "must be a path or YAML text"),
    ],
)
def test_what_is_neither_is_refused(given: Any, words: str) -> None:
    with pytest.raises(petaudit.PetauditError, match=words):
        petaudit.Executor(given)


@pytest.mark.parametrize(
    ("frame", "kind"), [("pyarrow", pa.Table), ("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_results_and_timing_are_tables(frame: str, kind: type) -> None:
    executor = petaudit.Executor(TWO_BY_TWO, out="out", frame=frame)
    executor.run()
    assert len(executor.get_result()) == 8
    for run in executor.get_result().values():
        for name in run:
            assert isinstance(run[name], kind)
        with pytest.raises(KeyError):
            run["columnwise"]
    timing = executor.get_timing()
    assert isinstance(timing, kind)
    rows = pa.Table.from_pylist(executor.document["timings"]["steps"]).to_pandas()
    given = timing.to_pandas() if hasattr(timing, "to_pandas") else timing
    assert list(given.columns) == list(rows.columns)
    assert (
        list(given["step"])
        == ["read"] + (["split"] + ["synthesize", "evaluate", "evaluate"] * 2) * 2
    )
    assert (given["duration_seconds"] > 0).all()
    for start, end in zip(given["start_time"], given["end_time"], strict=True):
        assert datetime.fromisoformat(start) <= datetime.fromisoformat(end)


def test_an_unknown_frame_is_refused() -> None:
    with pytest.raises(OptionError, match="pyarrow, pandas or polars"):
        petaudit.Executor(ONE, frame="dask")


def test_events_tell_what_happens_in_order() -> None:
    heard: list[Event] = []
    executor = petaudit.Executor(TWO_BY_TWO, out="out", listener=heard.append)
    verdict = executor.run()
    wanted: list[tuple[str, str]] = [("step", "Loader a"), ("started", "")]
    for sample in ("s_[2-1]", "s_[2-2]"):
        wanted.append(("step", f"Splitter {sample}"))
        for maker in "gi":
            wanted.append(("step", f"Synthesizer {maker}"))
            for measure in "mn":
                wanted += [("step", f"Evaluator {measure}"), ("result", f"Evaluator {measure}")]
    wanted += [("written", name) for name in executor.file_names]
    wanted.append(("finished", ""))
    assert [
        (entry.kind, entry.file or f"{entry.module} {entry.experiment}".strip()) for entry in heard
    ] == (wanted)
    results = [entry for entry in heard if entry.kind == "result"]
    assert [entry.run for entry in results] == list(executor.get_result())
    assert [entry.status for entry in results] == [
        entry["status"] for entry in executor.document["results"]
    ]
    assert {entry.total for entry in heard} == {8}
    counted = [entry.done for entry in heard]
    assert counted == sorted(counted)
    assert (heard[0].done, heard[-1].done, heard[-1].status) == (0, 8, verdict)


@pytest.mark.parametrize("kind", ["step", "started", "result", "written", "finished"])
@pytest.mark.parametrize("problem", [RuntimeError, BrokenPipeError, InputError, KeyboardInterrupt])
def test_what_a_listener_raises_reaches_the_caller(kind: str, problem: type) -> None:
    """It is no failure of a measure, and no table that cannot be read."""
    raised = problem("of mine")

    def listen(event: Event) -> None:
        if event.kind == kind and event.module != "Loader":
            raise raised

    executor = petaudit.Executor(TWO_BY_TWO, out="out", listener=listen)
    with pytest.raises(problem) as caught:
        executor.run()
    assert caught.value is raised
    # The folder can be used again at once.
    again = petaudit.Executor(TWO_BY_TWO, out="out", resume=True)
    assert again.run() == "failed"


def test_it_can_run_twice() -> None:
    executor = petaudit.Executor(TWO_BY_TWO, out="out")
    executor.run()
    first = json.loads(Path("out/result.json").read_text())
    executor.run()
    second = json.loads(Path("out/result.json").read_text())
    for entry in (first, second):
        assert len(entry.pop("timings")["steps"]) > 0
    assert first == second


ENTRY: dict[str, Any] = {
    "run": str, "modules": dict, "measure": str, "status": str, "figure": str,
    "value": (float, bool), "limit": (float, type(None)), "limit_exact": (str, type(None)),
    "strict": bool, "conditions": list,
    "profile": (str, type(None)), "better": str, "lower_bound": bool, "reason": (str, type(None)),
    "explanation": list, "warnings": list, "details": dict, "pictures": list, "breaches": list,
    "options": dict, "steps": dict, "suppressed": str, "roles": dict,
    "columns": (dict, type(None)), "person": (str, type(None)),
    "hierarchies": (dict, type(None)), "seeds": dict, "comparison": (dict, type(None)),
}  # fmt: skip


def test_the_document_has_these_keys_and_no_others() -> None:
    Path("b.yaml").write_text(TWO_BY_TWO)
    executor = petaudit.Executor("b.yaml", out="out", overrides=["Evaluator.n.seed=6"])
    executor.run()
    result = json.loads(Path("out/result.json").read_text(encoding="utf-8"))
    assert result == executor.document
    assert list(result) == [
        *("document", "petaudit", "command", "verdict", "exit_code", "problems"),
        *("open_questions", "strict", "configuration", "compare_to", "files", "policies"),
        *("inputs", "results", "left_out", "breaches", "errors", "warnings", "what_to_do"),
        *("texts", "timings"),
    ]
    assert (result["document"], result["petaudit"]) == ("petaudit.result/2", petaudit.__version__)
    assert (result["verdict"], result["exit_code"]) == ("failed", 1)
    configuration = result["configuration"]
    assert set(configuration) == {
        *("name", "sha256", "effective_sha256", "set", "only", "runs_left_out")
    }
    assert (configuration["name"], configuration["set"]) == ("b.yaml", ["Evaluator.n.seed=6"])
    [given] = result["inputs"].items()
    assert given[0] == "Loader[a]"
    assert set(given[1]) == {"name", "rows", "columns", "engine", "sha256"}
    assert given[1]["engine"] == "duckdb"
    assert (given[1]["rows"], given[1]["columns"]) == (20, ["zip", "age", "ill"])
    assert re.fullmatch("[0-9a-f]{64}", given[1]["sha256"])
    for entry in result["results"]:
        assert list(entry) == list(ENTRY)
        for name, kind in ENTRY.items():
            assert isinstance(entry[name], kind), name
    assert result["results"][1]["seeds"] == {"Splitter": 7, "Synthesizer": 3, "Evaluator": 6}
    assert result["results"][0]["strict"] is True
    breach = {"kind", "run", "measure", "profile", "value", "limit", "limit_exact"}
    breach |= {"rule", "conditions", "line"}
    assert [set(entry) for entry in result["breaches"]] == [breach] * 4
    assert {entry["line"] for entry in result["breaches"]} == {9}
    assert result["errors"] == []
    assert set(result["timings"]) == {"steps", "stages"}
    steps = {"run", "module", "experiment", "step", "start_time", "end_time"}
    for step in result["timings"]["steps"]:
        assert set(step) == {*steps, "duration_seconds", "cpu_seconds"}


def test_no_absolute_path_is_in_the_document(tmp_path: Path) -> None:
    Path("sub").mkdir()
    Path("sub/a.yaml").write_text(
        f"Loader: {{a: {{filepath: ../t.csv}}, b: {{filepath: {tmp_path / 't.csv'}}}}}\n"
        + ONE.partition("\n")[2]
    )
    petaudit.Executor(tmp_path / "sub/a.yaml", out=tmp_path / "out").run()
    text = Path("out/result.json").read_text()
    assert str(tmp_path) not in text
    assert '"name": "../t.csv"' in text
    assert '"name": "t.csv"' in text


def test_no_absolute_path_is_in_a_reason(tmp_path: Path) -> None:
    Path("h").mkdir()
    Path("h/hierarchy_zip.csv").write_text("0;*\n1;*\n")
    text = "Loader: {a: {filepath: t.csv, hierarchies: h, roles: {quasi_identifier: zip}}}\n"
    executor = petaudit.Executor(f"{text}Evaluator: {{p: {{method: precision}}}}\n", out="out")
    assert executor.run() == "error"
    result = Path("out/result.json").read_text()
    assert "its hierarchy (h/hierarchy_zip.csv)" in result
    assert str(tmp_path) not in result


def test_the_hash_of_the_configuration_follows_its_content() -> None:
    def hashes(text: str, *changes: str) -> tuple[str, str]:
        executor = petaudit.Executor(text, overrides=changes)
        executor.run()
        entry = executor.document["configuration"]
        return entry["sha256"], entry["effective_sha256"]

    plain, commented = hashes(ONE), hashes(f"# why\n{ONE}")
    changed, overridden = hashes(ONE.replace("0.5", "0.6")), hashes(ONE, "Evaluator.e.limit=0.6")
    assert plain[0] != commented[0]
    assert plain[1] == commented[1]
    assert plain[1] != changed[1]
    assert plain[0] == overridden[0]
    assert changed[1] == overridden[1]


def logged(more: str, text: str = ONE) -> str:
    return f"Executor: {{{more}}}\n{text}"


def test_the_log_is_written_into_the_results() -> None:
    Path("sub").mkdir()
    Path("sub/t.csv").write_text(ROWS)
    Path("sub/a.yaml").write_text(logged("log_dir: logs, log_filename: 'l_{timestamp}.log'"))
    petaudit.Executor("sub/a.yaml").run()
    [path] = Path("a-results/logs").iterdir()
    assert re.fullmatch(r"l_\d{8}_\d{6}\.log", path.name)
    lines = path.read_text().splitlines()
    assert [line.split(maxsplit=2)[2] for line in lines] == [
        "INFO 1 run",
        "INFO Loader[a]_Evaluator[e]: passed",
        "INFO wrote result.json",
        "INFO finished: passed",
    ]


def test_the_level_decides_what_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    petaudit.Executor(logged("log_output_type: stdout, log_level: DEBUG")).run()
    said = capsys.readouterr()
    assert "DEBUG Evaluator[e] of Loader[a]_Evaluator[e]" in said.out
    assert said.err == ""
    petaudit.Executor(logged("log_output_type: stdout, log_level: ERROR")).run()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("where", ["stdout", "both", "file"])
def test_in_the_shell_the_result_is_all_of_standard_output(
    where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.yaml").write_text(logged(f"log_output_type: {where}, log_filename: a.log"))
    assert main(["run", "a.yaml", "--format", "json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["document"] == "petaudit.result/2"
    assert ("INFO finished: passed" in said.err) == (where != "file")
    assert Path("a-results/a.log").exists() == (where != "stdout")


def test_a_log_is_never_appended_to_something_else() -> None:
    path = Path("petaudit-results/a.log")
    path.parent.mkdir()
    path.write_text(ROWS)
    executor = petaudit.Executor(logged("log_filename: a.log"))
    with pytest.raises(InputError, match=r"'.*a\.log' is not a log"):
        executor.run()
    assert path.read_text() == ROWS
    path.unlink()
    for _ in range(2):
        petaudit.Executor(logged("log_filename: a.log")).run()
    assert len(path.read_text().splitlines()) == 8


def test_what_stops_a_run_is_in_the_log_and_logging_is_left_as_it_was() -> None:
    logger = logging.getLogger("petaudit.pipelines")
    before = (list(logger.handlers), logger.level, logger.propagate)
    text = logged("log_filename: a.log")
    Path("taken").write_text("no folder")
    with pytest.raises(petaudit.PetauditError, match="is not a folder"):
        petaudit.Executor(text, out="taken").run()
    assert not Path("petaudit-results").exists()  # nothing had begun

    def stop(event: Event) -> None:
        if event.kind == "result":
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        petaudit.Executor(text, listener=stop).run()
    assert (
        "ERROR stopped: the listener failed (ValueError)"
        in Path("petaudit-results/a.log").read_text()
    )
    assert (list(logger.handlers), logger.level, logger.propagate) == before
