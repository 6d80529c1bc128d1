"""From noisy counts to rows: projection, estimates, agreement and draws."""

from __future__ import annotations

import numpy as np
import pytest

from petaudit.synthesizing.private.accountant import Ledger, rho_for
from petaudit.synthesizing.private.marginals import (
    Counts,
    Grouping,
    Measured,
    Pair,
    measure,
    projected,
)
from petaudit.synthesizing.private.noise import RandomBits, key_of
from petaudit.synthesizing.private.tree import draw, estimated_totals, fitted


def test_projection_is_the_one_that_halving_finds() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        values, total = random.normal(0, 9, 7), float(random.uniform(0.5, 40))
        low, high = values.min() - total, values.max()
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if np.maximum(values - middle, 0).sum() > total else (low, middle)
            )
        assert projected(values, total) == pytest.approx(np.maximum(values - high, 0), abs=1e-9)
    matrix = projected(np.array([[4.0, -1.0], [2.0, 3.0]]), 6.0)
    assert matrix.tolist() == [[3.0, 0.0], [1.0, 2.0]]


def test_columns_are_estimated_from_all_that_was_measured_of_them() -> None:
    """By hand: 60 with variance 4, and 66 = 26 + 40 with variance 2 times 2, count the same."""
    one = Grouping(0, np.array([0, 1]), np.array([60.0, 40.0]))
    other = Grouping(1, np.array([0, 1]), np.array([30.0, 70.0]))
    pair = Pair(0, 1, np.array([[26, 40], [4, 30]]))
    totals = estimated_totals(Measured(100.0, [one, other], [pair], 4, 2))
    assert totals[0].tolist() == [63.0, 37.0]
    assert totals[1].tolist() == [30.0, 70.0]


def test_a_fitted_pair_agrees_with_its_columns() -> None:
    random = np.random.default_rng(2)
    for _ in range(20):
        one, other = random.dirichlet([1] * 4) * 500, random.dirichlet([1] * 3) * 500
        counts = np.rint(np.outer(one, other) / 500 + random.normal(0, 30, (4, 3))).astype(np.int64)
        matrix = fitted(counts, one, other, 500.0)
        assert (matrix >= 0).all()
        assert matrix.sum(axis=0) == pytest.approx(other, abs=1e-6)
        assert matrix.sum(axis=1) == pytest.approx(one, abs=3.0)


def test_with_little_noise_the_pairs_of_the_tree_come_back() -> None:
    random = np.random.default_rng(3)
    first = random.integers(0, 4, 30_000)
    second = (first + (random.random(30_000) < 0.3)) % 4
    third = (second * 2 + (random.random(30_000) < 0.5)) % 5
    columns = [first.astype(np.int64), second.astype(np.int64), third.astype(np.int64)]
    ledger = Ledger(rho_for(100.0, 1e-9))
    measured = measure(Counts(columns, (4, 4, 5)), ledger, RandomBits(key_of(1), "noise"))
    assert {frozenset((pair.one, pair.other)) for pair in measured.pairs} == {
        frozenset((0, 1)),
        frozenset((1, 2)),
    }
    drawn, within = draw(measured, 30_000, seed=5)
    assert all(each.min() > 0 and each.max() < 1 for each in within)
    for a, b in ((0, 1), (1, 2)):
        real, made = (np.bincount(each[a] * 5 + each[b], minlength=25) for each in (columns, drawn))
        assert np.abs(real - made).max() < 30


def test_rare_cells_are_drawn_by_their_counts() -> None:
    """Three cells are joined; the two of them that have rows get them."""
    grouping = Grouping(0, np.array([1, 0, 1, 1]), np.array([30.0, 900.0, 70.0, 0.0]))
    [cells], _ = draw(Measured(1000.0, [grouping], [], 100, None), 1000, seed=1)
    assert np.bincount(cells, minlength=4) == pytest.approx([30, 900, 70, 0], abs=1)
