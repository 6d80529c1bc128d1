"""Association of two columns, from the counts of their pairs of values.

Working on counts instead of rows makes every figure independent of the order of rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.int64]

_BINS_PER_ROW: Final = 8
_FEW_BINS: Final = 1 << 20
_LARGEST_SUM: Final = 1 << 62


@dataclass(frozen=True)
class Cells:
    """The pairs of values that occur: the place of each value in its column, and the rows."""

    first: Places
    second: Places
    counts: Places

    def where(self, kept: npt.NDArray[np.bool_]) -> Cells:
        """Some of the pairs."""
        return Cells(self.first[kept], self.second[kept], self.counts[kept])

    @property
    def swapped(self) -> Cells:
        """The same pairs the other way round."""
        return Cells(self.second, self.first, self.counts)


def count_cells(
    first: npt.NDArray[np.integer], second: npt.NDArray[np.integer], sizes: tuple[int, int]
) -> Cells:
    """Count the pairs of two columns of codes.

    >>> cells = count_cells(np.array([0, 1, 0]), np.array([2, 0, 2]), (2, 3))
    >>> cells.first.tolist(), cells.second.tolist(), cells.counts.tolist()
    ([0, 1], [2, 0], [2, 1])
    """
    bins = sizes[0] * sizes[1]
    both = first.astype(np.int64) * sizes[1] + second
    if bins <= max(_FEW_BINS, _BINS_PER_ROW * len(first)):
        counts = np.bincount(both, minlength=1)
        pairs = np.flatnonzero(counts)
        counts = counts[pairs]
    else:
        pairs, counts = np.unique(both, return_counts=True)
    return Cells(pairs // sizes[1], pairs % sizes[1], counts.astype(np.int64))


def pearson(cells: Cells, first: Floats, second: Floats) -> float:
    """Pearson's correlation of two columns of numbers; 0 where one of them is constant.

    >>> cells = count_cells(np.array([0, 1, 2]), np.array([0, 1, 0]), (3, 2))
    >>> pearson(cells, np.array([1.0, 2.0, 4.0]), np.array([5.0, 5.0]))
    0.0
    """
    left = _centred(first[cells.first], cells.counts)
    right = _centred(second[cells.second], cells.counts)
    if left is None or right is None:
        return 0.0
    covariance = float(np.sum(cells.counts * left * right))
    # Both sums are between 1/2 and the number of rows; one root makes r of equal columns just 1.
    squares = float(np.sum(cells.counts * left * left)) * float(
        np.sum(cells.counts * right * right)
    )
    return max(-1.0, min(1.0, covariance / math.sqrt(squares)))


def spearman(cells: Cells, first: Floats, second: Floats) -> float:
    """Pearson's correlation of the ranks; equal values share the mean of their ranks.

    >>> cells = count_cells(np.array([0, 1, 2]), np.array([0, 1, 2]), (3, 3))
    >>> round(spearman(cells, np.array([1.0, 2.0, 9.0]), np.array([3.0, 1.0, 2.0])), 12)
    -0.5
    """
    left, right = _ranks(cells.first, first, cells), _ranks(cells.second, second, cells)
    return pearson(cells, left, right)


def correlation_ratio(cells: Cells, numbers: Floats) -> float:
    """Eta: the root of the share of the variance that lies between the groups, without chance.

    The groups are the first column of the cells, ``numbers`` the values of the second.

    >>> cells = count_cells(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2]), (2, 3))
    >>> round(correlation_ratio(cells, np.array([0.0, 2.0, 4.0])) ** 2, 12)
    0.25
    """
    values = _centred(numbers[cells.second], cells.counts)
    if values is None:
        return 0.0
    rows = np.bincount(cells.first, weights=cells.counts)
    sums = np.bincount(cells.first, weights=cells.counts * values)
    present = rows > 0
    between = float(np.sum(sums[present] ** 2 / rows[present]))
    share = between / float(np.sum(cells.counts * values * values))
    return corrected_ratio(share, int(np.count_nonzero(present)), int(cells.counts.sum()))


def corrected_ratio(share: float, groups: int, rows: int) -> float:
    """Eta from its square, less what as many groups explain by chance (Kelley 1935).

    >>> corrected_ratio(1.0, 2, 10), corrected_ratio(0.25, 3, 9), corrected_ratio(1.0, 5, 5)
    (1.0, 0.0, 0.0)
    """
    if groups < 2 or groups >= rows:
        return 0.0
    chance = (1 - min(share, 1.0)) * (rows - 1) / (rows - groups)
    return math.sqrt(max(0.0, 1 - chance))


def cramers_v(cells: Cells) -> float:
    """Cramér's V of two columns of labels, corrected for bias.

    >>> cramers_v(count_cells(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), (2, 2)))
    1.0
    """
    if not cells.counts.size:
        return 0.0
    rows, columns = (
        np.bincount(places, weights=cells.counts).astype(np.float64)
        for places in (cells.first, cells.second)
    )
    total = float(cells.counts.sum())
    expected = rows[cells.first] * columns[cells.second] / total
    surplus = float(np.sum((cells.counts - expected) ** 2 / expected))
    surplus += _expected_of_absent(cells, rows, columns, expected)
    values = (int(np.count_nonzero(rows)), int(np.count_nonzero(columns)))
    return corrected_v(surplus / total, values, int(total))


def corrected_v(phi_squared: float, values: tuple[int, int], rows: int) -> float:
    """Cramér's V less what as many values have by chance (Bergsma 2013).

    Phi-square of two independent columns is about (r - 1)(c - 1) / (n - 1), and not 0. Where all
    values of a column are different, nothing is left to tell a relation from chance by.

    >>> corrected_v(1.0, (2, 2), 8), corrected_v(0.1, (2, 2), 8), corrected_v(7.0, (8, 8), 8)
    (1.0, 0.0, 0.0)
    """
    left, right = values
    if min(values) < 2 or max(values) >= rows:
        return 0.0
    surplus = phi_squared - (left - 1) * (right - 1) / (rows - 1)
    freedom = min((left - 1) * (rows - left), (right - 1) * (rows - right)) / (rows - 1)
    return min(1.0, math.sqrt(max(0.0, surplus) / freedom))


@dataclass(frozen=True)
class WholeColumn:
    """The integers of some rows, shifted to start at 0, and their sums."""

    numbers: Places
    largest: int
    total: int
    squares: int
    """0 where the sum is too large for 64 bits."""

    @classmethod
    def of(cls, numbers: Places) -> WholeColumn:
        """From the number of each row."""
        if not numbers.size:
            return cls(numbers, 0, 0, 0)
        above = numbers - numbers.min()
        largest = int(above.max())
        fits = largest * largest * len(above) < _LARGEST_SUM
        return cls(above, largest, int(above.sum()), int(above @ above) if fits else 0)


def exact_correlation(first: WholeColumn, second: WholeColumn) -> float | None:
    """Pearson's correlation of two columns of integers, from exact sums.

    The order of the rows does not matter. None where the sums do not fit into 64 bits.

    >>> one, other = map(WholeColumn.of, (np.array([1, 2, 3]), np.array([0, 1, 5])))
    >>> exact_correlation(one, other) == 5 / math.sqrt(28)
    True
    """
    rows = len(first.numbers)
    if not (first.largest and second.largest):
        return 0.0
    if not (first.squares and second.squares):
        return None
    covariance = rows * int(first.numbers @ second.numbers) - first.total * second.total
    squares = [rows * column.squares - column.total**2 for column in (first, second)]
    # Python divides integers of any size with a single rounding.
    share = covariance * covariance / (squares[0] * squares[1])
    return math.copysign(math.sqrt(share), covariance) if covariance else 0.0


def _expected_of_absent(cells: Cells, rows: Floats, columns: Floats, expected: Floats) -> float:
    """The expected count of the pairs that never occur, which is what they add to the surplus."""
    total = float(cells.counts.sum())
    if len(rows) * len(columns) > _FEW_BINS:
        # That many pairs cannot all occur, and the rest is far larger than any rounding error.
        return max(total - float(np.sum(expected)), 0.0)
    all_expected = np.outer(rows, columns)
    all_expected[cells.first, cells.second] = 0.0
    return float(all_expected.sum()) / total


def centred_labels(values: Floats, rows: Places) -> Floats | None:
    """The same differences for each label of a column, 0 where no row has it.

    >>> centred_labels(np.array([2.0, 4.0, 99.0]), np.array([1, 1, 0])).tolist()
    [-0.5, 0.5, 0.0]
    """
    present = rows > 0
    centred = _centred(values[present], rows[present])
    if centred is None:
        return None
    by_label = np.zeros(len(values))
    by_label[present] = centred
    return by_label


def _centred(values: Floats, counts: Places) -> Floats | None:
    """Differences from the mean, scaled so that no square overflows; None where all are equal."""
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    if low == high:
        return None
    # Halving first keeps the range of numbers near the largest float finite.
    scaled = (values / 2 - low / 2) / (high / 2 - low / 2)
    centred: Floats = scaled - np.sum(counts * scaled) / counts.sum()
    return centred


def _ranks(places: Places, values: Floats, cells: Cells) -> Floats:
    rows = np.bincount(places, weights=cells.counts, minlength=len(values))
    return ranks_of(values, rows.astype(np.int64))


def ranks_of(values: Floats, rows: Places) -> Floats:
    """The mean rank of each value of a column; ``rows`` is the number of rows with each value.

    >>> ranks_of(np.array([5.0, 1.0]), np.array([2, 1])).tolist()
    [2.5, 1.0]
    """
    distinct, group = np.unique(values, return_inverse=True)
    per_value = np.bincount(group, weights=rows, minlength=len(distinct))
    middle: Floats = np.cumsum(per_value) - (per_value - 1) / 2
    return middle[group]


def doubled_ranks(values: Places, codes: npt.NDArray[np.integer]) -> Places:
    """Twice the mean rank of each value among some rows: integers, because ties are halves.

    >>> doubled_ranks(np.array([5, 1, 1]), np.array([0, 0, 1, 2])).tolist()
    [7, 3, 3]
    """
    rows = np.bincount(codes, minlength=len(values))
    return (2 * ranks_of(values.astype(np.float64), rows)).astype(np.int64)
