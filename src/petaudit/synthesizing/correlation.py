"""The correlations of normal variables with which cells vary together as in a table.

Sums are exact (`math.fsum`) or made in a fixed order (`np.bincount`), and there is no call into a
linear algebra library, whose sums depend on the processor: the same table gives the same numbers on
any machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from petaudit.synthesizing.normal import Real, Slices, Whole

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
    """Return the lower triangle whose square is a correlation matrix.

    Correlations that were found pair by pair need not go together. Where they do not, those of the
    later variable with the ones before it are weakened, all by the same factor.

    >>> cholesky([[1.0, 0.6], [0.6, 1.0]])
    [[1.0], [0.6, 0.8]]
    """
    return _factorized(matrix)[0]


def goes_together(matrix: Sequence[Sequence[float]]) -> bool:
    """Return whether normal variables can have such correlations, none explained by the others.

    >>> goes_together([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]])
    False
    """
    return _factorized(matrix)[1]


def _factorized(matrix: Sequence[Sequence[float]]) -> tuple[Matrix, bool]:
    """Return the triangle, and whether nothing had to be weakened."""
    factor: Matrix = []
    is_whole = True
    for line in matrix:
        row = _next_row(line, factor)
        explained = math.fsum(a * a for a in row)
        if explained > MOST_EXPLAINED:
            is_whole = False
            row = [a * math.sqrt(MOST_EXPLAINED / explained) for a in row]
            explained = MOST_EXPLAINED
        factor.append([*row, math.sqrt(1 - explained)])
    return factor, is_whole


def _next_row(line: Sequence[float], factor: Matrix) -> list[float]:
    row: list[float] = []
    for cell, before in zip(line, factor, strict=False):
        inner = math.fsum(a * b for a, b in zip(row, before, strict=False))
        row.append((cell - inner) / before[-1])
    return row


SMALLEST_VARIANCE: Final = 0.02
"""What every combination of the normal variables, of norm one, varies at least."""
MOST_SWEEPS: Final = 30
_NEGLIGIBLE: Final = 1e-12


def repaired(matrix: Matrix) -> Matrix:
    """The given correlations if they go together, else near ones that do.

    Directions in which the variables would vary less than nothing get a small variance, and all
    variances are brought back to 1. Every column gives way a little, not the last one everything.

    >>> made = repaired([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]])
    >>> [[round(cell, 2) for cell in line] for line in made]
    [[1.0, 0.49, 0.49], [0.49, 1.0, -0.49], [0.49, -0.49, 1.0]]
    """
    if goes_together(matrix):
        return matrix
    values, vectors = eigen(np.array(matrix))
    made = np.zeros_like(vectors)
    for value, vector in zip(np.maximum(values, SMALLEST_VARIANCE), vectors, strict=True):
        made += value * (vector[:, None] * vector)
    scale = 1.0 / np.sqrt(np.diag(made))
    made = made * (scale[:, None] * scale)
    np.fill_diagonal(made, 1.0)
    found: Matrix = made.tolist()
    return found


def eigen(matrix: Real) -> tuple[Real, Real]:
    """Eigenvalues and, line by line, eigenvectors of a symmetric matrix, by Jacobi's rotations.

    >>> values, vectors = eigen(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> values.round(6).tolist()
    [1.0, 3.0]
    """
    turned = matrix.copy()
    size = len(turned)
    vectors = np.eye(size)
    for _ in range(MOST_SWEEPS):
        if np.abs(turned - np.diag(np.diag(turned))).max(initial=0.0) < _NEGLIGIBLE:
            break
        for p in range(size - 1):
            for q in range(p + 1, size):
                if abs(turned[p, q]) >= _NEGLIGIBLE:
                    _rotate(turned, vectors, p, q)
    return np.diag(turned).copy(), vectors


def _rotate(turned: Real, vectors: Real, p: int, q: int) -> None:
    """Turn two axes such that the cell where they meet becomes 0."""
    ratio = float(turned[q, q] - turned[p, p]) / (2.0 * float(turned[p, q]))
    tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    for one, other in (
        (turned[p], turned[q]),
        (turned[:, p], turned[:, q]),
        (vectors[p], vectors[q]),
    ):
        was = one.copy()
        one[:] = cosine * was - sine * other
        other[:] = sine * was + cosine * other
