"""Where figures stand on their scales."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.measures import all_measures
from petaudit.reports.html import GAUGE_WIDTH as WIDTH
from petaudit.reports.html import gauge_of
from petaudit.reports.view import Card


def gauge(measure: str, value: float | None, limit: float | None, better: str):
    return gauge_of(Card(measure, "measured", value, limit, better))


def test_by_hand() -> None:
    # A scale from 0 to 1: a quarter is a quarter of the way.
    entry = gauge("precision", 0.25, 0.5, "higher")
    assert entry is not None
    assert (entry.value, entry.limit, entry.good_from, entry.good_width) == (50, 100, 100, 100)
    # A scale without an end: the limit stands in the middle, and infinity at the end.
    entry = gauge("k-anonymity", 5, 5, "higher")
    assert entry is not None
    assert (entry.value, entry.limit) == (100, 100)
    entry = gauge("beta-likeness", math.inf, 3, "lower")
    assert entry is not None
    assert entry.value == WIDTH


@pytest.mark.parametrize("value", [None, True, math.nan])
def test_without_a_figure_there_is_none(value: float | None) -> None:
    assert gauge("precision", value, None, "higher") is None


@given(
    st.sampled_from(sorted(all_measures())),
    st.floats(allow_nan=False),
    st.floats(allow_nan=False),
    st.one_of(st.none(), st.floats(0, 1e9)),
)
def test_larger_figures_stand_further_right(
    name: str, one: float, other: float, limit: float | None
) -> None:
    measure = all_measures()[name]
    better = measure.better.value
    if math.isinf(measure.range[0]):
        assert gauge(name, one, limit, better) is None
        return
    first, second = (gauge(name, value, limit, better) for value in sorted((one, other)))
    assert first is not None
    assert second is not None
    assert 0 <= first.value <= second.value <= WIDTH
    if limit is not None:
        assert first.limit is not None
        assert 0 <= first.good_from <= round(first.good_from + first.good_width, 2) <= WIDTH
