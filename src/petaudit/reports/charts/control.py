"""The control beside the original, and the excess with its interval."""

from __future__ import annotations

from petaudit.languages.phrases import joined, phrase
from petaudit.pictures.control_comparison import ControlComparison
from petaudit.reports.charts.bars import STUB
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.hiding import percent
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import (
    BREACH,
    HATCH,
    INK,
    LINE,
    MAIN,
    MUTED,
    OTHER,
    WIDTH,
    Look,
    Sheet,
)
from petaudit.reports.charts.words import Speaker, fitted

_LEFT, _RIGHT = 190, WIDTH - 150
_ROWS = (44, 74, 118)


def draw_control(picture: ControlComparison, speaker: Speaker) -> Chart:
    """Two bars, and a point with a line."""
    say = speaker.say
    rates = (picture.rate, picture.control_rate)
    hidden = [speaker.is_small(rate * picture.rows) for rate in rates]
    bound = percent(min(speaker.hide_below, picture.rows), picture.rows)
    rate_texts = [
        f"<{bound}" if is_hidden else percent(rate, 1)
        for rate, is_hidden in zip(rates, hidden, strict=True)
    ]
    # The excess is worked out from both rates, so it would tell the one that is hidden.
    has_excess = not any(hidden)
    ends = {"lower": percent(picture.lower, 1), "upper": percent(picture.upper, 1)}
    interval = say(phrase("{lower} to {upper}", **ends))
    excess = f"{percent(picture.excess, 1)} ({interval})" if has_excess else ""
    title = say(phrase("The original beside the control"))
    words = say(_words(picture, rate_texts, excess))
    names = [phrase("original"), phrase("control"), phrase("excess, 95 % interval")]
    told = (
        [*rates, picture.upper]
        if has_excess
        else [rate for rate, is_hidden in zip(rates, hidden, strict=True) if not is_hidden]
    )
    most = max([0.01, *told])
    sheet = Sheet(height=146 if has_excess else 100)
    sheet.scale("x", (0, most), (_LEFT, _RIGHT))
    head = say(phrase("share of synthetic rows that single somebody out"))
    sheet.texts([(_LEFT, 14, Look(fill=MUTED, text=head))])
    sheet.rules([(_LEFT, _LEFT, 28, sheet.height - 8, Look(stroke=LINE))])
    stub = most * STUB / (_RIGHT - _LEFT)
    for rate, is_hidden, text, name, y, colour in zip(
        rates, hidden, rate_texts, names, _ROWS, (MAIN, OTHER), strict=False
    ):
        label = f"{say(name)}: {text}"
        look = Look(fill=colour, label=label)
        if is_hidden:
            look = Look(fill=HATCH, stroke=colour, stroke_width=1, label=label)
        length = stub if is_hidden else rate
        sheet.rects([(0, length, y - 9, y + 9, look)], "x", None)
        place = _LEFT + length / most * (_RIGHT - _LEFT)
        sheet.texts([(place + 6, y, Look(fill=INK, text=text))])
        sheet.texts([(_LEFT - 8, y, Look(fill=INK, text=say(name), anchor="end"))])
    if has_excess:
        _excess(sheet, picture, say(names[2]), excess)
    table = [(say(name), text, "") for name, text in zip(names, rate_texts, strict=False)]
    if has_excess:
        table.append((say(phrase("excess")), percent(picture.excess, 1), interval))
    header = (phrase("people of the"), phrase("share of rows"), phrase("95 % interval"))
    notes = []
    if not has_excess:
        notes = [
            speaker.hidden_note(),
            say(phrase("The excess is not shown, because a small number would follow from it.")),
        ]
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        tuple(notes),
    )


def _excess(sheet: Sheet, picture: ControlComparison, name: str, text: str) -> None:
    y = _ROWS[2]
    line = Look(stroke=BREACH, stroke_width=3)
    sheet.rules([(picture.lower, picture.upper, y, y, line)], "x", None)
    for end in (picture.lower, picture.upper):
        sheet.rules([(end, end, y - 6, y + 6, Look(stroke=BREACH, stroke_width=2))], "x", None)
    point = Look(fill=BREACH, label=f"{name}: {text}")
    sheet.symbols([(picture.excess, y, point)], "x", None, shape="diamond", area=140)
    sheet.texts([(_LEFT - 8, y, Look(fill=INK, text=fitted(name, _LEFT - 12), anchor="end"))])
    end = _LEFT + picture.upper / sheet.scales["x"]["domain"][1] * (_RIGHT - _LEFT)
    sheet.texts([(end + 8, y, Look(fill=INK, text=text))])


def _words(picture: ControlComparison, rates: list[str], excess: str) -> str:
    found = [
        phrase(
            "{rate} of the synthetic rows single out somebody of the original, {control} somebody "
            "of a control of the same size.",
            rate=rates[0],
            control=rates[1],
        )
    ]
    if excess:
        found.append(phrase("The excess is {excess}.", excess=excess))
    if not picture.is_known:
        found.append(phrase("There are too few people to tell whether that is coincidence."))
    elif picture.lower > 0:
        found.append(phrase("That is more than coincidence."))
    else:
        found.append(phrase("Coincidence could explain it."))
    return joined(found, " ")
