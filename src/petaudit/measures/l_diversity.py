"""l-diversity, distinct: how many different sensitive values every class has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from petaudit.errors import phrase
from petaudit.exact.class_figures import ClassFigures, ratio_figures
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.inputs import Inputs, gather
from petaudit.measures._sensitive import TABLES, WORST_OPTION, SensitiveResult, always_holds, judge
from petaudit.measures.base import Better, Family, Measure, Need, announce
from petaudit.tables import ClassTable


@dataclass(frozen=True)
class LDiversityResult(SensitiveResult):
    """The smallest number of different values in a class."""

    measure: ClassVar[str] = "l-diversity"
    better: ClassVar[Better] = Better.HIGHER


def l_diversity(
    table: object, *, limit: Number | None = None, worst: int = 5, **given: Any
) -> LDiversityResult:
    """Measure distinct l-diversity (Machanavajjhala et al. 2007).

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "cancer", "flu", "flu"]})
    >>> found = l_diversity(table, quasi_identifiers="zip", sensitive="illness", limit=2)
    >>> found.value, found.passed, found.remedy.rows_to_drop
    (1.0, False, 2)
    """
    result = compute(gather(table, **given), limit=limit, worst=worst)
    announce(result)
    return result


def compute(inputs: Inputs, limit: Number | None = None, worst: int = 5) -> LDiversityResult:
    """Measure distinct l-diversity from opened inputs."""
    name = phrase("the limit of {measure}", measure=LDiversityResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    judged = judge(
        inputs,
        distinct_values,
        better=Better.HIGHER,
        breaks=None if bound is None else lambda figures: figures.below(bound),
        worst=worst,
    )
    return LDiversityResult.judged(inputs, judged, bound, always_holds(bound, "l-diversity"))


def distinct_values(attribute: str, table: ClassTable) -> ClassFigures:
    """How many values of an attribute each class has; a null is no further one."""
    pairs = table.columns[attribute].with_nulls_as_commonest
    distinct = np.diff(pairs.class_starts, append=len(pairs.counts))
    ones = np.ones(len(distinct), dtype=np.int64)
    return ratio_figures(distinct.astype(np.int64), ones, table.sizes, table.classes)


MEASURE = Measure(
    name="l-diversity",
    title="l-diversity (distinct)",
    family=Family.PRIVACY,
    question="How many different sensitive values does every class have?",
    better=Better.HIGHER,
    range=(1.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula="smallest number of distinct values of a sensitive attribute in a class",
    reference=(
        "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy "
        "Beyond k-Anonymity. ACM TKDD 1(1), 2007, doi 10.1145/1217299.1217302"
    ),
    meaning=(
        "Every class has at least this many different sensitive values. With 1, there is a "
        "class whose people all have the same value, so that whoever knows the class knows the "
        "value."
    ),
    does_not_say=(
        "Different words need not be different secrets, and one value may still be far more "
        "likely than the others: with 99 rows of cancer and 1 of flu the figure is 2, and a "
        "guess of cancer is nearly always right."
    ),
    compute=compute,
    limit_help="every class must have at least this many different values",
    options=(WORST_OPTION,),
    granularities=TABLES,
)
