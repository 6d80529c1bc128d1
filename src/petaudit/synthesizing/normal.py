"""Random bits and the standard normal distribution, the same numbers on any machine.

The bits of PCG64 are turned into normal variables here, because numpy may change its own
distributions. Only additions, multiplications, divisions and square roots are left to numpy, which
round in one way everywhere; logarithms are those of the standard library, since numpy has different
ones for different processors. They may differ between platforms in the last bit; that moves a drawn
value only if it falls within 1e-15 of the border of a cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Real: TypeAlias = NDArray[np.float64]

NORMAL: Final = NormalDist()

# M. J. Wichura: Algorithm AS 241, The Percentage Points of the Normal Distribution, 1988.
_CENTRE: Final = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.3871328727963666080),
    (5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
     5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1.0),
)  # fmt: skip
_TAIL: Final = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550,
     4.63033784615654529590, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940,
     2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR_TAIL: Final = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
     5.46378491116411436990, 6.65790464350110377720),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def random_bits(count: int, seed: int, start: int = 0) -> NDArray[np.uint64]:
    """Random whole numbers of 64 bits from a place in the sequence of a seed.

    >>> random_bits(2, seed=0).tolist()
    [11749869230777074271, 4976686463289251617]
    >>> random_bits(1, seed=0, start=1).tolist()
    [4976686463289251617]
    """
    generator = np.random.PCG64(seed)
    if start:
        generator.advance(start)
    return np.asarray(generator.random_raw(count), dtype=np.uint64)


def uniform_draws(count: int, seed: int, start: int = 0) -> Real:
    """Uniform variables between 0 and 1, neither included."""
    # 52 bits and a half: exact.
    bits = random_bits(count, seed, start) >> np.uint64(12)
    return np.asarray((bits + 0.5) / 2**52, dtype=np.float64)


def normal_at(shares: Real) -> Real:
    """The points below which a standard normal variable lies with the given shares.

    >>> normal_at(np.array([0.5, 0.975])).round(6).tolist()
    [0.0, 1.959964]
    """
    centred = shares - 0.5
    points = _ratio(_CENTRE, 0.180625 - centred * centred, centred)
    [outer] = np.nonzero(np.abs(centred) > 0.425)
    if outer.size:
        share, is_low = shares[outer], centred[outer] <= 0
        logs = map(math.log, np.where(is_low, share, 1.0 - share).tolist())
        root = np.sqrt(-np.fromiter(logs, np.float64, len(share)))
        tail = np.where(root <= 5.0, _ratio(_TAIL, root - 1.6), _ratio(_FAR_TAIL, root - 5.0))
        points[outer] = np.where(is_low, -tail, tail)
    return np.asarray(points)


def share_below(points: Real) -> Real:
    """The shares of a standard normal variable below some points.

    >>> share_below(np.array([0.0, 1.959964])).round(6).tolist()
    [0.5, 0.975]
    """
    halves = map(math.erfc, (points / -math.sqrt(2.0)).tolist())
    return np.fromiter(halves, np.float64, len(points)) * 0.5


def _ratio(
    coefficients: tuple[tuple[float, ...], tuple[float, ...]], at: Real, times: Real | float = 1.0
) -> Real:
    above, below = (_polynomial(polynomial, at) for polynomial in coefficients)
    return above * times / below


def _polynomial(coefficients: tuple[float, ...], at: Real) -> Real:
    value = np.full_like(at, coefficients[0])
    for coefficient in coefficients[1:]:
        value *= at
        value += coefficient
    return value


Integers: TypeAlias = NDArray[np.int64]

TERMS: Final = 60
"""The terms that count for correlations up to the largest that is used."""


@dataclass(frozen=True)
class Slices:
    """How many rows lie in each cell, in the order of the cells; none is empty."""

    counts: Integers

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
        terms = []
        for k in range(1, TERMS + 1):
            terms.append(math.fsum((weights * polynomial).tolist()) / math.sqrt(k))
            following = (cuts * polynomial - math.sqrt(k - 1) * before) / math.sqrt(k)
            before, polynomial = polynomial, following
        return terms

    def coarser(self, most: int) -> tuple[Slices, Integers]:
        """Join neighbours until there are at most ``most``; also the new number of each cell.

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
