"""Many small counters in one float: how one pass counts all values of a class.

A counter that stays below 2**bits needs only so many bits of a sum, and a float64 adds whole
numbers below 2**52 without error. Adding 2**(bits * slot) per row therefore counts several
features in one aggregate, exactly and in any order, on every engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from petaudit.tables.results import Integers

_EXACT_BITS = 52
_UNLIKELY = 1e-3


def likely_largest_class(sizes: Integers, classes: Integers, rows: int) -> int:
    """Guess the largest class of a table from the class sizes in a sample of its rows.

    Where chance alone explains the largest size seen, the classes are about equally large, and a
    few times the typical size is a safe guess; else the largest is scaled up.

    >>> even = likely_largest_class(np.array([1, 2]), np.array([900, 50]), rows=100_000)
    >>> skewed = likely_largest_class(np.array([1, 500]), np.array([500, 1]), rows=100_000)
    >>> even < 100, skewed > 50_000
    (True, True)
    """
    sampled = int((sizes * classes).sum())
    if not sampled:
        return 1
    scale = max(rows / sampled, 1.0)
    seen = int(sizes.max())
    if scale == 1.0:
        return seen
    pairs = int((sizes * (sizes - 1) * classes).sum())
    typical = 1 + pairs / sampled * scale
    per_class = typical / scale
    by_chance = math.log(int(classes.sum())) + seen * math.log(per_class) - math.lgamma(seen + 1)
    if by_chance > math.log(_UNLIKELY):
        return math.ceil(3 * typical + 24)
    return math.ceil(seen * scale * 1.5)


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

    def total(self, words: Sequence[npt.NDArray[np.float64]], times: Integers) -> int:
        """The sum of all counters, each taken so many times.

        A counter that ran over leaves less behind than was added, whatever it spilled into, so the
        total is right only if every counter is.

        >>> Packing(features=2, largest_count=3).total([np.array([13.0])], np.array([1]))
        4
        """
        largest = 2.0 ** (self.bits * self.per_word)
        if any(word.max(initial=0) >= largest for word in words):
            return -1
        counts_of = self.unpacker(words)
        return sum(int(counts_of(feature) @ times) for feature in range(self.features))

    def unpacker(self, words: Sequence[npt.NDArray[np.float64]]) -> Callable[[int], Integers]:
        """How to read the counter of a feature, one at a time to spare memory.

        >>> Packing(features=2, largest_count=3).unpacker([np.array([13.0])])(1).tolist()
        [3]
        """
        whole = [word.astype(np.int64) for word in words]
        mask = (1 << self.bits) - 1

        def counts_of(feature: int) -> Integers:
            word, slot = divmod(feature, self.per_word)
            return (whole[word] >> (self.bits * slot)) & mask

        return counts_of
