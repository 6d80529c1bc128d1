"""delta-presence: agreement with the definition, both bounds, what a limit takes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings

import petaudit
from budget import examples
from measures import population_twin as twin
from measures.populations import LIMITS, Populace, outcome_of, populaces
from measures.running import computing
from petaudit.errors import NotMeasurableError, OptionError, PetauditWarning
from petaudit.measures import find_measure
from petaudit.measures.base import Remedy, Result
from petaudit.measures.delta_presence import delta_presence

# Three of six people of 47*, two of three of 48* (Nergiz, Atzori and Clifton 2007).
TABLE = ["47*"] * 3 + ["48*"] * 2
POPULATION = ["47*"] * 6 + ["48*"] * 3


def measured(table: Any, population: Any, **options: Any) -> Result:
    return delta_presence(
        pa.table({"zip": table}),
        population=pa.table({"zip": population}),
        quasi_identifiers="zip",
        **options,
    )


@settings(max_examples=examples(120))
@given(populace=populaces(most_people=12), limit=LIMITS, least=LIMITS)
def test_delta_presence_is_the_twins(populace: Populace, limit: Fraction, least: Fraction) -> None:
    pairs = outcome_of(populace)
    assume(isinstance(pairs, list) and pairs and least <= limit)
    shares = [Fraction(size, of) for size, of in pairs]
    # Who may be suppressed has a class in the population as well: this is asked for the least.
    as_class = populace.suppressed == "class" and any(map(twin.is_suppressed, populace.table))
    said = len(pairs) - as_class
    smallest = shares[:said]
    if not smallest or twin.classes_without_rows(populace.table, populace.people):
        smallest.append(Fraction(0))
    compute = computing("delta-presence")
    result = compute(populace.inputs, limit=limit, least=least)
    assert (result.exact_value, result.exact_smallest) == (max(shares), min(smallest))
    assert result.passed is (max(shares) <= limit and min(smallest) >= least)
    assert compute(populace.inputs, limit=limit).passed is (max(shares) <= limit)
    takes = result.remedy
    assert takes is not None
    wrong = [
        size
        for place, (size, of) in enumerate(pairs)
        if Fraction(size, of) > limit or (place < said and Fraction(size, of) < least)
    ]
    assert takes.rows_breaking == sum(wrong)
    # What is left of each class, row by row, until its share is small enough.
    left = []
    for size, of in pairs:
        rows = size
        while Fraction(rows, of) > limit:
            rows -= 1
        left.append(Fraction(rows, of))
    removed = sum(size for size, _ in pairs) - sum(
        share * of for share, (_, of) in zip(left, pairs, strict=True)
    )
    reached = min([*left[:said], *smallest[said:]]) >= least and any(left)
    others = sum(of for _, of in pairs[:said])
    if as_class and len(populace.population) - others < pairs[-1][0]:
        # The people of a class that is emptied would be taken for those of the suppressed rows.
        reached = False
    if result.passed or not reached:
        assert takes.rows_to_drop is None
        assert takes.rows_to_suppress == (0 if result.passed else None)
    elif populace.suppressed == "exclude":
        assert (takes.rows_to_suppress, takes.rows_to_drop) == (removed, None)
    else:
        assert (takes.rows_to_suppress, takes.rows_to_drop) == (None, removed)


@pytest.mark.parametrize(
    ("limit", "least", "passed"),
    [
        ("2/3", None, True),
        ("2/3", "1/2", True),
        ("2/3", "0.500001", False),
        ("0.6666666666666666", None, False),
        ("0.6666666666666667", "0.5", True),
    ],
)
def test_both_bounds_are_exact(limit: str, least: str | None, passed: bool) -> None:
    bounds = [None if entry is None else Fraction(entry) for entry in (limit, least)]
    result = measured(TABLE, POPULATION, limit=bounds[0], least=bounds[1])
    assert (result.exact_value, result.exact_smallest) == (Fraction(2, 3), Fraction(1, 2))
    assert result.passed is passed


@pytest.mark.parametrize("population", ["presence.csv", "presence_transformed.csv"])
@pytest.mark.parametrize(("limit", "passed"), [("0.67", True), ("0.6", False)])
def test_the_table_of_the_paper(
    shared_data: Path, population: str, limit: str, passed: bool
) -> None:
    folder = shared_data / "presence"
    result = delta_presence(
        folder / "presence_anonymized.csv",
        population=folder / population,
        quasi_identifiers=["zip", "age", "nationality"],
        hierarchies=folder / "presence_hierarchy",
        limit=limit,
        least="0.5",
    )
    assert (result.exact_value, result.exact_smallest) == (Fraction(2, 3), Fraction(1, 2))
    assert result.passed is passed
    assert (result.classes, result.classes_without_rows) == (2, 0)


def test_a_class_of_the_population_without_a_row_has_a_share_of_0() -> None:
    result = measured(["a"], ["a", "a", "b", "b", "b"], limit=0.5, least=0.1)
    assert (result.value, result.smallest, result.passed) == (0.5, 0.0, False)
    assert result.remedy == Remedy(0, None, None)
    assert result.explanation == (
        "shares of the population in the table: 0 to 0.50, in 1 class of the table",
        "1 class of the population with 3 people: no row in the table, a share of 0 where 0.1 is "
        "the minimum",
        "the limit is missed because nobody in these classes is in the table; suppressing rows "
        "does not change that",
    )
    assert measured(["a"], ["a", "a", "b"], limit=0.5, least=0).passed
    assert measured(["a"], ["a", "a", "b"], limit=0.5).passed


def test_what_too_large_a_share_takes() -> None:
    """Of 4 of 5 and 3 of 3 people, 2 and 1 may stay for a limit of 0.5: 2 + 2 rows go."""
    table, population = ["a"] * 4 + ["b"] * 3 + ["c"], ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    result = measured(table, population, limit=0.5)
    assert result.remedy == Remedy(7, None, None, 4, 0.5)
    assert result.explanation[-1] == (
        "7 rows break the limit; dropping 4 rows (50 %) from the table reaches it"
    )
    assert measured(table, population, limit=0.5, suppressed="exclude").explanation[-1] == (
        "7 rows break the limit; suppressing 4 rows (50 %) reaches it"
    )
    # 1/3 and 2/5 would stay, so a least of 0.4 could not be kept.
    assert measured(table, population, limit=0.5, least=0.3).remedy == result.remedy
    assert measured(table, population, limit=0.5, least=0.4).remedy == Remedy(7, None, None)
    # Everything would have to go.
    assert measured(table, population, limit=0).remedy == Remedy(8, None, None)


def test_suppressed_rows_are_in_no_class_or_people_who_fit_none() -> None:
    table, population = ["a", "*", "*"], ["a", "a", "b", "b"]
    with pytest.warns(PetauditWarning, match="2 rows with"):
        left_out = measured(table, population, suppressed="exclude")
    assert (left_out.value, left_out.suppressed_rows) == (0.5, 2)
    # Both people of b, who fit no class, are in the table.
    as_class = measured(table, population, limit=0.5)
    assert (as_class.value, as_class.classes, as_class.suppressed_rows) == (1.0, 2, 0)
    assert as_class.remedy == Remedy(2, None, None, 1, 1 / 3)
    # Nobody is of another class than a: one of the three who are not in the table is not either.
    elsewhere = measured(["a", "*"], ["a"] * 4, limit=0.2, least=0.1)
    assert (elsewhere.value, elsewhere.smallest) == (0.25, 0.25)
    assert elsewhere.remedy == Remedy(2, None, None)


def test_one_row_and_a_null() -> None:
    assert measured([None], [None]).value == 1.0
    assert measured([None], [None, None, "a"]).value == 0.5


def test_a_table_of_suppressed_rows_only_cannot_be_measured() -> None:
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        measured(["*"], ["a", "b"], suppressed="exclude")
    result = measured(["*"], ["a", "b"], limit=0.5, least=0)
    assert (result.value, result.smallest, result.passed) == (0.5, 0.0, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"least": 0.5},
            "least is judged together with the limit of delta-presence; give a limit, too",
        ),
        ({"limit": 0.5, "least": 0.6}, "least is 0.6, above the limit 0.5: no share can meet both"),
        ({"limit": 1, "least": 2}, "least must be a number from 0 to 1, got 2"),
        ({"limit": 1, "least": "x"}, "least must be a finite number, got 'x'"),
        ({"limit": -1}, "the limit of delta-presence must not be negative, got -1"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        measured(TABLE, POPULATION, **options)
    assert str(caught.value) == message


def test_bounds_that_exclude_each_other_are_found_before_any_work() -> None:
    check = find_measure("delta-presence").check
    with pytest.raises(OptionError, match="no share can meet both"):
        check({"limit": 0.5, "least": "0.6"})
    check({"limit": 0.5, "least": 0.5})
    with pytest.raises(OptionError, match="least is judged together with the limit"):
        check({"least": 0.5})
    check({"limit": 0.5})


def test_a_limit_above_1_is_an_error() -> None:
    with pytest.raises(OptionError, match="no table exceeds 1, so every table would meet it"):
        measured(TABLE, POPULATION, limit=1.5)


def test_a_population_is_needed() -> None:
    result = petaudit.audit(pa.table({"zip": TABLE}), quasi_identifiers="zip")
    reasons = {entry.measure: str(entry.problem) for entry in result.not_measured}
    assert reasons["delta-presence"] == "needs a population table (population=)"
    assert find_measure("delta presence").name == "delta-presence"
