"""Identified rows by number of columns, and by column."""

from __future__ import annotations

from petaudit.i18n.numbers import counted, share
from petaudit.i18n.phrases import phrase
from petaudit.i18n.zones import Zone
from petaudit.pictures.column_exposure import ColumnExposure
from petaudit.pictures.identified_by_size import IdentifiedBySize, SizeCount
from petaudit.reports.charts.bars import Bar, bar_list
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.words import Speaker, name_in_table


def draw_identified_by_size(picture: IdentifiedBySize, speaker: Speaker) -> Chart | None:
    """A bar for each number of columns."""
    if not picture.sizes:
        return None
    say = speaker.say
    zones = speaker.parts([own.rows for own in picture.sizes], picture.rows)
    longest = _longest(zones)
    bars, table = [], []
    for own, rows in zip(picture.sizes, zones, strict=True):
        part = rows.percent(picture.rows)
        texts = {"rows": rows.text, "share": part, "columns": _sizes(own)}
        bars.append(
            Bar(
                _sizes(own),
                rows.middle / longest,
                f"{rows.text} ({part})" if rows.highest else "0",
                say(phrase("{columns} columns identify {rows} rows, {share}", **texts)),
                is_hidden=rows.is_small,
            )
        )
        looked_at = (f"{own.combinations:,}", f"{own.pruned:,}")
        table.append((_sizes(own), rows.text, part, *looked_at))
    identified = sum(own.rows for own in picture.sizes)
    title = say(phrase("How many columns it takes to single somebody out"))
    words = say(
        phrase(
            "{identified} ({share}) of {rows} single out one person.",
            identified=counted(identified, "identified row", of=picture.rows),
            share=share(identified, picture.rows),
            rows=counted(picture.rows, "synthetic row", of=picture.rows),
        )
    )
    header = (
        phrase("columns"),
        phrase("identified rows"),
        phrase("share of rows"),
        phrase("combinations"),
        phrase("pruned"),
    )
    notes = [*speaker.notes(zones)]
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
    """A bar for each column; those of one zone by their names, since an order tells numbers."""
    if not picture.columns:
        return None
    say = speaker.say
    # How many rows are identified is told as a zone itself.
    identified = round(speaker.zone(picture.identified).middle)
    found = sorted(
        ((own.column, speaker.zone(own.rows)) for own in picture.columns),
        key=lambda own: (-own[1].lowest, own[0]),
    )
    zones = [rows for _, rows in found]
    longest = _longest(zones)
    bars, table = [], []
    for column, rows in found:
        name, part = name_in_table(column), rows.percent(identified)
        label = phrase(
            "{column} is among the columns of {rows} identified rows, {share}",
            column=name,
            rows=rows.text,
            share=part,
        )
        bars.append(
            Bar(
                column,
                rows.middle / longest,
                f"{rows.text} ({part})",
                say(label),
                is_hidden=rows.is_small,
            )
        )
        table.append((name, rows.text, part))
    title = say(phrase("Columns that expose most"))
    most = phrase(
        "{column} helps most: it is among the columns of {share} of the identified rows.",
        column=table[0][0],
        share=table[0][2],
    )
    words = say(most)
    header = (
        phrase("column name"),
        phrase("identified rows"),
        phrase("share of the identified rows"),
    )
    sheet = bar_list(bars, say(header[0]), say(header[1]))
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        (*speaker.notes(zones), *speaker.more_columns(picture.more)),
    )


def _longest(zones: list[Zone]) -> float:
    return max([1.0, *(own.middle for own in zones)])


def _sizes(own: SizeCount) -> str:
    return f"{own.fewest:,}" if own.fewest == own.most else f"{own.fewest:,}–{own.most:,}"
