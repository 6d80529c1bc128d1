"""Column shares: what each column keeps, or how far it moved."""

from __future__ import annotations

from petaudit.i18n.numbers import counted
from petaudit.i18n.phrases import phrase
from petaudit.pictures.column_shares import ColumnShares
from petaudit.reports.charts.bars import Bar, bar_list
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.words import Speaker, figure, name_in_table


def draw_column_shares(picture: ColumnShares, speaker: Speaker) -> Chart | None:
    """A bar for each column, the worst first, with the figure of all."""
    if not picture.columns:
        return None
    say = speaker.say
    bars = [
        Bar(
            own.column,
            min(max(own.value, 0.0), 1.0),
            figure(own.value),
            f"{name_in_table(own.column)}: {figure(own.value)}",
        )
        for own in picture.columns
    ]
    title = say(_title(picture))
    worst = picture.columns[0]
    words = say(
        phrase(
            "{columns}; the worst is {column} with {value}.",
            columns=counted(len(picture.columns) + picture.more, "column"),
            column=name_in_table(worst.column),
            value=figure(worst.value),
        )
    )
    scale = (
        phrase("0: nothing is kept, 1: everything")
        if picture.is_kept
        else phrase("0: the same as in the original, 1: nothing in common")
    )
    marks = []
    if picture.overall is not None:
        overall = say(phrase("all columns: {value}", value=figure(picture.overall)))
        marks.append((min(max(picture.overall, 0.0), 1.0), overall))
    names_are = say(phrase("column name"))
    sheet = bar_list(bars, names_are, say(scale), marks=marks)
    table = tuple((name_in_table(own.column), figure(own.value)) for own in picture.columns)
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        ((names_are, say(phrase("figure of the column"))), table),
        speaker.more_columns(picture.more),
    )


def _title(picture: ColumnShares) -> str:
    if picture.is_kept:
        return phrase("What each column keeps")
    return phrase("How far each column moved")
