"""The search against trying all levels, and what it releases against the audit."""

from __future__ import annotations

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
from budget import IS_LONG
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.search import search
from petaudit.anonymizing.solution import Solution
from petaudit.auditing.runner import run_measure
from petaudit.measures import find_measure

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

FIGURES = {
    "granularity": "granularity",
    "entropy": "non-uniform-entropy",
    "precision": "precision",
    "discernibility": "discernibility",
    "class-size": "average-class-size",
}


@pytest.mark.parametrize("part", range(10))
def test_the_best_of_all_levels_is_reached_and_audited_alike(part: int) -> None:
    for seed in seeds(6000 if IS_LONG else 600)[part::10]:
        # 2832: what is suppressed to begin with is no reason to give up at the top.
        case = marked_case(seed or 2832) if seed % 3 == 0 else random_case(seed)
        best = twin.best(case)
        try:
            solution = search(problem_of(case))
        except InfeasibleError:
            assert best is None, (seed, best)
            continue
        assert best is not None, (seed, solution)
        assert solution.value == pytest.approx(best[0], abs=1e-9), (seed, solution, best)
        assert solution.is_optimal
        lost = solution.suppressed_rows - twin.silent(case, solution.levels)
        assert lost <= case.max_suppressed
        check_audit(seed, case, solution)


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
