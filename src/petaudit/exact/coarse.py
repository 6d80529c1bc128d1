"""Figures about people as coarse as single people must stay unseen in them.

Whoever compares two audits that differ by one person sees from exact figures whether that person is
exposed. So figures that are shown or written are rounded to steps of at least ten people, and never
finer than 0.01: one person then moves a figure to the next step at most once in ten times. That
does not stop who may add people at will and watch when a step is passed; only noise would, and
verdicts with noise could not be repeated.

Verdicts are decided before rounding, and no figure changes sides of its limit by it.

>>> parts_of(39_074), parts_of(300), parts_of(40), parts_of(5)
(100, 20, 2, 2)
"""

from __future__ import annotations

import math
from typing import Final, Literal

PEOPLE: Final = 10
"""A step is as many people at least."""
FEWEST: Final = 2 * PEOPLE
"""Of a group of fewer people nothing is told."""
_PARTS: Final = (100, 50, 20, 10, 5, 2)
"""Into how many steps the way from 0 to 1 is divided, the finest first."""
FINEST: Final = 1 / _PARTS[0]
WIDEST: Final = 1 / _PARTS[-1]
"""On steps so wide an excess, which is rounded up, would be a half of everybody or nobody."""
_DIGITS: Final = 1e-9
"""What is on a step but for the last digits of a float is on it."""


def parts_of(people: float) -> int:
    """How many steps there are from 0 to 1, where so many people make up the whole."""
    return next((parts for parts in _PARTS if people >= parts * PEOPLE), _PARTS[-1])


def rounded(
    value: float,
    parts: int,
    limit: float | None = None,
    to: Literal["nearest", "below", "above"] = "nearest",
) -> float:
    """A figure on its step; on the same side of a limit, which it may not be above, as before.

    >>> rounded(-0.0136, 100), rounded(-0.0562, 100, to="below"), rounded(0.027, 100, to="above")
    (-0.01, -0.06, 0.03)
    >>> rounded(0.0905, 100, limit=0.09), rounded(0.0901, 100, limit=0.0905, to="above")
    (0.1, 0.0905)
    """
    if not math.isfinite(value):
        return value
    match to:
        case "nearest":
            step = math.floor(value * parts + 0.5)
        case "below":
            step = math.floor(value * parts + _DIGITS)
        case "above":
            step = math.ceil(value * parts - _DIGITS)
    shown = step / parts
    if limit is not None and (shown > limit) != (value > limit):
        # What keeps a limit seems to reach it at most; what breaks it, by up to a step more.
        return limit if value <= limit else (math.floor(limit * parts + _DIGITS) + 1) / parts
    return shown


def people_rounded(people: int) -> int:
    """A number of people in a group, to the next ten.

    >>> people_rounded(37), people_rounded(4)
    (40, 0)
    """
    return round(people / PEOPLE) * PEOPLE


def one_digit(number: int) -> int:
    """A number with one digit, never less than it is.

    >>> one_digit(111), one_digit(9_768), one_digit(7)
    (200, 10000, 7)
    """
    power: int = 10 ** (len(str(number)) - 1)
    return -(-number // power) * power
