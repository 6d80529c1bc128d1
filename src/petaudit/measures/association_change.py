"""Association change: what became of the relations between columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar, Final

import numpy as np

from petaudit import kinds
from petaudit.association import (
    Cells,
    Floats,
    correlation_ratio,
    count_cells,
    cramers_v,
    pearson,
    spearman,
)
from petaudit.counts import ValueCounts
from petaudit.counts.column_codes import Codes, column_codes
from petaudit.counts.made_frames import Kind, MadeColumn
from petaudit.errors import NotMeasurableError, counted, listing
from petaudit.exact import Number
from petaudit.inputs import Inputs, gather
from petaudit.label_numbers import Bools
from petaudit.labels import SUPPRESSED
from petaudit.measures._comparison import (
    ROUNDING,
    chosen_columns,
    given_list,
    leaves_under,
    one_of,
    the_original,
    upper_limit,
    whole,
)
from petaudit.measures._risk import warn_if_limit_is_idle
from petaudit.measures._tables import DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Family, Measure, Need, Option, Result, announce
from petaudit.released_labels import LeavesUnder, decimal_of

_TABLES = (GLOBAL, DETAILS)
_CORRELATIONS: Final = ("pearson", "spearman")
_MOST_COLUMNS: Final = 30
_WORST_SHOWN: Final = 5
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
    """The association of two columns before and after; ``change`` is from 0 to 1."""

    first: str
    second: str
    kind: str
    coefficient: str
    original: float
    released: float
    change: float
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
    left_out: tuple[str, ...]

    @property
    def figure(self) -> str:
        """The coefficient that pairs of numbers are compared by."""
        return f"{self.measure} ({self.correlation})"

    @property
    def explanation(self) -> tuple[str, ...]:
        """The worst pairs, and what is by convention."""
        ranked = sorted(self.pairs, key=lambda own: -own.change)[:_WORST_SHOWN]
        worst = "; ".join(
            f"{own.first} and {own.second} {own.original:.3g} -> {own.released:.3g} "
            f"({own.coefficient})"
            for own in ranked
        )
        lines = [f"{counted(len(self.pairs), 'pair')}; largest change first: {worst}"]
        if self.constant_columns:
            lines.append(
                "with one value only, and so with association 0 by convention: "
                f"{listing(self.constant_columns)}"
            )
        if self.left_out:
            lines.append(
                f"{counted(len(self.left_out), 'column')} left out (most_columns): "
                f"{listing(self.left_out)}"
            )
        return tuple(lines)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, MadeColumn]:
        """``details`` has a row per pair of columns."""
        if granularity == DETAILS:
            return {
                name: MadeColumn(kind, [getattr(own, name) for own in self.pairs])
                for name, kind in _DETAILS.items()
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


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
        raise NotMeasurableError(f"there is no pair of columns: only {listing(names)} is compared")
    both = _both_sides(inputs, names)
    pairs = tuple(_change(one, other, both, correlation) for one, other in combinations(names, 2))
    value = math.fsum(own.change for own in pairs) / len(pairs)
    warnings = [*warn_if_limit_is_idle(bound, "association-change")]
    if left_out:
        warnings.append(
            f"association-change: {counted(len(left_out), 'column')} of {len(wanted):,} left out; "
            f"choose with columns, or raise most_columns (now {most})"
        )
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
        left_out=left_out,
    )


@dataclass(frozen=True)
class _Column:
    """A column of one table: the label of each row, and what is known of each label."""

    codes: Codes
    known: Bools
    """Whether a label says anything: ``*`` does not, nor does a null among numbers."""
    numbers: Floats | None

    @property
    def is_constant(self) -> bool:
        """Whether all rows that count have the same value."""
        if self.numbers is None:
            return int(np.count_nonzero(self.known)) < 2
        return len(np.unique(self.numbers[self.known])) < 2


def _both_sides(inputs: Inputs, names: Sequence[str]) -> dict[str, tuple[_Column, _Column]]:
    """The columns of the original and of the table; numbers only where both can be read so."""
    original = the_original(inputs)
    codes = [column_codes(table, names) for table in (original, inputs.table)]
    found: dict[str, tuple[_Column, _Column]] = {}
    for name in names:
        under = leaves_under(inputs, name)
        values = [table.counts.value_counts(name) for table in (original, inputs.table)]
        known = [_known(own, under) for own in values]
        # The original decides; only the released table has labels that stand for several.
        numbers = [
            _numbers(own, its_known, its_under)
            for own, its_known, its_under in zip(values, known, (None, under), strict=True)
        ]
        if numbers[0] is None or numbers[1] is None or np.isnan(numbers[0]).all():
            numbers = [None, None]
        sides = [
            _Column(
                codes[side][name],
                known[side] if own is None else known[side] & ~np.isnan(own),
                own,
            )
            for side, own in enumerate(numbers)
        ]
        found[name] = (sides[0], sides[1])
    return found


def _known(values: ValueCounts, under: LeavesUnder | None) -> Bools:
    """Which labels say something."""
    silent = {SUPPRESSED}
    if under is not None and under.says_nothing(under.hierarchy.top):
        silent.add(under.hierarchy.top)
    found = np.ones(len(values.labels), dtype=bool)
    found[[values.index[label] for label in silent if label in values.index]] = False
    return found


def _numbers(values: ValueCounts, known: Bools, under: LeavesUnder | None) -> Floats | None:
    """The number of each label, NaN where it says nothing; None where one cannot be read."""
    labels = values.labels
    plain = values.plain_numbers.is_number
    found = np.full(len(labels), math.nan)
    for place in np.flatnonzero(known & ~plain).tolist():
        label = labels[place]
        if label is None:
            continue
        number: Decimal | Fraction | None = decimal_of(label)
        if number is None:
            number = None if under is None else under.middle(label)
        if number is None:
            return None
        try:
            found[place] = float(number)
        except OverflowError:
            return None
    plainly = known & plain
    # A label is rounded to the nearest float just as the decimal number is that it spells.
    found[plainly] = [float(labels[place] or "") for place in np.flatnonzero(plainly).tolist()]
    # A decimal number that is too large for a float becomes infinite instead.
    return None if np.isinf(found).any() else found


def _change(
    first: str, second: str, both: dict[str, tuple[_Column, _Column]], correlation: str
) -> PairChange:
    one, other = both[first], both[second]
    sides = [(one[side], other[side]) for side in range(2)]
    cells = [_cells(left, right) for left, right in sides]
    are_numbers = [one[0].numbers is not None, other[0].numbers is not None]
    if all(are_numbers):
        by_kind = {
            name: [
                coefficient(own, _values(left), _values(right))
                for own, (left, right) in zip(cells, sides, strict=True)
            ]
            for name, coefficient in (("pearson", pearson), ("spearman", spearman))
        }
        before, after = by_kind[correlation]
        # These go from -1 to 1, the others from 0 to 1: halved, every change is from 0 to 1.
        change = abs(after - before) / 2
        linear, ranked = by_kind["pearson"], by_kind["spearman"]
        kind = "number-number"
        return PairChange(first, second, kind, correlation, before, after, change, *linear, *ranked)
    if any(are_numbers):
        before, after = (
            correlation_ratio(own, _values(right))
            if are_numbers[1]
            else correlation_ratio(own.swapped, _values(left))
            for own, (left, right) in zip(cells, sides, strict=True)
        )
        kind = "number-category" if are_numbers[0] else "category-number"
        return PairChange(first, second, kind, "eta", before, after, abs(after - before))
    before, after = (cramers_v(own) for own in cells)
    change = abs(after - before)
    return PairChange(first, second, "category-category", "cramers-v", before, after, change)


def _cells(left: _Column, right: _Column) -> Cells:
    """The pairs of values in which both sides say something."""
    found = count_cells(left.codes, right.codes, (len(left.known), len(right.known)))
    if left.known.all() and right.known.all():
        return found
    return found.where(left.known[found.first] & right.known[found.second])


def _values(column: _Column) -> Floats:
    assert column.numbers is not None  # noqa: S101 (asked only of columns of numbers)
    return column.numbers


MEASURE = Measure(
    name="association-change",
    title="Association change",
    family=Family.UTILITY,
    question="How much did the relations between the columns change?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.ORIGINAL,),
    formula=(
        "mean over pairs of columns of |released - original|: correlation of two numbers (halved), "
        "correlation ratio eta of a number and labels, Cramér's V of labels (not corrected for "
        "bias); a column with one value has 0; suppressed cells are left out"
    ),
    reference=(
        "H. Cramér: Mathematical Methods of Statistics, 1946, doi 10.1515/9781400883868; "
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
            kind=kinds.Whole(2),
        ),
    ),
    granularities=_TABLES,
)
