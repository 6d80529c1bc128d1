"""Column shares: the figures of the result, the worst first."""

from __future__ import annotations

import math

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from budget import examples
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.pictures import ColumnShares, picture_from
from petaudit.pictures.column_shares import MOST_COLUMNS, column_shares
from strategies import Release, arrow

NAMES = ("precision", "granularity", "ambiguity", "non-uniform-entropy")


@settings(max_examples=examples(20))
@given(release=strategies.releases(), name=st.sampled_from(NAMES))
def test_each_column_has_the_figure_that_it_has_alone(release: Release, name: str) -> None:
    measure = find_measure(name)
    assert measure.pictures is not None

    def run(columns: tuple[str, ...]) -> tuple[ColumnShares, float]:
        inputs = gather(
            arrow(release.released),
            original=arrow(release.original),
            quasi_identifiers=columns,
            hierarchies=release.given_hierarchies,
        )
        result = measure.run(inputs, {})
        [outcome] = measure.pictures(inputs, result)  # type: ignore[misc]
        assert isinstance(outcome, ColumnShares)
        return outcome, float(result.value)

    whole, value = run(release.quasi_identifiers)
    assert whole.overall == value
    assert [column.value for column in whole.columns] == sorted(
        column.value for column in whole.columns
    )
    if name == "precision":
        # A row is suppressed by all its columns, so alone a column may fare better.
        return
    for column in whole.columns:
        assert column.value == run((column.column,))[1]


def test_distances_are_largest_first() -> None:
    measure = find_measure("distribution-distance")
    before = pa.table({"a": ["x", "y"], "b": ["x", "y"], "c": [1, 2]})
    after = pa.table({"a": ["x", "x"], "b": ["x", "y"], "c": [1, 1]})
    inputs = gather(after, original=before)
    assert measure.pictures is not None
    [result] = measure.pictures(inputs, measure.run(inputs, {"figure": "wasserstein"}))
    assert isinstance(result, ColumnShares)
    assert [(column.column, column.value) for column in result.columns] == [("c", 0.5)]
    assert (result.more, result.is_kept) == (2, False)


def test_odd_figures_and_many_columns() -> None:
    figures = {f"{'x' * 500}{place}": float(place) for place in range(40)}
    odd = {"nan": math.nan, "inf": math.inf, "none": None}
    result = column_shares("precision", figures | odd, math.nan, is_kept=True)
    assert (len(result.columns), result.more, result.overall) == (
        MOST_COLUMNS,
        43 - MOST_COLUMNS,
        None,
    )
    assert max(len(column.column) for column in result.columns) < 100
    assert picture_from(result.to_dict()) == result
