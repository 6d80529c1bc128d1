"""How much more the original is exposed than holdout records not used for training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from petaudit.errors import joined, phrase
from petaudit.exact.excess import Finding
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import STRIPES, Chart, Picture, check
from petaudit.pictures.svg import (
    BREACH,
    LINE,
    MAIN,
    MUTED,
    OTHER,
    STUB,
    WIDTH,
    Sheet,
    bar_paint,
    percent,
    scale,
)

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings

_LEFT, _RIGHT = 190, WIDTH - 150
_ROWS = (44, 74, 118)
_FARTHEST_BELOW: Final = -1.0
"""An interval may end anywhere below zero; the line is cut here, its text is not."""
_VERDICTS: Final = {
    Finding.EXCESS: phrase("That is more than coincidence."),
    Finding.COINCIDENCE: phrase("Coincidence could explain it."),
    Finding.NOT_COMPARABLE: phrase(
        "The control is exposed more than the original: the two are not comparable, and nothing "
        "is decided."
    ),
    Finding.UNKNOWN: phrase("There are too few people to tell whether that is coincidence."),
}


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

    def draw(self, voice: Voice) -> Chart:
        """Draw two bars, and the excess as a point on a line."""
        say = voice.say
        rates = [
            (phrase("original"), self.rate, self.people, MAIN),
            (phrase("control"), self.control_rate, self.control_people, OTHER),
        ]
        hidden = [0 < rate * people < voice.threshold for _, rate, people, _ in rates]
        texts = [
            f"<{percent(min(voice.threshold, people) / people)}" if is_hidden else percent(rate)
            for (_, rate, people, _), is_hidden in zip(rates, hidden, strict=True)
        ]
        # The excess is worked out from both rates, so it would tell the one that is hidden.
        has_excess = not any(hidden)
        told = [
            rate for (_, rate, _, _), is_hidden in zip(rates, hidden, strict=True) if not is_hidden
        ]
        most = max([0.01, *told, *([self.upper] if has_excess else [])])
        least = max(min(0.0, self.lower), _FARTHEST_BELOW) if has_excess else 0.0
        x = scale((least, most), (_LEFT, _RIGHT))
        sheet = Sheet(height=146 if has_excess else 100, say=say)
        sheet.text(_LEFT, 14, phrase("share of people who are singled out"), fill=MUTED)
        sheet.line(x(0), x(0), 28, sheet.height - 8, stroke=LINE)
        table = []
        for (name, rate, _, color), is_hidden, text, y in zip(
            rates, hidden, texts, _ROWS, strict=False
        ):
            end = x(0) + STUB if is_hidden else x(rate)
            paint = bar_paint(color, f"{say(name)}: {text}", is_hidden=is_hidden)
            sheet.rect(x(0), end, y - 9, y + 9, **paint)
            sheet.text(end + 6, y, text)
            sheet.text(_LEFT - 8, y, name, anchor="end")
            table.append((name, text, ""))
        sentences = [
            phrase(
                "In samples of one size, {rate} of the original's people are singled out, and "
                "{control} of the control's.",
                rate=texts[0],
                control=texts[1],
            )
        ]
        notes = []
        if has_excess:
            ends = {"lower": percent(self.lower), "upper": percent(self.upper)}
            interval = say(phrase("{lower} to {upper}", **ends))
            excess = f"{percent(self.excess)} ({interval})"
            excess_name = say(phrase("excess, 95 % interval"))
            lower, middle, upper = (
                x(max(number, least)) for number in (self.lower, self.excess, self.upper)
            )
            y = _ROWS[2]
            sheet.line(lower, upper, y, y, stroke=BREACH, stroke_width=3)
            for end in (lower, upper):
                sheet.line(end, end, y - 6, y + 6, stroke=BREACH, stroke_width=2)
            label = f"{excess_name}: {excess}"
            sheet.symbol(middle, y, "diamond", area=140, fill=BREACH, label=label)
            sheet.text(_LEFT - 8, y, excess_name, anchor="end", room=_LEFT - 12)
            sheet.text(upper + 8, y, excess)
            table.append((phrase("excess"), percent(self.excess), interval))
            sentences.append(phrase("The excess is {excess}.", excess=excess))
        else:
            small = phrase("The excess is not shown, because a small number would follow from it.")
            notes = [STRIPES, small]
        return Chart.of(
            voice,
            sheet,
            title=phrase("The original beside the control"),
            words=joined([*sentences, _VERDICTS[Finding(self.finding)]], " "),
            header=(phrase("people of the"), phrase("share of people"), phrase("95 % interval")),
            rows=table,
            notes=notes,
        )


def control_comparison(findings: Findings) -> tuple[Picture, ...]:
    """Return none where there was no control, no time for it, or nothing to tell from it."""
    excess = findings.excess
    if excess is None or not math.isfinite(excess.lower):
        return ()
    return (
        ControlComparison(
            excess.original.share,
            excess.control.share,
            excess.value,
            excess.lower,
            excess.upper,
            excess.finding.value,
            excess.original.people,
            excess.control.people,
        ),
    )
