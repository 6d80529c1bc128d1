"""The copula gives back what it was fitted on, and the same draw every time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

from petaudit.synthesizing import copula as module
from petaudit.synthesizing.copula import (
    MOST_VALUES,
    SMALLEST_VARIANCE,
    GaussianCopula,
    cholesky,
    correlations,
    draw_independent,
    eigen,
    marginal_of,
    repaired,
)
from petaudit.synthesizing.normal import Slices, normal_at, random_bits, share_below, uniform_draws

ROWS = 20_000
CONTRADICTION = [[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]]


def normal_pair(correlation: float) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.random.default_rng(7).standard_normal((2, ROWS))
    return x, correlation * x + np.sqrt(1 - correlation**2) * y


def fit(columns: Sequence[np.ndarray]) -> GaussianCopula:
    marginals, cells = zip(*map(marginal_of, columns), strict=True)
    return GaussianCopula.fit(marginals, cells)


def values(blocks: object) -> list[np.ndarray]:
    columns = zip(*blocks, strict=True)  # type: ignore[call-overload]
    return [np.concatenate([numbers for _, numbers in column]) for column in columns]


def drawn(columns: Sequence[np.ndarray], rows: int, seed: int) -> list[np.ndarray]:
    return values(fit(columns).draw(rows, seed))


@pytest.mark.parametrize("correlation", [-0.9, -0.5, 0.0, 0.3, 0.7, 0.9])
@pytest.mark.parametrize(
    ("x_cuts", "y_cuts"),
    [
        ([0.0], [0.7]),
        ([1.2], [-0.3, 0.1, 0.9]),
        (np.linspace(-3, 3, 60), [0.0]),
        (np.linspace(-3, 3, 60), np.linspace(-2, 2, 9)),
        (np.linspace(-3, 3, 5000), [0.4]),
    ],
)
def test_the_correlation_is_found_however_coarse_the_columns(
    correlation: float, x_cuts: list[float], y_cuts: list[float]
) -> None:
    x, y = normal_pair(correlation)
    found = fit([np.searchsorted(x_cuts, x), np.searchsorted(y_cuts, y)]).factor[1][0]
    assert found == pytest.approx(correlation, abs=0.03)


def test_drawn_pairs_vary_together_as_the_given_ones() -> None:
    x, y = normal_pair(0.6)
    given = [
        np.searchsorted([0.5], x),
        np.searchsorted([-1.0, 0.0, 1.5], y),
        np.floor(100_000 * np.exp(x)).astype(np.int64),
        np.round(y, 1),
        np.arange(ROWS) % 5,
    ]
    made = drawn(given, ROWS, seed=1)
    for own, column in zip(made, given, strict=True):
        assert own.dtype == column.dtype
        assert np.mean(own) == pytest.approx(np.mean(column), rel=0.03, abs=0.02)
    for i, j in combinations(range(len(given)), 2):
        wanted = np.corrcoef(given[i], given[j])[0, 1]
        assert np.corrcoef(made[i], made[j])[0, 1] == pytest.approx(wanted, abs=0.04)


def test_shares_of_few_values_are_kept() -> None:
    given = np.repeat([-4, 0, 9], [50, 30, 20])
    for [made] in (
        drawn([given], ROWS, seed=2),
        values(draw_independent([marginal_of(given)[0]], ROWS, 2)),
    ):
        found, counts = np.unique(made, return_counts=True)
        assert found.tolist() == [-4, 0, 9]
        assert counts / ROWS == pytest.approx([0.5, 0.3, 0.2], abs=0.02)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_many_values_become_spans_that_end_where_their_values_end(kind: type) -> None:
    given = np.random.default_rng(3).integers(0, 10_000_000, ROWS).astype(kind)
    marginal, cells = marginal_of(given)
    assert len(marginal.high) == MOST_VALUES
    assert marginal.slices.counts.sum() == ROWS
    for cell in (0, 1, 500, MOST_VALUES - 1):
        inside = given[cells == cell]
        assert (inside.min(), inside.max()) == (marginal.low[cell], marginal.high[cell])
    assert (marginal.low[1:] > marginal.high[:-1]).all()
    [made] = drawn([given], ROWS, seed=4)
    assert np.quantile(made, [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(given, [0.1, 0.5, 0.9]), rel=0.05
    )
    assert np.isin(made, given).mean() < 0.01


def test_a_frequent_value_among_many_keeps_its_share() -> None:
    others = np.concatenate([np.arange(-ROWS + 7, 0), np.arange(1, ROWS + 1)])
    given = np.concatenate([np.zeros(2 * ROWS, np.int64), others])
    [made] = drawn([given], ROWS, seed=5)
    assert (made == 0).mean() == pytest.approx(0.5, abs=0.02)
    assert (made < 0).mean() == pytest.approx(0.25, abs=0.02)


def test_numbers_that_mostly_occur_once_are_not_repeated_in_a_small_table() -> None:
    given = np.random.default_rng(8).integers(0, 10**12, 300)
    [made] = drawn([given], ROWS, seed=5)
    assert np.isin(made, given).mean() < 0.001
    assert given.min() <= made.min()
    assert made.max() <= given.max()


def test_rounded_numbers_stay_rounded() -> None:
    given = 7 + 500 * np.random.default_rng(8).integers(0, 10**6, ROWS)
    [made] = drawn([given], ROWS, seed=5)
    assert (made % 500 == 7).all()


def test_spans_over_the_whole_range_of_64_bits_stay_inside() -> None:
    ends = np.iinfo(np.int64)
    given = np.array([ends.min, -5, 3, ends.max])
    [made] = drawn([given], ROWS, seed=5)
    assert (made < 0).mean() == pytest.approx(0.5, abs=0.02)
    assert made.max() > ends.max * 0.99
    assert made.min() < ends.min * 0.99


def test_the_last_of_all_shares_is_the_last_of_all_numbers() -> None:
    ends = np.iinfo(np.int64)
    marginal, _ = marginal_of(np.array([ends.min, ends.max]))
    with np.errstate(all="raise"):
        _, made = marginal.drawn_at_uniform(np.array([0.0, 1.0]))
    assert made[0] == ends.min
    assert made[1] > ends.max - 2**12


def test_a_rare_infinity_stands_alone() -> None:
    given = np.append(np.random.default_rng(3).standard_normal(3000), [np.inf, -np.inf])
    [made] = drawn([given], ROWS, seed=5)
    finite = made[np.isfinite(made)]
    assert 0 < (made == np.inf).sum() < 30
    assert 0 < (made == -np.inf).sum() < 30
    assert finite.std() == pytest.approx(1, abs=0.03)


def test_a_constant_column_stays_constant_and_ties_nothing() -> None:
    x, y = normal_pair(0.8)
    given = [np.full(ROWS, 5), np.searchsorted([0.0], x), np.searchsorted([0.0], y)]
    copula = fit(given)
    assert copula.factor[1] == [0.0, 1.0]
    assert copula.factor[2][1] == pytest.approx(0.8, abs=0.03)
    made = values(copula.draw(50, seed=6))
    assert set(made[0].tolist()) == {5}


def test_a_table_of_one_row_is_repeated() -> None:
    made = drawn([np.array([1]), np.array([2.5])], 3, seed=7)
    assert [column.tolist() for column in made] == [[1] * 3, [2.5] * 3]


def test_equal_columns_stay_nearly_equal() -> None:
    column = np.arange(ROWS) % 50
    x, y = drawn([column, column], ROWS, seed=8)
    assert np.corrcoef(x, y)[0, 1] > 0.95


def test_the_same_seed_gives_the_same_draw() -> None:
    x, y = normal_pair(0.5)
    copula = fit([np.searchsorted([0.0], x), np.searchsorted([-1.0, 1.0], y)])
    once, again, another = (values(copula.draw(500, seed)) for seed in (9, 9, 10))
    assert all((a == b).all() for a, b in zip(once, again, strict=True))
    assert any((a != b).any() for a, b in zip(once, another, strict=True))


def test_blocks_of_rows_do_not_change_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = normal_pair(0.5)
    copula = fit([np.round(x, 2), np.searchsorted([-1.0, 1.0], y)])
    whole = values(copula.draw(500, 3))
    alone = values(draw_independent(copula.marginals, 500, 3))
    monkeypatch.setattr(module, "BLOCK_ROWS", 7)
    for one, other in zip(
        [*whole, *alone],
        [*values(copula.draw(500, 3)), *values(draw_independent(copula.marginals, 500, 3))],
        strict=True,
    ):
        assert (one == other).all()


def test_the_bits_and_the_draw_are_those_of_every_machine() -> None:
    assert random_bits(2, seed=0).tolist() == [11749869230777074271, 4976686463289251617]
    columns = [np.array([0, 0, 1, 1, 2, 5] * 2), np.array([1, 0, 1, 1, 1, 0] * 2)]
    assert [column.tolist() for column in drawn(columns, 8, seed=11)] == [
        [0, 1, 1, 0, 0, 5, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 1],
    ]


def test_the_normal_distribution_is_that_of_the_standard_library() -> None:
    exact = NormalDist()
    shares = np.concatenate([uniform_draws(5000, seed=1), [1e-300, 2**-53, 1 - 2**-53, 0.075, 0.5]])
    points = normal_at(shares)
    assert points == pytest.approx([exact.inv_cdf(share) for share in shares], rel=1e-14, abs=1e-15)
    assert share_below(points) == pytest.approx(shares, rel=1e-12)
    assert uniform_draws(3, seed=1, start=2).tolist() == uniform_draws(5, seed=1)[2:].tolist()


def test_slices_are_joined_without_losing_rows() -> None:
    counts = np.random.default_rng(2).integers(1, 100, 5000)
    coarse, places = Slices(counts).coarser(50)
    assert len(coarse.counts) <= 50
    assert np.bincount(places, weights=counts).tolist() == coarse.counts.tolist()
    assert (np.diff(places) >= 0).all()


def test_the_triangle_squares_to_the_matrix() -> None:
    matrix = [[1.0, 0.5, -0.2], [0.5, 1.0, 0.3], [-0.2, 0.3, 1.0]]
    factor, is_exact = cholesky(matrix)
    assert is_exact
    square = [
        [sum(a * b for a, b in zip(one, other, strict=False)) for other in factor] for one in factor
    ]
    assert np.array(square) == pytest.approx(np.array(matrix))
    assert repaired(matrix) is matrix


def test_correlations_that_do_not_go_together_are_weakened_in_the_last_column() -> None:
    factor, is_exact = cholesky(CONTRADICTION)
    assert not is_exact
    lower = np.array([row + [0.0] * (3 - len(row)) for row in factor])
    square = lower @ lower.T
    assert np.diag(square) == pytest.approx([1, 1, 1])
    assert square[1, 0] == pytest.approx(0.9)
    assert 0 < square[2, 0] < 0.9
    assert -0.9 < square[2, 1] < 0
    assert square[2, 0] == pytest.approx(-square[2, 1])


def test_repaired_correlations_go_together_and_spare_the_rest() -> None:
    matrix = np.eye(5)
    matrix[:3, :3] = CONTRADICTION
    matrix[3, 4] = matrix[4, 3] = 0.8
    made = np.array(repaired(matrix.tolist()))
    assert cholesky(made.tolist())[1]
    assert np.diag(made).tolist() == [1.0] * 5
    assert (made == made.T).all()
    assert np.linalg.eigvalsh(made).min() > SMALLEST_VARIANCE / 2
    assert made[3, 4] == pytest.approx(0.8)
    assert np.sign(made[:3, :3]).tolist() == np.sign(CONTRADICTION).tolist()


def test_eigenvalues_are_those_of_numpy() -> None:
    matrix = np.corrcoef(np.random.default_rng(4).standard_normal((12, 30)))
    found, vectors = eigen(matrix)
    assert np.sort(found) == pytest.approx(np.linalg.eigvalsh(matrix), abs=1e-9)
    assert vectors.T @ np.diag(found) @ vectors == pytest.approx(matrix, abs=1e-9)


def test_the_last_column_keeps_its_dependence_when_earlier_ones_are_copies() -> None:
    x, y = normal_pair(0.6)
    column = np.searchsorted([-1.0, 0.0, 1.0], x)
    slices = [(marginal.slices, cells) for marginal, cells in map(marginal_of, [column] * 4)]
    marginal, cells = marginal_of(np.searchsorted([0.0], y))
    together = repaired(correlations([*slices, (marginal.slices, cells)]))
    assert together[-1][0] == pytest.approx(0.6, abs=0.1)
