"""How much more often an attack succeeds on the people of the original than on strangers.

Let ``t`` be the share of the original's people on whom an attack succeeds, and ``c`` the share of
the control's people, who had no part in the synthetic table. The excess is

    e = (t - c) / (1 - c) = 1 - (1 - t) / (1 - c),

the share of the people safe among strangers who are exposed in the original. Both shares are of a
sample of people and vary. The 95 % interval is MOVER's for the ratio of 1 - t and 1 - c, from the
limits of Wilson for either share, corrected for continuity: without that, shares of few people are
called too high too often (A. Donner, G. Y. Zou: Closed-form confidence intervals for
functions of the normal mean and standard deviation. Statistical Methods in Medical Research 21(4),
2012).

An interval wholly below zero says that strangers are exposed more than the original, which no
synthetic table can do: the two tables are not comparable. So ends are never cut to 0..1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from petaudit.errors import Phrase, phrase

Z: Final = 1.959963984540054
"""The standard errors of a 95 % interval."""
_FEWEST: Final = 10
"""With fewer people on either side nothing can be told."""


class Finding(StrEnum):
    """What an interval of the excess says."""

    EXCESS = "excess"
    """It is wholly above zero."""
    COINCIDENCE = "coincidence"
    """It includes zero."""
    NOT_COMPARABLE = "not comparable"
    """It is wholly below zero."""
    UNKNOWN = "unknown"
    """There are too few people, or every stranger is exposed."""

    @property
    def text(self) -> Phrase:
        """The same in words."""
        match self:
            case Finding.EXCESS:
                return phrase("more than coincidence")
            case Finding.COINCIDENCE:
                return phrase("coincidence could explain it")
            case Finding.UNKNOWN:
                return phrase("too few people to tell")
            case Finding.NOT_COMPARABLE:
                return phrase(
                    "the control is exposed more than the original, so the two are not comparable "
                    "and nothing is decided"
                )


@dataclass(frozen=True)
class Successes:
    """Of how many people an attack succeeds on how many."""

    people: int
    exposed: float
    """A mean where the same people were tried several times."""
    competing: float = 0.0
    """The share of people on whom it would succeed, too, if one other of them were not there."""

    @property
    def share(self) -> float:
        """The share of people on whom it succeeds; 0 of nobody."""
        return self.exposed / self.people if self.people else 0.0

    @property
    def safe(self) -> tuple[float, float, float]:
        """The share of the others, and the limits of Wilson around it, corrected for continuity."""
        return self.safe_within(Z)

    def safe_within(self, z: float) -> tuple[float, float, float]:
        """The same with limits so many standard errors away."""
        safe = (self.people - self.exposed) / self.people
        # The variance is (safe (1 - safe) + competing) / people, as if they were fewer.
        variance = safe * (1 - safe) + 1 / self.people
        people = self.people * variance / (variance + self.competing)
        # Exact where nobody is safe or everybody is.
        low = _wilson(safe, people, z) if safe else 0.0
        high = 1 - _wilson(1 - safe, people, z) if safe < 1 else 1.0
        return safe, low, high


def _wilson(share: float, people: float, z: float) -> float:
    """The lower limit of a share; R. G. Newcombe, Statistics in Medicine 17, 1998, method 4.

    >>> round(_wilson(15 / 148, 148, Z), 4)
    0.0598
    """
    under = z**2 - 2 - 1 / people + 4 * share * (people * (1 - share) + 1)
    low = 2 * people * share + z**2 - 1 - z * math.sqrt(max(under, 0.0))
    return min(max(low / (2 * (people + z**2)), 0.0), share)


@dataclass(frozen=True)
class Excess:
    """The excess and its 95 % interval; the lower end may be minus infinity."""

    original: Successes
    control: Successes
    value: float
    """NaN where every stranger is exposed."""
    lower: float
    upper: float

    @property
    def has_few_people(self) -> bool:
        """Whether nothing can be told because there are too few people."""
        return min(self.original.people, self.control.people) < _FEWEST

    @property
    def finding(self) -> Finding:
        """What the interval says."""
        if self.has_few_people or self.control.exposed == self.control.people:
            return Finding.UNKNOWN
        if self.lower > 0:
            return Finding.EXCESS
        return Finding.NOT_COMPARABLE if self.upper < 0 else Finding.COINCIDENCE

    @property
    def text(self) -> Phrase:
        """How the original compares with the control, in words."""
        shares = phrase(
            "{rate:.2%} of {people:,} people of the original are singled out among {others:,} "
            "others, and {control:.2%} of {strangers:,} of the control",
            people=self.original.people,
            rate=self.original.share,
            others=min(self.original.people, self.control.people),
            strangers=self.control.people,
            control=self.control.share,
        )
        verdict = self.finding.text
        if math.isfinite(self.lower):
            return phrase(
                "{shares}; excess risk {excess:.4f} (95 % interval {lower:.4f} to {upper:.4f}): "
                "{verdict}",
                shares=shares,
                excess=self.value,
                lower=self.lower,
                upper=self.upper,
                verdict=verdict,
            )
        if not self.has_few_people:
            verdict = phrase("everyone in the control is, so nothing can be concluded")
        return phrase("{shares}: {verdict}", shares=shares, verdict=verdict)


def excess(original: Successes, control: Successes, z: float = Z) -> Excess:
    """The excess of the original over the control, with limits ``z`` standard errors away.

    >>> result = excess(Successes(500, 150), Successes(500, 50))
    >>> [round(figure, 4) for figure in (result.value, result.lower, result.upper)]
    [0.2222, 0.1701, 0.2734]
    >>> excess(Successes(500, 50), Successes(500, 150)).finding.value
    'not comparable'
    """
    if not original.people or not control.people:
        return Excess(original, control, math.nan, -math.inf, 1.0)
    safe, low, high = original.safe_within(z)
    by_chance, low_by_chance, high_by_chance = control.safe_within(z)
    product = safe * by_chance

    def root(first: float, second: float) -> float:
        return math.sqrt(max(product**2 - first * second, 0.0))

    # Of the two forms of a root of a quadratic equation, those that stand a zero.
    first, second = low * (2 * safe - low), high_by_chance * (2 * by_chance - high_by_chance)
    smallest = first / (product + root(first, second)) if first else 0.0
    first, second = high * (2 * safe - high), low_by_chance * (2 * by_chance - low_by_chance)
    largest = (product + root(first, second)) / second if second else math.inf
    value = 1 - safe / by_chance if by_chance else math.nan
    return Excess(original, control, value, 1 - largest, 1 - smallest)
