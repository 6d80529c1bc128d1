"""The copula gives back what it was fitted on, and the same draw every time."""

from __future__ import annotations

import importlib
from itertools import combinations
from types import ModuleType

import numpy as np
import pytest

ROWS = 20_000


@pytest.fixture(scope="module")
def copula(scripts: None) -> ModuleType:
    return importlib.import_module("gaussian_copula")


def normal_pair(correlation: float) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.random.default_rng(7).standard_normal((2, ROWS))
    return x, correlation * x + np.sqrt(1 - correlation**2) * y


def latent(copula: ModuleType, x: np.ndarray, y: np.ndarray) -> float:
    first, *_ = copula.GaussianCopula.fit({"x": x, "y": y}).factor[1]
    return float(first)


@pytest.mark.parametrize("correlation", [-0.9, -0.5, 0.0, 0.3, 0.7, 0.9])
@pytest.mark.parametrize(
    ("x_cuts", "y_cuts"),
    [
        ([0.0], [0.7]),
        ([1.2], [-0.3, 0.1, 0.9]),
        (np.linspace(-3, 3, 60), [0.0]),
        (np.linspace(-3, 3, 60), np.linspace(-2, 2, 9)),
    ],
)
def test_the_correlation_is_found_however_coarse_the_columns(
    copula: ModuleType, correlation: float, x_cuts: list[float], y_cuts: list[float]
) -> None:
    x, y = normal_pair(correlation)
    found = latent(copula, np.searchsorted(x_cuts, x), np.searchsorted(y_cuts, y))
    assert found == pytest.approx(correlation, abs=0.03)


def test_drawn_pairs_vary_together_as_the_given_ones(copula: ModuleType) -> None:
    x, y = normal_pair(0.6)
    given = {
        "two values": np.searchsorted([0.5], x),
        "few values": np.searchsorted([-1.0, 0.0, 1.5], y),
        "many values": np.floor(100_000 * np.exp(x)).astype(np.int64),
        "on its own": np.arange(ROWS) % 5,
    }
    drawn = copula.GaussianCopula.fit(given).draw(ROWS, seed=1)
    assert list(drawn) == list(given)
    for name, column in given.items():
        assert drawn[name].dtype == np.int64
        assert np.mean(drawn[name]) == pytest.approx(np.mean(column), rel=0.03), name
    for one, other in combinations(given, 2):
        wanted = np.corrcoef(given[one], given[other])[0, 1]
        assert np.corrcoef(drawn[one], drawn[other])[0, 1] == pytest.approx(wanted, abs=0.04)


def test_shares_of_few_values_are_kept(copula: ModuleType) -> None:
    given = np.repeat([-4, 0, 9], [50, 30, 20])
    drawn = copula.GaussianCopula.fit({"x": given}).draw(ROWS, seed=2)["x"]
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [-4, 0, 9]
    assert counts / ROWS == pytest.approx([0.5, 0.3, 0.2], abs=0.02)


def test_many_values_become_spans_that_cover_the_range_once(copula: ModuleType) -> None:
    given = np.random.default_rng(3).integers(0, 1_000_000, ROWS)
    marginal = copula.Marginal.of(given)
    assert len(marginal.high) == copula.MOST_CELLS
    assert marginal.counts.sum() == ROWS
    assert (marginal.low[0], marginal.high[-1]) == (given.min(), given.max())
    assert (marginal.low[1:] == marginal.high[:-1] + 1).all()
    cells = marginal.cells(given)
    assert (marginal.low[cells] <= given).all()
    assert (given <= marginal.high[cells]).all()
    drawn = copula.GaussianCopula.fit({"x": given}).draw(ROWS, seed=4)["x"]
    assert np.quantile(drawn, [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(given, [0.1, 0.5, 0.9]), rel=0.05
    )
    assert np.isin(drawn, given).mean() < 0.05


def test_a_frequent_value_among_many_keeps_its_share(copula: ModuleType) -> None:
    given = np.concatenate([np.zeros(ROWS, np.int64), np.arange(1, ROWS + 1)])
    drawn = copula.GaussianCopula.fit({"x": given}).draw(ROWS, seed=5)["x"]
    assert (drawn == 0).mean() == pytest.approx(0.5, abs=0.02)


def test_a_constant_column_stays_constant(copula: ModuleType) -> None:
    columns = {"x": np.full(9, 5), "y": np.arange(9), "z": np.full(9, -1)}
    drawn = copula.GaussianCopula.fit(columns).draw(50, seed=6)
    assert set(drawn["x"].tolist()) == {5}
    assert set(drawn["z"].tolist()) == {-1}
    assert set(drawn["y"].tolist()) <= set(range(9))


def test_a_table_of_one_row_is_repeated(copula: ModuleType) -> None:
    drawn = copula.GaussianCopula.fit({"x": np.array([1]), "y": np.array([2])}).draw(3, seed=7)
    assert {name: column.tolist() for name, column in drawn.items()} == {"x": [1] * 3, "y": [2] * 3}


def test_equal_columns_stay_nearly_equal(copula: ModuleType) -> None:
    column = np.arange(ROWS) % 50
    drawn = copula.GaussianCopula.fit({"x": column, "y": column}).draw(ROWS, seed=8)
    assert np.corrcoef(drawn["x"], drawn["y"])[0, 1] > 0.95


def test_the_same_seed_gives_the_same_draw(copula: ModuleType) -> None:
    x, y = normal_pair(0.5)
    columns = {"x": np.searchsorted([0.0], x), "y": np.searchsorted([-1.0, 1.0], y)}
    fitted = copula.GaussianCopula.fit(columns)
    assert fitted.factor == copula.GaussianCopula.fit(columns).factor
    once, again, another = (fitted.draw(500, seed) for seed in (9, 9, 10))
    assert all((once[name] == again[name]).all() for name in columns)
    assert any((once[name] != another[name]).any() for name in columns)


def test_the_bits_and_the_draw_are_those_of_every_machine(copula: ModuleType) -> None:
    assert copula.random_bits(2, seed=0).tolist() == [11749869230777074271, 4976686463289251617]
    columns = {"x": np.array([0, 0, 1, 1, 2, 5]), "y": np.array([1, 0, 1, 1, 1, 0])}
    drawn = copula.GaussianCopula.fit(columns).draw(8, seed=11)
    assert {name: column.tolist() for name, column in drawn.items()} == {
        "x": [0, 1, 1, 0, 0, 5, 0, 0],
        "y": [1, 1, 1, 1, 1, 0, 0, 1],
    }


def test_the_triangle_squares_to_the_matrix(copula: ModuleType) -> None:
    matrix = [[1.0, 0.5, -0.2], [0.5, 1.0, 0.3], [-0.2, 0.3, 1.0]]
    factor = copula.cholesky(matrix)
    square = [
        [sum(a * b for a, b in zip(one, other, strict=False)) for other in factor] for one in factor
    ]
    assert np.array(square) == pytest.approx(np.array(matrix))


def test_correlations_that_do_not_go_together_are_weakened_in_the_last_column(
    copula: ModuleType,
) -> None:
    factor = copula.cholesky([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]])
    lower = np.array([row + [0.0] * (3 - len(row)) for row in factor])
    square = lower @ lower.T
    assert np.diag(square) == pytest.approx([1, 1, 1])
    assert square[1, 0] == pytest.approx(0.9)
    assert 0 < square[2, 0] < 0.9
    assert -0.9 < square[2, 1] < 0
    assert square[2, 0] == pytest.approx(-square[2, 1])
