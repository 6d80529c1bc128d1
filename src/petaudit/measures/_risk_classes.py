"""Classes by the people that their rows could be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from petaudit.errors import NotMeasurableError, phrase
from petaudit.exact.class_figures import Integers
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures.remedy import Remedy

ALL_SUPPRESSED: Final = phrase("every row is suppressed: there is no class to measure")

Weight = Callable[[int], int]


@dataclass(frozen=True)
class RiskClasses:
    """Classes by the people that their rows could be: the riskiest, with the fewest, come first.

    Every row of a class of the table with ``people`` in it has the risk 1/people. Without a
    population these are the rows of the class itself.
    """

    sizes: Integers
    people: Integers
    classes: Integers
    suppressed_rows: int
    table_rows: int
    can_suppress: bool
    """Whether suppressed rows are in no class; else rows are dropped to be in none."""
    unit: Unit = Unit.ROW
    """What sizes are numbers of."""
    can_drop: bool = True
    people_stay: bool = False
    """Whether a class keeps its people when some of its rows go: those of a population stay."""

    @classmethod
    def of_table(cls, inputs: Inputs) -> RiskClasses:
        """The classes of the table, each with nobody in it but its own rows."""
        found = inputs.class_histogram
        return cls._checked(inputs, found.sizes, found.sizes, found.classes, found.suppressed_rows)

    @classmethod
    def of_population(cls, inputs: Inputs) -> RiskClasses:
        """The classes of the table with the people of the population in them."""
        found = inputs.population_classes
        classes = cls._checked(
            inputs, found.sizes, found.population_sizes, found.classes, found.suppressed_rows
        )
        # Without a row, the people of a class would be the first to be taken for suppressed ones.
        return replace(classes, can_drop=not found.fit_elsewhere, people_stay=True)

    @classmethod
    def _checked(
        cls, inputs: Inputs, sizes: Integers, people: Integers, classes: Integers, suppressed: int
    ) -> RiskClasses:
        if not sizes.size:
            raise NotMeasurableError(ALL_SUPPRESSED)
        exclude = inputs.suppressed == "exclude"
        rows = inputs.counted.rows
        return cls(sizes, people, classes, suppressed, rows, exclude, inputs.unit)

    @cached_property
    def rows(self) -> int:
        """Rows in classes."""
        return int((self.sizes * self.classes).sum())

    @cached_property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @cached_property
    def groups(self) -> list[tuple[int, int, int]]:
        """People, rows and classes of all classes with as many people, fewest first."""
        starts = np.flatnonzero(np.diff(self.people, prepend=0))
        rows = np.add.reduceat(self.sizes * self.classes, starts)
        classes = np.add.reduceat(self.classes, starts)
        return list(zip(self.people[starts].tolist(), rows.tolist(), classes.tolist(), strict=True))

    @cached_property
    def fewest_people(self) -> int:
        """The people of the riskiest class."""
        return int(self.people[0])

    @cached_property
    def highest(self) -> Fraction:
        """The risk of the riskiest row."""
        return Fraction(1, self.fewest_people)

    @cached_property
    def lowest(self) -> Fraction:
        """The risk of the safest row."""
        return Fraction(1, int(self.people[-1]))

    @cached_property
    def average(self) -> Fraction:
        """The mean risk of a row."""
        total = sum(rows * (self._common // people) for people, rows, _ in self.groups)
        return Fraction(total, self._common * self.rows)

    @cached_property
    def per_person(self) -> Fraction:
        """Classes by the people in them: the chance to find the row of somebody in a class."""
        return Fraction(self.number, sum(people * n for people, _, n in self.groups))

    @cached_property
    def _common(self) -> int:
        """What all numbers of people divide; fractions would be brought to it again and again."""
        return math.lcm(*(people for people, _, _ in self.groups))

    def rows_with_fewer(self, people: Fraction) -> int:
        """Rows that could be fewer people than this."""
        return sum(rows for own, rows, _ in self.groups if own < people)

    def rows_above(self, risk: Fraction) -> int:
        """Rows with a risk strictly above this one."""
        return sum(rows for own, rows, _ in self.groups if own * risk < 1)

    def enough_for_average(self, limit: Fraction) -> int:
        """The fewest rows to remove, riskiest classes first, until the average keeps the limit."""
        scale = self._common * limit.denominator
        bound = limit.numerator * self._common
        return self.enough(lambda people: scale // people - bound, by_row=self.people_stay)

    def enough_per_person(self, limit: Fraction) -> int:
        """The same for classes by people; other classes may have fewer rows that would do."""
        return self.enough(lambda _: 0, lambda people: limit.denominator - limit.numerator * people)

    def enough_for_share_above(self, risk: Fraction, limit: Fraction) -> int:
        """The fewest rows for the share of rows with a risk above one."""
        # What is left of a class that is too risky is too risky as well.
        return self.enough(
            lambda people: limit.denominator * (people * risk < 1) - limit.numerator, by_row=True
        )

    def enough(
        self, of_row: Weight, of_class: Weight = lambda _: 0, *, by_row: bool = False
    ) -> int:
        """Remove classes from the riskiest on, while the sum over all that are left is above 0.

        A figure that is a quotient of sums over classes keeps a limit when its numerators, less
        the limit times its denominators, add up to 0 at most. ``by_row``: whether some rows of a
        class can go without changing what the others add.
        """
        left = sum(rows * of_row(own) + n * of_class(own) for own, rows, n in self.groups)
        removed = 0
        for own, rows, number in self.groups:
            if left <= 0:
                break
            group = rows * of_row(own) + number * of_class(own)
            if group <= left:
                removed, left = removed + rows, left - group
                continue
            if by_row:
                return removed - (-left // of_row(own))
            start, stop = np.searchsorted(self.people, [own, own + 1]).tolist()
            sizes, times = self.sizes[start:stop].tolist(), self.classes[start:stop].tolist()
            for size, classes in zip(sizes, times, strict=True):
                one = size * of_row(own) + of_class(own)
                taken = min(classes, -(-left // one))
                removed, left = removed + taken * size, left - taken * one
                if left <= 0:
                    break
        return removed

    def remedy(self, breaking: int, enough: int) -> Remedy:
        """What a limit takes; removing rows is no help where no row would be left.

        Dropped rows leave the people of other classes as many as they were, or more where they
        are estimated: the smaller a sample is, the more people a row of it stands for.
        """
        helps = not enough or (enough < self.rows and (self.can_suppress or self.can_drop))
        return Remedy.of(
            breaking,
            enough if helps else None,
            self.table_rows,
            self.unit,
            by_dropping=not self.can_suppress,
        )
