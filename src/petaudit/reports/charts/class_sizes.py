"""Class sizes: the rows in classes of each size, and where the limit is."""

from __future__ import annotations

import itertools
import math
from typing import Final

from petaudit.i18n.numbers import Unit, counted
from petaudit.i18n.phrases import joined, phrase
from petaudit.pictures.class_sizes import ClassSizes, SizeBin
from petaudit.reports.charts.bars import Bar, Divider, bar_list
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.words import Speaker, figure

_EDGES: Final = (1, 2, 3, 5, 10, 20, 50)
"""Where bins begin if numbers are told as zones."""


def draw_class_sizes(picture: ClassSizes, speaker: Speaker) -> Chart | None:
    """A bar for each bin of sizes; classes that break the limit stand above a dashed line."""
    limit, say, unit = picture.limit, speaker.say, picture.unit
    if not picture.bins:
        return None
    total = sum(own.rows for own in picture.bins) + picture.suppressed_rows
    bins = picture.bins if speaker.hide_below <= 1 else _coarser(picture, total)
    breaking = [limit is not None and own.lowest < limit for own in bins]
    zones = speaker.parts([own.rows for own in bins], total if unit is Unit.ROW else None)
    # Classes and rows together would tell more than either does.
    has_classes = speaker.hide_below <= 1
    longest = max([1.0, *(own.middle for own in zones)])
    bars, table = [], []
    for place, (own, rows) in enumerate(zip(bins, zones, strict=True)):
        sizes = _sizes(own, own is bins[-1] and bins is not picture.bins)
        share = rows.percent(total)
        number = f"{rows.text} ({share})" if rows.highest else "0"
        texts = {"size": sizes, "rows": rows.text, "share": share}
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
                name=("✕ " if breaking[place] and rows.highest else "") + sizes,
                length=rows.middle / longest,
                number=number,
                label=label,
                is_hidden=rows.is_small,
                is_breach=breaking[place],
            )
        )
        verdict = () if limit is None else (say(_verdict(breaking[place])),)
        classes = (f"{own.classes:,}",) if has_classes else ()
        table.append((sizes, *classes, rows.text, share, *verdict))
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
    words = say(_words(picture))
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
        names_width=None,
        divider=divider,
    )
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        speaker.notes(zones),
    )


def _coarser(picture: ClassSizes, rows: int) -> tuple[SizeBin, ...]:
    """The same few bins for every table, since the sizes of classes tell numbers of rows.

    Classes that may be a quarter of the table are in the last bin, which has no end. Rows of
    classes of one size from 3 on are multiples of it, and what is left of all rows would follow: so
    a bin has several sizes, with the limit between two bins.

    >>> bins = (SizeBin(3, 3, 1, 3), SizeBin(4, 4, 1, 4), SizeBin(5, 9, 3, 20))
    >>> found = _coarser(ClassSizes(bins, None, 0), 27)
    >>> [(own.lowest, own.highest, own.rows) for own in found]
    [(1, 1, 0), (2, 2, 0), (3, 4, 7), (5, 27, 20)]
    """
    least = 1 if picture.limit is None else math.ceil(picture.limit)
    edges = {edge for edge in _EDGES if edge < 3 or (4 * edge <= rows and abs(edge - least) != 1)}
    edges |= {own.lowest for own in picture.bins if own.lowest == least}
    found = []
    for first, after in itertools.pairwise([*sorted(edges), max(rows, *edges) + 1]):
        inside = [own for own in picture.bins if first <= own.lowest < after]
        classes, many = sum(own.classes for own in inside), sum(own.rows for own in inside)
        found.append(SizeBin(first, after - 1, classes, many))
    return tuple(found)


def _words(picture: ClassSizes) -> str:
    bins, limit, unit = picture.bins, picture.limit, picture.unit
    rows, number = sum(own.rows for own in bins), sum(own.classes for own in bins)
    total = rows + picture.suppressed_rows
    classes = counted(number, "class", "classes")
    found = [phrase("{rows} in {classes}.", rows=unit.counted(rows, of=total), classes=classes)]
    if limit is not None:
        broken = sum(own.rows for own in bins if own.lowest < limit)
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


def _sizes(own: SizeBin, is_open: bool) -> str:
    """The sizes of a bin; how large the largest class is would tell a number of people."""
    if is_open:
        return f"≥{own.lowest:,}"
    if own.lowest == own.highest:
        return f"{own.lowest:,}"
    return f"{own.lowest:,}–{own.highest:,}"
