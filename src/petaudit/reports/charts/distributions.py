"""The worst classes of t-closeness: what they hold beside what the table holds."""

from __future__ import annotations

from dataclasses import replace

from petaudit.languages.numbers import counted
from petaudit.languages.phrases import joined, phrase
from petaudit.pictures.distributions import Distributions, FarShares, ValueBin
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.hiding import Counts, hiding
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import HATCH, INK, LINE, MAIN, MUTED, WIDTH, Look, Sheet
from petaudit.reports.charts.words import Speaker, figure, fitted, name_in_table

_MOST_PANELS = 3
_TOP, _BOTTOM, _LEFT = 66, 206, 40
_GAP = 18
_STUB = 0.06
_TOGETHER = (1, 2, 3, 4, 6)
"""How many bins may be one, so that fewer counts are small."""


def draw_distributions(picture: Distributions, speaker: Speaker) -> Chart | None:
    """A panel for each class that may be shown: bars, and a mark where the table's share is."""
    if not picture.bins:
        return None
    say = speaker.say
    picture, shown = _as_shown(picture, speaker)
    of_table = hiding([own.rows for own in picture.bins], speaker.hide_below)
    of_classes = [hiding(own.counts, speaker.hide_below) for own in shown]
    title = say(
        phrase("{attribute} in the worst classes", attribute=name_in_table(picture.attribute))
    )
    words = say(_words(shown))
    names = [_bin_name(own, place, speaker) for place, own in enumerate(picture.bins)]
    sheet = _sheet(picture, shown, of_classes, of_table, names, speaker)
    rows = sum(own.rows for own in picture.bins)
    header = (
        phrase("values"),
        phrase("in the table"),
        *(phrase("class {number}", number=place + 1) for place in range(len(shown))),
    )
    table = tuple(
        (
            name,
            of_table.share(place, rows),
            *(counts.share(place, own.rows) for counts, own in zip(of_classes, shown, strict=True)),
        )
        for place, name in enumerate(names)
    )
    notes = []
    if shown != list(picture.classes[: len(shown)]):
        notes.append(
            say(
                phrase(
                    "Classes that are too small to be shown without telling numbers below {number} "
                    "are left out, and may be the worst.",
                    number=speaker.hide_below,
                )
            )
        )
    if of_table.hidden or any(counts.hidden for counts in of_classes):
        notes.append(speaker.hidden_note())
    return Chart(
        svg_of(sheet, title, words), title, words, (tuple(map(say, header)), table), tuple(notes)
    )


def _as_shown(picture: Distributions, speaker: Speaker) -> tuple[Distributions, list[FarShares]]:
    """Classes that say something though small counts are hidden, in as many bins as that takes."""
    best: tuple[Distributions, list[FarShares]] = (picture, [])
    wanted = min(_MOST_PANELS, len(picture.classes))
    for together in _TOGETHER if picture.distance != "equal" else _TOGETHER[:1]:
        coarser = _merged(picture, together)
        told = [own for own in coarser.classes if _says_something(own, speaker)]
        if len(told) > len(best[1]):
            best = (coarser, told[:_MOST_PANELS])
        if len(best[1]) >= wanted:
            break
    return best


def _says_something(own: FarShares, speaker: Speaker) -> bool:
    """Whether at least half of the rows of a class are in bins that are told."""
    counts = hiding(own.counts, speaker.hide_below)
    hidden = sum(own.counts[place] for place in counts.hidden)
    return own.rows >= speaker.hide_below and 2 * hidden <= own.rows


def _merged(picture: Distributions, together: int) -> Distributions:
    """The same with every few neighbouring bins as one."""
    if together == 1:
        return picture
    starts = range(0, len(picture.bins), together)
    bins = []
    for start in starts:
        own = picture.bins[start : start + together]
        first, last = own[0].labels, own[-1].labels
        labels = None if first is None or last is None else (*first[:1], *last[-1:])
        rows, values = sum(one.rows for one in own), sum(one.values for one in own)
        bins.append(ValueBin(rows, values, labels))
    classes = tuple(
        replace(own, counts=tuple(sum(own.counts[at : at + together]) for at in starts))
        for own in picture.classes
    )
    return replace(picture, bins=tuple(bins), classes=classes)


def _sheet(
    picture: Distributions,
    shown: list[FarShares],
    of_classes: list[Counts],
    of_table: Counts,
    names: list[str],
    speaker: Speaker,
) -> Sheet:
    say = speaker.say
    sheet = Sheet(height=_BOTTOM + 26 if shown else 40)
    if not shown:
        text = say(phrase("There is no class that may be shown."))
        sheet.texts([(0, 20, Look(fill=MUTED, text=text))])
        return sheet
    _legend(sheet, speaker)
    rows = sum(own.rows for own in picture.bins)
    shares = [
        count / own.rows
        for counts, own in zip(of_classes, shown, strict=True)
        for place, count in enumerate(counts.counts)
        if not counts.is_hidden(place)
    ]
    shares += [
        own.rows / rows for place, own in enumerate(picture.bins) if not of_table.is_hidden(place)
    ]
    most = next(top for top in (0.1, 0.25, 0.5, 1.0) if max([0.0, *shares]) <= top)
    sheet.scale("y", (0, most), (_BOTTOM, _TOP))
    for part in (0, 0.5, 1):
        level = most * part
        sheet.rules([(_LEFT, WIDTH, level, level, Look(stroke=LINE))], None, "y")
        tick = Look(fill=MUTED, text=f"{100 * level:g}%", anchor="end", size=11)
        sheet.texts([(_LEFT - 5, level, tick)], None, "y")
    wide = (WIDTH - _LEFT - _GAP * (len(shown) - 1)) / len(shown)
    for number, (own, counts) in enumerate(zip(shown, of_classes, strict=True)):
        left = _LEFT + number * (wide + _GAP)
        sheet.scale(f"x{number}", (0, len(names)), (left, left + wide))
        _panel(sheet, number, own, (counts, of_table), (names, most, rows), speaker)
        below = Look(
            fill=MUTED, size=11, anchor="middle", text=fitted(say(_order(picture)), wide, 11, 60)
        )
        sheet.texts([(left + wide / 2, _BOTTOM + 14, below)])
        head = phrase("class {number}", number=number + 1)
        size = counted(own.rows, "row")
        more = phrase("{rows}, distance {distance}", rows=size, distance=figure(own.distance))
        sheet.texts([(left, 36, Look(fill=INK, text=say(head), weight="600"))])
        sheet.texts([(left, 52, Look(fill=INK, size=11, text=fitted(say(more), wide, 11, 60)))])
    return sheet


def _panel(
    sheet: Sheet,
    number: int,
    own: FarShares,
    counted_: tuple[Counts, Counts],
    beside: tuple[list[str], float, int],
    speaker: Speaker,
) -> None:
    """Bars of the class, and a mark for the table across each of them."""
    (counts, of_table), (names, most, rows) = counted_, beside
    for is_hidden in (False, True):
        bars = []
        for place, count in enumerate(counts.counts):
            if counts.is_hidden(place) is not is_hidden:
                continue
            label = speaker.say(
                phrase(
                    "{values}: {share} of the class, {table} of the table",
                    values=names[place],
                    share=counts.share(place, own.rows),
                    table=of_table.share(place, rows),
                )
            )
            look = Look(fill=MAIN, label=label)
            if is_hidden:
                look = Look(fill=HATCH, stroke=MAIN, stroke_width=1, label=label)
            top = _STUB * most if is_hidden else max(count / own.rows, 0.008 * most)
            bars.append((place + 0.12, place + 0.88, 0, top, look))
        sheet.rects(bars, f"x{number}", "y")
    marks = [
        (place + 0.02, place + 0.98, level, level, Look(stroke=INK, stroke_width=2.5))
        for place, count in enumerate(of_table.counts)
        if not of_table.is_hidden(place)
        for level in [count / rows]
    ]
    sheet.rules(marks, f"x{number}", "y")


def _legend(sheet: Sheet, speaker: Speaker) -> None:
    say = speaker.say
    sheet.rects([(_LEFT, _LEFT + 12, 6, 16, Look(fill=MAIN))])
    sheet.texts([(_LEFT + 18, 11, Look(fill=MUTED, text=say(phrase("share in the class"))))])
    sheet.rules([(_LEFT + 190, _LEFT + 206, 11, 11, Look(stroke=INK, stroke_width=2.5))])
    sheet.texts([(_LEFT + 212, 11, Look(fill=MUTED, text=say(phrase("share in the table"))))])


def _order(picture: Distributions) -> str:
    match picture.distance:
        case "ordered":
            return phrase("values from low to high")
        case "hierarchical":
            return phrase("values by hierarchy")
    return phrase("values, most frequent first")


def _bin_name(own: ValueBin, place: int, speaker: Speaker) -> str:
    if own.labels is None:
        return speaker.say(
            phrase("group {number} of values", number=place + 1)
            if own.values > 1
            else phrase("value {number}", number=place + 1)
        )
    if not own.labels:
        return speaker.say(phrase("all others"))
    ends = [speaker.say(phrase("null")) if label is None else label for label in own.labels]
    return " – ".join(name_in_table(end) for end in ends)


def _words(shown: list[FarShares]) -> str:
    if not shown:
        return phrase("There is no class that may be shown.")
    found = [
        phrase(
            "Class {number} of {rows}: distance {distance}.",
            number=place + 1,
            rows=counted(own.rows, "row"),
            distance=figure(own.distance),
        )
        for place, own in enumerate(shown)
    ]
    return joined(found, " ")
