"""What prosecutor and journalist share: several figures, of which the user names one to judge."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from petaudit.errors import OptionError
from petaudit.exact.fractions import Number
from petaudit.measures import kinds
from petaudit.measures._risk import (
    SHARE,
    THRESHOLD_HELP,
    RiskClasses,
    common_fields,
    judged_fields,
    risk_figures,
    share,
    upper_limit,
    word,
)
from petaudit.measures.base import Option, Remedy

FIGURES: Final = kinds.Choice(("highest", "average", "at-risk"))
FIGURE_OPTION: Final = Option(
    "figure", "which figure is the value: highest (if not given), average or at-risk", kind=FIGURES
)
THRESHOLD_OPTION: Final = Option("threshold", THRESHOLD_HELP, kind=SHARE)


def judged_risk(
    measure: str,
    classes_of: Callable[[], RiskClasses],
    limit: Number | None,
    figure: str,
    threshold: Number,
    *,
    either_way: bool = False,
) -> dict[str, Any]:
    """The fields of a result; classes are counted once the options are known to be right.

    ``either_way``: the attack may start from the table or from the population, and the more
    promising way counts.
    """
    bound = upper_limit(limit, measure)
    judged = word(figure, "figure", FIGURES)
    above = share(threshold, "threshold")
    if bound is not None and judged == "at-risk" and above == 1:
        raise OptionError(
            "threshold is 1; no risk is above that, so every table would keep the limit of "
            "{measure}",
            measure=measure,
        )
    classes = classes_of()
    average = max(classes.average, classes.per_person) if either_way else classes.average

    def remedy(least: Fraction) -> Remedy:
        breaking = classes.rows_above(least)
        if judged == "highest":
            return classes.remedy(breaking, breaking)
        if judged == "at-risk":
            enough = classes.enough_for_share_above(above, least)
            return classes.remedy(classes.rows_above(above), enough)
        enough = classes.enough_for_average(least)
        if either_way:
            # Both ways take the riskiest classes first, so the longer list has the other in it.
            enough = max(enough, classes.enough_per_person(least))
        return classes.remedy(breaking, enough)

    value = risk_figures(classes, average, above)[judged]
    return {
        **judged_fields(
            value, bound, remedy, suppressed_rows=classes.suppressed_rows, unit=classes.unit
        ),
        **common_fields(classes, average, above),
        "judged": judged,
    }
