"""k-anonymity: how many people share their quasi-identifiers with anybody at least."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Final

import numpy as np

from petaudit.errors import NotMeasurableError, counted, joined, phrase, steps
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.i18n.units import Unit
from petaudit.inputs import Inputs, gather
from petaudit.measures._sensitive import always_holds
from petaudit.measures._suppressed import left_out
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Family, Measure, Need, Remedy, Result, announce
from petaudit.pictures.class_sizes import class_sizes_of
from petaudit.tables import ClassHistogram
from petaudit.tables.result_frames import ResultColumn

_TABLES = (GLOBAL, DETAILS)
_CURVE: Final = (2, 3, 5, 10, 15, 20, 25, 50, 100)


@dataclass(frozen=True)
class CurvePoint:
    """What a k would take: the rows in smaller classes, and their share of the table."""

    k: int
    rows: int
    share: float


@dataclass(frozen=True)
class KAnonymityResult(Result):
    """The smallest class, and how many rows any k would take."""

    measure: ClassVar[str] = "k-anonymity"
    better: ClassVar[Better] = Better.HIGHER

    classes: int
    rows: int
    suppressed_rows: int
    """Those that were left out."""
    suppressed_class: int
    """Those that are a class."""
    curve: tuple[CurvePoint, ...]
    remedy: Remedy | None = field()

    @property
    def explanation(self) -> tuple[str, ...]:
        """How many classes there are, what the limit takes, and the curve."""
        total = self.rows + self.suppressed_rows
        parts = [
            phrase(
                "{rows} in {classes}",
                rows=self.unit.counted(self.rows, of=total),
                classes=counted(self.classes, "class", "classes"),
            )
        ]
        if self.suppressed_rows:
            without = self.unit.counted(self.suppressed_rows, of=total)
            parts.append(phrase("{rows} suppressed", rows=without))
        if self.suppressed_class:
            suppressed = self.unit.counted(self.suppressed_class, of=total)
            parts.append(phrase("{rows} suppressed, counted as one class", rows=suppressed))
        lines: list[str] = [joined(parts, "; ")]
        if self.remedy is not None:
            lines.append(self.remedy.text)
        points = steps([(point.k, point.rows) for point in self.curve], total)
        lines.append(
            self.unit.choose(
                phrase("rows in classes smaller than k: {points}", points=points),
                phrase("people in classes smaller than k: {points}", points=points),
            )
        )
        return tuple(lines)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has the curve: for each k the rows in smaller classes."""
        if granularity == DETAILS:
            return {
                "k": ResultColumn("integer", [point.k for point in self.curve]),
                "rows": ResultColumn("integer", [point.rows for point in self.curve]),
                "share": ResultColumn("number", [point.share for point in self.curve]),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def k_anonymity(table: object, *, limit: Number | None = None, **given: Any) -> KAnonymityResult:
    """Measure k of a table (Sweeney 2002).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> found = k_anonymity(table, quasi_identifiers="zip", limit=2)
    >>> found.value, found.passed, found.remedy.share_to_drop
    (1.0, False, 0.25)
    """
    result = compute(gather(table, **given), limit=limit)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None) -> KAnonymityResult:
    """Measure k from opened inputs."""
    name = phrase("the limit of {measure}", measure=KAnonymityResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    histogram = inputs.class_histogram
    if not histogram.sizes.size:
        raise NotMeasurableError("every row is suppressed: there is no class to measure")
    k = int(histogram.sizes[0])
    total = inputs.counted.rows
    remedy = None
    if bound is not None:
        remedy = _remedy(inputs, histogram, bound)
    curve = [(number, rows_below(histogram, number)) for number in _CURVE]
    return KAnonymityResult(
        value=float(k),
        limit=None if bound is None else float(bound),
        passed=None if bound is None else k >= bound,
        warnings=(
            *always_holds(bound, "k-anonymity"),
            *left_out(histogram.suppressed_rows, inputs.unit),
        ),
        classes=int(histogram.classes.sum()),
        rows=histogram.rows,
        suppressed_rows=histogram.suppressed_rows,
        suppressed_class=histogram.suppressed_class,
        curve=tuple(CurvePoint(number, rows, rows / total) for number, rows in curve),
        remedy=remedy,
        unit=inputs.unit,
    )


def _remedy(inputs: Inputs, histogram: ClassHistogram, bound: Fraction) -> Remedy:
    """Suppress the rows of small classes, if they make a class that is large enough, or drop them.

    >>> from petaudit.inputs import gather
    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**", "150**", "*"]})
    >>> inputs = gather(table, quasi_identifiers="zip")
    >>> _remedy(inputs, inputs.class_histogram, Fraction(3)).rows_to_suppress
    2
    """
    broken, suppressed = rows_below(histogram, bound), histogram.suppressed_class
    rows, unit = inputs.counted.rows, inputs.unit
    if inputs.suppressed == "exclude":
        return Remedy.by_suppressing(broken, histogram.rows, rows, can=True, unit=unit)
    others = broken - suppressed if suppressed < bound else broken
    # People of several small classes would be fewer in the class of suppressed rows.
    if unit is Unit.ROW and others and bound <= others + suppressed < rows:
        return replace(Remedy.of(broken, others, rows), rows_keeping=rows - broken)
    return Remedy.by_suppressing(broken, rows, rows, can=False, can_drop=True, unit=unit)


def rows_below(histogram: ClassHistogram, k: Any) -> int:
    """Rows in classes smaller than k.

    >>> rows_below(ClassHistogram(np.array([1, 4]), np.array([3, 1]), 0), 2)
    3
    """
    small = np.array([size < k for size in histogram.sizes.tolist()], dtype=bool)
    return int((histogram.sizes * histogram.classes)[small].sum())


MEASURE = Measure(
    name="k-anonymity",
    title="k-anonymity",
    family=Family.PRIVACY,
    question="How many people share their quasi-identifiers with anybody, at the least?",
    better=Better.HIGHER,
    range=(1.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula="number of rows in the smallest class",
    reference=(
        "L. Sweeney: k-Anonymity: A Model for Protecting Privacy. IJUFKS 10(5), 2002, "
        "doi 10.1142/S0218488502001648"
    ),
    compute=compute,
    limit_help="every class must have at least this many rows",
    granularities=_TABLES,
    pictures=class_sizes_of,
    meaning=(
        "Everybody shares their quasi-identifiers with at least this many rows, counting their "
        "own. With 5, an attacker who knows them can narrow a person down to 5 rows at best."
    ),
    does_not_say=(
        "It does not say that nothing is learned about a person: if all 5 rows have the same "
        "diagnosis, the diagnosis is known. It counts rows, not people, and protects no column "
        "that was not named as a quasi-identifier."
    ),
    meaning_of_people=(
        "Everybody shares their quasi-identifiers with at least this many different people, "
        "counting themselves. With 5, an attacker who knows them can narrow a person down to the "
        "rows of 5 people at best."
    ),
    does_not_say_of_people=(
        "It does not say that nothing is learned about a person: if all 5 people have the same "
        "diagnosis, the diagnosis is known. Rows that one person has in several classes can be "
        "put together by whoever sees the person column, and no column is protected that was not "
        "named as a quasi-identifier."
    ),
)
