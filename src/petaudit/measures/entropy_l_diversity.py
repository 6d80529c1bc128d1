"""l-diversity by entropy: as if every class had so many equally common sensitive values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import localcontext
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.class_figures import ClassFigures, Exact
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.exact.logarithms import sign_of_logs, sum_of_logs
from petaudit.inputs import Inputs, gather
from petaudit.measures._sensitive import TABLES, WORST_OPTION, SensitiveResult, always_holds, judge
from petaudit.measures.base import Better, Family, Measure, Need, announce
from petaudit.tables import ClassTable

_DIGITS = 40


@dataclass(frozen=True)
class EntropyLDiversityResult(SensitiveResult):
    """The smallest exponential of the entropy of a class."""

    measure: ClassVar[str] = "entropy-l-diversity"
    better: ClassVar[Better] = Better.HIGHER


def entropy_l_diversity(
    table: object, *, limit: Number | None = None, worst: int = 5, **given: Any
) -> EntropyLDiversityResult:
    """Measure entropy l-diversity (Machanavajjhala et al. 2007): any real l, exact at the limit.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "ulcer", "flu", "cancer"]})
    >>> found = entropy_l_diversity(table, quasi_identifiers="zip", sensitive="illness", limit=2)
    >>> found.value, found.passed
    (2.0, True)
    """
    result = compute(gather(table, **given), limit=limit, worst=worst)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None, worst: int = 5) -> EntropyLDiversityResult:
    """Measure entropy l-diversity from opened inputs."""
    name = phrase("the limit of {measure}", measure=EntropyLDiversityResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    judged = judge(
        inputs,
        effective_values,
        better=Better.HIGHER,
        breaks=None if bound is None else lambda figures: figures.below(bound),
        worst=worst,
    )
    return EntropyLDiversityResult.judged(
        inputs, judged, bound, always_holds(bound, "entropy-l-diversity")
    )


def effective_values(attribute: str, table: ClassTable) -> ClassFigures:
    """e to the entropy of each class; a whole number where all values are equally common."""
    pairs = table.columns[attribute].with_nulls_as_commonest
    starts = pairs.class_starts
    # In one order, so that classes with the same counts have the same float.
    counts = pairs.descending_counts
    stops = np.append(starts[1:], len(counts))
    shares = counts / table.sizes[pairs.class_index]
    entropy = np.add.reduceat(-shares * np.log(shares), starts)
    distinct = stops - starts
    is_uniform = counts[starts] == counts[stops - 1]
    values = np.where(is_uniform, distinct, np.exp(entropy)).astype(np.float64)

    def own_counts(entry: int) -> tuple[int, ...]:
        return tuple(counts[starts[entry] : stops[entry]].tolist())

    def exact(entry: int) -> Exact:
        if is_uniform[entry]:
            return Fraction(int(distinct[entry]))
        return exp_entropy(own_counts(entry))

    @cache
    def sign(own: tuple[int, ...], limit: Fraction) -> int:
        return compared_with(own, limit)

    def side(entry: int, limit: Fraction) -> int:
        if is_uniform[entry]:
            number = int(distinct[entry])
            return (number > limit) - (number < limit)
        return sign(own_counts(entry), limit)

    return ClassFigures(
        values,
        table.sizes,
        table.classes,
        exact,
        lambda entry, limit: side(entry, limit) > 0,
        lambda entry, limit: side(entry, limit) < 0,
    )


def exp_entropy(counts: Sequence[int]) -> float:
    """The nearest float to e to the entropy of counts.

    >>> exp_entropy([4, 1, 1, 1, 1])
    4.0
    """
    with localcontext() as context:
        context.prec = _DIGITS
        return float((sum_of_logs(_terms(counts)) / sum(counts)).exp())


def compared_with(counts: Sequence[int], limit: Fraction) -> int:
    """1, 0 or -1: whether e to the entropy is above, at or below a limit, exactly.

    >>> compared_with([4, 1, 1, 1, 1], Fraction(4)), compared_with([2, 1], Fraction(2))
    (0, -1)
    """
    if limit <= 0:
        return 1
    return sign_of_logs([*_terms(counts), (-sum(counts), limit)])


def _terms(counts: Sequence[int]) -> list[tuple[int, Fraction]]:
    """n times the entropy: the sum of c * ln(n/c), equal counts together."""
    rows = sum(counts)
    return [(count * times, Fraction(rows, count)) for count, times in Counter(counts).items()]


MEASURE = Measure(
    name="entropy-l-diversity",
    title="l-diversity (entropy)",
    family=Family.PRIVACY,
    question="How evenly spread are the sensitive values of every class?",
    better=Better.HIGHER,
    range=(1.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula="smallest exp(entropy) of a class, entropy = - sum of p ln p over the values",
    reference=(
        "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy "
        "Beyond k-Anonymity. ACM TKDD 1(1), 2007, doi 10.1145/1217299.1217302"
    ),
    compute=compute,
    limit_help="exp(entropy) of every class must be at least this",
    options=(WORST_OPTION,),
    granularities=TABLES,
    meaning=(
        "How many equally common sensitive values would leave an attacker as unsure as those of "
        "the worst class do. With 1, that class has one value only; with 3, it is as good as "
        "three values in equal parts."
    ),
    does_not_say=(
        "It does not know what values mean: three names of one illness count as three. A low "
        "figure may be due to a value that most people have anyway, and even with a high one a "
        "single value may be held by half of a class."
    ),
)
