"""Rows at risk: the share of rows above each threshold, with the one in use."""

from __future__ import annotations

from dataclasses import dataclass

from petaudit.languages.numbers import share
from petaudit.languages.phrases import phrase
from petaudit.pictures.rows_at_risk import RowsAtRisk
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.hiding import percent
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import BREACH, HATCH, INK, LINE, MAIN, MUTED, WIDTH, Look, Sheet
from petaudit.reports.charts.words import Speaker, figure, fitted

_TOP, _BOTTOM, _LEFT = 52, 252, 8
_STUB = 10


@dataclass(frozen=True)
class _Shown:
    threshold: float
    rows: int
    text: str
    is_hidden: bool
    is_used: bool


def draw_rows_at_risk(picture: RowsAtRisk, speaker: Speaker) -> Chart | None:
    """A bar for each threshold."""
    if not picture.rows:
        return None
    say = speaker.say
    shown = _shown(picture, speaker)
    unit = picture.unit
    title = say(
        unit.choose(phrase("Rows at risk by threshold"), phrase("People at risk by threshold"))
    )
    share_of = unit.choose(
        phrase("share of rows with a higher risk"), phrase("share of people with a higher risk")
    )
    used = figure(picture.threshold)
    others = picture.rows - picture.rows_at_risk
    words = say(
        phrase(
            "{rows} ({share}) have a risk above the threshold of {threshold} that is in use.",
            rows=unit.counted(picture.rows_at_risk, beside=others),
            share=share(picture.rows_at_risk, picture.rows, beside=others),
            threshold=used,
        )
    )
    sheet = Sheet(height=_BOTTOM + 44)
    sheet.scale("x", (0, len(shown)), (_LEFT, WIDTH - 8))
    sheet.scale("y", (0, picture.rows), (_BOTTOM, _TOP))
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
                (place + 0.14, place + 0.86, 0, _height(own, picture.rows), _look(own, label))
                for place, (own, label) in enumerate(zip(shown, labels, strict=True))
                if own.is_hidden is is_hidden
            ],
            "x",
            "y",
        )
    place = next(place for place, own in enumerate(shown) if own.is_used) + 0.5
    dashed = Look(stroke=INK, stroke_width=1.5, dash="5 3")
    top = _TOP - 22
    bar_top = _BOTTOM - (_BOTTOM - _TOP) * _height(shown[int(place)], picture.rows) / picture.rows
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
            (at + 0.5, _height(own, picture.rows) + 9 * picture.rows / (_BOTTOM - _TOP), look)
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
    notes = [speaker.hidden_note()] if any(own.is_hidden for own in shown) else []
    if any(own.rows != real.rows for own, real in zip(shown, picture.points, strict=True)):
        notes.append(
            say(
                phrase(
                    "Steps of fewer than {number} rows are not drawn.", number=speaker.hide_below
                )
            )
        )
    return Chart(
        svg_of(sheet, title, words), title, words, (tuple(map(say, header)), table), tuple(notes)
    )


def _shown(picture: RowsAtRisk, speaker: Speaker) -> list[_Shown]:
    """Rows as they may be told: from the threshold in use on, small steps are left out."""
    used = next(
        place for place, own in enumerate(picture.points) if own.threshold == picture.threshold
    )
    rows = [own.rows for own in picture.points]
    for places in (range(used + 1, len(rows)), range(used - 1, -1, -1)):
        before = rows[used]
        for place in places:
            if speaker.is_small(abs(rows[place] - before)) and not speaker.is_small(before):
                rows[place] = before
            before = rows[place]
    found = []
    for place, (own, many) in enumerate(zip(picture.points, rows, strict=True)):
        is_hidden = speaker.is_small(many)
        bound = min(speaker.hide_below, picture.rows)
        text = f"<{percent(bound, picture.rows)}" if is_hidden else percent(many, picture.rows)
        found.append(_Shown(own.threshold, many, text, is_hidden, place == used))
    return found


def _height(own: _Shown, rows: int) -> float:
    return _STUB * rows / (_BOTTOM - _TOP) if own.is_hidden else own.rows


def _look(own: _Shown, label: str) -> Look:
    colour = BREACH if own.is_used else MAIN
    if own.is_hidden:
        return Look(fill=HATCH, stroke=colour, stroke_width=1, label=label)
    return Look(fill=colour, label=label)
