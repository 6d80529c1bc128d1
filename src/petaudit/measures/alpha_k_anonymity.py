"""(alpha, k)-anonymity: how common one sensitive value may be in a class of at least k rows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from petaudit.errors import OptionError, joined, phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Result
from petaudit.measures.sensitive import OfClasses, SensitiveMeasure, Worst
from petaudit.system import kinds
from petaudit.tables.shares import commonest_shares

_K_HELP = "every class must also have at least this many rows; goes with a limit"


class AlphaKAnonymity(SensitiveMeasure):
    """What is the largest share of one sensitive value in a class?

    The largest share that one sensitive value has in a class. With 0.75, somebody who knows a
    person's class and guesses its commonest value is right in three of four cases, in the worst
    class.

    Does not say: A high figure need not give anything away: where nearly everybody has the same
    value, it is as common in every class. And a low one does not rule out that a rare value became
    many times as common in a class as in the whole table.

    Formula: alpha: largest share of one sensitive value in a class; k: rows of the smallest class

    Reference: R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang: (alpha, k)-Anonymity: An Enhanced
    k-Anonymity Model for Privacy Preserving Data Publishing. KDD 2006, doi 10.1145/1150402.1150499

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "cancer", "flu", "cancer"]})
    >>> given = {"quasi_identifiers": "zip", "sensitive": "illness"}
    >>> result = alpha_k_anonymity(table, limit="0.7", k=3, **given)
    >>> result.exact_value, result.k, result.passed, result.remedy.rows_to_drop
    (Fraction(2, 3), 2, False, 2)
    """

    name = "alpha-k-anonymity"
    title = "(alpha, k)-anonymity"
    rank = 30
    range = (0.0, 1.0)
    limit_help = "alpha, the share of one value in a class, may be at most this"
    figure_ignores = ("k", "worst")
    counts_people = True

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        k: Annotated[int | None, kinds.Integer(1), _K_HELP] = None,
        worst: Worst = 5,
    ) -> Result:
        """Measure alpha and k."""
        is_small: list[OfClasses] = [] if k is None else [lambda classes: classes.sizes < k]
        answer = self.ask(
            inputs, limit, worst, commonest_shares, tells_apart=is_small, told_break=True
        )
        small = None if k is None else answer.rows_told[0]
        breakdown = {"k": answer.smallest, "asked_k": k, "rows_in_small_classes": small}
        # A class has at least one row, so that a k of 1 asks nothing.
        conditions = (phrase("k at least {k:,}", k=k),) if k is not None and k > 1 else ()
        return self.judge(inputs, limit, answer, breakdown, conditions=conditions)

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse a k without a limit: nothing would be judged, although something was asked for."""
        if options.get("k") is not None and options.get("limit") is None:
            raise OptionError(
                "k of alpha-k-anonymity goes with a limit for alpha; to judge k alone, "
                "use k-anonymity with a limit"
            )

    def notes(self, result: Result) -> tuple[str, ...]:
        """Name the smallest class, beside the k that was asked for."""
        unit, total = result.unit, None if result.remedy is None else result.remedy.of_rows
        parts = [phrase("smallest class: {rows}", rows=unit.counted(result.k, of=total))]
        if (k := result.asked_k) is not None:
            rows = unit.counted(result.rows_in_small_classes, of=total)
            parts.append(phrase("{rows} in classes smaller than {k:,}", rows=rows, k=k))
        return (joined(parts, "; "),)


alpha_k_anonymity = AlphaKAnonymity.as_function()
