"""Local recoding: limits hold when audited, and nothing gets worse."""

from __future__ import annotations

import pytest

from anonymizing import anonymizing_twin as twin
from anonymizing.cases import marked_case, problem_of, random_case, seeds
from anonymizing.test_search import check_audit
from budget import IS_LONG
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.local import recode_locally
from petaudit.anonymizing.search import search

CASES = 2400 if IS_LONG else 400
pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


@pytest.mark.parametrize("part", range(4))
def test_limits_hold_and_nothing_is_worse_than_the_best_levels(part: int) -> None:
    better = 0
    for seed in seeds(CASES)[part::4]:
        make = marked_case if seed % 5 == 0 else random_case
        case = make(seed, 14 if seed % 3 else 150)
        problem = problem_of(case)
        try:
            start = search(problem)
        except InfeasibleError:
            continue
        local = recode_locally(problem, start)
        assert local.value <= start.value + 1e-12, seed
        lost = local.suppressed_rows - twin.silent(case, local.levels)
        assert lost <= case.max_suppressed, seed
        check_audit(seed, case, local)
        better += local.recoding == "local"
    assert better > CASES // 100
