"""The coefficients of two columns of one table: from its rows, or from sums of an engine."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from petaudit.exact.association import (
    Cells,
    Floats,
    centred_labels,
    corrected_ratio,
    corrected_v,
    correlation_ratio,
    count_cells,
    cramers_v,
    exact_correlation,
    pearson,
    ranks_of,
    spearman,
)
from petaudit.measures._associated_columns import AssociatedColumn
from petaudit.tables.sums import PairSums

_DIGITS: Final = 12


class Association(Protocol):
    """What is asked of two columns."""

    @property
    def rows(self) -> int:
        """How many rows say something in both columns."""

    @property
    def values(self) -> tuple[int, int]:
        """How many different labels these rows have, of either column."""

    def correlations(self) -> tuple[float, float]:
        """Pearson's and Spearman's, of two columns of numbers."""

    def ratio(self) -> float:
        """Eta, of a column of numbers and one of labels."""

    def cramers_v(self) -> float:
        """Of two columns of labels."""


def association(left: AssociatedColumn, right: AssociatedColumn) -> Association:
    """Where rows live elsewhere their engine adds up, and neither rows nor pairs are fetched."""
    if left.codes is None or right.codes is None:
        return _FromSums(left, right)
    return _FromRows(left, right)


def _values(column: AssociatedColumn) -> Floats:
    assert column.numbers is not None  # noqa: S101 (asked only of columns of numbers)
    return column.numbers


class _FromRows:
    """The rows in which both sides say something."""

    def __init__(self, left: AssociatedColumn, right: AssociatedColumn) -> None:
        self._left, self._right = left, right

    @cached_property
    def _cells(self) -> Cells:
        """Counted pairs of values, so that the order of rows makes no difference."""
        left, right = self._left, self._right
        assert left.codes is not None  # noqa: S101 (asked only of tables that are here)
        assert right.codes is not None  # noqa: S101
        found = count_cells(left.codes, right.codes, (len(left.known), len(right.known)))
        if left.known.all() and right.known.all():
            return found
        return found.where(left.known[found.first] & right.known[found.second])

    @property
    def rows(self) -> int:
        return int(self._cells.counts.sum())

    @property
    def values(self) -> tuple[int, int]:
        first, second = (
            int(np.count_nonzero(np.bincount(own)))
            for own in (self._cells.first, self._cells.second)
        )
        return first, second

    def correlations(self) -> tuple[float, float]:
        exact = self._exact_correlations()
        if exact is not None:
            return exact
        first, second = _values(self._left), _values(self._right)
        return pearson(self._cells, first, second), spearman(self._cells, first, second)

    def _exact_correlations(self) -> tuple[float, float] | None:
        """Straight from the rows, where whole numbers are small enough to be added up exactly."""
        left, right = self._left, self._right
        if left.whole is None or right.whole is None or left.codes is None or right.codes is None:
            return None
        chosen = None
        if not (left.known.all() and right.known.all()):
            chosen = left.known[left.codes] & right.known[right.codes]
        sides = [own.numbers_and_ranks(chosen) for own in (left, right)]
        linear, ranked = (exact_correlation(*own) for own in zip(*sides, strict=True))
        return None if linear is None or ranked is None else (linear, ranked)

    def ratio(self) -> float:
        if self._right.numbers is None:
            return correlation_ratio(self._cells.swapped, _values(self._left))
        return correlation_ratio(self._cells, self._right.numbers)

    def cramers_v(self) -> float:
        return cramers_v(self._cells)


class _FromSums:
    """The same formulas, to twelve digits: an engine may add up floats in any order."""

    def __init__(self, left: AssociatedColumn, right: AssociatedColumn) -> None:
        self._columns = (left, right)
        names, known = (left.name, right.name), (left.known, right.known)
        self._sums = PairSums(left.counts, names, known)

    @property
    def rows(self) -> int:
        return int(self._sums.rows[0].sum())

    @property
    def values(self) -> tuple[int, int]:
        first, second = (int(np.count_nonzero(own)) for own in self._sums.rows)
        return first, second

    def correlations(self) -> tuple[float, float]:
        rows = self._sums.rows
        values = [_values(own) for own in self._columns]
        ranks = [ranks_of(*own) for own in zip(values, rows, strict=True)]
        sides = [
            [centred_labels(*own) for own in zip(numbers, rows, strict=True)]
            for numbers in (values, ranks)
        ]
        # Values that are all the same have the same rank too.
        factors = [(one, other) for one, other in sides if one is not None and other is not None]
        if not factors:
            return 0.0, 0.0
        found = []
        sums = self._sums.products(factors)
        for (one, other), covariance in zip(factors, sums, strict=True):
            squares = float(np.sum(rows[0] * one * one)) * float(np.sum(rows[1] * other * other))
            found.append(_rounded(max(-1.0, min(1.0, covariance / math.sqrt(squares)))))
        return found[0], found[1]

    def ratio(self) -> float:
        group = int(self._columns[0].numbers is not None)
        rows = self._sums.rows[group]
        others = self._sums.rows[1 - group]
        centred = centred_labels(_values(self._columns[1 - group]), others)
        present = rows > 0
        if centred is None:
            return 0.0
        sums = self._sums.sums_by(group, centred)
        between = float(np.sum(sums[present] ** 2 / rows[present]))
        squares = float(np.sum(others * centred * centred))
        return _rounded(corrected_ratio(between / squares, self.values[group], self.rows))

    def cramers_v(self) -> float:
        if min(self.values) < 2:
            return 0.0
        total = float(self.rows)
        surplus, expected, pairs = self._sums.surplus()
        if pairs < self.values[0] * self.values[1]:
            # What independence expects of the pairs that never occur: each adds just that.
            surplus += max(total - expected, 0.0)
        return _rounded(corrected_v(surplus / total, self.values, self.rows))


def _rounded(coefficient: float) -> float:
    # Adding zero makes -0.0 a 0.0.
    return round(coefficient, _DIGITS) + 0.0
