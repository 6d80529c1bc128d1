"""Rows from noisy marginals: consistent estimates along a tree, and draws from the root down.

Nothing here sees the table: what was measured is all there is, so nothing here costs privacy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from petaudit.synthesizing.normal import Integers, Real
from petaudit.synthesizing.private.marginals import Grouping, Measured, projected

FITTINGS: Final = 100
_LITTLE: Final = 1e-6
"""A share of every pair is drawn from independent columns, so that any margins can be fitted."""


def estimated_totals(measured: Measured) -> list[Real]:
    """How many rows the groups of each column have, from everything that was measured of it."""
    totals = []
    for grouping in measured.groupings:
        # A group of rare cells is a sum with the noise of all of them.
        cells = np.bincount(grouping.groups, minlength=grouping.size)
        weight = 1.0 / (measured.column_variance * cells)
        estimate = grouping.totals * weight
        for pair in measured.pairs:
            if grouping.column in (pair.one, pair.other):
                axis = 1 if grouping.column == pair.one else 0
                share = 1.0 / ((measured.pair_variance or 1) * pair.counts.shape[axis])
                estimate += pair.counts.sum(axis=axis) * share
                weight = weight + share
        totals.append(projected(estimate / weight, measured.rows))
    return totals


def fitted(counts: Integers, one: Real, other: Real, rows: float) -> Real:
    """The noisy counts of a pair, made to agree with its columns.

    >>> fitted(np.array([[5, -1], [0, 4]]), np.array([4.0, 4.0]), np.array([4.0, 4.0]), 8.0).round()
    array([[4., 0.],
           [0., 4.]])
    """
    matrix = projected(counts.astype(np.float64), rows)
    matrix = (1.0 - _LITTLE) * matrix + _LITTLE * np.outer(one, other) / rows
    for _ in range(FITTINGS):
        matrix *= _ratio(one, matrix.sum(axis=1))[:, None]
        matrix *= _ratio(other, matrix.sum(axis=0))
    return matrix


def _ratio(wanted: Real, current: Real) -> Real:
    return np.divide(wanted, current, out=np.zeros_like(wanted), where=current > 0.0)


class _Draws:
    """Random numbers after the noise: they choose rows and need not be secret."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(seed)

    def uniform(self, count: int) -> Real:
        """Uniform variables between 0 and 1, neither included."""
        bits = self._generator.random_raw(count) >> np.uint64(12)
        return np.asarray((bits + 0.5) / 2**52, dtype=np.float64)

    def shuffled(self, count: int) -> Integers:
        """The numbers from 0 in random order."""
        return np.argsort(self._generator.random_raw(count), kind="stable")

    def allotted(self, count: int, shares: Real) -> Integers:
        """Divide so many rows among places, each getting its share up to one row, in order."""
        ends = np.cumsum(shares if shares.sum() > 0.0 else np.ones_like(shares))
        points = (np.arange(count) + self.uniform(1)) * (ends[-1] / count)
        return np.asarray(np.minimum(np.searchsorted(ends, points, "right"), len(ends) - 1))


def draw(measured: Measured, rows: int, seed: int) -> tuple[list[Integers], list[Real]]:
    """Draw rows: for every column the cells, and a uniform variable for the place inside."""
    draws = _Draws(seed)
    totals = estimated_totals(measured)
    groups: dict[int, Integers] = {}
    for child, parent, counts in _from_roots(measured):
        if parent is None:
            places = np.empty(rows, np.int64)
            places[draws.shuffled(rows)] = draws.allotted(rows, totals[child])
            groups[child] = places
        else:
            matrix = fitted(counts, totals[parent], totals[child], measured.rows)
            groups[child] = _divided(groups[parent], matrix, draws)
    cells = [_single(groups[grouping.column], grouping, draws) for grouping in measured.groupings]
    return cells, [draws.uniform(rows) for _ in cells]


def _single(groups: Integers, grouping: Grouping, draws: _Draws) -> Integers:
    """The cells of groups: only the last group may have several, which are rare."""
    last = grouping.size - 1
    cells = np.empty(grouping.size, np.int64)
    cells[grouping.groups] = np.arange(len(grouping.groups))
    drawn = cells[groups]
    rare = np.flatnonzero(grouping.groups == last)
    if len(rare) > 1:
        [rows] = np.nonzero(groups == last)
        if len(rows):
            places = draws.allotted(len(rows), grouping.counts[rare] + _LITTLE)
            drawn[rows[draws.shuffled(len(rows))]] = rare[places]
    return drawn


def _divided(above: Integers, matrix: Real, draws: _Draws) -> Integers:
    """Divide the rows of each place above by the line of the matrix that belongs to it."""
    shuffled = draws.shuffled(len(above))
    order = shuffled[np.argsort(above[shuffled], kind="stable")]
    sizes = np.bincount(above, minlength=len(matrix))
    below = np.empty_like(above)
    for place, members in enumerate(np.split(order, np.cumsum(sizes)[:-1])):
        if len(members):
            below[members] = draws.allotted(len(members), matrix[place])
    return below


def _from_roots(measured: Measured) -> Iterator[tuple[int, int | None, Integers]]:
    """Every column after the one it hangs on, with their noisy counts, the latter's in lines."""
    reached: set[int] = set()
    for grouping in measured.groupings:
        if grouping.column in reached:
            continue
        waiting: list[tuple[int, int | None, Integers]] = [
            (grouping.column, None, np.zeros((0, 0), np.int64))
        ]
        while waiting:
            column, parent, counts = waiting.pop()
            if column not in reached:
                reached.add(column)
                yield column, parent, counts
                for pair in measured.pairs:
                    if pair.one == column:
                        waiting.append((pair.other, column, pair.counts))
                    elif pair.other == column:
                        waiting.append((pair.one, column, pair.counts.T))
