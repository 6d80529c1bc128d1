"""Tails of Poisson numbers, against scipy and to many digits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from scipy import stats

from petaudit.exact import sampling
from petaudit.exact.sampling import at_least, at_least_if_any


@pytest.mark.parametrize("number", [1, 2, 3, 10, 45, 300, 2000, 2001, 5000, 10**6])
@pytest.mark.parametrize("ratio", ["0.01", "0.5", "0.97", "1", "1.03", "2", "30"])
def test_the_poisson_tail_is_that_of_scipy(number: int, ratio: str) -> None:
    mean = Fraction(ratio) * number
    expected = stats.poisson.sf(number - 1, float(mean))
    assert float(at_least(number, mean)) == pytest.approx(expected, rel=2e-8, abs=1e-300)


@pytest.mark.parametrize("number", [1, 2, 3, 10, 300])
@pytest.mark.parametrize("mean", ["1e-9", "0.01", "0.7", "5", "290"])
def test_the_truncated_tail_is_that_of_scipy(number: int, mean: str) -> None:
    expected = stats.poisson.sf(number - 1, float(mean)) / stats.poisson.sf(0, float(mean))
    result = float(at_least_if_any(number, Fraction(mean)))
    assert result == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_the_poisson_tail_has_many_digits() -> None:
    # 1 - e^-1, and 1 - e^-(1/2) (1 + 1/2 + 1/8).
    one = Decimal("0.6321205588285576784044762298385391325541888689682")
    assert abs(at_least(1, Fraction(1)) - one) < Decimal("1e-45")
    assert (at_least(0, Fraction(3)), at_least(2, Fraction(0))) == (1, 0)
    # Both ways of writing ln n! agree where one takes over from the other.
    exact = sampling._log_factorial(2000) + Decimal(2001).ln()
    assert abs(sampling._log_factorial(2001) - exact) < Decimal("1e-24")
