"""What is spent of a privacy budget: by hand, by exact distributions, by published formulas."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from petaudit.synthesizing.private.accountant import (
    Ledger,
    epsilon_of,
    exponential_epsilon,
    exponential_rho,
    gaussian_rho,
    rho_for,
    variance_for,
)

GRID = [(rho, delta) for rho in (0.001, 0.015, 0.5, 2.56, 20.0) for delta in (1e-12, 1e-9, 1e-5)]
ORDERS = (1.01, 1.5, 2.0, 4.0, 16.0, 64.0)


def exact_gaussian_delta(rho: float, epsilon: float) -> float:
    """Balle and Wang, 2018: the delta of Gaussian noise, without any slack."""
    shift = math.sqrt(2 * rho)
    upper = norm.cdf(shift / 2 - epsilon / shift)
    return float(upper - math.exp(epsilon + norm.logcdf(-shift / 2 - epsilon / shift)))


def twin_delta(rho: float, epsilon: float) -> float:
    """The conversion of Canonne, Kamath and Steinke, 2020, on a dense grid of orders."""
    orders = 1 + np.logspace(-6, 8, 200_001)
    logs = (orders - 1) * (orders * rho - epsilon) - np.log(orders - 1)
    logs += orders * np.log1p(-1 / orders)
    return float(np.exp(logs.min()))


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_a_budget_is_worth_the_epsilon_of_the_published_conversion(
    rho: float, delta: float
) -> None:
    epsilon = epsilon_of(rho, delta)
    # Never less than what the noise really costs, and never more than the first bound of 2016.
    assert exact_gaussian_delta(rho, epsilon) <= delta
    assert epsilon < rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert twin_delta(rho, epsilon) == pytest.approx(delta, rel=1e-5)


def test_the_bound_is_near_the_truth() -> None:
    epsilon = epsilon_of(0.5, 1e-6)
    assert exact_gaussian_delta(0.5, epsilon * 0.9) > 1e-6


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 8.0, 100.0])
@pytest.mark.parametrize("delta", [1e-18, 1e-9, 1e-3])
def test_budget_and_epsilon_are_inverse(epsilon: float, delta: float) -> None:
    rho = rho_for(epsilon, delta)
    assert rho > 0
    assert epsilon * (1 - 1e-6) < epsilon_of(rho, delta) <= epsilon
    assert twin_delta(float(rho), epsilon) == pytest.approx(delta, rel=1e-5)


@pytest.mark.parametrize(("variance", "shift"), [(1, 1), (3, 1), (3, 2), (40, 1), (40, 7)])
def test_discrete_gaussian_noise_costs_what_is_said(variance: int, shift: int) -> None:
    """The Renyi divergence of the two distributions themselves, summed up."""
    points = np.arange(-60 * variance, 60 * variance + 1)
    weights = -(points**2) / (2 * variance), -((points - shift) ** 2) / (2 * variance)
    logs = [weight - np.logaddexp.reduce(weight) for weight in weights]
    claimed = float(gaussian_rho(shift, variance))
    for order in ORDERS:
        terms = order * logs[0] + (1 - order) * logs[1]
        divergence = np.logaddexp.reduce(terms) / (order - 1)
        assert divergence <= order * claimed * (1 + 1e-9)
        assert divergence > order * claimed * 0.9


def test_the_exponential_mechanism_costs_what_is_said() -> None:
    """Scores that all move by their sensitivity, in the worst directions, for several sizes."""
    random = np.random.default_rng(3)
    highest = 0.0
    for _ in range(300):
        epsilon = Fraction(int(random.integers(1, 40)), 10)
        scores = random.integers(0, 6, int(random.integers(2, 6)))
        others = scores + random.integers(-1, 2, len(scores))
        logs = [
            weight - np.logaddexp.reduce(weight)
            for weight in (float(epsilon) * each / 2 for each in (scores, others))
        ]
        assert np.abs(logs[0] - logs[1]).max() <= float(epsilon) + 1e-12
        for order in ORDERS:
            divergence = np.logaddexp.reduce(order * logs[0] + (1 - order) * logs[1]) / (order - 1)
            share = divergence / order / float(exponential_rho(epsilon))
            assert share <= 1 + 1e-9
            highest = max(highest, share)
    assert highest > 0.9


def test_parts_of_a_budget_by_hand() -> None:
    assert variance_for(Fraction(3, 100), sensitivity=1, times=15) == 250
    assert gaussian_rho(1, 250) * 15 == Fraction(3, 100)
    assert variance_for(Fraction(3, 100), sensitivity=2, times=15) == 1000
    assert exponential_epsilon(Fraction(2), times=4) == 2
    rho = Fraction(1, 7)
    assert 0 <= rho - 3 * exponential_rho(exponential_epsilon(rho, times=3)) < Fraction(1, 10**9)


def test_a_ledger_refuses_what_it_does_not_have() -> None:
    ledger = Ledger(Fraction(1))
    ledger.spend("one column", 4, Fraction(1, 4), variance=2)
    with pytest.raises(RuntimeError, match="exceeded"):
        ledger.spend("selection", 1, Fraction(1, 10**30))
    assert ledger.total == 1
