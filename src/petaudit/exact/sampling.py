"""What a class of a random sample says about its people, where only the number of all is known."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final

from petaudit.exact.class_figures import Floats, Integers

USUAL_SIGNIFICANCE: Final = Fraction(1, 100)
_DIGITS: Final = 50
_SMALLEST_TERM: Final = Decimal("1e-45")
_SHORT_SERIES: Final = 64
"""From this many rows on the series ends soon, however small the sample is."""
_LARGEST_FACTORIAL: Final = 2000
_TWO_PI: Final = Decimal("6.28318530717958647692528676655900576839433879875021164194989")
# B(2j) / (2j (2j-1)) of Stirling's series: beyond 2000! the next term is below 1e-50.
_STIRLING: Final = tuple(
    Fraction(*pair)
    for pair in ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156))
)


@dataclass(frozen=True)
class Population:
    """A population of which a table has some rows (El Emam and Dankar 2008).

    Of a class of k people in the population, Poisson(k * n / P) rows are in the table. The class
    is seen at all because it has a row, so the number is truncated at zero. A class of the table is
    taken to have k people when so many rows are that improbable for fewer, or when it has k rows
    itself; a row that is alone never stands for more than one person. Suppressed rows were drawn
    from the population as well, so n counts them.
    """

    rows: int
    people: int
    significance: Fraction = USUAL_SIGNIFICANCE

    def is_taken_to_have(self, k: int, size: int) -> bool:
        """Whether a class of this size is taken to have k people."""
        if k <= size:
            return True
        if k > self.people:
            return False
        return at_least_if_any(size, Fraction(k * self.rows, self.people)) <= self.significance

    def most_people(self, size: int) -> int:
        """Return the largest k that a class of this size is taken to have.

        >>> Population(rows=100, people=1000).most_people(4)
        6
        """
        known, too_many = size, self.people + 1
        while too_many - known > 1:
            middle = (known + too_many) // 2
            if self.is_taken_to_have(middle, size):
                known = middle
            else:
                too_many = middle
        return known


def expected_risks(fraction: Fraction, sizes: Iterable[int]) -> dict[int, Fraction]:
    """Return the risk of a row by the size of its class (Benedetti and Franconi 1998).

    Of a class with f rows in a sample of the fraction p, the people F beyond these f are taken to
    be negative binomial: as many as are passed over, each with the chance 1 - p, until f are drawn.
    The risk of a row is the mean of 1/F given f,

        p^f / f * 2F1(f, f; f+1; 1-p) = p / f * 2F1(1, 1; f+1; 1-p).

    >>> {size: round(float(risk), 9) for size, risk in
    ...     expected_risks(Fraction(1, 10), [1, 2, 100]).items()}
    {1: 0.255842788, 2: 0.082684135, 100: 0.001009072}
    """
    wanted = set(sizes)
    if fraction == 1:
        return {size: Fraction(1, size) for size in wanted}
    with localcontext(prec=_DIGITS):
        part = Decimal(fraction.numerator) / fraction.denominator
        rest = Decimal(fraction.denominator - fraction.numerator) / fraction.denominator
        known = _recursion(part, rest, min(max(wanted), _SHORT_SERIES)) if part <= rest else {}
        return {
            size: Fraction(known[size] if size in known else _series(part, rest, size))
            for size in wanted
        }


def _recursion(part: Decimal, rest: Decimal, largest: int) -> dict[int, Decimal]:
    """From each size to the next, by parts; an error shrinks where no more than half is drawn."""
    risk = -part * part.ln() / rest
    risks = {1: risk}
    for size in range(1, largest):
        risk = part / rest * (1 / Decimal(size) - risk)
        risks[size + 1] = risk
    return risks


def _series(part: Decimal, rest: Decimal, size: int) -> Decimal:
    """All terms are positive, and each is smaller than the one before."""
    total = term = Decimal(1)
    place = 0
    while term > _SMALLEST_TERM * total:
        place += 1
        term = term * rest * place / (size + place)
        total += term
    return part / size * total


def disclosure_risks(
    scores: Floats, rows_of_score: Integers, rows_in_pairs: int, fraction: float, columns: int
) -> Floats:
    """Return DIS-SUDA by score, ascending: the chance that a match with a row is correct.

    The chance of an average unique, d (Skinner and Elliot 2002), is spread over the unique rows by
    their scores; from 28 columns on evenly, because the exponent of Elliot's manual would turn
    around there.
    """
    if not scores.size:
        return scores
    # U/d - U for U unique rows, where d = U f / (U f + rows in pairs * (1 - f)).
    wrong = rows_in_pairs * (1 - fraction) / fraction
    # As parts of the highest one, no score is too large for its power.
    weights = (scores / scores[-1]) ** -max(1 + (8 - columns) / 20, 0)
    risks: Floats = 1 / (1 + wrong * weights / (weights @ rows_of_score))
    return risks


def at_least(number: int, mean: Fraction) -> Decimal:
    """The probability that a Poisson number is at least so large.

    It has many more digits than floats have: it is never exactly a fraction that somebody writes,
    so enough digits always decide.

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
                Decimal(term.numerator) / term.denominator / size ** (2 * place + 1)
                for place, term in enumerate(_STIRLING)
            ),
            Decimal(0),
        )
        return (size + Decimal("0.5")) * size.ln() - size + _TWO_PI.ln() / 2 + series
