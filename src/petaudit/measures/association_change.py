"""Association change: what became of the relations between columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Annotated

from petaudit.errors import NotMeasurableError, Phrase, counted, joined, listing, phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Better, Need, Result, rows_of
from petaudit.measures.utility import ROUNDING, ChosenColumns, UtilityMeasure, chosen_columns
from petaudit.system import kinds
from petaudit.tables.associations import PairChange, both_sides, pair_change

_CORRELATIONS = ("pearson", "spearman")
_CORRELATION_HELP = f"how numbers are compared: {listing(_CORRELATIONS)}"
_MOST_COLUMNS = 30
_MOST_COLUMNS_HELP = f"compare pairs of at most this many columns; default: {_MOST_COLUMNS}"
_WORST_SHOWN = 5


class AssociationChange(UtilityMeasure):
    """How much did the relations between the columns change?

    How much the relations between two columns changed, on average over all pairs of columns. With
    0, all are as strong as in the original; the closer to 1, the more was lost, or appeared from
    nothing.

    Does not say: A small mean does not say that the relation you need is still there: look at the
    worst pairs. In small tables chance alone changes relations. Nothing can be said about labels
    that are nearly all different; such pairs are left out and named.

    Formula: mean over pairs of columns of |released - original|: correlation of two numbers
    (halved; dates and times are numbers), correlation ratio eta of a number and labels, Cramér's V
    of labels (both corrected for bias); a column with one value has 0; suppressed cells are left
    out, and pairs with fewer than two rows per label

    Reference: W. Bergsma: A Bias-Correction for Cramér's V and Tschuprow's T. Journal of the Korean
    Statistical Society 42(3), 2013, doi 10.1016/j.jkss.2012.10.002; T. L. Kelley: An Unbiased
    Correlation Ratio Measure, PNAS 21(9), 1935, doi 10.1073/pnas.21.9.554; C. Spearman: The Proof
    and Measurement of Association between Two Things, 1904, doi 10.2307/1412159

    >>> import pyarrow as pa
    >>> original = pa.table({"sex": ["F", "F", "M", "M"], "job": ["a", "a", "b", "b"]})
    >>> released = pa.table({"sex": ["F", "F", "M", "M"], "job": ["a", "b", "a", "b"]})
    >>> association_change(original, released).value
    1.0
    """

    name = "association-change"
    rank = 320
    better = Better.LOWER
    needs = (Need.ORIGINAL,)
    limit_help = "the mean change over the pairs of columns must be at most this"
    details = rows_of(PairChange, "pairs")

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        correlation: Annotated[str, kinds.Choice(_CORRELATIONS), _CORRELATION_HELP] = "pearson",
        columns: ChosenColumns = None,
        most_columns: Annotated[int, kinds.Integer(2), _MOST_COLUMNS_HELP] = _MOST_COLUMNS,
    ) -> Result:
        """Compare every pair of columns with the original; rows need not match."""
        chosen = chosen_columns(inputs, columns)
        names, left_out = chosen[:most_columns], chosen[most_columns:]
        if len(names) < 2:
            raise NotMeasurableError(
                "there is no pair of columns: only {names} is compared", names=listing(names)
            )
        under = {name: inputs.leaves_under(name) for name in names}
        both = both_sides(inputs.needed_original, inputs.table, under)
        crowded: dict[str, None] = {}
        pairs = tuple(
            pair_change(both[one], both[other], correlation, crowded)
            for one, other in combinations(names, 2)
        )
        changes = [pair.change for pair in pairs if pair.change is not None]
        left_out_note = _pairs_left_out(len(pairs) - len(changes), tuple(crowded))
        if not changes:
            raise NotMeasurableError("no pair is left: {reason}", reason=left_out_note)
        warnings: list[str] = []
        if left_out:
            warnings.append(
                phrase(
                    "association-change: {columns} of {all:,} left out; choose with columns, or "
                    "raise most_columns (now {most})",
                    columns=counted(len(left_out), "column"),
                    all=len(chosen),
                    most=most_columns,
                )
            )
        if crowded:
            warnings.append(phrase("association-change: {reason}", reason=left_out_note))
        return self.result(
            Fraction(math.fsum(changes) / len(changes)),
            limit,
            tolerance=ROUNDING,
            warnings=warnings,
            breakdown={
                "correlation": correlation,
                "pairs": pairs,
                "constant_columns": tuple(
                    name for name in names if any(side.is_constant for side in both[name])
                ),
                "crowded_columns": tuple(crowded),
                "left_out": left_out,
            },
            figure=f"{self.name} ({correlation})",
        )

    def explain(self, result: Result) -> Iterator[str]:
        """Name the worst pairs, and what is by convention."""
        told = [pair for pair in result.pairs if pair.change is not None]
        worst = [
            phrase(
                "{first} and {second} {before:.3g} -> {after:.3g} ({coefficient})",
                first=pair.first,
                second=pair.second,
                before=pair.original,
                after=pair.released,
                coefficient=pair.coefficient,
            )
            for pair in sorted(told, key=lambda pair: -pair.change)[:_WORST_SHOWN]
        ]
        pairs = counted(len(told), "pair")
        yield phrase(
            "{pairs}; largest change first: {worst}", pairs=pairs, worst=joined(worst, "; ")
        )
        if len(told) < len(result.pairs):
            yield _pairs_left_out(len(result.pairs) - len(told), result.crowded_columns)
        if result.constant_columns:
            yield phrase(
                "with one value only, and so with association 0 by convention: {names}",
                names=listing(result.constant_columns),
            )
        if result.left_out:
            yield phrase(
                "{columns} left out (most_columns): {names}",
                columns=counted(len(result.left_out), "column"),
                names=listing(result.left_out),
            )


association_change = AssociationChange.as_function()


def _pairs_left_out(pairs: int, columns: Sequence[str]) -> Phrase:
    return phrase(
        "nothing can be said about {pairs}, which are left out: fewer than two rows per label in "
        "{names}",
        pairs=counted(pairs, "pair"),
        names=listing(columns),
    )
