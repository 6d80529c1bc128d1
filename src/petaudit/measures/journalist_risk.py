"""Journalist risk: an attacker knows a population and does not care whose row is found."""

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
class JournalistRiskResult(RiskResult):
    """The risk of rows that are matched with a population."""

    measure: ClassVar[str] = "journalist-risk"
    better: ClassVar[Better] = Better.LOWER


def journalist_risk(
    table: object,
    *,
    limit: Number | None = None,
    figure: str = "highest",
    threshold: Number = 0.2,
    **given: Any,
) -> JournalistRiskResult:
    """Measure the journalist risk of a table against a population (El Emam 2013).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4 + ["150**"]})
    >>> found = journalist_risk(table, population=population, quasi_identifiers="zip")
    >>> found.value, found.average, found.rows_at_risk
    (0.5, 0.375, 2)
    """
    result = compute(gather(table, **given), limit=limit, figure=figure, threshold=threshold)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, figure: str = "highest", threshold: Number = 0.2
) -> JournalistRiskResult:
    """Measure the journalist risk from opened inputs."""
    return JournalistRiskResult(
        **judged_risk(
            JournalistRiskResult.measure,
            lambda: RiskClasses.of_population(inputs),
            limit,
            figure,
            threshold,
            either_way=True,
        )
    )


MEASURE = Measure(
    name="journalist-risk",
    title="Journalist risk",
    family=Family.RISK,
    question="How likely is somebody of the population found to be the person of a row?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.POPULATION),
    formula=(
        "1/F for a row in a class of f rows and F people; highest: largest 1/F; average: the "
        "larger of classes / sum of F and (1/n) * sum of f/F over the classes of the table; "
        "at-risk: share of the rows with 1/F > threshold"
    ),
    reference=(
        "K. El Emam: Guide to the De-Identification of Personal Health Information. CRC Press, "
        "2013, doi 10.1201/b14764"
    ),
    compute=compute,
    limit_help="the figure may be at most this",
    options=(FIGURE_OPTION, THRESHOLD_OPTION),
    granularities=TABLES,
    pictures=rows_at_risk_of,
    meaning=(
        "How likely it is that an attacker who has a register of the population, and does not "
        "know who is in the table, finds the right person for a row. With 0.02 as the highest "
        "risk, every row could be any of at least 50 people."
    ),
    does_not_say=(
        "It does not hold where people know who is in the table: then prosecutor-risk is the "
        "honest figure. Nor does it hold for an attacker whose register says more than the "
        "population that was given."
    ),
)
