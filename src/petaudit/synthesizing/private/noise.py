"""Random choices with exactly the probabilities that privacy is proved for.

Floating-point noise has gaps that give the table away (I. Mironov: On Significance of the Least
Significant Bits for Differential Privacy, 2012). Here everything is made from uniform bits by
comparing integers (C. Canonne, G. Kamath, T. Steinke: The Discrete Gaussian for Differential
Privacy, 2020, algorithms 1 to 3).
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from petaudit.synthesizing.normal import Integers

KEY_BYTES: Final = 32
_BLOCK: Final = 1 << 14


def new_key() -> bytes:
    """A key that nobody can guess, from the operating system."""
    return secrets.token_bytes(KEY_BYTES)


def key_of(seed: int) -> bytes:
    """The key of a seed: whoever can guess the seed knows all noise."""
    return hashlib.sha256(f"petaudit seed {seed}".encode()).digest()


class RandomBits:
    """Uniform bits that a key and a purpose determine, by SHAKE256.

    >>> bits = RandomBits(key_of(0), "noise")
    >>> [bits.below(6) for _ in range(5)]
    [5, 3, 0, 5, 1]
    """

    def __init__(self, key: bytes, purpose: str) -> None:
        self._start = hashlib.sha256(key + purpose.encode()).digest()
        self._block = b""
        self._at = 0
        self._blocks = 0

    def _bytes(self, count: int) -> bytes:
        while self._at + count > len(self._block):
            named = self._start + self._blocks.to_bytes(8, "big")
            self._block = self._block[self._at :] + hashlib.shake_256(named).digest(_BLOCK)
            self._at = 0
            self._blocks += 1
        taken = self._block[self._at : self._at + count]
        self._at += count
        return taken

    def seed(self) -> int:
        """A seed for numbers that need not be secret."""
        return int.from_bytes(self._bytes(KEY_BYTES), "big")

    def below(self, bound: int) -> int:
        """One of the integers from 0 to below ``bound``, all equally likely."""
        width = (bound - 1).bit_length()
        count = (width + 7) // 8
        while True:
            drawn = int.from_bytes(self._bytes(count), "big") >> (8 * count - width)
            if drawn < bound:
                return drawn

    def happens_exp(self, above: int, below: int) -> bool:
        """True with probability exp(-above / below)."""
        while above > below:
            if not self._happens_exp(1, 1):
                return False
            above -= below
        return self._happens_exp(above, below)

    def _happens_exp(self, above: int, below: int) -> bool:
        """The same for a quotient of at most 1."""
        times = 1
        while self.below(below * times) < above:
            times += 1
        return bool(times % 2)

    def laplace(self, scale: int) -> int:
        """An integer n with a probability proportional to exp(-abs(n) / scale)."""
        while True:
            part = self.below(scale)
            if not self._happens_exp(part, scale):
                continue
            while self._happens_exp(1, 1):
                part += scale
            if self.below(2):
                return part
            if part:
                return -part

    def gaussian(self, variance: int) -> int:
        """An integer n with a probability proportional to exp(-n^2 / (2 variance))."""
        scale = math.isqrt(variance) + 1
        while True:
            drawn = self.laplace(scale)
            distance = (abs(drawn) * scale - variance) ** 2
            if self.happens_exp(distance, 2 * variance * scale * scale):
                return drawn

    def noisy(self, counts: Integers, variance: int) -> Integers:
        """Counts with discrete Gaussian noise, independent in every cell."""
        noise = [self.gaussian(variance) for _ in range(counts.size)]
        return counts + np.array(noise, np.int64).reshape(counts.shape)

    def choice(self, scores: Sequence[int], epsilon: Fraction, sensitivity: int) -> int:
        """The place of a score, by the exponential mechanism.

        A place is drawn uniformly until one is accepted; each is with probability
        exp(-epsilon * (best - score) / (2 sensitivity)).
        """
        best = max(scores)
        above, below = epsilon.numerator, 2 * sensitivity * epsilon.denominator
        while True:
            place = self.below(len(scores))
            if self.happens_exp(above * (best - scores[place]), below):
                return place
