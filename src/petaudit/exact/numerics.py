"""Special functions and roots."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Numbers = TypeVar("Numbers", float, npt.NDArray[np.float64])

_SHIFT = 12
"""The argument from which the series are used: the first omitted term is below 1e-15."""
_LOG_GAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)


def log_gamma_difference(start: Numbers, step: Numbers) -> Numbers:
    """log Gamma(start + step) - log Gamma(start), for positive arguments of Gamma.

    >>> round(float(log_gamma_difference(3.0, 2.0)), 12) == round(float(np.log(3 * 4)), 12)
    True
    """
    end, far = start + step, start + _SHIFT
    difference: Numbers = (far - 0.5) * np.log1p(step / far) + step * np.log(far + step) - step
    difference = difference + _series(_LOG_GAMMA, far + step, 1) - _series(_LOG_GAMMA, far, 1)
    for k in range(_SHIFT):
        difference = difference - np.log((end + k) / (start + k))
    return difference


def digamma_difference(start: Numbers, step: Numbers) -> Numbers:
    """psi(start + step) - psi(start): the sum of 1 / (start + i) for i from 0 to step - 1.

    >>> round(float(digamma_difference(3.0, 2.0)), 12) == round(1 / 3 + 1 / 4, 12)
    True
    """
    end, far = start + step, start + _SHIFT
    difference: Numbers = np.log1p(step / far) + step / (2 * far * (far + step))
    difference = difference - _series(_DIGAMMA, far + step, 2) + _series(_DIGAMMA, far, 2)
    for k in range(_SHIFT):
        difference = difference + step / ((start + k) * (end + k))
    return difference


def _series(coefficients: tuple[float, ...], at: Numbers, first_power: int) -> Numbers:
    """The sum of c / at^p for p from the first power in steps of two."""
    inverse = 1 / (at * at)
    total = 0.0 * at
    for coefficient in reversed(coefficients):
        total = total * inverse + coefficient
    return total / at**first_power


_MOST_STEPS = 200


def bracketed_root(function: Callable[[float], float], low: float, high: float) -> float:
    """A root between two places where the function has different signs.

    Chandrupatla's method (1997, doi 10.1016/s0965-9978(96)00051-8): inverse quadratic
    interpolation where it is safe, halving where it is not.

    >>> round(bracketed_root(lambda x: x * x - 2, 0.0, 2.0), 12)
    1.414213562373
    """
    b, a = low, high
    at_b, at_a = function(b), function(a)
    c, at_c = a, at_a
    share = 0.5
    for _ in range(_MOST_STEPS):
        x = a + share * (b - a)
        at_x = function(x)
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c = b, at_b
            b, at_b = a, at_a
        a, at_a = x, at_x
        best, at_best = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        tolerance = 2e-16 * max(abs(best), 1e-300)
        smallest = tolerance / max(abs(b - c), 1e-300)
        if smallest > 0.5 or at_best == 0.0:
            return best
        share = _next_share(a, b, c, at_a, at_b, at_c)
        share = min(max(share, smallest), 1 - smallest)
    return best


def _next_share(a: float, b: float, c: float, at_a: float, at_b: float, at_c: float) -> float:
    """Where to look next, between a (0) and b (1)."""
    if at_c in (at_a, at_b) or b == c or at_b == at_a:
        return 0.5
    place = (a - b) / (c - b)
    height = (at_a - at_b) / (at_c - at_b)
    if not (height**2 < place and (1 - height) ** 2 < 1 - place):
        return 0.5
    first = at_a / (at_b - at_a) * at_c / (at_b - at_c)
    second = (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
    return first + second


def all_roots(
    function: Callable[[float], float], places: Sequence[float], *, only_falling: bool = False
) -> list[float]:
    """A root between each two neighbouring places where the sign changes.

    ``only_falling`` leaves out roots where the function rises.

    >>> [round(root, 9) for root in all_roots(lambda x: x * x - 1, [-2.0, 0.5, 2.0])]
    [-1.0, 1.0]
    """
    values = [function(place) for place in places]
    roots = []
    for (low, at_low), (high, at_high) in pairwise(zip(places, values, strict=True)):
        if math.isnan(at_low) or math.isnan(at_high):
            continue
        if at_low > 0 >= at_high or (at_low <= 0 < at_high and not only_falling):
            roots.append(bracketed_root(function, low, high))
    return roots
