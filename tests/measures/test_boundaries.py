"""A figure that equals its limit keeps it, on every engine, and one digit further it does not."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from petaudit import precision, profitability, t_closeness
from strategies import TABLE_ENGINES, on_engine

every_engine = pytest.mark.parametrize("engine", [*TABLE_ENGINES, "polars-lazy"])

# The seed's salaries; then two thirds of a class against two fifths of the table (6 of 15 rows);
# then four fifths of one class and one fifth of the other against a half.
THREE_EIGHTHS = {"qi": list("aabbb"), "s": ["3", "4", "5", "6", "8"]}
FOUR_FIFTEENTHS = {"qi": ["a"] * 3 + ["b"] * 12, "s": list("xxy" + "xxxxyyyyyyyy")}
THREE_TENTHS = {"qi": list("aaaaabbbbb"), "s": list("xxxxyxyyyy")}


@every_engine
@pytest.mark.parametrize(
    ("columns", "t", "limit", "passed"),
    [
        (THREE_EIGHTHS, "3/8", 0.375, True),
        (THREE_EIGHTHS, "3/8", "0.375", True),
        (THREE_EIGHTHS, "3/8", Decimal("0.375"), True),
        (THREE_EIGHTHS, "3/8", "0.3749999999999999999999", False),
        (THREE_EIGHTHS, "3/8", math.nextafter(0.375, 0), False),
        (FOUR_FIFTEENTHS, "4/15", Fraction(4, 15), True),
        (FOUR_FIFTEENTHS, "4/15", "0.26666666666666666", False),
        (FOUR_FIFTEENTHS, "4/15", "0.26666666666666667", True),
        (FOUR_FIFTEENTHS, "4/15", Decimal("0.26666666666666666"), False),
        (FOUR_FIFTEENTHS, "4/15", Decimal("0.26666666666666667"), True),
        (FOUR_FIFTEENTHS, "4/15", math.nextafter(4 / 15, 0), False),
        (FOUR_FIFTEENTHS, "4/15", math.nextafter(4 / 15, 1), True),
        # The float 0.3 is a little below 3/10, but its owner did not mean that.
        (THREE_TENTHS, "3/10", 0.3, True),
        (THREE_TENTHS, "3/10", "0.3", True),
        (THREE_TENTHS, "3/10", Fraction(0.3), False),
        (THREE_TENTHS, "3/10", math.nextafter(0.3, 0), False),
    ],
)
def test_t_against_its_limit(
    engine: str, columns: dict[str, list[str]], t: str, limit: Any, passed: bool, tmp_path: Path
) -> None:
    table = on_engine(columns, engine, tmp_path / "table")
    for reveal in (False, True):
        result = t_closeness(
            table, quasi_identifiers="qi", sensitive="s", limit=limit, reveal_values=reveal
        )
        assert result.exact_value == Fraction(t)
        assert result.passed is passed
        assert (result.attributes[0].rows_above_limit == 0) is passed


@every_engine
@pytest.mark.parametrize("typed", [False, True])
def test_numbers_and_their_spelling_give_the_same_verdict(
    engine: str, typed: bool, tmp_path: Path
) -> None:
    salaries = [3, 4, 5, 6, 8] if typed else THREE_EIGHTHS["s"]
    table = on_engine(THREE_EIGHTHS | {"s": salaries}, engine, tmp_path / "table")
    result = t_closeness(table, quasi_identifiers="qi", sensitive="s", limit=0.375)
    assert (result.exact_value, result.passed) == (Fraction(3, 8), True)


@every_engine
@pytest.mark.parametrize(
    ("game", "allow_attack", "passed"),
    [
        # Classes of 3 and of 7 rows. An attack that just breaks even is one.
        ({"cost": "0.1", "gain": "0.3", "loss": 1, "benefit": 1}, False, False),
        ({"cost": "0.1000000000000000000001", "gain": "0.3", "loss": 1, "benefit": 1}, False, True),
        ({"cost": 0.1, "gain": 0.3, "loss": 1, "benefit": 1}, False, False),
        ({"cost": math.nextafter(0.1, 1), "gain": 0.3, "loss": 1, "benefit": 1}, False, True),
        ({"cost": 100, "gain": 300, "loss": 300, "benefit": 99}, True, False),
        ({"cost": "100.0000000000000000001", "gain": 300, "loss": 300, "benefit": 99}, True, True),
        # A benefit that equals the risk does not pay.
        ({"cost": 1, "gain": 300, "loss": 300, "benefit": 100}, True, False),
        ({"cost": 1, "gain": 300, "loss": 300, "benefit": "100.0000000000000000001"}, True, True),
        ({"cost": 0, "gain": 1, "loss": 0.3, "benefit": 0.1}, True, False),
        ({"cost": 0, "gain": 1, "loss": 0.3, "benefit": math.nextafter(0.1, 1)}, True, True),
        ({"cost": 0, "gain": 1, "loss": 1, "benefit": Fraction(1, 3)}, True, False),
        ({"cost": 1, "gain": 0, "loss": 1, "benefit": 0}, True, False),
    ],
)
def test_payoffs_that_break_even(
    engine: str, game: dict[str, Any], allow_attack: bool, passed: bool, tmp_path: Path
) -> None:
    table = on_engine({"qi": list("aaabbbbbbb")}, engine, tmp_path / "table")
    result = profitability(table, quasi_identifiers="qi", allow_attack=allow_attack, **game)
    assert result.passed is passed
    assert (result.smallest_passing_class in (1, 2, 3)) is passed


@every_engine
@pytest.mark.parametrize(
    ("limit", "passed"),
    [
        (Fraction(2, 3), True),
        (0.6, True),
        ("0.66666666666666666", True),
        ("0.66666666666666667", False),
        (math.nextafter(2 / 3, 0), True),
        (math.nextafter(2 / 3, 1), False),
    ],
)
def test_precision_against_its_limit(engine: str, limit: Any, passed: bool, tmp_path: Path) -> None:
    table = on_engine({"qi": ["1", "1", "*"], "other": list("xyz")}, engine, tmp_path / "table")
    result = precision(table, quasi_identifiers="qi", hierarchies={"qi": {"1": ["*"]}}, limit=limit)
    assert result.passed is passed
