"""Sample uniques: rows that share their quasi-identifiers with no other row."""

from __future__ import annotations

from fractions import Fraction

from petaudit.errors import joined, phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Remedy, Result
from petaudit.measures.risk import RiskMeasure
from petaudit.measures.risk_classes import RiskClasses

_RISK_OF_TWO = Fraction(1, 2)


class SampleUniques(RiskMeasure):
    """What share of the rows is unique on the quasi-identifiers?

    The share of rows that are unique on the quasi-identifiers. With 0.02, two rows in a hundred
    are, and whoever knows these people, and that they are in the table, can find them.

    Does not say: A row that is unique in the table need not be unique in the population, and 0 does
    not mean safe: with pairs only, every second guess is right. Compare only tables of the same
    size.

    Formula: rows in classes of one row / rows in classes

    Reference: C. J. Skinner, M. J. Elliot: A Measure of Disclosure Risk for Microdata. Journal of
    the Royal Statistical Society B 64(4), 2002, doi 10.1111/1467-9868.00365

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> result = sample_uniques(table, quasi_identifiers="zip")
    >>> result.value, result.uniques
    (0.25, 1)
    """

    name = "sample-uniques"
    rank = 170

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Measure the share of rows that are alone in their class."""
        classes = RiskClasses.of_table(inputs)
        uniques = classes.rows_above(_RISK_OF_TWO)

        def remedy(limit: Fraction) -> Remedy:
            return classes.remedy(uniques, classes.enough_for_share_above(_RISK_OF_TWO, limit))

        breakdown = {
            "uniques": uniques,
            "rows": classes.rows,
            "suppressed_rows": classes.suppressed_rows,
        }
        return self.judge(classes, Fraction(uniques, classes.rows), limit, remedy, breakdown)

    def explain(self, result: Result) -> tuple[str, ...]:
        """How many rows are alone, and what the limit takes."""
        number, rows = result.tally(result.uniques), result.counted(result.rows)
        parts = [phrase("{number} of {rows} alone in their class", number=number, rows=rows)]
        if result.suppressed_rows:
            parts.append(phrase("{rows} suppressed", rows=result.counted(result.suppressed_rows)))
        return (joined(parts, "; "), *result.remedy_lines)


sample_uniques = SampleUniques.as_function()
