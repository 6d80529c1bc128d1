"""More combinations than memory has room for: the search begins at coarser levels, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import petaudit
from anonymizing.cases import as_table, given_to, random_case, seeds
from budget import IS_LONG, IS_RANDOM
from petaudit.anonymizing import coarse
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.local import holds, recode_locally
from petaudit.anonymizing.node import Judge
from petaudit.anonymizing.problem import OBJECTIVES, Problem
from petaudit.anonymizing.search import search
from petaudit.anonymizing.solution import Solution
from petaudit.inputs import gather

RANDOM = np.random.default_rng(3)
ROWS = pa.table(
    {
        "age": RANDOM.integers(20, 60, 400).astype(str),
        "zip": RANDOM.integers(10_000, 10_060, 400).astype(str),
        "illness": RANDOM.choice(["flu", "cold", "ache"], 400),
    }
)
GIVEN: dict[str, Any] = {
    "quasi_identifiers": ["age", "zip"],
    "sensitive": "illness",
    "hierarchies": {"age": petaudit.ranges(5, 10, 20), "zip": petaudit.mask_right()},
}
CASES = 1000 if IS_RANDOM else 160 if IS_LONG else 60
LIMITS = {"k-anonymity": 3, "l-diversity": 2}


def room_for(monkeypatch: pytest.MonkeyPatch, combinations: int, columns: int) -> None:
    each = coarse.BYTES_PER_COMBINATION + coarse.BYTES_PER_CELL * columns
    monkeypatch.setattr(coarse, "working_memory", lambda: combinations * each)


def solved(problem: Problem) -> Solution | None:
    try:
        return search(problem)
    except InfeasibleError:
        return None


@pytest.mark.parametrize("recoding", ["global", "local"])
@pytest.mark.parametrize("kind", ["frame", "file"])
def test_the_finest_levels_that_fit_are_where_the_search_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, recoding: str, kind: str
) -> None:
    table: Any = ROWS
    if kind == "file":
        table = tmp_path / "rows.csv"
        pyarrow.csv.write_csv(ROWS, table)
    room_for(monkeypatch, 300, 2)
    given: dict[str, Any] = {
        "limits": LIMITS,
        "recoding": recoding,
        "max_suppression": "5%",
    } | GIVEN
    with pytest.warns(petaudit.errors.PetauditWarning, match="memory has no room"):
        made = petaudit.anonymize(table, **given)
    begins = made.transformation.coarsened
    names = ["age", "zip", "illness"]
    problem = made.solution.problem
    assert begins
    assert problem.bottom == tuple(begins.get(name, 0) for name in names[:2])
    assert problem.number <= 300 < len({*zip(*map(ROWS.column, names), strict=True)})
    assert not made.optimal
    assert (made.bound, made.to_dict()["anonymization"]["finest_searched"]) == (0, begins)
    assert "finer levels, which may lose less, were not looked at" in " ".join(
        made.explain().split()
    )
    assert "not looked at, memory has no room for it" in made.explain()
    # The same as if the user had asked for these levels, and the same again for the original.
    monkeypatch.undo()
    bounds = {name: f">={level}" for name, level in begins.items()}
    asked = petaudit.anonymize(table, levels=bounds, **given)
    if recoding == "global":
        assert made.released.equals(asked.released)
        assert made.solution.searched_bound == pytest.approx(asked.bound)
    assert petaudit.apply(made.transformation, table).released.equals(made.released)


@pytest.mark.parametrize("part", range(2))
def test_counted_coarser_is_searched_like_levels_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    coarser = 0
    for seed in seeds(CASES)[part::2]:
        with monkeypatch.context() as patched:
            coarser += is_searched_alike(patched, seed)
    assert coarser > CASES // 8


def is_searched_alike(monkeypatch: pytest.MonkeyPatch, seed: int) -> bool:
    case = random_case(seed)
    inputs = given_to(case, as_table(case.rows))
    asked: dict[str, Any] = {
        "objective": case.objective,
        "weights": case.weights,
        "max_suppression": case.max_suppressed,
        "suppressed": case.suppressed,
    }
    room_for(monkeypatch, max(len(case.rows) // 3, 1), len(case.names))
    few = Problem.of(inputs, case.settings, levels=case.bounds, **asked)
    monkeypatch.undo()
    if few.coarsened is None:
        return False
    bounds = {column.name: (column.lowest, column.highest) for column in few.columns}
    all_of_them = Problem.of(inputs, case.settings, levels=bounds, **asked)
    one, other = solved(few), solved(all_of_them)
    assert (one is None) == (other is None)
    if one is None or other is None:
        return False
    assert (one.levels, one.suppressed_rows) == (other.levels, other.suppressed_rows)
    assert one.value == pytest.approx(other.value, abs=1e-9)
    assert one.searched_bound == pytest.approx(other.bound, abs=1e-9)
    assert not one.is_optimal
    local = recode_locally(few, one)
    assert holds(Judge(few), local)
    assert local.value <= one.value + 1e-9
    return True


def test_all_objectives_count_from_the_original() -> None:
    assert set(OBJECTIVES) == {random_case(seed).objective for seed in range(150)}


def test_a_table_that_fits_is_searched_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = gather(ROWS, **GIVEN)
    room_for(monkeypatch, 400, 2)
    assert Problem.of(inputs, {"k-anonymity": {"limit": 3}}).coarsened is None


def test_a_frontier_says_it_too_and_proves_no_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    room_for(monkeypatch, 300, 2)
    with pytest.warns(petaudit.errors.PetauditWarning, match="memory has no room"):
        points = petaudit.frontier(ROWS, limits=LIMITS, recoding="global", **GIVEN).points
    assert [(point.bound, point.optimal) for point in points] == [(0, False)]
