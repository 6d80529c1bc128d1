"""How much more the original is exposed than people whom the synthesizer never saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from petaudit.pictures._words import check, finite
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings


@dataclass(frozen=True)
class ControlComparison(Picture):
    """Two shares of the synthetic rows, and the excess of the first with its interval."""

    kind: ClassVar[str] = "control-comparison"

    rate: float
    control_rate: float
    excess: float
    lower: float
    upper: float
    is_known: bool
    rows: int
    """Synthetic rows, of which the rates are shares."""
    sample_rows: int
    """People of the original, and as many of the control."""

    def __post_init__(self) -> None:
        figures = (self.rate, self.control_rate, self.excess, self.lower, self.upper)
        check(all(0 <= own <= 1 for own in figures), "all figures are shares")
        check(self.lower <= self.upper, "the interval ends before it begins")


def control_comparison(found: Findings) -> tuple[Picture, ...]:
    """None where there was no control, or no time for it."""
    own = found.excess
    if own is None:
        return ()
    figures = [
        finite(each) for each in (own.rate, own.control_rate, own.value, own.lower, own.upper)
    ]
    known = [min(max(each, 0.0), 1.0) for each in figures if each is not None]
    if len(known) < len(figures):
        return ()
    rate, control_rate, excess, lower, upper = known
    return (
        ControlComparison(
            rate, control_rate, excess, lower, upper, own.is_known, found.rows, own.sample_rows
        ),
    )
