"""The special functions and the root finder, against SciPy and plain sums."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from petaudit.exact.numerics import (
    all_roots,
    bracketed_root,
    digamma_difference,
    log_gamma_difference,
)

starts = st.floats(1e-6, 1e6)


@given(start=starts, step=st.integers(0, 300))
def test_digamma_differences_are_the_sums_of_inverses(start: float, step: int) -> None:
    expected = fsum(1 / (start + i) for i in range(step))
    assert digamma_difference(start, float(step)) == pytest.approx(expected, rel=1e-13, abs=0)


@given(start=starts, step=st.integers(0, 300))
def test_log_gamma_differences_are_the_sums_of_logarithms(start: float, step: int) -> None:
    expected = fsum(log(start + i) for i in range(step))
    scale = fsum(abs(log(start + i)) for i in range(step))
    tolerance = 1e-14 * (scale + 30)
    assert log_gamma_difference(start, float(step)) == pytest.approx(expected, rel=0, abs=tolerance)


@given(start=st.floats(0.01, 50), step=st.floats(0, 50))
def test_steps_need_not_be_whole(start: float, step: float) -> None:
    digamma = special.digamma(start + step) - special.digamma(start)
    assert digamma_difference(start, step) == pytest.approx(digamma, rel=1e-10, abs=1e-12)
    log_gamma = special.gammaln(start + step) - special.gammaln(start)
    assert log_gamma_difference(start, step) == pytest.approx(log_gamma, rel=1e-10, abs=1e-12)


def test_differences_stay_exact_where_the_functions_themselves_are_huge() -> None:
    # The harmonic sum over 10**15 .. 10**15 + 9 is 10 / 10**15 but for 5 parts in 10**14.
    exact = float(sum(Fraction(1, 10**15 + i) for i in range(10)))
    assert digamma_difference(1e15, 10.0) == pytest.approx(exact, rel=1e-14, abs=0)
    subtracted = special.digamma(1e15 + 10) - special.digamma(1e15)
    assert subtracted != pytest.approx(exact, rel=1e-3, abs=0)
    assert log_gamma_difference(1e15, 1.0) == pytest.approx(log(1e15), rel=1e-14)
    # A step back: log of 1 / (x - 1).
    assert log_gamma_difference(1e9, -1.0) == pytest.approx(-log(1e9 - 1), rel=1e-12)


def test_arrays_and_numbers_agree() -> None:
    start, step = np.array([0.3, 7.0, 1e8]), np.array([2.0, 0.0, 1e4])
    for function in (digamma_difference, log_gamma_difference):
        one_by_one = [function(a, b) for a, b in zip(start.tolist(), step.tolist(), strict=True)]
        assert function(start, step).tolist() == pytest.approx(one_by_one, rel=1e-15)


@given(root=st.floats(-50, 50), bend=st.floats(0.01, 5))
def test_a_root_is_found_to_the_last_digits(root: float, bend: float) -> None:
    def function(x: float) -> float:
        return bend * (x - root) ** 3 + (x - root)

    result = bracketed_root(function, -60.0, 70.0)
    assert abs(result - root) <= 4e-15 * max(abs(root), 1)


def test_the_root_of_a_steep_function_is_found() -> None:
    assert bracketed_root(lambda x: -1.0 if x < 0.125 else 1e300, 0.0, 1.0) == pytest.approx(0.125)


def test_all_roots_are_found_where_signs_change() -> None:
    places = [x / 4 for x in range(-8, 9)]
    result = all_roots(lambda x: (x + 1.1) * (x - 0.3) * (x - 1.6), places)
    assert result == pytest.approx([-1.1, 0.3, 1.6])
    falling = all_roots(lambda x: (x + 1.1) * (x - 0.3) * (x - 1.6), places, only_falling=True)
    assert falling == pytest.approx([0.3])
    assert all_roots(lambda x: x * x + 1, places) == []
    assert all_roots(lambda x: float("nan") if x < 1 else x - 1.5, places) == pytest.approx([1.5])
