"""Before and after: each measure on a line of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from petaudit.i18n.numbers import counted
from petaudit.i18n.phrases import joined, phrase
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import BREACH, INK, LINE, MAIN, MUTED, OTHER, WIDTH, Look, Sheet
from petaudit.reports.charts.words import Speaker, figure, fitted, name_in_table

Row = tuple[str, float | None, float | None, float | None, str]
"""Name, figure before, figure after, limit, and which way is better."""

MOST_ROWS: Final = 24
_TOP, _STEP = 30, 24
_LEFT, _RIGHT = 190, WIDTH - 178


def draw_rows(rows: Sequence[Row], speaker: Speaker) -> Chart | None:
    """A line with two points for each measure; what has no figure is in the table alone."""
    if not rows:
        return None
    say = speaker.say
    drawn = [own for own in rows if _is_number(own[1]) and _is_number(own[2])][:MOST_ROWS]
    changes = [_change(own) for own in rows]
    title = say(phrase("Before and after"))
    parts = [
        phrase("{measures} better", measures=counted(changes.count(1), "measure")),
        phrase("{measures} worse", measures=counted(changes.count(-1), "measure")),
        phrase("{measures} as before", measures=counted(changes.count(0), "measure")),
    ]
    words = say(joined(parts, ", "))
    header = (
        phrase("measure"),
        phrase("before"),
        phrase("after"),
        phrase("limit"),
        phrase("change"),
    )
    table = tuple(
        (name_in_table(own[0]), *(_figure(number) for number in own[1:4]), say(_said(change)))
        for own, change in zip(rows, changes, strict=True)
    )
    notes = [
        say(
            phrase(
                "Each line has a scale of its own, from 0 to its largest figure or 1; only points "
                "on the same line can be compared."
            )
        )
    ]
    if len(drawn) < len(rows):
        left = counted(len(rows) - len(drawn), "measure")
        notes.append(say(phrase("Only in the table: {measures}.", measures=left)))
    svg = svg_of(_sheet(drawn, speaker), title, words)
    return Chart(svg, title, words, (tuple(map(say, header)), table), tuple(notes))


def _sheet(rows: Sequence[Row], speaker: Speaker) -> Sheet:
    say = speaker.say
    sheet = Sheet(height=_TOP + _STEP * max(len(rows), 1) + 4)
    _legend(sheet, speaker)
    sheet.scale("x", (0, 1), (_LEFT, _RIGHT))
    for place, own in enumerate(rows):
        y = _TOP + (place + 0.5) * _STEP
        name, before, after, limit = own[0], float(own[1] or 0), float(own[2] or 0), own[3]
        numbers = [
            before,
            after,
            *([float(limit)] if limit is not None and _is_number(limit) else []),
        ]
        low, high = min(0.0, *numbers), max(1.0 if max(numbers) <= 1 else 0.0, *numbers)
        span = (high - low) or 1.0
        at = [(number - low) / span for number in numbers]
        change = _change(own)
        colour = {1: OTHER, 0: MUTED, -1: BREACH}[change]
        label = say(
            phrase(
                "{measure}: {before} before, {after} after, {change}",
                measure=name_in_table(name),
                before=figure(before),
                after=figure(after),
                change=_said(change),
            )
        )
        sheet.rules([(0, 1, y, y, Look(stroke=LINE))], "x", None)
        sheet.rules([(at[0], at[1], y, y, Look(stroke=colour, stroke_width=4))], "x", None)
        if len(at) > 2:
            dashed = Look(stroke=INK, stroke_width=1.5, dash="4 2")
            sheet.rules([(at[2], at[2], y - 10, y + 10, dashed)], "x", None)
        hollow = Look(fill="var(--card,#ffffff)", stroke=MAIN, stroke_width=2)
        sheet.symbols([(at[0], y, hollow)], "x", None, area=70)
        sheet.symbols([(at[1], y, Look(fill=MAIN, label=label))], "x", None, area=90)
        shown = fitted(name, _LEFT - 12)
        sheet.texts([(_LEFT - 8, y, Look(fill=INK, text=shown, anchor="end"))])
        sign = {1: "✓", 0: "=", -1: "✕"}[change]
        text = f"{sign} {figure(before)} → {figure(after)}"
        sheet.texts([(_RIGHT + 12, y, Look(fill=INK, text=fitted(text, 164, longest=40)))])
    return sheet


def _legend(sheet: Sheet, speaker: Speaker) -> None:
    hollow = Look(fill="var(--card,#ffffff)", stroke=MAIN, stroke_width=2)
    sheet.symbols([(_LEFT, 12, hollow)], area=70)
    sheet.symbols([(_LEFT + 90, 12, Look(fill=MAIN))], area=90)
    dashed = Look(stroke=INK, stroke_width=1.5, dash="4 2")
    sheet.rules([(_LEFT + 180, _LEFT + 180, 3, 21, dashed)])
    for place, text in enumerate((phrase("before"), phrase("after"), phrase("limit"))):
        look = Look(fill=MUTED, text=speaker.say(text))
        sheet.texts([(_LEFT + 10 + 90 * place, 12, look)])


def _change(row: Row) -> int:
    """1 for better, -1 for worse, 0 where there is none or nobody knows."""
    _, before, after, _, better = row
    if before is None or after is None or math.isnan(before) or math.isnan(after):
        return 0
    if before == after:
        return 0
    return 1 if (after > before) == (better != "lower") else -1


def _said(change: int) -> str:
    return {1: phrase("better"), 0: phrase("as before"), -1: phrase("worse")}[change]


def _is_number(number: float | None) -> bool:
    return number is not None and math.isfinite(number)


def _figure(number: float | None) -> str:
    return "–" if number is None or math.isnan(number) else figure(number)
