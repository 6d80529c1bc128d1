"""Distribution distance: how far the values of each column moved, whoever holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final

import numpy as np

from petaudit.errors import NotMeasurableError, counted, joined, listing, phrase
from petaudit.exact.fractions import as_float
from petaudit.exact.share_distances import ShareDistances
from petaudit.inputs import Inputs
from petaudit.labels.numbers import decimal_of
from petaudit.measures._spread import Spread, side_by_side, spread
from petaudit.measures.base import Better, Columns, Need, Result
from petaudit.measures.result import columns_of
from petaudit.measures.utility import (
    ROUNDING,
    ChosenColumns,
    UtilityMeasure,
    ambiguous_level_warnings,
    chosen_columns,
)
from petaudit.pictures.column_shares import column_distances_of
from petaudit.system import kinds
from petaudit.tables.scales import DATES, LABELS, NUMBERS, TIMES, Scale, scale_of

AUTO: Final = "auto"
FIGURES: Final = (AUTO, "total-variation", "hellinger", "kolmogorov-smirnov", "wasserstein")
_FIGURE_HELP = (
    f"which distance: {listing(FIGURES)}; auto is Kolmogorov-Smirnov for numbers and dates "
    "of many values, total variation for others"
)
_ON_A_SCALE: Final = FIGURES[3:]
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


class DistributionDistance(UtilityMeasure):
    """How far is the distribution of each column from that of the original?

    How far the mix of values of a column is from that of the original, on average over the columns.
    With 0, every mix is the same; with 0.1, the share of some group of values is off by a tenth of
    the rows: of numbers or dates up to some point, or of any labels.

    Does not say: Columns are looked at one by one, so a figure of 0 does not say that relations
    between them are left. The mean may hide that one column is far off: look at the figures per
    column.

    Formula: mean over columns of the distance between the shares p and q of the values:
    Kolmogorov-Smirnov max |P(x) - Q(x)| of the cumulative shares for numbers and dates, total
    variation sum |p - q| / 2 for labels; or Hellinger sqrt(sum (sqrt p - sqrt q)^2 / 2),
    Wasserstein-1 / range of the original; a generalised label counts evenly for the leaves under it

    Reference: A. L. Gibbs, F. E. Su: On Choosing and Bounding Probability Metrics. International
    Statistical Review 70(3), 2002, doi 10.1111/j.1751-5823.2002.tb00178.x

    >>> import pyarrow as pa
    >>> original = pa.table({"sex": ["F", "F", "M", "M"], "age": [20, 20, 30, 40]})
    >>> released = pa.table({"sex": ["F", "M"], "age": [20, 40]})
    >>> result = distribution_distance(original, released)
    >>> result.value, result.worst_column, result.columns[1].wasserstein_raw
    (0.125, 'age', 2.5)
    """

    name = "distribution-distance"
    title = "Distribution distance"
    rank = 310
    better = Better.LOWER
    needs = (Need.ORIGINAL,)
    limit_help = "the mean distance over the columns must be at most this"
    positional = ("original", "table")
    pictures = staticmethod(column_distances_of)

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        figure: Annotated[str, kinds.Choice(FIGURES), _FIGURE_HELP] = AUTO,
        columns: ChosenColumns = None,
    ) -> Result:
        """Compare the distribution of every column with the original; rows need not match."""
        names = chosen_columns(inputs, columns)
        warnings: list[str] = []
        distances: list[ColumnDistance] = []
        judged: dict[str, Fraction] = {}
        for name in names:
            distance, exact_figure = _column_distance(inputs, name, figure, warnings)
            distances.append(distance)
            if exact_figure is not None:
                judged[name] = exact_figure
        if not judged:
            raise NotMeasurableError(
                "no column holds numbers or dates only, which {figure} needs: {names}",
                figure=figure,
                names=listing(names),
            )
        hierarchies = {name: inputs.hierarchy(name) for name in names if name in inputs.hierarchies}
        value = sum(judged.values(), Fraction(0)) / len(judged)
        has_roots = figure == "hellinger"
        return self.result(
            value,
            limit,
            tolerance=ROUNDING if has_roots else 0,
            warnings=[*warnings, *ambiguous_level_warnings(inputs, hierarchies)],
            breakdown={
                "distance": figure,
                "columns": tuple(distances),
                "worst_column": max(judged, key=lambda name: judged[name]),
                "not_ordered": tuple(own.column for own in distances if own.kind == LABELS),
            },
            figure=f"{self.name} ({figure})",
            exact_value=None if has_roots else value,
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """Name the worst columns, and which were left out."""
        known = [column for column in result.columns if column.distance is not None]
        ranked = sorted(known, key=lambda column: -column.distance)
        shown = [
            phrase("{column} {figure:.4g}", column=column.column, figure=column.distance)
            for column in ranked[:5]
        ]
        distance = result.distance
        if distance == AUTO:
            distance = phrase(
                "distance (Kolmogorov-Smirnov for numbers, total variation for labels)"
            )
        line = phrase(
            "mean {distance} over {columns}; largest first: {figures}",
            distance=distance,
            columns=counted(len(ranked), "column"),
            figures=joined(shown),
        )
        if result.distance not in _ON_A_SCALE or not result.not_ordered:
            return (line,)
        left_out = phrase(
            "left out, because they hold more than numbers or dates: {names}",
            names=listing(result.not_ordered),
        )
        return (line, left_out)

    def columnwise(self, result: Result) -> Columns:
        """Lay out all distances of each column."""
        columns = columns_of(
            result.columns,
            column="text",
            kind="text",
            distance="number",
            total_variation="number",
            hellinger="number",
            kolmogorov_smirnov="number",
            wasserstein="number",
            wasserstein_raw="number",
        )
        return {"attribute": columns.pop("column")} | columns


distribution_distance = DistributionDistance.as_function()


def _column_distance(
    inputs: Inputs, name: str, figure: str, warnings: list[str]
) -> tuple[ColumnDistance, Fraction | None]:
    """All distances of a column, and exactly the one that is judged; None where it has none."""
    tables = (inputs.needed_original, inputs.table)
    under = inputs.leaves_under(name)
    values = [table.counts.value_counts(name) for table in tables]
    scale = scale_of(values[0], values[1], decimal_of, () if under is None else under.silent)
    before, after = (spread(counts, under, scale) for counts in values)
    for side, table in zip((before, after), tables, strict=True):
        warnings.extend(_label_warnings(name, side, table.name, scale))
    both = side_by_side(before, after)
    numbers = None if scale is None else both.numbers
    distances = ShareDistances(both.old, both.new, before.total, after.total, numbers)
    gap, moved = distances.kolmogorov_smirnov, distances.wasserstein
    if figure == AUTO:
        different = int(np.count_nonzero(both.old[: len(both.numbers)]))
        # Numbers of few values may be codes. Their shares can be compared one by one, and what
        # comes of it is never smaller than the largest gap between the cumulative distributions.
        is_continuous = different > _FEW_VALUES or values[0].rows < _ROWS_PER_VALUE * different
        on_a_line = scale is not None and is_continuous
        figure = "kolmogorov-smirnov" if on_a_line else "total-variation"
    judged = {
        "total-variation": distances.total_variation,
        "hellinger": Fraction(distances.hellinger),
        "kolmogorov-smirnov": gap,
        "wasserstein": None if moved is None else moved[0],
    }[figure]
    raw = None
    if scale is not None and moved is not None:
        raw = as_float(moved[1] / (10**both.places * scale.unit))
    distance = ColumnDistance(
        name,
        LABELS if scale is None else scale.kind,
        None if judged is None else float(judged),
        float(distances.total_variation),
        distances.hellinger,
        None if gap is None else float(gap),
        None if moved is None else float(moved[0]),
        raw,
    )
    return distance, judged


def _label_warnings(column: str, side: Spread, table: str, scale: Scale | None) -> Iterator[str]:
    """Say which labels no hierarchy knows, or cannot be compared with the numbers or dates."""
    if side.unknown:
        labels = counted(side.unknown, "label")
        if side.unknown == 1:
            yield phrase(
                "column {column!r}: {labels} of {table} stands in no level of its hierarchy and is "
                "compared as written",
                column=column,
                labels=labels,
                table=table,
            )
        else:
            yield phrase(
                "column {column!r}: {labels} of {table} stand in no level of its hierarchy and are "
                "compared as written",
                column=column,
                labels=labels,
                table=table,
            )
    elif scale is not None and side.strange:
        scales = {NUMBERS: phrase("numbers"), DATES: phrase("dates"), TIMES: phrase("times")}
        yield phrase(
            "column {column!r}: {labels} of {table} cannot be compared with the {kind} of the "
            "original; rows with such a label count as moved",
            column=column,
            labels=counted(side.strange, "label"),
            table=table,
            kind=scales[scale.kind],
        )
