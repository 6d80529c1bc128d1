"""Class sizes: bins by hand, and against counting one by one."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pictures.examples import draw

from petaudit.i18n.numbers import Unit
from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.pictures import ClassSizes, picture_from
from petaudit.pictures.class_sizes import class_sizes
from petaudit.tables import ClassHistogram
from strategies import arrow_columns

FROM_TEN = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)


def histogram(sizes: list[int], suppressed: int = 0) -> ClassHistogram:
    """From the size of every class."""
    result, classes = np.unique(np.array(sizes, np.int64), return_counts=True)
    return ClassHistogram(result, classes.astype(np.int64), suppressed)


def test_the_limit_is_never_inside_a_bin() -> None:
    result = class_sizes(histogram([1, 1, 6, 7, 12_345], 9), 7)
    assert [(entry.lowest, entry.highest, entry.classes, entry.rows) for entry in result.bins] == [
        (1, 1, 2, 2),
        *((size, size, 0, 0) for size in (2, 3, 4)),
        (5, 6, 1, 6),
        (7, 9, 1, 7),
        *((low, high - 1, 0, 0) for low, high in itertools.pairwise(FROM_TEN[:-1])),
        (10_000, 19_999, 1, 12_345),
    ]
    assert result.suppressed_rows == 9


def test_the_bin_below_the_limit_is_there_though_nobody_is_in_it() -> None:
    result = class_sizes(histogram([60, 300]), 5)
    assert (result.bins[0].lowest, result.bins[0].rows) == (4, 0)
    assert class_sizes(histogram([60, 300]), None).bins[0].lowest == 50


@pytest.mark.parametrize("limit", [0, 0.5, 1, 4.5, 10**9, 1e300, math.inf, math.nan, None])
def test_any_limit(limit: float | None) -> None:
    result = class_sizes(histogram([3, 8]), limit)
    assert sum(entry.rows for entry in result.bins) == 11
    assert result.limit is None or math.isfinite(result.limit)
    assert len(result.bins) <= 7


@pytest.mark.parametrize("size", [49_999, 50_000, 1_000_000, 2**31 + 1, 10**12, 10**14])
@pytest.mark.parametrize("unit", Unit)
@pytest.mark.parametrize("limit", [None, 5, 60_000])
def test_bins_go_on_for_any_size(size: int, unit: Unit, limit: float | None) -> None:
    result = class_sizes(histogram([3, size]), limit, unit)
    last = result.bins[-1]
    assert last.lowest <= size <= last.highest < 2.5 * last.lowest
    assert (last.classes, last.rows) == (1, size)
    assert picture_from(result.to_dict()) == result
    chart = draw(result, hide_below=0)
    assert chart is not None
    # Bounds that are cut would be wrong ones.
    assert f"{last.lowest:,}–{last.highest:,}</text>" in chart.svg
    assert f">{size:,} (100 %)<" in chart.svg


def test_no_class_at_all() -> None:
    assert class_sizes(histogram([], 3), 5) == ClassSizes((), 5, 3)


@given(
    sizes=st.lists(st.integers(1, 40) | st.integers(1, 10**15), min_size=1, max_size=30),
    limit=st.none() | st.floats(0, 40_000) | st.floats(0, 1e16),
)
def test_every_class_is_in_the_bin_of_its_size(sizes: list[int], limit: float | None) -> None:
    result = class_sizes(histogram(sizes), limit)
    for entry in result.bins:
        inside = [size for size in sizes if entry.lowest <= size <= entry.highest]
        assert (entry.classes, entry.rows) == (len(inside), sum(inside))
        if limit is not None:
            assert (entry.highest < limit) or (entry.lowest >= limit)
    assert sum(entry.classes for entry in result.bins) == len(sizes)
    assert picture_from(result.to_dict()) == result


@given(
    zips=st.lists(st.sampled_from(["1", "2", "3", "*", "4"]), min_size=1, max_size=40),
    suppressed=st.sampled_from(["class", "exclude"]),
)
def test_the_measure_says_the_same(zips: list[str], suppressed: Any) -> None:
    if set(zips) == {"*"}:
        return
    inputs = gather(arrow_columns({"zip": zips}), quasi_identifiers=["zip"], suppressed=suppressed)
    result = find_measure("k-anonymity").run(inputs, {"limit": 3})
    [outcome] = find_measure("k-anonymity").pictures(inputs, result)
    assert isinstance(outcome, ClassSizes)
    left_out = {"*"} if suppressed == "exclude" else set()
    assert outcome.suppressed_rows == sum(zips.count(label) for label in left_out)
    sizes = [zips.count(label) for label in set(zips) - left_out]
    assert sum(entry.rows for entry in outcome.bins if entry.highest < 3) == sum(
        size for size in sizes if size < 3
    )
    assert result.remedy is not None
    assert result.remedy.rows_breaking == sum(
        entry.rows for entry in outcome.bins if entry.lowest < 3
    )
