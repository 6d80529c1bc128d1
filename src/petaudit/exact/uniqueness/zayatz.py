"""Zayatz (1991): the classes of the population are as large as those of the sample."""

from __future__ import annotations

import numpy as np

from petaudit.exact.class_figures import Floats
from petaudit.exact.uniqueness._numerics import log_gamma_difference
from petaudit.exact.uniqueness._sample import Sample

NAME = "zayatz"
REFERENCE = (
    "L. Zayatz: Estimation of the Percent of Unique Population Elements on a Microdata File Using "
    "the Sample. US Bureau of the Census, report RR-91/08, 1991"
)


def uniques(sample: Sample) -> float:
    """The estimated number of population uniques.

    The share of sample uniques that are population uniques is, by Bayes' rule, f u_1 over the sum
    of u_i H(i), where H(i) is the chance that exactly one of i people is drawn.

    >>> round(uniques(Sample(np.array([1, 2]), np.array([2, 1]), 8)), 9) == round(28 / 11, 9)
    True
    """
    if not sample.uniques or sample.is_everybody:
        return float(sample.uniques)
    chances = drawn_once(sample)
    # H(1) is the sampling fraction, which all of H has as a factor: it is left out everywhere.
    share = sample.uniques / float((sample.classes * chances).sum())
    return sample.uniques * share / sample.fraction


def drawn_once(sample: Sample) -> Floats:
    """For each size i, H(i) / H(1): i times the product of (P-n-k)/(P-1-k) for k below i-1."""
    drawn_with = sample.float_sizes - 1
    left = float(sample.population - sample.rows)
    others = float(sample.population - 1)
    found = np.zeros(len(drawn_with))
    possible = drawn_with <= left
    steps = drawn_with[possible]
    logs = log_gamma_difference(left + 1 - steps, steps)
    logs = logs - log_gamma_difference(others + 1 - steps, steps)
    found[possible] = sample.float_sizes[possible] * np.exp(logs)
    return found
