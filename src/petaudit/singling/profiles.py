"""Named limits for the use that a synthetic table is meant for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal


@dataclass(frozen=True)
class Profile:
    """A bound on the risk score or on the identification rate."""

    figure: Literal["privacy_risk_score", "identification_rate"] | None
    """None for a bound of one's own on whichever of the two is the result's value."""
    bound: Fraction
    is_strict: bool = True

    def holds(self, figure: Fraction) -> bool:
        """Whether a figure keeps the bound.

        >>> PROFILES["public"].holds(Fraction(1, 20))
        False
        """
        return figure < self.bound if self.is_strict else figure <= self.bound


PROFILES: Final[Mapping[str, Profile]] = {
    "public": Profile("privacy_risk_score", Fraction(5, 100)),
    "research": Profile("privacy_risk_score", Fraction(10, 100)),
    "internal": Profile("privacy_risk_score", Fraction(20, 100)),
    "development": Profile("privacy_risk_score", Fraction(30, 100)),
    "high-risk": Profile("privacy_risk_score", Fraction(1, 100)),
    "excellent": Profile("identification_rate", Fraction(1, 100)),
    "good": Profile("identification_rate", Fraction(5, 100)),
    "acceptable": Profile("identification_rate", Fraction(10, 100)),
}
"""Risk scores by use, and grades of the identification rate; all are strict bounds."""
