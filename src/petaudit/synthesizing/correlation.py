"""Which correlations of normal variables make cells vary together as in a table.

Sums are exact (`math.fsum`) or made in a fixed order (`np.bincount`), and there is no call into a
linear algebra library: the same table gives the same numbers on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from petaudit.synthesizing.slices import Slices, Whole

Matrix: TypeAlias = "list[list[float]]"

MOST_CELLS: Final = 1000
"""Columns with more cells are made coarser before they are compared."""
LARGEST_CORRELATION: Final = 0.97
BISECTIONS: Final = 50

# The part of the variance of a normal variable that the others may explain.
MOST_EXPLAINED: Final = 0.99


def correlations(columns: Sequence[tuple[Slices, Whole]]) -> Matrix:
    """The correlation of the normal variables behind each pair of columns.

    A column is given by its slices and, for each row, the number of its cell.
    """
    known = []
    for slices, cells in columns:
        coarse, places = slices.coarser(MOST_CELLS)
        known.append((coarse, cells if coarse is slices else places[cells]))
    matrix = [[float(i == j) for j in range(len(known))] for i in range(len(known))]
    for j, (y, y_cells) in enumerate(known):
        y_scores = np.array(y.scores)[y_cells]
        for i, (x, x_cells) in enumerate(known[:j]):
            sums = np.bincount(x_cells, weights=y_scores, minlength=len(x.counts))
            together = math.fsum((np.array(x.scores) * sums).tolist()) / len(x_cells)
            matrix[i][j] = matrix[j][i] = latent_correlation(x, y, together)
    return matrix


def latent_correlation(x: Slices, y: Slices, wanted: float) -> float:
    """The correlation of two normal variables whose scores have the covariance that is wanted.

    The correlation of the scores would do for columns with many values, but it is far too small for
    columns with few. With correlation r the covariance is the sum of r^k times the products of the
    k-th terms (Mehler's formula); it grows with r, so the r is found by bisection.
    """
    if min(len(x.counts), len(y.counts)) == 1:
        return 0.0  # a constant varies with nothing
    products = [a * b for a, b in zip(x.terms, y.terms, strict=True)]
    low, high = -LARGEST_CORRELATION, LARGEST_CORRELATION
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        found = 0.0
        for product in reversed(products):
            found = (found + product) * middle
        low, high = (middle, high) if found < wanted else (low, middle)
    return (low + high) / 2


def cholesky(matrix: Sequence[Sequence[float]]) -> Matrix:
    """The lower triangle whose square is a correlation matrix.

    Correlations that were found pair by pair need not go together. Where they do not, those of the
    later variable with the ones before it are weakened, all by the same factor.

    >>> cholesky([[1.0, 0.6], [0.6, 1.0]])
    [[1.0], [0.6, 0.8]]
    """
    factor: Matrix = []
    for line in matrix:
        row = _next_row(line, factor)
        explained = math.fsum(a * a for a in row)
        if explained > MOST_EXPLAINED:
            row = [a * math.sqrt(MOST_EXPLAINED / explained) for a in row]
            explained = MOST_EXPLAINED
        factor.append([*row, math.sqrt(1 - explained)])
    return factor


def goes_together(matrix: Sequence[Sequence[float]]) -> bool:
    """Whether there are normal variables with such correlations, none explained by the others.

    >>> goes_together([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]])
    False
    """
    factor: Matrix = []
    for line in matrix:
        row = _next_row(line, factor)
        explained = math.fsum(a * a for a in row)
        if explained > MOST_EXPLAINED:
            return False
        factor.append([*row, math.sqrt(1 - explained)])
    return True


def _next_row(line: Sequence[float], factor: Matrix) -> list[float]:
    row: list[float] = []
    for cell, before in zip(line, factor, strict=False):
        inner = math.fsum(a * b for a, b in zip(row, before, strict=False))
        row.append((cell - inner) / before[-1])
    return row
