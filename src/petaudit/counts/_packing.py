"""Many small counters in one float: how one pass counts all values of a class.

A counter that stays below 2**bits needs only so many bits of a sum, and a float64 adds whole
numbers below 2**52 without error. Adding 2**(bits * slot) per row therefore counts several
features in one aggregate, exactly and in any order, on every engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from petaudit.counts.results import Integers

_EXACT_BITS = 52


@dataclass(frozen=True)
class Packing:
    """Where each feature's counter lies."""

    features: int
    largest_count: int

    @property
    def bits(self) -> int:
        """Bits per counter."""
        return max(self.largest_count.bit_length(), 1)

    @property
    def per_word(self) -> int:
        """Counters per float."""
        return max(_EXACT_BITS // self.bits, 1)

    @property
    def words(self) -> int:
        """Floats needed."""
        return -(-self.features // self.per_word)

    def weights(self, features_of_values: Sequence[Sequence[int]]) -> npt.NDArray[np.float64]:
        """Per value and word, what a row with that value adds.

        >>> Packing(features=2, largest_count=3).weights([[0], [0, 1]]).tolist()
        [[1.0], [5.0]]
        """
        weights = np.zeros((len(features_of_values), self.words))
        for value, features in enumerate(features_of_values):
            for feature in features:
                word, slot = divmod(feature, self.per_word)
                weights[value, word] += 2.0 ** (self.bits * slot)
        return weights

    def unpack(self, words: Sequence[npt.NDArray[np.float64]], rows: int) -> Integers:
        """The counters again, one row per feature."""
        counts = np.empty((self.features, rows), dtype=np.int64)
        whole = [word.astype(np.int64) for word in words]
        mask = (1 << self.bits) - 1
        for feature in range(self.features):
            word, slot = divmod(feature, self.per_word)
            counts[feature] = (whole[word] >> (self.bits * slot)) & mask
        return counts
