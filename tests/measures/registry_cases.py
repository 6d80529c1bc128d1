"""What tests over all registered measures need to know of each, in one table.

A measure that is added needs an entry in ``ENTRIES``, or a reason in ``OWN_TESTS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import strategies as st

import strategies
from petaudit.errors import PetauditError
from petaudit.inputs import Inputs, gather
from petaudit.measures import Measure, Result, all_measures
from petaudit.tables import open_source
from strategies import NULL, STAR, Release, Rows, arrow


@dataclass(frozen=True)
class Entry:
    """What is special about a measure."""

    passing: Mapping[str, Any]
    """With these the small table of ``passing_inputs`` passes."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the measure is given on random tables."""
    twice: Fraction | str = Fraction(1)
    """How the figure grows when every row of every table is there twice, or why that is unknown."""
    options_twice: Mapping[str, Any] | None = None
    labels_matter: str | None = None
    """Why labels of quasi-identifiers cannot have other names."""
    follows_columns: tuple[str, ...] = ()
    """Fields that depend on the order of columns: pairs, or the first of equally bad ones."""
    stars_are_spread: bool = False
    """Whether suppressed cells are left out or stand for all values, so that they are not bad."""
    looks_at_all_columns: bool = False
    """Whether columns that are no quasi-identifiers count, which suppression leaves as they are."""
    is_estimate: bool = False
    """Whether the figure comes from a model, of which nobody says that it grows with the risk."""


SAME, DOUBLED, HALVED = Fraction(1), Fraction(2), Fraction(1, 2)
_NUMBERS = "the quasi-identifiers are read as numbers"
_AT_MOST_ONE = {"limit": 1}
_AT_LEAST_NOTHING = {"limit": 0}
_AT_LEAST_ONE = {"limit": 1}
_GAME = {"cost": 2, "gain": 6, "loss": 7, "benefit": 3, "allow_attack": False}

ENTRIES: dict[str, Entry] = {
    # privacy models
    "k-anonymity": Entry(_AT_LEAST_ONE, {"limit": 3}, DOUBLED),
    "k-map": Entry(_AT_LEAST_ONE, {"limit": 4}, DOUBLED),
    "alpha-k-anonymity": Entry(_AT_MOST_ONE, {"limit": "0.5", "k": 2, "worst": 99}),
    "l-diversity": Entry(_AT_LEAST_ONE, {"limit": 2, "worst": 99}),
    "entropy-l-diversity": Entry(_AT_LEAST_ONE, {"limit": "1.5", "worst": 99}),
    "recursive-l-diversity": Entry({"limit": 100, "l": 2}, {"limit": 2, "l": 2, "worst": 99}),
    "t-closeness": Entry(_AT_MOST_ONE, {"limit": "0.25", "worst": 99}),
    "beta-likeness": Entry({"limit": 100}, {"limit": 1, "worst": 99}),
    "enhanced-beta-likeness": Entry({"limit": 100}, {"limit": 1, "worst": 99}),
    "delta-disclosure": Entry({"limit": 100, "absent": "ignore"}, {"limit": 1, "worst": 99}),
    "delta-presence": Entry(_AT_MOST_ONE, {"limit": "0.5"}),
    "strict-average-risk": Entry(_AT_MOST_ONE, {"limit": "0.5", "k": 2}, HALVED),
    # Twice the rows in every class halve the risk, so twice the stakes keep it as it was.
    "profitability": Entry(
        {"cost": 1, "gain": 0, "loss": 0, "benefit": 5},
        _GAME,
        options_twice=_GAME | {"gain": 12, "loss": 14},
    ),
    # re-identification risk
    "prosecutor-risk": Entry(_AT_MOST_ONE, {"limit": "0.4"}, HALVED),
    "journalist-risk": Entry(_AT_MOST_ONE, {"limit": "0.4"}, HALVED),
    "marketer-risk": Entry(_AT_MOST_ONE, {"limit": "0.4"}, HALVED),
    "sample-uniques": Entry(_AT_MOST_ONE, {"limit": "0.4"}, "no row is unique any more"),
    "special-uniques": Entry(_AT_MOST_ONE, {"limit": "0.4"}, "no row is unique any more"),
    "distinction": Entry(_AT_MOST_ONE, {"limit": "0.4"}, HALVED, follows_columns=("sets",)),
    "population-uniqueness": Entry(
        _AT_MOST_ONE, {"limit": "0.4"}, "nobody is unique any more", is_estimate=True
    ),
    # utility
    "suppression": Entry(_AT_MOST_ONE, {"limit": "0.2"}),
    "precision": Entry(_AT_LEAST_NOTHING, {"limit": "0.5"}),
    "granularity": Entry(_AT_LEAST_NOTHING, {"limit": "0.5"}),
    "non-uniform-entropy": Entry(_AT_LEAST_NOTHING, {"limit": "0.5"}),
    "ambiguity": Entry(_AT_LEAST_NOTHING, {"limit": "0.5"}),
    "average-class-size": Entry(_AT_LEAST_NOTHING, {"limit": "0.5"}),
    "discernibility": Entry(_AT_LEAST_NOTHING, {"limit": "0.5"}),
    "attribute-squared-error": Entry(
        _AT_LEAST_NOTHING, {"limit": "0.5", "unknown": "maximal"}, labels_matter=_NUMBERS
    ),
    "record-squared-error": Entry(
        _AT_LEAST_NOTHING, {"limit": "0.5", "unknown": "maximal"}, labels_matter=_NUMBERS
    ),
    "distribution-distance": Entry(
        _AT_MOST_ONE,
        {"limit": "0.5"},
        twice="values with few rows are compared in another way",
        looks_at_all_columns=True,
        labels_matter=_NUMBERS,
        follows_columns=("worst_column",),
    ),
    "association-change": Entry(
        _AT_MOST_ONE,
        {"limit": "0.5"},
        twice="more rows leave less to chance",
        labels_matter=_NUMBERS,
        follows_columns=("pairs",),
        stars_are_spread=True,
    ),
}

ATTACKS: dict[str, Mapping[str, Any]] = {
    "copied-rows": _AT_MOST_ONE,
    "membership": _AT_MOST_ONE,
    "attribute-inference": {"limit": 1, "secret": "pay"},
    "linkability": {"limit": 1, "aux_cols": [["born"], ["pay"]]},
    "replicated-uniques": {"limit": 1, "keys": "born"},
    "disco": {"limit": 1, "keys": "born", "target": "pay"},
    "closest-record": _AT_MOST_ONE,
}
"""Attacks on synthetic tables, which need a control: with these they pass."""

OWN_TESTS = {
    **dict.fromkeys(ATTACKS, "attacks a synthetic table; tests/attacks has its invariances"),
    "mpuccs": "compares a synthetic table with its original; tests/singling has its invariances",
    "utility-bias": "is a function of the caller's",
    "model-utility": "trains models whose folds depend on the order of rows; it has its own tests",
}

PASSING: dict[str, Mapping[str, Any]] = {
    **{name: entry.passing for name, entry in ENTRIES.items()},
    "mpuccs": _AT_MOST_ONE,
    **ATTACKS,
    "utility-bias": {"limit": 100, "function": lambda table: 1},
    "model-utility": {"limit": 100, "folds": 2},
}
"""The same for all measures."""


def generic() -> dict[str, Measure]:
    """The measures that the tests go over."""
    return {name: measure for name, measure in all_measures().items() if name in ENTRIES}


def measures_with(*families: Any) -> list[str]:
    """The measures of some families."""
    return [name for name, item in generic().items() if item.family in families]


# --- one small table that every measure passes ----------------------------------------------

YEARS = ["1970", "1971", "1983", "1984"]
# A sensitive attribute that every distance suits: numbers, with a hierarchy.
PASSING_TABLE = {"born": ["197*", "197*", "198*", "198*"], "pay": ["1", "2", "1", "3"]}
PASSING_ORIGINAL = PASSING_TABLE | {"born": YEARS}
# Rows of nobody, written as the original writes its own: labels such as 197* are not.
SYNTHETIC_TABLE = {"born": ["1970", "1971", "1983", "1990"], "pay": ["1", "3", "2", "1"]}
CONTROL_TABLE = {"born": ["1972", "1985", "1986", "1991"], "pay": ["2", "3", "1", "2"]}
PASSING_POPULATION = {"born": [*YEARS, *YEARS, "1970"]}
PASSING_HIERARCHIES = {
    "born": {year: [f"{year[:3]}*", "*"] for year in YEARS},
    "pay": {pay: ["*"] for pay in "123"},
}


def passing_inputs(table: Mapping[str, Sequence[Any]] = PASSING_TABLE, **given: Any) -> Inputs:
    """The small table with everything that a measure may need, or another one instead of it."""
    result: dict[str, Any] = {
        "original": strategies.arrow_columns(PASSING_ORIGINAL),
        "population": strategies.arrow_columns(PASSING_POPULATION),
        "quasi_identifiers": "born",
        "sensitive": "pay",
        "hierarchies": PASSING_HIERARCHIES,
    }
    return gather(strategies.arrow_columns(table), **result | given)


def suited(name: str, inputs: Inputs) -> Inputs:
    """The inputs of a measure, which has a synthetic table if it is for such tables."""
    if name not in ("mpuccs", *ATTACKS):
        return inputs
    control = None if name == "mpuccs" else open_source(strategies.arrow_columns(CONTROL_TABLE))
    table = open_source(strategies.arrow_columns(SYNTHETIC_TABLE))
    return replace(inputs, table=table, control=control)


# --- random releases with a population ------------------------------------------------------


@dataclass(frozen=True)
class Tables:
    """A release with the population that its people are among; ``copies`` of every row."""

    release: Release
    population: Rows
    copies: int = 1

    def with_rows(self, change: Callable[[Rows], Rows], *, alone: Callable[[Rows], Rows]) -> Tables:
        """Both tables changed alike, and the population alone."""
        return replace(
            self, release=self.release.with_rows(change), population=alone(self.population)
        )


def population_of(release: Release) -> Rows:
    """The people of the table, every second one twice, and some whom the table lacks.

    All have the labels of the release: what a label stands for is not the matter here.
    """
    names = release.quasi_identifiers
    rows = [{name: row[name] for name in names} for row in release.released]
    said = [row for row in rows if any(cell != STAR for cell in row.values())]
    if not said:
        return [{name: row[name] for name in names} for row in release.original]
    mixed = [
        {name: said[(place + index) % len(said)][name] for index, name in enumerate(names)}
        for place in range(len(said))
    ]
    return [*said, *said[::2], *(row for row in mixed if any(c != STAR for c in row.values()))]


@st.composite
def number_releases(draw: st.DrawFn, *, most_rows: int = 25) -> Release:
    """Draw a release whose quasi-identifiers were numbers: some became ranges, some suppressed."""
    sizes = [size for size in (9, 6, 2, 4, 12, 17, 25) if size <= most_rows]
    size = draw(st.sampled_from(sizes))
    numbers = st.lists(st.integers(0, 99), min_size=size, max_size=size)
    levels = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    names = ("age", "weight")[: draw(st.integers(1, 2))]
    columns = {name: draw(numbers) for name in names}
    hierarchies = {
        name: {
            str(number): [
                f"[{number // 10 * 10},{number // 10 * 10 + 10}[",
                f"[{number // 50 * 50},{number // 50 * 50 + 50}[",
                STAR,
            ]
            for number in cells
        }
        for name, cells in columns.items()
    }
    used = {name: draw(levels) for name in names}
    suppressed = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    private = {
        "pay": draw(st.lists(st.sampled_from(["1", "2", "40"]), min_size=size, max_size=size)),
        "disease": draw(st.lists(st.sampled_from(["p", "q", "r"]), min_size=size, max_size=size)),
    }
    original: Rows = []
    released: Rows = []
    for row in range(size):
        item: dict[str, str | None] = {name: cells[row] for name, cells in private.items()}
        before = {name: str(columns[name][row]) for name in names}
        after = {
            name: strategies.generalized(before[name], used[name][row], hierarchies[name])
            for name in names
        }
        if suppressed[row] == 0:
            after = dict.fromkeys(names, STAR)
        original.append({**before, **item})
        released.append({**after, **item})
    return Release(
        original,
        released,
        hierarchies | {"disease": {label: ["any"] for label in "pqr"}},
        names,
        suppressed=draw(st.sampled_from(("exclude", "class"))),
    )


@st.composite
def tables(draw: st.DrawFn, *, most_rows: int = 25) -> Tables:
    """Draw a release of labels or of numbers, with its population."""
    release = draw(strategies.releases(most_rows=most_rows) | number_releases(most_rows=most_rows))
    return Tables(release, population_of(release))


def opened(asked: Tables, table: object, original: object, population: object) -> Inputs:
    """The inputs of all measures."""
    release = asked.release
    return gather(
        table,
        original=original,
        population=population,
        quasi_identifiers=release.quasi_identifiers,
        sensitive=release.sensitive,
        hierarchies=release.given_hierarchies,
        suppressed=release.suppressed,
    )


def in_frames(asked: Tables) -> Inputs:
    """The inputs from frames in memory."""
    release = asked.release
    return opened(asked, arrow(release.released), arrow(release.original), arrow(asked.population))


# --- what a measure says --------------------------------------------------------------------

Outcome = Result | PetauditError


def outcome(name: str, inputs: Inputs, options: Mapping[str, Any]) -> Outcome:
    """The result, or the error on purpose; any other one is a mistake of petaudit."""
    try:
        return all_measures()[name].run(inputs, options)
    except PetauditError as problem:
        return problem


def outcomes(inputs: Inputs, *, copies: int = 1) -> dict[str, Outcome]:
    """What all measures say of the same inputs, which they share as in an audit."""
    result = {}
    for name in generic():
        entry = ENTRIES[name]
        options = entry.options_twice if copies > 1 and entry.options_twice else entry.options
        result[name] = outcome(name, inputs, options)
    return result


def is_same(one: Any, other: Any) -> bool:
    """Whether plain data is the same, up to rounding and to the order of lists."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            map(is_same, sorted(one, key=_order), sorted(other, key=_order))
        )
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-9, abs=1e-12)
    return bool(one == other)


def _order(value: Any) -> str:
    """Something to sort by that rounding does not change."""
    if isinstance(value, dict):
        return str([(key, _order(value[key])) for key in sorted(value)])
    if isinstance(value, list):
        return str(sorted(map(_order, value)))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def said(result: Outcome, *, without: Sequence[str] = ()) -> Any:
    """What is compared: all that a result says, or the kind of error."""
    if isinstance(result, PetauditError):
        return type(result).__name__
    plain = result.to_dict() | {"warnings": len(result.warnings)}
    return {key: value for key, value in plain.items() if key not in without}


__all__ = [
    "ENTRIES",
    "NULL",
    "OWN_TESTS",
    "PASSING",
    "STAR",
    "Entry",
    "Outcome",
    "Tables",
    "generic",
    "in_frames",
    "is_same",
    "measures_with",
    "number_releases",
    "opened",
    "outcome",
    "outcomes",
    "passing_inputs",
    "population_of",
    "said",
    "suited",
    "tables",
]
