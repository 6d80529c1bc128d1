"""How many rows would be at risk with other thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from petaudit.i18n.units import Unit
from petaudit.pictures._words import check
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.exact.class_figures import Integers
    from petaudit.inputs import Inputs
    from petaudit.measures.result import Result

THRESHOLDS: Final = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.33, 0.5)


@dataclass(frozen=True)
class RiskPoint:
    """The rows whose risk is above a threshold."""

    threshold: float
    rows: int


@dataclass(frozen=True)
class RowsAtRisk(Picture):
    """Rows above each threshold, the one in use among them."""

    kind: ClassVar[str] = "rows-at-risk"

    points: tuple[RiskPoint, ...]
    rows: int
    threshold: float
    rows_at_risk: int
    counts: str = Unit.ROW.value
    """What its numbers of rows are numbers of: rows, or people."""
    suppressed_rows: int = 0
    """Rows of the table that have no risk; earlier documents do not say."""

    @property
    def unit(self) -> Unit:
        """The same as a unit."""
        return Unit(self.counts)

    def __post_init__(self) -> None:
        check(self.counts in tuple(Unit), "rows or people are counted")
        check(self.rows_at_risk <= self.rows, "more rows are at risk than there are")
        before = RiskPoint(-math.inf, self.rows)
        for own in self.points:
            check(before.threshold < own.threshold, "thresholds ascend")
            check(own.rows <= before.rows, "the higher the threshold, the fewer rows are above it")
            before = own
        check(
            RiskPoint(self.threshold, self.rows_at_risk) in self.points,
            "the threshold in use is one of the points",
        )


def rows_at_risk(
    people: Integers,
    rows: Integers,
    threshold: float,
    at_risk: int,
    unit: Unit = Unit.ROW,
    suppressed: int = 0,
) -> RowsAtRisk:
    """From the rows of classes with as many people, fewest people first.

    >>> found = rows_at_risk(np.array([1, 4, 5]), np.array([3, 8, 10]), 0.2, 11)
    >>> [own.rows for own in found.points]
    [21, 21, 21, 21, 21, 21, 21, 21, 11, 3, 3, 3]
    """
    reached = np.concatenate([[0], np.cumsum(rows)])
    points = {}
    for own in sorted({*THRESHOLDS, threshold}):
        exact = Fraction(repr(own))
        # A risk of 1/people is above the threshold where there are fewer than 1/threshold people.
        fewer = math.ceil(1 / exact) if exact else None
        place = len(people) if fewer is None else int(np.searchsorted(people, fewer))
        points[own] = int(reached[place])
    # What the threshold really is may have no float: its rows are known, and its neighbours follow.
    points[threshold] = at_risk
    made = [
        RiskPoint(own, max(many, at_risk) if own < threshold else min(many, at_risk))
        for own, many in points.items()
    ]
    return RowsAtRisk(tuple(made), int(reached[-1]), threshold, at_risk, unit.value, suppressed)


def rows_at_risk_of(inputs: Inputs | None, result: Result) -> tuple[Picture, ...]:
    """Of everybody whom a row may be: in the table, or in the population where that is matched."""
    if inputs is None:
        return ()
    if result.measure == "prosecutor-risk" or inputs.population is None:
        found = inputs.class_histogram
        people, rows = found.sizes, found.sizes * found.classes
    else:
        among = inputs.population_classes
        people, rows = among.population_sizes, among.sizes * among.classes
    if not people.size:
        return ()
    threshold, at_risk = result.risk_threshold, result.rows_at_risk
    return (rows_at_risk(people, rows, threshold, at_risk, inputs.unit, result.suppressed_rows),)
