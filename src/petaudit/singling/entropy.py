"""Renyi entropy of a grouping, as a share of the largest possible one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from petaudit.singling.kernels import Floats, Indices

PAIRS_ALPHA: Final = 2
"""With this alpha, the entropy depends only on how many pairs of rows are in one group."""
_TIE = 1e-12


@dataclass(frozen=True)
class EntropyRule:
    """How entropy is measured, and the gain below which a combination is pruned."""

    alpha: float
    smallest_gain: float

    @property
    def is_default(self) -> bool:
        """Whether counting pairs tells the entropy, and nothing is pruned by it."""
        return self.alpha == PAIRS_ALPHA and self.smallest_gain == 0

    def prunes(self, gain: float) -> bool:
        """Whether the gain is too small; a tie is not, whatever the last digit says."""
        return self.smallest_gain > 0 and gain < self.smallest_gain - _TIE

    def pruned(self, gains: Floats) -> npt.NDArray[np.bool_]:
        """The same for several gains."""
        return np.array([self.prunes(gain) for gain in gains.tolist()], bool)


def normalized_entropy(repeated: Indices, rows: int, alpha: float) -> float:
    """Return the entropy of groups that have the given sizes; other rows are groups of one.

    >>> [round(normalized_entropy(np.array([2]), 4, alpha), 4)
    ...  for alpha in (0, 0.5, 1, 2, 3, math.inf)]
    [0.7925, 0.7716, 0.75, 0.7075, 0.6695, 0.5]
    """
    if alpha == PAIRS_ALPHA:
        # Only the sum of squares counts, and sorting the sizes would take most of the time.
        return entropy_of_counts(repeated, np.ones_like(repeated), rows, alpha)
    return entropy_of_counts(*np.unique(repeated, return_counts=True), rows, alpha)


def entropy_of_counts(sizes: Indices, counts: Indices, rows: int, alpha: float) -> float:
    """Return the same of groups of two rows and more, counted by their sizes in ascending order.

    >>> entropy_of_counts(np.array([4]), np.array([1]), 4, 2.0)
    0.0
    """
    if rows <= 1:
        return 0.0
    return min(max(_renyi(sizes, counts, rows, alpha) / math.log(rows), 0.0), 1.0)


def entropies_of_pairs(pairs: Indices, rows: int) -> Floats:
    """Return the same with alpha 2, from the number of ordered pairs of different rows in a group.

    Squares of sizes are such pairs and the rows themselves.

    >>> entropies_of_pairs(np.array([0, 12]), 4).tolist()
    [1.0, 0.0]
    """
    if rows <= 1:
        return np.zeros(len(pairs))
    nats = [2 * math.log(rows) - math.log(rows + many) for many in pairs.tolist()]
    return np.clip(np.array(nats) / math.log(rows), 0.0, 1.0)


def _renyi(sizes: Indices, counts: Indices, rows: int, alpha: float) -> float:
    """Return the entropy in nats."""
    alone = rows - int((sizes * counts).sum())
    if alone:
        sizes, counts = np.append(1, sizes), np.append(alone, counts)
    if alpha == 0:
        return math.log(int(counts.sum()))
    if math.isinf(alpha):
        return math.log(rows / int(sizes.max()))
    if alpha == 1:
        return math.log(rows) - math.fsum((counts * sizes * np.log(sizes)).tolist()) / rows
    if alpha == PAIRS_ALPHA:
        # Whole numbers, so that equal groupings have equal entropies to the last digit.
        return 2 * math.log(rows) - math.log(int((counts * sizes * sizes).sum()))
    if abs(alpha - 1) < 0.5:
        # The sum is nearly 1 here, and what matters is by how much it is not.
        shares = sizes / rows
        excess = math.fsum((counts * shares * np.expm1((alpha - 1) * np.log(shares))).tolist())
        return math.log1p(excess) / (1 - alpha)
    # Relative to the largest group, because large powers overflow.
    largest = int(sizes.max())
    total = math.fsum((counts * (sizes / largest) ** alpha).tolist())
    return (alpha * math.log(largest / rows) + math.log(total)) / (1 - alpha)
