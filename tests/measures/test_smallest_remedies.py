"""Remedies that are the smallest: no fewer rows would do, by trying all that could be left."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.measures.risk_classes import RiskClasses

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

Sizes = Sequence[int]
Holds = Callable[[Sizes, Sizes, Mapping[str, Any]], bool]
"""Whether the limit holds for the rows that each class keeps, given its people."""
LIMITS = [Fraction(1, 5), Fraction(1, 4), Fraction(3, 10), Fraction(2, 5), Fraction(1, 2)]


def risks(kept: Sizes, people: Sizes) -> list[Fraction]:
    """The risk of every row that is left."""
    return [Fraction(1, many) for rows, many in zip(kept, people, strict=True) for _ in range(rows)]


def highest(kept: Sizes, people: Sizes, options: Mapping[str, Any]) -> bool:
    return max(risks(kept, people)) <= options["limit"]


def average(kept: Sizes, people: Sizes, options: Mapping[str, Any]) -> bool:
    every = risks(kept, people)
    return sum(every) / len(every) <= options["limit"]


def at_risk(kept: Sizes, people: Sizes, options: Mapping[str, Any]) -> bool:
    every = risks(kept, people)
    above = sum(risk > Fraction(options.get("threshold", "0.2")) for risk in every)
    return Fraction(above, len(every)) <= options["limit"]


def strict(kept: Sizes, people: Sizes, options: Mapping[str, Any]) -> bool:
    all_have_k = all(many >= options["k"] for rows, many in zip(kept, people, strict=True) if rows)
    return all_have_k and average(kept, people, options)


def uniques(kept: Sizes, people: Sizes, options: Mapping[str, Any]) -> bool:
    return Fraction(sum(rows == 1 for rows in kept), sum(kept)) <= options["limit"]


def k_people(kept: Sizes, people: Sizes, options: Mapping[str, Any]) -> bool:
    return all(many >= options["limit"] for rows, many in zip(kept, people, strict=True) if rows)


WHOLE = {"limit": st.integers(2, 5)}
SHARE = {"limit": st.sampled_from(LIMITS)}
ITSELF: dict[str, tuple[str, Holds, dict[str, Any]]] = {
    "prosecutor, highest": ("prosecutor-risk", highest, SHARE),
    "prosecutor, average": ("prosecutor-risk", average, SHARE | {"figure": st.just("average")}),
    "prosecutor, at-risk": (
        "prosecutor-risk",
        at_risk,
        SHARE | {"figure": st.just("at-risk"), "threshold": st.sampled_from(["0.2", "0.3", "0.5"])},
    ),
    "marketer": ("marketer-risk", average, SHARE),
    "sample uniques": ("sample-uniques", uniques, SHARE),
    "strict average": ("strict-average-risk", strict, SHARE | {"k": st.integers(1, 4)}),
    "k-anonymity": ("k-anonymity", k_people, WHOLE),
}
IN_POPULATION: dict[str, tuple[str, Holds, dict[str, Any]]] = {
    "journalist, highest": ("journalist-risk", highest, SHARE),
    "journalist, at-risk": ("journalist-risk", at_risk, SHARE | {"figure": st.just("at-risk")}),
    "marketer": ("marketer-risk", average, SHARE),
    "strict average": ("strict-average-risk", strict, SHARE | {"k": st.integers(1, 4)}),
    "k-map": ("k-map", k_people, WHOLE),
}


def smallest(sizes: Sizes, holds: Callable[[Sizes], bool]) -> int | None:
    """How many rows have to go at the least; None if only no row at all would do."""
    every = itertools.product(*(range(size + 1) for size in sizes))
    enough = [sum(sizes) - sum(kept) for kept in every if sum(kept) and holds(kept)]
    return min(enough, default=None)


def table_of(sizes: Sizes, names: str = "*abcd") -> pa.Table:
    """A class of suppressed rows among them, which is a class like others."""
    return pa.table(
        {"q": [name for name, size in zip(names, sizes, strict=False) for _ in range(size)]}
    )


def removed(name: str, options: Mapping[str, Any], table: pa.Table, **given: Any) -> int | None:
    """How many rows the remedy drops, or suppresses where these are no class."""
    result = find_measure(name).run(gather(table, quasi_identifiers="q", **given), options)
    takes = result.remedy
    assert takes is not None
    return takes.rows_to_suppress if takes.rows_to_drop is None else takes.rows_to_drop


@pytest.mark.parametrize("case", ITSELF)
@settings(max_examples=examples(60))
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=5), data=st.data())
def test_no_fewer_rows_would_do(case: str, sizes: list[int], data: st.DataObject) -> None:
    name, holds, strategy = ITSELF[case]
    options = data.draw(st.fixed_dictionaries(strategy))
    expected = smallest(sizes, lambda kept: holds(kept, kept, options))
    if name == "k-anonymity":
        # Suppressing can be enough there: see below.
        expected = smallest(sizes[1:], lambda kept: holds(kept, kept, options))
        assert removed(name, options, table_of(sizes[1:] or [1], "abcd"), suppressed="exclude") == (
            expected if len(sizes) > 1 else None
        )
        return
    assert removed(name, options, table_of(sizes)) == expected


@pytest.mark.parametrize("case", IN_POPULATION)
@settings(max_examples=examples(60))
@given(
    sizes=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=5),
    data=st.data(),
)
def test_no_fewer_rows_would_do_against_a_population(
    case: str, sizes: list[tuple[int, int]], data: st.DataObject
) -> None:
    name, holds, strategy = IN_POPULATION[case]
    options = data.draw(st.fixed_dictionaries(strategy))
    rows = [size for size, _ in sizes]
    people = [size + others for size, others in sizes]
    population = table_of(people, "abcde")
    expected = smallest(rows, lambda kept: holds(kept, people, options))
    assert removed(name, options, table_of(rows, "abcde"), population=population) == expected


@settings(max_examples=examples(60))
@given(
    classes=st.lists(
        st.lists(st.sampled_from("xyz"), min_size=1, max_size=3), min_size=1, max_size=3
    ),
    least=st.integers(1, 3),
)
def test_no_fewer_rows_would_do_for_l_diversity(classes: list[list[str]], least: int) -> None:
    """Without some of its rows, a class has no more values than before."""
    rows = [(name, value) for name, values in zip("abc", classes, strict=False) for value in values]
    enough = [
        len(rows) - len(kept)
        for size in range(1, len(rows) + 1)
        for kept in itertools.combinations(rows, size)
        if all(len({value for q, value in kept if q == name}) >= least for name, _ in kept)
    ]
    table = pa.table({"q": [q for q, _ in rows], "s": [s for _, s in rows]})
    assert removed("l-diversity", {"limit": least}, table, sensitive="s") == min(
        enough, default=None
    )


def test_the_example_of_the_issue() -> None:
    """Classes 5, 1, 2, 1: of the four rows at risk, three must go, since 1/6 is at most 1/4."""
    result = petaudit.prosecutor_risk(
        table_of([5, 1, 2, 1], "abcd"), quasi_identifiers="q", figure="at-risk", limit="1/4"
    )
    assert result.remedy is not None
    assert (result.remedy.rows_breaking, result.remedy.rows_to_drop) == (4, 3)
    assert result.explanation[-1] == (
        "4 rows break the limit; dropping 3 rows (33.3 %) from the table, riskiest classes first, "
        "is enough"
    )


@settings(max_examples=examples(60))
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4), k=st.integers(2, 5))
def test_no_fewer_rows_would_do_if_suppressed_rows_are_a_class(sizes: list[int], k: int) -> None:
    """Suppressed rows become one class; where that is too small, rows are dropped instead."""
    result = petaudit.k_anonymity(table_of(sizes), quasi_identifiers="q", limit=k)
    takes = result.remedy
    assert takes is not None
    stars, others = sizes[0], sizes[1:]
    hidden = [
        sum(others) - sum(kept)
        for kept in itertools.product(*(range(size + 1) for size in others))
        if all(rows >= k for rows in (*kept, stars + sum(others) - sum(kept)) if rows)
    ]
    if takes.rows_to_suppress is not None:
        assert takes.rows_to_suppress == min(hidden)
    elif takes.rows_to_drop is not None:
        assert takes.rows_to_drop == smallest(
            sizes, lambda kept: k_people(kept, kept, {"limit": k})
        )
    else:
        assert smallest(sizes, lambda kept: k_people(kept, kept, {"limit": k})) is None


def test_classes_of_as_many_people_go_until_it_is_enough() -> None:
    """Four classes of six people are 2/3; without those of one and of two rows it is 1/2."""
    classes = RiskClasses(
        np.array([1, 2, 3, 9]),
        np.array([1, 1, 1, 3]),
        np.array([1, 1, 1, 1]),
        suppressed_rows=0,
        table_rows=15,
        can_suppress=False,
    )
    assert classes.per_person == Fraction(2, 3)
    assert classes.enough_per_person(Fraction(1, 2)) == 3
