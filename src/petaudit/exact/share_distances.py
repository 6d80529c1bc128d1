"""Distances between two distributions, in whole numbers as far as there are no roots."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Whole: TypeAlias = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where these do not suffice."""
_LARGEST_SUM: Final = 1 << 62


@dataclass(frozen=True)
class ShareDistances:
    """What each value weighs in two columns: first the values that are numbers, ascending.

    ``numbers`` is None for columns of labels, which have no distance along a line.

    >>> both = ShareDistances(np.array([1, 1, 0]), np.array([0, 1, 1]), 2, 2, np.array([1, 2, 4]))
    >>> both.total_variation, both.kolmogorov_smirnov, both.wasserstein
    (Fraction(1, 2), Fraction(1, 2), (Fraction(1, 1), Fraction(3, 2)))
    """

    old: Whole
    new: Whole
    old_total: int
    new_total: int
    numbers: Whole | None

    @cached_property
    def _gained(self) -> Whole:
        """What each value gained: its new share less its old one, times both totals."""
        gained: Whole = self.new * self.old_total - self.old * self.new_total
        return gained

    @cached_property
    def total_variation(self) -> Fraction:
        """Half the sum of the differences between the shares."""
        return Fraction(int(np.abs(self._gained).sum()), 2 * self.old_total * self.new_total)

    @cached_property
    def hellinger(self) -> float:
        """The root of half the sum of the squared differences between the roots of the shares."""
        old, new = (
            np.sqrt((weights / total).astype(np.float64))
            for weights, total in ((self.old, self.old_total), (self.new, self.new_total))
        )
        return min(math.sqrt(math.fsum(((old - new) ** 2).tolist()) / 2), 1.0)

    @cached_property
    def kolmogorov_smirnov(self) -> Fraction | None:
        """The largest difference of the share of rows whose number is at most x, whatever x is.

        Nulls and labels have no place among numbers. So that none is forgotten, rows with some of
        them may come in addition, as it is worst. With labels alone that is total variation.
        """
        if self.numbers is None:
            return None
        count = len(self.numbers)
        ahead, others = np.cumsum(self._gained[:count]), self._gained[count:]
        more = int(ahead.max(initial=0)) + int(others[others > 0].sum())
        less = int(ahead.min(initial=0)) + int(others[others < 0].sum())
        return Fraction(max(more, -less), self.old_total * self.new_total)

    @cached_property
    def wasserstein(self) -> tuple[Fraction, Fraction] | None:
        """How far numbers moved on average, as a part of the range of the original and raw.

        Rows that have a number in one table only moved by the whole range.
        """
        if self.numbers is None:
            return None
        places, count = self.numbers, len(self.numbers)
        old, new = self.old[:count], self.new[:count]
        old_rows, new_rows = int(old.sum()), int(new.sum())
        if not old_rows or not new_rows:
            return Fraction(0 if old_rows == new_rows else 1), Fraction(0)
        ahead = np.abs(np.cumsum(new * old_rows - old * new_rows))
        steps = np.diff(places)
        if ahead.dtype != object and int(ahead.max()) * int(places[-1] - places[0]) < _LARGEST_SUM:
            moved = int(ahead[:-1] @ steps)
        else:
            moved = sum(map(mul, ahead.tolist(), steps.tolist()))
        held = places[old > 0]
        span = int(held[-1] - held[0])
        raw = Fraction(moved, old_rows * new_rows)
        part = min(raw / span, Fraction(1)) if span else Fraction(1 if moved else 0)
        shares = Fraction(old_rows, self.old_total), Fraction(new_rows, self.new_total)
        lost = abs(shares[0] - shares[1])
        return lost + min(shares) * part, raw
