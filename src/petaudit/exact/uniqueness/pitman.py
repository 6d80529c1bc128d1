"""Pitman's model of classes (Hoshino 2001): few large classes, many small ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from petaudit.errors import counted, phrase
from petaudit.exact.uniqueness._numerics import (
    all_roots,
    bracketed_root,
    digamma_difference,
    log_gamma_difference,
)
from petaudit.exact.uniqueness._sample import Sample

NAME = "pitman"
REFERENCE = (
    "N. Hoshino: Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment. "
    "Journal of Official Statistics 17(4), 2001"
)
_ADVICE = phrase("model=zayatz takes any sample")
# From 0, the model of Ewens, where a sample that Pitman's does not suit has its maximum.
_ALPHAS = (0.0, 1e-9, 1e-6, 1e-4, 1e-3, *(place / 32 for place in range(1, 32)), 0.99, 1 - 1e-6)
_MOST_RESIDUAL = 1e-8


@dataclass(frozen=True)
class Pitman:
    """The parameters that make a sample most likely."""

    theta: float
    alpha: float

    def uniques(self, people: int) -> float:
        """The expected number of classes of one among so many people.

        Exactly people * (theta+alpha)...(theta+alpha+people-2) / (theta+1)...(theta+people-1);
        Gamma(theta+1) / Gamma(theta+alpha) * people^alpha is what it comes to for many people.

        >>> round(Pitman(1.0, 0.5).uniques(2), 9)
        1.5
        """
        theta, alpha = self.theta, self.alpha
        logs = log_gamma_difference(theta + alpha, 1 - alpha)
        logs += log_gamma_difference(theta + people, alpha - 1)
        # It is never above 0 but for rounding.
        return people * math.exp(min(float(logs), 0.0))


def uniques(sample: Sample) -> float:
    """The estimated number of population uniques."""
    if not sample.uniques or sample.is_everybody:
        return float(sample.uniques)
    return fitted(sample).uniques(sample.population)


def fitted(sample: Sample) -> Pitman:
    """The maximum of the likelihood with 0 < alpha < 1 and theta > -alpha.

    For each alpha one theta is most likely; where the likelihood of these pairs stops rising is
    the answer.
    """
    rows, groups = sample.rows, sample.groups
    if groups == rows:
        raise sample.failed(
            phrase("Pitman's model"),
            phrase("every class has one row, which any skewness would explain"),
            _ADVICE,
        )
    roots = all_roots(lambda alpha: _slope(sample, alpha), _ALPHAS, only_falling=True)
    if len(roots) != 1:
        raise sample.failed(
            phrase("Pitman's model"),
            phrase(
                "its equations have {solutions} with alpha between 0 and 1 (there are too few "
                "classes, or their sizes are too even)",
                solutions=counted(len(roots), "solution") if roots else phrase("no solution"),
            ),
            _ADVICE,
        )
    [alpha] = roots
    found = Pitman(_likeliest_distance(rows, groups, alpha) - alpha, alpha)
    if any(abs(residual) > _MOST_RESIDUAL for residual in residuals(sample, found)):
        raise sample.failed(
            phrase("Pitman's model"), phrase("its equations could not be solved"), _ADVICE
        )
    return found


def residuals(sample: Sample, found: Pitman) -> tuple[float, float]:
    """How far both equations are from holding, relative to their terms."""
    theta, alpha = found.theta, found.alpha
    by_class, by_row = _theta_terms(sample.rows, sample.groups, theta + alpha, alpha)
    first, second = _alpha_terms(sample, theta + alpha, alpha)
    return (by_class - by_row) / by_row, (first - second) / second


def _slope(sample: Sample, alpha: float) -> float:
    """How the likelihood changes with alpha, where theta is the likeliest for it."""
    distance = _likeliest_distance(sample.rows, sample.groups, alpha)
    first, second = _alpha_terms(sample, distance, alpha)
    return first - second


def _likeliest_distance(rows: int, groups: int, alpha: float) -> float:
    """The root of the equation of theta, as its distance from -alpha.

    The likelihood rises without bound of its slope there, and falls for large theta.
    """

    def slope(log_distance: float) -> float:
        by_class, by_row = _theta_terms(rows, groups, math.exp(log_distance), alpha)
        return by_class - by_row

    low = high = math.log(groups)
    while slope(high) > 0:
        low, high = high, high + 4
    while slope(low) <= 0:
        low, high = low - 4, low
    return math.exp(bracketed_root(slope, low, high))


def _theta_terms(rows: int, groups: int, distance: float, alpha: float) -> tuple[float, float]:
    """The sums of 1/(theta + i alpha) over classes and of 1/(theta + i) over rows, i from 1."""
    by_row = float(digamma_difference(distance + (1 - alpha), float(rows - 1)))
    return _over_classes(groups, distance, alpha), by_row


def _over_classes(groups: int, distance: float, alpha: float) -> float:
    if alpha == 0:
        return (groups - 1) / distance
    return float(digamma_difference(distance / alpha, float(groups - 1))) / alpha


def _alpha_terms(sample: Sample, distance: float, alpha: float) -> tuple[float, float]:
    """The sums of i/(theta + i alpha) over classes and of 1/(k - alpha) inside classes."""
    last, theta = sample.groups - 1, distance - alpha
    if theta > 0 and alpha * last < 1e-3 * theta:
        # The difference below would leave few digits: the sum as powers of alpha / theta.
        ratio = alpha / theta
        first = sum((-ratio) ** k * _power_sum(last, k + 1) for k in range(6)) / theta
    else:
        first = (last - theta * _over_classes(sample.groups, distance, alpha)) / alpha
    start = np.full(len(sample.sizes), 1 - alpha)
    inside = digamma_difference(start, sample.float_sizes - 1)
    return first, float((sample.classes * inside).sum())


def _power_sum(last: int, power: int) -> float:
    """The sum of i^power for i up to last, exactly (Faulhaber)."""
    n = last
    doubled = n * (n + 1)
    match power:
        case 1:
            return doubled / 2
        case 2:
            return doubled * (2 * n + 1) / 6
        case 3:
            return doubled**2 / 4
        case 4:
            return doubled * (2 * n + 1) * (3 * n * n + 3 * n - 1) / 30
        case 5:
            return doubled**2 * (2 * n * n + 2 * n - 1) / 12
    return doubled * (2 * n + 1) * (3 * n**4 + 6 * n**3 - 3 * n + 1) / 42
