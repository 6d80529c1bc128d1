"""How many rows would be at risk with other thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from petaudit.errors import phrase, share
from petaudit.i18n.numbers import Unit
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import Chart, Picture, check, zone_notes
from petaudit.pictures.svg import Bar, bar_list, figure

if TYPE_CHECKING:
    from petaudit.exact.class_figures import Integers
    from petaudit.inputs import Inputs

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
    counts: Unit = Unit.ROW
    """What its numbers of rows are numbers of."""
    suppressed_rows: int = 0
    """Rows of the table that have no risk; earlier documents do not say."""

    def __post_init__(self) -> None:
        check(self.rows_at_risk <= self.rows, "more rows are at risk than there are")
        before = RiskPoint(-math.inf, self.rows)
        for point in self.points:
            check(before.threshold < point.threshold, "thresholds ascend")
            check(point.rows <= before.rows, "a higher threshold has fewer rows above it")
            before = point
        used = RiskPoint(self.threshold, self.rows_at_risk)
        check(used in self.points, "the threshold in use is one of the points")

    def draw(self, voice: Voice) -> Chart | None:
        """Draw a bar for each threshold."""
        if not self.rows:
            return None
        unit, total = self.counts, self.rows + self.suppressed_rows
        shown = [point for point in self.points if self._may_show(point, total, voice)]
        zones = [voice.zone(point.rows, total if unit is Unit.ROW else None) for point in shown]
        share_of = unit.choose(
            phrase("share of rows with a higher risk"), phrase("share of people with a higher risk")
        )
        bars, table = [], []
        for point, zone in zip(shown, zones, strict=True):
            threshold, is_used = figure(point.threshold), point.threshold == self.threshold
            share_text = zone.percent(total)
            texts = {"threshold": threshold, "share": share_text}
            label = unit.choose(
                phrase("risk above {threshold}: {share} of the rows", **texts),
                phrase("risk above {threshold}: {share} of the people", **texts),
            )
            name = f"▸ {threshold}" if is_used else threshold
            length = min(zone.middle / total, 1.0)
            bars.append(Bar(name, length, share_text, label, zone.is_small, is_used))
            table.append((threshold, share_text, phrase("yes") if is_used else ""))
        head = phrase("threshold of the risk (▸ in use)")
        return Chart.of(
            voice,
            bar_list(bars, head, share_of, say=voice.say),
            title=unit.choose(
                phrase("Rows at risk by threshold"), phrase("People at risk by threshold")
            ),
            words=phrase(
                "{rows} ({share}) have a risk above the threshold of {threshold} that is in use.",
                rows=unit.counted(self.rows_at_risk, of=total),
                share=share(self.rows_at_risk, total),
                threshold=figure(self.threshold),
            ),
            header=(phrase("threshold"), share_of, phrase("in use")),
            rows=table,
            notes=zone_notes(zones),
        )

    def _may_show(self, point: RiskPoint, total: int, voice: Voice) -> bool:
        """As in the picture of class sizes: not beside 1/5, and not for a quarter of the table."""
        if voice.is_exact or point.threshold == self.threshold:
            return True
        return point.threshold * total >= 4 and not 1 / 4 <= point.threshold < 1 / 2


def rows_at_risk(
    people: Integers,
    rows: Integers,
    threshold: float,
    at_risk: int,
    unit: Unit = Unit.ROW,
    suppressed: int = 0,
) -> RowsAtRisk:
    """Return the picture of the rows of classes with as many people, fewest people first.

    >>> picture = rows_at_risk(np.array([1, 4, 5]), np.array([3, 8, 10]), 0.2, 11)
    >>> [point.rows for point in picture.points]
    [21, 21, 21, 21, 21, 21, 21, 21, 11, 3, 3, 3]
    """
    reached = np.concatenate([[0], np.cumsum(rows)])
    counts = {}
    for each in sorted({*THRESHOLDS, threshold}):
        exact = Fraction(repr(each))
        # A risk of 1/people is above the threshold where there are fewer than 1/threshold people.
        place = int(np.searchsorted(people, math.ceil(1 / exact))) if exact else len(people)
        counts[each] = int(reached[place])
    # What the threshold really is may have no float: its rows are known, and its neighbors follow.
    counts[threshold] = at_risk
    points = tuple(
        RiskPoint(each, max(many, at_risk) if each < threshold else min(many, at_risk))
        for each, many in counts.items()
    )
    return RowsAtRisk(points, int(reached[-1]), threshold, at_risk, unit, suppressed)


def rows_at_risk_of(inputs: Inputs | None, result: Any) -> tuple[Picture, ...]:
    """Return the rows at risk among the people of the table, or of a population that is matched."""
    if inputs is None:
        return ()
    if not result.by.matches_population or inputs.population is None:
        classes = inputs.class_histogram
        people, rows = classes.sizes, classes.sizes * classes.classes
    else:
        matched = inputs.population_classes
        people, rows = matched.population_sizes, matched.sizes * matched.classes
    if not people.size:
        return ()
    threshold, at_risk = result.risk_threshold, result.rows_at_risk
    return (rows_at_risk(people, rows, threshold, at_risk, inputs.unit, result.suppressed_rows),)
