"""What a figure must be, in relation to its limit, and which limits say nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from petaudit.errors import OptionError, Phrase, joined, phrase

Reach: TypeAlias = tuple[float, float]
"""The smallest and the largest figure that any table can have."""
_MOST_DIGITS: Final = 1e15
_READABLE: Final = range(-7, 16)
"""The powers of ten of numbers that people read without an exponent."""


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

    Where figures have no smallest value, limits start at 0; None means that there is no largest.

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
    petaudit.errors.OptionError: the limit of t-closeness is 2; no table exceeds 1, so every table would meet it
    """  # noqa: E501 (one line of output)
    low, high = reach
    if better == "higher" and limit < low:
        message = phrase(
            "the limit of {measure} is {limit:g}; no table is below {end:g}, so every table would "
            "meet it",
            measure=measure,
            limit=float(limit),
            end=low,
        )
    elif better == "lower" and limit > high:
        message = phrase(
            "the limit of {measure} is {limit:g}; no table exceeds {end:g}, so every table would "
            "meet it",
            measure=measure,
            limit=float(limit),
            end=high,
        )
    else:
        return
    raise OptionError(message)


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


def figure_rule(
    better: str, limit: str | None, *, strict: bool, conditions: Sequence[str]
) -> Phrase | None:
    """What a figure must be, with all conditions; None without a limit.

    >>> figure_rule("lower", "0.2", strict=False, conditions=["k at least 5"])
    'at most 0.2, k at least 5'
    """
    if better == "true":
        return phrase("must hold")
    if limit is None:
        return None
    rule = limit_rule(better, strict=strict, limit=limit)
    return joined([rule, *conditions]) if conditions else rule


def figure_texts(
    value: float | bool | None, limit: float | None, exact: str | None = None
) -> tuple[str, str]:
    """A figure and its limit for people, with as many digits as it takes to tell them apart.

    ``exact`` is a figure that breaks its limit as a quotient.

    >>> figure_texts(0.1234567891, 0.1234567892), figure_texts(0.5, 0.5, "5/9")
    (('0.1234567891', '0.1234567892'), ('5/9', '0.5'))
    """
    shown, bound = short(value), short(limit)
    if shown == bound and value is not None and value != limit:
        return repr(value), repr(limit)
    if shown == bound and exact is not None:
        # They differ beyond the last digit of a float.
        return exact, bound
    return shown, bound


def rounded_texts(
    value: float | bool | None,
    limit: float | None,
    before: float | bool | None = None,
    *,
    exact: str | None = None,
    percent: bool = False,
) -> tuple[str, str, str]:
    """A figure, its limit and an earlier figure, rounded to what they mean: to two digits.

    More digits are shown where two would hide on which side of the limit, of the earlier figure,
    of 0 or of 1 the figure is. The limit is never rounded.

    >>> rounded_texts(0.693254, 0.7), rounded_texts(0.7041, 0.7), rounded_texts(5.0, 5.0)
    (('0.69', '0.70', '-'), ('0.704', '0.70', '-'), ('5', '5', '-'))
    >>> rounded_texts(0.9984, 0.4, 0.9979, percent=True), rounded_texts(101.59, None)
    (('99.84 %', '40 %', '99.79 %'), ('102', '-', '-'))
    """
    number, bound, earlier = (_decimal(each, percent) for each in (value, limit, before))
    known = [each for each in (number, bound, earlier) if each is not None]
    is_tied = exact is not None and value == limit
    if is_tied or any(each.adjusted() not in _READABLE for each in known if each):
        return (*figure_texts(value, limit, exact), short(before))
    places = 0 if number is None else _places(number)
    ends = [Decimal(0), Decimal(100 if percent else 1), *([] if bound is None else [bound])]
    while number is not None and not (
        all(round(number, places).compare(end) == number.compare(end) for end in ends)
        and (
            earlier is None
            or round(number, places).compare(round(earlier, places)) == number.compare(earlier)
        )
    ):
        places += 1
    sign = " %" if percent else ""

    def text(shown: Decimal | None, given: float | bool | None, decimals: int) -> str:
        return short(given) if shown is None else f"{round(shown, decimals):,f}{sign}"

    # All digits of a limit, and two at least.
    digits = 0 if bound is None else -int(bound.normalize().as_tuple().exponent)
    return (
        text(number, value, places),
        text(bound, limit, 0 if bound is None else max(digits, _places(bound))),
        text(earlier, before, 2 if number is None else places),
    )


def _decimal(number: float | bool | None, percent: bool) -> Decimal | None:
    """The number as it is written, in percent if it is a share; None if it is no finite one."""
    if number is None or isinstance(number, bool) or not math.isfinite(number):
        return None
    return Decimal(repr(number)).scaleb(2 if percent else 0)


def _places(number: Decimal) -> int:
    """How many decimals show two digits of a number; none if it is an integer."""
    return 0 if number == number.to_integral_value() else max(0, 1 - number.adjusted())


def short(value: float | bool | None) -> str:
    """A figure for people; a dash for none.

    >>> short(0.123456789), short(True), short(None), short(float("inf")), short(30162.0)
    ('0.123457', 'true', '-', '∞', '30,162')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if float(value).is_integer() and abs(value) < _MOST_DIGITS:
        return f"{int(value):,}"
    return f"{value:.6g}"
