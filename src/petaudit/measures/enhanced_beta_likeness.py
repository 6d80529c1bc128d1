"""Enhanced beta-likeness: common sensitive values may gain less than rare ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.class_figures import ClassFigures, Truths
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.exact.logarithms import sign_of_logs
from petaudit.inputs import Inputs, gather
from petaudit.measures._sensitive import TABLES, WORST_OPTION, SensitiveResult, judge
from petaudit.measures._shares import Shares, gain_figures
from petaudit.measures.base import Better, Family, Measure, Need, announce
from petaudit.tables import ClassTable

_MARGIN: Final = 1e-12


@dataclass(frozen=True)
class EnhancedBetaLikenessResult(SensitiveResult):
    """The least beta that holds: the largest gain, or infinite where no beta does."""

    measure: ClassVar[str] = "enhanced-beta-likeness"
    better: ClassVar[Better] = Better.LOWER
    compares_with_table: ClassVar[bool] = True

    @property
    def why_infinite(self) -> str:
        """Such a class breaks the bound that has nothing to do with beta."""
        return phrase("with a value that gains more than -ln q, for which no beta would do")


def enhanced_beta_likeness(
    table: object, *, limit: Number | None = None, worst: int = 5, **given: Any
) -> EnhancedBetaLikenessResult:
    """Measure enhanced beta-likeness (Cao and Karras 2012): gains of at most min(beta, -ln q).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 2 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "flu", "flu"]})
    >>> enhanced_beta_likeness(table, quasi_identifiers="zip", sensitive="illness").value
    inf
    """
    result = compute(gather(table, **given), limit=limit, worst=worst)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, worst: int = 5
) -> EnhancedBetaLikenessResult:
    """Measure enhanced beta-likeness from opened inputs."""
    name = phrase("the limit of {measure}", measure=EnhancedBetaLikenessResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    judged = judge(
        inputs,
        enhanced_gains,
        better=Better.LOWER,
        breaks=None if bound is None else lambda figures: figures.above(bound),
        worst=worst,
    )
    return EnhancedBetaLikenessResult.judged(inputs, judged, bound)


def enhanced_gains(attribute: str, table: ClassTable) -> ClassFigures:
    """The largest gain of each class; infinite where a value gains more than its own -ln q."""
    shares = Shares.of(table.columns[attribute])
    starts = shares.pairs.class_starts
    return gain_figures(shares, table, np.logical_or.reduceat(_gains_too_much(shares), starts))


def _gains_too_much(shares: Shares) -> Truths:
    """Whether (p - q) / q > -ln q, exactly, for each value of each class."""
    counts, rows = shares.table_counts, shares.pairs.values.rows
    bounds = np.log1p((rows - counts) / counts)
    found = shares.gains > bounds
    # With q = 1 both are 0. Else they differ: the logarithm of a fraction is none.
    near = (np.abs(shares.gains - bounds) <= _MARGIN * bounds) & (counts < rows)
    for pair in np.flatnonzero(near).tolist():
        gain = Fraction(int(shares.inside[pair]), int(shares.overall[pair])) - 1
        found[pair] = sign_of_logs([(1, Fraction(rows, int(counts[pair])))], gain) < 0
    found[counts == rows] = False
    return found


MEASURE = Measure(
    name="enhanced-beta-likeness",
    title="beta-likeness (enhanced)",
    family=Family.PRIVACY,
    question="How much more common is a value in a class, if common ones may gain less?",
    better=Better.LOWER,
    range=(0.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula=(
        "least beta with (p - q) / q <= min(beta, -ln q) for every class and value, p its share in "
        "the class and q in the whole table; infinite where there is none"
    ),
    reference=(
        "J. Cao, P. Karras: Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11), "
        "2012, doi 10.14778/2350229.2350255"
    ),
    compute=compute,
    limit_help="beta: no value may gain more than this, nor more than -ln q",
    options=(WORST_OPTION,),
    granularities=TABLES,
    meaning=(
        "How much more common a sensitive value is in a class than in the whole table, where "
        "common values may gain less than rare ones. With 1, one is twice as common; infinite "
        "means that a class comes too close to certainty about a value."
    ),
    does_not_say=(
        "Infinite does not mean that everything is given away: one class in which all people have "
        "the commonest value can be enough. Values that are missing from a class do not count."
    ),
)
