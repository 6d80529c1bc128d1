"""The slide negative binomial model of class sizes (Chen and Keller-McNulty 1998)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from petaudit.errors import counted, phrase
from petaudit.exact.uniqueness._numerics import all_roots
from petaudit.exact.uniqueness._sample import Sample

NAME = "snb"
REFERENCE = (
    "G. Chen, S. Keller-McNulty: Estimation of Identification Disclosure Risk in Microdata. "
    "Journal of Official Statistics 14(1), 1998"
)
_ADVICE = phrase("model=zayatz takes any sample")
_MOST_RESIDUAL = 1e-8
# Of the odds of beta, as logarithms: from about 1e-13 to all but 1e-13.
_LOG_ODDS = tuple(place / 8 for place in range(-240, 241))


@dataclass(frozen=True)
class Slid:
    """A class has one person and as many more as a negative binomial says."""

    groups: float
    """How many classes the population has."""
    alpha: float
    log_odds: float
    """Of beta: digits of 1 - beta would be lost."""

    @property
    def beta(self) -> float:
        """The chance parameter of the negative binomial."""
        return 1 / (1 + math.exp(-self.log_odds))

    @property
    def rest(self) -> float:
        """1 - beta."""
        return 1 / (1 + math.exp(self.log_odds))

    @property
    def uniques(self) -> float:
        """The expected number of classes of one."""
        return self.groups * math.exp(self.alpha * math.log(self.beta))

    def expected(self, fraction: float) -> tuple[float, float]:
        """The expected classes of one and of two rows in a sample."""
        alpha, rest = self.alpha, self.rest
        kept = (1 - fraction) * rest
        # (beta / (1 - kept)) ** alpha, where 1 - kept = beta + fraction * rest.
        power = math.exp(-alpha * math.log1p(fraction * rest / self.beta))
        ones = self.groups * fraction * power * (1 + alpha * kept / (1 - kept))
        twos = self.groups * fraction**2 * power * alpha * rest * (2 - (1 - alpha) * kept)
        return ones, twos / (2 * (1 - kept) ** 2)


def uniques(sample: Sample) -> float:
    """The estimated number of population uniques."""
    if not sample.uniques or sample.is_everybody:
        return float(sample.uniques)
    return fitted(sample).uniques


def fitted(sample: Sample) -> Slid:
    """The parameters with which one would expect as many classes of one and two as there are.

    For each beta one alpha gives the right ratio of the two; then beta is looked for.
    """
    model = phrase("the slide negative binomial model")
    if not sample.pairs:
        raise sample.failed(model, phrase("the table has no class of two rows"), _ADVICE)
    groups = population_groups(sample)

    def excess(log_odds: float) -> float:
        ones, _ = _with_right_ratio(sample, groups, log_odds).expected(sample.fraction)
        return ones - sample.uniques

    found = [_with_right_ratio(sample, groups, place) for place in all_roots(excess, _LOG_ODDS)]
    fitting = [own for own in found if own.alpha > 0 and _fits(sample, own)]
    if len(fitting) != 1:
        raise sample.failed(
            model,
            phrase(
                "its equations have {solutions} with alpha > 0 and 0 < beta < 1",
                solutions=counted(len(fitting), "solution") if fitting else phrase("no solution"),
            ),
            _ADVICE,
        )
    if not 0 <= fitting[0].uniques <= sample.population:
        raise sample.failed(model, phrase("its solution has more uniques than people"), _ADVICE)
    return fitting[0]


def population_groups(sample: Sample) -> float:
    """How many classes the population has, by the modified estimator of Shlosser.

    Haas, Naughton, Seshadri and Stokes 1995 (VLDB), "Shlosser 3".
    """
    fraction, sizes, classes = sample.fraction, sample.float_sizes, sample.classes
    log_unseen, log_unpaired = math.log1p(-fraction), math.log1p(-(fraction**2))
    unseen = np.exp(sizes * log_unseen)
    first = (sizes * fraction**2 * np.exp((sizes - 1) * log_unpaired) * classes).sum()
    # (1-f)^i ((1+f)^i - 1), without a power that overflows.
    below = np.exp(sizes * log_unpaired) * -np.expm1(-sizes * math.log1p(fraction))
    once = (sizes * fraction * np.exp((sizes - 1) * log_unseen) * classes).sum()
    ratio = (unseen * classes).sum() / once
    return float(sample.groups + sample.uniques * first / (below * classes).sum() * ratio**2)


def _with_right_ratio(sample: Sample, groups: float, log_odds: float) -> Slid:
    """The one positive alpha that gives the ratio of pairs to uniques: a quadratic equation."""
    fraction, ratio = sample.fraction, sample.pairs / sample.uniques
    rest = 1 / (1 + math.exp(log_odds))
    kept = (1 - fraction) * rest
    square = fraction * rest * kept
    linear = fraction * rest * (2 - kept) - 2 * ratio * (1 - kept) * kept
    constant = 2 * ratio * (1 - kept) ** 2
    root = math.sqrt(linear**2 + 4 * square * constant)
    alpha = 2 * constant / (linear + root) if linear >= 0 else (root - linear) / (2 * square)
    return Slid(groups, alpha, log_odds)


def _fits(sample: Sample, own: Slid) -> bool:
    ones, twos = own.expected(sample.fraction)
    return (
        abs(ones - sample.uniques) <= _MOST_RESIDUAL * sample.uniques
        and abs(twos - sample.pairs) <= _MOST_RESIDUAL * sample.pairs
    )
