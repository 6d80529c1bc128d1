"""Numbers that labels stand for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit import ranges
from petaudit.labels.numbers import middle_of, range_of


@pytest.mark.parametrize(
    ("label", "low", "high"),
    [
        ("7", 7, 7),
        (" -2.5 ", "-5/2", "-5/2"),
        ("[20,30[", 20, 30),
        ("]20, 30]", 20, 30),
        ("(20;30)", 20, 30),
        ("{1.5,1e2}", "3/2", 100),
        ("20-29", 20, 29),
        ("20 – 29", 20, 29),
        ("20~29", 20, 29),
        ("-5--1", -5, -1),
        ("0.5..0.75", "1/2", "3/4"),
        ("<=40", None, 40),
        ("< 40", None, 40),
        ("≤40", None, 40),
        (">50", 50, None),
        (">=50", 50, None),
        ("≥ 50", 50, None),
        ("197*", 1970, 1979),
        ("1***", 1000, 1999),
        ("-197*", -1979, -1970),
    ],
)
def test_ranges_are_read(label: str, low: Any, high: Any) -> None:
    expected = tuple(None if end is None else Fraction(end) for end in (low, high))
    assert range_of(label) == expected


@pytest.mark.parametrize(
    "label",
    [None, "", "*", "***", "Europe", "30-20", "[30,20[", "[20,", "20-", "-", "1-2-3", "A-1", "<",
     "2020-01-05", "1 9*", "٣-٤", "nan", "inf", "<=x", "9" * 5_000 + "*"],
)  # fmt: skip
def test_what_is_no_range_is_none(label: str | None) -> None:
    assert range_of(label) is None


@given(st.text(alphabet="0123456789.,-+[]()<>=*eE ;~", max_size=12))
def test_no_label_is_too_strange(label: str) -> None:
    found = range_of(label)
    if found is not None:
        low, high = found
        assert low is None or high is None or low <= high


@given(st.integers(-500, 500), st.integers(1, 60))
def test_the_labels_of_our_own_rule_are_read(value: int, width: int) -> None:
    label = ranges(width).build("x", [str(value)]).path_of(str(value))[1]
    found = range_of(label)
    assert found is not None
    low, high = found
    assert low is not None
    assert high is not None
    assert high - low == width
    assert low <= value < high


def test_an_open_end_is_as_far_as_numbers_go() -> None:
    lowest, highest = Fraction(10), Fraction(90)
    assert middle_of("<=40", lowest, highest) == 25
    assert middle_of(">50", lowest, highest) == 70
    assert middle_of(">50") is None
    # A bound beyond all numbers is itself the nearest one.
    assert middle_of("<=4", lowest, highest) == 4
    assert middle_of(">95", lowest, highest) == 95
    assert middle_of("x", lowest, highest) is None
