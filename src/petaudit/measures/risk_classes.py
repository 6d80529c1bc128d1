"""Classes by the people that their rows could be."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from petaudit.errors import NotMeasurableError
from petaudit.exact.class_figures import Integers
from petaudit.exact.sampling import USUAL_SIGNIFICANCE, Population, expected_risks
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures.remedy import Remedy

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
        """The classes of the table, where the people of a class are its rows."""
        histogram = inputs.class_histogram
        sizes, classes = histogram.sizes, histogram.classes
        return cls._checked(inputs, sizes, sizes, classes, histogram.suppressed_rows)

    @classmethod
    def of_population(cls, inputs: Inputs) -> RiskClasses:
        """The classes of the table with the people of the population in them."""
        counts = inputs.population_classes
        classes = cls._checked(
            inputs, counts.sizes, counts.population_sizes, counts.classes, counts.suppressed_rows
        )
        # Without a row, the people of a class would be the first to be taken for suppressed ones.
        return replace(classes, can_drop=not counts.fit_elsewhere, people_stay=True)

    @classmethod
    def known(cls, inputs: Inputs) -> RiskClasses:
        """The classes with the people of the population, where there is one, or their own rows."""
        return (cls.of_table if inputs.population is None else cls.of_population)(inputs)

    @classmethod
    def _checked(
        cls, inputs: Inputs, sizes: Integers, people: Integers, classes: Integers, suppressed: int
    ) -> RiskClasses:
        if not sizes.size:
            raise NotMeasurableError("every row is suppressed: there is no class to measure")
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
        """People per class, rows and number of the classes with that many people, fewest first."""
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
        return Fraction(self._risks[int(self.people[0])], self._scale)

    @cached_property
    def lowest(self) -> Fraction:
        """The risk of the safest row."""
        return Fraction(self._risks[int(self.people[-1])], self._scale)

    @cached_property
    def average(self) -> Fraction:
        """The mean risk of a row."""
        total = sum(rows * self._risks[people] for people, rows, _ in self.groups)
        return Fraction(total, self._scale * self.rows)

    @cached_property
    def per_person(self) -> Fraction:
        """Classes by the people in them: the chance to find the row of somebody in a class."""
        return Fraction(self.number, sum(people * n for people, _, n in self.groups))

    @cached_property
    def _scale(self) -> int:
        """What all risks are brought to: sums of whole numbers are fast and exact."""
        return math.lcm(*(people for people, _, _ in self.groups))

    @cached_property
    def _risks(self) -> dict[int, int]:
        """The risk of a row by the people that it could be, times the scale."""
        return {people: self._scale // people for people, _, _ in self.groups}

    def rows_with_fewer(self, people: Fraction | int) -> int:
        """Rows that could be fewer people than this."""
        return sum(rows for in_class, rows, _ in self.groups if in_class < people)

    def rows_above(self, risk: Fraction) -> int:
        """Rows with a risk strictly above this one."""
        bound = risk * self._scale
        return sum(rows for people, rows, _ in self.groups if self._risks[people] > bound)

    def enough_for_average(self, limit: Fraction) -> int:
        """The fewest rows to remove, riskiest classes first, until the average keeps the limit."""
        bound = limit.numerator * self._scale
        return self.enough(
            lambda people: self._risks[people] * limit.denominator - bound, by_row=self.people_stay
        )

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
        left = sum(rows * of_row(people) + n * of_class(people) for people, rows, n in self.groups)
        removed = 0
        for people, rows, number in self.groups:
            if left <= 0:
                break
            group = rows * of_row(people) + number * of_class(people)
            if group <= left:
                removed, left = removed + rows, left - group
                continue
            if by_row:
                return removed - (-left // of_row(people))
            start, stop = np.searchsorted(self.people, [people, people + 1]).tolist()
            sizes, times = self.sizes[start:stop].tolist(), self.classes[start:stop].tolist()
            for size, classes in zip(sizes, times, strict=True):
                one = size * of_row(people) + of_class(people)
                taken = min(classes, -(-left // one))
                removed, left = removed + taken * size, left - taken * one
                if left <= 0:
                    break
        return removed

    def remedy(self, breaking: int, enough: int) -> Remedy:
        """What a limit takes; removing rows does not help where no row would be left.

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


@dataclass(frozen=True)
class SampledClasses(RiskClasses):
    """The classes of a random sample: the people of a class are estimated from its rows."""

    population: Population = field(kw_only=True)

    @cached_property
    def _scale(self) -> int:
        return 10**60

    @classmethod
    def of_sample(
        cls, inputs: Inputs, people: int, significance: Fraction = USUAL_SIGNIFICANCE
    ) -> SampledClasses:
        """The classes of a table that was drawn from a population of ``people``."""
        classes = RiskClasses.of_table(inputs)
        population = Population(inputs.individuals, people, significance)
        return cls(**vars(classes), population=population)

    @cached_property
    def _risks(self) -> dict[int, int]:
        fraction = Fraction(self.population.rows, self.population.people)
        risks = expected_risks(fraction, self.sizes.tolist())
        return {size: round(risk * self._scale) for size, risk in risks.items()}

    @cached_property
    def average(self) -> Fraction:
        """The mean risk of a row, as near as floats come."""
        return Fraction(float(super().average))

    @cached_property
    def fewest_people(self) -> int:
        """The people that the smallest class is taken to have."""
        return self.population.most_people(int(self.sizes[0]))

    def rows_with_fewer(self, people: Fraction | int) -> int:
        """Rows of classes that are not taken to have at least this many people."""
        k = math.ceil(people)
        enough = partial(self.population.is_taken_to_have, k)
        first = bisect_left(self.sizes.tolist(), True, key=enough)
        return int((self.sizes * self.classes)[:first].sum())
