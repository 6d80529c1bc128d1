"""The order of cells that have none: labels, and nulls.

A copula needs ordered cells. Every label gets the score that lets its column correlate most with
the scores of the other columns (the sum of all squared correlations grows with every round: J. de
Leeuw, Multivariate analysis with optimal scaling, 1988), and labels are ordered by their scores.
Numbers and dates keep theirs; nulls among them come to the end of the order that is nearer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from petaudit.synthesizing.copula import Marginal
from petaudit.synthesizing.normal import Integers, Real, Slices, random_bits

MOST_ROWS: Final = 50_000
LEAST_ROWS: Final = 2_000
MOST_WORK: Final = 20_000_000
"""Rows times pairs of columns: of a larger table, some rows at random decide on the order."""
ROUNDS: Final = 10


@dataclass(frozen=True)
class CellColumn:
    """A column as cells: how they are distributed, and the cell of each row."""

    marginal: Marginal
    cells: Integers
    is_nominal: bool
    """Whether the cells have no order of their own."""

    @property
    def is_free(self) -> bool:
        """Whether there is something to order."""
        return self.is_nominal or self.marginal.null is not None

    def reordered(self, order: Integers) -> CellColumn:
        """The same column with its cells in another order."""
        if (order[:-1] < order[1:]).all():
            return self
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return CellColumn(self.marginal.reordered(order), places[self.cells], self.is_nominal)


class _Scored:
    """A column of the rows that decide, with a score for each of its cells."""

    def __init__(self, column: CellColumn, rows: Integers | None) -> None:
        self.column = column
        self.cells = column.cells if rows is None else column.cells[rows]
        # A label that is not in these rows has no influence, and its place does not matter.
        self.counts = np.bincount(self.cells, minlength=len(column.marginal.low))
        self.first = self._normed(_first_scores(column))
        self.take(self.first)

    def take(self, scores: Real) -> None:
        """Change the scores."""
        self.scores = scores
        self.in_rows = scores[self.cells]

    def sums(self, target: Real) -> Real:
        """The sum of a target over the rows of each cell."""
        # Made in a fixed order, unlike numpy's own sums.
        sums = np.bincount(self.cells, weights=target, minlength=len(self.counts))
        return np.asarray(sums, dtype=np.float64)

    def nearest(self, sums: Real) -> Real:
        """The scores that are nearest to a target: any for labels, else on a line."""
        means = sums / np.maximum(self.counts, 1)
        if self.column.is_nominal:
            return self._normed(means)
        square = math.fsum((self.counts * self.first * self.first).tolist())
        line = self.first * (math.fsum((self.first * sums).tolist()) / square if square else 0.0)
        if self.column.marginal.null is not None:
            line[self.column.marginal.null] = means[self.column.marginal.null]
        return self._normed(line)

    def improve(self, others: Sequence[_Scored]) -> None:
        """Take scores that correlate more with those of the other columns, if there are some."""
        sums = [self.sums(other.in_rows) for other in others]
        now = self._correlations(self.scores, sums)
        # Either nearer to all others, each as much as it counts, or to one of them alone.
        towards_all = np.zeros(len(self.counts))
        for correlation, total in zip(now, sums, strict=True):
            towards_all += correlation * total
        alone = [self.nearest(total) for total in sums]
        correlations = [
            self._correlations(scores, [total])[0]
            for scores, total in zip(alone, sums, strict=True)
        ]
        best, most = self.scores, math.fsum(r * r for r in now)
        for scores in (self.nearest(towards_all), alone[correlations.index(max(correlations))]):
            reached = math.fsum(r * r for r in self._correlations(scores, sums))
            if reached > most:
                best, most = scores, reached
        self.take(best)

    def _correlations(self, scores: Real, sums: Sequence[Real]) -> list[float]:
        return [math.fsum((scores * total).tolist()) / len(self.cells) for total in sums]

    def order(self) -> Integers:
        """The cells by their scores; of numbers, only null can move."""
        if self.column.is_nominal:
            return np.argsort(self.scores, kind="stable")
        order = np.arange(len(self.scores))
        null = self.column.marginal.null
        if null is None or not null:
            return order
        # The null cell stands last here, the others in their order.
        rises = self.scores[null - 1] >= self.scores[0]
        is_high = self.scores[null] >= 0
        return order if rises == is_high else np.roll(order, 1)

    def _normed(self, values: Real) -> Real:
        """Values with mean 0 and variance 1 over the rows; zeros if they do not vary."""
        rows = len(self.cells)
        centred = values - math.fsum((self.counts * values).tolist()) / rows
        variance = math.fsum((self.counts * centred * centred).tolist()) / rows
        return np.asarray(centred / math.sqrt(variance) if variance > 1e-20 else centred * 0.0)


def well_ordered(columns: Sequence[CellColumn]) -> list[CellColumn]:
    """Put the cells of every column into an order that shows how the columns depend."""
    if len(columns) == 1 or not any(column.is_free for column in columns):
        return list(columns)
    pairs = len(columns) * sum(column.is_free for column in columns)
    most = min(MOST_ROWS, max(LEAST_ROWS, MOST_WORK // pairs))
    rows = _some_rows(len(columns[0].cells), most)
    scored = [_Scored(column, rows) for column in columns]
    for _ in range(ROUNDS):
        for current in scored:
            if current.column.is_free:
                current.improve([other for other in scored if other is not current])
    return [current.column.reordered(current.order()) for current in scored]


def _some_rows(rows: int, most: int) -> Integers | None:
    if rows <= most:
        return None
    # The seed is fixed: the order is a property of the table, not of the draw.
    shuffled = np.argsort(random_bits(rows, seed=0), kind="stable")
    return np.sort(shuffled[:most])


def _first_scores(column: CellColumn) -> Real:
    """The scores of the cells in their first order; null has none."""
    counts = column.marginal.slices.counts
    null = column.marginal.null
    if null is None:
        return np.array(column.marginal.slices.scores)
    known = np.delete(counts, null)
    scores = Slices(known).scores if known.size else []
    return np.insert(np.array(scores, dtype=np.float64), null, 0.0)
