"""What the worst classes look like beside the whole table."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from petaudit.errors import Phrase, joined, phrase
from petaudit.i18n.voice import Voice
from petaudit.i18n.zones import Zone
from petaudit.pictures.base import Chart, Picture, check, kept_name, zone_notes
from petaudit.pictures.svg import (
    INK,
    LINE,
    MAIN,
    MUTED,
    WIDTH,
    Sheet,
    bar_paint,
    figure,
    name_in_table,
    scale,
    width_of,
)

if TYPE_CHECKING:
    from petaudit.exact.class_figures import ClassFigures, Floats, Integers
    from petaudit.inputs import Inputs
    from petaudit.tables import ClassValueCounts, ValueCounts
    from petaudit.tables.emd import Ground

MOST_BINS: Final = 12
MOST_CLASSES: Final = 3
MOST_ATTRIBUTES: Final = 6
SHOWABLE: Final = (0, 5, 20)
"""Reports leave out small classes, and few rows in many bins say nothing: so the worst classes with
at least this many rows are kept too.
"""
_MOST_TIED: Final = 1000
_MOST_PANELS: Final = 3
_SHOWN_FROM: Final = 4
"""Classes must have this many times the people that count as few: zones of others say nothing."""
_TOP, _STEP, _GAP = 76, 21, 12
_STUB = 0.06
_ORDERS: Final = {
    "ordered": phrase("values from low to high"),
    "hierarchical": phrase("values by hierarchy"),
    "equal": phrase("values, most frequent first"),
}


@dataclass(frozen=True)
class FarClassValues:
    """Equal classes far from the table: the rows of each, and how many have which values."""

    rows: int
    classes: int
    distance: float
    values: tuple[int, ...]
    """Positions among the values of the attribute."""
    counts: tuple[int, ...]

    @classmethod
    def from_plain(cls, given: Mapping[str, Any]) -> FarClassValues:
        """Return it from what JSON has made of its fields."""
        lists = {name: tuple(given[name]) for name in ("values", "counts")}
        return cls(**dict(given) | lists)


@dataclass(frozen=True)
class FarValues:
    """The worst classes of an attribute, and in which order values are; kept by the measure, so
    that nothing is measured twice.
    """

    ground: Ground
    values: ValueCounts
    classes: tuple[FarClassValues, ...] | None


def far_classes(figures: ClassFigures, pairs: ClassValueCounts) -> tuple[FarClassValues, ...]:
    """Return the worst classes, and the worst of those that are not very small."""
    stops = np.append(pairs.class_starts[1:], len(pairs.counts))
    worst = []
    for entry in _worst(figures.values, figures.sizes):
        pairs_of_class = slice(int(pairs.class_starts[entry]), int(stops[entry]))
        worst.append(
            FarClassValues(
                int(figures.sizes[entry]),
                int(figures.classes[entry]),
                figures.shown(entry),
                tuple(pairs.value_index[pairs_of_class].tolist()),
                tuple(pairs.counts[pairs_of_class].tolist()),
            )
        )
    return tuple(worst)


def farthest(candidates: Sequence[FarClassValues]) -> tuple[FarClassValues, ...]:
    """Return those of several blocks that would have been chosen from all classes at once."""
    distances = np.array([far.distance for far in candidates], np.float64)
    rows = np.array([far.rows for far in candidates], np.int64)
    return tuple(candidates[entry] for entry in _worst(distances, rows))


def _worst(distances: Floats, sizes: Integers) -> list[int]:
    """Return the places of the worst classes, and of the worst of those that are not very small.

    Ties with the last of them are kept: engines have no order of classes, and which of them are
    shown must not depend on one.
    """
    worst: set[int] = set()
    for least in SHOWABLE:
        among = np.flatnonzero(sizes >= least)
        if len(among) > MOST_CLASSES:
            bound = np.partition(distances[among], -MOST_CLASSES)[-MOST_CLASSES]
            among = among[distances[among] >= bound]
        if len(among) > _MOST_TIED:
            among = among[np.argsort(-sizes[among], kind="stable")[:_MOST_TIED]]
        worst.update(among.tolist())
    return sorted(worst)


@dataclass(frozen=True)
class ValueBin:
    """Values next to each other: their rows in the table, and how many values they are.

    ``labels`` are the first and the last of them, only where values were revealed; a null is None.
    """

    rows: int
    values: int
    labels: tuple[str | None, ...] | None

    def name(self, number: int, voice: Voice) -> str:
        """Return what the bin is called: its labels, or its number where they are not told."""
        if self.labels is None:
            return voice.say(
                phrase("group {number} of values", number=number)
                if self.values > 1
                else phrase("value {number}", number=number)
            )
        if not self.labels:
            return voice.say(phrase("all others"))
        ends = [voice.say(phrase("null")) if label is None else label for label in self.labels]
        return " – ".join(name_in_table(end) for end in ends)


@dataclass(frozen=True)
class FarShares:
    """Equal classes far from the table: the rows of each, and how many have values of each bin."""

    rows: int
    classes: int
    distance: float
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Distributions(Picture):
    """The worst classes of a sensitive attribute, the worst first; values in the distance's order.

    With the equal distance the most frequent values come first, and the last bin may hold the rest.
    """

    kind: ClassVar[str] = "distributions"

    attribute: str
    distance: str
    bins: tuple[ValueBin, ...]
    classes: tuple[FarShares, ...]
    table_rows: int | None = None
    """All rows of the table, those that are suppressed among them; earlier documents do not say."""

    def __post_init__(self) -> None:
        rows = sum(item.rows for item in self.bins)
        check(not self.bins or rows > 0, "the table has rows")
        check(self.table_rows is None or rows <= self.table_rows, "more rows than there are")
        check(len(self.bins) <= MOST_BINS, f"there are at most {MOST_BINS} bins")
        check(len(self.classes) <= len(SHOWABLE) * MOST_CLASSES, "there are too many classes")
        check(self.distance in _ORDERS, "the distance is unknown")
        for far in self.classes:
            check(len(far.counts) == len(self.bins), "every class has a count for each bin")
            check(sum(far.counts) == far.rows, "the counts of a class are its rows")

    def without_values(self) -> Distributions:
        """Return the same bins without the labels at their ends."""
        return replace(self, bins=tuple(replace(item, labels=None) for item in self.bins))

    def draw(self, voice: Voice) -> Chart | None:
        """Draw a panel for each class that may be shown: bars, and a mark at the table's share."""
        if not self.bins:
            return None
        return self._without_small_bins(voice.threshold)._draw(voice)

    def _draw(self, voice: Voice) -> Chart:
        rows = self.table_rows or sum(item.rows for item in self.bins)
        zones = voice.parts([item.rows for item in self.bins], self.table_rows)
        shown = self._shown(voice)
        panels = [_Panel.of(far, self.table_rows, voice) for far in shown]
        names = [item.name(place, voice) for place, item in enumerate(self.bins, start=1)]
        in_table = [zone.percent(rows) for zone in zones]
        table = [*zip(names, in_table, *(panel.percents for panel in panels), strict=True)]
        heads: list[str] = [
            phrase("class {number}", number=letter) for letter in "ABC"[: len(panels)]
        ]
        words: str = ""
        if voice.is_exact:
            words = joined(
                [
                    phrase("Class {number}: {facts}.", number=letter, facts=joined(panel.lines))
                    for letter, panel in zip("ABC", panels, strict=False)
                ],
                " ",
            )
        elif shown and shown[0].classes == 1:
            heads = [phrase("the farthest class")]
            words = phrase("The class that decides the figure has {rows}.", rows=panels[0].lines[0])
        elif shown:
            heads = [phrase("the farthest classes together")]
            words = phrase(
                "The farthest classes, one of which decides the figure, have {rows} together.",
                rows=panels[0].lines[0],
            )
        sheet = None
        if shown:
            sheet = self._sheet(panels, heads, table, [zone.middle / rows for zone in zones], voice)
        return Chart.of(
            voice,
            sheet,
            title=phrase(
                "{attribute} in the classes that decide the figure",
                attribute=name_in_table(self.attribute),
            ),
            words=words,
            header=(phrase("values"), phrase("in the table"), *heads),
            rows=table,
            notes=zone_notes([*zones, *(zone for panel in panels for zone in panel.counts)])
            if shown
            else (),
        )

    def _shown(self, voice: Voice) -> Sequence[FarShares]:
        """Return the farthest classes; where numbers are hidden, enough of them as one.

        Neither they nor all others may be few people.
        """
        if voice.is_exact:
            return self.classes[:_MOST_PANELS]
        least = _SHOWN_FROM * voice.threshold

        def may_be_told(rows: int) -> bool:
            others = math.inf if self.table_rows is None else self.table_rows - rows
            return rows >= least and others >= least

        together = FarShares(0, 0, 0.0, (0,) * len(self.bins))
        for far in self.classes:
            if not may_be_told(together.rows):
                counts = zip(together.counts, far.counts, strict=True)
                together = FarShares(
                    together.rows + far.classes * far.rows,
                    together.classes + far.classes,
                    max(together.distance, far.distance),
                    tuple(before + far.classes * more for before, more in counts),
                )
        return [together] if may_be_told(together.rows) else []

    def _without_small_bins(self, hide_below: int) -> Distributions:
        """Return neighboring bins as one until none has few rows of the table."""
        groups: list[list[int]] = []
        rows = 0
        for place, item in enumerate(self.bins):
            if not groups or rows >= hide_below:
                groups.append([])
                rows = 0
            groups[-1].append(place)
            rows += item.rows
        if len(groups) > 1 and rows < hide_below:
            groups[-2:] = [groups[-2] + groups[-1]]
        bins = tuple(_merged([self.bins[place] for place in group]) for group in groups)
        classes = []
        for far in self.classes:
            counts = tuple(sum(far.counts[place] for place in group) for group in groups)
            classes.append(replace(far, counts=counts))
        return replace(self, bins=bins, classes=tuple(classes))

    def _sheet(
        self,
        panels: Sequence[_Panel],
        heads: Sequence[str],
        table: Sequence[tuple[str, ...]],
        marks: Sequence[float],
        voice: Voice,
    ) -> Sheet:
        names_width = min(max([40.0, *(width_of(name) for name, *_ in table)]), 130.0)
        # One panel alone has room for numbers behind its bars.
        numbers = max(map(width_of, panels[0].percents)) if len(panels) == 1 else 0.0
        start = names_width + 8
        wide = (WIDTH - start - _GAP * (len(panels) - 1)) / len(panels)
        bottom = _TOP + _STEP * len(table)
        sheet = Sheet(height=bottom + 34, say=voice.say)
        sheet.rect(0, 12, 6, 16, fill=MAIN)
        share_here, share_there = voice.say_all(
            [phrase("share in the class"), phrase("share in the table")]
        )
        sheet.text(18, 11, share_here, fill=MUTED)
        after = 18 + width_of(share_here) + 24
        sheet.line(after, after, 4, 18, stroke=INK, stroke_width=2.5)
        sheet.text(after + 6, 11, share_there, fill=MUTED)
        shares = [share for panel in panels for share in panel.shares]
        most = next(top for top in (0.1, 0.25, 0.5, 1.0) if max([*shares, *marks]) <= top)
        for place, (name, *_) in enumerate(table):
            middle = _TOP + _STEP * (place + 0.5)
            sheet.text(names_width, middle, name, anchor="end", room=names_width, longest=60)
        sheet.text(0, bottom + 26, _ORDERS[self.distance], fill=MUTED, size=11)
        for number, panel in enumerate(panels):
            left = start + number * (wide + _GAP)
            x = scale((0, most), (left, left + wide - numbers))
            sheet.text(left, 34, heads[number], weight="600", room=wide, longest=40)
            for place, line in enumerate(panel.lines):
                sheet.text(left, 50 + 15 * place, line, size=11, room=wide)
            for level in (0, most):
                sheet.line(x(level), x(level), _TOP, bottom, stroke=LINE)
            tick = f"{100 * most:g} %"
            sheet.text(x(most), bottom + 10, tick, fill=MUTED, anchor="end", size=11)
            for place, (name, in_table, *_) in enumerate(table):
                label = phrase(
                    "{values}: {share} of the class, {table} of the table",
                    values=name,
                    share=panel.percents[place],
                    table=in_table,
                )
                y = _TOP + _STEP * (place + 0.5)
                is_hidden = panel.counts[place].is_small
                end = _STUB * most if is_hidden else max(panel.shares[place], 0.008 * most)
                paint = bar_paint(MAIN, label, is_hidden=is_hidden)
                sheet.rect(x(0), x(end), y - 6, y + 6, **paint)
                level = x(marks[place])
                sheet.line(level, level, y - 9, y + 9, stroke=INK, stroke_width=2.5)
                if numbers:
                    sheet.text(WIDTH, y, panel.percents[place], anchor="end")
        return sheet


@dataclass(frozen=True)
class _Panel:
    """A class as it may be told: its facts, and of each bin whether it is hidden, and its share."""

    lines: tuple[Phrase, ...]
    """How many rows it has, and how far it is where that may be told."""
    counts: list[Zone]
    shares: list[float]
    percents: list[str]

    @classmethod
    def of(cls, far: FarShares, table_rows: int | None, voice: Voice) -> _Panel:
        """Return the panel; shares are of a number from the zone of all rows of the class."""
        zone, counts = voice.zone(far.rows, table_rows), voice.parts(far.counts, table_rows)
        rows = max(round(zone.middle), 1)
        lines: tuple[Phrase, ...] = (phrase("{number} rows", number=zone.text),)
        if voice.is_exact:
            # How far a class is would tell its rows.
            lines = (*lines, phrase("distance {distance}", distance=figure(far.distance)))
        shares = [min(count.middle / rows, 1) for count in counts]
        return cls(lines, counts, shares, [count.percent(rows) for count in counts])


def _merged(bins: Sequence[ValueBin]) -> ValueBin:
    """Return several bins as one, with the first and the last label."""
    if len(bins) == 1:
        return bins[0]
    first, last = bins[0].labels, bins[-1].labels
    labels = None if first is None or last is None else (*first[:1], *last[-1:])
    return ValueBin(sum(item.rows for item in bins), sum(item.values for item in bins), labels)


def distributions_of(inputs: Inputs | None, result: Any) -> tuple[Picture, ...]:
    """Return one picture for each sensitive attribute, of the first few."""
    if inputs is None:
        return ()
    shown: Mapping[str, FarValues] = dict(list(result.far.items())[:MOST_ATTRIBUTES])
    check(all(far.classes is not None for far in shown.values()), "the worst classes are unknown")
    return tuple(
        distributions(attribute, far, inputs.table.rows, with_labels=inputs.reveal_values)
        for attribute, far in shown.items()
        if far.classes
    )


def distributions(
    attribute: str, far: FarValues, table_rows: int | None = None, *, with_labels: bool
) -> Distributions:
    """Return the values of the worst classes, counted in bins."""
    values = far.values
    order, bin_of = _bins(far.ground, values.counts)
    number = int(bin_of.max(initial=-1)) + 1
    ends = np.searchsorted(bin_of[order], np.arange(number + 1)).tolist()
    bins = []
    for start, stop in itertools.pairwise(ends):
        inside = order[start:stop]
        labels = _labels(values.labels, inside, far.ground) if with_labels else None
        bins.append(ValueBin(int(values.counts[inside].sum()), len(inside), labels))
    classes = []
    for worst in far.classes or ():
        counts = np.zeros(number, np.int64)
        np.add.at(counts, bin_of[list(worst.values)], worst.counts)
        shares = FarShares(worst.rows, worst.classes, worst.distance, tuple(counts.tolist()))
        classes.append(shares)
    distance = far.ground.distance
    return Distributions(kept_name(attribute), distance, tuple(bins), _chosen(classes), table_rows)


def _chosen(classes: Sequence[FarShares]) -> tuple[FarShares, ...]:
    """Return the worst, and the worst of those that are not very small; whatever their order."""
    ranked = sorted(classes, key=lambda far: (-far.distance, -far.rows, far.counts))
    kept = {
        id(far)
        for least in SHOWABLE
        for far in [each for each in ranked if each.rows >= least][:MOST_CLASSES]
    }
    return tuple(far for far in ranked if id(far) in kept)


def _bins(ground: Ground, counts: Integers) -> tuple[Integers, Integers]:
    """Return the values in order, and the bin of each value."""
    number = len(counts)
    if ground.distance == "equal":
        order = np.argsort(-counts, kind="stable")
    else:
        # The first level of a tree is its leaves: what has the same parent stays together.
        order = np.lexsort([np.asarray(level, np.int64) for level in ground.nodes])
    bin_in_order = np.arange(number)
    if number > MOST_BINS and ground.distance == "equal":
        bin_in_order = np.minimum(bin_in_order, MOST_BINS - 1)
    elif number > MOST_BINS:
        # Equally many rows in each as far as values allow; a value is never split.
        before = np.cumsum(counts[order]) - counts[order]
        _, bin_in_order = np.unique(
            before * MOST_BINS // max(int(counts.sum()), 1), return_inverse=True
        )
    bin_of = np.empty(number, np.int64)
    bin_of[order] = bin_in_order
    return order.astype(np.int64), bin_of


def _labels(
    labels: Sequence[str | None], places: Integers, ground: Ground
) -> tuple[str | None, ...]:
    """Return the first and the last label; without an order there is nothing between two labels."""
    if len(places) > 1 and ground.distance == "equal":
        return ()
    ends = [labels[place] for place in dict.fromkeys([int(places[0]), int(places[-1])])]
    return tuple(None if label is None else kept_name(label) for label in ends)
