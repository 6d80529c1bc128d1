"""The game between a publisher and an adversary: whether publishing and attacking pay."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor


@dataclass(frozen=True)
class Payoffs:
    """What a row of a class of this size means for both sides."""

    class_size: int
    adversary_expected_gain: float
    adversary_payoff: float
    publisher_risk: float
    publisher_payoff: float


@dataclass(frozen=True)
class PublishingGame:
    """The amounts that both sides reckon with; what comes of them depends on the size of a class.

    >>> game = PublishingGame(Fraction(4), Fraction(300), Fraction(300), Fraction(200), True)
    >>> game.benefit_exceeds_risk(1), game.smallest_passing_class()
    (False, 2)
    """

    cost: Fraction
    gain: Fraction
    loss: Fraction
    benefit: Fraction
    allow_attack: bool

    def attack_pays_not(self, size: int) -> bool:
        """Whether an attack costs more than it brings."""
        return self.cost > self.gain / size

    def risk(self, size: int) -> Fraction:
        """The loss to be expected for a row; nobody attacks what does not pay."""
        return Fraction(0) if self.gain / size < self.cost else self.loss / size

    def benefit_exceeds_risk(self, size: int) -> bool:
        """Whether publishing pays for a row."""
        return self.benefit > self.risk(size)

    def passes(self, size: int) -> bool:
        """Whether a class of this size may be published."""
        return self.benefit_exceeds_risk(size) and (self.allow_attack or self.attack_pays_not(size))

    def smallest_passing_class(self) -> int | None:
        """The first size from which all pass: each condition, once true, stays true."""
        candidates = [1]
        if self.cost > 0:
            candidates.append(floor(self.gain / self.cost) + 1)
        if self.benefit > 0:
            candidates.append(floor(self.loss / self.benefit) + 1)
        return min((size for size in candidates if self.passes(size)), default=None)

    def payoffs(self, size: int) -> Payoffs:
        """What both sides get from a row."""
        expected, risk = self.gain / size, self.risk(size)
        return Payoffs(
            size,
            float(expected),
            float(expected - self.cost),
            float(risk),
            float(self.benefit - risk),
        )
