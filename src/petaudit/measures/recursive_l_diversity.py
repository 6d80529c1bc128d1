"""Recursive (c, l)-diversity: the commonest sensitive value must not outweigh the rare ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import Any, ClassVar, Final

import numpy as np

from petaudit.errors import OptionError, phrase
from petaudit.exact.class_figures import ClassFigures, ratio_figures
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.inputs import Inputs, gather
from petaudit.measures import kinds
from petaudit.measures._sensitive import TABLES, WORST_OPTION, SensitiveResult, check_option, judge
from petaudit.measures.base import Better, Family, Measure, Need, Option, announce
from petaudit.measures.l_diversity import distinct_values
from petaudit.measures.limits import refuse_unbreakable
from petaudit.tables import ClassTable

_L: Final = Option(
    "l",
    "from which value on, in the order of frequency, values count as rare; a limit needs it",
    kind=kinds.Integer(1),
)


@dataclass(frozen=True)
class RecursiveLDiversityResult(SensitiveResult):
    """What c must exceed: the largest r1 / (rl + ... + rm) of a class."""

    measure: ClassVar[str] = "recursive-l-diversity"
    better: ClassVar[Better] = Better.LOWER

    l: int  # noqa: E741 (the paper's name)

    @property
    def is_strict(self) -> bool:
        """C itself is not reached: r1 < c (rl + ... + rm)."""
        return True

    @property
    def figure(self) -> str:
        """A figure of another l is another figure."""
        return f"{self.measure} (l = {self.l})"

    @property
    def why_infinite(self) -> str:
        """Such a class has no rare values at all."""
        return phrase("with fewer than {l:,} values, for which no c would do", l=self.l)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figure is."""
        if isinf(self.value):
            return ()
        return (
            phrase("with l = {l:,}, c must be more than {value:.6g}", l=self.l, value=self.value),
        )


def recursive_l_diversity(
    table: object,
    *,
    limit: Number | None = None,
    l: int | None = None,  # noqa: E741 (the paper's name)
    worst: int = 5,
    **given: Any,
) -> RecursiveLDiversityResult:
    """Measure what c of (c, l)-diversity must exceed (Machanavajjhala et al. 2007).

    ``limit`` is c, and needs ``l``. Without ``l`` it is the number of values that every class has,
    but at least 2.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 4, "illness": ["flu", "flu", "flu", "cancer"]})
    >>> found = recursive_l_diversity(
    ...     table, quasi_identifiers="zip", sensitive="illness", limit=3, l=2
    ... )
    >>> found.exact_value, found.passed
    (Fraction(3, 1), False)
    """
    result = compute(gather(table, **given), limit=limit, l=l, worst=worst)
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    l: int | None = None,  # noqa: E741 (the paper's name)
    worst: int = 5,
) -> RecursiveLDiversityResult:
    """Measure what c must exceed from opened inputs."""
    check({"limit": limit, "l": l})
    name = phrase("the limit of {measure}", measure=RecursiveLDiversityResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    values = _values_of_every_class(inputs) if l is None else l
    judged = judge(
        inputs,
        lambda attribute, table: commonest_against_rare(attribute, table, values),
        better=Better.LOWER,
        breaks=None if bound is None else lambda figures: ~figures.below(bound),
        worst=worst,
    )
    return RecursiveLDiversityResult.judged(inputs, judged, bound, l=values)


def check(options: Mapping[str, Any]) -> None:
    """Refuse a limit without l."""
    if options.get("l") is not None:
        check_option(_L, options["l"])
        if options["l"] == 1 and options.get("limit") is not None:
            # With l = 1 all values are rare, and r1 is a share of the class.
            name = phrase("the limit of {measure}", measure=RecursiveLDiversityResult.measure)
            bound = exact_nonnegative(options["limit"], name)
            refuse_unbreakable(bound, RecursiveLDiversityResult.measure, "lower", (0, 1))
    elif options.get("limit") is not None:
        raise OptionError(
            "a limit of recursive-l-diversity is c for some l: give l as well (without it, l "
            "follows from the table, and the limit would mean something else for every table)"
        )


def _values_of_every_class(inputs: Inputs) -> int:
    """The l of distinct l-diversity, over all sensitive attributes; at least 2.

    With l = 1 every table would look well, one with a single value in a class as well.
    """
    judged = judge(inputs, distinct_values, better=Better.HIGHER, breaks=None, worst=0)
    return max(int(judged.exact_value), 2)


def commonest_against_rare(attribute: str, table: ClassTable, values: int) -> ClassFigures:
    """r1 / (rl + ... + rm) of each class; infinite where it has fewer than l values."""
    pairs = table.columns[attribute].with_nulls_as_commonest
    starts = pairs.class_starts
    counts = pairs.descending_counts
    stops = np.append(starts[1:], len(counts))
    before_rare = min(values - 1, len(counts))
    up_to = np.concatenate([[0], np.cumsum(counts)])
    common = up_to[np.minimum(starts + before_rare, stops)] - up_to[starts]
    return ratio_figures(counts[starts], table.sizes - common, table.sizes, table.classes)


MEASURE = Measure(
    name="recursive-l-diversity",
    title="l-diversity (recursive)",
    family=Family.PRIVACY,
    question="Does the commonest sensitive value of a class outweigh the rare ones?",
    better=Better.LOWER,
    range=(0.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula=(
        "largest r1 / (rl + ... + rm) of a class with counts r1 >= r2 >= ... >= rm; infinite with "
        "fewer than l values"
    ),
    reference=(
        "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy "
        "Beyond k-Anonymity. ACM TKDD 1(1), 2007, doi 10.1145/1217299.1217302"
    ),
    meaning=(
        "How much the commonest sensitive value of a class outweighs the rare ones, at the "
        "worst: with l = 2, 3 means that one value is three times as frequent as all others of "
        "its class together. Infinite means that a class lacks rare values altogether."
    ),
    does_not_say=(
        "A low figure does not mean that no value is likely: with 3 one value may still hold "
        "for three quarters of a class. Rare values that mean the same count as different ones."
    ),
    compute=compute,
    limit_help="c: r1 < c (rl + ... + rm) must hold in every class; needs l",
    options=(_L, WORST_OPTION),
    granularities=TABLES,
    check=check,
)
