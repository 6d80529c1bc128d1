"""k-map: against a population, and against a population of which only the size is known."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from measures import population_twin as twin
from measures.populations import Populace, outcome_of, populaces
from measures.running import computing
from petaudit.errors import InputError, NotMeasurableError, OptionError, PetauditWarning
from petaudit.measures import find_measure
from petaudit.measures.base import Need, Remedy, Result
from petaudit.measures.k_map import k_map
from petaudit.pipelines.evaluating import missing_of


def measured(table: Any, population: Any = None, **options: Any) -> Result:
    return k_map(
        pa.table({"zip": table}),
        population=None if population is None else pa.table({"zip": population}),
        quasi_identifiers="zip",
        **options,
    )


@settings(max_examples=examples(150))
@given(populace=populaces(), limit=st.integers(1, 8))
def test_k_is_the_fewest_people_of_a_class(populace: Populace, limit: int) -> None:
    pairs = outcome_of(populace)
    assume(isinstance(pairs, list) and pairs)
    result = computing("k-map")(populace.inputs, limit=limit)
    assert result.value == min(of for _, of in pairs)
    assert result.passed is (result.value >= limit)
    broken = sum(size for size, of in pairs if of < limit)
    assert result.remedy is not None
    assert result.remedy.rows_breaking == broken
    takes = result.remedy
    if not 0 < broken < result.rows:
        assert (takes.rows_to_suppress, takes.rows_to_drop) == (None if broken else 0, None)
    elif populace.suppressed == "exclude":
        assert (takes.rows_to_suppress, takes.rows_to_drop) == (broken, None)
    else:
        assert takes.rows_to_suppress is None
        can = not populace.inputs.population_classes.fit_elsewhere
        assert takes.rows_to_drop == (broken if can else None)
    assert [point.rows for point in result.curve] == [
        sum(size for size, of in pairs if of < point.k) for point in result.curve
    ]
    assert [point.share for point in result.curve] == [
        point.rows / populace.inputs.counted.rows for point in result.curve
    ]
    assert result.figure == "k-map"


@settings(max_examples=examples(60))
@given(
    populace=populaces(),
    more=st.integers(0, 300),
    significance=st.sampled_from([0.01, 0.05, 0.2, 0.9]),
    limit=st.integers(1, 30),
)
def test_the_estimate_is_that_of_the_definition(
    populace: Populace, more: int, significance: float, limit: int
) -> None:
    pairs = populace.own_pairs
    assume(pairs)
    rows = len(populace.table)
    people = rows + more
    options: dict[str, Any] = {"population_size": people, "significance": significance}
    result = computing("k-map")(populace.alone, limit=limit, **options)
    smallest = min(size for size, _ in pairs)
    assert result.value == twin.estimated_k(smallest, rows, people, significance)
    assert result.passed is (result.value >= limit)
    # Beyond the whole population no class has people enough.
    enough = twin.k_prime(limit, rows, people, significance) if limit <= people else float("inf")
    assert result.remedy is not None
    assert result.remedy.rows_breaking == sum(size for size, _ in pairs if size < enough)
    assert result.figure == "k-map, estimated"


def test_an_estimate_by_hand() -> None:
    """Of 1,000 people 100 are in the table, so of k people k/10 are.

    The smallest class has 4 rows. For k = 6: Poisson(0.6) >= 4 has the probability
    1 - e^-0.6 (1 + 0.6 + 0.18 + 0.036) = 0.003358, and of the classes that have a row at all, which
    are 1 - e^-0.6 = 0.451188, this is 0.00744 <= 0.01. For k = 7: 0.005753 / 0.503415 = 0.01143 >
    0.01. So k = 6.
    """
    table = ["a"] * 4 + ["b"] * 96
    result = measured(table, population_size=1000, limit=6)
    assert (result.value, result.passed, result.is_estimate) == (6.0, True, True)
    assert measured(table, population_size=1000, limit=7).remedy == Remedy(4, None, None, 4, 0.04)
    assert measured(table, population_size=1000, limit=7, significance="0.0115").passed
    assert measured(table, population_size=1000, limit=7, significance=0.0114).passed is False
    # ARX's Poisson variant asks for 5 rows (x = 3 and k' = x + 2), its truncated one for 4, too.
    assert twin.k_prime(6, 100, 1000, 0.01) == 4


@pytest.mark.parametrize("people", [20, 200, 20_000, 10**12])
@pytest.mark.parametrize("significance", [0.01, 0.2, 0.999])
def test_a_row_that_is_alone_is_one_person_whatever_the_size(
    people: int, significance: float
) -> None:
    """Every class of the table has a row because it was drawn: one row says nothing more."""
    table = [f"z{place}" for place in range(20)]
    result = measured(table, population_size=people, significance=significance, limit=2)
    assert (result.value, result.passed) == (1.0, False)
    assert result.remedy == Remedy(20, None, None)


def test_a_class_of_k_rows_has_k_people_whatever_the_estimate_says() -> None:
    """The whole population is in the table: a Poisson number of 5 is often 5 or more."""
    assert measured(["a"] * 5 + ["b"] * 7, population_size=12).value == 5.0
    assert measured(["a"] * 5 + ["b"] * 7, population_size=12, limit=5).passed
    assert measured(["a"] * 5 + ["b"] * 7, population_size=12, limit=6).passed is False


def test_no_class_has_more_people_than_there_are() -> None:
    """Poisson(13) is 7 or more less often than 0.999, and yet there are only twelve people."""
    table = ["a"] * 5 + ["b"] * 7
    result = measured(table, population_size=12, significance=0.999, limit=13)
    assert (result.value, result.passed) == (12.0, False)
    assert result.remedy == Remedy(12, None, None)


def test_suppressed_rows_were_drawn_from_the_population_too() -> None:
    """50 suppressed rows halve nothing: 100 of 1,000 people were drawn."""
    table = ["a"] * 4 + ["b"] * 46 + ["*"] * 50
    assert measured(table, population_size=1000).value == 6.0
    result = measured(table, population_size=1000, suppressed="exclude")
    assert result.value == 6.0
    assert result.suppressed_rows == 50


def test_suppressed_rows_may_be_anybody_who_fits_no_class() -> None:
    """Against the people of the table itself, k-map is k-anonymity, suppressed rows included."""
    released, original = ["a", "a", "a", "*", "*"], ["a", "a", "a", "b", "c"]
    assert measured(released, original).value == 2.0
    # With others who fit none, they are among these, but not among those who fit a class.
    assert measured(released, [*original, "a", "b", "d"]).value == 4.0
    # A row of a class that lost one may be anybody of it, and nobody of a class that is complete.
    assert measured(["a", "*", "b", "b"], ["a"] * 3 + ["b"] * 2).value == 2.0
    assert measured(["a", "*", "b", "b", "b"], ["a"] * 3 + ["b"] * 3).value == 3.0
    with pytest.warns(PetauditWarning, match="1 row with"):
        assert measured(["a", "*"], ["a", "a", "b"], suppressed="exclude").value == 2.0
    assert measured(["a", "*"], ["a", "a", "b"]).value == 1.0


def test_a_population_table_of_the_paper(shared_data: Path) -> None:
    folder = shared_data / "presence"
    result = k_map(
        folder / "presence_anonymized.csv",
        population=folder / "presence.csv",
        quasi_identifiers=["zip", "age", "nationality"],
        hierarchies=folder / "presence_hierarchy",
        limit=3,
    )
    # Six people of 47* and three of 48*.
    assert (result.value, result.passed, result.population_size) == (3.0, True, 9)


def test_explanation() -> None:
    result = measured(["a", "b", "*"], ["a", "b", "b"], limit=2, suppressed="exclude")
    assert result.explanation == (
        "2 rows in 2 classes, 1 row suppressed; a population of 3 people",
        "1 row breaks the limit; suppressing 1 row (33.3 %) reaches it",
        "rows that could be fewer than k people: 2: 33.3 %, 3: 66.7 %, 5: 66.7 %, 10: 66.7 %, "
        "15: 66.7 %, 20: 66.7 %, 25: 66.7 %, 50: 66.7 %, 100: 66.7 %",
    )
    assert measured(["a", "a"], population_size=2).explanation[1] == (
        "an estimate from the smallest class of the table, which has 2 rows (significance 0.01)"
    )
    assert result.table("details")["rows"].values[:2] == [1, 2]
    with pytest.raises(OptionError, match="k-map has no table 'detail'"):
        result.table("detail")


def test_neither_a_population_nor_its_size() -> None:
    table = pa.table({"zip": ["a", "b"]})
    result = petaudit.audit(table, quasi_identifiers="zip")
    [reason] = [str(entry.problem) for entry in result.not_measured if entry.measure == "k-map"]
    assert reason == "needs a population table (population=) or the option population_size"
    assert petaudit.audit(
        table, quasi_identifiers="zip", options={"k-map": {"population_size": 9}}
    )["k-map"]
    assert petaudit.audit(table, population=table, quasi_identifiers="zip")["k-map"].value == 1
    with pytest.raises(NotMeasurableError, match="a population table or the option"):
        measured(["a"])


def test_a_pipeline_says_it_in_its_own_words() -> None:
    inputs: Any = SimpleNamespace(
        population=None, roles=SimpleNamespace(quasi_identifiers=("zip",))
    )
    measure = find_measure("k-map")
    assert missing_of(measure, inputs, {}) == (
        f"k-map needs {Need.POPULATION.in_pipeline} or population_size"
    )
    assert missing_of(measure, inputs, {"population_size": 9}) is None
    inputs.population = object()
    assert missing_of(measure, inputs, {}) is None


def test_a_size_that_contradicts_the_table_or_the_population() -> None:
    with pytest.raises(InputError) as caught:
        measured(["a", "b"], population_size=1)
    assert str(caught.value) == (
        "population_size is 1, fewer than the 2 rows of the table, whose people are all in the "
        "population"
    )
    with pytest.raises(InputError) as caught:
        measured(["a"], ["a", "a"], population_size=3)
    assert str(caught.value) == (
        "population_size is 3, but the population table has 2 rows; leave population_size out"
    )
    result = measured(["a"], ["a", "a"], population_size=2)
    assert (result.value, result.is_estimate, result.significance) == (2.0, False, None)


def test_a_significance_that_nothing_uses_is_worth_a_warning() -> None:
    with pytest.warns(PetauditWarning, match="significance is not used"):
        measured(["a"], ["a", "a"], significance=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measured(["a"], population_size=2, significance=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"population_size": 0}, "population_size must be an integer >= 1, got 0"),
        ({"population_size": "9"}, "population_size must be an integer >= 1, got '9'"),
        ({"population_size": True}, "population_size must be an integer >= 1, got true"),
        ({"significance": 0}, "significance must be a number > 0 and < 1, got 0"),
        ({"significance": "1"}, "significance must be a number > 0 and < 1, got 1"),
        ({"significance": "x"}, "significance must be a finite number, got 'x'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        measured(["a"], **({"population_size": 9} | options))
    assert str(caught.value) == message


def test_a_table_of_suppressed_rows_only_cannot_be_measured() -> None:
    for known in ({"population_size": 9}, {"population": ["a", "b"]}):
        with pytest.raises(NotMeasurableError, match="every row is suppressed"):
            measured(["*"], **known, suppressed="exclude")
    assert measured(["*"], ["a", "b"]).value == 2.0


def test_a_rule_reads_a_population_as_people_write_it() -> None:
    """1.234 is between 1000 and 2000, because another cell shows the comma to be decimal.

    A label of the rule itself is not one of the other values, which would make their class larger.
    """
    population = ["1.234,5", "1.234", "unknown", "[3000,4000["]
    rule = {"zip": petaudit.ranges(1000, other=True)}
    with pytest.warns(PetauditWarning, match="rule ranges for 'zip': numbers are read with"):
        result = k_map(
            pa.table({"zip": ["[1000,2000[", "other"]}),
            population=pa.table({"zip": population}),
            quasi_identifiers="zip",
            hierarchies=rule,
        )
    assert result.value == 1.0
    too_many = pa.table({"zip": ["[1000,2000[", "other", "other"]})
    everybody = pa.table({"zip": population})
    with pytest.raises(InputError, match="fewer"):
        k_map(too_many, population=everybody, quasi_identifiers="zip", hierarchies=rule)
