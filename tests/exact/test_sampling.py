"""What classes of a sample say about the population, against scipy and plain sums."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import hyp2f1

from measures import population_twin as twin
from petaudit.exact.sampling import disclosure_risks, expected_risks

PARTS = ("1/1000", "1/50", "0.3", "1/2", "0.501", "0.9", "0.999999")


@pytest.mark.parametrize("part", PARTS)
def test_expected_risks_are_those_of_scipy_and_of_the_plain_sum(part: str) -> None:
    fraction = Fraction(part)
    p = float(fraction)
    sizes = [1, 2, 3, 10, 63, 64, 65]
    result = {size: float(risk) for size, risk in expected_risks(fraction, sizes).items()}
    rows, people = fraction.numerator, fraction.denominator
    for size in sizes:
        # Euler: p^f 2F1(f, f; f+1; q) = p 2F1(1, 1; f+1; q), which does not overflow.
        assert result[size] == pytest.approx(p / size * hyp2f1(1, 1, size + 1, 1 - p), rel=1e-12)
        if size <= 10:
            assert result[size] == pytest.approx(
                p**size / size * hyp2f1(size, size, size + 1, 1 - p), rel=1e-10
            )
            assert result[size] == pytest.approx(twin.expected_risk(size, rows, people), rel=1e-12)
        assert p / size <= result[size] <= 1 / size


def test_expected_risks_of_samples_that_are_tiny_or_everybody() -> None:
    tiny = expected_risks(Fraction(1, 10**12), [1, 2, 3, 10**6])
    p = 1e-12
    # -p ln p / q, p/q^2 (p ln p + q), and 1/F is about p / (f - 1) for many rows.
    assert float(tiny[1]) == pytest.approx(-p * math.log(p) / (1 - p), rel=1e-12)
    closed = p / (1 - p) ** 2 * (p * math.log(p) + 1 - p)
    assert float(tiny[2]) == pytest.approx(closed, rel=1e-12)
    assert float(tiny[3]) == pytest.approx(p / 2, rel=1e-10)
    assert float(tiny[10**6]) == pytest.approx(p / (10**6 - 1), rel=1e-10)
    assert expected_risks(Fraction(1), [1, 3]) == {1: 1, 3: Fraction(1, 3)}


@pytest.mark.parametrize("part", ["1/1000", "1/2", "0.9"])
def test_larger_classes_have_smaller_risks(part: str) -> None:
    """Remedies suppress the smallest classes first; both ways to compute meet at 64 rows."""
    p = Fraction(part)
    result = expected_risks(p, range(1, 200))
    for size in range(1, 199):
        assert result[size] > result[size + 1]
        by_parts = p / (1 - p) * (Fraction(1, size) - result[size])
        assert abs(result[size + 1] - by_parts) < Fraction(1, 10**40)


@pytest.mark.parametrize("columns", [3, 27, 28, 29, 60])
def test_the_chance_of_a_match_never_falls_with_the_score(columns: int) -> None:
    scores = np.array([1.0, 1000.0, 1e200])
    ones = np.ones(3, np.int64)
    risks = disclosure_risks(scores, ones, 4, 0.1, columns)
    assert (np.diff(risks) >= 0).all()
    assert (risks[0] < risks[1]) == (columns < 28)
    assert np.isfinite(risks).all()
