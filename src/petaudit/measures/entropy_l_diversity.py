"""l-diversity by entropy: as if every class had so many equally common sensitive values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import localcontext
from fractions import Fraction
from functools import cache

import numpy as np

from petaudit.exact.class_figures import ClassFigures, Exact
from petaudit.exact.logarithms import sign_of_logs, sum_of_logs
from petaudit.measures.base import Better
from petaudit.measures.sensitive import SensitiveMeasure
from petaudit.tables import ClassTable

_DIGITS = 40


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
        pairs = classes.columns[attribute].with_nulls_as_commonest
        starts = pairs.class_starts
        # In one order, so that classes with the same counts have the same float.
        counts = pairs.descending_counts
        stops = np.append(starts[1:], len(counts))
        shares = counts / classes.sizes[pairs.class_index]
        entropy = np.add.reduceat(-shares * np.log(shares), starts)
        distinct = stops - starts
        is_uniform = counts[starts] == counts[stops - 1]
        values = np.where(is_uniform, distinct, np.exp(entropy)).astype(np.float64)

        def counts_of(entry: int) -> tuple[int, ...]:
            return tuple(counts[starts[entry] : stops[entry]].tolist())

        def exact(entry: int) -> Exact:
            if is_uniform[entry]:
                return Fraction(int(distinct[entry]))
            return exp_entropy(counts_of(entry))

        sign = cache(compared_with)
        return ClassFigures(
            values,
            classes.sizes,
            classes.classes,
            exact,
            lambda entry, limit: sign(counts_of(entry), limit) > 0,
            lambda entry, limit: sign(counts_of(entry), limit) < 0,
        )


entropy_l_diversity = EntropyLDiversity.as_function()


def exp_entropy(counts: Sequence[int]) -> float:
    """Return the nearest float to e to the entropy of counts.

    >>> exp_entropy([4, 1, 1, 1, 1])
    4.0
    """
    with localcontext() as context:
        context.prec = _DIGITS
        return float((sum_of_logs(_terms(counts)) / sum(counts)).exp())


def compared_with(counts: Sequence[int], limit: Fraction) -> int:
    """Return 1, 0 or -1: whether e to the entropy is above, at or below a limit, exactly.

    >>> compared_with([4, 1, 1, 1, 1], Fraction(4)), compared_with([2, 1], Fraction(2))
    (0, -1)
    """
    if limit <= 0:
        return 1
    if len(set(counts)) == 1:
        return (len(counts) > limit) - (len(counts) < limit)
    return sign_of_logs([*_terms(counts), (-sum(counts), limit)])


def _terms(counts: Sequence[int]) -> list[tuple[int, Fraction]]:
    """n times the entropy: the sum of c * ln(n/c), equal counts together."""
    rows = sum(counts)
    return [(count * times, Fraction(rows, count)) for count, times in Counter(counts).items()]
