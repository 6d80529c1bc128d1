"""The benchmark of large tables runs, and judges what it is to judge; no test looks at a time."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import petaudit

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROWS = 2_000


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    outcome = importlib.import_module("large")
    monkeypatch.setattr(importlib.import_module("shapes"), "BLOCK", ROWS)
    yield outcome
    petaudit.set_memory(None)


def result(large: ModuleType, seconds: float, peak: float, **options: Any) -> Any:
    """Made-up runs: the bare query takes 10 s, everything else as much as is said."""
    measurement = importlib.import_module("measuring").Measurement

    def run(entry: float) -> Any:
        return measurement(entry, entry, int(peak), 0, 2, {"classes": 7})

    runs = {name: [run(10.0 if name == large.BARE else seconds)] for name in large.CONTENDERS}
    given = {"rows": large.ROWS, "shape": "text", "memory": "4GB", "repetitions": 1}
    chosen = large.Options(**given | options, data=Path(), json=None)
    return large.LargeResult(chosen, runs)


def missed(outcome: Any) -> list[str]:
    return [check.what for check in outcome.checks() if check.is_gate and not check.passed]


def test_a_small_run(large: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "results" / "large.json"
    given = ["--rows", str(ROWS), "--repetitions", "1", "--memory", "1GB"]
    assert large.main([*given, "--data", str(tmp_path), "--json", str(target)]) == 0
    outcome = json.loads(target.read_text())
    [comparison] = outcome["comparisons"]
    assert comparison["base"] == "bare DuckDB"
    assert list(comparison["contenders"]) == list(large.CONTENDERS)
    assert (outcome["rows"], outcome["memory"], len(outcome["checks"])) == (ROWS, "1GB", 9)
    assert "t-closeness, peak / limit" in capsys.readouterr().out


def test_all_targets_can_be_met(large: ModuleType) -> None:
    assert missed(result(large, 15.0, 4.4e9)) == []


def test_each_target_can_be_missed(large: ModuleType) -> None:
    assert missed(result(large, 15.1, 1e9)) == ["class histogram, time", "Profitability, time"]
    assert "t-closeness, time" in missed(result(large, 22.1, 1e9))
    peaks = [f"{name}, peak / limit" for name in large.TIME_LIMITS]
    assert missed(result(large, 1.0, 4.41e9)) == peaks
    assert missed(result(large, 99.0, 1.2e9, rows=5, memory="1GB")) == peaks


def test_other_runs_are_judged_by_memory_only(large: ModuleType) -> None:
    assert missed(result(large, 99.0, 1e9, shape="unique")) == []
    assert missed(result(large, 99.0, 1e9, rows=10)) == []


def test_a_disk_without_room(
    large: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--rows", str(10**15), "--data", str(tmp_path)]
    assert large.main(given) == 2
    assert "too little room: about 60000000 GB needed" in capsys.readouterr().err
