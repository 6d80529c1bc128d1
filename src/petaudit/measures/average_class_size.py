"""Average class size (AECS): how much larger the classes became."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from petaudit.errors import joined, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures._utility import (
    UtilityResult,
    both_tables,
    share_kept,
    suppressed_text,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import GLOBAL, Better, Family, Need, announce
from petaudit.tables import ClassHistogram
from petaudit.tables.result_frames import ResultColumn

_TABLES = (GLOBAL, DETAILS)


@dataclass(frozen=True)
class ClassesOf:
    """The classes of one table; without any class there is no mean."""

    table: str
    rows: int
    classes: int
    mean_class_size: float | None
    suppressed_rows: int

    @classmethod
    def of(cls, table: str, histogram: ClassHistogram) -> ClassesOf:
        """From how many classes have each size."""
        mean = _mean(histogram)
        classes = int(histogram.classes.sum())
        size = None if mean is None else float(mean)
        return cls(table, histogram.rows, classes, size, histogram.suppressed_rows)


@dataclass(frozen=True)
class AverageClassSizeResult(UtilityResult):
    """The average class size, and the means that it compares."""

    measure: ClassVar[str] = "average-class-size"
    better: ClassVar[Better] = Better.HIGHER

    released: ClassesOf
    original: ClassesOf

    @property
    def explanation(self) -> tuple[str, ...]:
        """Both means, and the suppressed rows."""
        if self.released.mean_class_size is None:
            return (phrase("every row is suppressed: nothing is told apart any more"),)
        parts = [
            phrase("a class has {mean:.6g} rows on average", mean=self.released.mean_class_size)
        ]
        before = self.original.mean_class_size
        if before is not None:
            parts.append(phrase("it had {mean:.6g} in the original", mean=before))
        return (joined(parts, "; "), *suppressed_text(self.released.suppressed_rows))

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has the classes of both tables."""
        if granularity == DETAILS:
            both = (self.released, self.original)
            return {
                "table": ResultColumn("text", [own.table for own in both]),
                "rows": ResultColumn("integer", [own.rows for own in both]),
                "classes": ResultColumn("integer", [own.classes for own in both]),
                "mean_class_size": ResultColumn("number", [own.mean_class_size for own in both]),
                "suppressed_rows": ResultColumn("integer", [own.suppressed_rows for own in both]),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def average_class_size(
    original: object, table: object, *, limit: Number | None = None, **given: Any
) -> AverageClassSizeResult:
    """Measure how small the classes stayed on average (LeFevre, DeWitt and Ramakrishnan 2006).

    >>> import pyarrow as pa
    >>> original = pa.table({"born": [1970, 1971, 1983, 1984, 1984]})
    >>> released = pa.table({"born": ["197*", "197*", "198*", "198*", "198*"]})
    >>> found = average_class_size(original, released, quasi_identifiers="born")
    >>> found.released.mean_class_size, found.original.mean_class_size
    (2.5, 1.25)
    >>> found.value  # 1 - (2.5 - 1.25) / (5 - 1.25)
    0.6666666666666666
    """
    result = compute(gather(table, original=original, **given), limit=limit)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None) -> AverageClassSizeResult:
    """Measure the average class size from opened inputs.

    An original that is a single class (or all suppressed) has nothing to lose: the figure is 1.
    Else a table without any class is as bad as one with a single class: the figure is 0.
    """
    bound = utility_limit(limit, "average-class-size")
    both = both_tables(inputs)
    largest = Fraction(both.rows)
    released, original = (_mean(own) or largest for own in (both.released, both.original))
    return AverageClassSizeResult.of(
        share_kept(released, original, largest),
        bound,
        warn_if_limit_is_out_of_range(bound, "average-class-size"),
        released=ClassesOf.of("released", both.released),
        original=ClassesOf.of("original", both.original),
    )


def _mean(histogram: ClassHistogram) -> Fraction | None:
    classes = int(histogram.classes.sum())
    return Fraction(histogram.rows, classes) if classes else None


MEASURE = OldMeasure(
    name="average-class-size",
    title="Average class size (AECS)",
    family=Family.UTILITY,
    question="How small did the classes stay on average?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.ORIGINAL),
    formula="1 - (mean class - mean class of the original) / (n - mean class of the original)",
    reference=(
        "K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional K-Anonymity. IEEE ICDE "
        "2006, doi 10.1109/ICDE.2006.101; normalised as in ARX"
    ),
    compute=compute,
    limit_help="the average class size must score at least this (1: as in the original)",
    granularities=_TABLES,
    meaning=(
        "How small the classes stayed on average, compared with the original. With 1, they are as "
        "small as before; with 0, all rows look alike or are suppressed."
    ),
    does_not_say=(
        "It never looks at the labels, so random values in place of the real ones score 1. In "
        "large tables it is nearly always close to 1, and suppressed rows do not lower it."
    ),
)
