"""Correlations that were found pair by pair, made to go together.

Without a linear algebra library: those sum in an order that depends on the processor.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from petaudit.synthesizing.correlation import Matrix, goes_together
from petaudit.synthesizing.normal import Real

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
