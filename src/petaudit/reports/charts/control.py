"""The control beside the original, and the excess with its interval."""

from __future__ import annotations

from petaudit.exact.excess import Finding
from petaudit.i18n.phrases import joined, phrase
from petaudit.pictures.control_comparison import ControlComparison
from petaudit.reports.charts.bars import STUB
from petaudit.reports.charts.chart import Chart
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
from petaudit.reports.charts.words import Speaker, fitted, percent

_LEFT, _RIGHT = 190, WIDTH - 150
_ROWS = (44, 74, 118)
_FARTHEST_BELOW = -1.0
"""An interval may end anywhere below zero; the line is cut here, its text is not."""
_VERDICTS = {
    Finding.EXCESS: phrase("That is more than coincidence."),
    Finding.COINCIDENCE: phrase("Coincidence could explain it."),
    Finding.NOT_COMPARABLE: phrase(
        "The control is exposed more than the original: the two are not comparable, and nothing "
        "is decided."
    ),
    Finding.UNKNOWN: phrase("There are too few people to tell whether that is coincidence."),
}


def draw_control(picture: ControlComparison, speaker: Speaker) -> Chart:
    """Two bars, and a point with a line."""
    say = speaker.say
    rates = (picture.rate, picture.control_rate)
    people = (picture.people, picture.control_people)
    hidden = [speaker.is_small(rate * many) for rate, many in zip(rates, people, strict=True)]
    rate_texts = [
        f"<{percent(min(speaker.hide_below, many), many)}" if is_hidden else percent(rate, 1)
        for rate, many, is_hidden in zip(rates, people, hidden, strict=True)
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
    least = max(min(0.0, picture.lower), _FARTHEST_BELOW) if has_excess else 0.0
    sheet = Sheet(height=146 if has_excess else 100)
    sheet.scale("x", (least, most), (_LEFT, _RIGHT))

    def place(figure: float) -> float:
        return _LEFT + (figure - least) / (most - least) * (_RIGHT - _LEFT)

    head = say(phrase("share of people who are singled out"))
    sheet.texts([(_LEFT, 14, Look(fill=MUTED, text=head))])
    sheet.rules([(place(0), place(0), 28, sheet.height - 8, Look(stroke=LINE))])
    stub = (most - least) * STUB / (_RIGHT - _LEFT)
    for rate, is_hidden, text, name, y, colour in zip(
        rates, hidden, rate_texts, names, _ROWS, (MAIN, OTHER), strict=False
    ):
        label = f"{say(name)}: {text}"
        look = Look(fill=colour, label=label)
        if is_hidden:
            look = Look(fill=HATCH, stroke=colour, stroke_width=1, label=label)
        length = stub if is_hidden else rate
        sheet.rects([(0, length, y - 9, y + 9, look)], "x", None)
        sheet.texts([(place(length) + 6, y, Look(fill=INK, text=text))])
        sheet.texts([(_LEFT - 8, y, Look(fill=INK, text=say(name), anchor="end"))])
    if has_excess:
        _excess(sheet, picture, say(names[2]), excess, least)
        end = place(max(picture.upper, least))
        sheet.texts([(end + 8, _ROWS[2], Look(fill=INK, text=excess))])
    table = [(say(name), text, "") for name, text in zip(names, rate_texts, strict=False)]
    if has_excess:
        table.append((say(phrase("excess")), percent(picture.excess, 1), interval))
    header = (phrase("people of the"), phrase("share of people"), phrase("95 % interval"))
    notes = []
    if not has_excess:
        notes = [
            say(phrase("Stripes stand for very few people or nobody: their length says nothing.")),
            say(phrase("The excess is not shown, because a small number would follow from it.")),
        ]
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        tuple(notes),
    )


def _excess(sheet: Sheet, picture: ControlComparison, name: str, text: str, least: float) -> None:
    y = _ROWS[2]
    line = Look(stroke=BREACH, stroke_width=3)
    lower, middle, upper = (
        max(figure, least) for figure in (picture.lower, picture.excess, picture.upper)
    )
    sheet.rules([(lower, upper, y, y, line)], "x", None)
    for end in (lower, upper):
        sheet.rules([(end, end, y - 6, y + 6, Look(stroke=BREACH, stroke_width=2))], "x", None)
    point = Look(fill=BREACH, label=f"{name}: {text}")
    sheet.symbols([(middle, y, point)], "x", None, shape="diamond", area=140)
    sheet.texts([(_LEFT - 8, y, Look(fill=INK, text=fitted(name, _LEFT - 12), anchor="end"))])


def _words(picture: ControlComparison, rates: list[str], excess: str) -> str:
    found = [
        phrase(
            "In samples of one size, {rate} of the original's people are singled out, and "
            "{control} of the control's.",
            rate=rates[0],
            control=rates[1],
        )
    ]
    if excess:
        found.append(phrase("The excess is {excess}.", excess=excess))
    found.append(_VERDICTS[Finding(picture.finding)])
    return joined(found, " ")
