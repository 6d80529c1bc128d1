"""Profitability: agreement with the definition, the boundary, the figures beside the verdict."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
import twins
from budget import examples
from measures.running import computing
from petaudit import profitability
from petaudit.errors import NotMeasurableError, OptionError, RoleError
from petaudit.inputs import gather
from petaudit.measures import Result
from strategies import Release, arrow

compute = computing("profitability")

# Small whole numbers and halves, so that gain/c meets the cost and loss/c the benefit often.
AMOUNTS = st.sampled_from([Fraction(n, 2) for n in (0, 1, 2, 3, 4, 6, 8, 12, 24)])
GAMES = st.fixed_dictionaries(
    {"cost": AMOUNTS, "gain": AMOUNTS, "loss": AMOUNTS, "benefit": AMOUNTS}
)
SEED_ROWS = {"born": ["197*", "198*", "198*"]}
SEED_GAME = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}


def measured(release: Release, allow_attack: bool, **game: Any) -> Result:
    inputs = gather(
        arrow(release.released),
        quasi_identifiers=release.quasi_identifiers,
        suppressed=release.suppressed,
    )
    return compute(inputs, allow_attack=allow_attack, **game)


def class_of(size: int) -> list[dict[str, str | None]]:
    return [{"qi": "same"}] * size


# --- agreement with the twin ----------------------------------------------------------------


@settings(max_examples=examples(250))
@given(release=strategies.releases(), game=GAMES, allow_attack=st.booleans())
def test_verdict_and_counts_are_the_twins(
    release: Release, game: dict[str, Fraction], allow_attack: bool
) -> None:
    names, rows, treated = release.quasi_identifiers, release.released, release.suppressed
    classes = twins.classes(rows, names, treated)
    assume(classes)
    result = measured(release, allow_attack, **game)
    assert result.passed is result.value
    assert result.passed is twins.profitability(
        rows, names, **game, allow_attack=allow_attack, suppressed=treated
    )
    assert result.rows == sum(len(members) for members in classes)
    # One row at a time, in a table that holds nothing but its class.
    alone = [class_of(len(members)) for members in classes for _ in members]
    assert result.rows_failing_benefit == sum(
        not twins.profitability(rows, ["qi"], **game, allow_attack=True) for rows in alone
    )
    assert result.rows_worth_attacking == sum(
        game["gain"] / len(rows) >= game["cost"] for rows in alone
    )


@settings(max_examples=examples(120))
@given(game=GAMES, allow_attack=st.booleans())
def test_the_smallest_passing_class_is_found(game: dict[str, Fraction], allow_attack: bool) -> None:
    inputs = gather(pa.table(SEED_ROWS), quasi_identifiers="born")
    result = compute(inputs, allow_attack=allow_attack, **game).smallest_passing_class
    # No amount exceeds 12 and none but 0 is below 1/2, so beyond 24 rows nothing changes.
    passing = [
        size
        for size in range(1, 40)
        if twins.profitability(class_of(size), ["qi"], **game, allow_attack=allow_attack)
    ]
    assert result == min(passing, default=None)
    assert passing == ([] if result is None else list(range(result, 40)))


@settings(max_examples=examples(60))
@given(release=strategies.releases(), game=GAMES)
def test_the_worst_row_stands_in_the_smallest_class(
    release: Release, game: dict[str, Fraction]
) -> None:
    classes = twins.classes(release.released, release.quasi_identifiers, release.suppressed)
    assume(classes)
    result = measured(release, True, **game)
    worst = result.worst_row
    assert worst is not None
    size = min(len(members) for members in classes)
    expected_gain = game["gain"] / size
    risk = game["loss"] / size if expected_gain >= game["cost"] else 0
    assert (worst.class_size, worst.adversary_expected_gain) == (size, float(expected_gain))
    assert worst.adversary_payoff == float(expected_gain - game["cost"])
    assert worst.publisher_risk == float(risk)
    assert worst.publisher_payoff == float(game["benefit"] - risk)


# --- by hand --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "allow_attack", "passed", "failing", "worth_attacking"),
    [
        ({}, True, True, 0, 3),
        ({}, False, False, 0, 3),
        ({"benefit": 200}, True, False, 1, 3),
        ({"benefit": 300}, True, False, 1, 3),
        ({"benefit": "300.0000000000000001"}, True, True, 0, 3),
        ({"benefit": 150}, True, False, 3, 3),
        ({"cost": 300}, False, False, 0, 1),
        ({"cost": 300, "benefit": 250}, True, False, 1, 1),
        ({"cost": 301}, False, True, 0, 0),
        ({"cost": 301, "benefit": 0}, False, False, 3, 0),
        ({"cost": 0, "gain": 0, "loss": 0}, True, True, 0, 3),
    ],
)
def test_the_seeds_three_rows(
    change: dict[str, Any], allow_attack: bool, passed: bool, failing: int, worth_attacking: int
) -> None:
    result = profitability(
        pa.table(SEED_ROWS),
        quasi_identifiers="born",
        allow_attack=allow_attack,
        **SEED_GAME | change,
    )
    assert result.passed is passed
    assert (result.rows_failing_benefit, result.rows_worth_attacking) == (failing, worth_attacking)


def test_the_inputs_are_echoed() -> None:
    result = profitability(pa.table(SEED_ROWS), quasi_identifiers="born", **SEED_GAME)
    assert result.allow_attack is True
    assert (result.adversary_cost, result.adversary_gain) == (4, 300)
    assert (result.publisher_loss, result.publisher_benefit) == (300, 1200)
    assert result.limit is None


@pytest.mark.parametrize(("suppressed", "rows", "failing"), [("exclude", 2, 0), ("class", 3, 1)])
def test_a_lone_suppressed_row_is_left_out_or_a_class_of_one(
    suppressed: Any, rows: int, failing: int
) -> None:
    result = profitability(
        pa.table({"born": ["*", "198*", "198*"]}),
        quasi_identifiers="born",
        suppressed=suppressed,
        **SEED_GAME | {"benefit": 200},
    )
    assert (result.rows, result.rows_failing_benefit) == (rows, failing)


def test_suppressed_rows_as_a_class_add_to_classes_of_their_size() -> None:
    result = profitability(
        pa.table({"born": ["*", "*", "198*", "198*"]}),
        quasi_identifiers="born",
        suppressed="class",
        **SEED_GAME | {"benefit": 150},
    )
    assert (result.rows, result.rows_failing_benefit) == (4, 4)


def test_a_table_of_suppressed_rows_cannot_be_judged() -> None:
    table = pa.table({"born": ["*"]})
    with pytest.raises(NotMeasurableError, match="every row is suppressed"):
        profitability(table, quasi_identifiers="born", suppressed="exclude", **SEED_GAME)


def test_the_explanation_gives_the_reason_for_the_verdict() -> None:
    result = profitability(
        pa.table(SEED_ROWS), quasi_identifiers="born", **SEED_GAME | {"benefit": 200}
    )
    assert result.explanation == (
        "benefit above risk: fails for 1 of 3 rows",
        "attack does not pay: fails for 3 of 3 rows (allowed)",
        "worst row (class of 1): publisher gains -100, an attacker 296",
        "classes of 2 rows or more pass",
    )


def test_the_explanation_says_when_no_class_could_pass() -> None:
    result = profitability(
        pa.table(SEED_ROWS), quasi_identifiers="born", **SEED_GAME | {"benefit": 0}
    )
    assert result.smallest_passing_class is None
    assert result.explanation[-1] == "no class size would pass"


# --- options --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cost", "gain", "loss", "benefit"])
@pytest.mark.parametrize(
    "value", [-1, "-0.5", "four", "", float("nan"), float("inf"), True, None, Decimal("NaN"), [4]]
)
def test_an_amount_that_is_no_finite_number_from_zero_is_an_error(name: str, value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        profitability(pa.table(SEED_ROWS), quasi_identifiers="born", **SEED_GAME | {name: value})
    assert name in str(caught.value)
    assert str(value) in str(caught.value)


@pytest.mark.parametrize("allow_attack", ["no", 0, 1, None])
def test_allow_attack_is_true_or_false(allow_attack: Any) -> None:
    with pytest.raises(OptionError, match="allow_attack must be true or false, got "):
        profitability(
            pa.table(SEED_ROWS), quasi_identifiers="born", allow_attack=allow_attack, **SEED_GAME
        )


def test_text_and_decimals_are_amounts() -> None:
    amounts = {"cost": "4.0", "gain": Decimal(300), "loss": Fraction(300), "benefit": 1.2e3}
    result = profitability(pa.table(SEED_ROWS), quasi_identifiers="born", **amounts)
    assert result == profitability(pa.table(SEED_ROWS), quasi_identifiers="born", **SEED_GAME)


@pytest.mark.parametrize("name", ["cost", "gain", "loss", "benefit"])
@pytest.mark.parametrize(
    "value", ["1e400", 10**400, Decimal("1e400")], ids=["text", "whole number", "decimal"]
)
def test_an_amount_beyond_the_largest_float_is_an_error(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=name):
        profitability(pa.table(SEED_ROWS), quasi_identifiers="born", **SEED_GAME | {name: value})


def test_without_quasi_identifiers_it_is_an_error() -> None:
    with pytest.raises(RoleError, match="no quasi-identifier is known"):
        profitability(pa.table(SEED_ROWS), **SEED_GAME)
