"""Combinations by their place in the order of the search, without listing all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from petaudit.singling.search import SizeFindings

Integers = npt.NDArray[np.int64]
_LARGEST: Final = 2**62


@dataclass(frozen=True)
class Identifying:
    """The combinations of one size that identify rows: their places, columns and rows."""

    ranks: Integers
    combinations: Integers
    rows: Integers


def identifying(own: SizeFindings, columns: int) -> Identifying:
    """As many as there are identified rows at most, however many were looked at."""
    ranks = np.flatnonzero(own.collisions).astype(np.int64)
    return Identifying(ranks, combinations_at(ranks, columns, own.size), own.collisions[ranks])


def combinations_at(ranks: Integers, columns: int, size: int) -> Integers:
    """The combinations at some places of ``itertools.combinations(range(columns), size)``.

    >>> combinations_at(np.array([0, 3, 5]), 4, 2).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    left = ranks.copy()
    filled = np.zeros(len(ranks), np.int64)
    found = np.zeros((len(ranks), size), np.int64)
    for column in range(columns):
        starting = [
            min(math.comb(columns - 1 - column, size - 1 - place), _LARGEST)
            for place in range(size)
        ]
        many = np.array([*starting, 0], np.int64)[filled]
        here = (left < many) & (filled < size)
        chosen = np.flatnonzero(here)
        found[chosen, filled[chosen]] = column
        filled[chosen] += 1
        left = np.where(here, left, left - many)
    return found


def rank_of(combination: Sequence[int], columns: int) -> int:
    """The place of a combination among those of its size.

    >>> [rank_of(own, 4) for own in [(0, 1), (1, 2), (2, 3)]]
    [0, 3, 5]
    """
    size, before, rank = len(combination), -1, 0
    for place, column in enumerate(combination):
        for skipped in range(before + 1, column):
            rank += math.comb(columns - 1 - skipped, size - 1 - place)
        before = column
    return rank
