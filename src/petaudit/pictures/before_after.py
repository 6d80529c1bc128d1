"""Before and after: each measure on a line of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.errors import counted, joined, phrase
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import Chart
from petaudit.pictures.svg import (
    BREACH,
    INK,
    LINE,
    MAIN,
    MUTED,
    OTHER,
    PAPER,
    WIDTH,
    Paint,
    Sheet,
    figure,
    name_in_table,
    scale,
)

MOST_ROWS: Final = 24
_TOP, _STEP = 30, 24
_LEFT, _RIGHT = 140, WIDTH - 140
_HOLLOW: Final = Paint(fill=PAPER, stroke=MAIN, stroke_width=2)
_LIMIT: Final = Paint(stroke=INK, stroke_width=1.5, dash="4 2")
_CHANGES: Final = {
    1: (phrase("better"), "✓", OTHER),
    0: (phrase("as before"), "=", MUTED),
    -1: (phrase("worse"), "✕", BREACH),
}
"""What a change is called, its sign and its color."""


@dataclass(frozen=True)
class ComparedFigure:
    """A figure before and after."""

    name: str
    before: float | None
    after: float | None
    limit: float | None
    better: str
    """``lower``, ``higher`` or ``true``."""

    @property
    def change(self) -> int:
        """1 for better, -1 for worse, 0 where there is none or nobody knows."""
        before, after = self.before, self.after
        if before is None or after is None or math.isnan(before) or math.isnan(after):
            return 0
        if before == after:
            return 0
        return 1 if (after > before) == (self.better != "lower") else -1


def draw_comparison(figures: Sequence[ComparedFigure], voice: Voice) -> Chart | None:
    """Draw a line with two points for each; what has no figure is in the table alone."""
    if not figures:
        return None
    drawn = [item for item in figures if _is_number(item.before) and _is_number(item.after)]
    drawn = drawn[:MOST_ROWS]
    changes = [item.change for item in figures]
    notes = [
        phrase(
            "Each line has a scale of its own, from 0 to its largest figure or 1; only points "
            "on the same line can be compared."
        )
    ]
    if len(drawn) < len(figures):
        left = counted(len(figures) - len(drawn), "measure")
        notes.append(phrase("Only in the table: {measures}.", measures=left))
    parts = [
        phrase("{measures} better", measures=counted(changes.count(1), "measure")),
        phrase("{measures} worse", measures=counted(changes.count(-1), "measure")),
        phrase("{measures} as before", measures=counted(changes.count(0), "measure")),
    ]
    return Chart.of(
        voice,
        _sheet(drawn, voice),
        title=phrase("Before and after"),
        words=joined(parts, ", "),
        header=(
            phrase("measure"),
            phrase("before"),
            phrase("after"),
            phrase("limit"),
            phrase("change"),
        ),
        rows=[
            (
                name_in_table(item.name),
                *(_text(number) for number in (item.before, item.after, item.limit)),
                _CHANGES[item.change][0],
            )
            for item in figures
        ],
        notes=notes,
    )


def _sheet(figures: Sequence[ComparedFigure], voice: Voice) -> Sheet:
    sheet = Sheet(height=_TOP + _STEP * max(len(figures), 1) + 4, say=voice.say)
    sheet.symbol(_LEFT, 12, area=70, **_HOLLOW)
    sheet.symbol(_LEFT + 90, 12, area=90, fill=MAIN)
    sheet.line(_LEFT + 180, _LEFT + 180, 3, 21, **_LIMIT)
    for place, text in enumerate((phrase("before"), phrase("after"), phrase("limit"))):
        sheet.text(_LEFT + 10 + 90 * place, 12, text, fill=MUTED)
    for place, item in enumerate(figures):
        y = _TOP + (place + 0.5) * _STEP
        before, after = float(item.before or 0), float(item.after or 0)
        limits = [float(item.limit)] if item.limit is not None and _is_number(item.limit) else []
        numbers = [before, after, *limits]
        low, high = min(0.0, *numbers), max(1.0 if max(numbers) <= 1 else 0.0, *numbers)
        at = [*map(scale((low, high), (_LEFT, _RIGHT)), numbers)]
        word, sign, color = _CHANGES[item.change]
        label = phrase(
            "{measure}: {before} before, {after} after, {change}",
            measure=name_in_table(item.name),
            before=figure(before),
            after=figure(after),
            change=word,
        )
        sheet.line(_LEFT, _RIGHT, y, y, stroke=LINE)
        sheet.line(at[0], at[1], y, y, stroke=color, stroke_width=4)
        for limit in at[2:]:
            sheet.line(limit, limit, y - 10, y + 10, **_LIMIT)
        sheet.symbol(at[0], y, area=70, **_HOLLOW)
        sheet.symbol(at[1], y, area=90, fill=MAIN, label=label)
        sheet.text(_LEFT - 8, y, item.name, anchor="end", room=_LEFT - 12)
        texts = f"{sign} {figure(before)} → {figure(after)}"
        sheet.text(_RIGHT + 12, y, texts, room=128, longest=40)
    return sheet


def _is_number(number: float | None) -> bool:
    return number is not None and math.isfinite(number)


def _text(number: float | None) -> str:
    return "–" if number is None or math.isnan(number) else figure(number)
