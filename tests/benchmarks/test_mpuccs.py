"""The benchmarks of mpUCCs run: contenders agree, records are for the bundled tables.

No test looks at a time: those belong to `make bench`.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROWS = 400
FEW = 500
"""So many rows of Adult."""
MODULES = ["first_call", "measuring", "mpuccs", "mpuccs_worker", "pairs"]
MODULES += ["petsard_record", "petsard_worker", "pipeline_cost", "run", "shapes"]


@pytest.fixture(scope="module")
def bench() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        result = {name: importlib.import_module(name) for name in MODULES}
        # Tables are small here, and drawing half a million rows for each would take long.
        patch.setattr(result["shapes"], "BLOCK", 50_000)
        yield result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def few(bench: dict[str, ModuleType], folder: Path) -> Path:
    """The beginnings of the bundled tables, under their names."""
    for name in ("ori", "syn", "control"):
        table = pq.read_table(bench["pairs"].datasets.load(f"adult-income_{name}").path)
        pq.write_table(table.slice(0, FEW), folder / f"few_{name}")
    return folder


@pytest.fixture(scope="module")
def measured(bench: dict[str, ModuleType], few: Path) -> Any:
    """One round with up to two columns, in real processes."""
    with pytest.MonkeyPatch.context() as patch:
        pair = few / "few_ori", few / "few_syn"
        patch.setattr(bench["mpuccs"], "bundled_pair", lambda: pair)
        return bench["mpuccs"].measure(ROWS, 1, few, up_to=2)


def read(bench: dict[str, ModuleType], rows: int, folder: Path) -> tuple[pa.Table, pa.Table]:
    original, synthetic = bench["pairs"].generated_pair(rows, folder)
    return pq.read_table(original), pq.read_table(synthetic)


def test_generated_pair_has_the_columns_of_adult_and_five_more(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    tables = read(bench, ROWS, folder)
    for table, bundled in zip(tables, bench["pairs"].bundled_pair(), strict=True):
        schema = pq.read_schema(bundled)
        assert table.num_rows == ROWS
        assert table.num_columns == 20
        assert table.column_names[:15] == schema.names
        assert table.schema.types[:15] == schema.types
    assert tables[0].schema == tables[1].schema


def test_generated_values_are_those_of_the_bundled_tables_except_for_the_detailed_column(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    pairs = bench["pairs"]
    for table, path in zip(read(bench, ROWS, folder), pairs.bundled_pair(), strict=True):
        bundled = pq.read_table(path)
        for name in bundled.column_names:
            drawn = table.column(name)
            if name == pairs.DETAILED:
                drawn = pc.divide(drawn, pairs.FINER)
            assert pc.all(pc.is_in(drawn, bundled.column(name).combine_chunks())).as_py()


def test_detailed_column_stays_detailed_and_the_two_tables_differ(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    original, synthetic = read(bench, 50_000, folder)
    detailed = bench["pairs"].DETAILED
    assert len(original.column(detailed).unique()) > 0.9 * 50_000
    # Drawn with the same random numbers, further columns would be the same.
    assert not original.column("job").equals(synthetic.column("job"))


def test_half_a_generated_table_is_its_beginning(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    for half, whole in zip(read(bench, ROWS // 2, folder), read(bench, ROWS, folder), strict=True):
        assert half.equals(whole.slice(0, ROWS // 2))


def test_generated_pair_is_made_anew_when_the_bundled_one_changes(
    bench: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = bench["pairs"]
    path, _ = pairs.generated_pair(20, tmp_path)
    before = path.read_bytes()
    path.write_bytes(b"kept")
    assert pairs.generated_pair(20, tmp_path)[0].read_bytes() == b"kept"
    monkeypatch.setattr(pairs, "fingerprint", lambda: "another")
    assert pairs.generated_pair(20, tmp_path)[0].read_bytes() == before


def test_search_and_queries_counted_every_combination_of_adult(
    bench: dict[str, ModuleType], measured: Any
) -> None:
    mpuccs = bench["mpuccs"]
    [ours], [theirs] = measured.runs[mpuccs.ADULT], measured.runs[mpuccs.DUCKDB]
    assert ours.figures["combinations"] == theirs.figures["combinations"] == 120
    assert len(ours.figures["unique"]) == 120
    assert ours.figures["unique"] == theirs.figures["unique"]
    assert ours.figures["identified"] == sum(ours.figures["collisions"])
    assert ours.threads == theirs.threads


def test_time_is_shared_out_over_rows_of_both_tables_and_combinations(
    bench: dict[str, ModuleType], measured: Any
) -> None:
    assert measured.cells[bench["mpuccs"].ADULT] == 2 * FEW * 120
    assert measured.cells[measured.large] == 2 * ROWS * 210
    assert measured.cells[measured.half] == ROWS * 210


def test_search_is_part_of_the_whole_call(measured: Any) -> None:
    for value in measured.runs.values():
        for run in value:
            whole = run.figures.get("whole_seconds")
            assert whole is None or 0 < run.seconds < whole
            cpu = run.figures.get("whole_cpu_seconds")
            assert cpu is None or 0 < run.cpu_seconds < cpu


def test_checks_of_the_search_have_the_targets_of_the_issue(measured: Any) -> None:
    result = {(check.where, check.what): check for check in measured.checks()}
    targets = {key: (check.target, check.at_most) for key, check in result.items()}
    times = {
        ("mpUCCs, Adult", "DuckDB / petaudit, time"): (5.0, False),
        ("mpUCCs, large", "per row and combination / Adult, time"): (1.5, True),
        ("mpUCCs, growth x2", "whole call, time"): (2.5, True),
    }
    memory = {
        ("mpUCCs, large", "peak memory, GB"): (1.5, True),
        ("mpUCCs, growth x2", "memory over idle"): (2.1, True),
    }
    assert times.items() <= targets.items()
    assert targets.items() <= (times | memory).items()
    assert all(check.is_gate for check in result.values())


def test_result_is_plain_data_without_the_counts_of_each_combination(measured: Any) -> None:
    document = json.loads(json.dumps(measured.to_dict()))
    for entry in document["runs"].values():
        assert all(not isinstance(value, list) for value in entry[0]["figures"].values())
    text = measured.text()
    assert all(name in text for name in document["runs"])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"unique": [3, 4]}, "differ in the unique rows"),
        ({"pairs": [1, 2]}, "differ in the rows that are identified"),
        ({"pairs": [2, 0]}, "differ in the rows that are identified"),
        ({"threads": 1}, "2 threads against 1"),
    ],
)
def test_search_and_queries_that_disagree_end_the_run(
    bench: dict[str, ModuleType], changed: dict[str, Any], message: str
) -> None:
    def run(threads: int, **figures: Any) -> Any:
        return bench["measuring"].Measurement(1.0, 1.0, None, None, threads, figures)

    ours = run(2, unique=[3, 5], collisions=[2, 1])
    right = {"threads": 2, "unique": [3, 5], "pairs": [2, 3]}
    bench["mpuccs"].check_agreement([ours], [run(**right)])
    with pytest.raises(bench["measuring"].BenchError, match=message):
        bench["mpuccs"].check_agreement([ours], [run(**(right | changed))])


def test_search_that_was_not_complete_ends_the_run(
    bench: dict[str, ModuleType], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = bench["measuring"].Measurement(1.0, 1.0, None, None, 2, {"combinations": 119})
    mpuccs = bench["mpuccs"]
    monkeypatch.setattr(mpuccs, "interleaved", lambda jobs, *_: {name: [result] for name in jobs})
    with pytest.raises(bench["measuring"].BenchError, match="120 combinations were to be"):
        mpuccs.measure(ROWS, 1, folder, up_to=2)


def test_first_calls_are_measured_without_and_with_compiled_code(
    bench: dict[str, ModuleType], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "NUMBA_DISABLE_JIT", "1"
    )  # compiling takes seconds, and the form is the same
    first_call = bench["first_call"]
    monkeypatch.setattr(first_call, "UP_TO", 1)
    result = first_call.measure_first_calls(1, folder)
    gates = {check.what: (check.is_gate, check.target) for check in result.checks()}
    assert gates == {
        "extra seconds, compiled anew": (False, 3.0),
        "extra seconds, compiled code on disk": (True, 3.0),
    }
    assert [len(run["seconds"]) for [run] in result.to_dict().values()] == [2, 2]
    assert len(result.text().splitlines()) == 3


def test_extra_time_is_that_of_the_first_call_over_the_second(bench: dict[str, ModuleType]) -> None:
    runs = [{"seconds": [2.5, 0.5], "cpu_seconds": [1.5, 0.25]}]
    result = bench["first_call"].FirstCalls({"compiled anew": runs})
    assert result.extra_of("compiled anew") == [2.0]
    assert result.extra_of("compiled anew", "cpu_seconds") == [1.25]


def only_petaudit(bench: dict[str, ModuleType], patch: pytest.MonkeyPatch) -> None:
    """petaudit in both places, on few rows and once: only the speed of PETsARD is missing."""
    real, seen = bench["measuring"].run_worker, {}

    def run(script: str, job: dict[str, Any], python: str, limit: float) -> dict[str, Any]:
        assert python == ("petsard's" if job["contender"] == "PETsARD" else sys.executable)
        columns = job["columns"] or 3
        if columns not in seen:
            few = {"contender": "petaudit", "columns": columns, "runs": 1, "rows": 300}
            seen[columns] = real(script, job | few, sys.executable, limit)
        return seen[columns]

    patch.setattr(bench["petsard_record"], "run_worker", run)


def test_record_holds_petsard_once_and_petaudit_before_and_after(
    bench: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, target = bench["petsard_record"], tmp_path / "record.json"
    only_petaudit(bench, monkeypatch)
    written = entry.record("petsard's", target)
    assert entry.read_record(target) == written
    assert {name: len(runs) for name, runs in written["runs"].items()} == {
        "PETsARD, 2 columns": 1,
        "petaudit, 2 columns": 3,
        "petaudit, all 15 columns": 2,
    }
    assert {"PETsARD", "petaudit", "numba"} <= set(written["versions"])
    assert written["machine"]["cores"] >= 1
    record = entry.Record(written, entry.run_now(1, [entry.OURS]))
    assert len(record.text().splitlines()) == 1 + 1 + 4
    assert json.loads(json.dumps(record.to_dict()))["now"].keys() == {entry.OURS}


def made_record(bench: dict[str, ModuleType]) -> Any:
    def run(seconds: float, cpu_seconds: float) -> dict[str, float]:
        return {"seconds": seconds, "cpu_seconds": cpu_seconds}

    entry = bench["petsard_record"]
    runs = {
        entry.THEIRS: [run(100.0, 90.0)],
        entry.OURS: [run(0.25, 0.2), run(0.5, 0.45), run(1.0, 0.9)],
        entry.OURS_COMPLETE: [run(8.0, 15.0), run(9.0, 45.0)],
    }
    return entry.Record({"runs": runs}, {})


def test_recorded_ratios_are_between_medians_of_one_run(bench: dict[str, ModuleType]) -> None:
    cpu, wall, share = made_record(bench).checks()
    assert (cpu.ratio.value, cpu.target, cpu.at_most) == (200.0, 300.0, False)
    assert (wall.ratio.value, wall.ratio.low, wall.ratio.high) == (200.0, 100.0, 400.0)
    assert share.ratio.value == pytest.approx(1 / 3)
    assert share.target == pytest.approx(1 / 3)
    assert share.at_most
    assert cpu.is_gate
    assert wall.is_gate
    assert share.is_gate


def test_bundled_record_is_of_the_bundled_tables(bench: dict[str, ModuleType]) -> None:
    entry = bench["petsard_record"]
    result = entry.read_record()
    [theirs] = result["runs"][entry.THEIRS]
    assert result["versions"]["PETsARD"]["petsard"] == entry.PETSARD
    assert theirs["combinations"] == 120
    for name, combinations in ((entry.OURS, 120), (entry.OURS_COMPLETE, 32_767)):
        for run in result["runs"][name]:
            assert run["combinations"] == combinations
            assert run["rows"] == theirs["rows"]
            assert run["pruned"] == 0
            assert run["identified"] >= theirs["identified"]


def test_missing_record_and_record_of_other_tables_are_refused(
    bench: dict[str, ModuleType], tmp_path: Path
) -> None:
    entry, error = bench["petsard_record"], bench["measuring"].BenchError
    with pytest.raises(error, match="make one with --petsard"):
        entry.read_record(tmp_path / "nothing.json")
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"tables": "others"}))
    with pytest.raises(error, match=r"other\.json was recorded on other tables"):
        entry.read_record(other)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"unique": {"age": 4, "sex": 1}}, "differ in 'age'"),
        ({"unique": {"sex": 1}}, "differ in 'age'"),
        ({"rows": 9}, "differ in 'the rows'"),
        ({"identified": 1}, "fewer rows than PETsARD"),
    ],
)
def test_petsard_may_prune_but_not_count_otherwise(
    bench: dict[str, ModuleType], changed: dict[str, Any], message: str
) -> None:
    entry = bench["petsard_record"]
    theirs = {"rows": 10, "identified": 2, "unique": {"age": 3}}
    ours = {"rows": 10, "identified": 5, "unique": {"age": 3, "sex": 1}}
    runs = {entry.THEIRS: [theirs], entry.OURS: [ours], entry.OURS_COMPLETE: [ours]}
    entry.check_agreement(runs)
    with pytest.raises(bench["measuring"].BenchError, match=message):
        entry.check_agreement(runs | {entry.OURS: [ours | changed]})


def test_columns_of_a_combination_are_read_from_text_and_from_tuples(
    bench: dict[str, ModuleType],
) -> None:
    names = bench["petsard_worker"]._names
    assert names("('age',)") == names(("age",)) == ("age",)


def test_report_holds_the_parts_of_mpuccs_and_their_checks(
    bench: dict[str, ModuleType], measured: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = {"seconds": [0.5, 0.25], "cpu_seconds": [0.5, 0.25]}
    first = bench["first_call"].FirstCalls({bench["first_call"].KEPT: [calls]})
    run, asked, target = bench["run"], [], tmp_path / "report.json"

    def measure(rows: int, *_: object) -> Any:
        asked.append(rows)
        return measured

    monkeypatch.setattr(run.mpuccs, "measure", measure)
    monkeypatch.setattr(run, "measure_first_calls", lambda *_: first)
    cost = bench["pipeline_cost"].PipelineCost(
        {"petaudit.mpuccs(...)": [1.0], "petaudit run": [1.2]}
    )
    monkeypatch.setattr(run, "measure_pipeline", lambda *_: cost)
    monkeypatch.setattr(run, "run_now", lambda *_: {})
    noted = bench["petsard_record"].read_record()
    monkeypatch.setattr(run, "petsard_python", lambda: ("petsard's", ""))
    monkeypatch.setattr(run, "record", lambda python, target: noted)
    arguments = ["--full", "--rows", "2000", "--only", "mpuccs,petsard", "--json", str(target)]
    assert run.main(arguments) == 0
    report = json.loads(target.read_text())
    assert asked == [400]
    assert list(report["mpuccs"]) == ["search", "first_call", "pipeline", "petsard"]
    assert [entry["key"] for entry in report["comparisons"]] == ["mpuccs-adult", "petsard"]
    assert report["peers"]["PETsARD"]["petsard"] == bench["petsard_record"].PETSARD
    where = [check["where"] for check in report["checks"]]
    assert {"mpUCCs, Adult", "mpUCCs, first call", "mpUCCs, recorded"} <= set(where)


def test_petsard_that_cannot_be_installed_is_exit_code_two(
    bench: dict[str, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bench["run"], "petsard_python", lambda: (None, "no network"))
    assert bench["run"].main(["--petsard", "--only", "petsard"]) == 2
    assert "could not be installed: no network" in capsys.readouterr().err


def test_worker_over_its_time_limit_ends_the_run(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    job = {"contender": "DuckDB"}
    with pytest.raises(bench["measuring"].BenchError, match="DuckDB took more than"):
        bench["measuring"].run_worker("mpuccs_worker.py", job, time_limit=1e-3)


def test_the_cost_of_the_seeds_pipeline_is_measured(
    bench: dict[str, ModuleType], few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_SCRIPT", "SEED"):
        text = getattr(bench["pipeline_cost"], name).replace("adult-income_schema", "schema")
        text = text.replace("benchmark://adult-income_", f"{few}/few_")
        text = text.replace("//schema", "//adult-income_schema")
        monkeypatch.setattr(bench["pipeline_cost"], name, text)
    result = bench["pipeline_cost"].measure_pipeline(1)
    assert [len(value) for value in result.runs.values()] == [1, 1]
    [check] = result.checks()
    assert check.ratio.value == result.extra[0]
    assert (check.target, check.at_most) == (0.5, True)
