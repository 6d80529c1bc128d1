"""What the re-identification risks share: how many people every row could be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from petaudit import kinds
from petaudit.class_figures import Integers
from petaudit.counts.made_frames import MadeColumn
from petaudit.errors import InputError, NotMeasurableError, OptionError, counted, suggestion
from petaudit.exact import Number, exact, exact_nonnegative
from petaudit.inputs import Inputs
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Option, Remedy, Result

TABLES: Final = (GLOBAL, DETAILS)
SHARE: Final = kinds.Number(0, 1)
PEOPLE: Final = kinds.Whole(1)
THRESHOLD_HELP: Final = "a row is at risk when its risk is above this (0.2 if not given)"
SIZE_OPTION: Final = Option(
    "population_size", "how many people the population has, where no table tells", kind=PEOPLE
)
TIE: Final = Fraction(1, 10**12)
"""An estimate has no exact value: by this part of a limit it may be above it."""
ALL_SUPPRESSED: Final = "every row is suppressed: there is no class to measure"

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
    """Whether suppressing more rows leaves the other classes as they are."""

    @classmethod
    def of_table(cls, inputs: Inputs) -> RiskClasses:
        """The classes of the table, each with nobody in it but its own rows."""
        found = inputs.class_histogram
        return cls._checked(inputs, found.sizes, found.sizes, found.classes, found.suppressed_rows)

    @classmethod
    def of_population(cls, inputs: Inputs) -> RiskClasses:
        """The classes of the table with the people of the population in them."""
        found = inputs.population_classes
        return cls._checked(
            inputs, found.sizes, found.population_sizes, found.classes, found.suppressed_rows
        )

    @classmethod
    def _checked(
        cls, inputs: Inputs, sizes: Integers, people: Integers, classes: Integers, suppressed: int
    ) -> RiskClasses:
        if not sizes.size:
            raise NotMeasurableError(ALL_SUPPRESSED)
        exclude = inputs.suppressed == "exclude"
        return cls(sizes, people, classes, suppressed, inputs.table.rows, exclude)

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
        """Rows to suppress, riskiest classes first, until the average keeps the limit."""
        scale = self._common * limit.denominator
        bound = limit.numerator * self._common
        return self.enough(lambda people: scale // people - bound)

    def enough_per_person(self, limit: Fraction) -> int:
        """The same for classes by people."""
        return self.enough(lambda _: 0, lambda people: limit.denominator - limit.numerator * people)

    def enough_for_share_above(self, risk: Fraction, limit: Fraction) -> int:
        """The same for the share of rows with a risk above one."""
        return self.enough(lambda people: limit.denominator * (people * risk < 1) - limit.numerator)

    def enough(self, of_row: Weight, of_class: Weight = lambda _: 0) -> int:
        """Remove classes from the riskiest on, while the sum over all that are left is above 0.

        A figure that is a quotient of sums over classes keeps a limit when its numerators, less
        the limit times its denominators, add up to 0 at most.
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
        """What a limit takes; suppressing rows is no help where no row would be left."""
        helps = not enough or (self.can_suppress and enough < self.rows)
        return Remedy.of(breaking, enough if helps else None, self.table_rows)


@dataclass(frozen=True)
class RiskResult(Result):
    """The figures of a risk, of which one is judged."""

    exact_value: Fraction = field(repr=False)
    highest: float
    average: float
    lowest: float
    share_at_risk: float
    rows_at_risk: int
    risk_threshold: float
    rows_to_suppress_for_threshold: int | None
    """How many rows to suppress so that none is at risk; None where that is no help."""
    judged: str
    classes: int
    rows: int
    suppressed_rows: int
    remedy: Remedy | None

    @property
    def figure(self) -> str:
        """The measure and which of its figures the value is."""
        return f"{self.measure}, {self.judged}"

    @property
    def what_it_takes(self) -> Remedy | None:
        """The rows that are too risky."""
        return self.remedy

    @property
    def explanation(self) -> tuple[str, ...]:
        """All figures, what the threshold takes, and what the limit takes."""
        lines = [
            f"highest {self.highest:.4g}, average {self.average:.4g}, lowest {self.lowest:.4g}; "
            + self._counted(),
            self._threshold_effect(),
        ]
        return (*lines, *remedy_lines(self.remedy))

    def _counted(self) -> str:
        found = f"{counted(self.rows, 'row')} in {counted(self.classes, 'class', 'classes')}"
        more = self.suppressed_rows
        return found + (f", {counted(more, 'row')} suppressed" if more else "")

    def _threshold_effect(self) -> str:
        above = f"a risk above {self.risk_threshold:g}"
        if not self.rows_at_risk:
            return f"no row has {above}"
        has = "has" if self.rows_at_risk == 1 else "have"
        found = f"{counted(self.rows_at_risk, 'row')} ({100 * self.share_at_risk:.3g} %) {has} "
        return f"{found}{above}" + (
            "" if self.rows_to_suppress_for_threshold is None else "; without them no row has"
        )

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, MadeColumn]:
        """``details`` has a row per figure."""
        if granularity == DETAILS:
            figures = {
                "highest": self.highest,
                "average": self.average,
                "lowest": self.lowest,
                "at-risk": self.share_at_risk,
            }
            return {
                "figure": MadeColumn("text", list(figures)),
                "value": MadeColumn("number", list(figures.values())),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, TABLES)


def remedy_lines(remedy: Remedy | None) -> tuple[str, ...]:
    """What a limit takes, said so that nobody takes it for the fewest rows possible."""
    if remedy is None:
        return ()
    if not remedy.rows_to_suppress:
        return (remedy.text,)
    broken = remedy.rows_breaking
    part = 100 * (remedy.share_to_suppress or 0)
    return (
        f"{counted(broken, 'row')} break{'s' * (broken == 1)} the limit; suppressing "
        f"{counted(remedy.rows_to_suppress, 'row')} ({part:.3g} %), riskiest classes first, is "
        "enough",
    )


def risk_figures(
    classes: RiskClasses, average: Fraction, threshold: Fraction
) -> dict[str, Fraction]:
    """The figures that can be judged, by name."""
    return {
        "highest": classes.highest,
        "average": average,
        "at-risk": Fraction(classes.rows_above(threshold), classes.rows),
    }


def common_fields(classes: RiskClasses, average: Fraction, threshold: Fraction) -> dict[str, Any]:
    """What every risk says beside its value."""
    at_risk = classes.rows_above(threshold)
    return {
        "highest": float(classes.highest),
        "average": float(average),
        "lowest": float(classes.lowest),
        "share_at_risk": at_risk / classes.rows,
        "rows_at_risk": at_risk,
        "risk_threshold": float(threshold),
        "rows_to_suppress_for_threshold": classes.remedy(at_risk, at_risk).rows_to_suppress,
        "classes": classes.number,
        "rows": classes.rows,
        "suppressed_rows": classes.suppressed_rows,
    }


def judged_fields(
    value: Fraction,
    limit: Fraction | None,
    measure: str,
    remedy: Callable[[Fraction], Remedy],
    *,
    tie: Fraction = Fraction(0),
) -> dict[str, Any]:
    """Value, limit and verdict; what the limit takes is asked only where it is broken.

    ``tie``: the part of the limit by which an estimate may be above it.
    """
    kept = None if limit is None else limit * (1 + tie)
    passed = None if kept is None else value <= kept
    takes = None
    if kept is not None:
        takes = Remedy.of(0, 0, 1) if passed else remedy(kept)
    return {
        "value": float(value),
        "exact_value": value,
        "limit": None if limit is None else float(limit),
        "passed": passed,
        "warnings": warn_if_limit_is_idle(limit, measure),
        "remedy": takes,
    }


def upper_limit(limit: Number | None, measure: str) -> Fraction | None:
    """Read a limit that a figure must not exceed."""
    return None if limit is None else exact_nonnegative(limit, f"the limit of {measure}")


def warn_if_limit_is_idle(limit: Fraction | None, measure: str) -> tuple[str, ...]:
    """Say that a limit above 1 always holds."""
    if limit is None or limit <= 1:
        return ()
    return (
        f"the limit of {measure} is {float(limit):g}; it never exceeds 1, so every table keeps it",
    )


def share(value: Number, name: str) -> Fraction:
    """Read a number from 0 to 1.

    >>> share("0.2", "threshold")
    Fraction(1, 5)
    """
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise OptionError(f"{name} is {value}; {SHARE.expected} was expected")
    return number


def whole(value: object, name: str, kind: kinds.Whole = PEOPLE) -> int:
    """Read a whole number.

    >>> whole(0, "k")
    Traceback (most recent call last):
    petaudit.errors.OptionError: k is 0; a whole number from 1 was expected
    """
    if not kind.takes(value):
        raise OptionError(f"{name} is {kinds.shown(value)}; {kind.expected} was expected")
    assert isinstance(value, int)  # noqa: S101 (the kind takes nothing else)
    return value


def word(value: object, name: str, kind: kinds.Choice) -> str:
    """Read one of several words."""
    if not kind.takes(value):
        near = suggestion(value, kind.words) if isinstance(value, str) else ""
        raise OptionError(f"{name} is {kinds.shown(value)}{near}; {kind.expected} was expected")
    return str(value)


def checked_size(inputs: Inputs, population_size: int | None) -> int | None:
    """How many people are assumed; None where a table tells or nothing was said."""
    if population_size is None:
        return None
    size = whole(population_size, "population_size")
    if inputs.population is not None:
        if inputs.population.rows != size:
            raise InputError(
                f"population_size is {size:,}, but the population table has "
                f"{counted(inputs.population.rows, 'row')}; leave population_size out"
            )
        return None
    if size < inputs.table.rows:
        raise InputError(
            f"population_size is {size:,}, fewer than the {counted(inputs.table.rows, 'row')} of "
            "the table, whose people are all in the population"
        )
    return size
