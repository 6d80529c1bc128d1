"""Distribution distance: how far the values of each column moved, whoever holds them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Final

from petaudit.errors import NotMeasurableError, counted, joined, listing, phrase
from petaudit.inputs import Inputs
from petaudit.measures.base import Better, Need, Result, rows_of
from petaudit.measures.utility import ROUNDING, ChosenColumns, UtilityMeasure, chosen_columns
from petaudit.pictures.column_shares import column_distances_of
from petaudit.system import kinds
from petaudit.tables.distributions import AUTO, FIGURES, ColumnDistance, column_distance
from petaudit.tables.losses import ambiguous_level_warnings
from petaudit.tables.scales import LABELS

_FIGURE_HELP = (
    f"which distance: {listing(FIGURES)}; auto is Kolmogorov-Smirnov for numbers and dates "
    "of many values, total variation for others"
)
_ON_A_SCALE: Final = FIGURES[3:]


class DistributionDistance(UtilityMeasure):
    """How far is the distribution of each column from that of the original?

    How far the distribution of a column is from that of the original, on average over the columns.
    With 0, all distributions are the same; with 0.1, the share of some group of values (numbers or
    dates up to some point, or any labels) is off by a tenth of the rows.

    Does not say: Each column is compared on its own, so 0 does not mean that relations between
    columns are preserved. The mean may hide that one column is far off: look at the figures per
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
    rank = 310
    better = Better.LOWER
    needs = (Need.ORIGINAL,)
    limit_help = "the mean distance over the columns must be at most this"
    pictures = staticmethod(column_distances_of)
    columnwise = rows_of(ColumnDistance, "columns", column="attribute")

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
        tables = (inputs.needed_original, inputs.table)
        warnings: list[str] = []
        distances: list[ColumnDistance] = []
        judged: dict[str, Fraction] = {}
        for name in names:
            under = inputs.leaves_under(name)
            distance, exact_figure, doubts = column_distance(name, tables, under, figure)
            distances.append(distance)
            warnings += doubts
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
            warnings=[*warnings, *ambiguous_level_warnings(inputs.table.counts, hierarchies)],
            breakdown={
                "distance": figure,
                "columns": tuple(distances),
                "worst_column": max(judged, key=lambda name: judged[name]),
                "not_ordered": tuple(
                    distance.column for distance in distances if distance.kind == LABELS
                ),
            },
            figure=f"{self.name} ({figure})",
            exact_value=None if has_roots else value,
        )

    def explain(self, result: Result) -> Iterator[str]:
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
        yield phrase(
            "mean {distance} over {columns}; largest first: {figures}",
            distance=distance,
            columns=counted(len(ranked), "column"),
            figures=joined(shown),
        )
        if result.distance in _ON_A_SCALE and result.not_ordered:
            yield phrase(
                "left out, because they hold more than numbers or dates: {names}",
                names=listing(result.not_ordered),
            )


distribution_distance = DistributionDistance.as_function()
