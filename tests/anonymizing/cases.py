"""Random small tables with limits, for the search and its twin."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa

from anonymizing.anonymizing_twin import ILLNESSES, Case
from budget import IS_LONG, IS_RANDOM
from petaudit.anonymizing.problem import OBJECTIVES, Problem
from petaudit.anonymizing.solution import Solution
from petaudit.inputs import Inputs, gather

TREES: dict[str, dict[str | None, list[str]]] = {
    "age": {
        "20": ["2x", "low", "*"], "21": ["2x", "low", "*"], "30": ["3x", "low", "*"],
        "70": ["7x", "high", "*"], "71": ["7x", "high", "*"],
    },
    "city": {
        "Rome": ["Europe", "*"], "Oslo": ["Europe", "*"], "Lima": ["America", "*"],
        None: ["unknown", "*"],
    },
    "sex": {"f": ["*"], "m": ["*"]},
    "job": {"cook": ["all"], "nurse": ["all"], "judge": ["all"]},
}  # fmt: skip
LIMITS: list[tuple[str, dict[str, list[Any]]]] = [
    ("k-anonymity", {"limit": [2, 3]}),
    ("prosecutor-risk", {"limit": ["0.5", "0.34"]}),
    ("prosecutor-risk", {"limit": ["0.3", "0.6"], "figure": ["average", "at-risk"]}),
    ("marketer-risk", {"limit": ["0.25", "0.5", "0.7"]}),
    ("sample-uniques", {"limit": ["0", "0.2"]}),
    ("strict-average-risk", {"limit": ["0.4", "0.7"], "k": [None, 2]}),
    (
        "profitability",
        {"cost": [4], "gain": [10, 3], "loss": [9], "benefit": [4], "allow_attack": [True, False]},
    ),
    ("l-diversity", {"limit": [2, 3]}),
    ("entropy-l-diversity", {"limit": ["1.5", "2"]}),
    ("recursive-l-diversity", {"limit": ["1", "2", "3"], "l": [2, 3]}),
    ("alpha-k-anonymity", {"limit": ["0.5", "0.7"], "k": [None, 2]}),
    (
        "t-closeness",
        {"limit": ["0.2", "0.375", "0.5"], "distance": ["equal", "ordered", "hierarchical"]},
    ),
    ("beta-likeness", {"limit": ["0.5", "1"]}),
    ("enhanced-beta-likeness", {"limit": ["1", "2"]}),
    ("delta-disclosure", {"limit": ["0.5", "1"], "absent": ["ignore", "infinite"]}),
    ("k-map", {"limit": [2, 4]}),
    ("delta-presence", {"limit": ["0.5", "0.75"], "least": [None, "0.1"]}),
]  # fmt: skip
_VALUES = ("1", "2", "3", "7")
_POPULATION = ("k-map", "delta-presence")
_SENSITIVE = {name for name, _ in LIMITS[7:15]}


def seeds(number: int) -> range:
    """Numbers of cases: others in the long run, and every time others where that is asked for."""
    first = 10_000 if IS_LONG else 0
    if IS_RANDOM:
        first = random.SystemRandom().randrange(10**9)
    return range(first, first + number)


def random_case(seed: int, most: int = 14) -> Case:
    """A case of every kind, by its number, with no more rows than a number."""
    rng = random.Random(seed)  # noqa: S311
    names = rng.sample(list(TREES), rng.choice([1, 2, 2, 3]))
    trees = {name: TREES[name] for name in names}
    settings: dict[str, dict[str, Any]] = {}
    for name, grid in [LIMITS[seed % len(LIMITS)], *rng.sample(LIMITS, rng.choice([0, 0, 1, 2]))]:
        chosen = {option: rng.choice(values) for option, values in grid.items()}
        settings[name] = {option: value for option, value in chosen.items() if value is not None}
    with_population = not set(settings).isdisjoint(_POPULATION) or rng.random() < 0.1
    person = "who" if not with_population and rng.random() < 0.3 else None
    number = rng.randint(3, most)
    values = rng.choice([_VALUES[:2], _VALUES[:3], _VALUES])
    # A null has no place in an order, and the audit then takes another distance.
    nulls = (None,) if rng.random() < 0.2 and "t-closeness" not in settings else ()
    rows = []
    for _ in range(number):
        row = {name: rng.choice(list(trees[name])) for name in names}
        row["ill"] = rng.choice([*values, *nulls])
        row["pay"] = rng.choice(values)
        row["who"] = f"p{rng.randint(0, number - 1)}"
        rows.append(row)
    population = []
    if with_population:
        population = [{name: row[name] for name in names} for row in rows]
        for _ in range(rng.randint(0, 20 + most - 14)):
            population.append({name: rng.choice(list(trees[name])) for name in names})
    sensitive = ("ill",) if rng.random() < 0.8 else ("ill", "pay")
    if set(settings).isdisjoint(_SENSITIVE):
        sensitive = ()
    bounds = {}
    if rng.random() < 0.2:
        name = rng.choice(names)
        top = len(next(iter(trees[name].values())))
        low = rng.randint(0, top)
        bounds[name] = (low, rng.randint(low, top))
    return Case(
        rows,
        trees,
        settings,
        objective=rng.choice(OBJECTIVES),
        max_suppressed=rng.choice([0, 1, 2, number // 2, number]),
        suppressed=rng.choice(["class", "class", "drop", "exclude"]),
        sensitive=sensitive,
        person=person,
        population=population,
        weights={names[0]: rng.choice([0.5, 2.0, 0.0 if len(names) > 1 else 3.0])}
        if rng.random() < 0.3
        else {},
        bounds=bounds,
    )


def marked_case(seed: int, most: int = 14) -> Case:
    """The same with cells, and whole rows, that were suppressed to begin with."""
    case, rng = random_case(seed, most), random.Random(f"marks {seed}")  # noqa: S311
    share = rng.choice([0.1, 0.3])
    for row in case.rows:
        is_whole = rng.random() < rng.choice([0.0, 0.2])
        for name in case.names:
            if is_whole or rng.random() < share:
                row[name] = "*"
    return case


def as_table(rows: list[dict[str, str | None]]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]})


def given_to(case: Case, table: pa.Table, **more: Any) -> Inputs:
    """The inputs of a case, with some table."""
    hierarchies = {
        name: [[leaf or "", *above] for leaf, above in tree.items()]
        for name, tree in case.hierarchies.items()
    }
    hierarchies |= dict.fromkeys(case.sensitive, ILLNESSES)
    return gather(
        table,
        quasi_identifiers=case.names,
        sensitive=list(case.sensitive) or None,
        hierarchies=hierarchies,
        person=case.person,
        population=as_table(case.population) if case.population else None,
        use_side_car=False,
        announce_notes=False,
        **more,
    )


def problem_of(case: Case) -> Problem:
    """A case as the search has it."""
    return Problem.of(
        given_to(case, as_table(case.rows)),
        case.settings,
        objective=case.objective,
        weights=case.weights,
        levels=case.bounds,
        max_suppression=case.max_suppressed,
        suppressed=case.suppressed,
    )


def released(case: Case, solution: Solution) -> pa.Table:
    """The table as it would be released."""
    columns = solution.problem.columns
    place = {
        tuple(column.leaves[code] for column, code in zip(columns, codes, strict=True)): number
        for number, codes in enumerate(solution.problem.codes.T.tolist())
    }
    labels = [solution.labels(column) for column in range(len(columns))]
    rows = []
    for row in case.rows:
        number = place[tuple(row[name] for name in case.names)]
        if solution.is_suppressed[number] and case.suppressed == "drop":
            continue
        cells = {name: labels[at][number] for at, name in enumerate(case.names)}
        rows.append({**row, **cells})
    return as_table(rows)
