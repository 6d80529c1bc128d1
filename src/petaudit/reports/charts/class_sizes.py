"""Class sizes: the rows in classes of each size, and where the limit is."""

from __future__ import annotations

from petaudit.languages.numbers import counted
from petaudit.languages.phrases import joined, phrase
from petaudit.pictures.class_sizes import ClassSizes, SizeBin
from petaudit.reports.charts.bars import Bar, Divider, bar_list
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.words import Speaker, figure
from petaudit.units import Unit


def draw_class_sizes(picture: ClassSizes, speaker: Speaker) -> Chart | None:
    """A bar for each bin of sizes; classes that break the limit stand above a dashed line."""
    bins, limit, say = picture.bins, picture.limit, speaker.say
    unit = picture.unit
    if not bins:
        return None
    breaking = [limit is not None and own.lowest < limit for own in bins]
    total = sum(own.rows for own in bins) + picture.suppressed_rows
    zones = speaker.parts([own.rows for own in bins], total if unit is Unit.ROW else None)
    # Classes and rows together would tell more than either does.
    has_classes = all(own.is_exact for own in zones)
    longest = max([1.0, *(own.middle for own in zones)])
    bars, table = [], []
    for place, (own, rows) in enumerate(zip(bins, zones, strict=True)):
        share = rows.percent(total)
        number = f"{rows.text} ({share})" if rows.highest else "0"
        texts = {"size": _sizes(own), "rows": rows.text, "share": share}
        label = say(
            unit.choose(
                phrase("classes of {size}: {rows} rows, {share}", **texts),
                phrase("classes of {size}: {rows} people, {share}", **texts),
            )
        )
        if breaking[place]:
            label = say(phrase("{label}; below the limit", label=label))
        bars.append(
            Bar(
                name=("✕ " if breaking[place] and rows.highest else "") + _sizes(own),
                length=rows.middle / longest,
                number=number,
                label=label,
                is_hidden=rows.is_small,
                is_breach=breaking[place],
            )
        )
        verdict = () if limit is None else (say(_verdict(breaking[place])),)
        classes = (f"{own.classes:,}",) if has_classes else ()
        table.append((_sizes(own), *classes, rows.text, share, *verdict))
    divider = None
    if limit is not None:
        least = figure(limit)
        text = say(
            unit.choose(
                phrase("limit: {limit} rows at least; ✕ is below it", limit=least),
                phrase("limit: {limit} people at least; ✕ is below it", limit=least),
            )
        )
        divider = Divider(sum(breaking), text)
    title = say(
        unit.choose(
            phrase("Rows by the size of their class"), phrase("People by the size of their class")
        )
    )
    words = say(_words(picture, breaking))
    header = [
        unit.choose(phrase("rows in a class"), phrase("people in a class")),
        unit.choose(phrase("rows"), phrase("people")),
        unit.choose(phrase("share of rows"), phrase("share of people")),
    ]
    if has_classes:
        header.insert(1, phrase("classes"))
    if limit is not None:
        header.append(phrase("limit"))
    sheet = bar_list(
        bars,
        say(header[0]),
        say(
            unit.choose(
                phrase("rows in classes of this size"), phrase("people in classes of this size")
            )
        ),
        names_width=110,
        divider=divider,
    )
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        speaker.notes(zones),
    )


def _words(picture: ClassSizes, breaking: list[bool]) -> str:
    bins, limit, unit = picture.bins, picture.limit, picture.unit
    rows, number = sum(own.rows for own in bins), sum(own.classes for own in bins)
    total = rows + picture.suppressed_rows
    classes = counted(number, "class", "classes", of=number)
    found = [phrase("{rows} in {classes}.", rows=unit.counted(rows, of=total), classes=classes)]
    if limit is not None:
        broken = sum(own.rows for own, breaks in zip(bins, breaking, strict=True) if breaks)
        below = {"rows": unit.counted(broken, of=total), "limit": figure(limit)}
        found.append(
            unit.choose(
                phrase("{rows} in classes below the limit of {limit} rows.", **below),
                phrase("{rows} in classes below the limit of {limit} people.", **below),
            )
        )
    return joined(found, " ")


def _verdict(breaks: bool) -> str:
    return phrase("below the limit") if breaks else phrase("kept")


def _sizes(own: SizeBin) -> str:
    if own.lowest == own.highest:
        return f"{own.lowest:,}"
    return f"{own.lowest:,}–{own.highest:,}"
