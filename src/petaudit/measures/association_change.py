"""Association change: what became of the relations between columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar, Final

from petaudit.errors import NotMeasurableError, Phrase, counted, joined, listing, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures import kinds
from petaudit.measures._associated_columns import Sides, both_sides
from petaudit.measures._associations import Association, association
from petaudit.measures._comparison import (
    ROUNDING,
    chosen_columns,
    given_list,
    one_of,
    upper_limit,
    whole,
)
from petaudit.measures._old import OldMeasure
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Family, Need, Option, Result, announce
from petaudit.tables.result_frames import Kind, ResultColumn

_TABLES = (GLOBAL, DETAILS)
_CORRELATIONS: Final = ("pearson", "spearman")
_MOST_COLUMNS: Final = 30
_WORST_SHOWN: Final = 5
_ROWS_PER_LABEL: Final = 2
_DETAILS: Final[dict[str, Kind]] = {
    "first": "text",
    "second": "text",
    "kind": "text",
    "coefficient": "text",
    "original": "number",
    "released": "number",
    "change": "number",
    "pearson_original": "number",
    "pearson_released": "number",
    "spearman_original": "number",
    "spearman_released": "number",
}


@dataclass(frozen=True)
class PairChange:
    """The association of two columns before and after; ``change`` is from 0 to 1.

    It is None, as both sides are, where labels are nearly all different: nothing can be told then.
    """

    first: str
    second: str
    kind: str
    coefficient: str
    original: float | None
    released: float | None
    change: float | None
    pearson_original: float | None = None
    pearson_released: float | None = None
    spearman_original: float | None = None
    spearman_released: float | None = None


@dataclass(frozen=True)
class AssociationChangeResult(Result):
    """The mean change over all pairs of columns, and each pair."""

    measure: ClassVar[str] = "association-change"
    better: ClassVar[Better] = Better.LOWER

    correlation: str
    pairs: tuple[PairChange, ...]
    constant_columns: tuple[str, ...]
    crowded_columns: tuple[str, ...]
    """Columns of labels, nearly all different, because of which nothing can be told of a pair."""
    left_out: tuple[str, ...]

    @property
    def figure(self) -> str:
        """The coefficient that pairs of numbers are compared by."""
        return f"{self.measure} ({self.correlation})"

    @property
    def explanation(self) -> tuple[str, ...]:
        """The worst pairs, and what is by convention."""
        told = [own for own in self.pairs if own.change is not None]
        ranked = sorted(told, key=lambda own: -(own.change or 0))[:_WORST_SHOWN]
        worst = [
            phrase(
                "{first} and {second} {before:.3g} -> {after:.3g} ({coefficient})",
                first=own.first,
                second=own.second,
                before=own.original,
                after=own.released,
                coefficient=own.coefficient,
            )
            for own in ranked
        ]
        lines = [
            phrase(
                "{pairs}; largest change first: {worst}",
                pairs=counted(len(told), "pair"),
                worst=joined(worst, "; "),
            )
        ]
        if len(told) < len(self.pairs):
            pairs = counted(len(self.pairs) - len(told), "pair")
            lines.append(_not_told(pairs, self.crowded_columns))
        if self.constant_columns:
            lines.append(
                phrase(
                    "with one value only, and so with association 0 by convention: {names}",
                    names=listing(self.constant_columns),
                )
            )
        if self.left_out:
            lines.append(
                phrase(
                    "{columns} left out (most_columns): {names}",
                    columns=counted(len(self.left_out), "column"),
                    names=listing(self.left_out),
                )
            )
        return tuple(lines)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``details`` has a row per pair of columns."""
        if granularity == DETAILS:
            return {
                name: ResultColumn(kind, [getattr(own, name) for own in self.pairs])
                for name, kind in _DETAILS.items()
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def _not_told(pairs: str, columns: Sequence[str]) -> Phrase:
    return phrase(
        "nothing can be told of {pairs}, which are left out: fewer than two rows per label in "
        "{names}",
        pairs=pairs,
        names=listing(columns),
    )


def association_change(
    original: object,
    table: object,
    *,
    limit: Number | None = None,
    correlation: str = "pearson",
    columns: Sequence[str] | str | None = None,
    most_columns: int = _MOST_COLUMNS,
    **given: Any,
) -> AssociationChangeResult:
    """Compare the association of every pair of columns with the original; rows need not match.

    >>> import pyarrow as pa
    >>> original = pa.table({"sex": ["F", "F", "M", "M"], "job": ["a", "a", "b", "b"]})
    >>> released = pa.table({"sex": ["F", "F", "M", "M"], "job": ["a", "b", "a", "b"]})
    >>> association_change(original, released).value
    1.0
    """
    inputs = gather(table, original=original, **given)
    own = {"correlation": correlation, "columns": given_list(columns), "most_columns": most_columns}
    result = compute(inputs, limit=limit, **own)
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    correlation: str = "pearson",
    columns: Any = None,
    most_columns: int = _MOST_COLUMNS,
) -> AssociationChangeResult:
    """Measure the change from opened inputs; verdicts allow for rounding by 1e-12."""
    bound = upper_limit(limit, "association-change")
    one_of(correlation, "correlation", _CORRELATIONS)
    most = whole(most_columns, "most_columns", 2)
    wanted = chosen_columns(inputs, columns)
    names, left_out = wanted[:most], wanted[most:]
    if len(names) < 2:
        raise NotMeasurableError(
            "there is no pair of columns: only {names} is compared", names=listing(names)
        )
    both = both_sides(inputs, names)
    crowded: dict[str, None] = {}
    pairs = tuple(
        _change(one, other, both, correlation, crowded) for one, other in combinations(names, 2)
    )
    changes = [own.change for own in pairs if own.change is not None]
    if not changes:
        pairs_said = counted(len(pairs), "pair")
        raise NotMeasurableError(
            "no pair is left: {reason}", reason=_not_told(pairs_said, tuple(crowded))
        )
    value = math.fsum(changes) / len(changes)
    warnings: list[str] = []
    if left_out:
        warnings.append(
            phrase(
                "association-change: {columns} of {all:,} left out; choose with columns, or raise "
                "most_columns (now {most})",
                columns=counted(len(left_out), "column"),
                all=len(wanted),
                most=most,
            )
        )
    if crowded:
        reason = _not_told(counted(len(pairs) - len(changes), "pair"), tuple(crowded))
        warnings.append(phrase("association-change: {reason}", reason=reason))
    return AssociationChangeResult(
        value=value,
        limit=None if bound is None else float(bound),
        passed=None if bound is None else Fraction(value) <= bound + ROUNDING,
        warnings=tuple(warnings),
        correlation=correlation,
        pairs=pairs,
        constant_columns=tuple(
            name for name in names if any(own.is_constant for own in both[name])
        ),
        crowded_columns=tuple(crowded),
        left_out=left_out,
    )


def _change(
    first: str, second: str, both: dict[str, Sides], correlation: str, crowded: dict[str, None]
) -> PairChange:
    """The change of one pair; columns whose labels are nearly all different are noted."""
    one, other = both[first], both[second]
    sides = [association(one[side], other[side]) for side in range(2)]
    are_numbers = [one[0].numbers is not None, other[0].numbers is not None]
    if all(are_numbers):
        linear, ranked = zip(*(own.correlations() for own in sides), strict=True)
        before, after = linear if correlation == "pearson" else ranked
        # These go from -1 to 1, the others from 0 to 1: halved, every change is from 0 to 1.
        change = abs(after - before) / 2
        kind = "number-number"
        return PairChange(first, second, kind, correlation, before, after, change, *linear, *ranked)
    words = ["number" if is_number else "category" for is_number in are_numbers]
    coefficient = "eta" if any(are_numbers) else "cramers-v"
    pair = (first, second, "-".join(words), coefficient)
    noted = [
        name
        for place, name in enumerate((first, second))
        if not are_numbers[place] and any(_is_crowded(own, place) for own in sides)
    ]
    if noted:
        crowded.update(dict.fromkeys(noted))
        return PairChange(*pair, None, None, None)
    before, after = (own.ratio() if any(are_numbers) else own.cramers_v() for own in sides)
    return PairChange(*pair, before, after, abs(after - before))


def _is_crowded(side: Association, place: int) -> bool:
    """Whether labels have fewer than two rows each: then chance explains as much as they do."""
    return 0 < side.rows < _ROWS_PER_LABEL * side.values[place]


MEASURE = OldMeasure(
    name="association-change",
    title="Association change",
    family=Family.UTILITY,
    question="How much did the relations between the columns change?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.ORIGINAL,),
    formula=(
        "mean over pairs of columns of |released - original|: correlation of two numbers (halved; "
        "dates and times are numbers), correlation ratio eta of a number and labels, Cramér's V of "
        "labels (both corrected for bias); a column with one value has 0; suppressed cells are "
        "left out, and pairs with fewer than two rows per label"
    ),
    reference=(
        "W. Bergsma: A Bias-Correction for Cramér's V and Tschuprow's T. Journal of the Korean "
        "Statistical Society 42(3), 2013, doi 10.1016/j.jkss.2012.10.002; T. L. Kelley: An "
        "Unbiased Correlation Ratio Measure, PNAS 21(9), 1935, doi 10.1073/pnas.21.9.554; "
        "C. Spearman: The Proof and Measurement of Association between Two Things, 1904, "
        "doi 10.2307/1412159"
    ),
    compute=compute,
    limit_help="the mean change over the pairs of columns must be at most this",
    options=(
        Option(
            "correlation",
            f"how numbers are compared: {listing(_CORRELATIONS)}",
            kind=kinds.Choice(_CORRELATIONS),
        ),
        Option("columns", "which columns; all but identifiers if not given", kind=kinds.COLUMNS),
        Option(
            "most_columns",
            f"compare the pairs of at most so many columns; {_MOST_COLUMNS} if not given",
            kind=kinds.Integer(2),
        ),
    ),
    granularities=_TABLES,
    meaning=(
        "How much the relations between two columns changed, on average over all pairs of "
        "columns. With 0, all are as strong as in the original; the closer to 1, the more was "
        "lost, or appeared from nothing."
    ),
    does_not_say=(
        "A small mean does not say that the relation which you need is still there: look at the "
        "worst pairs. In small tables chance alone changes relations. Of labels that are nearly "
        "all different nothing can be told; such pairs are left out and named."
    ),
)
