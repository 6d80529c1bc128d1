"""How good predictions are, and how sure the difference between two models is.

Every score takes a weight per row, so that a bootstrap is a matter of other weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.learning.encoding import Classes, Matrix, Numbers

Score: TypeAlias = Callable[[Numbers], float]
REPLICATES: Final = 500


def accuracy(actual: Classes, shares: Matrix) -> Score:
    """The share of rows whose likeliest class is the actual one.

    >>> accuracy(np.array([0, 1]), np.array([[0.9, 0.1], [0.6, 0.4]]))(np.ones(2))
    0.5
    """
    correct = (shares.argmax(axis=1) == actual).astype(np.float64)
    return lambda weights: float(weights @ correct / weights.sum())


def macro_f1(actual: Classes, shares: Matrix) -> Score:
    """The mean over classes of 2 TP / (2 TP + FP + FN); classes that nobody has do not count.

    >>> round(macro_f1(np.array([0, 1]), np.array([[0.9, 0.1], [0.6, 0.4]]))(np.ones(2)), 6)
    0.333333
    """
    predicted = shares.argmax(axis=1)
    many = shares.shape[1]
    hits = predicted == actual

    def score(weights: Numbers) -> float:
        actuals = np.bincount(actual, weights=weights, minlength=many)
        predictions = np.bincount(predicted, weights=weights, minlength=many)
        both = np.bincount(actual[hits], weights=weights[hits], minlength=many)
        occurs = actuals + predictions > 0
        return float(np.mean(2 * both[occurs] / (actuals + predictions)[occurs]))

    return score


def weighted_auc(actual: Classes, shares: Matrix) -> Score:
    """The area under the ROC curve of each class against the rest, weighted by its rows.

    >>> weighted_auc(np.array([0, 1]), np.array([[0.9, 0.1], [0.6, 0.4]]))(np.ones(2))
    1.0
    """
    present = np.unique(actual).tolist()
    ranked = [_Ranked(actual == place, shares[:, place]) for place in present]

    def score(weights: Numbers) -> float:
        total, area = 0.0, 0.0
        for rank in ranked:
            rows, part = rank.area(weights)
            if not math.isnan(part):
                total += rows
                area += rows * part
        return area / total if total else math.nan

    return score


class _Ranked:
    """The rows in the order of their score, sorted once for all weights."""

    def __init__(self, is_class: npt.NDArray[np.bool_], scores: Numbers) -> None:
        self._order = np.argsort(scores, kind="stable")
        ordered = scores[self._order]
        self._starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        self._is_class = is_class[self._order]

    def area(self, weights: Numbers) -> tuple[float, float]:
        """Rows of the class, and its area; a tie counts half."""
        ordered = weights[self._order]
        inside = np.add.reduceat(ordered * self._is_class, self._starts)
        outside = np.add.reduceat(ordered * ~self._is_class, self._starts)
        rows, others = float(inside.sum()), float(outside.sum())
        if not rows or not others:
            return rows, math.nan
        below = np.cumsum(outside) - outside / 2
        return rows, float(inside @ below) / rows / others


def r_squared(actual: Numbers, guesses: Numbers) -> Score:
    """The share of the variance that the predictions explain; below 0 if they are worse than none.

    >>> r_squared(np.array([1.0, 3.0]), np.array([2.0, 2.0]))(np.ones(2))
    0.0
    """
    errors = (actual - guesses) ** 2
    # Around their own mean, squares of large numbers do not swallow small differences.
    centred = actual - actual.mean()
    squares = centred**2

    def score(weights: Numbers) -> float:
        rows = weights.sum()
        variance = float(weights @ squares - (weights @ centred) ** 2 / rows)
        return 1 - float(weights @ errors) / variance if variance > 0 else math.nan

    return score


def interval_of_difference(
    first: Score, second: Score, rows: int, seed: int
) -> tuple[float, float] | None:
    """95 % of the differences when the tested rows are drawn anew, the same for both models."""
    draw = np.random.default_rng([seed, 2])
    differences = np.empty(REPLICATES)
    for replicate in range(REPLICATES):
        drawn = draw.integers(0, rows, rows)
        weights = np.bincount(drawn, minlength=rows).astype(np.float64)
        differences[replicate] = first(weights) - second(weights)
    differences = differences[~np.isnan(differences)]
    if not differences.size:
        return None
    low, high = np.quantile(differences, [0.025, 0.975])
    return float(low), float(high)
