"""The benchmarks beside other packages and the growth series: ratios, agreement, exponents.

No test looks at a time: those belong to `make bench`.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MODULES = [
    "comparison",
    "complete_audit_worker",
    "findings",
    "mpuccs_worker",
    "growth",
    "growth_fit",
    "large_runs",
    "measuring",
]
MODULES += ["large_runs", "measuring", "mpuccs_worker", "options", "pairs", "peers"]
MODULES += ["peers_worker", "run", "shapes"]


@pytest.fixture(scope="module")
def bench() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        result = {name: importlib.import_module(name) for name in MODULES}
        # Tables are tiny here, and drawing half a million rows for each would take long.
        patch.setattr(result["shapes"], "BLOCK", 2000)
        yield result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def run_of(bench: dict[str, ModuleType], seconds: float, **more: Any) -> Any:
    """A measurement; its CPU time is twice its time."""
    given = {"peak_bytes": 2**21, "idle_bytes": 2**20, "threads": 2, "figures": {}} | more
    return bench["measuring"].Measurement(seconds, 2 * seconds, **given)


def test_exponent_is_that_of_the_power_that_the_seconds_follow(
    bench: dict[str, ModuleType],
) -> None:
    sizes = [10, 100, 1000]
    for power in (0.5, 1.0, 2.0):
        slope = bench["growth_fit"].slope(sizes, [3 * size**power for size in sizes])
        assert slope == pytest.approx(power)


def test_exponent_of_scattered_points_is_the_least_squares_by_hand(
    bench: dict[str, ModuleType],
) -> None:
    # Through (0, 0), (1, 1), (2, 1) in decimal logarithms: the slope is 1/2.
    assert bench["growth_fit"].slope([1, 10, 100], [1.0, 10.0, 10.0]) == pytest.approx(0.5)


def test_exponent_has_the_extremes_of_single_rounds_and_one_for_the_end(
    bench: dict[str, ModuleType],
) -> None:
    points = {1000: [10.0, 10.0, 10.0], 10: [1.0, 1.0, 1.0], 100: [1.0, 1.0, 10.0]}
    whole, end = bench["growth_fit"].exponents(points)
    assert (whole.value, whole.low, whole.high) == pytest.approx((0.5, 0.5, 0.5))
    assert (end.value, end.low, end.high) == pytest.approx((1.0, 0.0, 1.0))


@pytest.mark.parametrize(("sizes", "seconds"), [([10], [1.0]), ([10, 10], [1.0, 2.0])])
def test_one_size_has_no_exponent(
    bench: dict[str, ModuleType], sizes: list[int], seconds: list[float]
) -> None:
    with pytest.raises(ValueError, match="two or more sizes"):
        bench["growth_fit"].slope(sizes, seconds)


def test_comparison_has_ratios_with_spread_cpu_time_and_memory(
    bench: dict[str, ModuleType],
) -> None:
    runs = {
        "slow": [run_of(bench, 4.0), run_of(bench, 6.0), run_of(bench, 9.0)],
        "fast": [run_of(bench, 2.0), run_of(bench, 2.0), run_of(bench, 1.0)],
    }
    result = bench["comparison"].Comparison("key", "fast", runs, {"rows": 3})
    entry = json.loads(json.dumps(result.to_dict()))["contenders"]
    ratio = bench["comparison"].ratio_of(entry, "slow", "fast", "cpu_seconds")
    assert (ratio.value, ratio.low, ratio.high) == (3.0, 2.0, 9.0)
    assert entry["slow"]["peak_mib"] == [2.0] * 3
    assert entry["slow"]["over_idle_mib"] == [1.0] * 3
    header, slow, fast = result.text().splitlines()
    assert slow.count("[") == 3
    assert "[" not in fast
    assert "peak ratio" in header


def test_comparison_without_memory_says_so(bench: dict[str, ModuleType]) -> None:
    bare = {"peak_bytes": None, "idle_bytes": None}
    runs = {name: [run_of(bench, 1.0, **bare)] for name in ("a", "b")}
    _, first, _ = bench["comparison"].Comparison("key", "b", runs).text().splitlines()
    assert first.count("n/a") == 2
    assert first.count("[") == 2


def test_contender_that_ran_once_has_the_spread_of_the_other(bench: dict[str, ModuleType]) -> None:
    ratio = bench["measuring"].Ratio.between([12.0], [1.0, 2.0, 3.0])
    assert (ratio.value, ratio.low, ratio.high) == (6.0, 4.0, 12.0)


def test_figures_that_ought_to_be_the_same_end_the_run_when_they_differ(
    bench: dict[str, ModuleType],
) -> None:
    def runs(ours: dict[str, float]) -> dict[str, list[Any]]:
        theirs = run_of(bench, 1.0, figures={"age": 0.5, "sex": 0.25})
        return {"SDMetrics": [theirs], "petaudit": [run_of(bench, 1.0, figures=ours)]}

    check, error = bench["peers"].check_same, bench["measuring"].BenchError
    assert check("mix", runs({"age": 0.5, "sex": 0.25 + 1e-12})) == pytest.approx(1e-12, rel=1e-3)
    for ours, message in (
        ({"age": 0.5, "sex": 0.25 + 2e-9}, "mix of sex: 0.25 for SDMetrics"),
        ({"age": 0.5, "sex": math.nan}, "nan for petaudit"),
        ({"age": 0.5}, "other columns than SDMetrics"),
    ):
        with pytest.raises(error, match=message):
            check("mix", runs(ours))


@pytest.mark.parametrize(
    "figures", [{"combinations": 119, "complete": True}, {"combinations": 120, "complete": False}]
)
def test_search_beside_anonymeter_must_be_complete(
    bench: dict[str, ModuleType], figures: dict[str, Any]
) -> None:
    check = bench["peers"].check_complete
    check([run_of(bench, 1.0, figures={"combinations": 120, "complete": True})], 15, 2)
    with pytest.raises(bench["measuring"].BenchError, match="120 combinations were to be"):
        check([run_of(bench, 1.0, figures=figures)], 15, 2)


def test_petaudits_side_of_each_task_beside_sdmetrics_runs(
    bench: dict[str, ModuleType], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, with petaudit in both places: only SDMetrics itself is missing."""
    worker = bench["peers_worker"]

    def only_petaudit(script: str, job: dict[str, Any], python: str) -> dict[str, Any]:
        assert python == ("sdmetrics'" if job["contender"] == "SDMetrics" else sys.executable)
        return worker.measure(job | {"contender": "petaudit", "runs": 1})

    monkeypatch.setattr(bench["measuring"], "run_worker", only_petaudit)
    result = bench["peers"].compare_sdmetrics("sdmetrics'", 1, folder, rows=500)
    facts = {entry.key: entry.facts for entry in result}
    assert facts["sdmetrics-mix"]["columns"] == 9
    assert facts["sdmetrics-correlations"]["figures"] == 15
    assert facts["sdmetrics-tables"]["figures"] == 36
    same = {key: entry["same_figure"] for key, entry in facts.items()}
    assert same == {
        "sdmetrics-mix": True,
        "sdmetrics-correlations": True,
        "sdmetrics-spread": True,
        "sdmetrics-tables": False,
    }
    for entry in result:
        assert all(0 <= figure <= 1 for figure in entry.runs["petaudit"][0].figures.values())


def test_anonymeters_figures_stand_beside_a_complete_search(
    bench: dict[str, ModuleType], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run(script: str, job: dict[str, Any], python: str) -> dict[str, Any]:
        if job["contender"] == "petaudit":
            return bench["peers_worker"].measure(job | {"runs": 1})
        asked.append((job["up_to"], job["attacks"], python))
        result = run_of(bench, 1.0, figures={"attacks": job["attacks"], "singled_out": 7})
        return vars(result) | {"versions": {"anonymeter": "1"}}

    monkeypatch.setattr(bench["measuring"], "run_worker", run)
    one, three = bench["peers"].compare_anonymeter("theirs", 2, folder, few=True, rows=300)
    # Few attacks with three columns, and once: they take long.
    assert asked == [(1, 500, "theirs"), (1, 500, "theirs"), (3, 100, "theirs")]
    assert (one.facts["combinations"], three.facts["combinations"]) == (15, 575)
    assert one.facts["attacks_singled_out"] == 7
    assert 0 < one.facts["identified"] <= three.facts["identified"] <= 300
    assert one.versions() == {"Anonymeter": {"anonymeter": "1"}}


def test_everybody_is_attacked_beside_a_sample(
    bench: dict[str, ModuleType], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(script: str, job: dict[str, Any], python: str) -> dict[str, Any]:
        if job["contender"] == "petaudit":
            return bench["peers_worker"].measure(job | {"runs": 1})
        found = run_of(bench, 1.0, figures={"attacks": job["attacks"], "rate": 0.75})
        return vars(found) | {"versions": {"anonymeter": "1"}}

    monkeypatch.setattr(bench["measuring"], "run_worker", run)
    inference, linkability = bench["peers"].compare_attacks("theirs", 1, folder, rows=300)
    assert (inference.key, linkability.key) == ("anonymeter-inference", "anonymeter-linkability")
    assert (inference.facts["attacks"], inference.facts["people"]) == (500, 300)
    assert 0.5 < inference.facts["our_rate"] < 0.9
    assert 0 <= linkability.facts["our_rate"] < 0.1


def test_package_that_cannot_be_installed_is_said_and_the_run_goes_on(
    bench: dict[str, ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bench["peers"].Peer, "python", lambda self: (None, "no network"))
    monkeypatch.setattr(bench["run"], "pycanon_python", lambda: (None, "no network"))
    target = tmp_path / "new" / "report.json"
    arguments = ["--only", "anonymeter,sdmetrics,pycanon", "--json", str(target)]
    assert bench["run"].main(arguments) == 0
    left = json.loads(target.read_text())["left_out"]
    could_not = {entry["what"]: entry["said"] for entry in left if entry["why"] == "could not"}
    assert could_not.keys() == {"anonymeter", "sdmetrics", "pycanon"}
    assert all("no network" in said for said in could_not.values())
    assert capsys.readouterr().out.count("could not be measured: ") == 6


def test_environment_that_cannot_be_made_has_a_reason(
    bench: dict[str, ModuleType], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    python, reason = bench["peers"].PEERS["anonymeter"].python(blocked / "environment")
    assert python is None
    assert reason


def test_wide_table_has_as_many_classes_with_five_as_with_forty_columns(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    shapes = bench["shapes"]
    table = pq.read_table(shapes.table_file(shapes.wide(), 2000, folder))
    assert table.column_names == [*shapes.WIDE_NAMES, "sensitive"]
    assert table.num_columns == 41
    few, all_ = (
        table.group_by(list(shapes.WIDE_NAMES[:size])).aggregate([]).num_rows for size in (5, 40)
    )
    assert few == all_
    assert few > 1900  # 2,000 draws of 200,000 classes


def test_pairs_of_fewer_columns_are_the_first_ones_and_more_begin_anew(
    bench: dict[str, ModuleType], folder: Path
) -> None:
    few, usual, many = (
        pq.read_table(bench["pairs"].generated_pair(100, folder, columns)[1])
        for columns in (8, 20, 40)
    )
    assert few.equals(usual.select(usual.column_names[:8]))
    assert usual.equals(many.select(many.column_names[:20]))
    assert many.column_names[20:] == [f"{name} 2" for name in usual.column_names]
    assert not many.column("job 2").equals(many.column("job"))


@pytest.fixture(scope="module")
def series(bench: dict[str, ModuleType], folder: Path) -> dict[str, Any]:
    """All series at two tiny sizes; the jobs are done in this process, which is faster."""
    sizes = bench["growth"].Sizes((60, 600), (5, 40), 60, (50, 100), (3, 6), 50)

    def run(script: str, job: dict[str, Any], python: str) -> dict[str, Any]:
        job = json.loads(json.dumps(job))
        if script == "mpuccs_worker.py":
            return bench["mpuccs_worker"].CONTENDERS[job["contender"]](job)
        assert script == "complete_audit_worker.py"
        return bench["complete_audit_worker"].PARTS[job["part"]](job)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench["growth"], "calls", lambda rows: 1)
        patch.setattr(bench["measuring"], "run_worker", run)
        return {entry.key: entry for entry in bench["growth"].measure_growth(sizes, 1, folder)}


def test_growth_has_the_bare_query_beside_every_series(series: dict[str, Any]) -> None:
    assert list(series) == ["rows", "columns", "mpuccs-rows", "mpuccs-columns"]
    for value in series.values():
        assert value.base in value.runs
        lines = value.text().splitlines()
        assert len(lines) == 1 + len(value.runs)
        assert "exponent" in lines[0]
    assert "complete audit" in series["rows"].runs
    assert "complete audit" not in series["columns"].runs
    assert list(series["columns"].runs["t-closeness"]) == [5, 40]


def test_growth_of_the_search_counts_all_pairs_of_columns(series: dict[str, Any]) -> None:
    for size, pairs in ((3, 3 + 3), (6, 6 + 15)):
        for name in ("bare DuckDB, a query each", "mpUCCs, search"):
            [run] = series["mpuccs-columns"].runs[name][size]
            assert run.figures["combinations"] == pairs
    for size, row in series["mpuccs-rows"].runs["mpUCCs, whole call"].items():
        [search] = series["mpuccs-rows"].runs["mpUCCs, search"][size]
        assert row[0].seconds == search.figures["whole_seconds"] > search.seconds


def test_growth_as_plain_data_has_each_measurement_by_size(series: dict[str, Any]) -> None:
    entry = json.loads(json.dumps(series["rows"].to_dict()))
    assert list(entry["contenders"]["bare DuckDB"]) == ["60", "600"]
    assert len(entry["contenders"]["bare DuckDB"]["60"]["cpu_seconds"]) == 1


def test_programs_for_large_tables_are_run_and_their_absence_is_said(
    bench: dict[str, ModuleType], tmp_path: Path
) -> None:
    script = "import json, sys; json.dump({'rows': 3}, open(sys.argv[2], 'w')); sys.exit(1)"
    (tmp_path / "large.py").write_text(script)
    result = list(bench["large_runs"].measure_large_runs(tmp_path / "data", tmp_path))
    assert result == [
        ("large", {"exit_code": 1, "rows": 3}, ""),
        ("mpuccs_large", None, "there is no mpuccs_large.py"),
    ]


def test_program_for_large_tables_that_writes_nothing_is_said(
    bench: dict[str, ModuleType], tmp_path: Path
) -> None:
    (tmp_path / "large.py").write_text("import sys; sys.exit(2)")
    (_, result, reason), _ = bench["large_runs"].measure_large_runs(tmp_path / "data", tmp_path)
    assert result is None
    assert reason == "large.py ended with 2 and wrote nothing"


def test_short_run_says_what_it_leaves_out_and_the_full_one_leaves_out_nothing(
    bench: dict[str, ModuleType],
) -> None:
    options = bench["options"]
    short, full = options.parse([]), options.parse(["--full"])
    assert full.parts == frozenset(options.PARTS)
    assert bench["findings"].Findings.of(full).left_out == []
    assert short.parts == full.parts - {"large"}
    left = bench["findings"].Findings.of(short).left_out
    assert {entry["what"] for entry in left} == set(options.SHORT.left_out)
    assert set(full.kind.sizes.rows) > set(short.kind.sizes.rows)
    assert max(full.kind.sizes.rows) == 10**7
    assert (min(full.kind.sizes.columns), max(full.kind.sizes.columns)) == (5, 40)
