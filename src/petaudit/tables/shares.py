"""The shares of sensitive values: p in a class against q in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from petaudit.exact.class_figures import ClassFigures, Exact, Floats, Integers, Truths
from petaudit.tables import ClassTable, ClassValueCounts

_LARGEST_INT64 = 2**62
_MARGIN: Final = 1e-12


@dataclass(frozen=True)
class Shares:
    """p and q of every value that is present in a class, as whole numbers over one divisor.

    With c of n rows in the class and Q of N in the table, ``inside`` is cN and ``overall`` is Qn,
    so that p/q is exactly ``inside / overall``.
    """

    inside: npt.NDArray[Any]
    overall: npt.NDArray[Any]
    pairs: ClassValueCounts

    @classmethod
    def of(cls, pairs: ClassValueCounts) -> Shares:
        """From counts; in Python's unbounded integers where machine ones do not suffice."""
        rows = pairs.values.rows
        dtype: npt.DTypeLike = np.int64 if rows * rows < _LARGEST_INT64 else object
        sizes = pairs.class_sizes.astype(dtype)
        return cls(
            pairs.counts.astype(dtype) * rows,
            pairs.values.counts.astype(dtype)[pairs.value_index] * sizes[pairs.class_index],
            pairs,
        )

    @cached_property
    def gains(self) -> Floats:
        """(p - q) / q of each value; the difference is exact before it is divided."""
        gained = (self.inside - self.overall).astype(np.float64)
        found: Floats = gained / self.overall.astype(np.float64)
        return found

    @cached_property
    def table_counts(self) -> Integers:
        """Q of each value."""
        return self.pairs.values.counts[self.pairs.value_index]

    def largest(self, figures: Floats) -> Floats:
        """The largest figure of each class."""
        return np.maximum.reduceat(figures, self.pairs.class_starts)

    def of_largest(self, entry: int, figures: Floats) -> set[Fraction]:
        """p/q of those values of a class whose figures floats cannot tell from the largest."""
        starts = self.pairs.class_starts
        start = int(starts[entry])
        stop = int(starts[entry + 1]) if entry + 1 < len(starts) else len(figures)
        own = figures[start:stop]
        best = own.max()
        near = start + np.flatnonzero(own >= best - abs(best) * _MARGIN)
        return {Fraction(int(self.inside[pair]), int(self.overall[pair])) for pair in near.tolist()}


def gain_figures(
    shares: Shares, table: ClassTable, is_infinite: Truths | None = None
) -> ClassFigures:
    """The largest gain (p - q) / q of each class, or infinite where that is said.

    It is never negative: the shares of the values that are present add up to 1 in the class, and to
    no more in the table.
    """
    values = shares.largest(shares.gains)
    if is_infinite is not None:
        values[is_infinite] = np.inf

    def exact(entry: int) -> Exact:
        if np.isinf(values[entry]):
            return float("inf")
        return max(shares.of_largest(entry, shares.gains)) - 1

    return ClassFigures(
        values,
        table.sizes,
        table.classes,
        exact,
        lambda entry, limit: exact(entry) > limit,
        lambda entry, limit: exact(entry) < limit,
    )
