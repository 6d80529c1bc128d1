"""The risk of a row where only the number of all people is known (Benedetti and Franconi 1998).

Of a class with f rows in a sample of the fraction p, the people F beyond these f are taken to be
negative binomial: as many as are passed over, each with the chance 1 - p, until f are drawn. The
risk of a row is the mean of 1/F given f,

    p^f / f * 2F1(f, f; f+1; 1-p) = p / f * 2F1(1, 1; f+1; 1-p).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Final

from petaudit.measures._assumed_population import AssumedPopulation
from petaudit.measures._risk import RiskClasses
from petaudit.measures.base import Remedy

_DIGITS: Final = 50
_SMALLEST_TERM: Final = Decimal("1e-45")
_SHORT_SERIES: Final = 64
"""From this many rows on the series ends soon, however small the sample is."""
_UNIT: Final = 10**60


def expected_risks(fraction: Fraction, sizes: Iterable[int]) -> dict[int, Fraction]:
    """The mean of 1/F for classes of these sizes in a sample of a fraction of all people.

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
        found = _recursion(part, rest, min(max(wanted), _SHORT_SERIES)) if part <= rest else {}
        return {
            size: Fraction(found[size] if size in found else _series(part, rest, size))
            for size in wanted
        }


def _recursion(part: Decimal, rest: Decimal, largest: int) -> dict[int, Decimal]:
    """From each size to the next, by parts; an error shrinks where no more than half is drawn."""
    risk = -part * part.ln() / rest
    found = {1: risk}
    for size in range(1, largest):
        risk = part / rest * (1 / Decimal(size) - risk)
        found[size + 1] = risk
    return found


def _series(part: Decimal, rest: Decimal, size: int) -> Decimal:
    """All terms are positive, and each is smaller than the one before."""
    total = term = Decimal(1)
    place = 0
    while term > _SMALLEST_TERM * total:
        place += 1
        term = term * rest * place / (size + place)
        total += term
    return part / size * total


@dataclass(frozen=True)
class EstimatedRisks:
    """The classes of a table with their estimated risks; the smallest are the riskiest."""

    classes: RiskClasses
    population: AssumedPopulation

    @cached_property
    def _risks(self) -> dict[int, int]:
        """By size, in units: sums of whole numbers are fast and exact."""
        fraction = Fraction(self.population.rows, self.population.people)
        risks = expected_risks(fraction, self.classes.sizes.tolist())
        return {size: round(risk * _UNIT) for size, risk in risks.items()}

    @cached_property
    def average(self) -> Fraction:
        """The mean risk of a row."""
        total = sum(rows * self._risks[size] for size, rows, _ in self.classes.groups)
        return Fraction(total, _UNIT * self.classes.rows)

    @cached_property
    def highest(self) -> Fraction:
        """The risk of the riskiest row."""
        return Fraction(self._risks[int(self.classes.sizes[0])], _UNIT)

    @cached_property
    def fewest_people(self) -> int:
        """How many people the smallest class is taken to have, as k-map takes it."""
        return self.population.most_people(int(self.classes.sizes[0]))

    def rows_above(self, risk: Fraction) -> int:
        """Rows with a risk strictly above this one."""
        bound = risk * _UNIT
        return sum(rows for size, rows, _ in self.classes.groups if self._risks[size] > bound)

    def rows_with_fewer(self, people: Fraction) -> int:
        """Rows of classes that are not taken to have so many people."""
        return self.population.rows_below(self.classes, -(-people // 1))

    def enough_for_average(self, limit: Fraction) -> int:
        """Rows to suppress, riskiest classes first, until the average keeps the limit."""
        bound = limit.numerator * _UNIT
        return self.classes.enough(lambda size: self._risks[size] * limit.denominator - bound)

    def remedy(self, breaking: int, enough: int) -> Remedy:
        """What a limit takes."""
        return self.classes.remedy(breaking, enough)
