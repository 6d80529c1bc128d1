"""Strict average risk: with a population, with its size, and with neither."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budget import examples
from measures import population_twin as twin
from measures.populations import LIMITS, Populace, outcome_of, populaces
from measures.running import computing
from petaudit.errors import InputError, NotMeasurableError, OptionError
from petaudit.measures import find_measure
from petaudit.measures.base import Remedy, Result
from petaudit.measures.k_map import k_map
from petaudit.measures.strict_average_risk import strict_average_risk

# Classes of 1, 3 and 6 rows; with 4, 6 and 10 people.
TABLE = ["a", *["b"] * 3, *["c"] * 6]
POPULATION = ["a"] * 4 + ["b"] * 6 + ["c"] * 10


def measured(population: Any = None, **options: Any) -> Result:
    return strict_average_risk(
        pa.table({"zip": TABLE}),
        population=None if population is None else pa.table({"zip": population}),
        quasi_identifiers="zip",
        **options,
    )


@settings(max_examples=examples(120))
@given(
    populace=populaces(most_people=12),
    limit=LIMITS,
    k=st.sampled_from([None, 1, 2, 3, 6]),
    more=st.sampled_from([None, None, 0, 1, 7, 50]),
    alone=st.booleans(),
)
def test_it_is_the_twins(
    populace: Populace, limit: Fraction, k: int | None, more: int | None, alone: bool
) -> None:
    size = len(populace.table) + more if alone and more is not None else None
    pairs = populace.own_pairs if alone else outcome_of(populace)
    assume(isinstance(pairs, list) and pairs)
    rows = len(populace.table)
    is_estimate = size is not None and size > rows

    def risk(own: int) -> Fraction:
        """Where only the number of people is known, the mean of what it may be."""
        if size is None or not is_estimate:
            return Fraction(1, own)
        return Fraction(twin.expected_risk(own, rows, size))

    def average(own: list[tuple[int, int]]) -> Fraction:
        return sum(f * risk(of) for f, of in own) / Fraction(sum(f for f, _ in own))

    def people(own: int) -> int:
        if size is None or not is_estimate:
            return own
        return twin.estimated_k(own, rows, size, 0.01)

    def holds(own: list[tuple[int, int]]) -> bool:
        return average(own) <= limit and all(people(of) >= (k or 0) for _, of in own)

    inputs = populace.alone if alone else populace.inputs
    found = computing("strict-average-risk")(inputs, limit=limit, k=k, population_size=size)
    if is_estimate:
        assert found.value == pytest.approx(float(average(pairs)), rel=1e-12)
        assert found.highest == pytest.approx(max(float(risk(of)) for _, of in pairs), rel=1e-12)
    else:
        assert found.exact_value == average(pairs)
        assert found.highest == max(float(risk(of)) for _, of in pairs)
    assert found.fewest_people == min(people(of) for _, of in pairs)
    assert found.is_estimate is is_estimate
    assert found.passed is holds(pairs)
    takes = found.remedy
    assert takes is not None
    if found.passed:
        assert takes == Remedy(0, 0, 0.0)
    elif (enough := takes.rows_to_suppress or takes.rows_to_drop) is not None:
        assert (takes.rows_to_drop is None) is (populace.suppressed == "exclude")
        assert takes.rows_breaking > 0
        assert twin.can_be_reached(pairs, enough, holds, people_stay=not alone)
    elif alone or not inputs.population_classes.fit_elsewhere:
        assert not any(holds([pair]) for pair in pairs)


def test_by_hand() -> None:
    """3 classes by 10 rows; (1/4 + 3/6 + 6/10) / 10 with a population.

    Of 100 people a tenth is drawn: r(1) = -0.1 ln 0.1 / 0.9 = 0.2558428, and from each size to the
    next r(f + 1) = (1/f - r(f)) / 9: 0.0826841, 0.0463684, 0.0318850, 0.0242350, 0.0195294. So
    (1 * 0.2558428 + 3 * 0.0463684 + 6 * 0.0195294) / 10 = 0.0512125.
    """
    assert measured().exact_value == Fraction(3, 10)
    estimate = measured(population_size=100)
    assert estimate.value == pytest.approx(0.0512125, abs=5e-8)
    assert estimate.highest == pytest.approx(0.2558428, abs=5e-8)
    assert estimate.fewest_people == 1.0
    assert measured(POPULATION).exact_value == Fraction(135, 1000)
    figures = [measured(), measured(population_size=1000), measured(POPULATION)]
    assert [found.figure for found in figures] == [
        "strict-average-risk, in the table itself",
        "strict-average-risk, estimated from a population of 1,000",
        "strict-average-risk, in the population table",
    ]


def test_suppressed_rows_were_drawn_from_the_population_too() -> None:
    """10 rows and 10 suppressed ones of 100 people: a fifth was drawn, not a tenth."""
    table = pa.table({"zip": TABLE + ["*"] * 10})
    given: dict[str, Any] = {"quasi_identifiers": "zip", "population_size": 100}
    found = strict_average_risk(table, suppressed="exclude", **given)
    risks = [twin.expected_risk(size, 20, 100) for size in (1, 3, 6, 10)]
    classes = risks[0] + 3 * risks[1] + 6 * risks[2]
    assert found.value == pytest.approx(classes / 10, rel=1e-12)
    as_class = strict_average_risk(table, **given)
    assert as_class.value == pytest.approx((classes + 10 * risks[3]) / 20, rel=1e-12)
    # -0.2 ln 0.2 / 0.8
    assert found.highest == pytest.approx(0.402359478, abs=1e-9)


def test_a_table_of_unique_rows_is_not_safe_because_the_population_is_large() -> None:
    """Every tenth person is in the table, each alone: 10 people per row would be a guess."""
    table = pa.table({"zip": [f"z{place}" for place in range(20)]})
    asked: dict[str, Any] = {"quasi_identifiers": "zip", "population_size": 200}
    found = strict_average_risk(table, limit=0.2, **asked)
    assert (found.passed, found.fewest_people) == (False, 1.0)
    assert strict_average_risk(table, limit=0.3, **asked).passed
    assert strict_average_risk(table, limit=0.3, k=2, **asked).passed is False
    # It is k-map that judges k.
    for k in (1, 2, 6, 7):
        large = pa.table({"zip": ["a"] * 4 + ["b"] * 96})
        given: dict[str, Any] = {"quasi_identifiers": "zip", "population_size": 1000}
        judged = strict_average_risk(large, limit=1, k=k, **given)
        assert judged.passed is k_map(large, limit=k, **given).passed
        assert judged.fewest_people == k_map(large, **given).value == 6.0


def test_an_estimate_at_its_limit_keeps_it() -> None:
    value = measured(population_size=100).value
    assert measured(population_size=100, limit=value).passed
    assert measured(population_size=100, limit=value * (1 - 5e-13)).passed
    assert measured(population_size=100, limit=value * (1 - 1e-11)).passed is False


def test_a_population_that_is_all_in_the_table_is_not_estimated() -> None:
    found = measured(population_size=10, limit="0.3", k=1)
    assert (found.exact_value, found.passed, found.is_estimate) == (Fraction(3, 10), True, False)
    assert measured(population_size=10, limit="0.29999999999999", k=1).passed is False


@pytest.mark.parametrize(
    ("given", "limit", "k", "passed", "takes"),
    [
        ({}, 0.3, None, True, Remedy(0, 0, 0.0)),
        ({}, 0.3, 1, True, Remedy(0, 0, 0.0)),
        # The average holds, but one class is too small.
        ({}, 0.3, 2, False, Remedy(1, 1, 0.1)),
        ({}, 0.3, 4, False, Remedy(4, 4, 0.4)),
        ({}, 0.3, 7, False, Remedy(10, None, None)),
        # Without the row of risk 1: 2/9; without the class of three, too: 1/6.
        ({}, 0.25, None, False, Remedy(4, 1, 0.1)),
        ({}, 0.2, 2, False, Remedy(4, 4, 0.4)),
        # Of 100 people the average is 0.0512, and the classes are taken to have 1, 3 and 17.
        ({"population_size": 100}, 0.06, None, True, Remedy(0, 0, 0.0)),
        ({"population_size": 100}, 0.06, 1, True, Remedy(0, 0, 0.0)),
        ({"population_size": 100}, 0.06, 2, False, Remedy(1, 1, 0.1)),
        ({"population_size": 100}, 0.06, 4, False, Remedy(4, 4, 0.4)),
        ({"population_size": 100}, 0.06, 17, False, Remedy(4, 4, 0.4)),
        ({"population_size": 100}, 0.06, 18, False, Remedy(10, None, None)),
        # Only the row that is alone has a risk above 0.05; without it the average is 0.0285.
        ({"population_size": 100}, 0.05, None, False, Remedy(1, 1, 0.1)),
        ({"population_size": 100}, 0.028, None, False, Remedy(4, 4, 0.4)),
        ({"population": POPULATION}, 0.135, 4, True, Remedy(0, 0, 0.0)),
        ({"population": POPULATION}, 0.135, 5, False, Remedy(1, 1, 0.1)),
        ({"population": POPULATION}, "0.1349", 4, False, Remedy(4, 1, 0.1)),
    ],
)
def test_limits_and_what_they_take(
    given: Any, limit: Any, k: int | None, passed: bool, takes: Remedy
) -> None:
    found = measured(**given, limit=limit, k=k, suppressed="exclude")
    assert (found.passed, found.remedy) == (passed, takes)
    # Where suppressed rows would be a class, as many rows are dropped instead.
    found = measured(**given, limit=limit, k=k)
    rows, share = takes.rows_to_suppress, takes.share_to_suppress
    dropped = Remedy(takes.rows_breaking, None, None, rows, share) if rows else takes
    assert (found.passed, found.remedy) == (passed, dropped)


def test_explanation() -> None:
    assert measured(limit=0.2, k=2).explanation == (
        "10 rows in 3 classes",
        "fewest people in a class (in the table itself): 1 (2 required); the highest risk of a row "
        "is 1",
        "4 rows break the limit; dropping 4 rows (40 %) from the table, riskiest classes first, is "
        "enough",
    )
    assert measured(limit=0.2, k=2, suppressed="exclude").explanation[-1] == (
        "4 rows break the limit; suppressing 4 rows (40 %), riskiest classes first, is enough"
    )


def test_without_k_nobody_overlooks_a_unique_row() -> None:
    assert measured(limit=0.3).explanation == (
        "10 rows in 3 classes",
        "fewest people in a class (in the table itself): 1; the highest risk of a row is 1, which "
        "the limit does not judge: give k, too",
        "no row breaks the limit",
    )
    assert measured().explanation[1] == (
        "fewest people in a class (in the table itself): 1; the highest risk of a row is 1"
    )


def test_an_estimate_says_what_it_assumes() -> None:
    assert measured(population_size=100).explanation[1:] == (
        "people that every class is shown to have (estimated from a population of 100): 1; the "
        "highest risk of a row is about 0.2558",
        "an estimate, which assumes that the table is a random sample of the population: by its "
        "rows a class has a negative binomial number of people, and the fewest are those of k-map "
        "(significance 0.01)",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 2}, "k is judged together with the limit of strict-average-risk; give a limit, too"),
        ({"limit": 1, "k": 0}, "k must be an integer >= 1, got 0"),
        ({"limit": 1, "k": "2"}, "k must be an integer >= 1, got '2'"),
        ({"population_size": 0.5}, "population_size must be an integer >= 1, got 0.5"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        measured(**options)
    assert str(caught.value) == message


def test_a_k_without_a_limit_is_found_before_any_work() -> None:
    check = find_measure("strict-average-risk").check
    with pytest.raises(OptionError, match="k is judged together with the limit"):
        check({"k": 2})
    check({"limit": 0.5, "k": 2, "population_size": 9})


def test_a_size_that_contradicts_the_table() -> None:
    with pytest.raises(InputError, match="population_size is 9, fewer than the 10 rows"):
        measured(population_size=9)
    with pytest.raises(InputError, match="the population table has 20 rows"):
        measured(POPULATION, population_size=30)
    assert measured(POPULATION, population_size=20).exact_value == Fraction(135, 1000)


def test_a_table_of_suppressed_rows_only_cannot_be_measured() -> None:
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        strict_average_risk(pa.table({"zip": ["*"]}), quasi_identifiers="zip", suppressed="exclude")
    assert strict_average_risk(pa.table({"zip": ["*"]}), quasi_identifiers="zip").value == 1
