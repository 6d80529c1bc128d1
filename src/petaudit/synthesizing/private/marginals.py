"""Noisy counts of a table: of every column, and of the pairs of columns that depend most.

Select, measure, fit as in MST (R. McKenna, G. Miklau, D. Sheldon: Winning the NIST Contest, 2021).
Only `measure` looks at rows, through `Counts`, and every look is spent in the ledger before.

Tables are neighbours if one has a row that the other lacks (with people: all rows of one person, at
most `Counts.sensitivity`). A row is counted in one cell of each marginal, so the counts of a
marginal move by at most `sensitivity`, in Euclidean distance as well as in the sum of all changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final

import numpy as np

from petaudit.synthesizing.normal import Integers, Real
from petaudit.synthesizing.private.accountant import (
    Ledger,
    exponential_epsilon,
    exponential_rho,
    gaussian_rho,
    variance_for,
)
from petaudit.synthesizing.private.noise import RandomBits

SHARES: Final = {"columns": Fraction(3, 10), "selection": Fraction(1, 10)}
"""Parts of the budget; the rest is for pairs."""
RARE: Final = 3.0
"""Cells with fewer noisy rows than this many standard deviations of the noise are joined."""
MOST_PAIR_CELLS: Final = 1_000_000


@dataclass(frozen=True)
class Counts:
    """A table as numbers of cells, and how many of its rows one person may have."""

    columns: Sequence[Integers]
    sizes: Sequence[int]
    sensitivity: int = 1

    def of_column(self, column: int) -> Integers:
        """How many rows each cell of a column has."""
        return np.bincount(self.columns[column], minlength=self.sizes[column])

    def of_pair(self, one: Grouping, other: Grouping) -> Integers:
        """How many rows each pair of groups has."""
        rows = one.groups[self.columns[one.column]] * other.size
        rows += other.groups[self.columns[other.column]]
        counts = np.bincount(rows, minlength=one.size * other.size)
        return counts.reshape(one.size, other.size)


@dataclass(frozen=True)
class Grouping:
    """The cells of a column, the rare ones joined to a group, by noisy counts alone."""

    column: int
    groups: Integers
    """The group of each cell."""
    counts: Real
    """How many rows each cell has, estimated: none is negative."""

    @property
    def size(self) -> int:
        """The number of groups."""
        return int(self.groups.max()) + 1

    @property
    def totals(self) -> Real:
        """How many rows each group has, estimated."""
        totals = np.bincount(self.groups, weights=self.counts, minlength=self.size)
        return np.asarray(totals, dtype=np.float64)


@dataclass(frozen=True)
class Pair:
    """The noisy counts of two columns together, by their groups."""

    one: int
    other: int
    counts: Integers


@dataclass(frozen=True)
class Measured:
    """All that is known of a table from here on."""

    rows: float
    groupings: Sequence[Grouping]
    pairs: Sequence[Pair]
    column_variance: int
    pair_variance: int | None


def measure(counts: Counts, ledger: Ledger, bits: RandomBits) -> Measured:
    """Measure every column, select pairs of columns, and measure those."""
    many = len(counts.sizes)
    budget = ledger.budget
    first = budget * SHARES["columns"] if many > 1 else budget
    variance = variance_for(first, counts.sensitivity, many)
    ledger.spend("one column", many, gaussian_rho(counts.sensitivity, variance), variance=variance)
    noisy = [bits.noisy(counts.of_column(column), variance) for column in range(many)]
    rows = _total(noisy)
    groupings = [
        _grouping(column, cells, rows, math.sqrt(variance)) for column, cells in enumerate(noisy)
    ]
    if many == 1:
        return Measured(rows, groupings, [], variance, None)
    for_selection = budget * SHARES["selection"]
    for_pairs = budget - ledger.total - for_selection
    least = variance_for(for_pairs, counts.sensitivity, many - 1)
    chosen = select(counts, groupings, rows, least, for_selection, ledger, bits)
    if not chosen:
        return Measured(rows, groupings, [], variance, None)
    # How many there are was told already, so the rest may be divided by it.
    pair_variance = variance_for(budget - ledger.total, counts.sensitivity, len(chosen))
    cost = gaussian_rho(counts.sensitivity, pair_variance)
    ledger.spend("pair of columns", len(chosen), cost, variance=pair_variance)
    pairs = [
        Pair(a, b, bits.noisy(counts.of_pair(groupings[a], groupings[b]), pair_variance))
        for a, b in chosen
    ]
    return Measured(rows, groupings, pairs, variance, pair_variance)


def select(
    counts: Counts,
    groupings: Sequence[Grouping],
    rows: float,
    variance: int,
    rho: Fraction,
    ledger: Ledger,
    bits: RandomBits,
) -> list[tuple[int, int]]:
    """Choose pairs that make a tree, one after the other, until none seems worth its noise."""
    rounds = len(groupings) - 1
    epsilon = exponential_epsilon(rho, rounds)
    candidates = [
        (one.column, other.column)
        for one, other in combinations(groupings, 2)
        if min(one.size, other.size) > 1 and one.size * other.size <= MOST_PAIR_CELLS
    ]
    scores = {
        (a, b): score(counts, groupings[a], groupings[b], rows, variance) for a, b in candidates
    }
    component = list(range(len(groupings)))
    chosen: list[tuple[int, int]] = []
    while candidates:
        ledger.spend("selection", 1, exponential_rho(epsilon))
        # The last one, without a pair, stands for leaving it at that.
        taken = bits.choice(
            [*(scores[pair] for pair in candidates), 0], epsilon, counts.sensitivity
        )
        if taken == len(candidates):
            break
        a, b = candidates[taken]
        chosen.append((a, b))
        joined, gone = component[a], component[b]
        component = [joined if place == gone else place for place in component]
        candidates = [(a, b) for a, b in candidates if component[a] != component[b]]
    return chosen


def score(counts: Counts, one: Grouping, other: Grouping, rows: float, variance: int) -> int:
    """How much closer the table gets if a pair is measured, in rows, and not less than its noise.

    It is the distance of the counts to those of independent columns, without the noise that a
    measurement would have. All but the counts is known, so a row more moves it by 1 at most.
    """
    expected = np.rint(np.outer(one.totals, other.totals) / max(rows, 1.0)).astype(np.int64)
    distance = int(np.abs(counts.of_pair(one, other) - expected).sum())
    return distance - math.ceil(one.size * other.size * math.sqrt(2.0 * variance / math.pi))


def _total(noisy: Sequence[Integers]) -> float:
    """How many rows there are: from all columns, those with fewer cells being surer."""
    weights = [1.0 / len(cells) for cells in noisy]
    totals = [float(cells.sum()) * weight for cells, weight in zip(noisy, weights, strict=True)]
    return max(1.0, math.fsum(totals) / math.fsum(weights))


def _grouping(column: int, noisy: Integers, rows: float, deviation: float) -> Grouping:
    is_rare = noisy < RARE * deviation
    if is_rare.all():
        is_rare = noisy < noisy.max()
    groups = np.cumsum(~is_rare) - 1
    groups[is_rare] = int((~is_rare).sum())
    return Grouping(column, groups, projected(noisy.astype(np.float64), rows))


def projected(values: Real, total: float) -> Real:
    """The nearest numbers that are not negative and have a given sum.

    >>> projected(np.array([5.0, 3.0, -2.0]), 6.0).tolist()
    [4.0, 2.0, 0.0]
    """
    flat = np.sort(values, axis=None)[::-1]
    above = (np.cumsum(flat) - total) / np.arange(1, len(flat) + 1)
    last = int(np.flatnonzero(flat > above)[-1])
    return np.asarray(np.maximum(values - above[last], 0.0))
