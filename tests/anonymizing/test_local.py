"""Local recoding: limits hold when audited, nothing gets worse, and trees can be walked."""

from __future__ import annotations

import json

import pytest

from anonymizing import anonymizing_twin as twin
from anonymizing.cases import marked_case, problem_of, random_case, seeds
from anonymizing.test_search import check_audit
from budget import IS_LONG
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.local import recode_locally
from petaudit.anonymizing.search import search
from petaudit.anonymizing.solution import Solution
from petaudit.anonymizing.tree import Walker, paths_of

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
        if local.recoding == "local":
            better += 1
            check_tree(seed, local)
    assert better > CASES // 100


def check_tree(seed: int, local: Solution) -> None:
    """Every combination of the table goes down the tree to its own class."""
    walker = Walker(json.loads(json.dumps(local.tree)))
    classes: dict[int, int] = {}
    for number, codes in enumerate(local.problem.codes.T.tolist()):
        paths = [
            paths_of(column, leaf)
            for column, leaf in zip(local.problem.columns, codes, strict=True)
        ]
        reached = walker.walk(paths)
        if local.is_suppressed[number]:
            assert reached is None, seed
            continue
        assert reached is not None, seed
        leaf, levels = reached
        assert levels == tuple(local.level_of[number].tolist()), seed
        assert classes.setdefault(leaf, local.classes[number]) == local.classes[number], seed
