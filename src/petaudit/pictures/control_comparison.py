"""How much more the original is exposed than people whom the synthesizer never saw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from petaudit.exact.excess import Finding
from petaudit.pictures._words import check
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings


@dataclass(frozen=True)
class ControlComparison(Picture):
    """Shares of the people who are singled out, and the excess of the first with its interval."""

    kind: ClassVar[str] = "control-comparison"

    rate: float
    control_rate: float
    excess: float
    """It and the ends of its interval are below zero where the control is exposed more."""
    lower: float
    upper: float
    finding: str
    """What the interval says; see :class:`petaudit.exact.excess.Finding`."""
    people: int
    control_people: int

    def __post_init__(self) -> None:
        check(all(0 <= rate <= 1 for rate in (self.rate, self.control_rate)), "rates are shares")
        check(self.lower <= self.upper <= 1, "the interval ends before it begins")
        check(self.excess <= 1, "an excess is at most 1")
        check(self.finding in set(Finding), "what is said is one of the known findings")


def control_comparison(found: Findings) -> tuple[Picture, ...]:
    """None where there was no control, no time for it, or nothing to tell from it."""
    own = found.excess
    if own is None or not math.isfinite(own.lower):
        return ()
    return (
        ControlComparison(
            own.original.share,
            own.control.share,
            own.value,
            own.lower,
            own.upper,
            own.finding.value,
            own.original.people,
            own.control.people,
        ),
    )
