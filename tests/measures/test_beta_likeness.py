"""beta-likeness, basic and enhanced."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from petaudit.measures.beta_likeness import beta_likeness
from petaudit.measures.enhanced_beta_likeness import EnhancedBetaLikeness, enhanced_beta_likeness
from petaudit.tables import ClassTable, ClassValueCounts, ValueCounts

GIVEN: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}


def table(classes: str, values: str) -> pa.Table:
    return pa.table({"q": list(classes), "s": list(values)})


@pytest.mark.parametrize(
    ("classes", "values", "basic", "enhanced"),
    [
        # x: q = 1/2, p = 1, gain 1 > ln 2 = 0.69.
        ("ab", "xy", Fraction(1), math.inf),
        # Class a: y 1/2 against 1/4, gain 1 <= ln 4. Class b: x 1 against 3/4, gain 1/3 > 0.288.
        ("aabb", "xyxx", Fraction(1), math.inf),
        # Class a: x 1/2 against 1/5, gain 3/2 <= ln 5 = 1.609. Class b: z 1/3 to 1/5, gain 2/3;
        # y 2/3 against 3/5, gain 1/9 <= ln(5/3).
        ("aabbb", "xyyyz", Fraction(3, 2), Fraction(3, 2)),
        # The class is the table: nothing is gained.
        ("aaaa", "xxyz", Fraction(0), Fraction(0)),
        # One value: q = 1, whose logarithm is 0, and p - q is 0 as well.
        ("aabb", "xxxx", Fraction(0), Fraction(0)),
    ],
)
def test_by_hand(classes: str, values: str, basic: Fraction, enhanced: float) -> None:
    entry = table(classes, values)
    assert beta_likeness(entry, **GIVEN).exact_value == basic
    assert enhanced_beta_likeness(entry, **GIVEN).exact_value == enhanced


def test_suppressed_rows_count_in_the_table() -> None:
    # x: q = 2/4 with the suppressed rows, p = 1.
    assert beta_likeness(table("aa**", "xxyy"), **GIVEN).exact_value == 1


def test_a_value_that_gets_rarer_does_not_matter() -> None:
    # y: 3/8 of the table, absent from class a, 3/4 in b. x: 1 of a, which gains 3/5.
    result = beta_likeness(table("aaaabbbb", "xxxxxyyy"), **GIVEN)
    assert result.exact_value == Fraction(3, 4) / Fraction(3, 8) - 1 == 1


@pytest.mark.parametrize(
    ("limit", "passed"),
    [(1.5, True), ("1.4999999999999999999999", False), ("1.5000000000000000001", True)],
)
@pytest.mark.parametrize("measure", [beta_likeness, enhanced_beta_likeness])
def test_the_limit_may_be_reached(measure: Any, limit: Any, passed: bool) -> None:
    result = measure(table("aabbb", "xyyyz"), limit=limit, **GIVEN)
    assert result.passed is passed
    # Where suppressed rows are a class, any change of the others changes what it is compared with.
    assert result.remedy.rows_to_suppress == (0 if passed else None)
    assert result.remedy.rows_to_drop is None
    result = measure(table("aabbb", "xyyyz"), limit=limit, suppressed="exclude", **GIVEN)
    assert result.remedy.rows_to_suppress == (0 if passed else 2)


def test_no_beta_does_where_a_value_gains_too_much() -> None:
    result = enhanced_beta_likeness(table("aabb", "xyxx"), limit=10**300, **GIVEN)
    assert (result.value, result.passed) == (math.inf, False)
    assert result.attributes[0].classes_infinite == 1
    assert (
        "1 class with a value that gains more than -ln q, for which no beta suffices"
        in (result.explanation[0])
    )
    assert result.remedy is not None
    assert result.remedy.rows_breaking == 2


@pytest.mark.parametrize("rows", [1, 1000, 10**5])
def test_a_table_of_one_value_holds_however_large(rows: int) -> None:
    one = pa.table({"q": [str(row % 7) for row in range(rows)], "s": ["x"] * rows})
    assert enhanced_beta_likeness(one, limit=0, **GIVEN).passed is True


# The best fractions for ln 2, by turns below and above it: from its continued fraction.
@pytest.mark.parametrize(
    ("gain", "holds"),
    [
        (Fraction(9, 13), True),
        (Fraction(61, 88), False),
        (Fraction(445, 642), True),
        (Fraction(7050, 10171), False),
    ],
)
def test_gains_next_to_the_logarithm(gain: Fraction, holds: bool) -> None:
    """q = 1/2, and in class a p = (1 + gain) / 2 of 2n rows; class b makes up for it."""
    half, more = gain.denominator, gain.denominator + gain.numerator
    less = 2 * half - more
    entry = pa.table(
        {
            "q": ["a"] * (2 * half) + ["b"] * (2 * half),
            "s": ["x"] * more + ["y"] * less + ["x"] * less + ["y"] * more,
        }
    )
    result = enhanced_beta_likeness(entry, **GIVEN)
    assert result.exact_value == (gain if holds else math.inf)
    assert beta_likeness(entry, **GIVEN).exact_value == gain


@pytest.mark.parametrize(
    ("gain", "holds"),
    [
        (Fraction(836158, 1206321), True),
        (Fraction(8336111, 12026466), True),
        (Fraction(13614799, 19642003), False),
        (Fraction(49180508, 70952475), True),
        (Fraction(111975815, 161546953), False),
        (Fraction(385107953, 555593334), True),
        (Fraction(497083768, 717140287), False),
    ],
)
def test_what_floats_cannot_tell_is_decided_exactly(gain: Fraction, holds: bool) -> None:
    """The same with too many rows for a table, so from tables."""
    half, more = gain.denominator, gain.denominator + gain.numerator
    less = 2 * half - more
    pairs = ClassValueCounts(
        ValueCounts(("x", "y"), np.array([2 * half, 2 * half])),
        np.array([0, 0, 1, 1]),
        np.array([0, 1, 0, 1]),
        np.array([more, less, less, more]),
    )
    sizes, ones = np.array([2 * half, 2 * half]), np.array([1, 1])
    result = EnhancedBetaLikeness().figures("s", ClassTable(sizes, ones, {"s": pairs}, None))
    assert abs(float(gain) - math.log(2)) < 1e-12
    assert result.largest == (gain if holds else math.inf)


def test_the_largest_gain_of_adult(shared_data: Path) -> None:
    """14 of 30,162 never worked, and one of them is alone in a class."""
    adult = shared_data / "adult" / "adult.csv"
    result = beta_likeness(adult)
    assert result.exact_value == Fraction(30_162, 14) - 1
    assert enhanced_beta_likeness(adult).value == math.inf
