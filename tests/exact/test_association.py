"""Associations of two columns, against numpy and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from budget import examples
from petaudit.exact import association
from petaudit.exact.association import correlation_ratio, count_cells, cramers_v, pearson, spearman


def columns(rows: int, seed: int, kinds: int) -> tuple[Any, Any, Any, Any]:
    draw = np.random.default_rng(seed)
    first = draw.integers(0, kinds, rows).astype(np.int32)
    second = ((first + draw.integers(0, 3, rows)) % kinds).astype(np.int32)
    values = np.sort(draw.normal(1e6, 50, kinds)), draw.permutation(np.arange(kinds) * 0.1 - 3)
    return first, second, *values


@pytest.mark.parametrize("kinds", [2, 7, 300])
@pytest.mark.parametrize("rows", [20, 1_000, 30_000])
def test_coefficients_are_those_of_numpy_and_scipy(rows: int, kinds: int) -> None:
    first, second, x, y = columns(rows, rows + kinds, kinds)
    cells = count_cells(first, second, (kinds, kinds))
    assert pearson(cells, x, y) == pytest.approx(np.corrcoef(x[first], y[second])[0, 1], abs=1e-12)
    assert spearman(cells, x, y) == pytest.approx(
        stats.spearmanr(x[first], y[second]).statistic, abs=1e-12
    )
    crossed = stats.contingency.crosstab(first, second).count
    r, c = crossed.shape
    v = stats.contingency.association(crossed)
    # Bergsma 2013: a bias-corrected V; with as many values as rows there is none.
    phi = v**2 * (min(r, c) - 1) - (r - 1) * (c - 1) / (rows - 1)
    smaller = min(entry - (entry - 1) ** 2 / (rows - 1) for entry in (r, c)) - 1
    corrected = np.sqrt(max(phi, 0) / smaller) if smaller > 1e-9 else 0
    assert cramers_v(cells) == pytest.approx(min(corrected, 1), abs=1e-9)
    groups = [y[second][first == entry] for entry in np.unique(first)]
    total = ((y[second] - y[second].mean()) ** 2).sum()
    within = sum(((entry - entry.mean()) ** 2).sum() for entry in groups)
    chance = (within / (rows - len(groups))) / (total / (rows - 1)) if rows > len(groups) else 1
    expected = np.sqrt(max(1 - chance, 0))
    assert correlation_ratio(cells, y) == pytest.approx(expected, abs=1e-7)


def test_counting_by_sorting_is_counting_in_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, x, y = columns(500, 1, 40)
    binned = count_cells(first, second, (40, 40))
    v = cramers_v(binned)
    monkeypatch.setattr(association, "_FEW_BINS", 0)
    monkeypatch.setattr(association, "_BINS_PER_ROW", 0)
    sorted_ = count_cells(first, second, (40, 40))
    for name in ("first", "second", "counts"):
        assert getattr(binned, name).tolist() == getattr(sorted_, name).tolist()
    assert cramers_v(sorted_) == pytest.approx(v, abs=1e-12)
    assert pearson(sorted_, x, y) == pearson(binned, x, y)


@settings(max_examples=examples(80))
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_coefficients_do_not_depend_on_the_order_of_rows_or_columns(
    pairs: list[tuple[int, int]],
) -> None:
    values = np.array([0.1, 5.0, -2.0, 1e9])
    first, second = (np.array(side, dtype=np.int32) for side in zip(*pairs, strict=True))
    cells = count_cells(first, second, (4, 4))
    backward = count_cells(first[::-1], second[::-1], (4, 4))
    assert pearson(cells, values, values) == pearson(backward, values, values)
    assert cramers_v(cells) == cramers_v(backward)
    assert cramers_v(cells.swapped) == pytest.approx(cramers_v(cells), abs=1e-12)
    assert spearman(cells.swapped, values, values) == pytest.approx(
        spearman(cells, values, values), abs=1e-12
    )
    for result in (cramers_v(cells), correlation_ratio(cells, values)):
        assert 0 <= result <= 1


def test_no_rows_and_constant_columns_have_no_association() -> None:
    cells = count_cells(np.array([0, 0, 0]), np.array([0, 1, 2]), (1, 3))
    none = cells.where(np.zeros(3, dtype=bool))
    one, three = np.array([5.0]), np.array([1.0, 2.0, 4.0])
    for cell in (cells, none):
        assert pearson(cell, one, three) == spearman(cell, one, three) == cramers_v(cell) == 0
    assert correlation_ratio(cells, three) == correlation_ratio(none, three) == 0
    assert correlation_ratio(cells.swapped, one) == 0


def test_numbers_of_any_size_are_correlated() -> None:
    cells = count_cells(np.array([0, 1, 2]), np.array([0, 1, 2]), (3, 3))
    huge = np.array([-1.7e308, 0.0, 1.7e308])
    tiny = np.array([1e-300, 2e-300, 3e-300])
    assert pearson(cells, huge, tiny) == pytest.approx(1, abs=1e-12)
    far = 1e12 + np.array([0.0, 1.0, 2.0])
    assert pearson(cells, far, tiny) == pytest.approx(1, abs=1e-12)


def test_independent_columns_have_exactly_no_association() -> None:
    # 2 x 3 values, each pair as often as independence expects.
    first, second = np.repeat([0, 1], 6), np.tile([0, 1, 2], 4)
    cells = count_cells(first, second, (2, 3))
    assert cramers_v(cells) == 0
    assert correlation_ratio(cells, np.array([1.0, 2.0, 3.0])) == pytest.approx(0, abs=1e-12)
