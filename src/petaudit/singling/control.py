"""Is it more than coincidence? The same search against people whom the synthesizer never saw.

A synthetic row singles out somebody of any large enough table now and then. So the search is run
against a control table, and against samples of the original that are as large as the control, and
people are counted: who is singled out by some synthetic row, with some combination. (Counting
synthetic rows would clear copies: a copied row keeps rows like it from being unique.) With ``t``
and ``c``, the shares of the original's and the control's people, the excess is
e = 1 - (1 - t) / (1 - c); see :mod:`petaudit.excess` for its interval.

Samples. Rows are drawn at random until there are as many different people as in the smaller of the
two tables, again and again while rows are left, at most five times. Drawing rows, and not the rows
that are left without duplicates, gives people with a frequent row the same chance to be there as
they have in the control.

People are not independent of each other: of two who look alike, both are hidden or none is. Let
people fall into many cells at random, ``x`` of them into each on average. A share
``p = exp(-x)`` is alone, and the variance of that share is (p - p^2 (1 - x + x^2)) / people,
for a large ``p`` up to twice as much as p (1 - p) / people. The interval takes the larger of the
two; tests check by simulation that it covers the true excess as often as it should.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from petaudit.excess import Excess, Successes, excess
from petaudit.singling._arrays import Indices, Rows
from petaudit.singling._prepare import CONTROL, ORIGINAL, SYNTHETIC

MOST_SAMPLES: Final = 5
_STREAM: Final = 0x9E7A0D17
"""Somebody may have drawn the rows that they copied with the same seed."""
AnyRows: TypeAlias = Rows | Indices


def compare(
    people: Sequence[int],
    entries: Callable[[int], AnyRows],
    exposed: Callable[[int, AnyRows], int | None],
    seed: int,
) -> Excess | None:
    """Search the control and samples of the original; None if a search was stopped.

    ``people`` are those of each table, ``entries`` gives a person for each entry of a table
    that may be drawn, and ``exposed`` counts how many of some people of a table are singled out.
    """
    size = min(people[ORIGINAL], people[CONTROL])
    if not size or not people[SYNTHETIC]:
        return None
    counted = []
    for table in (ORIGINAL, CONTROL):
        samples = samples_of(entries(table), size, seed)
        found = [exposed(table, sample) for sample in samples]
        if None in found:
            return None
        total = sum(number or 0 for number in found)
        counted.append(_successes(size * len(samples), total))
    return excess(*counted)


def samples_of(entries: AnyRows, size: int, seed: int) -> list[AnyRows]:
    """Samples of so many different people, from disjoint entries; each sorted, one at least.

    >>> samples_of(np.array([0, 0, 2, 3], np.uint32), 3, seed=1)
    [array([0, 2, 3], dtype=uint32)]
    """
    shuffled = np.random.default_rng([seed, _STREAM]).permutation(entries)
    samples: list[AnyRows] = []
    while len(samples) < MOST_SAMPLES and len(shuffled) >= size:
        first = np.sort(np.unique(shuffled, return_index=True)[1])[:size]
        if len(first) < size:
            break
        samples.append(np.sort(shuffled[first]))
        shuffled = shuffled[first[-1] + 1 :]
    return samples


def _successes(people: int, exposed: int) -> Successes:
    return Successes(people, exposed, crowding(exposed / people))


def crowding(share: float) -> float:
    """How many times as much a share of people who are alone varies as one of independent people.

    >>> [round(crowding(share), 2) for share in (0.0, 0.3, 0.5, 0.9, 1.0)]
    [1.0, 1.0, 1.21, 1.85, 2.0]
    """
    if share in (0.0, 1.0):
        return 1 + share
    crowd = -math.log(share)
    return max(1.0, (1 - share * (1 - crowd + crowd**2)) / (1 - share))
