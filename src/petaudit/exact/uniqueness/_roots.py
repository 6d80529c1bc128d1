"""Roots of continuous functions of one number, always the same ones for the same input."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

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
    found = []
    for (low, at_low), (high, at_high) in pairwise(zip(places, values, strict=True)):
        if math.isnan(at_low) or math.isnan(at_high):
            continue
        if at_low > 0 >= at_high or (at_low <= 0 < at_high and not only_falling):
            found.append(bracketed_root(function, low, high))
    return found
