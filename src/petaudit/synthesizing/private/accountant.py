"""What has been spent of a privacy budget, in zero-concentrated differential privacy (zCDP).

A mechanism is rho-zCDP if, for any two neighbouring tables and any order alpha > 1, the Renyi
divergence of its outputs is at most rho times alpha. What is spent one after the other adds up
(M. Bun, T. Steinke: Concentrated Differential Privacy, 2016). Steps are exact fractions, so that no
rounding spends more than it says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

SMALLEST_ORDER: Final = 1.0 + 1e-6
LARGEST_ORDER: Final = 1e8
_SEARCHES: Final = 200
_SLACK: Final = 1e-9
"""More than all roundings of the conversions: what they give is on the safe side."""


@dataclass(frozen=True)
class Spent:
    """One step that looked at the table."""

    what: str
    """``one column``, ``selection`` or ``pair of columns``."""
    times: int
    rho: Fraction
    """What each of the times costs."""
    variance: int | None = None
    """Of the noise, where noise was added."""


@dataclass
class Ledger:
    """A budget, and what was spent of it; it refuses to spend more.

    How much a step takes may depend on what earlier steps told, as long as the sum keeps the budget
    (V. Feldman, T. Zrnic: Individual Privacy Accounting via a Renyi Filter, 2021).

    >>> ledger = Ledger(Fraction(1, 2))
    >>> ledger.spend("one column", 3, gaussian_rho(sensitivity=1, variance=4), variance=4)
    >>> str(ledger.total)
    '3/8'
    >>> ledger.spend("selection", 1, exponential_rho(Fraction(2)))
    Traceback (most recent call last):
    RuntimeError: the privacy budget is exceeded
    """

    budget: Fraction
    entries: list[Spent] = field(default_factory=list)

    @property
    def total(self) -> Fraction:
        """What was spent up to now."""
        return sum((entry.rho * entry.times for entry in self.entries), Fraction(0))

    def spend(self, what: str, times: int, rho: Fraction, *, variance: int | None = None) -> None:
        """Note a step before it looks at the table."""
        if self.total + rho * times > self.budget:
            raise RuntimeError("the privacy budget is exceeded")
        self.entries.append(Spent(what, times, rho, variance))


def gaussian_rho(sensitivity: int, variance: int) -> Fraction:
    """What counts with discrete Gaussian noise cost (C. Canonne, G. Kamath, T. Steinke, 2020).

    ``sensitivity`` is how far the vector of all counts moves at most between neighbouring tables,
    in Euclidean distance.

    >>> gaussian_rho(sensitivity=1, variance=50)
    Fraction(1, 100)
    """
    return Fraction(sensitivity**2, 2 * variance)


def variance_for(rho: Fraction, sensitivity: int, times: int) -> int:
    """The least whole variance with which so many vectors of counts cost at most ``rho`` together.

    >>> variance_for(Fraction(1, 10), sensitivity=1, times=3)
    15
    """
    return max(1, math.ceil(Fraction(times * sensitivity**2) / (2 * rho)))


def exponential_rho(epsilon: Fraction) -> Fraction:
    """What the exponential mechanism costs.

    The logarithm of the probability of a choice changes between neighbouring tables within a range
    of width ``epsilon`` (M. Cesar, R. Rogers: Bounding, Concentrating, and Truncating, 2021).

    >>> exponential_rho(Fraction(1))
    Fraction(1, 8)
    """
    return epsilon**2 / 8


def exponential_epsilon(rho: Fraction, times: int) -> Fraction:
    """The largest epsilon, rounded down, with which so many choices cost at most ``rho`` together.

    >>> exponential_epsilon(Fraction(1, 2), times=1)
    Fraction(2, 1)
    """
    scale = 10**12
    square = 8 * rho / times
    return Fraction(math.isqrt(math.floor(square * scale**2)), scale)


def rho_for(epsilon: float, delta: float) -> Fraction:
    """The largest budget that is (epsilon, delta)-differentially private by this accountant.

    >>> round(float(rho_for(1.0, 1e-9)), 5)
    0.01497
    """

    def at(order: float) -> float:
        return (epsilon - _excess(order, delta)) / order

    rho = at(_best_order(lambda order: -at(order)))
    return max(Fraction(0), Fraction(rho * (1.0 - 4.0 * _SLACK)))


def epsilon_of(rho: Fraction | float, delta: float) -> float:
    """The epsilon that a budget is worth at a delta.

    For every order alpha it is at most rho * alpha plus a term of alpha and delta alone
    (Canonne, Kamath, Steinke, 2020, proposition 12); the best alpha is looked for, and any is safe.

    >>> round(epsilon_of(0.5, 1e-6), 3)
    5.222
    """
    if not rho:
        return 0.0
    cost = float(rho)

    def at(order: float) -> float:
        return cost * order + _excess(order, delta)

    return max(0.0, at(_best_order(at)) * (1.0 + _SLACK))


def _excess(order: float, delta: float) -> float:
    """What delta adds to epsilon at an order."""
    return math.log1p(-1.0 / order) - math.log(delta * order) / (order - 1.0)


def _best_order(cost: Callable[[float], float]) -> float:
    """The order with the least cost, by thirds on a logarithmic scale."""
    low, high = math.log(SMALLEST_ORDER - 1.0), math.log(LARGEST_ORDER)
    for _ in range(_SEARCHES):
        third = (high - low) / 3.0
        if cost(1.0 + math.exp(low + third)) < cost(1.0 + math.exp(high - third)):
            high -= third
        else:
            low += third
    return 1.0 + math.exp((low + high) / 2.0)
