"""Average class size (AECS): how much larger the classes became."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from petaudit.errors import joined, phrase
from petaudit.exact.fractions import share_kept
from petaudit.inputs import Inputs
from petaudit.measures.base import Need, Result, rows_of
from petaudit.measures.limits import rounded_texts
from petaudit.measures.utility import UtilityMeasure, classes_of_both, suppressed_text


@dataclass(frozen=True)
class ClassesOf:
    """The classes of one table; without any class there is no mean."""

    table: str
    rows: int
    classes: int
    mean_class_size: float | None
    suppressed_rows: int


class AverageClassSize(UtilityMeasure):
    """How small did the classes stay on average?

    How small the classes stayed on average, compared with the original. With 1, they are as small
    as before; with 0, all rows look alike or are suppressed.

    Does not say: It never looks at the labels, so random values in place of the real ones score 1.
    In large tables it is nearly always close to 1, and suppressed rows do not lower it.

    Formula: 1 - (mean class - mean class of the original) / (n - mean class of the original)

    Reference: K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional K-Anonymity. IEEE
    ICDE 2006, doi 10.1109/ICDE.2006.101; normalised as in ARX

    >>> import pyarrow as pa
    >>> original = pa.table({"born": [1970, 1971, 1983, 1984, 1984]})
    >>> released = pa.table({"born": ["197*", "197*", "198*", "198*", "198*"]})
    >>> result = average_class_size(original, released, quasi_identifiers="born")
    >>> result.released.mean_class_size, result.original.mean_class_size
    (2.5, 1.25)
    >>> result.value  # 1 - (2.5 - 1.25) / (5 - 1.25)
    0.6666666666666666
    """

    name = "average-class-size"
    title = "Average class size (AECS)"
    rank = 270
    needs = (Need.QUASI_IDENTIFIERS, Need.ORIGINAL)
    limit_help = "the average class size must score at least this (1: as in the original)"
    details = rows_of(ClassesOf, "released", "original")

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Compare the means.

        An original that is a single class (or all suppressed) has nothing to lose: the figure is
        1. Else a table without any class is as bad as one with a single class: the figure is 0.
        """
        both, rows = classes_of_both(inputs), inputs.table.rows
        released, original = (
            Fraction(classes.rows or rows, classes.number or 1) for classes in both
        )
        breakdown = {}
        for table, classes in zip(("released", "original"), both, strict=True):
            mean = classes.rows / classes.number if classes.number else None
            breakdown[table] = ClassesOf(
                table, classes.rows, classes.number, mean, classes.suppressed_rows
            )
        return self.result(share_kept(released, original, rows), limit, breakdown=breakdown)

    def explain(self, result: Result) -> tuple[str, ...]:
        """Name both means, and the suppressed rows."""
        mean, before = result.released.mean_class_size, result.original.mean_class_size
        if mean is None:
            return (phrase("every row is suppressed: no rows can be told apart"),)
        shown, _, shown_before = rounded_texts(mean, None, before)
        parts = [phrase("a class has {mean} rows on average", mean=shown)]
        if before is not None:
            parts.append(phrase("it had {mean} in the original", mean=shown_before))
        return (joined(parts, "; "), *suppressed_text(result.released.suppressed_rows))


average_class_size = AverageClassSize.as_function()
