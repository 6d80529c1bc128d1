"""Scores against those of scikit-learn, and the interval against theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from petaudit.learning.scores import (
    accuracy,
    interval_of_difference,
    macro_f1,
    r_squared,
    weighted_auc,
)


def sample(seed: int, classes: int, rows: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, classes, rows)
    # Rounded, so that there are ties.
    raw = np.round(draw.dirichlet(np.ones(classes), rows) + 0.5 * np.eye(classes)[truth], 1)
    weights = draw.integers(0, 4, rows).astype(float)
    return truth, raw / raw.sum(axis=1, keepdims=True), weights


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_scikit_learn(seed: int, classes: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    truth, shares, weights = sample(seed, classes)
    guessed = shares.argmax(axis=1)
    for entry in (np.ones(len(truth)), weights):
        assert accuracy(truth, shares)(entry) == pytest.approx(
            metrics.accuracy_score(truth, guessed, sample_weight=entry), abs=1e-12
        )
        assert macro_f1(truth, shares)(entry) == pytest.approx(
            metrics.f1_score(truth, guessed, average="macro", sample_weight=entry), abs=1e-12
        )
    expected = (
        metrics.roc_auc_score(truth, shares[:, 1])
        if classes == 2
        else metrics.roc_auc_score(truth, shares, multi_class="ovr", average="weighted")
    )
    assert weighted_auc(truth, shares)(np.ones(len(truth))) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
def test_a_weight_is_a_number_of_copies(classes: int) -> None:
    truth, shares, weights = sample(5, classes)
    copies = np.repeat(np.arange(len(truth)), weights.astype(int))
    for score in (accuracy, macro_f1, weighted_auc):
        entry = score(truth[copies], shares[copies])(np.ones(len(copies)))
        assert score(truth, shares)(weights) == pytest.approx(entry, abs=1e-12)
    numbers, guesses = truth + 0.25, shares[:, 0]
    entry = r_squared(numbers[copies], guesses[copies])(np.ones(len(copies)))
    assert r_squared(numbers, guesses)(weights) == pytest.approx(entry, abs=1e-12)


def test_r_squared_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draw = np.random.default_rng(1)
    truth = draw.normal(1e6, 3, 300)
    guesses = truth + draw.normal(0, 2, 300)
    weights = draw.integers(0, 4, 300).astype(float)
    for entry in (np.ones(300), weights):
        assert r_squared(truth, guesses)(entry) == pytest.approx(
            metrics.r2_score(truth, guesses, sample_weight=entry), abs=1e-9
        )


def test_scores_that_do_not_exist_are_no_numbers() -> None:
    ones = np.ones(2)
    assert math.isnan(r_squared(ones, np.zeros(2))(ones))
    assert math.isnan(weighted_auc(np.zeros(2, dtype=int), np.ones((2, 1)))(ones))


def test_the_interval_is_about_what_theory_says() -> None:
    # Of 1,000 rows 150 are right only by the first model, 50 only by the second: the difference
    # is 0.1, its variance (0.15 + 0.05 - 0.1 ** 2) / 1,000.
    first = np.array([1.0] * 150 + [0.0] * 50 + [1.0] * 800)
    second = np.array([0.0] * 150 + [1.0] * 50 + [1.0] * 800)
    result = interval_of_difference(
        lambda weights: float(weights @ first / weights.sum()),
        lambda weights: float(weights @ second / weights.sum()),
        1_000,
        seed=3,
    )
    assert result is not None
    half = 1.96 * math.sqrt((0.2 - 0.01) / 1_000)
    assert result == pytest.approx((0.1 - half, 0.1 + half), abs=0.15 * half)


def test_the_interval_is_none_where_no_draw_has_a_score() -> None:
    assert interval_of_difference(lambda _: math.nan, lambda _: 0.0, 3, seed=0) is None
