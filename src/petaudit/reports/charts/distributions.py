"""The worst classes of t-closeness: what they hold beside what the table holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from petaudit.i18n.phrases import phrase
from petaudit.i18n.zones import Zone
from petaudit.pictures.distributions import Distributions, ValueBin
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import HATCH, INK, LINE, MAIN, MUTED, WIDTH, Look, Sheet
from petaudit.reports.charts.words import Speaker, figure, fitted, name_in_table

_MOST_PANELS = 3
_TOP, _BOTTOM, _LEFT = 66, 206, 40
_GAP = 18
_STUB = 0.06
_NO_CLASS = phrase("There is no class that may be shown.")
_SHOWN_FROM = 4
"""A class must have so many times the people that count as few: of others zones say nothing."""


@dataclass(frozen=True)
class _Panel:
    """A class as it may be told."""

    rows: Zone
    distance: float
    counts: list[Zone]

    @property
    def whole(self) -> int:
        """What shares are shares of: a number from the zone of all of its rows."""
        return max(round(self.rows.middle), 1)


def draw_distributions(picture: Distributions, speaker: Speaker) -> Chart | None:
    """A panel for each class that may be shown: bars, and a mark where the table's share is."""
    if not picture.bins:
        return None
    say = speaker.say
    picture = _without_small_bins(picture, speaker.hide_below)
    whole = picture.table_rows or sum(own.rows for own in picture.bins)
    of_table = speaker.parts([own.rows for own in picture.bins], picture.table_rows)
    told = [own for own in picture.classes if own.rows >= _SHOWN_FROM * speaker.hide_below]
    shown = [
        _Panel(speaker.zone(own.rows, picture.table_rows), own.distance, speaker.parts(own.counts))
        for own in told[:_MOST_PANELS]
    ]
    title = say(
        phrase("{attribute} in the worst classes", attribute=name_in_table(picture.attribute))
    )
    sizes = [say(_size(own)) for own in shown]
    words = " ".join(
        say(phrase("Class {number}: {facts}.", number=place + 1, facts=facts))
        for place, facts in enumerate(sizes)
    ) or say(_NO_CLASS)
    names = [_bin_name(own, place, speaker) for place, own in enumerate(picture.bins)]
    table_shares = [own.percent(whole) for own in of_table]
    sheet = _sheet(picture, shown, (of_table, whole), names, speaker)
    header = (
        phrase("values"),
        phrase("in the table"),
        *(phrase("class {number}", number=place + 1) for place in range(len(shown))),
    )
    table = tuple(
        (name, table_shares[place], *(own.counts[place].percent(own.whole) for own in shown))
        for place, name in enumerate(names)
    )
    notes = list(speaker.notes([*of_table, *(zone for own in shown for zone in own.counts)]))
    if told[:_MOST_PANELS] != list(picture.classes[: len(shown)]):
        notes.append(
            say(
                phrase(
                    "Classes of fewer than {number} rows are left out, and may be the worst.",
                    number=_SHOWN_FROM * speaker.hide_below,
                )
            )
        )
    return Chart(
        svg_of(sheet, title, words), title, words, (tuple(map(say, header)), table), tuple(notes)
    )


def _without_small_bins(picture: Distributions, hide_below: int) -> Distributions:
    """Neighbouring bins as one until none has few rows of the table."""
    groups: list[list[int]] = []
    rows = 0
    for place, own in enumerate(picture.bins):
        if not groups or rows >= hide_below:
            groups.append([])
            rows = 0
        groups[-1].append(place)
        rows += own.rows
    if len(groups) > 1 and rows < hide_below:
        groups[-2:] = [groups[-2] + groups[-1]]
    bins = tuple(_joined([picture.bins[place] for place in group]) for group in groups)
    classes = tuple(
        replace(own, counts=tuple(sum(own.counts[place] for place in group) for group in groups))
        for own in picture.classes
    )
    return replace(picture, bins=bins, classes=classes)


def _joined(bins: list[ValueBin]) -> ValueBin:
    """Several bins as one, with the first and the last label."""
    if len(bins) == 1:
        return bins[0]
    first, last = bins[0].labels, bins[-1].labels
    labels = None if first is None or last is None else (*first[:1], *last[-1:])
    return ValueBin(sum(own.rows for own in bins), sum(own.values for own in bins), labels)


def _sheet(
    picture: Distributions,
    shown: list[_Panel],
    of_table: tuple[list[Zone], int],
    names: list[str],
    speaker: Speaker,
) -> Sheet:
    say = speaker.say
    sheet = Sheet(height=_BOTTOM + 26 if shown else 40)
    if not shown:
        sheet.texts([(0, 20, Look(fill=MUTED, text=say(_NO_CLASS)))])
        return sheet
    _legend(sheet, speaker)
    zones, rows = of_table
    marks = [own.middle / rows for own in zones]
    shares = [min(zone.middle / own.whole, 1) for own in shown for zone in own.counts]
    most = next(top for top in (0.1, 0.25, 0.5, 1.0) if max([0.0, *shares, *marks]) <= top)
    sheet.scale("y", (0, most), (_BOTTOM, _TOP))
    for part in (0, 0.5, 1):
        level = most * part
        sheet.rules([(_LEFT, WIDTH, level, level, Look(stroke=LINE))], None, "y")
        tick = Look(fill=MUTED, text=f"{100 * level:g}%", anchor="end", size=11)
        sheet.texts([(_LEFT - 5, level, tick)], None, "y")
    wide = (WIDTH - _LEFT - _GAP * (len(shown) - 1)) / len(shown)
    for number, own in enumerate(shown):
        left = _LEFT + number * (wide + _GAP)
        sheet.scale(f"x{number}", (0, len(names)), (left, left + wide))
        labels = [
            say(
                phrase(
                    "{values}: {share} of the class, {table} of the table",
                    values=name,
                    share=in_class.percent(own.whole),
                    table=in_table.percent(rows),
                )
            )
            for name, in_class, in_table in zip(names, own.counts, zones, strict=True)
        ]
        _bars(sheet, number, own, labels, most)
        sheet.rules(
            [
                (place + 0.02, place + 0.98, level, level, Look(stroke=INK, stroke_width=2.5))
                for place, level in enumerate(marks)
            ],
            f"x{number}",
            "y",
        )
        below = Look(
            fill=MUTED, size=11, anchor="middle", text=fitted(say(_order(picture)), wide, 11, 60)
        )
        sheet.texts([(left + wide / 2, _BOTTOM + 14, below)])
        head = phrase("class {number}", number=number + 1)
        sheet.texts([(left, 36, Look(fill=INK, text=say(head), weight="600"))])
        more = fitted(say(_size(own)), wide, 11, 60)
        sheet.texts([(left, 52, Look(fill=INK, size=11, text=more))])
    return sheet


def _bars(sheet: Sheet, number: int, own: _Panel, labels: list[str], most: float) -> None:
    for is_small in (False, True):
        bars = []
        for place, (zone, label) in enumerate(zip(own.counts, labels, strict=True)):
            if zone.is_small is not is_small:
                continue
            look = Look(fill=MAIN, label=label)
            if is_small:
                look = Look(fill=HATCH, stroke=MAIN, stroke_width=1, label=label)
            share = min(zone.middle / own.whole, 1)
            top = _STUB * most if is_small else max(share, 0.008 * most)
            bars.append((place + 0.12, place + 0.88, 0, top, look))
        sheet.rects(bars, f"x{number}", "y")


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


def _size(own: _Panel) -> str:
    """How large a class is; how far it is would tell its rows, and is told with them only."""
    rows = phrase("{number} rows", number=own.rows.text)
    if not own.rows.is_exact:
        return rows
    return phrase("{rows}, distance {distance}", rows=rows, distance=figure(own.distance))
