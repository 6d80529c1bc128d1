"""Journalist risk: an attacker knows a population and does not care whose row is found."""

from __future__ import annotations

from petaudit.inputs import Inputs
from petaudit.measures.base import Need, Riskiest
from petaudit.measures.risk import ChosenFigureRisk
from petaudit.measures.risk_classes import RiskClasses


class JournalistRisk(ChosenFigureRisk):
    """How likely is a row to be linked to the right person in the population?

    How likely it is that an attacker who has a register of the population, and does not know who is
    in the table, finds the right person for a row. With 0.02 as the highest risk, every row could
    be any of at least 50 people.

    Does not say: It does not apply where the attacker knows who is in the table: use
    prosecutor-risk there. Nor does it apply to an attacker whose register holds more than the given
    population.

    Formula: 1/F for a row in a class of f rows and F people; highest: largest 1/F; average: the
    larger of classes / sum of F and (1/n) * sum of f/F over the classes of the table; at-risk:
    share of the rows with 1/F > threshold

    Reference: K. El Emam: Guide to the De-Identification of Personal Health Information. CRC Press,
    2013, doi 10.1201/b14764

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**"]})
    >>> population = pa.table({"zip": ["130**"] * 2 + ["148**"] * 4 + ["150**"]})
    >>> result = journalist_risk(table, population=population, quasi_identifiers="zip")
    >>> result.value, result.average, result.rows_at_risk
    (0.5, 0.375, 2)
    """

    name = "journalist-risk"
    rank = 150
    riskiest = Riskiest.FEWEST_PEOPLE
    needs = (Need.QUASI_IDENTIFIERS, Need.POPULATION)
    either_way = True

    def classes(self, inputs: Inputs) -> RiskClasses:
        """Count the classes, each with its people of the population."""
        return RiskClasses.of_population(inputs)


journalist_risk = JournalistRisk.as_function()
