"""A Gaussian copula for columns of whole numbers: fit it on a table, draw another with a seed.

Every column is cut into ordered cells, and each cell stands for a slice of a standard normal
variable with the same share. The correlations of those variables are chosen such that the cells of
each pair of columns vary together as in the table; a draw then goes the way back.

The same table and seed give the same numbers on any machine. Therefore sums are either exact
(`math.fsum`, counts) or made in a fixed order, there is no call into a linear algebra library, and
the random bits of PCG64 are turned into normal variables here, because numpy may change its own
distributions. The normal distribution of the standard library can differ between platforms in its
last bit; that moves a drawn number only if it falls within 1e-15 of the border of a cell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int64]
Real: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = "list[list[float]]"

NORMAL: Final = NormalDist()

# A column with more values than this is drawn from the spans between so many quantiles: its single
# values belong to single people and must not be repeated.
MOST_CELLS: Final = 1000

# The terms that count for correlations up to the largest that is used.
TERMS: Final = 60
LARGEST_CORRELATION: Final = 0.97
BISECTIONS: Final = 50

# The part of the variance of a normal variable that the others may explain.
MOST_EXPLAINED: Final = 0.99


@dataclass(frozen=True)
class Marginal:
    """The distribution of one column: ordered cells from `low` to `high`, both included."""

    low: Whole
    high: Whole
    counts: Whole

    @classmethod
    def of(cls, column: Whole) -> Marginal:
        """Take every value as a cell, or, if there are too many, spans of about equal counts.

        >>> Marginal.of(np.array([3, 1, 3, 3])).counts.tolist()
        [1, 3]
        """
        high = np.unique(column)
        low = high
        if len(high) > MOST_CELLS:
            last = np.arange(1, MOST_CELLS + 1) * len(column) // MOST_CELLS - 1
            high = np.unique(np.sort(column)[last])
            low = np.concatenate([[column.min()], high[:-1] + 1])
        counts = np.bincount(np.searchsorted(high, column), minlength=len(high))
        return cls(low, high, counts)

    def cells(self, column: Whole) -> Whole:
        """The number of the cell that each value lies in."""
        return np.searchsorted(self.high, column)

    @cached_property
    def borders(self) -> Real:
        """The share of rows up to the end of each cell; the last is 1."""
        return np.asarray(np.cumsum(self.counts) / self.counts.sum())

    @cached_property
    def cuts(self) -> list[float]:
        """The points that cut a normal variable into slices with the shares of the cells."""
        return [NORMAL.inv_cdf(share) for share in self.borders[:-1].tolist()]

    @cached_property
    def scores(self) -> list[float]:
        """The mean of the normal variable in each slice.

        >>> [round(score, 6) for score in Marginal.of(np.array([0, 1])).scores]
        [-0.797885, 0.797885]
        """
        densities = [0.0, *map(NORMAL.pdf, self.cuts), 0.0]
        shares = (self.counts / self.counts.sum()).tolist()
        return [(a - b) / share for (a, b), share in zip(pairwise(densities), shares, strict=True)]

    @cached_property
    def terms(self) -> list[float]:
        """The scores, as a function of the normal variable, in Hermite polynomials 1 to `TERMS`.

        They are the coefficients with respect to the polynomials of norm one. The function is a
        staircase, so each is a sum over its jumps.
        """
        cuts = np.array(self.cuts, dtype=np.float64)
        jumps = np.array([b - a for a, b in pairwise(self.scores)], dtype=np.float64)
        weights = jumps * np.array([NORMAL.pdf(cut) for cut in self.cuts], dtype=np.float64)
        before, polynomial = np.zeros_like(cuts), np.ones_like(cuts)
        found = []
        for k in range(1, TERMS + 1):
            found.append(math.fsum((weights * polynomial).tolist()) / math.sqrt(k))
            following = (cuts * polynomial - math.sqrt(k - 1) * before) / math.sqrt(k)
            before, polynomial = polynomial, following
        return found

    def values_at(self, normal: Real) -> Whole:
        """Turn normal variables into values; inside a span all values are equally likely."""
        uniform = np.array([NORMAL.cdf(z) for z in normal.tolist()])
        cell = np.minimum(np.searchsorted(self.borders, uniform), len(self.high) - 1)
        start = np.concatenate([[0.0], self.borders[:-1]])
        within = (uniform - start[cell]) / (self.borders - start)[cell]
        low, high = self.low[cell], self.high[cell]
        drawn = low + np.floor(within * (high - low + 1)).astype(np.int64)
        return np.asarray(np.clip(drawn, low, high))


@dataclass(frozen=True)
class GaussianCopula:
    """Marginals by column name, and the lower triangle that correlates normal variables."""

    marginals: Mapping[str, Marginal]
    factor: Matrix

    @classmethod
    def fit(cls, columns: Mapping[str, Whole]) -> GaussianCopula:
        """Learn the columns of a table and how each pair of them varies together."""
        marginals = {name: Marginal.of(column) for name, column in columns.items()}
        cells = [marginals[name].cells(column) for name, column in columns.items()]
        known = list(marginals.values())
        matrix = [[float(i == j) for j in range(len(known))] for i in range(len(known))]
        for i, j in combinations(range(len(known)), 2):
            together = covariance(known[i], known[j], cells[i], cells[j])
            matrix[i][j] = matrix[j][i] = latent_correlation(known[i], known[j], together)
        return cls(marginals, cholesky(matrix))

    def draw(self, rows: int, seed: int) -> dict[str, Whole]:
        """Draw a table with as many rows as asked for."""
        independent = normal_draws(rows, len(self.marginals), seed)
        drawn = {}
        for (name, marginal), weights in zip(self.marginals.items(), self.factor, strict=True):
            normal = np.zeros(rows)
            for weight, part in zip(weights, independent, strict=False):
                normal = normal + weight * part
            drawn[name] = marginal.values_at(normal)
        return drawn


def covariance(x: Marginal, y: Marginal, x_cells: Whole, y_cells: Whole) -> float:
    """The covariance of the scores of two columns (their means are 0)."""
    pairs, counts = np.unique(x_cells * len(y.high) + y_cells, return_counts=True)
    x_scores = np.array(x.scores)[pairs // len(y.high)]
    y_scores = np.array(y.scores)[pairs % len(y.high)]
    return math.fsum((counts * x_scores * y_scores).tolist()) / len(x_cells)


def latent_correlation(x: Marginal, y: Marginal, wanted: float) -> float:
    """The correlation of two normal variables whose scores have the covariance that is wanted.

    The correlation of the scores would do for columns with many values, but it is far too small for
    columns with few. With correlation r the covariance is the sum of r^k times the products of the
    k-th terms (Mehler's formula); it grows with r, so the r is found by bisection.
    """
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
    for i, line in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            inner = math.fsum(a * b for a, b in zip(row, factor[j], strict=False))
            row.append((line[j] - inner) / factor[j][j])
        explained = math.fsum(a * a for a in row)
        if explained > MOST_EXPLAINED:
            row = [a * math.sqrt(MOST_EXPLAINED / explained) for a in row]
            explained = MOST_EXPLAINED
        factor.append([*row, math.sqrt(1 - explained)])
    return factor


def random_bits(count: int, seed: int) -> NDArray[np.uint64]:
    """Random whole numbers of 64 bits, the same in every version of numpy."""
    return np.asarray(np.random.PCG64(seed).random_raw(count), dtype=np.uint64)


def normal_draws(rows: int, columns: int, seed: int) -> list[Real]:
    """Independent standard normal variables, a list of columns.

    >>> [column.round(6).tolist() for column in normal_draws(1, 2, seed=0)]
    [[0.350349], [-0.613458]]
    """
    # 52 bits and a half: exact, and never 0 or 1.
    uniform = ((random_bits(rows * columns, seed) >> np.uint64(12)) + 0.5) / 2**52
    normal = np.array([NORMAL.inv_cdf(share) for share in uniform.tolist()])
    return [normal[i * rows : (i + 1) * rows] for i in range(columns)]
