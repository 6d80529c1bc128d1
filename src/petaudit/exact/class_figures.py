"""A figure of every class: floats to sort by, exact arithmetic to decide by."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Truths: TypeAlias = npt.NDArray[np.bool_]
Exact: TypeAlias = Fraction | float
_MARGIN = 1e-12
_LARGEST_EXACT_FLOAT = 2**53


@dataclass(frozen=True)
class ClassFigures:
    """The figure of each entry of a class table.

    ``values`` are floats, and ``exact`` is the exact figure of an entry: a fraction, or a float
    where it is irrational or infinite. Entries that agree on all of ``alike`` have the same exact
    figure; without ``alike``, those with the same float and size are taken as equal. ``compare``
    says whether an entry is above (1), at (0) or below (-1) a limit where ``exact`` is a float.
    """

    values: Floats
    sizes: Integers
    classes: Integers
    exact: Callable[[int], Exact]
    alike: tuple[npt.NDArray[Any], ...] | None = None
    compare: Callable[[int, Fraction], int] | None = None

    @cached_property
    def largest(self) -> Exact:
        """The largest figure; 0 when there is no class."""
        return self._extreme(1)

    @cached_property
    def smallest(self) -> Exact:
        """The smallest figure; 0 when there is no class."""
        return self._extreme(-1)

    def above(self, limit: Fraction) -> Truths:
        """Which entries are above the limit, exactly."""
        return self._compared(limit, 1)

    def below(self, limit: Fraction) -> Truths:
        """Which entries are below the limit, exactly."""
        return self._compared(limit, -1)

    def rows(self, entries: Truths) -> int:
        """How many rows some entries have."""
        return int((self.sizes * self.classes)[entries].sum())

    def count(self, entries: Truths) -> int:
        """How many classes some entries have."""
        return int(self.classes[entries].sum())

    def order(self, *, largest_first: bool) -> npt.NDArray[np.intp]:
        """Entries from one end, larger classes first among equals."""
        return np.lexsort((-self.sizes, -self.values if largest_first else self.values))

    def folded(self, most: int, *, largest_first: bool) -> list[tuple[int, float, int]]:
        """The first few entries as size, figure and number of classes, equal ones merged."""
        looked_at = 20 * max(most, 1)
        while True:
            chosen = self._first(looked_at, largest_first=largest_first)
            starts = _starts([self.values[chosen], self.sizes[chosen]])
            if len(starts) > most or looked_at >= len(self.values):
                break
            looked_at *= 10
        if not len(starts):
            return []
        numbers = np.add.reduceat(self.classes[chosen], starts)[:most].tolist()
        shown = chosen[starts[:most]].tolist()
        return [
            (int(self.sizes[entry]), self.shown(entry), number)
            for entry, number in zip(shown, numbers, strict=True)
        ]

    def shown(self, entry: int) -> float:
        """The figure of an entry as a float; the one to sort by may be a digit off."""
        return float(self.exact(entry))

    def _first(self, number: int, *, largest_first: bool) -> npt.NDArray[np.intp]:
        """At least ``number`` entries from one end, in order, with all that equal the last one."""
        if number >= len(self.values):
            return self.order(largest_first=largest_first)
        signed = -self.values if largest_first else self.values
        kept = np.flatnonzero(signed <= np.partition(signed, number)[number])
        return kept[np.lexsort((-self.sizes[kept], signed[kept]))]

    def _extreme(self, sign: int) -> Exact:
        if not self.values.size:
            return Fraction(0)
        signed = sign * self.values
        best = signed.max()
        near = np.flatnonzero(signed >= best - abs(best) * _MARGIN) if np.isfinite(best) else None
        entries = [int(np.argmax(signed))] if near is None else self._distinct(near)
        exact = [self.exact(entry) for entry in entries]
        return max(exact) if sign > 0 else min(exact)

    def _distinct(self, entries: npt.NDArray[np.intp]) -> list[int]:
        """Only one of the entries that are the same."""
        first, _ = _grouped(entries, self.alike or (self.values, self.sizes))
        return [int(entry) for entry in first]

    def _compared(self, limit: Fraction, sign: int) -> Truths:
        """Which entries are on one side of a limit; exact figures only where floats are close."""
        bound = float(limit)
        is_beyond: Truths = sign * self.values > sign * bound
        margin = max(abs(bound), 1e-300) * _MARGIN
        with np.errstate(invalid="ignore"):
            near = np.flatnonzero(np.abs(self.values - bound) <= margin)
        first, group = near, np.arange(len(near))
        if self.alike is not None:
            first, group = _grouped(near, self.alike)
        decided = [self._side(entry, limit) == sign for entry in first.tolist()]
        is_beyond[near] = np.array(decided, dtype=bool)[group]
        return is_beyond

    def _side(self, entry: int, limit: Fraction) -> int:
        if self.compare is not None:
            return self.compare(entry, limit)
        exact = self.exact(entry)
        return (exact > limit) - (exact < limit)


def _grouped(
    entries: npt.NDArray[np.intp], keys: tuple[npt.NDArray[Any], ...]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """One entry for each combination of keys, and the position of its group for each entry.

    >>> first, group = _grouped(np.array([0, 1, 3]), (np.array([7, 5, 5, 7]), np.ones(4)))
    >>> first.tolist(), group.tolist()
    ([1, 0], [1, 0, 1])
    """
    chosen = [key[entries] for key in keys]
    order = np.lexsort(chosen)
    starts = _starts([key[order] for key in chosen])
    group = np.empty(len(entries), dtype=np.intp)
    marks = np.zeros(len(entries), dtype=np.intp)
    marks[starts] = 1
    group[order] = np.cumsum(marks) - 1
    return entries[order[starts]], group


def _starts(keys: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.intp]:
    """Where sorted combinations of keys begin."""
    if not len(keys[0]):
        return np.zeros(0, dtype=np.intp)
    new = np.ones(len(keys[0]), dtype=bool)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.flatnonzero(new)


def ratio_figures(
    numerators: npt.NDArray[Any],
    denominators: npt.NDArray[Any],
    sizes: Integers,
    classes: Integers,
    scale: int = 1,
) -> ClassFigures:
    """Figures that are ``numerator / (denominator * scale)``; a denominator of 0 makes it infinite.

    >>> sizes, ones = np.array([3, 2]), np.array([1, 1])
    >>> figures = ratio_figures(np.array([1, 2]), np.array([3, 0]), sizes, ones)
    >>> figures.largest, figures.smallest, figures.above(Fraction(1, 3)).tolist()
    (inf, Fraction(1, 3), [False, True])
    """

    def exact(entry: int) -> Exact:
        below = int(denominators[entry]) * scale
        return Fraction(int(numerators[entry]), below) if below else math.inf

    above, below = (array.astype(np.float64) for array in (numerators, denominators))
    largest = max(above.max(initial=0), below.max(initial=0) * float(scale))
    with np.errstate(divide="ignore"):
        if largest < _LARGEST_EXACT_FLOAT:
            # Rounded only once, equal figures are equal floats.
            values = above / (below * scale)
        else:
            values = above / below / scale
    return ClassFigures(values, sizes, classes, exact, (numerators, denominators))
