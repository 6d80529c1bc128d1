"""Marketer risk: an attacker matches all rows and is content with the share that is right."""

from __future__ import annotations

from fractions import Fraction

from petaudit.errors import phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Result, Riskiest
from petaudit.measures.risk import USUAL_THRESHOLD, AttackRisk, Threshold
from petaudit.measures.risk_classes import RiskClasses


class MarketerRisk(AttackRisk):
    """What share of all rows is matched with the right person, on average?

    The share of rows that an attacker who matches all of them would match with the right person, on
    average. With 0.05, about 5 of 100 matches are right; the attacker does not know which.

    Does not say: An average says nothing about individuals: some may be found with certainty even
    if the figure is low. The prosecutor risk gives the highest risk.

    Formula: (1/n) * sum over classes of f/F, with f rows in the table and F people in the
    population; without a population F = f: classes/rows

    Reference: F. K. Dankar, K. El Emam: A Method for Evaluating Marketer Re-identification Risk.
    EDBT/ICDT Workshops, 2010, doi 10.1145/1754239.1754271

    Without a population, everybody of the table is taken to be known to be in it.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4})
    >>> marketer_risk(table, population=population, quasi_identifiers="zip").value
    0.375
    >>> marketer_risk(table, quasi_identifiers="zip").value
    1.0
    """

    name = "marketer-risk"
    rank = 160
    riskiest = Riskiest.FEWEST_PEOPLE
    limit_help = "the share may be at most this"
    figure_ignores = ("threshold",)

    def compute(
        self, inputs: Inputs, limit: Fraction | None, *, threshold: Threshold = USUAL_THRESHOLD
    ) -> Result:
        """Measure the average risk in the population, or in the table itself without one."""
        with_population = inputs.population is not None
        judged = phrase("in the population") if with_population else phrase("in the table itself")
        classes = RiskClasses.known(inputs)
        return self.judge_figure(classes, limit, "average", threshold, judged=judged)


marketer_risk = MarketerRisk.as_function()
