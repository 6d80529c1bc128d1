"""Drawing rows from marginals, by themselves or tied together by a Gaussian copula.

Every cell of a column stands for a slice of a standard normal variable with the same share. The
correlations of those variables are chosen such that the cells of each pair of columns vary together
as in the table; a draw then goes the way back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from petaudit.synthesizing.correlation import Matrix, cholesky, correlations, repaired
from petaudit.synthesizing.normal import Real, Slices, Whole, normal_at, share_below, uniform_draws

Numbers: TypeAlias = NDArray[Any]
"""Whole numbers (int64) or floats (float64)."""

MOST_VALUES: Final = 1000
"""A column with more values is drawn from spans: its single values belong to single people and must
not be repeated."""
SMALLEST_SPAN: Final = 10
"""About how many rows a span stands for, at least."""


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

    def drawn_at_normal(self, points: Real) -> tuple[Whole, Numbers]:
        """Turn normal variables into cells and values; in a span all values are equally likely."""
        cells = np.searchsorted(self.slices.cuts, points)
        if not self.has_spans:
            return cells, self.low[cells]
        values = self.low[cells]
        [inside] = np.nonzero((self.low < self.high)[cells])
        values[inside] = self._inside(cells[inside], share_below(points[inside]))
        return cells, values

    def drawn_at_uniform(self, shares: Real) -> tuple[Whole, Numbers]:
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

    def reordered(self, order: Whole) -> Marginal:
        """The same cells in another order."""
        null = None if self.null is None else int(np.flatnonzero(order == self.null)[0])
        slices = Slices(self.slices.counts[order])
        return Marginal(self.low[order], self.high[order], slices, self.step, null)

    def _inside(self, cells: Whole, shares: Real) -> Numbers:
        borders = self.slices.borders
        start = np.concatenate([[0.0], borders[:-1]])
        within = np.clip((shares - start[cells]) / (borders - start)[cells], 0.0, 1.0)
        low, high = self.low[cells], self.high[cells]
        if low.dtype == np.float64:
            # Infinities stand alone in their cells, and 0 times infinity is no number.
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


def marginal_of(values: Numbers) -> tuple[Marginal, Whole]:
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


Drawn: TypeAlias = "list[tuple[Whole, Numbers]]"
"""For each column the cells and the values of some rows."""

BLOCK_ROWS: Final = 1 << 16


def spans_of_rows(rows: int) -> Iterator[tuple[int, int]]:
    """The rows in blocks that fit into the cache of a processor."""
    for start in range(0, rows, BLOCK_ROWS):
        yield start, min(BLOCK_ROWS, rows - start)


def draw_independent(marginals: Sequence[Marginal], rows: int, seed: int) -> Iterator[Drawn]:
    """Draw every column by itself."""
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
    def fit(cls, marginals: Sequence[Marginal], cells: Sequence[Whole]) -> GaussianCopula:
        """Learn how each pair of columns varies together, from the cells of the rows."""
        columns = [(own.slices, places) for own, places in zip(marginals, cells, strict=True)]
        return cls(marginals, cholesky(repaired(correlations(columns))))

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
