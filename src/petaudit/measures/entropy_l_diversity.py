"""l-diversity by entropy: as if every class had so many equally common sensitive values."""

from __future__ import annotations

from petaudit.exact.class_figures import ClassFigures
from petaudit.measures.base import Better
from petaudit.measures.sensitive import SensitiveMeasure
from petaudit.tables import ClassTable
from petaudit.tables.shares import entropy_figures


class EntropyLDiversity(SensitiveMeasure):
    """How evenly spread are the sensitive values of every class?

    How many equally common sensitive values would leave an attacker as unsure as those of the worst
    class do. With 1, that class has one value only; with 3, it is as good as three values in equal
    parts.

    Does not say: It does not know what values mean: three names of one illness count as three. A
    low figure may be due to a value that most people have anyway, and even with a high one a single
    value may be held by half of a class.

    Formula: smallest exp(entropy) of a class, entropy = - sum of p ln p over the values

    Reference: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy
    Beyond k-Anonymity. ACM TKDD 1(1), 2007, doi 10.1145/1217299.1217302

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "ulcer", "flu", "cancer"]})
    >>> result = entropy_l_diversity(table, quasi_identifiers="zip", sensitive="illness", limit=2)
    >>> result.value, result.passed
    (2.0, True)
    """

    name = "entropy-l-diversity"
    title = "l-diversity (entropy)"
    rank = 50
    better = Better.HIGHER
    range = (1.0, float("inf"))
    limit_help = "exp(entropy) of every class must be at least this"

    def figures(self, attribute: str, classes: ClassTable) -> ClassFigures:
        """Return e to the entropy of each class; a whole number where values are equally common."""
        return entropy_figures(classes.columns[attribute].with_nulls_as_commonest, classes)


entropy_l_diversity = EntropyLDiversity.as_function()
