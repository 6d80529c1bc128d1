"""A standard normal variable cut into slices, one for each of the ordered cells of a column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from petaudit.synthesizing.normal import NORMAL, Real, normal_at

Whole: TypeAlias = NDArray[np.int64]

TERMS: Final = 60
"""The terms that count for correlations up to the largest that is used."""


@dataclass(frozen=True)
class Slices:
    """How many rows lie in each cell, in the order of the cells; none is empty."""

    counts: Whole

    @cached_property
    def borders(self) -> Real:
        """The share of rows up to the end of each cell; the last is 1."""
        return np.asarray(np.cumsum(self.counts) / self.counts.sum())

    @cached_property
    def cuts(self) -> Real:
        """The points that cut a normal variable into slices with the shares of the cells."""
        return normal_at(self.borders[:-1])

    @cached_property
    def scores(self) -> list[float]:
        """The mean of the normal variable in each slice.

        >>> [round(score, 6) for score in Slices(np.array([1, 1])).scores]
        [-0.797885, 0.797885]
        """
        shares = (self.counts / self.counts.sum()).tolist()
        densities = [0.0, *self._densities, 0.0]
        return [(a - b) / share for (a, b), share in zip(pairwise(densities), shares, strict=True)]

    @cached_property
    def terms(self) -> list[float]:
        """The scores, as a function of the normal variable, in Hermite polynomials 1 to `TERMS`.

        They are the coefficients with respect to the polynomials of norm one. The function is a
        staircase, so each is a sum over its jumps.
        """
        cuts = self.cuts
        jumps = np.array([b - a for a, b in pairwise(self.scores)], dtype=np.float64)
        weights = jumps * np.array(self._densities, dtype=np.float64)
        before, polynomial = np.zeros_like(cuts), np.ones_like(cuts)
        found = []
        for k in range(1, TERMS + 1):
            found.append(math.fsum((weights * polynomial).tolist()) / math.sqrt(k))
            following = (cuts * polynomial - math.sqrt(k - 1) * before) / math.sqrt(k)
            before, polynomial = polynomial, following
        return found

    def coarser(self, most: int) -> tuple[Slices, Whole]:
        """Join neighbours until there are at most so many; also the new number of each cell.

        >>> slices, places = Slices(np.array([1, 1, 1, 7])).coarser(2)
        >>> slices.counts.tolist(), places.tolist()
        ([3, 7], [0, 0, 0, 1])
        """
        if len(self.counts) <= most:
            return self, np.arange(len(self.counts))
        ends = np.cumsum(self.counts)
        # By the middle of a cell: a large one does not drag its neighbours along.
        middles = (2 * ends - self.counts) * most // (2 * int(ends[-1]))
        places = np.unique(middles, return_inverse=True)[1].astype(np.int64)
        sums = np.diff(ends[np.append(np.flatnonzero(np.diff(places)), len(ends) - 1)], prepend=0)
        return Slices(sums), places

    @cached_property
    def _densities(self) -> list[float]:
        return [NORMAL.pdf(cut) for cut in self.cuts.tolist()]
