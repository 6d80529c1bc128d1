"""(alpha, k)-anonymity: how common one sensitive value may be in a class of at least k rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np

from petaudit.errors import OptionError, joined, phrase
from petaudit.exact.class_figures import ClassFigures, Truths, ratio_figures
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.inputs import Inputs, gather
from petaudit.measures import kinds
from petaudit.measures._sensitive import TABLES, WORST_OPTION, SensitiveResult, check_option, judge
from petaudit.measures.base import Better, Family, Measure, Need, Option, announce
from petaudit.tables import ClassTable

_K: Final = Option(
    "k",
    "every class must also have at least this many rows; goes with a limit",
    kind=kinds.Integer(1),
    shows_in_figure=False,
)


@dataclass(frozen=True)
class AlphaKAnonymityResult(SensitiveResult):
    """The largest share of one value in a class, and the smallest class."""

    measure: ClassVar[str] = "alpha-k-anonymity"
    better: ClassVar[Better] = Better.LOWER

    k: int
    """The rows of the smallest class."""
    asked_k: int | None
    rows_in_small_classes: int | None

    @property
    def conditions(self) -> tuple[str, ...]:
        """The k that was asked for."""
        return () if self.asked_k is None else (phrase("k at least {k:,}", k=self.asked_k),)

    @property
    def notes(self) -> tuple[str, ...]:
        """The smallest class, beside the k that was asked for."""
        total = None if self.remedy is None else self.remedy.of_rows
        parts = [phrase("smallest class: {rows}", rows=self.unit.counted(self.k, of=total))]
        if self.asked_k is not None:
            parts.append(
                phrase(
                    "{rows} in classes smaller than {k:,}",
                    rows=self.unit.counted(self.rows_in_small_classes or 0, of=total),
                    k=self.asked_k,
                )
            )
        return (joined(parts, "; "),)


def alpha_k_anonymity(
    table: object,
    *,
    limit: Number | None = None,
    k: int | None = None,
    worst: int = 5,
    **given: Any,
) -> AlphaKAnonymityResult:
    """Measure alpha and k of (alpha, k)-anonymity (Wong et al. 2006), every value being sensitive.

    ``limit`` is for alpha; with ``k``, every class must have that many rows as well.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "cancer", "flu", "cancer"]})
    >>> found = alpha_k_anonymity(
    ...     table, quasi_identifiers="zip", sensitive="illness", limit="0.7", k=3
    ... )
    >>> found.exact_value, found.k, found.passed, found.remedy.rows_to_drop
    (Fraction(2, 3), 2, False, 2)
    """
    result = compute(gather(table, **given), limit=limit, k=k, worst=worst)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, k: int | None = None, worst: int = 5
) -> AlphaKAnonymityResult:
    """Measure alpha and k from opened inputs."""
    check({"limit": limit, "k": k})
    name = phrase("the limit of {measure}", measure=AlphaKAnonymityResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    is_small = None if k is None else partial(_are_smaller, k)
    judged = judge(
        inputs,
        largest_shares,
        better=Better.LOWER,
        breaks=None if bound is None else lambda figures: figures.above(bound),
        worst=worst,
        also_breaks=is_small,
        tells_apart=[] if is_small is None else [is_small],
        of_people=True,
    )
    return AlphaKAnonymityResult.judged(
        inputs,
        judged,
        bound,
        k=judged.answer.smallest,
        asked_k=k,
        rows_in_small_classes=None if is_small is None else judged.answer.rows_told[0],
        unit=inputs.unit,
    )


def _are_smaller(k: int, table: ClassTable) -> Truths:
    found: Truths = table.sizes < k
    return found


def check(options: Mapping[str, Any]) -> None:
    """Refuse a k without a limit: nothing would be judged, although something was asked for."""
    k = options.get("k")
    if k is None:
        return
    check_option(_K, k)
    if options.get("limit") is None:
        raise OptionError(
            "k of alpha-k-anonymity goes with a limit for alpha; to judge k alone, "
            "use k-anonymity with a limit"
        )


def largest_shares(attribute: str, table: ClassTable) -> ClassFigures:
    """The share of the commonest value in each class."""
    pairs = table.columns[attribute].with_nulls_as_commonest
    largest = np.maximum.reduceat(pairs.counts, pairs.class_starts)
    return ratio_figures(largest, table.sizes, table.sizes, table.classes)


MEASURE = Measure(
    name="alpha-k-anonymity",
    title="(alpha, k)-anonymity",
    family=Family.PRIVACY,
    question="How common is one sensitive value in a class, at the most?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula="alpha: largest share of one sensitive value in a class; k: rows of the smallest class",
    reference=(
        "R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang: (alpha, k)-Anonymity: An Enhanced "
        "k-Anonymity Model for Privacy Preserving Data Publishing. KDD 2006, "
        "doi 10.1145/1150402.1150499"
    ),
    compute=compute,
    limit_help="alpha, the share of one value in a class, may be at most this",
    options=(_K, WORST_OPTION),
    granularities=TABLES,
    check=check,
    meaning=(
        "The largest share that one sensitive value has in a class. With 0.75, somebody who knows "
        "a person's class and guesses its commonest value is right in three of four cases, in the "
        "worst class."
    ),
    does_not_say=(
        "A high figure need not give anything away: where nearly everybody has the same value, it "
        "is as common in every class. And a low one does not rule out that a rare value became "
        "many times as common in a class as in the whole table."
    ),
)
