"""What a figure must be, in relation to its limit, and which limits say nothing."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

from petaudit.errors import OptionError, Phrase, phrase

Reach: TypeAlias = tuple[float, float]
"""The smallest and the largest figure that any table can have."""


def is_idle(limit: Fraction | float, better: str, reach: Reach, *, strict: bool) -> bool:
    """Whether no figure could break a limit.

    >>> is_idle(1, "higher", (1, 9), strict=False), is_idle(1, "lower", (0, 1), strict=True)
    (True, False)
    """
    low, high = reach
    if better == "higher":
        return limit < low or (limit == low and not strict)
    return better == "lower" and (limit > high or (limit == high and not strict))


def breakable(better: str, reach: Reach) -> tuple[float, float | None]:
    """The least and the largest limit that :func:`refuse_unbreakable` lets pass.

    Where figures have no least one, limits are from 0, and None is no largest one.

    >>> breakable("higher", (1, math.inf)), breakable("lower", (0, 1))
    ((1, None), (0.0, 1))
    """
    low, high = reach
    least = low if math.isfinite(low) and (better == "higher" or low < 0) else 0.0
    return least, high if better == "lower" and math.isfinite(high) else None


def refuse_unbreakable(limit: Fraction | float, measure: str, better: str, reach: Reach) -> None:
    """Raise for a limit beyond all figures: every table would keep it, and look judged.

    A limit *at* the end of the range is allowed; it is idle unless it is strict.

    >>> refuse_unbreakable(1, "t-closeness", "lower", (0, 1))
    >>> refuse_unbreakable(2, "t-closeness", "lower", (0, 1))
    Traceback (most recent call last):
    petaudit.errors.OptionError: the limit of t-closeness is 2; no table exceeds 1, so every table would keep it
    """  # noqa: E501 (one line of output)
    low, high = reach
    if better == "higher" and limit < low:
        said = phrase(
            "the limit of {measure} is {limit:g}; no table is below {end:g}, so every table would "
            "keep it",
            measure=measure,
            limit=float(limit),
            end=low,
        )
    elif better == "lower" and limit > high:
        said = phrase(
            "the limit of {measure} is {limit:g}; no table exceeds {end:g}, so every table would "
            "keep it",
            measure=measure,
            limit=float(limit),
            end=high,
        )
    else:
        return
    raise OptionError(said)


def limit_rule(better: str, *, strict: bool, limit: str) -> Phrase:
    """The rule of a limit for figures of which ``lower`` or ``higher`` ones are better.

    >>> limit_rule("higher", strict=False, limit="5"), limit_rule("lower", strict=True, limit="5")
    ('at least 5', 'below 5')
    """
    if better == "higher":
        if strict:
            return phrase("above {limit}", limit=limit)
        return phrase("at least {limit}", limit=limit)
    return (
        phrase("below {limit}", limit=limit) if strict else phrase("at most {limit}", limit=limit)
    )
