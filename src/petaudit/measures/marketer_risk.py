"""Marketer risk: an attacker matches all rows and is content with the share that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from petaudit.errors import phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import (
    SHARE,
    TABLES,
    THRESHOLD_HELP,
    RiskClasses,
    RiskResult,
    common_fields,
    judged_fields,
    share,
    upper_limit,
)
from petaudit.measures.base import Better, Family, Need, Option, announce
from petaudit.pictures.rows_at_risk import rows_at_risk_of


@dataclass(frozen=True)
class MarketerRiskResult(RiskResult):
    """The share of rows that a matching of all rows gets right, on average."""

    measure: ClassVar[str] = "marketer-risk"
    better: ClassVar[Better] = Better.LOWER


def marketer_risk(
    table: object, *, limit: Number | None = None, threshold: Number = 0.2, **given: Any
) -> MarketerRiskResult:
    """Measure the marketer risk of a table (Dankar and El Emam 2010).

    Without a population, everybody of the table is taken to be known to be in it.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4})
    >>> marketer_risk(table, population=population, quasi_identifiers="zip").value
    0.375
    >>> marketer_risk(table, quasi_identifiers="zip").value
    1.0
    """
    result = compute(gather(table, **given), limit=limit, threshold=threshold)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, threshold: Number = 0.2
) -> MarketerRiskResult:
    """Measure the marketer risk from opened inputs."""
    bound = upper_limit(limit, MarketerRiskResult.measure)
    above = share(threshold, "threshold")
    with_population = inputs.population is not None
    classes = (RiskClasses.of_population if with_population else RiskClasses.of_table)(inputs)
    judged = judged_fields(
        classes.average,
        bound,
        lambda least: classes.remedy(classes.rows_above(least), classes.enough_for_average(least)),
        suppressed_rows=classes.suppressed_rows,
        unit=classes.unit,
    )
    return MarketerRiskResult(
        **judged,
        **common_fields(classes, classes.average, above),
        judged=phrase("in the population") if with_population else phrase("in the table itself"),
    )


MEASURE = OldMeasure(
    name="marketer-risk",
    title="Marketer risk",
    family=Family.RISK,
    question="What share of all rows is matched with the right person, on average?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "(1/n) * sum over classes of f/F, with f rows in the table and F people in the population; "
        "without a population F = f: classes/rows"
    ),
    reference=(
        "F. K. Dankar, K. El Emam: A Method for Evaluating Marketer Re-identification Risk. "
        "EDBT/ICDT Workshops, 2010, doi 10.1145/1754239.1754271"
    ),
    meaning=(
        "The share of all rows that somebody would match with the right person, on average, if "
        "he matched them all. With 0.05, about 5 of 100 matches are right; he does not know "
        "which."
    ),
    does_not_say=(
        "An average says nothing about single people: some may be found with certainty though "
        "the figure is low. The prosecutor risk tells the highest risk."
    ),
    compute=compute,
    limit_help="the share may be at most this",
    options=(Option("threshold", THRESHOLD_HELP, kind=SHARE, shows_in_figure=False),),
    granularities=TABLES,
    pictures=rows_at_risk_of,
)
