"""Random choices against their exact probabilities."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from budget import examples
from petaudit.synthesizing.private.noise import RandomBits, key_of, new_key

DRAWS = examples(120_000)


def p_value(drawn: Counter[int], shares: dict[int, float]) -> float:
    """How likely so large a difference is; places with few draws are joined."""
    total = sum(drawn.values())
    common = [place for place, share in shares.items() if share * total >= 10]
    seen = [drawn[place] for place in common]
    expected = [shares[place] * total for place in common]
    if total - sum(expected) > 1:
        seen.append(total - sum(seen))
        expected.append(total - sum(expected))
    assert sum(seen) == total
    return float(chisquare(seen, np.array(expected) * (total / sum(expected))).pvalue)


def normed(weights: dict[int, float]) -> dict[int, float]:
    total = math.fsum(weights.values())
    return {place: weight / total for place, weight in weights.items()}


@pytest.mark.parametrize("variance", [1, 2, 10, 150])
def test_gaussian_noise_has_its_exact_probabilities(variance: int) -> None:
    bits = RandomBits(key_of(variance), "test")
    drawn = Counter(bits.gaussian(variance) for _ in range(DRAWS))
    reach = range(-20 * variance, 20 * variance + 1)
    right = normed({n: math.exp(-n * n / (2 * variance)) for n in reach})
    assert p_value(drawn, right) > 0.001
    # The test tells a slightly different distribution from this one.
    wrong = normed({n: math.exp(-n * n / (2 * variance * 1.2)) for n in reach})
    assert p_value(drawn, wrong) < 1e-6


def test_laplace_noise_has_its_exact_probabilities() -> None:
    bits = RandomBits(key_of(5), "test")
    drawn = Counter(bits.laplace(3) for _ in range(DRAWS))
    assert p_value(drawn, normed({n: math.exp(-abs(n) / 3) for n in range(-200, 201)})) > 0.001


@pytest.mark.parametrize(("above", "below"), [(0, 1), (1, 3), (1, 1), (7, 2), (10**30, 10**30)])
def test_exponentials(above: int, below: int) -> None:
    bits = RandomBits(key_of(above + below), "test")
    share = math.exp(-above / below)
    happened = sum(bits.happens_exp(above, below) for _ in range(DRAWS)) / DRAWS
    assert happened == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / DRAWS))


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 256, 257, 2**70 + 1])
def test_integers_below_a_bound(bound: int) -> None:
    bits = RandomBits(key_of(bound), "test")
    drawn = [bits.below(bound) * min(bound, 97) // bound for _ in range(DRAWS // 4)]
    assert set(drawn) == set(range(min(bound, 97)))
    pieces = range(min(bound, 97))
    sizes = {i: (-(-(i + 1) * bound // len(pieces)) + (i * -bound // len(pieces))) for i in pieces}
    shares = {i: sizes[i] / bound for i in pieces}
    assert math.fsum(shares.values()) == pytest.approx(1.0)
    assert bound == 1 or p_value(Counter(drawn), shares) > 0.001


@pytest.mark.parametrize("sensitivity", [1, 3])
def test_the_exponential_mechanism_has_its_exact_probabilities(sensitivity: int) -> None:
    scores, epsilon = [4, -2, 7, 0, 7], Fraction(3, 2)
    bits = RandomBits(key_of(sensitivity), "test")
    drawn = Counter(bits.choice(scores, epsilon, sensitivity) for _ in range(DRAWS))
    weights = {i: math.exp(1.5 * score / 2 / sensitivity) for i, score in enumerate(scores)}
    assert p_value(drawn, normed(weights)) > 0.001


def test_keys_and_purposes_tell_streams_apart() -> None:
    def start(key: bytes, purpose: str) -> int:
        return RandomBits(key, purpose).below(2**128)

    assert start(key_of(1), "noise") == start(key_of(1), "noise")
    assert len({start(key_of(seed), word) for seed in (1, 2) for word in ("noise", "rows")}) == 4
    assert new_key() != new_key()
    assert len(new_key()) == 32


def test_noise_is_the_same_on_any_machine() -> None:
    noisy = RandomBits(key_of(7), "noise").noisy(np.array([[10, 0], [5, 1000]]), 25)
    assert noisy.tolist() == [[15, -7], [7, 1001]]
