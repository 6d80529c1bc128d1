"""Who was in the training data: the curve of true against false positives, and the distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final

from petaudit.errors import phrase
from petaudit.exact import coarse
from petaudit.i18n.voice import Voice
from petaudit.pictures.attacks import attacks_of
from petaudit.pictures.base import Chart, Picture, check
from petaudit.pictures.svg import DASHED, INK, LINE, MAIN, MUTED, OTHER, Sheet, percent, scale

if TYPE_CHECKING:
    from petaudit.inputs import Inputs

FALSE_RATES: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
SHARES: Final = tuple(place / 20 for place in range(1, 20))
"""The shares of people whose distances are drawn: never those of the first and the last person."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 420, 24, 180


@dataclass(frozen=True)
class MembershipCurves(Picture):
    """True positives at rates of false ones, and the distances of shares of the people."""

    kind: ClassVar[str] = "membership-curves"

    true_rates: tuple[float, ...]
    """At each of the false positive rates."""
    fpr: float
    tpr: float
    """The chosen point."""
    people: int
    control_people: int
    distances: tuple[float, ...]
    """Of the original, at each of the shares; 1 is what two different categories differ by."""
    control_distances: tuple[float, ...]

    def __post_init__(self) -> None:
        check(len(self.true_rates) == len(FALSE_RATES), "there is a point at each rate")
        check(len(self.distances) == len(self.control_distances) == len(SHARES), "shares differ")
        check(all(0 <= rate <= 1 for rate in self.true_rates), "rates are shares")
        check(min(self.distances) >= 0 <= min(self.control_distances), "no distance is negative")
        check(0 < self.fpr < 1, "the chosen rate is a share")

    def draw(self, voice: Voice) -> Chart | None:
        """Draw the curve on a logarithmic axis, and below it both curves of distances."""
        if voice.threshold > min(self.people, self.control_people):
            return None
        sheet = Sheet(height=2 * _BOTTOM + 40, say=voice.say)
        rows = self._roc(sheet, voice)
        rows += self._distances(sheet)
        return Chart.of(
            voice,
            sheet,
            title=phrase("Members recognised, and how near they are"),
            words=phrase(
                "Where a generator copied nobody, the curve follows the dashed line, and the "
                "distances of both tables are alike."
            ),
            header=(phrase("false positives"), phrase("true positives"), phrase("distance")),
            rows=rows,
        )

    def _roc(self, sheet: Sheet, voice: Voice) -> list[tuple[str, str, str]]:
        x_log = scale((math.log10(FALSE_RATES[0]), 0.0), (_LEFT, _RIGHT))
        y = scale((math.log10(FALSE_RATES[0]), 0.0), (_BOTTOM, _TOP))

        def at(rate: float) -> float:
            return math.log10(max(rate, FALSE_RATES[0]))

        sheet.text(
            _LEFT, 10, phrase("true positives by false positives (both logarithmic)"), fill=MUTED
        )
        for rate in (0.001, 0.01, 0.1, 1.0):
            sheet.line(_LEFT, _RIGHT, y(at(rate)), y(at(rate)), stroke=LINE)
            sheet.text(_LEFT - 6, y(at(rate)), percent(rate), fill=MUTED, anchor="end")
            sheet.text(x_log(at(rate)), _BOTTOM + 12, percent(rate), fill=MUTED, anchor="middle")
        sheet.line(_LEFT, _RIGHT, _BOTTOM, _TOP, **DASHED)
        points = list(zip(FALSE_RATES, self.true_rates, strict=True))
        # Of few members, the share is not told.
        told = [
            (false, true) for false, true in points if not 0 < true * self.people < voice.threshold
        ]
        for (one, low), (other, high) in pairwise(told):
            sheet.line(
                x_log(at(one)), x_log(at(other)), y(at(low)), y(at(high)), stroke=MAIN,
                stroke_width=2.5,
            )  # fmt: skip
        if not 0 < self.tpr * self.people < voice.threshold:
            label = phrase(
                "{true} of the members at {false} of strangers",
                true=percent(self.tpr),
                false=percent(self.fpr),
            )
            sheet.symbol(
                x_log(at(self.fpr)), y(at(self.tpr)), area=110, fill=INK, label=voice.say(label)
            )
        return [(percent(false), percent(true), "") for false, true in told]

    def _distances(self, sheet: Sheet) -> list[tuple[str, str, str]]:
        top = _BOTTOM + 48
        most = max(*self.distances, *self.control_distances, 1e-9)
        x, y = scale((0, most), (_LEFT, _RIGHT)), scale((0, 1), (2 * _BOTTOM + 20, top))
        sheet.text(
            _LEFT, top - 14, phrase("share of people by distance to the nearest row"), fill=MUTED
        )
        for share in (0.0, 0.5, 1.0):
            sheet.line(_LEFT, _RIGHT, y(share), y(share), stroke=LINE)
            sheet.text(_LEFT - 6, y(share), percent(share), fill=MUTED, anchor="end")
        for color, name, curve, shift in (
            (OTHER, phrase("control"), self.control_distances, 16),
            (MAIN, phrase("original"), self.distances, 0),
        ):
            points = list(zip(SHARES, curve, strict=True))
            for (one, near), (other, far) in pairwise(points):
                sheet.line(x(near), x(far), y(one), y(other), stroke=color, stroke_width=2.5)
            sheet.text(_RIGHT, top + 10 + shift, name, fill=color, anchor="end", has_halo=True)
        return [
            (phrase("{share} of the people", share=percent(share)), "", f"{near:.3f} / {other:.3f}")
            for share, near, other in zip(
                SHARES[4::5], self.distances[4::5], self.control_distances[4::5], strict=True
            )
        ]


def membership_of(inputs: Inputs | None, result: Any) -> tuple[Picture, ...]:
    """Return the pictures of a membership attack."""
    curve, unit = result.curve, result.attack_tables.rows.unit
    near, near_control = (
        tuple(round(float(part[int(share * len(part))]) / unit, 3) for share in SHARES)
        for part in (curve.training, curve.control)
    )
    rates = tuple(round(rate, 4) for rate in curve.true_rates(FALSE_RATES))
    people = (len(curve.training), len(curve.control))
    if result.rounded_to is not None:
        parts = coarse.parts_of(min(people))
        if parts < len(SHARES) + 1:
            # Every share would be of a few people, whose distances nobody is told.
            return attacks_of(inputs, result)
        rates = tuple(coarse.rounded(rate, parts) for rate in rates)
        near, near_control = (
            tuple(coarse.rounded(each, len(SHARES) + 1) for each in part)
            for part in (near, near_control)
        )
    drawn = MembershipCurves(
        rates, float(result.fpr), float(result.attack_rate), *people, near, near_control
    )
    return (*attacks_of(inputs, result), drawn)
