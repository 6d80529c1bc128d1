"""Precision: how little the cells of a table were generalised."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from petaudit.errors import phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Need, ReportedFigure, Result
from petaudit.measures.utility import UNKNOWN, ColumnsMeasure, suppressed_text
from petaudit.pictures.column_shares import column_shares_of
from petaudit.tables.losses import ambiguous_level_warnings, mean_level

_UNKNOWN_HELP = "labels in no hierarchy: error, or maximal (such a cell costs 1)"


class Precision(ColumnsMeasure):
    """How precise are the generalised cells still?

    How little the cells were generalised: 1 means not at all, 0 means that every cell became the
    most general label. Each step of a hierarchy costs the same.

    Does not say: It counts steps, not values, so a hierarchy with more steps gives a better figure
    for the same data: compare tables with the same hierarchies only. It says nothing about privacy.

    Formula: 1 - mean over columns of the mean over cells of level / highest level

    Reference: L. Sweeney: Achieving k-Anonymity Privacy Protection Using Generalization and
    Suppression. IJUFKS 10(5), 2002, doi 10.1142/S021848850200165X

    >>> import pyarrow as pa
    >>> table = pa.table({"place": ["Europe"] * 4, "born": ["197*", "197*", "198*", "198*"]})
    >>> place = {"Germany": ["Europe", "*"], "France": ["Europe", "*"]}
    >>> born = {"1970": ["197*", "19**", "*"], "1983": ["198*", "19**", "*"]}
    >>> precision(table, hierarchies={"place": place, "born": born}).value
    0.5833333333333334
    """

    name = "precision"
    rank = 230
    needs = (Need.HIERARCHIES,)
    limit_help = "Precision must be at least this"
    pictures = staticmethod(column_shares_of)

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        unknown: Annotated[str, UNKNOWN, _UNKNOWN_HELP] = "error",
    ) -> Result:
        """Measure Precision."""
        counts, names = inputs.table.counts, inputs.generalized_columns
        hierarchies = {name: inputs.hierarchy(name) for name in names}
        suppressed = counts.suppressed_rows(names)
        kept = {
            name: 1 - mean_level(hierarchy, counts.value_counts(name), suppressed, unknown)
            for name, hierarchy in hierarchies.items()
        }
        return self.result(
            sum(kept.values(), Fraction(0)) / len(names),
            limit,
            warnings=ambiguous_level_warnings(inputs.table.counts, hierarchies),
            breakdown={
                "columns": {name: float(share) for name, share in kept.items()},
                "suppressed_rows": suppressed,
            },
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Name the columns, and the suppressed rows."""
        return (*super().explain(result), *suppressed_text(result.suppressed_rows))

    def plain_words(self, figure: ReportedFigure) -> str:
        """How much detail is kept."""
        return phrase(
            "{share} of the original's detail is kept (precision).", share=figure.value_text
        )


precision = Precision.as_function()
