"""Identified rows by number of columns, and by column."""

from __future__ import annotations

from typing import Final

from petaudit.languages.numbers import counted, share
from petaudit.languages.phrases import phrase
from petaudit.pictures.column_exposure import ColumnExposure
from petaudit.pictures.identified_by_size import IdentifiedBySize, SizeCount
from petaudit.reports.charts.bars import Bar, bar_list
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.hiding import hiding
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.words import Speaker, name_in_table

_EXPOSURE: Final = phrase("Columns that expose most")


def draw_identified_by_size(picture: IdentifiedBySize, speaker: Speaker) -> Chart | None:
    """A bar for each number of columns."""
    if not picture.sizes:
        return None
    say = speaker.say
    counts = hiding([own.rows for own in picture.sizes], speaker.hide_below)
    longest = _longest(
        [own.rows for place, own in enumerate(picture.sizes) if not counts.is_hidden(place)]
    )
    bars, table = [], []
    for place, own in enumerate(picture.sizes):
        part = counts.share(place, picture.rows)
        texts = {"rows": counts.text(place), "share": part, "columns": _sizes(own)}
        bars.append(
            Bar(
                _sizes(own),
                own.rows / longest,
                f"{counts.text(place)} ({part})" if own.rows else "0",
                say(phrase("{columns} columns identify {rows} rows, {share}", **texts)),
                is_hidden=counts.is_hidden(place),
            )
        )
        looked_at = (f"{own.combinations:,}", f"{own.pruned:,}")
        table.append((_sizes(own), counts.text(place), part, *looked_at))
    identified = sum(own.rows for own in picture.sizes)
    title = say(phrase("How many columns it takes to single somebody out"))
    words = say(
        phrase(
            "{identified} ({share}) of {rows} single out one person.",
            identified=counted(identified, "identified row"),
            share=share(identified, picture.rows),
            rows=counted(picture.rows, "synthetic row"),
        )
    )
    header = (
        phrase("columns"),
        phrase("identified rows"),
        phrase("share of rows"),
        phrase("combinations"),
        phrase("pruned"),
    )
    notes = [speaker.hidden_note()] if counts.hidden else []
    if not picture.complete:
        notes.append(say(phrase("The search was not complete: these are the fewest there are.")))
    sheet = bar_list(bars, say(header[0]), say(header[1]), names_width=80)
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        tuple(notes),
    )


def draw_column_exposure(picture: ColumnExposure, speaker: Speaker) -> Chart | None:
    """A bar for each column; only their order where numbers would give away hidden ones."""
    if not picture.columns:
        return None
    if picture.gives_away_below(speaker.hide_below):
        return _order_of_columns(picture, speaker)
    say = speaker.say
    # A row counts for every column of its combination, so nothing follows from a sum.
    rows = [own.rows for own in picture.columns]
    counts = hiding(rows, speaker.hide_below, sums_are_known=False)
    longest = _longest([own for place, own in enumerate(rows) if not counts.is_hidden(place)])
    bars, table = [], []
    for place, own in enumerate(picture.columns):
        name, part = name_in_table(own.column), counts.share(place, picture.identified)
        label = phrase(
            "{column} is among the columns of {rows} identified rows, {share}",
            column=name,
            rows=counts.text(place),
            share=part,
        )
        bars.append(
            Bar(
                own.column,
                own.rows / longest,
                f"{counts.text(place)} ({part})",
                say(label),
                is_hidden=counts.is_hidden(place),
            )
        )
        table.append((name, counts.text(place), part))
    title = say(_EXPOSURE)
    most = phrase(
        "{column} helps most: it is among the columns of {share} of the identified rows.",
        column=name_in_table(picture.columns[0].column),
        share=counts.share(0, picture.identified),
    )
    words = say(most)
    header = (
        phrase("column name"),
        phrase("identified rows"),
        phrase("share of the identified rows"),
    )
    notes = [speaker.hidden_note()] if counts.hidden else []
    sheet = bar_list(bars, say(header[0]), say(header[1]))
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        (*notes, *speaker.more_columns(picture.more)),
    )


def _order_of_columns(picture: ColumnExposure, speaker: Speaker) -> Chart:
    """The columns without any number, which would be an equation for hidden counts."""
    say = speaker.say
    bars, table = [], []
    for own in picture.columns:
        name = name_in_table(own.column)
        bars.append(Bar(own.column, 0, "", say(phrase("{column}: not told", column=name)), True))
        table.append((name,))
    title = say(_EXPOSURE)
    words = say(
        phrase("{column} helps most.", column=name_in_table(picture.columns[0].column)),
    )
    note = phrase(
        "Only the order of the columns is told: at least one combination identifies so few rows "
        "that their number is hidden, and it could be worked out from numbers of columns."
    )
    header = say(phrase("column name"))
    sheet = bar_list(bars, header, say(phrase("the one that helps most first")))
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        ((header,), tuple(table)),
        (say(note), *speaker.more_columns(picture.more)),
    )


def _longest(rows: list[int]) -> int:
    return max([1, *rows])


def _sizes(own: SizeCount) -> str:
    return f"{own.fewest:,}" if own.fewest == own.most else f"{own.fewest:,}–{own.most:,}"
