"""Prosecutor risk: an attacker knows that somebody is in the table and looks for the row."""

from __future__ import annotations

from petaudit.inputs import Inputs
from petaudit.measures.risk import ChosenFigureRisk
from petaudit.measures.risk_classes import RiskClasses


class ProsecutorRisk(ChosenFigureRisk):
    """How likely is a person known to be in the table to be re-identified?

    How likely an attacker is to find the row of a person known to be in the table. A highest risk
    of 0.2 means that nobody's chance of being found is above one in five; 1 means that somebody can
    be found with certainty.

    Does not say: It assumes that the attacker knows the quasi-identifiers only; more knowledge
    means more risk. Where all rows of a class share a diagnosis, it is known without finding the
    row.

    Formula: 1/c for a row in a class of c; highest: 1/smallest class; average: classes/rows;
    at-risk: share of the rows with 1/c > threshold

    Reference: K. El Emam: Guide to the De-Identification of Personal Health Information. CRC Press,
    2013, doi 10.1201/b14764

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> result = prosecutor_risk(table, quasi_identifiers="zip", limit=0.5)
    >>> result.value, result.average, result.rows_at_risk, result.passed
    (1.0, 0.5, 4, False)
    """

    name = "prosecutor-risk"
    rank = 140
    matches_population = False

    def classes(self, inputs: Inputs) -> RiskClasses:
        """Count the classes, each with nobody in it but its own rows."""
        return RiskClasses.of_table(inputs)


prosecutor_risk = ProsecutorRisk.as_function()
