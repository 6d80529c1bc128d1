"""What a class of the table says about its people, where only the number of all people is known."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from petaudit.measures._poisson import at_least_if_any
from petaudit.measures._risk import RiskClasses

USUAL_SIGNIFICANCE: Final = Fraction(1, 100)


@dataclass(frozen=True)
class AssumedPopulation:
    """How many people a class of the table is taken to have (El Emam and Dankar 2008).

    Of a class of k people in the population, Poisson(k * n / P) rows are in the table. The class
    is seen at all because it has a row, so the number is truncated at zero. A class of the table is
    taken to have k people when so many rows are that improbable for fewer, or when it has k rows
    itself; a row that is alone never stands for more than one person. Suppressed rows were drawn
    from the population as well, so n counts them.
    """

    rows: int
    people: int
    significance: Fraction = USUAL_SIGNIFICANCE

    def takes(self, size: int, k: int) -> bool:
        """Whether a class of this size is taken to have k people."""
        if k <= size:
            return True
        if k > self.people:
            return False
        return at_least_if_any(size, Fraction(k * self.rows, self.people)) <= self.significance

    def most_people(self, size: int) -> int:
        """The largest k that a class of this size is taken to have."""
        known, too_many = size, self.people + 1
        while too_many - known > 1:
            middle = (known + too_many) // 2
            if self.takes(size, middle):
                known = middle
            else:
                too_many = middle
        return known

    def rows_below(self, classes: RiskClasses, people: int) -> int:
        """Rows of classes of the table that are not taken to have so many people."""
        sizes = classes.sizes.tolist()
        first = bisect_left(sizes, True, key=lambda own: self.takes(own, people))
        return int((classes.sizes * classes.classes)[:first].sum())
