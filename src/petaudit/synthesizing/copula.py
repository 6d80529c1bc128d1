"""Drawing rows from marginals, by themselves or tied together by a Gaussian copula.

Every cell of a column stands for a slice of a standard normal variable with the same share. The
correlations of those variables are chosen such that the cells of each pair of columns vary together
as in the table; a draw then goes the way back.

Sums are exact (`math.fsum`) or made in a fixed order (`np.bincount`), and there is no call into a
linear algebra library, whose sums depend on the processor: the same table gives the same numbers on
any machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from petaudit.synthesizing.normal import (
    Integers,
    Real,
    Slices,
    normal_at,
    share_below,
    uniform_draws,
)

Numbers: TypeAlias = NDArray[Any]
"""Whole numbers (int64) or floats (float64)."""
Matrix: TypeAlias = "list[list[float]]"

MOST_VALUES: Final = 1000
"""A column with more values is drawn from spans: its single values belong to single people and must
not be repeated."""
SMALLEST_SPAN: Final = 10
"""About how many rows a span stands for, at least."""
MOST_CELLS: Final = 1000
"""Columns with more cells are made coarser before they are compared."""
LARGEST_CORRELATION: Final = 0.97
BISECTIONS: Final = 50
MOST_EXPLAINED: Final = 0.99
"""The part of the variance of a normal variable that the others may explain."""
SMALLEST_VARIANCE: Final = 0.02
"""What every combination of the normal variables, of norm one, varies at least."""
MOST_SWEEPS: Final = 30
_NEGLIGIBLE: Final = 1e-12


@dataclass(frozen=True)
class Marginal:
    """Cells from `low` to `high`, both included; whole numbers are `step` apart inside a span."""

    low: Numbers
    high: Numbers
    slices: Slices
    step: int = 1
    null: int | None = None
    """The number of the cell that stands for null, if there is one."""

    @cached_property
    def has_spans(self) -> bool:
        """Whether some cell holds more than one value."""
        return bool((self.low < self.high).any())

    def drawn_at_normal(self, points: Real) -> tuple[Integers, Numbers]:
        """Turn normal variables into cells and values; in a span all values are equally likely."""
        cells = np.searchsorted(self.slices.cuts, points)
        if not self.has_spans:
            return cells, self.low[cells]
        values = self.low[cells]
        [inside] = np.nonzero((self.low < self.high)[cells])
        values[inside] = self._inside(cells[inside], share_below(points[inside]))
        return cells, values

    def drawn_at_uniform(self, shares: Real) -> tuple[Integers, Numbers]:
        """The same for uniform variables."""
        cells = np.minimum(np.searchsorted(self.slices.borders, shares), len(self.low) - 1)
        return cells, self._inside(cells, shares) if self.has_spans else self.low[cells]

    def with_null(self, count: int) -> Marginal:
        """Add a last cell that stands for null."""
        if not count:
            return self
        low, high = (np.append(ends, np.zeros(1, ends.dtype)) for ends in (self.low, self.high))
        slices = Slices(np.append(self.slices.counts, count))
        return Marginal(low, high, slices, self.step, len(self.low))

    def reordered(self, order: Integers) -> Marginal:
        """The same cells in another order."""
        null = None if self.null is None else int(np.flatnonzero(order == self.null)[0])
        slices = Slices(self.slices.counts[order])
        return Marginal(self.low[order], self.high[order], slices, self.step, null)

    def _inside(self, cells: Integers, shares: Real) -> Numbers:
        borders = self.slices.borders
        start = np.concatenate([[0.0], borders[:-1]])
        within = np.clip((shares - start[cells]) / (borders - start)[cells], 0.0, 1.0)
        low, high = self.low[cells], self.high[cells]
        if low.dtype == np.float64:
            # Infinities stand alone in their cells, and 0 times infinity is NaN.
            mixed = np.where(low == high, 0.0, within)
            finite_low, finite_high = (np.where(np.isinf(end), 0.0, end) for end in (low, high))
            between = finite_low * (1.0 - mixed) + finite_high * mixed
            return np.where(low == high, low, np.clip(between, low, high))
        # As unsigned numbers: a difference of two whole numbers of 64 bits always fits.
        steps = (high.view(np.uint64) - low.view(np.uint64)) // np.uint64(self.step)
        taken = np.floor(within * (steps.astype(np.float64) + 1.0))
        # The largest float below 2^64: the next one does not fit.
        taken = np.minimum(taken, 2.0**64 - 2.0**11).astype(np.uint64)
        offset = np.minimum(taken, steps) * np.uint64(self.step)
        return np.asarray((low.view(np.uint64) + offset).view(np.int64))


def marginal_of(values: Numbers) -> tuple[Marginal, Integers]:
    """Cut the values of a column, without nulls, into cells; also the cell of each value.

    Every value is a cell. If there are too many values, or most belong to one row only, those that
    are not frequent are joined to spans.

    >>> marginal, cells = marginal_of(np.array([3, 1, 3, 3]))
    >>> marginal.slices.counts.tolist(), cells.tolist()
    ([1, 3], [1, 0, 1, 1])
    """
    known, cells, counts = np.unique(values, return_inverse=True, return_counts=True)
    cells = cells.astype(np.int64, copy=False)
    if len(known) <= MOST_VALUES and 2 * np.count_nonzero(counts == 1) <= len(values):
        return Marginal(known, known, Slices(counts)), cells
    most = min(MOST_VALUES, max(1, len(values) // SMALLEST_SPAN))
    alone = (counts * most >= len(values)) & (counts > 1)
    if known.dtype == np.float64:
        alone |= np.isinf(known)
    before = np.cumsum(np.where(alone, 0, counts)) - np.where(alone, 0, counts)
    part = before * most // max(1, int(counts[~alone].sum()))
    is_first = np.ones(len(known), bool)
    is_first[1:] = alone[1:] | alone[:-1] | (part[1:] != part[:-1])
    firsts = np.flatnonzero(is_first)
    lasts = np.append(firsts[1:], len(known)) - 1
    joined = Slices(np.add.reduceat(counts, firsts))
    places = np.cumsum(is_first) - 1
    return Marginal(known[firsts], known[lasts], joined, _step(known)), places[cells]


def _step(known: Numbers) -> int:
    """The largest number that divides all differences: rounded numbers stay rounded.

    >>> _step(np.array([15, 20, 40]))
    5
    """
    if known.dtype == np.float64:
        return 1
    unsigned = known.view(np.uint64)
    return int(np.gcd.reduce(unsigned - unsigned[0])) or 1


def correlations(columns: Sequence[tuple[Slices, Integers]]) -> Matrix:
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
        covariance = 0.0
        for product in reversed(products):
            covariance = (covariance + product) * middle
        low, high = (middle, high) if covariance < wanted else (low, middle)
    return (low + high) / 2


def cholesky(matrix: Sequence[Sequence[float]]) -> tuple[Matrix, bool]:
    """Return the lower triangle whose square is a correlation matrix, and whether it is just that.

    Correlations that were found pair by pair need not go together. Where they do not, those of the
    later variable with the ones before it are weakened, all by the same factor.

    >>> cholesky([[1.0, 0.6], [0.6, 1.0]])
    ([[1.0], [0.6, 0.8]], True)
    """
    factor: Matrix = []
    is_exact = True
    for line in matrix:
        row: list[float] = []
        for cell, before in zip(line, factor, strict=False):
            inner = math.fsum(a * b for a, b in zip(row, before, strict=False))
            row.append((cell - inner) / before[-1])
        explained = math.fsum(a * a for a in row)
        if explained > MOST_EXPLAINED:
            is_exact = False
            row = [a * math.sqrt(MOST_EXPLAINED / explained) for a in row]
            explained = MOST_EXPLAINED
        factor.append([*row, math.sqrt(1 - explained)])
    return factor, is_exact


def repaired(matrix: Matrix) -> Matrix:
    """The given correlations if they go together, else near ones that do.

    Directions in which the variables would vary less than nothing get a small variance, and all
    variances are brought back to 1. Every column gives way a little, not the last one everything.

    >>> near = repaired([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]])
    >>> [[round(cell, 2) for cell in line] for line in near]
    [[1.0, 0.49, 0.49], [0.49, 1.0, -0.49], [0.49, -0.49, 1.0]]
    """
    if cholesky(matrix)[1]:
        return matrix
    values, vectors = eigen(np.array(matrix))
    near = np.zeros_like(vectors)
    for value, vector in zip(np.maximum(values, SMALLEST_VARIANCE), vectors, strict=True):
        near += value * (vector[:, None] * vector)
    scale = 1.0 / np.sqrt(np.diag(near))
    near *= scale[:, None] * scale
    np.fill_diagonal(near, 1.0)
    return [[float(cell) for cell in line] for line in near]


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


Drawn: TypeAlias = "list[tuple[Integers, Numbers]]"
"""For each column the cells and the values of some rows."""

BLOCK_ROWS: Final = 1 << 16


def spans_of_rows(rows: int) -> Iterator[tuple[int, int]]:
    """The rows in blocks that fit into the cache of a processor."""
    for start in range(0, rows, BLOCK_ROWS):
        yield start, min(BLOCK_ROWS, rows - start)


def draw_independent(marginals: Sequence[Marginal], rows: int, seed: int) -> Iterator[Drawn]:
    """Draw every column independently of the others."""
    for start, count in spans_of_rows(rows):
        yield [
            marginal.drawn_at_uniform(uniform_draws(count, seed, place * rows + start))
            for place, marginal in enumerate(marginals)
        ]


@dataclass(frozen=True)
class GaussianCopula:
    """Marginals, and the lower triangle that correlates the normal variables behind them."""

    marginals: Sequence[Marginal]
    factor: Matrix

    @classmethod
    def fit(cls, marginals: Sequence[Marginal], cells: Sequence[Integers]) -> GaussianCopula:
        """Learn how each pair of columns varies together, from the cells of the rows."""
        slices = [marginal.slices for marginal in marginals]
        matrix = correlations(list(zip(slices, cells, strict=True)))
        return cls(marginals, cholesky(repaired(matrix))[0])

    def draw(self, rows: int, seed: int) -> Iterator[Drawn]:
        """Draw a table with as many rows as asked for, in blocks of rows."""
        for start, count in spans_of_rows(rows):
            independent = [
                normal_at(uniform_draws(count, seed, place * rows + start))
                for place in range(len(self.marginals))
            ]
            drawn: Drawn = []
            for marginal, weights in zip(self.marginals, self.factor, strict=True):
                points = np.zeros(count)
                for weight, part in zip(weights, independent, strict=False):
                    points += weight * part
                drawn.append(marginal.drawn_at_normal(points))
            yield drawn
