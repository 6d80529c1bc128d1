"""k-anonymity: how many people share their quasi-identifiers with anybody at least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from petaudit.errors import NotMeasurableError, Phrase, counted, joined, phrase, steps
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures.base import (
    Better,
    Family,
    Measure,
    Need,
    Remedy,
    ReportedFigure,
    Result,
    left_out,
    rows_of,
)
from petaudit.pictures.class_sizes import class_sizes_of
from petaudit.tables import ClassHistogram

CURVE = (2, 3, 5, 10, 15, 20, 25, 50, 100)


@dataclass(frozen=True)
class CurvePoint:
    """What a k would take: the rows that fall short of it, and their share of the table."""

    k: int
    rows: int
    share: float


class KAnonymity(Measure):
    """How small is the smallest group of people who look alike?

    Everyone shares their quasi-identifiers with at least this many rows, counting their own. With
    5, an attacker who knows them can at best narrow a person down to 5 rows.

    Does not say: It does not say that nothing is learned about a person: if all 5 rows have the
    same diagnosis, the diagnosis is known. It counts rows, not people, and protects no column that
    was not named as a quasi-identifier.

    Of people: Everyone shares their quasi-identifiers with at least this many different people,
    counting themselves. With 5, an attacker who knows them can at best narrow a person down to the
    rows of 5 people.

    Does not say of people: It does not say that nothing is learned about a person: if all 5 people
    have the same diagnosis, the diagnosis is known. Rows that one person has in several classes can
    be put together by whoever sees the person column, and no column is protected that was not named
    as a quasi-identifier.

    Formula: number of rows in the smallest class

    Reference: L. Sweeney: k-Anonymity: A Model for Protecting Privacy. IJUFKS 10(5), 2002, doi
    10.1142/S0218488502001648

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> result = k_anonymity(table, quasi_identifiers="zip", limit=2)
    >>> result.value, result.passed, result.remedy.share_to_drop
    (1.0, False, 0.25)
    """

    name = "k-anonymity"
    title = "k-anonymity"
    rank = 10
    family = Family.PRIVACY
    better = Better.HIGHER
    range = (1.0, float("inf"))
    needs = (Need.QUASI_IDENTIFIERS,)
    limit_help = "every class must have at least this many rows"
    pictures = staticmethod(class_sizes_of)
    details = rows_of(CurvePoint, "curve")

    def compute(self, inputs: Inputs, limit: Fraction | None) -> Result:
        """Measure k from opened inputs."""
        classes, rows = inputs.class_histogram, inputs.counted.rows
        if not classes.sizes.size:
            raise NotMeasurableError("every row is suppressed: there is no class to measure")
        below = [(k, rows_below(classes, k)) for k in CURVE]
        return self.result(
            Fraction(int(classes.sizes[0])),
            limit,
            warnings=left_out(classes.suppressed_rows, inputs.unit),
            breakdown={
                "classes": classes.number,
                "rows": classes.rows,
                "suppressed_rows": classes.suppressed_rows,
                "suppressed_class": classes.suppressed_class,
                "curve": tuple(CurvePoint(k, number, number / rows) for k, number in below),
                "remedy": None if limit is None else _remedy(inputs, classes, limit),
            },
            unit=inputs.unit,
        )

    def explain(self, result: Result) -> Iterator[str]:
        """How many classes there are, what the limit takes, and the curve."""
        yield joined([*_sizes(result)], "; ")
        if result.remedy is not None:
            yield result.remedy.text
        points = points_of(result)
        yield result.unit.choose(
            phrase("rows in classes smaller than k: {points}", points=points),
            phrase("people in classes smaller than k: {points}", points=points),
        )

    def plain_words(self, figure: ReportedFigure) -> str:
        """How many others everyone looks like."""
        others = f"{figure.value - 1:,.0f}"
        if figure.value <= 1:
            return phrase("At least one person in it can be told apart from everyone else.")
        if figure.suppressed_left_out:
            return phrase(
                "Everyone not suppressed is indistinguishable from at least {others} others; "
                "suppressed rows were left out.",
                others=others,
            )
        if figure.value == 2:
            return phrase("Everyone in it is indistinguishable from at least one other person.")
        return phrase(
            "Everyone in it is indistinguishable from at least {others} others.", others=others
        )


k_anonymity = KAnonymity.as_function()


def points_of(result: Result) -> Phrase:
    """Write the share of the rows at each point of the curve."""
    points = [(point.k, point.rows) for point in result.curve]
    return steps(points, result.rows + result.suppressed_rows)


def _sizes(result: Result) -> Iterator[str]:
    """How many rows are in how many classes, and how many are suppressed."""
    rows, classes = result.counted(result.rows), counted(result.classes, "class", "classes")
    yield phrase("{rows} in {classes}", rows=rows, classes=classes)
    if result.suppressed_rows:
        yield phrase("{rows} suppressed", rows=result.counted(result.suppressed_rows))
    if result.suppressed_class:
        rows = result.counted(result.suppressed_class)
        yield phrase("{rows} suppressed, counted as one class", rows=rows)


def _remedy(inputs: Inputs, classes: ClassHistogram, limit: Fraction) -> Remedy:
    """Suppress the rows of small classes, if they make a class that is large enough, or drop them.

    >>> from petaudit.inputs import gather
    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**", "150**", "*"]})
    >>> inputs = gather(table, quasi_identifiers="zip")
    >>> _remedy(inputs, inputs.class_histogram, Fraction(3)).rows_to_suppress
    2
    """
    breaking, suppressed = rows_below(classes, limit), classes.suppressed_class
    rows, unit = inputs.counted.rows, inputs.unit
    if inputs.suppressed == "exclude":
        return Remedy.by_suppressing(breaking, classes.rows, rows, can=True, unit=unit)
    others = breaking - suppressed if suppressed < limit else breaking
    # People of several small classes would be fewer in the class of suppressed rows.
    if unit is Unit.ROW and others and limit <= others + suppressed < rows:
        return replace(Remedy.of(breaking, others, rows), rows_keeping=rows - breaking)
    return Remedy.by_suppressing(breaking, rows, rows, can=False, can_drop=True, unit=unit)


def rows_below(classes: ClassHistogram, k: Fraction | int) -> int:
    """Count the rows in classes smaller than k.

    >>> rows_below(ClassHistogram(np.array([1, 4]), np.array([3, 1]), 0), 2)
    3
    """
    small = np.array([size < k for size in classes.sizes.tolist()], dtype=bool)
    return int((classes.sizes * classes.classes)[small].sum())
