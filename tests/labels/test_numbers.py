"""Numbers of very many labels: what reading them one by one says, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.exact.fractions import parse_number
from petaudit.labels.numbers import (
    Reader,
    decimal_of,
    in_common_units,
    range_of,
    ranges_of,
    read_numbers,
)

ODD = [
    *("0", "-0", "0.0", "+5", "-5.", ".5", "05", "1e2", "1E+02", "-1.5e-7", "0e9999", "2e-40"),
    *("", ".", "-", "+-1", "1-2", "1..2", "1e", "e5", "1e5e5", "1e99999", "nan", "inf", "1_0"),
    *("1\x00", "\x001", "1\x002", "１２", "5\u2003", "\x1c5", " 5", "a", "*", "1*"),
    *("9" * 18, "9" * 19, "-" + "9" * 24, "0" * 30 + "7", "1" * 4_100, "1" * 5_000),
    *("0." + "0" * 17 + "123", "123456789012345678.5", "1." + "3" * 30),
]
written = st.one_of(
    st.sampled_from(ODD),
    st.none(),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.text("0123456789.-+eE* \x00", max_size=8),
)


def one_by_one(labels: Sequence[str | None], reader: Reader) -> list[Fraction | None]:
    found = [None if label is None else reader(label) for label in labels]
    return [None if number is None else Fraction(number) for number in found]


@pytest.mark.parametrize("reader", [parse_number, decimal_of])
@settings(max_examples=examples(150))
@given(labels=st.lists(written, max_size=12))
def test_all_at_once_is_one_by_one(reader: Reader, labels: list[str | None]) -> None:
    found = read_numbers(labels, reader)
    [whole], places = in_common_units(found)
    read = [
        Fraction(number, 10**places) if is_number else None
        for number, is_number in zip(whole.tolist(), found.is_number.tolist(), strict=True)
    ]
    assert read == one_by_one(labels, reader)


def test_more_labels_than_are_read_at_once() -> None:
    labels = [f"{number}.{number % 10}" for number in range(70_000)]
    [whole], places = in_common_units(read_numbers(labels))
    assert places == 1
    assert whole.tolist() == [10 * number + number % 10 for number in range(70_000)]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["1.5", "-1000000"], "int64"),
        # Together they have 24 digits, apart they have few.
        (["1e-15", "100000000"], "object"),
        (["0", "0e-9999", "7"], "int64"),
        (["1152921504606846975"], "object"),
        (["900000000000000000", "0.5"], "object"),
    ],
)
def test_numbers_are_small_where_they_fit(labels: list[str], kind: str) -> None:
    [whole], places = in_common_units(read_numbers(labels))
    assert whole.dtype == kind
    assert [Fraction(int(number), 10**places) for number in whole] == [
        parse_number(label) for label in labels
    ]


bounds = st.one_of(
    st.integers(-99, 99).map(str), st.sampled_from(["1.5", "-2e3", "1e-9", "9" * 25])
)


@settings(max_examples=examples(150))
@given(
    labels=st.lists(
        st.one_of(
            st.sampled_from(["<=40", ">3", "197*", "-1*", "Europe", "30-20", "[1,2", "old"]),
            st.builds("[{},{}[".format, bounds, bounds),
            st.builds("{}-{}".format, bounds, bounds),
            st.builds("{{{}, {}}}".format, bounds, bounds),
        ),
        max_size=8,
    )
)
def test_ranges_all_at_once_are_ranges_one_by_one(labels: list[str]) -> None:
    known = {"old": (Fraction(60), Fraction(99)), "197*": (Fraction(1), Fraction(2))}
    found = ranges_of(labels, known)
    [low, high], places = in_common_units(found.low, found.high)
    for place, label in enumerate(labels):
        expected = known.get(label) or range_of(label)
        assert bool(found.is_range[place]) is (expected is not None)
        if expected is not None:
            ends = [
                Fraction(int(own[place]), 10**places) if side.is_number[place] else None
                for own, side in ((low, found.low), (high, found.high))
            ]
            assert tuple(ends) == expected
