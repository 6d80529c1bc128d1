"""Cells that are suppressed already, people in a population, populations of known size."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from anonymizing.anonymizing_twin import Case
from anonymizing.cases import as_table, released, seeds
from budget import IS_LONG
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.local import recode_locally
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.search import search
from petaudit.auditing.runner import run_measure
from petaudit.inputs import gather
from petaudit.measures import find_measure

CASES = 150 if IS_LONG else 90
pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

TREES = {
    "a": {str(n): [f"x{n // 3}", "*"] for n in range(9)},
    "b": {leaf: [group, "*"] for leaf, group in zip("pqrs", ("pq", "pq", "rs", "rs"), strict=True)},
}
K: dict[str, dict[str, Any]] = {"k-anonymity": {"limit": 3}}


def settings_of(kind: int, rows: int) -> dict[str, dict[str, Any]]:
    choices: list[dict[str, dict[str, Any]]] = [
        K,
        {**K, "t-closeness": {"limit": "0.4"}},
        {"k-map": {"limit": 8, "population_size": rows * 10}},
        {"strict-average-risk": {"limit": "0.1", "k": 3, "population_size": rows * 8}},
        {"k-map": {"limit": 3}},
        {"delta-presence": {"limit": "0.6"}},
        {"journalist-risk": {"limit": "0.3", "figure": "average"}},
    ]
    return choices[kind % len(choices)]


def random_row(rng: random.Random, *, stars: bool) -> dict[str, str | None]:
    row = {"a": str(rng.randint(0, 8)), "b": rng.choice("pqrs"), "s": rng.choice("xyz")}
    row["who"] = f"w{rng.randint(0, 40)}"
    if stars and rng.random() < 0.2:
        row["a"] = "*"
        row["b"] = "*" if rng.random() < 0.7 else row["b"]
    return row


def test_the_audit_agrees_on_odd_tables() -> None:
    held = 0
    for seed in seeds(CASES):
        rng = random.Random(seed)  # noqa: S311
        number = rng.randint(5, 60)
        settings = settings_of(seed, number)
        in_population = seed % 7 > 3
        rows = [random_row(rng, stars=not in_population) for _ in range(number)]
        everybody = [*rows, *(random_row(rng, stars=False) for _ in range(40))]
        given = {
            "quasi_identifiers": ["a", "b"],
            "sensitive": ["s"],
            "hierarchies": TREES,
            "person": "who" if rng.random() < 0.4 else None,
            "population": as_table(everybody) if in_population else None,
            "use_side_car": False,
            "announce_notes": False,
        }
        case = Case(rows, TREES, settings, suppressed=rng.choice(["class", "drop"]))  # type: ignore[arg-type]
        problem = Problem.of(
            gather(as_table(rows), **given),  # type: ignore[arg-type]
            settings,
            max_suppression=rng.choice([0, "10%", "40%", "100%"]),
            suppressed=case.suppressed,  # type: ignore[arg-type]
        )
        try:
            best = search(problem)
        except InfeasibleError:
            continue
        for solution in (best, recode_locally(problem, best)):
            inputs = gather(released(case, solution), **given)  # type: ignore[arg-type]
            for name, options in settings.items():
                outcome = run_measure(find_measure(name), inputs, options)
                assert outcome.result is not None, (seed, name, outcome.problem)
                assert outcome.result.passed, (seed, name, outcome.result)
        held += 1
    assert held > CASES // 2


def test_a_row_that_is_suppressed_already_is_dropped_only_if_rows_may_be() -> None:
    """The row of ``*`` breaks k: to drop it takes a row, and without one it must stay."""
    table = pa.table({"age": ["20"] * 3 + ["21"] * 3 + ["*"], "sex": [*"ffffffm"]})
    given: dict[str, Any] = {
        "quasi_identifiers": ["age", "sex"],
        "hierarchies": {"age": {"20": "*", "21": "*"}, "sex": {"f": "*", "m": "*"}},
        "limits": {"k-anonymity": 2},
        "recoding": "global",
        "drop_suppressed": True,
    }
    kept = petaudit.anonymize(table, max_suppression=0, **given)
    assert kept.released.to_pydict() == {"age": ["*"] * 7, "sex": ["*"] * 7}
    dropped = petaudit.anonymize(table, max_suppression=1, **given)
    assert dropped.released.to_pydict() == {"age": ["20"] * 3 + ["21"] * 3, "sex": ["f"] * 6}


def test_a_row_that_is_suppressed_already_is_no_class_too_many() -> None:
    """Five rows have two classes of two beside the row of ``*``, which nobody judges."""
    table = pa.table({"age": ["20", "20", "21", "21", "*"]})
    ages = [["20", "*"], ["21", "*"]]
    inputs = gather(table, quasi_identifiers="age", hierarchies={"age": ages}, suppressed="exclude")
    assert search(Problem.of(inputs, {"k-anonymity": {"limit": 2}})).levels == (0,)
