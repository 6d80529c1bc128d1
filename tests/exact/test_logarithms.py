"""Sums of logarithms against fractions: the sign is right, however close they are."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.exact.logarithms import sign_of_logs, sum_of_logs

SMALL = st.fractions(min_value=Fraction(1, 60), max_value=60, max_denominator=60)
TERMS = st.lists(st.tuples(st.integers(-12, 12), SMALL), max_size=4)
# 69 digits of ln 2 and ln 10, cut off: from tables.
LN_2 = "0.693147180559945309417232121458176568075500134360255254120680009493393"
LN_10 = "2.30258509299404568401799145468436420760110148862877297603332790096757"


@settings(max_examples=examples(200))
@given(terms=TERMS)
def test_the_sign_is_that_of_the_product_of_powers(terms: list[tuple[int, Fraction]]) -> None:
    product = math.prod((ratio**weight for weight, ratio in terms), start=Fraction(1))
    assert sign_of_logs(terms) == (product > 1) - (product < 1)


@settings(max_examples=examples(100))
@given(terms=TERMS, powers=st.lists(st.tuples(st.integers(1, 5), st.sampled_from([2, 6, 12, 35]))))
def test_what_cancels_out_is_a_tie(
    terms: list[tuple[int, Fraction]], powers: list[tuple[int, int]]
) -> None:
    """Every number is written in another way on the other side: as products of its powers."""
    back = [(-weight, ratio) for weight, ratio in terms]
    split = [(3, Fraction(number**power)) for power, number in powers]
    joined = [(-3 * power, Fraction(number)) for power, number in powers]
    assert sign_of_logs([*terms, *split, *back, *joined]) == 0


@pytest.mark.parametrize(("number", "known"), [(2, LN_2), (10, LN_10)])
@pytest.mark.parametrize("digits", [10, 17, 30, 38, 41, 50, 60, 65])
def test_a_bound_may_agree_in_many_digits(number: int, known: str, digits: int) -> None:
    below = Fraction(known[: digits + 2])
    above = below + Fraction(1, 10**digits)
    assert sign_of_logs([(1, Fraction(number))], below) == 1
    assert sign_of_logs([(1, Fraction(number))], above) == -1
    assert sign_of_logs([(7, Fraction(number))], 7 * above) == -1


def test_nothing_is_multiplied_out() -> None:
    huge = 10**18
    assert sign_of_logs([(huge, Fraction(6)), (-huge, Fraction(2)), (-huge, Fraction(3))]) == 0
    nearly = [(huge, Fraction(6)), (-huge, Fraction(2)), (-huge + 1, Fraction(3))]
    assert sign_of_logs(nearly) == 1
    # One in 10**300: 40 and 80 digits do not show it.
    assert sign_of_logs([(huge, 1 - Fraction(1, 10**300))]) == -1


def test_nothing_adds_up_to_nothing() -> None:
    assert (sign_of_logs([]), sign_of_logs([], Fraction(1))) == (0, -1)
    assert sign_of_logs([(1, Fraction(1))], Fraction(-1, 10**50)) == 1


@given(ratio=SMALL)
def test_the_sum_is_that_of_floats(ratio: Fraction) -> None:
    assert float(sum_of_logs([(3, ratio)])) == pytest.approx(3 * math.log(ratio), abs=1e-13)
