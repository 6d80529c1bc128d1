"""The benchmark of mpUCCs beyond memory runs, and refuses searches that differ."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def bench() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        result = {name: importlib.import_module(name) for name in ("mpuccs_large", "shapes")}
        # Tables are small here, and drawing half a million rows for each would take long.
        patch.setattr(result["shapes"], "BLOCK", 1_000)
        yield result


def test_both_ways_are_compared(bench: dict[str, ModuleType], tmp_path: Path) -> None:
    large, target = bench["mpuccs_large"], tmp_path / "found.json"
    options = ["--rows", "400", "--up-to", "1", "--search", "engine", "--data", str(tmp_path)]
    assert large.main([*options, "--json", str(target)]) == 0
    result = json.loads(target.read_text())
    [comparison] = result["comparisons"]
    assert set(comparison["contenders"]) == {large.BY_ENGINE, large.IN_MEMORY}
    assert [check["passed"] for check in result["checks"]] == [True, True]


def test_a_difference_is_no_ratio(bench: dict[str, ModuleType]) -> None:
    large, measuring = bench["mpuccs_large"], importlib.import_module("measuring")
    figures = {key: [1] for key in large.SAME} | {"search": {"way": "memory"}}
    memory = measuring.Measurement(1.0, 1.0, 1, 1, 1, figures)
    engine = replace(memory, figures=figures | {"search": {"way": "engine"}})
    large.check_same({large.IN_MEMORY: [memory], large.BY_ENGINE: [engine]})
    other = replace(engine, figures=engine.figures | {"unique": [2]})
    for wrong in (other, memory):
        with pytest.raises(measuring.BenchError):
            large.check_same({large.IN_MEMORY: [memory], large.BY_ENGINE: [wrong]})
