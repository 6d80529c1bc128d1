"""Numbers as the person who wrote them meant them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.errors import OptionError
from petaudit.exact.fractions import exact, exact_nonnegative, parse_number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, Fraction(0)),
        (7, Fraction(7)),
        (-3, Fraction(-3)),
        (2**70, Fraction(2**70)),
        (0.375, Fraction(3, 8)),
        (0.3, Fraction(3, 10)),
        (0.1, Fraction(1, 10)),
        (1e-320, Fraction(1, 10**320)),
        (-0.0, Fraction(0)),
        ("0.3", Fraction(3, 10)),
        (" 5 ", Fraction(5)),
        ("1e-3", Fraction(1, 1000)),
        ("0.2666666666666666", Fraction(2666666666666666, 10**16)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1E+3"), Fraction(1000)),
        (Fraction(4, 15), Fraction(4, 15)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.int64(7), Fraction(7)),
    ],
)
def test_a_number_is_what_was_written(value: Any, number: Fraction) -> None:
    assert exact(value, "limit") == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_shortest_decimal_or_a_quotient(value: float) -> None:
    result = exact(value, "limit")
    assert float(result) == value
    if len(repr(value).partition("e")[0].replace(".", "").strip("-0")) < 10:
        assert result == Fraction(repr(value))
    else:
        assert result == Fraction(repr(value)) or result.denominator <= 10**6


@given(st.integers(-(10**4), 10**4), st.integers(1, 10**4))
def test_a_quotient_in_python_is_the_quotient(above: int, below: int) -> None:
    assert exact(above / below, "limit") == Fraction(above, below)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        np.bool_(True),
        "",
        "abc",
        "nan",
        "inf",
        "1/0",
        "0,3",
        "1_000",
        "0x10",
        float("nan"),
        float("inf"),
        -float("inf"),
        Decimal("NaN"),
        Decimal("Infinity"),
        1 + 2j,
        [],
        b"1",
    ],
)
def test_what_is_no_finite_number_is_refused_by_name(value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        exact(value, "the limit of t-closeness")
    assert str(caught.value) == (f"the limit of t-closeness must be a finite number, got {value!r}")


@pytest.mark.parametrize("value", [-1, -0.001, "-1e-9", Decimal("-2")])
def test_a_negative_number_is_refused_where_it_makes_no_sense(value: Any) -> None:
    with pytest.raises(OptionError, match=f"limit must not be negative, got {value}"):
        exact_nonnegative(value, "limit")


@pytest.mark.parametrize("value", [0, -0.0, 1.5, "7"])
def test_zero_and_above_pass(value: Any) -> None:
    assert exact_nonnegative(value, "limit") == exact(value, "limit")


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("7", Fraction(7)),
        ("007", Fraction(7)),
        ("+7", Fraction(7)),
        ("-7.50", Fraction(-15, 2)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e3", Fraction(1000)),
        ("1E-2", Fraction(1, 100)),
        (" 7 ", Fraction(7)),
    ],
)
def test_labels_that_are_numbers(label: str, number: Fraction) -> None:
    assert parse_number(label) == number


@pytest.mark.parametrize(
    "label",
    [
        *(
            "",
            " ",
            ".",
            "e3",
            "1e",
            "nan",
            "inf",
            "-",
            "--1",
            "1.2.3",
            "1,5",
            "1 000",
            "1_0",
            "0x10",
        ),
        *("0x10", "3k", "50%", "2*", "*", "[20,30[", "1977-03-09", "１", "٣", "½", "1e99999"),
    ],
)
def test_labels_that_are_no_numbers(label: str) -> None:
    assert parse_number(label) is None


@given(st.fractions(max_denominator=10**6))
def test_only_decimals_are_numbers(number: Fraction) -> None:
    expected = number if number.denominator == 1 else None
    assert parse_number(str(number)) == expected


@pytest.mark.parametrize("label", ["9" * 5000, "0." + "3" * 5000, "1e5000"])
def test_a_very_long_number_breaks_nothing(label: str) -> None:
    """A column of long digit strings is odd, but it is no reason to fail."""
    number = parse_number(label)
    assert number is None or number > 0
