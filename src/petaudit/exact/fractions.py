"""Exact numbers: what a user's limit means, and whether text is a number."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import TypeAlias

from petaudit.errors import OptionError, phrase

Number: TypeAlias = int | float | str | Decimal | Fraction

_DIGITS_OF_A_QUOTIENT = 10
_LARGEST_DENOMINATOR = 1_000_000
_QUOTIENT = re.compile(r"\d{1,300}/0*[1-9]\d{0,300}", re.ASCII)
NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?)", re.ASCII)
"""What is read as a number; the group holds all of it."""


def exact(value: object, name: str) -> Fraction:
    """Read a number as the person who wrote it meant it.

    A float stands for its shortest decimal form: a limit of 0.3 is three tenths, not the
    binary fraction a little below it, so a figure of exactly 3/10 keeps it. Where that is as long
    as can be, it stands for the simple fraction that Python makes this float of, if there is one.

    >>> exact(0.3, "limit"), exact("0.375", "limit"), exact(2 / 3, "limit")
    (Fraction(3, 10), Fraction(3, 8), Fraction(2, 3))
    >>> exact("1/11", "limit") > exact("0.09", "limit")
    True
    >>> exact("abc", "limit")
    Traceback (most recent call last):
    petaudit.errors.OptionError: limit must be a finite number, got 'abc'
    """
    number = _fraction_of(value)
    if number is not None and as_float(number) < math.inf:
        return number
    hint = ""
    if isinstance(value, str) and value.strip().endswith("%"):
        percent = parse_number(value.strip().removesuffix("%"))
        if percent is not None:
            hint = phrase(
                " (write {share:g} for {percent})",
                share=float(percent / 100),
                percent=value.strip(),
            )
    raise OptionError(
        "{name} must be a finite number, got {value!r}{hint}", name=name, value=value, hint=hint
    )


def _fraction_of(value: object) -> Fraction | None:
    match value:
        case bool():
            return None
        case Rational():
            return Fraction(int(value.numerator), int(value.denominator))
        case str():
            number = parse_number(value)
            # Only where somebody sets a number: in a table, 1/11 may be a day.
            return quotient(value) if number is None else number
        case Decimal() if value.is_finite():
            return Fraction(value)
        case Real() if parse_number(repr(float(value))) is not None:
            return _simple_fraction(float(value)) or Fraction(repr(float(value)))
    return None


def quotient(text: str) -> Fraction | None:
    """The number that two whole numbers with a stroke between them spell, or None.

    >>> quotient("1/11"), quotient("1/0"), quotient("0.5")
    (Fraction(1, 11), None, None)
    """
    return Fraction(text.strip()) if _QUOTIENT.fullmatch(text.strip()) else None


def quotient_text(number: Fraction) -> str | None:
    """A number as a quotient, where no float shows it as it is.

    >>> quotient_text(Fraction(1, 11)), quotient_text(Fraction(3, 8)), quotient_text(Fraction(9))
    ('1/11', None, None)
    """
    return None if Fraction(repr(float(number))) == number else str(number)


def _simple_fraction(value: float) -> Fraction | None:
    """What a float of many digits was computed from: 2/3 is 0.6666666666666666 in Python."""
    digits = repr(value).partition("e")[0].replace(".", "").strip("-0")
    if len(digits) < _DIGITS_OF_A_QUOTIENT:
        return None
    near = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    return near if float(near) == value else None


def exact_nonnegative(value: object, name: str) -> Fraction:
    """Read a number that must not be below zero.

    >>> exact_nonnegative(-1, "limit")
    Traceback (most recent call last):
    petaudit.errors.OptionError: limit must not be negative, got -1
    """
    number = exact(value, name)
    if number < 0:
        raise OptionError("{name} must not be negative, got {value}", name=name, value=value)
    return number


def as_float(number: Fraction | float) -> float:
    """Return the nearest float; infinity where the number is too large for one.

    >>> as_float(Fraction(1, 2)), as_float(Fraction(10**400))
    (0.5, inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf


def parse_number(label: str) -> Fraction | None:
    """Return the number that a label spells, or None.

    >>> parse_number(" 1.50 "), parse_number("3k"), parse_number("nan")
    (Fraction(3, 2), None, None)
    """
    text = label.strip()
    try:
        return Fraction(text) if NUMBER.fullmatch(text) else None
    except ValueError:
        # Python refuses to convert thousands of digits, and such a label counts nothing.
        return None


def share_kept(figure: Fraction | int, best: Fraction | int, worst: Fraction | int) -> Fraction:
    """Place a figure between its worst value, 0, and its best, 1; 1 where nothing can be lost.

    >>> share_kept(3, 2, 6), share_kept(1, 2, 6), share_kept(2, 2, 2)
    (Fraction(3, 4), Fraction(1, 1), Fraction(1, 1))
    """
    if best == worst:
        return Fraction(1)
    lost = Fraction(figure - best) / Fraction(worst - best)
    return 1 - min(max(lost, Fraction(0)), Fraction(1))
