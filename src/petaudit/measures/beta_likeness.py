"""beta-likeness: how much more common a sensitive value may be in a class than in the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from petaudit.errors import phrase
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.inputs import Inputs, gather
from petaudit.measures._sensitive import TABLES, WORST_OPTION, SensitiveResult, judge
from petaudit.measures._shares import Shares, gain_figures
from petaudit.measures.base import Better, Family, Measure, Need, announce


@dataclass(frozen=True)
class BetaLikenessResult(SensitiveResult):
    """The largest relative gain of a value in a class."""

    measure: ClassVar[str] = "beta-likeness"
    better: ClassVar[Better] = Better.LOWER
    compares_with_table: ClassVar[bool] = True


def beta_likeness(
    table: object, *, limit: Number | None = None, worst: int = 5, **given: Any
) -> BetaLikenessResult:
    """Measure basic beta-likeness (Cao and Karras 2012).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 2 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "flu", "flu"]})
    >>> found = beta_likeness(table, quasi_identifiers="zip", sensitive="illness", limit=1)
    >>> found.exact_value, found.passed
    (Fraction(1, 1), True)
    """
    result = compute(gather(table, **given), limit=limit, worst=worst)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None, worst: int = 5) -> BetaLikenessResult:
    """Measure basic beta-likeness from opened inputs."""
    name = phrase("the limit of {measure}", measure=BetaLikenessResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    judged = judge(
        inputs,
        lambda attribute, table: gain_figures(Shares.of(table.columns[attribute]), table),
        better=Better.LOWER,
        breaks=None if bound is None else lambda figures: figures.above(bound),
        worst=worst,
    )
    return BetaLikenessResult.judged(inputs, judged, bound)


MEASURE = Measure(
    name="beta-likeness",
    title="beta-likeness (basic)",
    family=Family.PRIVACY,
    question="How much more common is a sensitive value in a class than in the whole table?",
    better=Better.LOWER,
    range=(0.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula="largest (p - q) / q of a value, p its share in a class and q in the whole table",
    reference=(
        "J. Cao, P. Karras: Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11), "
        "2012, doi 10.14778/2350229.2350255"
    ),
    compute=compute,
    limit_help="beta, the relative gain of a value in a class, may be at most this",
    options=(WORST_OPTION,),
    granularities=TABLES,
    meaning=(
        "How much more common a sensitive value is in a class than in the whole table, at the "
        "most. With 0, no value is more common; with 1, one is twice as common, and with 9 ten "
        "times."
    ),
    does_not_say=(
        "Only values that became more common count, not those that are missing from a class. A "
        "value that very few people have makes the figure large by arithmetic alone."
    ),
)
