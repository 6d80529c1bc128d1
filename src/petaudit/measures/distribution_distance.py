"""Distribution distance: how far the values of each column moved, whoever holds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import mul
from typing import Any, ClassVar, Final

import numpy as np

from petaudit import kinds
from petaudit.counts.made_frames import MadeColumn
from petaudit.errors import NotMeasurableError, counted, joined, listing, phrase
from petaudit.exact import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._comparison import (
    ROUNDING,
    chosen_columns,
    given_list,
    leaves_under,
    one_of,
    the_original,
    upper_limit,
)
from petaudit.measures._tables import COLUMNWISE, no_such_table
from petaudit.measures._utility import ambiguous_level_warnings
from petaudit.measures.base import GLOBAL, Better, Family, Measure, Need, Option, Result, announce
from petaudit.pictures.column_shares import column_distances_of
from petaudit.released_labels import SideBySide, side_by_side, spread

_TABLES = (GLOBAL, COLUMNWISE)
FIGURES: Final = ("total-variation", "hellinger", "wasserstein")


@dataclass(frozen=True)
class ColumnDistance:
    """The distances of one column; the last two only where it holds numbers in both tables."""

    column: str
    total_variation: float
    hellinger: float
    wasserstein: float | None
    """Divided by the range of the numbers of both tables."""
    wasserstein_raw: float | None
    """In the unit of the column."""


@dataclass(frozen=True)
class DistributionDistanceResult(Result):
    """The mean distance over the columns, and all distances of each."""

    measure: ClassVar[str] = "distribution-distance"
    better: ClassVar[Better] = Better.LOWER

    distance: str
    columns: tuple[ColumnDistance, ...]
    worst_column: str
    not_ordered: tuple[str, ...]
    """Columns without a Wasserstein distance, because they hold other labels than numbers."""
    exact_value: Fraction | None = field(repr=False)

    @property
    def figure(self) -> str:
        """The distance that the value is a mean of."""
        return f"{self.measure} ({self.distance})"

    @property
    def explanation(self) -> tuple[str, ...]:
        """The worst columns, and which were left out."""
        ranked = sorted(self._figures(), key=lambda own: -own[1])
        shown = [
            phrase("{column} {figure:.4g}", column=column, figure=value)
            for column, value in ranked[:5]
        ]
        lines = [
            phrase(
                "mean {distance} over {columns}; largest first: {figures}",
                distance=self.distance,
                columns=counted(len(ranked), "column"),
                figures=joined(shown),
            )
        ]
        if self.distance == "wasserstein" and self.not_ordered:
            lines.append(
                phrase(
                    "left out, because they hold no numbers: {names}",
                    names=listing(self.not_ordered),
                )
            )
        return tuple(lines)

    def _figures(self) -> list[tuple[str, float]]:
        name = self.distance.replace("-", "_")
        values = [(own.column, getattr(own, name)) for own in self.columns]
        return [(column, value) for column, value in values if value is not None]

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, MadeColumn]:
        """``columnwise`` has all distances of each column."""
        if granularity == COLUMNWISE:
            names = ("total_variation", "hellinger", "wasserstein", "wasserstein_raw")
            attribute = MadeColumn("text", [own.column for own in self.columns])
            return {"attribute": attribute} | {
                name: MadeColumn("number", [getattr(own, name) for own in self.columns])
                for name in names
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, _TABLES)


def distribution_distance(
    original: object,
    table: object,
    *,
    limit: Number | None = None,
    figure: str = "total-variation",
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
    inputs: Inputs,
    limit: Number | None = None,
    figure: str = "total-variation",
    columns: Any = None,
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
        before = spread(original.counts.value_counts(name), under)
        after = spread(inputs.table.counts.value_counts(name), under)
        warnings += _unknown_labels(name, before.unknown, original.name)
        warnings += _unknown_labels(name, after.unknown, inputs.table.name)
        both = side_by_side(before, after)
        totals = (before.total, after.total)
        variation = _total_variation(both, *totals)
        ordered = before.holds_numbers_only and after.holds_numbers_only
        moved = _wasserstein(both) if ordered else None
        found.append(
            ColumnDistance(
                name,
                float(variation),
                _hellinger(both, *totals),
                None if moved is None else float(moved[0]),
                None if moved is None else _as_float(moved[1]),
            )
        )
        if figure == "total-variation":
            exact_figures[name] = variation
        elif figure == "hellinger":
            exact_figures[name] = Fraction(found[-1].hellinger)
        elif moved is not None:
            exact_figures[name] = moved[0]
    if not exact_figures:
        raise NotMeasurableError(
            phrase(
                "no column holds numbers in both tables, which wasserstein needs: {names}",
                names=listing(names),
            )
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
        not_ordered=tuple(own.column for own in found if own.wasserstein is None),
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


def _total_variation(both: SideBySide, old_total: int, new_total: int) -> Fraction:
    """Half the sum of the differences between the shares, in whole numbers."""
    moved = int(np.abs(both.old * new_total - both.new * old_total).sum())
    return Fraction(moved, 2 * old_total * new_total)


def _hellinger(both: SideBySide, old_total: int, new_total: int) -> float:
    """Square root of half the sum of the squared differences between the roots of the shares."""
    old, new = (
        np.sqrt((weights / total).astype(np.float64))
        for weights, total in ((both.old, old_total), (both.new, new_total))
    )
    return min(math.sqrt(math.fsum(((old - new) ** 2).tolist()) / 2), 1.0)


def _wasserstein(both: SideBySide) -> tuple[Fraction, Fraction]:
    """How far numbers were moved on average, as a part of the range of both tables and raw.

    A null has no place among numbers: both distributions are those of the other rows.
    """
    places = both.numbers
    old, new = both.old[: len(places)], both.new[: len(places)]
    old_total, new_total = int(old.sum()), int(new.sum())
    ahead = np.abs(np.cumsum(old * new_total - new * old_total))
    moved = sum(map(mul, ahead.tolist(), np.diff(places).tolist()))
    unit = 10**both.places
    raw = Fraction(moved, old_total * new_total * unit)
    span = Fraction(int(places[-1] - places[0]), unit)
    return (raw / span if span else Fraction(0)), raw


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


MEASURE = Measure(
    name="distribution-distance",
    title="Distribution distance",
    family=Family.UTILITY,
    question="How far is the distribution of each column from that of the original?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.ORIGINAL,),
    formula=(
        "mean over columns of the distance between the shares p and q of the values: total "
        "variation sum |p - q| / 2, Hellinger sqrt(sum (sqrt p - sqrt q)^2 / 2), Wasserstein-1 / "
        "range; a generalised label counts evenly for the leaves under it"
    ),
    reference=(
        "A. L. Gibbs, F. E. Su: On Choosing and Bounding Probability Metrics. International "
        "Statistical Review 70(3), 2002, doi 10.1111/j.1751-5823.2002.tb00178.x"
    ),
    compute=compute,
    limit_help="the mean distance over the columns must be at most this",
    options=(
        Option("figure", f"which distance: {listing(FIGURES)}", kind=kinds.Choice(FIGURES)),
        Option("columns", "which columns; all but identifiers if not given", kind=kinds.COLUMNS),
    ),
    granularities=_TABLES,
    pictures=column_distances_of,
    meaning=(
        "How far the mix of values of a column is from that of the original, on average over the "
        "columns. With 0, every mix is the same; with 0.1 (total variation), a tenth of the rows "
        "would have to change."
    ),
    does_not_say=(
        "Columns are looked at one by one, so a figure of 0 does not say that relations between "
        "them are left. The mean may hide that one column is far off: look at the figures per "
        "column."
    ),
)
