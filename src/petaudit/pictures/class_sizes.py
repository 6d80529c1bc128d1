"""How large the classes are, with the smallest size that is allowed."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from petaudit.i18n.numbers import Unit
from petaudit.pictures._words import check, finite
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.measures.base import Result
    from petaudit.tables import ClassHistogram


@dataclass(frozen=True)
class SizeBin:
    """The classes of some sizes, and the rows in them."""

    lowest: int
    highest: int
    classes: int
    rows: int


@dataclass(frozen=True)
class ClassSizes(Picture):
    """Bins of sizes from the smallest, without gaps; no bin has sizes on both sides of a limit."""

    kind: ClassVar[str] = "class-sizes"

    bins: tuple[SizeBin, ...]
    limit: float | None
    suppressed_rows: int
    counts: str = Unit.ROW.value
    """What its numbers of rows are numbers of: rows, or people."""

    @property
    def unit(self) -> Unit:
        """The same as a unit."""
        return Unit(self.counts)

    def __post_init__(self) -> None:
        check(self.counts in tuple(Unit), "rows or people are counted")
        after = 0
        for own in self.bins:
            check(after < own.lowest <= own.highest, "bins of sizes ascend")
            check(own.highest < 5 * own.lowest, "a bin holds sizes that are alike")
            check(own.classes <= own.rows, "a class has a row at least")
            check(own.classes > 0 or own.rows == 0, "rows are in classes")
            after = own.highest


def class_sizes(
    histogram: ClassHistogram, limit: float | None, unit: Unit = Unit.ROW
) -> ClassSizes:
    """Put the classes into bins; sizes that nobody has are left out at both ends.

    >>> from petaudit.tables import ClassHistogram
    >>> counted = ClassHistogram(np.array([1, 6, 7]), np.array([3, 1, 2]), 0)
    >>> [(own.lowest, own.highest, own.rows) for own in class_sizes(counted, 7).bins]
    [(1, 1, 3), (2, 2, 0), (3, 3, 0), (4, 4, 0), (5, 6, 6), (7, 9, 14)]
    """
    bound = finite(limit)
    sizes = histogram.sizes
    if not sizes.size:
        return ClassSizes((), bound, int(histogram.suppressed_rows), unit.value)
    least = 1 if bound is None else max(math.ceil(bound), 1)
    edges = _edges(int(sizes[-1]), least)
    first, last = np.searchsorted(edges, [sizes[0], sizes[-1]], side="right").tolist()
    if bound is not None:
        # The bin below the limit is there even if it is empty: that nobody is in it is the news.
        first = max(min(first, bisect_left(edges, least)), 1)
    place = np.searchsorted(edges[first:], sizes, side="right")
    classes = np.zeros(last - first + 1, np.int64)
    rows = classes.copy()
    np.add.at(classes, place, histogram.classes)
    np.add.at(rows, place, sizes * histogram.classes)
    ends = itertools.pairwise(edges[first - 1 : last + 1])
    bins = tuple(
        SizeBin(start, stop - 1, *counts)
        for (start, stop), *counts in zip(ends, classes.tolist(), rows.tolist(), strict=True)
    )
    return ClassSizes(bins, bound, int(histogram.suppressed_rows), unit.value)


def _edges(largest: int, least: int) -> list[int]:
    """Where bins begin: at 1 to 5, then at 10, 20, 50 and so on beyond any size, and at the limit.

    >>> _edges(30, 7)
    [1, 2, 3, 4, 5, 7, 10, 20, 50, 100, 200, 500]
    """
    powers = [10**power for power in range(len(str(largest)) + 1)]
    round_numbers = {factor * power for power in powers for factor in (1, 2, 5)}
    return sorted({*round_numbers, 3, 4, min(least, powers[-1])})


def class_sizes_of(inputs: Inputs | None, result: Result) -> tuple[Picture, ...]:
    """The classes of the table against the limit of k-anonymity."""
    if inputs is None:
        return ()
    return (class_sizes(inputs.class_histogram, result.limit, inputs.unit),)
