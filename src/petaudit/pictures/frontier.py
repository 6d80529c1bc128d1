"""Risk against utility: what the best release loses at each risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from petaudit.errors import counted, phrase
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import Chart
from petaudit.pictures.svg import (
    BREACH,
    INK,
    LINE,
    MAIN,
    MUTED,
    OTHER,
    WIDTH,
    Paint,
    Sheet,
    Symbol,
    scale,
)

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, WIDTH - 16, 34, 300
_LOOKS: Final[tuple[tuple[str, Symbol], ...]] = (
    (MAIN, "circle"),
    (BREACH, "square"),
    (OTHER, "diamond"),
    (INK, "triangle-up"),
)
_TICKS: Final = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


@dataclass(frozen=True)
class FrontierPoint:
    """A release: its highest risk and what it loses, or that there is none."""

    name: str
    line: str
    """What the points of a line have in common."""
    risk: float | None
    loss: float | None
    button: str | None = None
    """What chooses it in the page, by its id."""


def draw_frontier(
    points: Sequence[FrontierPoint],
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    voice: Voice,
) -> Chart:
    """Draw a line for each share of rows that may be suppressed; the table has every point."""
    drawn = [point for point in points if point.risk and point.loss is not None]
    notes = []
    if len(drawn) < len(points):
        left = counted(len(points) - len(drawn), "point")
        notes.append(phrase("No release keeps the limits: {points}.", points=left))
    return Chart.of(
        voice,
        _sheet(drawn, voice) if drawn else Sheet(20, say=voice.say),
        title=phrase("Risk against utility"),
        words=phrase(
            "{points}: to the right less risk, further up less detail",
            points=counted(len(drawn), "point"),
        ),
        header=header,
        rows=rows,
        notes=notes,
    )


def _sheet(points: Sequence[FrontierPoint], voice: Voice) -> Sheet:
    risks = [math.log(float(point.risk or 1)) for point in points]
    low, high = min(risks), max(risks)
    across = scale((-high - 0.1, -low + 0.1), (_LEFT, _RIGHT))
    most = max([*(float(point.loss or 0) for point in points), 0.01])
    down = scale((0, most), (_BOTTOM, _TOP))
    sheet = Sheet(height=_BOTTOM + 44, say=voice.say)
    sheet.text(0, 10, phrase("detail lost"), fill=MUTED, size=11)
    for part in range(5):
        y = down(most * part / 4)
        sheet.line(_LEFT, _RIGHT, y, y, stroke=LINE)
        sheet.text(_LEFT - 6, y, f"{100 * most * part / 4:.3g} %", anchor="end", size=11)
    ticks = [tick for tick in _TICKS if low - 0.1 <= math.log(tick) <= high + 0.1]
    for tick in ticks or {math.exp(low), math.exp(high)}:
        x = across(-math.log(tick))
        sheet.line(x, x, _TOP, _BOTTOM, stroke=LINE)
        sheet.text(x, _BOTTOM + 12, f"{100 * tick:.3g} %", anchor="middle", size=11)
    sheet.text(_RIGHT, _BOTTOM + 32, phrase("highest risk"), anchor="end", fill=MUTED, size=11)
    lines = [*dict.fromkeys(point.line for point in points)]
    for number, line in enumerate(lines):
        color, symbol = _LOOKS[number % len(_LOOKS)]
        curve = [point for point in points if point.line == line]
        places = sorted(
            (across(-math.log(float(point.risk or 1))), down(float(point.loss or 0)), point.name)
            for point in curve
        )
        for (x, y, _), (x2, y2, _) in pairwise(places):
            sheet.line(x, x2, y, y2, stroke=color, stroke_width=2)
        for point in curve:
            x, y = across(-math.log(float(point.risk or 1))), down(float(point.loss or 0))
            label = phrase(
                "{limits}, suppression up to {most}: risk {risk}, detail lost {loss}",
                limits=point.name,
                most=line,
                risk=f"{100 * float(point.risk or 0):.3g} %",
                loss=f"{100 * float(point.loss or 0):.3g} %",
            )
            paint = Paint(fill=color, label=label)
            if point.button is not None:
                paint["button"] = point.button
            sheet.symbol(x, y, symbol, area=90, **paint)
        x = _LEFT + 90 + 84 * number
        if len(lines) > 1 and x < _RIGHT - 60:
            sheet.symbol(x, 10, symbol, area=70, fill=color)
            sheet.text(x + 10, 10, line, size=11, room=66)
    return sheet
