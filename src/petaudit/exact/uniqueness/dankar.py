"""The rule of Dankar, El Emam, Neisa and Roffey (2012): which model to believe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from petaudit.errors import NotMeasurableError
from petaudit.exact.uniqueness import pitman, snb, zayatz
from petaudit.exact.uniqueness._sample import Sample

NAME = "dankar"
SMALL_FRACTION: Final = 10
"""A tenth of the population or less is a small sample."""
MODELS: Final = {zayatz.NAME: zayatz, pitman.NAME: pitman, snb.NAME: snb}


@dataclass(frozen=True)
class Estimate:
    """What one model says: a number of population uniques, or why there is none."""

    model: str
    uniques: float | None
    share: float | None
    reason: str | None = None


def all_estimates(sample: Sample) -> dict[str, Estimate]:
    """What each model says."""
    return {name: _estimate(name, sample) for name in MODELS}


def chosen(sample: Sample, estimates: Mapping[str, Estimate]) -> tuple[Estimate, str | None]:
    """The estimate that the rule believes, and the model that it would have believed if it could.

    Pitman's for a small sample, else the smaller of those of Zayatz and of the slide negative
    binomial model; where such a model has none, that of Zayatz.
    """
    fallback = estimates[zayatz.NAME]
    is_small = sample.rows * SMALL_FRACTION <= sample.population
    wanted = estimates[pitman.NAME if is_small else snb.NAME]
    if wanted.uniques is None or fallback.uniques is None:
        return fallback, wanted.model
    if is_small or wanted.uniques <= fallback.uniques:
        return wanted, None
    return fallback, None


def _estimate(name: str, sample: Sample) -> Estimate:
    try:
        uniques = MODELS[name].uniques(sample)
    except NotMeasurableError as problem:
        return Estimate(name, None, None, problem.text)
    return Estimate(name, uniques, uniques / sample.population)
