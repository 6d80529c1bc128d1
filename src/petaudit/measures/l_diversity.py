"""l-diversity, distinct: how many different sensitive values every class has."""

from __future__ import annotations

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.class_figures import ClassFigures, ratio_figures
from petaudit.measures.base import Better, ReportedFigure
from petaudit.measures.sensitive import SensitiveMeasure
from petaudit.tables import ClassTable


class LDiversity(SensitiveMeasure):
    """How many different sensitive values does every class have?

    Every class has at least this many different sensitive values. With 1, there is a class whose
    people all have the same value, so that whoever knows the class knows the value.

    Does not say: Different words need not be different secrets, and one value may still be far more
    likely than the others: with 99 rows of cancer and 1 of flu the figure is 2, and a guess of
    cancer is nearly always right.

    Formula: smallest number of distinct values of a sensitive attribute in a class

    Reference: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy
    Beyond k-Anonymity. ACM TKDD 1(1), 2007, doi 10.1145/1217299.1217302

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "cancer", "flu", "flu"]})
    >>> result = l_diversity(table, quasi_identifiers="zip", sensitive="illness", limit=2)
    >>> result.value, result.passed, result.remedy.rows_to_drop
    (1.0, False, 2)
    """

    name = "l-diversity"
    title = "l-diversity (distinct)"
    rank = 40
    better = Better.HIGHER
    range = (1.0, float("inf"))
    limit_help = "every class must have at least this many different values"

    def figures(self, attribute: str, classes: ClassTable) -> ClassFigures:
        """Count the values of each class; a null is not a further one."""
        pairs = classes.columns[attribute].with_nulls_as_commonest
        distinct = np.diff(pairs.class_starts, append=len(pairs.counts)).astype(np.int64)
        return ratio_figures(distinct, np.ones_like(distinct), classes.sizes, classes.classes)

    def plain_words(self, figure: ReportedFigure) -> str | None:
        """Say what a class with one value tells; without a limit it is an open question."""
        if figure.value > 1 or figure.status == "measured":
            return None
        return phrase(
            "But in at least one class of people who look alike, everyone has the same sensitive "
            "value: knowing that somebody is in it reveals the value."
        )


l_diversity = LDiversity.as_function()
