"""The search against trying all levels; what it and local recoding release against the audit."""

from __future__ import annotations

import contextlib

import pytest

from anonymizing import anonymizing_twin as twin
from anonymizing.cases import (
    as_table,
    given_to,
    marked_case,
    problem_of,
    random_case,
    released,
    seeds,
)
from budget import IS_LONG, IS_RANDOM
from petaudit.anonymizing import large
from petaudit.anonymizing import search as searching
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.local import recode_locally
from petaudit.anonymizing.search import search
from petaudit.anonymizing.solution import Solution
from petaudit.auditing.runner import run_measure
from petaudit.measures import find_measure

CASES = 6000 if IS_RANDOM else 1500 if IS_LONG else 480
pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

FIGURES = {
    "granularity": "granularity",
    "entropy": "non-uniform-entropy",
    "precision": "precision",
    "discernibility": "discernibility",
    "class-size": "average-class-size",
}


@pytest.mark.parametrize("part", range(5))
def test_the_best_of_all_levels_is_reached_and_audited_alike(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = seeds(CASES)[part::5]
    reached = bounded = finer = in_parts = 0
    for seed in cases:
        # 2832: what is suppressed to begin with is no reason to give up at the top.
        make = marked_case if seed % 3 == 0 else random_case
        case = make(seed or 2832, 60 if seed % 7 == 0 else 14)
        best, problem = twin.best(case), problem_of(case)
        try:
            solution = search(problem)
        except InfeasibleError:
            assert best is None, (seed, best)
            continue
        assert best is not None, (seed, solution)
        assert solution.value == pytest.approx(best[0], abs=1e-9), (seed, solution, best)
        assert solution.is_optimal
        check_release(seed, case, solution)
        local = recode_locally(problem, solution)
        assert local.value <= solution.value + 1e-12, seed
        if local.recoding == "local":
            finer += 1
            check_release(seed, case, local)
        if seed % 4 == 0:
            # Levels that are too many to have a bound each.
            with monkeypatch.context() as patched:
                patched.setattr(searching, "LARGEST_LATTICE", 0)
                patched.setattr(large, "_SIZES", (6, 1 << 10))  # some of the columns, then all
                # Steps from the top down may miss what holds.
                with contextlib.suppress(InfeasibleError):
                    found = search(problem)
                    assert found.bound <= best[0] + 1e-9 <= found.value + 2e-9, seed
                    check_release(seed, case, found)
                    reached += found.value <= best[0] + 1e-9
                    bounded += found.bound > 0
                    in_parts += 1
    assert finer > len(cases) // 20
    assert reached > in_parts // 2
    assert bounded > in_parts // 3


def check_release(seed: int, case: twin.Case, solution: Solution) -> None:
    """No more rows are suppressed than may be, and the audit agrees."""
    lost = solution.suppressed_rows - twin.silent(case, solution.levels)
    assert lost <= case.max_suppressed, seed
    check_audit(seed, case, solution)


@pytest.mark.parametrize("part", range(2))
def test_local_recoding_of_more_rows_holds_and_is_never_worse(part: int) -> None:
    better, cases = 0, seeds(CASES // 6)[part::2]
    for seed in cases:
        case = (marked_case if seed % 5 == 0 else random_case)(seed, 150)
        problem = problem_of(case)
        try:
            start = search(problem)
        except InfeasibleError:
            continue
        local = recode_locally(problem, start)
        assert local.value <= start.value + 1e-12, seed
        check_release(seed, case, local)
        better += local.recoding == "local"
    assert better > len(cases) // 6


def check_audit(seed: int, case: twin.Case, solution: Solution) -> None:
    """The release keeps the limits, and its figure is the one that was searched for."""
    table = released(case, solution)
    # What use is kept is asked of values: the mark is none.
    is_whole = not any(row[name] == "*" for row in case.rows for name in case.names)
    is_whole &= table.num_rows == len(case.rows)
    original = as_table(case.rows) if is_whole else None
    is_kept = "class" if case.suppressed == "drop" else case.suppressed
    inputs = given_to(case, table, original=original, suppressed=is_kept)
    for name, options in case.settings.items():
        if case.suppressed == "exclude" and all(
            level == "*" for column in range(len(case.names)) for level in solution.labels(column)
        ):
            continue
        outcome = run_measure(find_measure(name), inputs, options)
        assert outcome.result is not None, (seed, name, outcome.problem)
        assert outcome.result.passed, (seed, name, options, outcome.result)
    if case.objective in FIGURES and not case.weights and is_whole:
        outcome = run_measure(find_measure(FIGURES[case.objective]), inputs, {})
        assert outcome.result is not None, (seed, outcome.problem)
        assert outcome.result.value == pytest.approx(solution.figure, abs=1e-9), (seed, solution)
