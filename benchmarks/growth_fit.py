"""How fast time grows: the exponent of a power of the size, fitted to logarithms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True)
class Exponent:
    """The exponent of the medians, and the extremes of those of single rounds.

    >>> str(Exponent.of([10, 100], [[1.0, 1.0, 2.0], [10.0, 20.0, 20.0]]))
    '1.30 [1.00..1.30]'
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, sizes: Sequence[float], seconds: Sequence[Sequence[float]]) -> Exponent:
        """From the seconds of each size, round by round."""
        rounds = [slope(sizes, own) for own in zip(*seconds, strict=True)]
        return cls(slope(sizes, [median(own) for own in seconds]), min(rounds), max(rounds))

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}..{self.high:.2f}]"


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Least squares through log(size) and log(seconds).

    >>> round(slope([1, 10, 100], [2.0, 20.0, 200.0]), 12)
    1.0
    """
    if len({*sizes}) < 2 or len(sizes) != len(seconds):
        raise ValueError("an exponent needs a time at each of two or more sizes")
    across, up = [math.log(own) for own in sizes], [math.log(own) for own in seconds]
    middle, height = fmean(across), fmean(up)
    together = sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True))
    return together / sum((x - middle) ** 2 for x in across)


def exponents(points: Mapping[int, Sequence[float]]) -> tuple[Exponent, Exponent]:
    """Of all sizes, and of the two largest: what a call costs once flattens the beginning."""
    sizes = sorted(points)
    whole, end = (Exponent.of(own, [points[size] for size in own]) for own in (sizes, sizes[-2:]))
    return whole, end
