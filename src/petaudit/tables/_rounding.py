"""Decimals of numbers: how many there are, and rounding to so many, exactly as Python does it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

_EXACT_POWERS = 22
"""10**22 is the largest power of ten that a float holds exactly."""
_EXACT_WHOLE = 2.0**53
_MOST_DIGITS = 16
_DOUBT = 2.0**-48
_WIDE = Context(prec=400)


def decimals_of(values: Floats) -> int | None:
    """The most decimals that any value has when it is written as briefly as possible.

    >>> decimals_of(np.array([10.0, 0.25])), decimals_of(np.array([]))
    (2, None)
    """
    rest = values[np.isfinite(values)]
    if not rest.size:
        return None
    for decimals in range(_MOST_DIGITS):
        rest = rest[rounded(rest, decimals) != rest]
        if not rest.size:
            return decimals
    return max(_written_decimals(Decimal(repr(value))) for value in rest.tolist())


def rounded(values: Floats, decimals: int) -> Floats:
    """Round half to even on the exact binary value, as ``round`` does.

    >>> rounded(np.array([2.5, 2.675, 10.2]), 0).tolist(), round(2.675, 2)
    ([2.0, 3.0, 10.0], 2.67)
    >>> rounded(np.array([2.675]), 2).tolist()
    [2.67]
    """
    if decimals > _EXACT_POWERS:
        return np.array([round(value, decimals) for value in values.tolist()], np.float64)
    power = 10.0**decimals
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = values * power
        whole = np.rint(scaled)
        # Where the product is exact enough, dividing a whole number by an exact power rounds
        # right; near a half Python has to decide.
        doubtful = np.abs(np.abs(scaled - np.floor(scaled)) - 0.5) <= np.abs(scaled) * _DOUBT
        # Where neighbouring floats are further apart than the decimals, nothing changes.
        is_coarse = ~(np.abs(scaled) < _EXACT_WHOLE)
        found: Floats = np.where(is_coarse, values, whole / power)
        doubtful &= ~is_coarse
    for index in np.flatnonzero(doubtful & np.isfinite(values)):
        found[index] = round(float(values[index]), decimals)
    found[~np.isfinite(values)] = values[~np.isfinite(values)]
    return found + 0.0


def decimals_of_decimals(values: Sequence[Decimal]) -> int | None:
    """The same for numbers that are kept in decimal form.

    >>> decimals_of_decimals([Decimal("1.50"), Decimal(3)])
    1
    """
    return max(map(_written_decimals, values), default=None)


def rounded_decimal(value: Decimal, decimals: int) -> Decimal:
    """Round a decimal number half to even.

    >>> rounded_decimal(Decimal("2.665"), 2)
    Decimal('2.66')
    """
    if _written_decimals(value) <= decimals:
        return value
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN, _WIDE)


def plain_decimal(value: Decimal) -> Decimal:
    """A decimal number without trailing zeros, however many digits it has.

    >>> plain_decimal(Decimal("1.500"))
    Decimal('1.5')
    """
    return value.normalize(_WIDE) if value else Decimal(0)


def _written_decimals(value: Decimal) -> int:
    exponent = value.normalize(_WIDE).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
