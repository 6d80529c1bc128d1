"""Telling neighbouring tables apart: what an attacker who knows all other rows achieves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import beta

ONE_SIDED = 0.001
"""How often a bound may be wrong."""


def epsilon_shown(with_row: Sequence[float], without: Sequence[float], delta: float) -> float:
    """The epsilon that a statistic of many outputs proves at least.

    Half of the outputs choose a threshold, the other half tests it, so that looking for the best
    one does no harm; shares are bounded by Clopper and Pearson.
    """
    best, chosen = 0.0, None
    halves = [(np.array(each)[::2], np.array(each)[1::2]) for each in (with_row, without)]
    for flip in (False, True):
        for threshold in np.unique(np.concatenate([halves[0][0], halves[1][0]])):
            shown = _shown(halves[0][0], halves[1][0], threshold, flip, delta)
            if shown > best:
                best, chosen = shown, (threshold, flip)
    return 0.0 if chosen is None else _shown(halves[0][1], halves[1][1], *chosen, delta)


def _shown(
    with_row: np.ndarray, without: np.ndarray, threshold: float, flip: bool, delta: float
) -> float:
    """What one threshold shows, whichever of the two is told right more often."""
    hits = [np.count_nonzero(each >= threshold) for each in (with_row, without)]
    many = [len(with_row), len(without)]
    if flip:
        hits = [many[1] - hits[1], many[0] - hits[0]]
        many.reverse()
    lowest = beta.ppf(ONE_SIDED, hits[0], many[0] - hits[0] + 1) if hits[0] else 0.0
    highest = beta.ppf(1 - ONE_SIDED, hits[1] + 1, many[1] - hits[1]) if hits[1] < many[1] else 1.0
    return math.log((lowest - delta) / highest) if lowest > delta else 0.0
