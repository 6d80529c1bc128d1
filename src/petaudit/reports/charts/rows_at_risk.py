"""Rows at risk: the share of rows above each threshold, with the one in use."""

from __future__ import annotations

from dataclasses import dataclass

from petaudit.i18n.numbers import Unit, share
from petaudit.i18n.phrases import phrase
from petaudit.i18n.zones import Zone
from petaudit.pictures.rows_at_risk import RowsAtRisk
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import BREACH, HATCH, INK, LINE, MAIN, MUTED, WIDTH, Look, Sheet
from petaudit.reports.charts.words import Speaker, figure, fitted

_TOP, _BOTTOM, _LEFT = 52, 252, 8
_STUB = 10


@dataclass(frozen=True)
class _Shown:
    threshold: float
    zone: Zone
    text: str
    is_used: bool


def draw_rows_at_risk(picture: RowsAtRisk, speaker: Speaker) -> Chart | None:
    """A bar for each threshold."""
    if not picture.rows:
        return None
    say = speaker.say
    unit, total = picture.unit, picture.rows + picture.suppressed_rows
    shown = [
        _Shown(own.threshold, zone, zone.percent(total), own.threshold == picture.threshold)
        for own in picture.points
        # As in the picture of class sizes: not beside 1/5, and not for a quarter of the table.
        if speaker.hide_below <= 1
        or own.threshold == picture.threshold
        or (own.threshold * total >= 4 and not 1 / 4 <= own.threshold < 1 / 2)
        for zone in [speaker.zone(own.rows, total if unit is Unit.ROW else None)]
    ]
    title = say(
        unit.choose(phrase("Rows at risk by threshold"), phrase("People at risk by threshold"))
    )
    share_of = unit.choose(
        phrase("share of rows with a higher risk"), phrase("share of people with a higher risk")
    )
    used = figure(picture.threshold)
    words = say(
        phrase(
            "{rows} ({share}) have a risk above the threshold of {threshold} that is in use.",
            rows=unit.counted(picture.rows_at_risk, of=total),
            share=share(picture.rows_at_risk, total),
            threshold=used,
        )
    )
    sheet = Sheet(height=_BOTTOM + 44)
    sheet.scale("x", (0, len(shown)), (_LEFT, WIDTH - 8))
    sheet.scale("y", (0, total), (_BOTTOM, _TOP))
    sheet.rules([(_LEFT, WIDTH - 8, _BOTTOM, _BOTTOM, Look(stroke=LINE))])
    labels = [
        say(
            unit.choose(
                phrase("risk above {threshold}: {share} of the rows", **texts),
                phrase("risk above {threshold}: {share} of the people", **texts),
            )
        )
        for own in shown
        for texts in [{"threshold": figure(own.threshold), "share": own.text}]
    ]
    for is_hidden in (False, True):
        sheet.rects(
            [
                (place + 0.14, place + 0.86, 0, _height(own, total), _look(own, label))
                for place, (own, label) in enumerate(zip(shown, labels, strict=True))
                if own.zone.is_small is is_hidden
            ],
            "x",
            "y",
        )
    place = next(place for place, own in enumerate(shown) if own.is_used) + 0.5
    dashed = Look(stroke=INK, stroke_width=1.5, dash="5 3")
    top = _TOP - 22
    bar_top = _BOTTOM - (_BOTTOM - _TOP) * _height(shown[int(place)], total) / total
    sheet.rules([(place, place, top, bar_top - 18, dashed)], "x", None)
    is_left = place < len(shown) / 2
    in_use = Look(
        fill=INK,
        text=say(phrase("threshold in use: {threshold}", threshold=used)),
        anchor="start" if is_left else "end",
        weight="600",
    )
    sheet.texts([(place + (0.1 if is_left else -0.1), top + 6, in_use)], "x", None)
    sheet.texts([(_LEFT, 11, Look(fill=MUTED, text=say(share_of)))])
    sheet.texts(
        [
            (at + 0.5, _height(own, total) + 9 * total / (_BOTTOM - _TOP), look)
            for at, own in enumerate(shown)
            for look in [
                Look(
                    fill=INK,
                    text=fitted(own.text.replace(" %", "%"), WIDTH / len(shown) - 4, 11.5),
                    anchor="middle",
                    size=11.5,
                )
            ]
        ],
        "x",
        "y",
    )
    sheet.texts(
        [
            (at + 0.5, _BOTTOM + 12, Look(fill=INK, text=figure(own.threshold), anchor="middle"))
            for at, own in enumerate(shown)
        ],
        "x",
        None,
    )
    below = Look(fill=MUTED, anchor="middle", text=say(phrase("threshold of the risk")))
    sheet.texts([(WIDTH / 2, _BOTTOM + 32, below)])
    header = (phrase("threshold"), share_of, phrase("in use"))
    table = tuple(
        (figure(own.threshold), own.text, say(phrase("yes")) if own.is_used else "")
        for own in shown
    )
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), table),
        speaker.notes(own.zone for own in shown),
    )


def _height(own: _Shown, rows: int) -> float:
    return _STUB * rows / (_BOTTOM - _TOP) if own.zone.is_small else min(own.zone.middle, rows)


def _look(own: _Shown, label: str) -> Look:
    colour = BREACH if own.is_used else MAIN
    if own.zone.is_small:
        return Look(fill=HATCH, stroke=colour, stroke_width=1, label=label)
    return Look(fill=colour, label=label)
