"""Class sizes: the rows in classes of each size, and where the limit is."""

from __future__ import annotations

from petaudit.languages.numbers import counted
from petaudit.languages.phrases import joined, phrase
from petaudit.pictures.class_sizes import ClassSizes, SizeBin
from petaudit.reports.charts.bars import Bar, Divider, bar_list
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.hiding import Counts, hiding
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.words import Speaker, figure


def draw_class_sizes(picture: ClassSizes, speaker: Speaker) -> Chart | None:
    """A bar for each bin of sizes; classes that break the limit stand above a dashed line."""
    bins, limit, say = picture.bins, picture.limit, speaker.say
    unit = picture.unit
    if not bins:
        return None
    breaking = [limit is not None and own.lowest < limit for own in bins]
    rows = _hidden(bins, breaking, speaker.hide_below)
    # Classes and rows together would tell more than either does.
    has_classes = not any(0 < own.classes < speaker.hide_below for own in bins)
    total = sum(own.rows for own in bins)
    longest = max([1, *(own.rows for place, own in enumerate(bins) if not rows.is_hidden(place))])
    bars, table = [], []
    for place, own in enumerate(bins):
        share = rows.share(place, total)
        number = f"{rows.text(place)} ({share})" if own.rows else "0"
        texts = {"size": _sizes(own), "rows": rows.text(place), "share": share}
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
                name=("✕ " if breaking[place] and own.rows else "") + _sizes(own),
                length=own.rows / longest,
                number=number,
                label=label,
                is_hidden=rows.is_hidden(place),
                is_breach=breaking[place],
            )
        )
        verdict = () if limit is None else (say(_verdict(breaking[place])),)
        classes = (f"{own.classes:,}",) if has_classes else ()
        table.append((_sizes(own), *classes, rows.text(place), share, *verdict))
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
        names_width=None,
        divider=divider,
    )
    return Chart(
        svg_of(sheet, title, words),
        title,
        words,
        (tuple(map(say, header)), tuple(table)),
        (speaker.hidden_note(),) if rows.hidden else (),
    )


def _words(picture: ClassSizes, breaking: list[bool]) -> str:
    bins, limit, unit = picture.bins, picture.limit, picture.unit
    all_rows = unit.counted(sum(own.rows for own in bins))
    classes = counted(sum(own.classes for own in bins), "class", "classes")
    found = [phrase("{rows} in {classes}.", rows=all_rows, classes=classes)]
    if limit is not None:
        broken = sum(own.rows for own, breaks in zip(bins, breaking, strict=True) if breaks)
        kept = sum(own.rows for own in bins) - broken
        below = {"rows": unit.counted(broken, beside=kept), "limit": figure(limit)}
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


def _hidden(bins: tuple[SizeBin, ...], breaking: list[bool], hide_below: int) -> Counts:
    """Few classes of few rows are hidden; their rows would tell how many they are.

    The rows on both sides of the limit are told elsewhere in every report, unless they are few;
    then those of one side would follow from all rows and those of the other.
    """
    sides = [[place for place, own in enumerate(breaking) if own is side] for side in (True, False)]
    if any(0 < sum(bins[place].rows for place in side) < hide_below for side in sides):
        sides = [[*range(len(bins))]]
    is_near = [own.lowest < hide_below for own in bins]
    return hiding(
        [own.rows for own in bins],
        hide_below,
        small=[
            near and 0 < own.classes < hide_below for near, own in zip(is_near, bins, strict=True)
        ],
        below=[
            (hide_below - 1) * own.highest + 1 if near else hide_below
            for near, own in zip(is_near, bins, strict=True)
        ],
        steps=[own.lowest if own.lowest == own.highest else 1 for own in bins],
        groups=sides,
    )
