"""Prosecutor risk: an attacker knows that somebody is in the table and looks for the row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._judged_risk import FIGURE_OPTION, THRESHOLD_OPTION, judged_risk
from petaudit.measures._risk import TABLES, RiskClasses, RiskResult
from petaudit.measures.base import Better, Family, Measure, Need, announce
from petaudit.pictures.rows_at_risk import rows_at_risk_of


@dataclass(frozen=True)
class ProsecutorRiskResult(RiskResult):
    """The risk of rows whose people are known to be in the table."""

    measure: ClassVar[str] = "prosecutor-risk"
    better: ClassVar[Better] = Better.LOWER


def prosecutor_risk(
    table: object,
    *,
    limit: Number | None = None,
    figure: str = "highest",
    threshold: Number = 0.2,
    **given: Any,
) -> ProsecutorRiskResult:
    """Measure the prosecutor risk of a table (El Emam 2013).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> found = prosecutor_risk(table, quasi_identifiers="zip", limit=0.5)
    >>> found.value, found.average, found.rows_at_risk, found.passed
    (1.0, 0.5, 4, False)
    """
    result = compute(gather(table, **given), limit=limit, figure=figure, threshold=threshold)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, figure: str = "highest", threshold: Number = 0.2
) -> ProsecutorRiskResult:
    """Measure the prosecutor risk from opened inputs."""
    return ProsecutorRiskResult(
        **judged_risk(
            ProsecutorRiskResult.measure,
            lambda: RiskClasses.of_table(inputs),
            limit,
            figure,
            threshold,
        )
    )


MEASURE = Measure(
    name="prosecutor-risk",
    title="Prosecutor risk",
    family=Family.RISK,
    question="How likely is the row of somebody found who is known to be in the table?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "1/c for a row in a class of c; highest: 1/smallest class; average: classes/rows; "
        "at-risk: share of the rows with 1/c > threshold"
    ),
    reference=(
        "K. El Emam: Guide to the De-Identification of Personal Health Information. CRC Press, "
        "2013, doi 10.1201/b14764"
    ),
    meaning=(
        "How likely somebody finds the row of a person whom he knows to be in the table. A "
        "highest risk of 0.2 means that for nobody the chance is above one in five; 1 means "
        "that somebody can be found with certainty."
    ),
    does_not_say=(
        "It takes the attacker to know the quasi-identifiers only; more knowledge means more "
        "risk. Where all rows of a class share a diagnosis, it is known without finding the "
        "row."
    ),
    compute=compute,
    limit_help="the figure may be at most this",
    options=(FIGURE_OPTION, THRESHOLD_OPTION),
    granularities=TABLES,
    pictures=rows_at_risk_of,
)
