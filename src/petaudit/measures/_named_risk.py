"""What prosecutor and journalist share: the user names the figure that is judged."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, TypeAlias

from petaudit.errors import OptionError
from petaudit.inputs import Inputs
from petaudit.measures import kinds
from petaudit.measures._risk_classes import RiskClasses
from petaudit.measures.base import Remedy, Result
from petaudit.measures.risk import USUAL_THRESHOLD, RiskMeasure, Threshold

Figure: TypeAlias = Annotated[
    Literal["highest", "average", "at-risk"],
    kinds.Choice(("highest", "average", "at-risk")),
    "which figure is the value: highest (if not given), average or at-risk",
]


class NamedRiskMeasure(RiskMeasure):
    """A risk of which the user names the figure that is judged."""

    either_way = False
    """Whether the attack may start from the population, too: the more promising way counts."""

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
                "threshold is 1; no risk is above that, so every table would keep the limit of "
                "{measure}",
                measure=self.name,
            )
        classes = self.classes(inputs)
        average = max(classes.average, classes.per_person) if self.either_way else classes.average
        values = {
            "highest": classes.highest,
            "average": average,
            "at-risk": Fraction(classes.rows_above(threshold), classes.rows),
        }

        def remedy(limit: Fraction) -> Remedy:
            breaking = classes.rows_above(limit)
            if figure == "highest":
                return classes.remedy(breaking, breaking)
            if figure == "at-risk":
                enough = classes.enough_for_share_above(threshold, limit)
                return classes.remedy(classes.rows_above(threshold), enough)
            enough = classes.enough_for_average(limit)
            if self.either_way:
                # Both take the riskiest classes first, so the longer list has the other in it.
                enough = max(enough, classes.enough_per_person(limit))
            return classes.remedy(breaking, enough)

        return self.judge(
            classes,
            values[figure],
            limit,
            remedy,
            judged=figure,
            threshold=threshold,
            average=average,
        )
