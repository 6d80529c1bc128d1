"""How likely a Poisson number is to be so large, to many more digits than floats have.

The probability is never exactly a fraction that somebody writes, so enough digits always decide.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final

_DIGITS: Final = 50
_SMALLEST_TERM: Final = Decimal("1e-40")
_LARGEST_FACTORIAL: Final = 2000
_TWO_PI: Final = Decimal("6.28318530717958647692528676655900576839433879875021164194989")
# B(2j) / (2j (2j-1)) of Stirling's series: beyond 2000! the next term is below 1e-50.
_STIRLING: Final = tuple(
    Fraction(*pair)
    for pair in ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156))
)


def at_least(number: int, mean: Fraction) -> Decimal:
    """The probability that a Poisson number is at least so large.

    >>> round(at_least(1, Fraction(1)), 12), round(at_least(3, Fraction(1, 2)), 12)
    (Decimal('0.632120558829'), Decimal('0.014387677967'))
    """
    if number <= 0:
        return Decimal(1)
    if not mean:
        return Decimal(0)
    with localcontext(prec=_DIGITS, Emin=-(10**15), Emax=10**15):
        average = Decimal(mean.numerator) / mean.denominator
        exactly = (number * average.ln() - average - _log_factorial(number)).exp()
        if average < number:
            return +(exactly * _upward(number, average))
        # All numbers below, from the likeliest of them down.
        return +(1 - exactly * _downward(number, average))


def at_least_if_any(number: int, mean: Fraction) -> Decimal:
    """The same of a Poisson number that is known to be 1 at the least (truncated at zero).

    >>> at_least_if_any(1, Fraction(1, 2)), round(at_least_if_any(2, Fraction(1, 2)), 12)
    (Decimal('1'), Decimal('0.229252958732'))
    """
    if number <= 1:
        return Decimal(1)
    with localcontext(prec=_DIGITS, Emin=-(10**15), Emax=10**15):
        return at_least(number, mean) / at_least(1, mean)


def _upward(number: int, mean: Decimal) -> Decimal:
    """The sum of all terms from a number on, by the first of them."""
    total = term = Decimal(1)
    while term > _SMALLEST_TERM * total:
        number += 1
        term = term * mean / number
        total += term
    return total


def _downward(number: int, mean: Decimal) -> Decimal:
    """The sum of all terms below a number, by the term of the number."""
    total, term = Decimal(0), Decimal(1)
    while number > 0 and term > _SMALLEST_TERM * total:
        term = term * number / mean
        total += term
        number -= 1
    return total


@lru_cache(maxsize=64)
def _log_factorial(number: int) -> Decimal:
    with localcontext(prec=_DIGITS):
        if number <= _LARGEST_FACTORIAL:
            return Decimal(math.factorial(number)).ln()
        size = Decimal(number)
        series = sum(
            (
                Decimal(own.numerator) / own.denominator / size ** (2 * place + 1)
                for place, own in enumerate(_STIRLING)
            ),
            Decimal(0),
        )
        return (size + Decimal("0.5")) * size.ln() - size + _TWO_PI.ln() / 2 + series
