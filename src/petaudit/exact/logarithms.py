"""Sums of logarithms of fractions: compared exactly, however close they are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd
from typing import Final, TypeAlias

LogTerms: TypeAlias = Sequence[tuple[int, Fraction]]
"""Weights and positive fractions: the sum of weight * ln(fraction)."""

_DIGITS: Final = 40


def sign_of_logs(terms: LogTerms, bound: Fraction = Fraction(0)) -> int:
    """1, 0 or -1: whether a sum of logarithms is above, at or below a fraction.

    Digits are added until the two differ. They do in the end: logarithms of fractions add up to a
    fraction only if that is 0 (Lindemann), and then the product of the powers is 1, which is found
    out with whole numbers.

    >>> sign_of_logs([(2, Fraction(3)), (-1, Fraction(9))])
    0
    >>> sign_of_logs([(1, Fraction(2))], Fraction("0.6931471805599453094172321214581765680755"))
    1
    """
    digits = _DIGITS
    while True:
        total, error = _total(terms, bound, digits)
        if abs(total) > error:
            return 1 if total > 0 else -1
        if digits == _DIGITS and not bound and _is_one(terms):
            return 0
        digits *= 2


def sum_of_logs(terms: LogTerms) -> Decimal:
    """The sum to far more digits than a float has.

    >>> float(sum_of_logs([(1, Fraction(2))]))
    0.6931471805599453
    """
    return _total(terms, Fraction(0), _DIGITS)[0]


def _total(terms: LogTerms, bound: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """The sum minus the bound, and by how much it may be wrong at most."""
    with localcontext(prec=digits):
        known: dict[int, Decimal] = {}
        for _, fraction in terms:
            for number in (fraction.numerator, fraction.denominator):
                if number not in known:
                    known[number] = Decimal(number).ln()
        total = -Decimal(bound.numerator) / Decimal(bound.denominator)
        size = abs(total)
        for weight, fraction in terms:
            above, below = known[fraction.numerator], known[fraction.denominator]
            total += weight * above - weight * below
            size += abs(weight) * (above + below)
        # Each of the few roundings per term is at most one unit in the last of the digits.
        return total, size * (8 * len(terms) + 8) * Decimal(10) ** (1 - digits)


def _is_one(terms: LogTerms) -> bool:
    """Whether a product of powers of fractions is 1; nothing is multiplied out.

    The numbers are split by their common divisors until no two have any. Then the product is 1 only
    if every exponent is 0.

    >>> _is_one([(2, Fraction(8)), (-3, Fraction(4))]), _is_one([(1, Fraction(6, 4))])
    (True, False)
    """
    coprime: dict[int, int] = {}
    pending = [(fraction.numerator, weight) for weight, fraction in terms]
    pending += [(fraction.denominator, -weight) for weight, fraction in terms]
    while pending:
        number, exponent = pending.pop()
        if number == 1 or exponent == 0:
            continue
        for other in coprime:
            common = gcd(number, other)
            if common > 1:
                before = coprime.pop(other)
                pending.append((number // common, exponent))
                pending.append((other // common, before))
                pending.append((common, exponent + before))
                break
        else:
            coprime[number] = exponent
    return not coprime
