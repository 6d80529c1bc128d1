"""Risks of re-identification: what is judged, and what the riskiest classes take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, TypeAlias

from petaudit.errors import OptionError, counted, exactly, numbered, phrase
from petaudit.errors import share as in_percent
from petaudit.inputs import Inputs
from petaudit.measures.base import Better, Columns, Family, Measure, Need, Remedy, Result, left_out
from petaudit.measures.risk_classes import RiskClasses
from petaudit.pictures.rows_at_risk import rows_at_risk_of
from petaudit.system import kinds
from petaudit.tables.result_frames import ResultColumn

Figure: TypeAlias = Annotated[
    Literal["highest", "average", "at-risk"],
    kinds.Choice(("highest", "average", "at-risk")),
    "which figure is the value: highest (default), average or at-risk",
]
Threshold: TypeAlias = Annotated[
    Fraction, kinds.Number(0, 1), "a row is at risk when its risk is above this (default: 0.2)"
]
USUAL_THRESHOLD: Final = Fraction(1, 5)
_TIE: Final = Fraction(1, 10**12)
"""An estimate has no exact value: by this part of a limit it may be above it."""


class RiskMeasure(Measure):
    """A risk, or a share of people at risk, from the classes of a table."""

    family = Family.RISK
    better = Better.LOWER
    range = (0.0, 1.0)
    needs: tuple[Need, ...] = (Need.QUASI_IDENTIFIERS,)
    limit_help = "the share may be at most this"

    def judge(
        self,
        classes: RiskClasses,
        value: Fraction,
        limit: Fraction | None,
        remedy: Callable[[Fraction], Remedy],
        breakdown: Mapping[str, Any],
        *,
        holds: bool = True,
        is_estimate: bool = False,
        warnings: Iterable[str] = (),
        **internal: Any,
    ) -> Result:
        """Judge a figure; ``remedy`` is asked only where the limit is broken.

        ``holds`` is whether all other conditions do.
        """
        passed = takes = None
        if limit is not None:
            bound = limit * (1 + _TIE) if is_estimate else limit
            passed = holds and value <= bound
            takes = Remedy.of(0, 0, 1, classes.unit) if passed else remedy(bound)
        return self.result(
            value,
            limit,
            passed=passed,
            warnings=(*warnings, *left_out(classes.suppressed_rows, classes.unit)),
            breakdown={**breakdown, "remedy": takes},
            unit=classes.unit,
            **internal,
        )


class AttackRisk(RiskMeasure):
    """The risk of every row against an attacker; the value is one of several figures."""

    limit_help = "the figure may be at most this"
    pictures = staticmethod(rows_at_risk_of)
    matches_population = True
    """Whether the people of a class are those of the population, where there is one."""
    either_way = False
    """Whether the attack may start from the population, too: the more promising way counts."""

    def judge_figure(
        self,
        classes: RiskClasses,
        limit: Fraction | None,
        figure: str,
        threshold: Fraction,
        *,
        judged: str,
    ) -> Result:
        """Judge one of the figures."""
        average = max(classes.average, classes.per_person) if self.either_way else classes.average
        at_risk = classes.rows_above(threshold)
        values = {
            "highest": classes.highest,
            "average": average,
            "at-risk": Fraction(at_risk, classes.rows),
        }

        def remedy(limit: Fraction) -> Remedy:
            breaking = classes.rows_above(limit)
            if figure == "highest":
                return classes.remedy(breaking, breaking)
            if figure == "at-risk":
                return classes.remedy(at_risk, classes.enough_for_share_above(threshold, limit))
            enough = classes.enough_for_average(limit)
            if self.either_way:
                # Both take the riskiest classes first, so the longer list has the other in it.
                enough = max(enough, classes.enough_per_person(limit))
            return classes.remedy(breaking, enough)

        breakdown = {
            "highest": float(classes.highest),
            "average": float(average),
            "lowest": float(classes.lowest),
            "share_at_risk": at_risk / classes.rows,
            "rows_at_risk": at_risk,
            "risk_threshold": float(threshold),
            # None where suppressing does not help, or only dropping rows does.
            "rows_to_suppress_for_threshold": classes.remedy(at_risk, at_risk).rows_to_suppress,
            "judged": judged,
            "classes": classes.number,
            "rows": classes.rows,
            "suppressed_rows": classes.suppressed_rows,
        }
        name = f"{self.name}, {judged}"
        return self.judge(classes, values[figure], limit, remedy, breakdown, figure=name)

    def explain(self, result: Result) -> Iterable[str]:
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
            rows=rows_in_classes(result),
        )
        return (figures, *_at_risk(result), *result.remedy_lines)

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


class ChosenFigureRisk(AttackRisk):
    """A risk of which the user names the figure that is judged."""

    def classes(self, inputs: Inputs) -> RiskClasses:
        """Count the classes, each with the people that its rows could be."""
        raise NotImplementedError

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        figure: Figure = "highest",
        threshold: Threshold = USUAL_THRESHOLD,
    ) -> Result:
        """Measure the risk."""
        if limit is not None and figure == "at-risk" and threshold == 1:
            raise OptionError(
                "threshold is 1; no risk is above that, so every table would meet the limit of "
                "{measure}",
                measure=self.name,
            )
        return self.judge_figure(self.classes(inputs), limit, figure, threshold, judged=figure)


def _at_risk(result: Result) -> Iterator[str]:
    """Say how many rows are above the threshold, and whether any would be without them."""
    unit, threshold = result.unit, result.risk_threshold
    if not result.rows_at_risk:
        yield unit.choose(
            phrase("no row has a risk above {threshold:g}", threshold=threshold),
            phrase("nobody has a risk above {threshold:g}", threshold=threshold),
        )
        return
    fields: dict[str, Any] = {
        "rows": result.counted(result.rows_at_risk),
        "share": in_percent(result.rows_at_risk, result.rows + result.suppressed_rows),
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


def rows_in_classes(result: Result) -> str:
    """Say how many rows are in how many classes, and how many are in none."""
    rows, classes = result.counted(result.rows), counted(result.classes, "class", "classes")
    if not result.suppressed_rows:
        return phrase("{rows} in {classes}", rows=rows, classes=classes)
    return phrase(
        "{rows} in {classes}, {suppressed} suppressed",
        rows=rows,
        classes=classes,
        suppressed=result.counted(result.suppressed_rows),
    )
