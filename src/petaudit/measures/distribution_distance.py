"""Distribution distance: how far the values of each column moved, whoever holds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, ClassVar, Final

import numpy as np

from petaudit.errors import NotMeasurableError, counted, joined, listing, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.labels.numbers import Whole, decimal_of
from petaudit.measures import kinds
from petaudit.measures._comparison import (
    ROUNDING,
    chosen_columns,
    given_list,
    leaves_under,
    one_of,
    the_original,
    upper_limit,
)
from petaudit.measures._old import OldMeasure
from petaudit.measures._spread import SideBySide, side_by_side, spread
from petaudit.measures._tables import COLUMNWISE, no_such_table
from petaudit.measures._utility import ambiguous_level_warnings
from petaudit.measures.base import GLOBAL, Better, Family, Need, Option, Result, announce
from petaudit.pictures.column_shares import column_distances_of
from petaudit.tables import ValueCounts
from petaudit.tables.result_frames import ResultColumn
from petaudit.tables.scales import DATES, LABELS, NUMBERS, TIMES, Scale, scale_of

_TABLES = (GLOBAL, COLUMNWISE)
AUTO: Final = "auto"
FIGURES: Final = (AUTO, "total-variation", "hellinger", "kolmogorov-smirnov", "wasserstein")
_ON_A_SCALE: Final = FIGURES[3:]
_LARGEST_SUM: Final = 1 << 62
_FEW_VALUES: Final = 10
_ROWS_PER_VALUE: Final = 5
"""With fewer rows than this per value, the shares of single values are a matter of chance."""


@dataclass(frozen=True)
class ColumnDistance:
    """The distances of one column; those after Hellinger only for numbers, dates and times."""

    column: str
    kind: str
    """numbers, dates, times or labels."""
    distance: float | None
    """What is judged."""
    total_variation: float
    hellinger: float
    kolmogorov_smirnov: float | None
    wasserstein: float | None
    """Divided by the range of the original, at most 1."""
    wasserstein_raw: float | None
    """In the unit of the column; dates in days, times in seconds."""


@dataclass(frozen=True)
class DistributionDistanceResult(Result):
    """The mean distance over the columns, and all distances of each."""

    measure: ClassVar[str] = "distribution-distance"
    better: ClassVar[Better] = Better.LOWER

    distance: str
    columns: tuple[ColumnDistance, ...]
    worst_column: str
    not_ordered: tuple[str, ...]
    """Columns of labels, which have neither a Kolmogorov-Smirnov nor a Wasserstein distance."""
    exact_value: Fraction | None = field(repr=False)

    @property
    def figure(self) -> str:
        """The distance that the value is a mean of."""
        return f"{self.measure} ({self.distance})"

    @property
    def explanation(self) -> tuple[str, ...]:
        """The worst columns, and which were left out."""
        known = [own for own in self.columns if own.distance is not None]
        ranked = sorted(known, key=lambda own: -(own.distance or 0))
        shown = [
            phrase("{column} {figure:.4g}", column=own.column, figure=own.distance)
            for own in ranked[:5]
        ]
        lines = [
            phrase(
                "mean {distance} over {columns}; largest first: {figures}",
                distance=self._distance_name,
                columns=counted(len(ranked), "column"),
                figures=joined(shown),
            )
        ]
        if self.distance in _ON_A_SCALE and self.not_ordered:
            lines.append(
                phrase(
                    "left out, because they hold more than numbers or dates: {names}",
                    names=listing(self.not_ordered),
                )
            )
        return tuple(lines)

    @property
    def _distance_name(self) -> str:
        if self.distance != AUTO:
            return self.distance
        return phrase("distance (Kolmogorov-Smirnov for numbers, total variation for labels)")

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``columnwise`` has all distances of each column."""
        if granularity == COLUMNWISE:
            names = [own.name for own in fields(ColumnDistance)]
            found = {
                name: ResultColumn(
                    "text" if name in ("column", "kind") else "number",
                    [getattr(own, name) for own in self.columns],
                )
                for name in names
            }
            return {"attribute": found.pop("column")} | found
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def distribution_distance(
    original: object,
    table: object,
    *,
    limit: Number | None = None,
    figure: str = AUTO,
    columns: Sequence[str] | str | None = None,
    **given: Any,
) -> DistributionDistanceResult:
    """Compare the distribution of every column with that of the original; rows need not match.

    >>> import pyarrow as pa
    >>> original = pa.table({"sex": ["F", "F", "M", "M"], "age": [20, 20, 30, 40]})
    >>> released = pa.table({"sex": ["F", "M"], "age": [20, 40]})
    >>> found = distribution_distance(original, released)
    >>> found.value, found.worst_column, found.columns[1].wasserstein_raw
    (0.125, 'age', 2.5)
    """
    inputs = gather(table, original=original, **given)
    result = compute(inputs, limit=limit, figure=figure, columns=given_list(columns))
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, figure: str = AUTO, columns: Any = None
) -> DistributionDistanceResult:
    """Measure the distances from opened inputs."""
    bound = upper_limit(limit, "distribution-distance")
    one_of(figure, "figure", FIGURES)
    names = chosen_columns(inputs, columns)
    original = the_original(inputs)
    warnings: list[str] = []
    found: list[ColumnDistance] = []
    exact_figures: dict[str, Fraction] = {}
    for name in names:
        under = leaves_under(inputs, name)
        values = [table.counts.value_counts(name) for table in (original, inputs.table)]
        silent = () if under is None else under.silent
        scale = scale_of(values[0], values[1], decimal_of, silent)
        before, after = (spread(own, under, scale) for own in values)
        for side, table in ((before, original), (after, inputs.table)):
            warnings += _unknown_labels(name, side.unknown, table.name)
            if scale is not None and not side.unknown:
                warnings += _strange_labels(name, side.strange, table.name, scale.kind)
        own = _Distances(side_by_side(before, after), before.total, after.total, scale)
        asked = figure
        if figure == AUTO:
            asked = "kolmogorov-smirnov" if own.is_continuous(values[0]) else "total-variation"
        if (judged := own.exact(asked)) is not None:
            exact_figures[name] = judged
        found.append(own.as_column(name, judged))
    if not exact_figures:
        raise NotMeasurableError(
            "no column holds numbers or dates only, which {figure} needs: {names}",
            figure=figure,
            names=listing(names),
        )
    hierarchies = {name: inputs.hierarchy(name) for name in names if name in inputs.hierarchies}
    warnings += ambiguous_level_warnings(inputs, hierarchies)
    value = sum(exact_figures.values(), start=Fraction(0)) / len(exact_figures)
    slack = ROUNDING if figure == "hellinger" else 0
    return DistributionDistanceResult(
        value=float(value),
        limit=None if bound is None else float(bound),
        passed=None if bound is None else value <= bound + slack,
        warnings=tuple(warnings),
        distance=figure,
        columns=tuple(found),
        worst_column=max(exact_figures, key=lambda name: exact_figures[name]),
        not_ordered=tuple(own.column for own in found if own.kind == LABELS),
        exact_value=None if figure == "hellinger" else value,
    )


def _unknown_labels(column: str, unknown: int, table: str) -> list[str]:
    if not unknown:
        return []
    labels = counted(unknown, "label")
    if unknown == 1:
        found = phrase(
            "column {column!r}: {labels} of {table} stands in no level of its hierarchy and is "
            "compared as written",
            column=column,
            labels=labels,
            table=table,
        )
    else:
        found = phrase(
            "column {column!r}: {labels} of {table} stand in no level of its hierarchy and are "
            "compared as written",
            column=column,
            labels=labels,
            table=table,
        )
    return [found]


def _strange_labels(column: str, strange: int, table: str, kind: str) -> list[str]:
    if not strange:
        return []
    kinds_said = {NUMBERS: phrase("numbers"), DATES: phrase("dates"), TIMES: phrase("times")}
    return [
        phrase(
            "column {column!r}: {labels} of {table} cannot be compared with the {kind} of the "
            "original; rows with such a label count as moved",
            column=column,
            labels=counted(strange, "label"),
            table=table,
            kind=kinds_said[kind],
        )
    ]


@dataclass(frozen=True)
class _Distances:
    """All distances of one column, in whole numbers as far as there are no roots."""

    both: SideBySide
    old_total: int
    new_total: int
    scale: Scale | None

    def is_continuous(self, original: ValueCounts) -> bool:
        """Whether single values say little: numbers or dates that are many, or have few rows.

        Numbers of few values may be codes. Their shares can be compared one by one, and what comes
        of it is never smaller than the largest gap between the cumulative distributions.
        """
        if self.scale is None:
            return False
        values = int(np.count_nonzero(self.both.old[: len(self.both.numbers)]))
        return values > _FEW_VALUES or original.rows < _ROWS_PER_VALUE * values

    def exact(self, figure: str) -> Fraction | None:
        """One of them; None where a column of labels does not have it."""
        match figure:
            case "total-variation":
                return self.total_variation
            case "hellinger":
                return Fraction(self.hellinger)
            case "kolmogorov-smirnov":
                return self.kolmogorov_smirnov
        return None if self.wasserstein is None else self.wasserstein[0]

    def as_column(self, name: str, judged: Fraction | None) -> ColumnDistance:
        """As floats."""
        gap, moved = self.kolmogorov_smirnov, self.wasserstein
        return ColumnDistance(
            name,
            LABELS if self.scale is None else self.scale.kind,
            None if judged is None else float(judged),
            float(self.total_variation),
            self.hellinger,
            None if gap is None else float(gap),
            None if moved is None else float(moved[0]),
            None if moved is None else _as_float(moved[1]),
        )

    @cached_property
    def _gained(self) -> Whole:
        """What each value gained: its new share less its old one, times both totals."""
        gained: Whole = self.both.new * self.old_total - self.both.old * self.new_total
        return gained

    @cached_property
    def total_variation(self) -> Fraction:
        """Half the sum of the differences between the shares."""
        return Fraction(int(np.abs(self._gained).sum()), 2 * self.old_total * self.new_total)

    @cached_property
    def hellinger(self) -> float:
        """The root of half the sum of the squared differences between the roots of the shares."""
        old, new = (
            np.sqrt((weights / total).astype(np.float64))
            for weights, total in ((self.both.old, self.old_total), (self.both.new, self.new_total))
        )
        return min(math.sqrt(math.fsum(((old - new) ** 2).tolist()) / 2), 1.0)

    @cached_property
    def kolmogorov_smirnov(self) -> Fraction | None:
        """The largest difference of the share of rows whose number is at most x, whatever x is.

        Nulls and labels have no place among numbers. So that none is forgotten, rows with some of
        them may come in addition, as it is worst. With labels alone that is total variation.
        """
        if self.scale is None:
            return None
        count = len(self.both.numbers)
        ahead, others = np.cumsum(self._gained[:count]), self._gained[count:]
        more = int(ahead.max(initial=0)) + int(others[others > 0].sum())
        less = int(ahead.min(initial=0)) + int(others[others < 0].sum())
        return Fraction(max(more, -less), self.old_total * self.new_total)

    @cached_property
    def wasserstein(self) -> tuple[Fraction, Fraction] | None:
        """How far numbers moved on average, as a part of the range of the original and raw.

        Rows that have a number in one table only moved by the whole range.
        """
        if self.scale is None:
            return None
        places, count = self.both.numbers, len(self.both.numbers)
        old, new = self.both.old[:count], self.both.new[:count]
        old_rows, new_rows = int(old.sum()), int(new.sum())
        if not old_rows or not new_rows:
            return Fraction(0 if old_rows == new_rows else 1), Fraction(0)
        ahead = np.abs(np.cumsum(new * old_rows - old * new_rows))
        steps = np.diff(places)
        if ahead.dtype != object and int(ahead.max()) * int(places[-1] - places[0]) < _LARGEST_SUM:
            moved = int(ahead[:-1] @ steps)
        else:
            moved = sum(map(mul, ahead.tolist(), steps.tolist()))
        held = places[old > 0]
        span = int(held[-1] - held[0])
        raw = Fraction(moved, old_rows * new_rows)
        part = min(raw / span, Fraction(1)) if span else Fraction(1 if moved else 0)
        shares = Fraction(old_rows, self.old_total), Fraction(new_rows, self.new_total)
        lost = abs(shares[0] - shares[1])
        return lost + min(shares) * part, raw / (10**self.both.places * self.scale.unit)


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


MEASURE = OldMeasure(
    name="distribution-distance",
    title="Distribution distance",
    family=Family.UTILITY,
    question="How far is the distribution of each column from that of the original?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.ORIGINAL,),
    formula=(
        "mean over columns of the distance between the shares p and q of the values: "
        "Kolmogorov-Smirnov max |P(x) - Q(x)| of the cumulative shares for numbers and dates, "
        "total variation sum |p - q| / 2 for labels; or Hellinger "
        "sqrt(sum (sqrt p - sqrt q)^2 / 2), Wasserstein-1 / range of the original; a generalised "
        "label counts evenly for the leaves under it"
    ),
    reference=(
        "A. L. Gibbs, F. E. Su: On Choosing and Bounding Probability Metrics. International "
        "Statistical Review 70(3), 2002, doi 10.1111/j.1751-5823.2002.tb00178.x"
    ),
    compute=compute,
    limit_help="the mean distance over the columns must be at most this",
    options=(
        Option(
            "figure",
            f"which distance: {listing(FIGURES)}; auto is Kolmogorov-Smirnov for numbers and dates "
            "of many values, total variation for others",
            kind=kinds.Choice(FIGURES),
        ),
        Option("columns", "which columns; all but identifiers if not given", kind=kinds.COLUMNS),
    ),
    granularities=_TABLES,
    pictures=column_distances_of,
    meaning=(
        "How far the mix of values of a column is from that of the original, on average over the "
        "columns. With 0, every mix is the same; with 0.1, the share of some group of values is "
        "off by a tenth of the rows: of numbers or dates up to some point, or of any labels."
    ),
    does_not_say=(
        "Columns are looked at one by one, so a figure of 0 does not say that relations between "
        "them are left. The mean may hide that one column is far off: look at the figures per "
        "column."
    ),
)
