"""Suppressed rows: a class unless left out, and remedies that do what they promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from measures.registry_cases import ATTACKS
from petaudit.inputs import gather
from petaudit.measures import Family, Result, all_measures, find_measure
from petaudit.measures.base import Remedy

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
STAR = "*"
LONE = pa.table(
    {
        "zip": ["1", "1", "1", "1", STAR],
        "age": ["2", "2", "2", "2", STAR],
        "illness": ["flu", "cold", "flu", "cold", "diabetes"],
    }
)
ROLES: dict[str, Any] = {"quasi_identifiers": ["zip", "age"], "sensitive": "illness"}

Row = tuple[str, str]
"""The quasi-identifier and the sensitive value."""


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    """A few classes, one of which may be that of the suppressed rows."""
    return draw(
        st.lists(
            st.tuples(st.sampled_from(["a", "b", "c", "d", STAR]), st.sampled_from("xyz")),
            min_size=1,
            max_size=14,
        )
    )


def measured(
    name: str, rows: Sequence[Row], options: Mapping[str, Any], people: Sequence[str] | None
) -> Result:
    inputs = gather(
        pa.table({"q": [q for q, _ in rows], "s": [s for _, s in rows]}),
        quasi_identifiers="q",
        sensitive="s",
        population=None if people is None else pa.table({"q": list(people)}),
    )
    return find_measure(name).run(inputs, options)


LIMITS = st.sampled_from([Fraction(1, n) for n in (1, 2, 3, 4, 5, 7)] + [Fraction(2, 5)])
WHOLE = st.integers(1, 6)
MODELS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "k-anonymity": st.fixed_dictionaries({"limit": WHOLE}),
    "l-diversity": st.fixed_dictionaries({"limit": WHOLE}),
    "entropy-l-diversity": st.fixed_dictionaries({"limit": st.sampled_from(["1.5", "2", "2.5"])}),
    "recursive-l-diversity": st.fixed_dictionaries({"limit": WHOLE, "l": st.integers(2, 3)}),
    "alpha-k-anonymity": st.fixed_dictionaries({"limit": LIMITS, "k": WHOLE}),
    "t-closeness": st.fixed_dictionaries({"limit": LIMITS}),
    "beta-likeness": st.fixed_dictionaries({"limit": LIMITS}),
    "delta-disclosure": st.fixed_dictionaries({"limit": LIMITS}),
}
RISKS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "prosecutor-risk": st.fixed_dictionaries(
        {"limit": LIMITS, "figure": st.sampled_from(["highest", "average", "at-risk"])}
    ),
    "marketer-risk": st.fixed_dictionaries({"limit": LIMITS}),
    "sample-uniques": st.fixed_dictionaries({"limit": LIMITS}),
    "strict-average-risk": st.fixed_dictionaries(
        {"limit": LIMITS, "k": WHOLE}, optional={"population_size": st.integers(14, 60)}
    ),
    "k-map": st.fixed_dictionaries({"limit": WHOLE, "population_size": st.integers(14, 60)}),
    "population-uniqueness": st.fixed_dictionaries(
        {"limit": LIMITS, "sampling_fraction": st.sampled_from(["0.1", "0.5", "1"])}
    ),
}
IN_POPULATION: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "k-map": st.fixed_dictionaries({"limit": WHOLE}),
    "journalist-risk": RISKS["prosecutor-risk"],
    "marketer-risk": RISKS["marketer-risk"],
    "strict-average-risk": st.fixed_dictionaries({"limit": LIMITS, "k": WHOLE}),
}


def without(rows: Sequence[Row], classes: Sequence[str]) -> list[Row]:
    return [row for row in rows if row[0] not in classes]


def without_riskiest(
    rows: Sequence[Row], number: int, people: Mapping[str, int] | None
) -> list[Row]:
    """The rows without so many, those of classes with the fewest people first."""
    sizes = Counter(q for q, _ in rows)
    known = sizes if people is None else people
    return sorted(rows, key=lambda row: (known[row[0]], sizes[row[0]], row[0]))[number:]


def remedy_of(result: Result) -> Remedy:
    assert result.remedy is not None
    return result.remedy


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=examples(80))
@given(rows=tables(), data=st.data())
def test_what_a_model_takes_is_enough(name: str, rows: list[Row], data: st.DataObject) -> None:
    """Do exactly what is said, and measure again: the limit holds."""
    options = data.draw(MODELS[name])
    result = measured(name, rows, options, None)
    takes = remedy_of(result)
    sizes = Counter(q for q, _ in rows)
    if takes.rows_to_suppress:
        assert name == "k-anonymity"
        small = [q for q in sizes if q != STAR and sizes[q] < options["limit"]]
        assert sum(sizes[q] for q in small) == takes.rows_to_suppress
        after = [(STAR if q in small else q, s) for q, s in rows]
        assert measured(name, after, options, None).passed is True
    elif takes.rows_to_drop:
        # A class that breaks the limit breaks it alone.
        wrong = [
            q
            for q in sizes
            if measured(name, [row for row in rows if row[0] == q], options, None).passed is False
        ]
        assert sum(sizes[q] for q in wrong) == takes.rows_to_drop == takes.rows_breaking
        assert measured(name, without(rows, wrong), options, None).passed is True
    else:
        assert result.passed is (takes.rows_breaking == 0)


@pytest.mark.parametrize("name", RISKS)
@settings(max_examples=examples(80))
@given(rows=tables(), data=st.data())
def test_what_a_risk_takes_is_enough(name: str, rows: list[Row], data: st.DataObject) -> None:
    options = data.draw(RISKS[name])
    takes = remedy_of(measured(name, rows, options, None))
    assert not takes.rows_to_suppress
    if takes.rows_to_drop:
        # Of classes that are equally risky, those that are taken may be any.
        kept = without_riskiest(rows, takes.rows_to_drop, None)
        assert measured(name, kept, options, None).passed is True


@pytest.mark.parametrize("name", IN_POPULATION)
@settings(max_examples=examples(80))
@given(rows=tables(), others=st.lists(st.sampled_from("abcde"), max_size=8), data=st.data())
def test_what_a_risk_in_a_population_takes_is_enough(
    name: str, rows: list[Row], others: list[str], data: st.DataObject
) -> None:
    """Suppressed people are of any class, also of one that the table has."""
    options = data.draw(IN_POPULATION[name])
    hidden = st.lists(
        st.sampled_from("abcdef"), min_size=(n := sum(q == STAR for q, _ in rows)), max_size=n
    )
    people = [q for q, _ in rows if q != STAR] + others + data.draw(hidden)
    result = measured(name, rows, options, people)
    takes = remedy_of(result)
    assert not takes.rows_to_suppress
    if takes.rows_to_drop:
        known = Counter(people)
        known[STAR] = sum(many for q, many in known.items() if q not in {q for q, _ in rows})
        kept = without_riskiest(rows, takes.rows_to_drop, known)
        assert measured(name, kept, options, people).passed is True


@settings(max_examples=examples(120))
@given(rows=tables(), others=st.lists(st.sampled_from("abcde"), max_size=8), data=st.data())
def test_what_delta_presence_takes_is_enough(
    rows: list[Row], others: list[str], data: st.DataObject
) -> None:
    options = {"limit": data.draw(LIMITS)}
    people = [q if q != STAR else "f" for q, _ in rows] + others
    takes = remedy_of(measured("delta-presence", rows, options, people))
    assert not takes.rows_to_suppress
    if takes.rows_to_drop:
        known = Counter(people)
        known[STAR] = sum(many for q, many in known.items() if q not in {q for q, _ in rows})
        kept: list[Row] = []
        for row in rows:
            if Fraction(sum(q == row[0] for q, _ in kept) + 1, known[row[0]]) <= options["limit"]:
                kept.append(row)
        assert len(rows) - len(kept) == takes.rows_to_drop
        assert measured("delta-presence", kept, options, people).passed is True


LONE_FIGURES: dict[str, tuple[dict[str, Any], float | bool, float | bool]] = {
    # Options, then the figure with the suppressed row as a class, and without it.
    "k-anonymity": ({}, 1, 4),
    "l-diversity": ({}, 1, 2),
    "entropy-l-diversity": ({}, 1, 2),
    "alpha-k-anonymity": ({}, 1, 0.5),
    # diabetes: from 1/5 to 1 in the suppressed row; else flu from 2/5 to 1/2.
    "t-closeness": ({}, 0.8, 0.2),
    "beta-likeness": ({}, 4, 0.25),
    "prosecutor-risk": ({}, 1, 0.25),
    "marketer-risk": ({}, 0.4, 0.25),
    "sample-uniques": ({}, 0.2, 0),
    "special-uniques": ({}, 0.2, 0),
    "distinction": ({}, 0.4, 0.25),
    "strict-average-risk": ({}, 0.4, 0.25),
    "k-map": ({"population_size": 5}, 1, 4),
    "population-uniqueness": ({"population_size": 5}, 0.2, 0),
    "profitability": ({"cost": 2, "gain": 3, "loss": 3, "benefit": 2}, False, True),
}


@pytest.mark.parametrize("name", LONE_FIGURES)
def test_a_lone_suppressed_row_is_somebody_who_fits_no_other_class(name: str) -> None:
    """The issue's row ``*, *, diabetes``: whoever is not in the class of four is it."""
    options, as_class, left_out = LONE_FIGURES[name]
    measure = find_measure(name)
    result = measure.run(gather(LONE, **ROLES), options)
    assert result.value == pytest.approx(as_class)
    assert not any("left out" in text for text in result.warnings)
    excluded = measure.run(gather(LONE, suppressed="exclude", **ROLES), options)
    assert excluded.value == pytest.approx(left_out)
    assert excluded.warnings[-1] == (
        "left out (suppressed: exclude): 1 row with '*' in every quasi-identifier, though anyone "
        "who fits no other class is known to be among them"
    )


IN_POPULATION_FIGURES = {"k-map": (1, 4), "journalist-risk": (1, 0.25), "delta-presence": (1, 1)}


@pytest.mark.parametrize("name", IN_POPULATION_FIGURES)
def test_against_its_own_people_the_lone_row_is_the_one_who_fits_no_class(name: str) -> None:
    people = pa.table({"zip": ["1"] * 4 + ["9"], "age": ["2"] * 4 + ["7"]})
    as_class, left_out = IN_POPULATION_FIGURES[name]
    measure = find_measure(name)
    assert measure.run(gather(LONE, population=people, **ROLES), {}).value == as_class
    excluded = gather(LONE, population=people, suppressed="exclude", **ROLES)
    result = measure.run(excluded, {})
    assert result.value == left_out
    assert "left out (suppressed: exclude): 1 row" in result.warnings[-1]


def test_every_privacy_measure_says_what_it_left_out() -> None:
    """Those above are all of them but the ones that share their code with one of them."""
    known = {*LONE_FIGURES, *IN_POPULATION_FIGURES}
    alike = {"recursive-l-diversity", "enhanced-beta-likeness", "delta-disclosure"}
    families = (Family.PRIVACY, Family.RISK)
    every = {name for name, own in all_measures().items() if own.family in families}
    assert every - known - alike == {"mpuccs", *ATTACKS}


# The others learn from columns, or are given a function of the caller.
UTILITY = [
    name
    for name, measure in all_measures().items()
    if measure.family is Family.UTILITY and name not in {"model-utility", "utility-bias"}
]


@pytest.mark.parametrize("name", UTILITY)
def test_what_is_lost_is_lost_either_way(name: str) -> None:
    original = {"zip": ["1"] * 4 + ["9"], "age": ["2"] * 4 + ["7"], "illness": list("abcde")}
    given: dict[str, Any] = {
        "original": pa.table(original),
        "quasi_identifiers": ["zip", "age"],
        "hierarchies": {"zip": {"1": [STAR], "9": [STAR]}, "age": {"2": [STAR], "7": [STAR]}},
    }
    measure = find_measure(name)
    results = [
        measure.run(gather(LONE, suppressed=entry, **given), {}) for entry in ("class", "exclude")
    ]
    assert results[0] == results[1]


def test_the_default_is_the_class_everywhere() -> None:
    table = pa.table({"q": ["a", "a", STAR]})
    assert petaudit.k_anonymity(table, quasi_identifiers="q").value == 1
    result = petaudit.audit(table, quasi_identifiers="q", measures="k-anonymity")
    assert result["k-anonymity"].value == 1
    assert result.to_dict()["options"]["suppressed"] == "class"
