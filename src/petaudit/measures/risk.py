"""Risks of re-identification: several figures of which one is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from petaudit.errors import exactly, numbered, phrase
from petaudit.errors import share as in_percent
from petaudit.measures import kinds
from petaudit.measures._risk import THRESHOLD_HELP, remedy_lines, rows_in_classes
from petaudit.measures._risk_classes import RiskClasses
from petaudit.measures._suppressed import left_out
from petaudit.measures.base import Better, Columns, Family, Measure, Remedy, Result
from petaudit.pictures.rows_at_risk import rows_at_risk_of
from petaudit.tables.result_frames import ResultColumn

Threshold: TypeAlias = Annotated[Fraction, kinds.Number(0, 1), THRESHOLD_HELP]
USUAL_THRESHOLD = Fraction(1, 5)


class RiskMeasure(Measure):
    """A risk of every row, of which the value is one figure."""

    family = Family.RISK
    better = Better.LOWER
    range = (0.0, 1.0)
    limit_help = "the figure may be at most this"
    pictures = staticmethod(rows_at_risk_of)

    def judge(
        self,
        classes: RiskClasses,
        value: Fraction,
        limit: Fraction | None,
        remedy: Callable[[Fraction], Remedy],
        *,
        judged: str,
        threshold: Fraction,
        average: Fraction | None = None,
        **internal: Any,
    ) -> Result:
        """Judge one figure of classes; what the limit takes is asked only where it is broken."""
        at_risk = classes.rows_above(threshold)
        takes = None
        if limit is not None:
            takes = Remedy.of(0, 0, 1, classes.unit) if value <= limit else remedy(limit)
        return self.result(
            value,
            limit,
            warnings=left_out(classes.suppressed_rows, classes.unit),
            breakdown={
                "highest": float(classes.highest),
                "average": float(classes.average if average is None else average),
                "lowest": float(classes.lowest),
                "share_at_risk": at_risk / classes.rows,
                "rows_at_risk": at_risk,
                "risk_threshold": float(threshold),
                # None where suppressing is no help, or only dropping rows is.
                "rows_to_suppress_for_threshold": classes.remedy(at_risk, at_risk).rows_to_suppress,
                "judged": judged,
                "classes": classes.number,
                "rows": classes.rows,
                "suppressed_rows": classes.suppressed_rows,
                "remedy": takes,
            },
            figure=f"{self.name}, {judged}",
            unit=classes.unit,
            **internal,
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """All figures, what the threshold takes, and what the limit takes."""
        others = phrase(
            ", average {average:.4g}, lowest {lowest:.4g}",
            average=result.average,
            lowest=result.lowest,
        )
        figures = phrase(
            "highest {highest:.4g}{others}; {rows}",
            highest=result.highest,
            others=exactly(others),
            rows=rows_in_classes(result.rows, result.classes, result.suppressed_rows, result.unit),
        )
        return (figures, *_at_risk(result), *remedy_lines(result.remedy))

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out a row per figure."""
        figures = {
            "highest": result.highest,
            "average": result.average,
            "lowest": result.lowest,
            "at-risk": result.share_at_risk,
        }
        return {
            "figure": ResultColumn("text", list(figures)),
            "value": ResultColumn("number", list(figures.values())),
        }


def _at_risk(result: Result) -> Iterator[str]:
    """Say how many rows are above the threshold, and whether any would be without them."""
    unit, threshold = result.unit, result.risk_threshold
    if not result.rows_at_risk:
        yield unit.choose(
            phrase("no row has a risk above {threshold:g}", threshold=threshold),
            phrase("nobody has a risk above {threshold:g}", threshold=threshold),
        )
        return
    total = result.rows + result.suppressed_rows
    fields: dict[str, Any] = {
        "rows": unit.counted(result.rows_at_risk, of=total),
        "share": in_percent(result.rows_at_risk, total),
        "threshold": threshold,
    }
    text = numbered(
        result.rows_at_risk,
        phrase("{rows} ({share}) has a risk above {threshold:g}", **fields),
        phrase("{rows} ({share}) have a risk above {threshold:g}", **fields),
    )
    if result.rows_at_risk == result.rows:
        yield text
        return
    yield unit.choose(
        phrase("{found}; without them no row has", found=text),
        phrase("{found}; without them nobody has", found=text),
    )
