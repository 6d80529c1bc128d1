"""beta-likeness: how much more common a sensitive value may be in a class than in the table."""

from __future__ import annotations

from petaudit.exact.class_figures import ClassFigures
from petaudit.measures.sensitive import SensitiveMeasure
from petaudit.tables import ClassTable
from petaudit.tables.shares import Shares, gain_figures


class BetaLikeness(SensitiveMeasure):
    """How much more common is a sensitive value in a class than in the whole table?

    How much more common a sensitive value is in a class than in the whole table, in the worst case.
    With 0, no value is more common; with 1, one is twice as common, and with 9 ten times.

    Does not say: Only values that became more common count, not those that are missing from a
    class. A value that very few people have makes the figure large by arithmetic alone.

    Formula: largest (p - q) / q of a value, p its share in a class and q in the whole table

    Reference: J. Cao, P. Karras: Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11),
    2012, doi 10.14778/2350229.2350255

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 2 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "flu", "flu"]})
    >>> result = beta_likeness(table, quasi_identifiers="zip", sensitive="illness", limit=1)
    >>> result.exact_value, result.passed
    (Fraction(1, 1), True)
    """

    name = "beta-likeness"
    title = "beta-likeness (basic)"
    rank = 80
    limit_help = "beta, the relative gain of a value in a class, may be at most this"
    compares_with_table = True

    def figures(self, attribute: str, classes: ClassTable) -> ClassFigures:
        """Return the largest gain of a value in each class."""
        return gain_figures(Shares.of(classes.columns[attribute]), classes)


beta_likeness = BetaLikeness.as_function()
