"""Figures on the bundled Adult: optima of full enumeration, and what local recoding keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from petaudit import datasets
from petaudit.anonymizing.frontier import frontier
from petaudit.anonymizing.local import local_value, recode_locally
from petaudit.anonymizing.node import Judge
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.search import search
from petaudit.inputs import gather

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

HIERARCHIES = Path(datasets.__file__).parent / "data" / "adult_hierarchies"
NAMES = ("sex", "age", "race", "marital-status", "education", "native-country", "occupation")
EIGHT = [*NAMES, "salary-class"]
NINE = [*EIGHT, "workclass"]
K: dict[str, dict[str, Any]] = {"k-anonymity": {"limit": 5}}
L: dict[str, dict[str, Any]] = {**K, "l-diversity": {"limit": 3}}
T: dict[str, dict[str, Any]] = {**K, "t-closeness": {"limit": 0.2, "distance": "equal"}}


def adult(names: list[str], settings: dict[str, dict[str, Any]], **given: Any) -> Problem:
    sensitive = [] if "workclass" in names else ["workclass"]
    inputs = gather(
        datasets.load("adult").path,
        quasi_identifiers=names,
        sensitive=sensitive,
        hierarchies=HIERARCHIES,
        use_side_car=False,
    )
    return Problem.of(inputs, settings, **given)


@pytest.mark.parametrize(
    ("names", "settings", "suppression", "objective", "optimum", "suppressed"),
    [
        (NINE, K, 0, "loss", 0.5526, "class"),
        (NINE, K, "5%", "loss", 0.2391, "class"),
        (NINE, K, "5%", "entropy", 0.4550, "class"),
        (EIGHT, L, "5%", "loss", 0.2547, "class"),
        (EIGHT, T, 0, "loss", 0.6085, "class"),
        (EIGHT, T, "5%", "loss", 0.3872, "class"),
        (EIGHT, T, "5%", "loss", 0.3872, "exclude"),
    ],
)
def test_optima_of_full_enumeration(
    names: list[str],
    settings: Any,
    suppression: Any,
    objective: Any,
    optimum: float,
    suppressed: Any,
) -> None:
    given = {"objective": objective, "max_suppression": suppression, "suppressed": suppressed}
    solution = search(adult(names, settings, **given))
    assert round(solution.value, 4) == optimum
    assert solution.is_optimal
    assert solution.bound == solution.value


@pytest.mark.parametrize(
    ("names", "settings", "granularity", "entropy"),
    [(NINE, K, 0.938, 0.747), (EIGHT, L, 0.916, 0.7), (EIGHT, T, 0.867, 0.62)],
)
def test_local_recoding_keeps_more_than_the_prototype_and_suppresses_nothing(
    names: list[str], settings: Any, granularity: float, entropy: float
) -> None:
    problem = adult(names, settings, objective="granularity", max_suppression="5%")
    local = recode_locally(problem, search(problem))
    bits = Judge(adult(names, settings, objective="entropy", max_suppression="5%"))
    assert local.suppressed_rows == 0
    assert local.figure >= granularity
    assert 1 - local_value(bits, local) >= entropy


def test_a_frontier_is_what_single_searches_come_to() -> None:
    problem = adult(EIGHT, K, max_suppression="5%")
    limits = [({"k-anonymity": {"limit": k}}, rows) for rows in ("5%", 0) for k in (2, 10, 100)]
    points = frontier(problem, limits)
    assert [point.settings["k-anonymity"]["limit"] for point in points] == [2, 10, 100] * 2
    for point in points:
        assert point.solution is not None
        single = adult(EIGHT, point.settings, max_suppression=point.max_suppressed)
        assert point.solution.levels == search(single).levels


def test_a_search_that_is_stopped_knows_how_far_the_optimum_can_be() -> None:
    problem = adult(NINE, K, max_suppression="5%")
    optimum = search(problem).value
    stopped = search(problem, time_limit=0)
    assert not stopped.is_optimal
    assert stopped.bound <= optimum <= stopped.value
    assert 0 < stopped.gap <= 1


def test_looser_limits_never_seem_to_cost_more() -> None:
    """Local recoding from the best levels with 5 % suppressed comes to more than without."""
    problem = adult([*NAMES], K)
    limits = [({"k-anonymity": {"limit": 5}}, rows) for rows in ("5%", 0)]
    found = frontier(problem, limits, with_local=True)
    loose, tight = (point.local for point in found)
    assert loose is not None
    assert tight is not None
    assert loose.value <= tight.value
