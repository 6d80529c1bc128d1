"""What the re-identification risks share: how many people every row could be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from petaudit.errors import InputError, OptionError, counted, exactly, numbered, phrase, suggestion
from petaudit.errors import share as in_percent
from petaudit.exact.fractions import Number, exact, exact_nonnegative
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures import kinds
from petaudit.measures._risk_classes import ALL_SUPPRESSED, RiskClasses
from petaudit.measures._suppressed import left_out
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Option, Remedy, Result
from petaudit.tables.result_frames import ResultColumn

__all__ = [
    "ALL_SUPPRESSED",
    "PEOPLE",
    "SHARE",
    "SIZE_OPTION",
    "TABLES",
    "THRESHOLD_HELP",
    "TIE",
    "RiskClasses",
    "RiskResult",
    "checked_size",
    "common_fields",
    "judged_fields",
    "remedy_lines",
    "risk_figures",
    "rows_in_classes",
    "share",
    "upper_limit",
    "whole",
    "word",
]

TABLES: Final = (GLOBAL, DETAILS)
SHARE: Final = kinds.Number(0, 1)
PEOPLE: Final = kinds.Integer(1)
THRESHOLD_HELP: Final = "a row is at risk when its risk is above this (0.2 if not given)"
SIZE_OPTION: Final = Option(
    "population_size", "how many people the population has, where no table tells", kind=PEOPLE
)
TIE: Final = Fraction(1, 10**12)
"""An estimate has no exact value: by this part of a limit it may be above it."""


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
    """How many rows to suppress so that none is at risk; None where that is no help, or only
    dropping them is."""
    judged: str
    classes: int
    rows: int
    suppressed_rows: int
    remedy: Remedy | None = field()

    @property
    def figure(self) -> str:
        """The measure and which of its figures the value is."""
        return f"{self.measure}, {self.judged}"

    @property
    def explanation(self) -> tuple[str, ...]:
        """All figures, what the threshold takes, and what the limit takes."""
        others = phrase(
            ", average {average:.4g}, lowest {lowest:.4g}", average=self.average, lowest=self.lowest
        )
        figures = phrase(
            "highest {highest:.4g}{others}; {rows}",
            highest=self.highest,
            others=exactly(others),
            rows=rows_in_classes(self.rows, self.classes, self.suppressed_rows, self.unit),
        )
        return (figures, self._threshold_effect(), *remedy_lines(self.remedy))

    def _threshold_effect(self) -> str:
        above = self.risk_threshold
        if not self.rows_at_risk:
            return self.unit.choose(
                phrase("no row has a risk above {threshold:g}", threshold=above),
                phrase("nobody has a risk above {threshold:g}", threshold=above),
            )
        total = self.rows + self.suppressed_rows
        rows = self.unit.counted(self.rows_at_risk, of=total)
        part = in_percent(self.rows_at_risk, total)
        found = numbered(
            self.rows_at_risk,
            phrase(
                "{rows} ({share}) has a risk above {threshold:g}",
                rows=rows,
                share=part,
                threshold=above,
            ),
            phrase(
                "{rows} ({share}) have a risk above {threshold:g}",
                rows=rows,
                share=part,
                threshold=above,
            ),
        )
        if self.rows_at_risk == self.rows:
            return found
        return self.unit.choose(
            phrase("{found}; without them no row has", found=found),
            phrase("{found}; without them nobody has", found=found),
        )

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has a row per figure."""
        if granularity == DETAILS:
            figures = {
                "highest": self.highest,
                "average": self.average,
                "lowest": self.lowest,
                "at-risk": self.share_at_risk,
            }
            return {
                "figure": ResultColumn("text", list(figures)),
                "value": ResultColumn("number", list(figures.values())),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, TABLES)


def rows_in_classes(rows: int, classes: int, suppressed: int, unit: Unit = Unit.ROW) -> str:
    """How many rows are in how many classes, and how many are in none.

    >>> rows_in_classes(8, 1, 2), rows_in_classes(8, 2, 0)
    ('8 rows in 1 class, 2 rows suppressed', '8 rows in 2 classes')
    """
    total = rows + suppressed
    number = unit.counted(rows, of=total)
    inside = counted(classes, "class", "classes")
    if not suppressed:
        return phrase("{rows} in {classes}", rows=number, classes=inside)
    return phrase(
        "{rows} in {classes}, {suppressed} suppressed",
        rows=number,
        classes=inside,
        suppressed=unit.counted(suppressed, of=total),
    )


def remedy_lines(remedy: Remedy | None) -> tuple[str, ...]:
    """What a limit takes, said so that nobody takes it for the fewest rows possible."""
    if remedy is None:
        return ()
    if remedy.rows_to_drop is not None:
        return (
            phrase(
                "{breaks}; dropping {rows} ({share}) from the table, riskiest classes first, is "
                "enough",
                breaks=remedy.breaks,
                rows=remedy.to_remove,
                share=remedy.shown_share,
            ),
        )
    if not remedy.rows_to_suppress:
        return (remedy.text,)
    return (
        phrase(
            "{breaks}; suppressing {rows} ({share}), riskiest classes first, is enough",
            breaks=remedy.breaks,
            rows=remedy.to_remove,
            share=remedy.shown_share,
        ),
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
        "unit": classes.unit,
    }


def judged_fields(
    value: Fraction,
    limit: Fraction | None,
    remedy: Callable[[Fraction], Remedy],
    *,
    suppressed_rows: int = 0,
    tie: Fraction = Fraction(0),
    unit: Unit = Unit.ROW,
) -> dict[str, Any]:
    """Value, limit and verdict; what the limit takes is asked only where it is broken.

    ``suppressed_rows`` are those that were left out, ``tie`` is the part of the limit by which an
    estimate may be above it.
    """
    kept = None if limit is None else limit * (1 + tie)
    passed = None if kept is None else value <= kept
    takes = None
    if kept is not None:
        takes = Remedy.of(0, 0, 1, unit) if passed else remedy(kept)
    return {
        "value": float(value),
        "exact_value": value,
        "limit": None if limit is None else float(limit),
        "passed": passed,
        "warnings": left_out(suppressed_rows, unit),
        "remedy": takes,
    }


def upper_limit(limit: Number | None, measure: str) -> Fraction | None:
    """Read a limit that a figure must not exceed."""
    name = phrase("the limit of {measure}", measure=measure)
    return None if limit is None else exact_nonnegative(limit, name)


def share(value: Number, name: str) -> Fraction:
    """Read a number from 0 to 1.

    >>> share("0.2", "threshold")
    Fraction(1, 5)
    """
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise OptionError(
            "{name} is {value}; {expected} was expected",
            name=name,
            value=value,
            expected=SHARE.expected,
        )
    return number


def whole(value: object, name: str, kind: kinds.Integer = PEOPLE) -> int:
    """Read a whole number.

    >>> whole(0, "k")
    Traceback (most recent call last):
    petaudit.errors.OptionError: k is 0; a whole number from 1 was expected
    """
    if not kind.takes(value):
        raise OptionError(
            "{name} is {value}; {expected} was expected",
            name=name,
            value=kinds.shown(value),
            expected=kind.expected,
        )
    assert isinstance(value, int)  # noqa: S101 (the kind takes nothing else)
    return value


def word(value: object, name: str, kind: kinds.Choice) -> str:
    """Read one of several words."""
    if not kind.takes(value):
        raise OptionError(
            "{name} is {value}{near}; {expected} was expected",
            name=name,
            value=kinds.shown(value),
            near=suggestion(value, kind.words) if isinstance(value, str) else "",
            expected=kind.expected,
        )
    return str(value)


def checked_size(inputs: Inputs, population_size: int | None) -> int | None:
    """How many people are assumed; None where a table tells or nothing was said."""
    if population_size is None:
        return None
    size = whole(population_size, "population_size")
    if inputs.population is not None:
        everybody = inputs.population_individuals
        if everybody != size:
            unit = Unit.ROW if inputs.population_person is None else Unit.PERSON
            raise InputError(
                "population_size is {size:,}, but the population table has {rows}; leave "
                "population_size out",
                size=size,
                rows=unit.counted(everybody, of=everybody),
            )
        return None
    if size < inputs.individuals:
        raise InputError(
            "population_size is {size:,}, fewer than the {rows} of the table, whose people are "
            "all in the population",
            size=size,
            rows=inputs.unit.counted(inputs.individuals, of=inputs.individuals),
        )
    return size
