"""Prosecutor, journalist and marketer risk, and sample uniques."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from measures import population_twin as twin
from measures.populations import LIMITS, Populace, outcome_of, populaces
from measures.running import computing
from petaudit.errors import InputError, NotMeasurableError, OptionError
from petaudit.measures import journalist_risk as journalist
from petaudit.measures import marketer_risk as marketer
from petaudit.measures import prosecutor_risk as prosecutor
from petaudit.measures import sample_uniques as uniques
from petaudit.measures.base import Remedy, Result

FIGURES = ("highest", "average", "at-risk")
ADULT_8 = [
    *("age", "education", "marital-status", "native-country"),
    *("occupation", "race", "salary-class", "sex"),
]
prosecute, tell = computing("prosecutor-risk"), computing("journalist-risk")
Pairs = list[tuple[int, int]]


def figures(pairs: Pairs, average: Fraction, threshold: Fraction) -> dict[str, Fraction]:
    return {
        "highest": max(twin.row_risks(pairs)),
        "average": average,
        "at-risk": twin.share_above(pairs, threshold),
    }


def dropping(breaking: int, rows: int, share: float) -> Remedy:
    return Remedy(breaking, None, None, rows, share)


def check_common(found: Result, pairs: Pairs, average: Fraction, threshold: Fraction) -> None:
    risks = twin.row_risks(pairs)
    assert found.highest == float(max(risks))
    assert found.lowest == float(min(risks))
    assert found.average == float(average)
    assert found.rows_at_risk == sum(risk > threshold for risk in risks)
    assert found.share_at_risk == float(twin.share_above(pairs, threshold))
    assert (found.rows, found.classes) == (len(risks), len(pairs))


def check_remedy(
    found: Result,
    pairs: Pairs,
    suppressed: str,
    holds: Any,
    *,
    can_drop: bool = True,
    people_stay: bool = False,
) -> None:
    """What is said to be enough must be enough, and nothing at all where the limit holds."""
    takes = found.remedy
    assert takes is not None
    if found.passed:
        assert takes == Remedy(0, 0, 0.0)
        return
    assert takes.rows_breaking > 0
    enough = takes.rows_to_suppress or takes.rows_to_drop
    if enough is not None:
        assert (takes.rows_to_drop is None) is (suppressed == "exclude")
        assert 0 < enough < found.rows  # type: ignore[attr-defined]
        assert twin.can_be_reached(pairs, enough, holds, people_stay=people_stay)
    elif can_drop:
        # Then no class at all could stay.
        assert not any(holds([pair]) for pair in pairs)


@settings(max_examples=examples(120))
@given(
    populace=populaces(most_people=12),
    limit=LIMITS,
    threshold=LIMITS,
    figure=st.sampled_from(FIGURES),
)
def test_prosecutor_risk_is_the_twins(
    populace: Populace, limit: Fraction, threshold: Fraction, figure: str
) -> None:
    pairs = populace.own_pairs
    assume(pairs)
    if figure == "at-risk" and threshold == 1:
        with pytest.raises(OptionError, match="threshold is 1; no risk is above that"):
            prosecute(populace.alone, limit=limit, figure=figure, threshold=threshold)
        return
    found = prosecute(populace.alone, limit=limit, figure=figure, threshold=threshold)

    def value(own: Pairs) -> Fraction:
        return figures(own, twin.average(own), threshold)[figure]

    # The average is classes/rows.
    assert twin.average(pairs) == Fraction(len(pairs), sum(size for size, _ in pairs))
    assert found.exact_value == value(pairs)
    assert found.passed is (value(pairs) <= limit)
    check_common(found, pairs, twin.average(pairs), threshold)
    check_remedy(found, pairs, populace.suppressed, lambda own: value(own) <= limit)


@settings(max_examples=examples(150))
@given(
    populace=populaces(most_people=12),
    limit=LIMITS,
    threshold=LIMITS,
    figure=st.sampled_from(FIGURES),
)
def test_journalist_risk_is_the_twins(
    populace: Populace, limit: Fraction, threshold: Fraction, figure: str
) -> None:
    pairs = outcome_of(populace)
    assume(isinstance(pairs, list) and pairs)
    if figure == "at-risk" and threshold == 1:
        with pytest.raises(OptionError, match="threshold is 1; no risk is above that"):
            tell(populace.inputs, limit=limit, figure=figure, threshold=threshold)
        return
    found = tell(populace.inputs, limit=limit, figure=figure, threshold=threshold)

    def value(own: Pairs) -> Fraction:
        return figures(own, twin.journalist_average(own), threshold)[figure]

    assert found.exact_value == value(pairs)
    assert found.passed is (value(pairs) <= limit)
    check_common(found, pairs, twin.journalist_average(pairs), threshold)
    can_drop = not populace.inputs.population_classes.fit_elsewhere
    check_remedy(
        found,
        pairs,
        populace.suppressed,
        lambda own: value(own) <= limit,
        can_drop=can_drop,
        people_stay=True,
    )


@settings(max_examples=examples(100))
@given(populace=populaces(most_people=12), limit=LIMITS, alone=st.booleans())
def test_marketer_risk_is_the_twins(populace: Populace, limit: Fraction, alone: bool) -> None:
    pairs = populace.own_pairs if alone else outcome_of(populace)
    assume(isinstance(pairs, list) and pairs)
    inputs = populace.alone if alone else populace.inputs
    found = computing("marketer-risk")(inputs, limit=limit)
    assert found.exact_value == twin.average(pairs)
    assert found.passed is (twin.average(pairs) <= limit)
    check_common(found, pairs, twin.average(pairs), Fraction(1, 5))
    can_drop = alone or not populace.inputs.population_classes.fit_elsewhere
    check_remedy(
        found,
        pairs,
        populace.suppressed,
        lambda own: twin.average(own) <= limit,
        can_drop=can_drop,
        people_stay=not alone,
    )


@settings(max_examples=examples(100))
@given(populace=populaces(most_people=12), limit=LIMITS)
def test_sample_uniques_are_the_twins(populace: Populace, limit: Fraction) -> None:
    pairs = populace.own_pairs
    assume(pairs)
    found = computing("sample-uniques")(populace.alone, limit=limit)

    def value(own: Pairs) -> Fraction:
        return Fraction(sum(size == 1 for size, _ in own), sum(size for size, _ in own))

    assert found.exact_value == value(pairs)
    assert found.uniques == sum(size == 1 for size, _ in pairs)
    assert found.passed is (value(pairs) <= limit)
    check_remedy(found, pairs, populace.suppressed, lambda own: value(own) <= limit)


# --- by hand ----------------------------------------------------------------------------------

# Classes of 1, 1, 3 and 5 rows.
TABLE = pa.table({"zip": ["a", "b", *["c"] * 3, *["d"] * 5]})
# With 2, 10, 5 and 8 people.
POPULATION = pa.table({"zip": ["a"] * 2 + ["b"] * 10 + ["c"] * 5 + ["d"] * 8 + ["e"] * 3})


def prosecuted(**options: Any) -> Result:
    return prosecutor.prosecutor_risk(TABLE, quasi_identifiers="zip", **options)


def told(**options: Any) -> Result:
    return journalist.journalist_risk(
        TABLE, population=POPULATION, quasi_identifiers="zip", **options
    )


def test_prosecutor_risk_by_hand() -> None:
    """Risks 1, 1, 1/3 (3 rows), 1/5 (5 rows): average 4/10; above 0.2 are 5 rows, not 10."""
    found = prosecuted(limit=1)
    assert (found.highest, found.average, found.lowest) == (1.0, 0.4, 0.2)
    assert (found.rows_at_risk, found.share_at_risk) == (5, 0.5)
    # Suppressed, they would be a class of five.
    assert found.rows_to_suppress_for_threshold is None
    assert prosecuted(suppressed="exclude").rows_to_suppress_for_threshold == 5
    assert found.passed
    assert found.figure == "prosecutor-risk, highest"
    assert found.explanation == (
        "highest 1, average 0.4, lowest 0.2; 10 rows in 4 classes",
        "5 rows (50 %) have a risk above 0.2; without them no row has",
        "no row breaks the limit",
    )
    assert prosecuted(threshold="0.1999").rows_at_risk == 10
    assert prosecuted(threshold="0.1999").rows_to_suppress_for_threshold is None
    assert prosecuted(threshold=1).rows_at_risk == 0
    assert prosecuted(threshold=1).explanation[1] == "no row has a risk above 1"


def test_what_a_limit_of_the_prosecutor_takes() -> None:
    assert prosecuted(limit=0.2).remedy == dropping(5, 5, 0.5)
    assert prosecuted(limit=0.2, suppressed="exclude").remedy == Remedy(5, 5, 0.5)
    assert prosecuted(limit=0.19).remedy == Remedy(10, None, None)
    # Without one row of risk 1: 3/9; without both: 2/8 = 0.25.
    for limit, enough in [("0.4", 0), ("0.39", 1), ("0.334", 1), ("0.333", 2), ("0.25", 2)]:
        found = prosecuted(limit=limit, figure="average").remedy
        assert found is not None
        assert (found.rows_to_drop or 0) == enough, limit
    # Without both and the class of 3: 1/5.
    assert prosecuted(limit=0.24, figure="average").remedy == dropping(5, 5, 0.5)
    assert prosecuted(limit=0.24, figure="average").explanation[-1] == (
        "5 rows break the limit; dropping 5 rows (50 %) from the table, riskiest classes first, is "
        "enough"
    )
    # Five of ten rows are above 0.2. Without two of them three of eight are.
    assert prosecuted(limit=0.5, figure="at-risk").passed
    assert prosecuted(limit=0.4, figure="at-risk").remedy == dropping(5, 2, 0.2)


def test_journalist_risk_by_hand() -> None:
    """f/F: 1/2, 1/10, 3/5, 5/8; their sum 1.825 by 10 rows against 4 classes by 25 people."""
    found = told(figure="average")
    assert found.exact_value == Fraction("0.1825")
    assert found.value > 4 / 25
    assert (found.highest, found.lowest) == (0.5, 0.1)
    # Only 1/2 is strictly above 0.2; 1/5 of the class of three is not.
    assert (found.rows_at_risk, found.rows_to_suppress_for_threshold) == (1, None)
    assert told(figure="at-risk").value == 0.1
    assert told(limit=0.2).remedy == dropping(1, 1, 0.1)
    assert told().value == 0.5
    assert told(figure="at-risk").figure == "journalist-risk, at-risk"


def test_the_way_from_the_population_may_be_the_more_promising_one() -> None:
    """1 of 2 and 8 of 10 people: 2 classes by 12 people against (1/2 + 8/10)/9 = 0.144."""
    table = pa.table({"zip": ["a"] + ["b"] * 8})
    given = {
        "population": pa.table({"zip": ["a"] * 2 + ["b"] * 10}),
        "quasi_identifiers": "zip",
        "limit": 0.15,
    }
    found = journalist.journalist_risk(table, figure="average", **given)
    assert found.exact_value == Fraction(1, 6)
    # A marketer starts from the table.
    assert marketer.marketer_risk(table, **given).exact_value == Fraction(13, 90)
    # Without the first class 1/10 is left.
    assert found.remedy == dropping(1, 1, 1 / 9)


def test_marketer_risk_by_hand() -> None:
    found = marketer.marketer_risk(TABLE, population=POPULATION, quasi_identifiers="zip", limit=0.2)
    assert found.exact_value == Fraction("0.1825")
    assert found.passed
    assert found.figure == "marketer-risk, in the population"
    alone = marketer.marketer_risk(TABLE, quasi_identifiers="zip")
    assert (alone.value, alone.figure) == (0.4, "marketer-risk, in the table itself")


def test_sample_uniques_by_hand() -> None:
    found = uniques.sample_uniques(TABLE, quasi_identifiers="zip", limit=0.15)
    assert (found.value, found.uniques, found.passed) == (0.2, 2, False)
    # One of nine rows is below 0.15.
    assert found.remedy == dropping(2, 1, 0.1)
    assert found.explanation == (
        "2 of 10 rows alone in their class",
        "2 rows break the limit; dropping 1 row (10 %) from the table, riskiest classes first, is "
        "enough",
    )


# --- reference tables -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "highest", "alone"), [("adult.csv", 1.0, 11_973), ("adult_anonymized.csv", 0.2, 0)]
)
def test_adult(shared_data: Path, table: str, highest: float, alone: int) -> None:
    """The highest risks are PETWorks' figures."""
    path = shared_data / "adult" / table
    assert prosecutor.prosecutor_risk(path, quasi_identifiers=ADULT_8).value == highest
    assert uniques.sample_uniques(path, quasi_identifiers=ADULT_8).uniques == alone


def test_adult_against_itself(shared_data: Path) -> None:
    """The published part of adult is 21,932 rows in some classes, all within the population.

    The other 8,230 are one more class, of as many people who fit no other.
    """
    folder = shared_data / "adult"
    released = folder / "adult_anonymized.csv"
    given: dict[str, Any] = {"population": released, "quasi_identifiers": ADULT_8}
    for suppressed, average in (
        ("exclude", Fraction(920, 21_932)),
        ("class", Fraction(921, 30_162)),
    ):
        given["suppressed"] = suppressed
        found = journalist.journalist_risk(released, **given, figure="average")
        assert found.exact_value == average
        assert marketer.marketer_risk(released, **given).exact_value == average


def test_a_label_of_adult_that_is_a_leaf_and_the_root(shared_data: Path) -> None:
    """50 is the leaf and not above every age; the released ages are means, so people lack."""
    folder = shared_data / "adult"
    with pytest.raises(InputError, match="have fewer people in the population than rows"):
        journalist.journalist_risk(
            folder / "adult_anonymized.csv",
            population=folder / "adult.csv",
            quasi_identifiers=ADULT_8,
            hierarchies=folder / "adult_hierarchy",
        )


# --- boundaries and errors --------------------------------------------------------------------

EVERY: dict[str, Any] = {
    "prosecutor-risk": petaudit.prosecutor_risk,
    "journalist-risk": petaudit.journalist_risk,
    "marketer-risk": petaudit.marketer_risk,
    "sample-uniques": petaudit.sample_uniques,
}


@pytest.mark.parametrize("name", EVERY)
def test_suppressed_rows_only(name: str) -> None:
    table, people = pa.table({"zip": ["*", "*"]}), pa.table({"zip": ["a", "b", "c"]})
    with pytest.raises(NotMeasurableError, match="every row is suppressed: there is no class"):
        EVERY[name](table, population=people, quasi_identifiers="zip", suppressed="exclude")
    found = EVERY[name](table, population=people, quasi_identifiers="zip")
    expected = {"prosecutor-risk": 1 / 2, "sample-uniques": 0.0}
    assert found.value == expected.get(name, 1 / 3)


@pytest.mark.parametrize("name", EVERY)
def test_one_row_that_is_a_null(name: str) -> None:
    table = pa.table({"zip": pa.array([None], pa.string())})
    found = EVERY[name](table, population=table, quasi_identifiers="zip", limit=1)
    assert (found.value, found.passed, found.suppressed_rows) == (1.0, True, 0)


@pytest.mark.parametrize("name", EVERY)
def test_a_limit_above_1_is_an_error(name: str) -> None:
    with pytest.raises(OptionError, match=f"the limit of {name} is 2; no table exceeds 1"):
        EVERY[name](TABLE, population=POPULATION, quasi_identifiers="zip", limit=2)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("prosecutor-risk", {"threshold": 2}, "threshold must be a number from 0 to 1, got 2"),
        ("marketer-risk", {"threshold": -1}, "threshold must be a number from 0 to 1, got -1"),
        ("journalist-risk", {"threshold": "x"}, "threshold must be a finite number, got 'x'"),
        (
            "journalist-risk",
            {"figure": "hihgest"},
            "figure must be highest, average or at-risk, got 'hihgest' (did you mean 'highest'?)",
        ),
        ("prosecutor-risk", {"figure": 3}, "figure must be highest, average or at-risk, got 3"),
        (
            "sample-uniques",
            {"limit": "x"},
            "the limit of sample-uniques must be a finite number, got 'x'",
        ),
        ("marketer-risk", {"limit": -1}, "the limit of marketer-risk must not be negative, got -1"),
    ],
)
def test_wrong_options(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        EVERY[name](TABLE, population=POPULATION, quasi_identifiers="zip", **options)
    assert str(caught.value) == message


def test_a_journalist_needs_a_population() -> None:
    with pytest.raises(InputError, match="a population table is needed and was not given"):
        petaudit.journalist_risk(TABLE, quasi_identifiers="zip")


def test_tables_of_results() -> None:
    found = prosecuted()
    assert found.table("details")["figure"].values == ["highest", "average", "lowest", "at-risk"]
    assert found.table("details")["value"].values == [1.0, 0.4, 0.2, 0.5]
    assert found.table("global")["value"].values == [1.0]
    with pytest.raises(OptionError, match="prosecutor-risk has no table 'columnwise'"):
        found.table("columnwise")
    # Many digits of a fraction would drown the rest.
    assert "exact_value" not in found.to_dict()
