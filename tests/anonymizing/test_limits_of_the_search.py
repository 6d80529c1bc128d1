"""Limits that nothing keeps, and what cannot be searched for."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

import petaudit
from anonymizing import anonymizing_twin as twin
from anonymizing.cases import as_table, given_to, problem_of, random_case
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.search import search
from petaudit.errors import HierarchyError, OptionError
from petaudit.inputs import gather

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


def test_what_binds_and_what_would_do_is_said() -> None:
    rows = [{"age": "20", "sex": "f"}, {"age": "21", "sex": "f"}, {"age": "30", "sex": "m"}]
    case = twin.Case(rows, {name: random_trees[name] for name in ("age", "sex")}, {})
    inputs = given_to(case, as_table(rows))
    with pytest.raises(
        InfeasibleError, match=r"k-anonymity breaks for 3 rows.*there: 3"
    ) as too_few:
        search(Problem.of(inputs, {"k-anonymity": {"limit": 4}}))
    assert (too_few.value.limits[0].possible, too_few.value.suppression_needed) == (3, None)
    with pytest.raises(InfeasibleError, match="hold with 1 row suppressed") as bounded:
        search(
            Problem.of(inputs, {"k-anonymity": {"limit": 2}}, levels={"sex": 0}, suppressed="drop")
        )
    assert bounded.value.suppression_needed == 1


@pytest.mark.parametrize("seed", [30627, 30864, 31137])
def test_what_would_do_only_at_finer_levels_is_said(seed: int) -> None:
    case = random_case(seed)
    with pytest.raises(InfeasibleError) as error:
        search(problem_of(case))
    needed = error.value.suppression_needed
    assert needed is not None
    assert twin.best(replace(case, max_suppressed=needed)) is not None


random_trees = {
    "age": {"20": ["2x", "*"], "21": ["2x", "*"], "30": ["3x", "*"]},
    "sex": {"f": ["*"], "m": ["*"]},
}


@pytest.mark.parametrize(
    ("settings", "given", "message"),
    [
        ({}, {}, "no limit is given"),
        ({"precision": {"limit": 0.5}}, {}, "precision is not a limit that a search can keep"),
        ({"k-anonymity": {}}, {}, "k-anonymity has no limit"),
        ({"k-anonymity": {"limit": 2}}, {"max_suppression": "5 rows"}, "number of rows or a share"),
        ({"k-anonymity": {"limit": 2}}, {"max_suppression": 1.5}, "number of rows or a share"),
        ({"k-anonymity": {"limit": 2}}, {"weights": {"sex": -1}}, "weight of 'sex'"),
        ({"k-anonymity": {"limit": 2}}, {"weights": {"sexx": 1}}, "sexx"),
        ({"k-anonymity": {"limit": 2}}, {"levels": {"sex": 2}}, "levels 0 to 1"),
        ({"k-anonymity": {"limit": 2}}, {"objective": "los"}, "objective must be one of loss"),
        ({"k-map": {"limit": 2}}, {}, "k-map needs"),
        ({"k-anonymity": {"limit": 2}}, {"weights": {"age": 0, "sex": 0}}, "has the weight 0"),
    ],
)
def test_bad_input_is_named(settings: dict, given: dict, message: str) -> None:  # type: ignore[type-arg]
    rows = [{"age": "20", "sex": "f"}, {"age": "21", "sex": "m"}]
    case = twin.Case(rows, {"age": random_trees["age"], "sex": random_trees["sex"]}, {})
    with pytest.raises(Exception, match=message) as problem:
        Problem.of(given_to(case, as_table(rows)), settings, **given)
    assert isinstance(problem.value, OptionError) or "sexx" in message


def test_a_label_with_two_parents_is_refused() -> None:
    paths = [["1", "a", "x"], ["2", "a", "y"]]
    inputs = gather(
        as_table([{"n": "1"}, {"n": "2"}]), quasi_identifiers="n", hierarchies={"n": paths}
    )
    with pytest.raises(HierarchyError, match=r"'n', line 2: not nested, because 1 label of level"):
        Problem.of(inputs, {"k-anonymity": {"limit": 2}})


def test_values_that_a_hierarchy_lacks_are_counted_with_their_rows_and_what_to_do() -> None:
    inputs = gather(
        as_table([{"n": "1"}, {"n": "3"}, {"n": "3"}, {"n": "4"}]),
        quasi_identifiers="n",
        hierarchies={"n": [["1", "a"], ["2", "a"]]},
    )
    said = r"'n' holds 2 values that are not leaves .*\(add a line for each.* in 3 rows .*rows 2, 3"
    with pytest.raises(HierarchyError, match=said):
        Problem.of(inputs, {"k-anonymity": {"limit": 2}})


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_a_table_of_nulls_that_is_suppressed_whole_is_judged_as_the_audit_does(
    recoding: str,
) -> None:
    """The search took rows without a sensitive value for harmless, the audit has nothing else."""
    table = pa.table(
        {"job": ["cook", "*", "nurse"], "ill": pa.array([None, None, None], pa.string())}
    )
    with pytest.raises(InfeasibleError):
        petaudit.anonymize(
            table,
            quasi_identifiers=["job"],
            sensitive="ill",
            hierarchies={"job": [["cook", "all"], ["nurse", "all"]]},
            limits={"l-diversity": 2},
            max_suppression="100%",
            recoding=recoding,
        )


def test_an_average_over_people_may_hold_at_finer_levels_only() -> None:
    """Three people are in both small classes, and count twice: 4 classes of 8, then 3 of 5."""
    inputs = gather(
        pa.table({"place": [*"aaabbbcd"], "who": [*"12312345"]}),
        quasi_identifiers="place",
        person="who",
        hierarchies={
            "place": [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"], ["d", "d", "*"]]
        },
    )
    best = search(Problem.of(inputs, {"marketer-risk": {"limit": "0.5"}}))
    assert (best.levels, best.is_optimal) == ((0,), True)
