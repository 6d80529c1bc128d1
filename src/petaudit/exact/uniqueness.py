"""Models of the people who are unique in a population, from a sample of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from petaudit.errors import NotMeasurableError, counted, phrase
from petaudit.exact.class_figures import Floats, Integers
from petaudit.exact.numerics import (
    all_roots,
    bracketed_root,
    digamma_difference,
    log_gamma_difference,
)

RULE: Final = "dankar"
_SMALL_FRACTION: Final = 10
"""A tenth of the population or less is a small sample."""
_MOST_RESIDUAL: Final = 1e-8
# From 0, the model of Ewens, where a sample that Pitman's does not suit has its maximum.
_ALPHAS = (0.0, 1e-9, 1e-6, 1e-4, 1e-3, *(place / 32 for place in range(1, 32)), 0.99, 1 - 1e-6)
# Of the odds of beta, as logarithms: from about 1e-13 to all but 1e-13.
_LOG_ODDS = tuple(place / 8 for place in range(-240, 241))


@dataclass(frozen=True)
class Sample:
    """The classes of a sample by their size, and the size of the population it was drawn from."""

    sizes: Integers
    """From the smallest, each once."""
    classes: Integers
    population: int

    @cached_property
    def rows(self) -> int:
        """How many people are in the sample."""
        return int((self.sizes * self.classes).sum())

    @cached_property
    def groups(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.rows / self.population

    @property
    def is_whole_population(self) -> bool:
        """Whether the sample is the whole population, which leaves nothing to estimate."""
        return self.rows == self.population

    @property
    def uniques(self) -> int:
        """Classes of one row."""
        return self.of_size(1)

    @property
    def pairs(self) -> int:
        """Classes of two rows."""
        return self.of_size(2)

    def of_size(self, size: int) -> int:
        """How many classes have a size."""
        return int(self.classes[self.sizes == size].sum())

    @cached_property
    def float_sizes(self) -> Floats:
        """The sizes for arithmetic that is not exact."""
        return self.sizes.astype(np.float64)

    def no_estimate(self, model: str, why: str) -> NotMeasurableError:
        """The error of a model that has no answer for this sample."""
        return NotMeasurableError(
            "{model} has no estimate: {why}; {advice}",
            model=model,
            why=why,
            advice=phrase("model=zayatz accepts any sample"),
        )


@dataclass(frozen=True)
class Estimate:
    """What one model says: a number of population uniques, or why there is none."""

    model: str
    uniques: float | None
    share: float | None
    reason: str | None = None


def all_estimates(sample: Sample) -> dict[str, Estimate]:
    """What each model says."""
    estimates = {}
    for model in MODELS:
        try:
            uniques = uniques_by(model, sample)
        except NotMeasurableError as problem:
            estimates[model] = Estimate(model, None, None, problem.text)
        else:
            estimates[model] = Estimate(model, uniques, uniques / sample.population)
    return estimates


def uniques_by(model: str, sample: Sample) -> float:
    """The number of population uniques that a model estimates."""
    if not sample.uniques or sample.is_whole_population:
        return float(sample.uniques)
    return MODELS[model](sample)


def chosen(
    model: str, sample: Sample, estimates: Mapping[str, Estimate]
) -> tuple[Estimate, list[str]]:
    """Return the estimate of a model, or the one that the rule believes, and warnings."""
    if model != RULE:
        estimate = estimates[model]
        if estimate.uniques is None:
            raise NotMeasurableError(estimate.reason or model)
        return estimate, []
    estimate, wanted = believed(sample, estimates)
    if wanted is None:
        return estimate, []
    warning = phrase(
        "{model} replaces {wanted}, which the rule of Dankar et al. prefers here: {reason}",
        model=estimate.model,
        wanted=wanted,
        reason=estimates[wanted].reason,
    )
    return estimate, [warning]


def believed(sample: Sample, estimates: Mapping[str, Estimate]) -> tuple[Estimate, str | None]:
    """The estimate that the rule of Dankar, El Emam, Neisa and Roffey (2012) believes.

    Pitman's for a small sample, else the smaller of those of Zayatz and of the slide negative
    binomial model; where such a model has none, that of Zayatz, and with it the model's name.
    """
    fallback = estimates["zayatz"]
    is_small = sample.rows * _SMALL_FRACTION <= sample.population
    wanted = estimates["pitman" if is_small else "snb"]
    if wanted.uniques is None or fallback.uniques is None:
        return fallback, wanted.model
    if is_small or wanted.uniques <= fallback.uniques:
        return wanted, None
    return fallback, None


def by_zayatz(sample: Sample) -> float:
    """The estimate of Zayatz (1991): classes of the population are as large as those of the sample.

    The share of sample uniques that are population uniques is, by Bayes' rule, f u_1 over the sum
    of u_i H(i), where H(i) is the chance that exactly one of i people is drawn.

    >>> round(by_zayatz(Sample(np.array([1, 2]), np.array([2, 1]), 8)), 9) == round(28 / 11, 9)
    True
    """
    chances = drawn_once(sample)
    # H(1) is the sampling fraction, which all of H has as a factor: it is left out everywhere.
    share = sample.uniques / float((sample.classes * chances).sum())
    return sample.uniques * share / sample.fraction


def drawn_once(sample: Sample) -> Floats:
    """For each size i, H(i) / H(1): i times the product of (P-n-k)/(P-1-k) for k below i-1."""
    drawn_with = sample.float_sizes - 1
    left = float(sample.population - sample.rows)
    others = float(sample.population - 1)
    chances = np.zeros(len(drawn_with))
    possible = drawn_with <= left
    steps = drawn_with[possible]
    logs = log_gamma_difference(left + 1 - steps, steps)
    logs = logs - log_gamma_difference(others + 1 - steps, steps)
    chances[possible] = sample.float_sizes[possible] * np.exp(logs)
    return chances


@dataclass(frozen=True)
class Pitman:
    """Pitman's model of classes (Hoshino 2001): few large classes, many small ones."""

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


def fitted_pitman(sample: Sample) -> Pitman:
    """The maximum of the likelihood with 0 < alpha < 1 and theta > -alpha.

    For each alpha one theta is most likely; where the likelihood of these pairs stops rising is
    the answer.
    """
    model, rows, groups = phrase("Pitman's model"), sample.rows, sample.groups
    if groups == rows:
        raise sample.no_estimate(
            model, phrase("every class has one row, which any skewness would explain")
        )
    roots = all_roots(lambda alpha: _slope(sample, alpha), _ALPHAS, only_falling=True)
    if len(roots) != 1:
        raise sample.no_estimate(
            model,
            phrase(
                "its equations have {solutions} with alpha between 0 and 1 (there are too few "
                "classes, or their sizes are too even)",
                solutions=counted(len(roots), "solution") if roots else phrase("no solution"),
            ),
        )
    [alpha] = roots
    fitted = Pitman(_likeliest_distance(rows, groups, alpha) - alpha, alpha)
    if any(abs(residual) > _MOST_RESIDUAL for residual in residuals(sample, fitted)):
        raise sample.no_estimate(model, phrase("its equations could not be solved"))
    return fitted


def residuals(sample: Sample, fitted: Pitman) -> tuple[float, float]:
    """How far both equations are from holding, relative to their terms."""
    theta, alpha = fitted.theta, fitted.alpha
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
    """The sum of i^power for i up to last, exactly (Faulhaber); powers from 1 to 6.

    >>> all(_power_sum(9, k) == sum(i**k for i in range(10)) for k in range(1, 7))
    True
    """
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


@dataclass(frozen=True)
class Slid:
    """The slide negative binomial model of class sizes (Chen and Keller-McNulty 1998).

    A class has one person and as many more as a negative binomial says.
    """

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


def fitted_slid(sample: Sample) -> Slid:
    """The parameters with which one would expect as many classes of one and two as there are.

    For each beta one alpha gives the right ratio of the two; then beta is looked for.
    """
    model = phrase("the slide negative binomial model")
    if not sample.pairs:
        raise sample.no_estimate(model, phrase("the table has no class of two rows"))
    groups = population_groups(sample)

    def excess(log_odds: float) -> float:
        ones, _ = _with_right_ratio(sample, groups, log_odds).expected(sample.fraction)
        return ones - sample.uniques

    models = [_with_right_ratio(sample, groups, place) for place in all_roots(excess, _LOG_ODDS)]
    fitting = [slid for slid in models if slid.alpha > 0 and _fits(sample, slid)]
    if len(fitting) != 1:
        raise sample.no_estimate(
            model,
            phrase(
                "its equations have {solutions} with alpha > 0 and 0 < beta < 1",
                solutions=counted(len(fitting), "solution") if fitting else phrase("no solution"),
            ),
        )
    if not 0 <= fitting[0].uniques <= sample.population:
        raise sample.no_estimate(model, phrase("its solution has more uniques than people"))
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


def _fits(sample: Sample, slid: Slid) -> bool:
    ones, twos = slid.expected(sample.fraction)
    return (
        abs(ones - sample.uniques) <= _MOST_RESIDUAL * sample.uniques
        and abs(twos - sample.pairs) <= _MOST_RESIDUAL * sample.pairs
    )


MODELS: Final[Mapping[str, Callable[[Sample], float]]] = {
    "zayatz": by_zayatz,
    "pitman": lambda sample: fitted_pitman(sample).uniques(sample.population),
    "snb": lambda sample: fitted_slid(sample).uniques,
}
