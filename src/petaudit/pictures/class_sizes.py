"""How large the classes are, with the smallest size that is allowed."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from petaudit.errors import counted, joined, phrase
from petaudit.i18n.numbers import Unit
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import Chart, Picture, check, finite, interval, zone_notes
from petaudit.pictures.svg import Bar, bar_list, figure

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.tables import ClassHistogram

_EDGES: Final = (1, 2, 3, 5, 10, 20, 50)
"""Where bins begin if numbers are told as zones."""


@dataclass(frozen=True)
class SizeBin:
    """The classes of some sizes, and the rows in them."""

    lowest: int
    highest: int
    classes: int
    rows: int

    @property
    def text(self) -> str:
        """The sizes."""
        return interval(self.lowest, self.highest)


@dataclass(frozen=True)
class ClassSizes(Picture):
    """Bins of sizes from the smallest, without gaps; no bin has sizes on both sides of a limit."""

    kind: ClassVar[str] = "class-sizes"

    bins: tuple[SizeBin, ...]
    limit: float | None
    suppressed_rows: int
    counts: Unit = Unit.ROW
    """What its numbers of rows are numbers of."""

    @property
    def rows(self) -> int:
        """All rows of the table."""
        return sum(item.rows for item in self.bins) + self.suppressed_rows

    def __post_init__(self) -> None:
        after = 0
        for item in self.bins:
            check(after < item.lowest <= item.highest, "bins of sizes ascend")
            check(item.highest < 5 * item.lowest, "a bin holds sizes that are alike")
            check(item.classes <= item.rows, "a class has a row at least")
            check(item.classes > 0 or item.rows == 0, "rows are in classes")
            after = item.highest

    def draw(self, voice: Voice) -> Chart | None:
        """Draw a bar for each bin of sizes; those that break the limit are above a dashed line."""
        if not self.bins:
            return None
        unit, limit = self.counts, self.limit
        bins = self.bins if voice.is_exact else self._coarser_bins()
        zones = voice.parts([item.rows for item in bins], self.rows if unit is Unit.ROW else None)
        bars, table = [], []
        for item, zone in zip(bins, zones, strict=True):
            sizes = item.text
            if item is bins[-1] and not voice.is_exact:
                # How large the largest class is would tell a number of people.
                sizes = f"≥{item.lowest:,}"
            share = zone.percent(self.rows)
            texts = {"size": sizes, "rows": zone.text, "share": share}
            label = unit.choose(
                phrase("classes of {size}: {rows} rows, {share}", **texts),
                phrase("classes of {size}: {rows} people, {share}", **texts),
            )
            name, verdict, breaks = sizes, phrase("kept"), limit is not None and item.lowest < limit
            if breaks:
                label = phrase("{label}; below the limit", label=label)
                name, verdict = f"✕ {sizes}" if zone.highest else sizes, phrase("below the limit")
            bars.append(Bar.of(name, zone, share, label, is_breach=breaks))
            row = {"sizes": sizes, "classes": f"{item.classes:,}", "rows": zone.text}
            table.append(row | {"share": share, "limit": verdict})
        header = {
            "sizes": unit.choose(phrase("rows in a class"), phrase("people in a class")),
            "classes": phrase("classes"),
            "rows": unit.choose(phrase("rows"), phrase("people")),
            "share": unit.choose(phrase("share of rows"), phrase("share of people")),
            "limit": phrase("limit"),
        }
        if not voice.is_exact:
            # Classes and rows together would tell more than either does.
            del header["classes"]
        divider = None
        if limit is None:
            del header["limit"]
        else:
            least = figure(limit)
            text = unit.choose(
                phrase("limit: at least {limit} rows; ✕ is below it", limit=least),
                phrase("limit: at least {limit} people; ✕ is below it", limit=least),
            )
            divider = (sum(bar.is_breach for bar in bars), text)
        bars_are = unit.choose(
            phrase("rows in classes of this size"), phrase("people in classes of this size")
        )
        return Chart.of(
            voice,
            # Sizes that are cut would be wrong ones.
            bar_list(
                bars,
                header["sizes"],
                bars_are,
                say=voice.say,
                longest_name=math.inf,
                divider=divider,
            ),
            title=unit.choose(
                phrase("Rows by the size of their class"),
                phrase("People by the size of their class"),
            ),
            words=self._words(),
            header=header.values(),
            rows=[[row[name] for name in header] for row in table],
            notes=zone_notes(zones),
        )

    def _words(self) -> str:
        unit, limit = self.counts, self.limit
        rows = unit.counted(sum(item.rows for item in self.bins), of=self.rows)
        classes = counted(sum(item.classes for item in self.bins), "class", "classes")
        sentences = [phrase("{rows} in {classes}.", rows=rows, classes=classes)]
        if limit is not None:
            broken = sum(item.rows for item in self.bins if item.lowest < limit)
            below = {"rows": unit.counted(broken, of=self.rows), "limit": figure(limit)}
            sentences.append(
                unit.choose(
                    phrase("{rows} in classes below the limit of {limit} rows.", **below),
                    phrase("{rows} in classes below the limit of {limit} people.", **below),
                )
            )
        return joined(sentences, " ")

    def _coarser_bins(self) -> tuple[SizeBin, ...]:
        """Return the same few bins for every table, since sizes of classes tell numbers of rows.

        Classes that may be a quarter of the table are in the last bin, which has no end. Rows of
        classes of one size from 3 on are multiples of it, and what is left of all rows would
        follow: so a bin has several sizes, with the limit between two bins.

        >>> bins = (SizeBin(3, 3, 1, 3), SizeBin(4, 4, 1, 4), SizeBin(5, 9, 3, 20))
        >>> coarser = ClassSizes(bins, None, 0)._coarser_bins()
        >>> [(item.lowest, item.highest, item.rows) for item in coarser]
        [(1, 1, 0), (2, 2, 0), (3, 4, 7), (5, 27, 20)]
        """
        total, least = self.rows, 1 if self.limit is None else math.ceil(self.limit)
        edges = {
            edge for edge in _EDGES if edge < 3 or (4 * edge <= total and abs(edge - least) != 1)
        }
        edges |= {item.lowest for item in self.bins if item.lowest == least}
        coarser = []
        for first, after in itertools.pairwise([*sorted(edges), max(total, *edges) + 1]):
            inside = [item for item in self.bins if first <= item.lowest < after]
            classes, rows = sum(item.classes for item in inside), sum(item.rows for item in inside)
            coarser.append(SizeBin(first, after - 1, classes, rows))
        return tuple(coarser)


def class_sizes(
    histogram: ClassHistogram, limit: float | None, unit: Unit = Unit.ROW
) -> ClassSizes:
    """Put the classes into bins; sizes that nobody has are left out at both ends.

    >>> from petaudit.tables import ClassHistogram
    >>> histogram = ClassHistogram(np.array([1, 6, 7]), np.array([3, 1, 2]), 0)
    >>> [(item.lowest, item.highest, item.rows) for item in class_sizes(histogram, 7).bins]
    [(1, 1, 3), (2, 2, 0), (3, 3, 0), (4, 4, 0), (5, 6, 6), (7, 9, 14)]
    """
    bound = finite(limit)
    sizes = histogram.sizes
    if not sizes.size:
        return ClassSizes((), bound, int(histogram.suppressed_rows), unit)
    least = 1 if bound is None else max(math.ceil(bound), 1)
    edges = _edges(int(sizes[-1]), least)
    first, last = np.searchsorted(edges, [sizes[0], sizes[-1]], side="right").tolist()
    if bound is not None:
        # The bin below the limit is there even if it is empty: that nobody is in it is the news.
        first = max(min(first, bisect_left(edges, least)), 1)
    place = np.searchsorted(edges[first:], sizes, side="right")
    classes = np.zeros(last - first + 1, np.int64)
    rows = classes.copy()
    np.add.at(classes, place, histogram.classes)
    np.add.at(rows, place, sizes * histogram.classes)
    ends = itertools.pairwise(edges[first - 1 : last + 1])
    bins = tuple(
        SizeBin(start, stop - 1, *counts)
        for (start, stop), *counts in zip(ends, classes.tolist(), rows.tolist(), strict=True)
    )
    return ClassSizes(bins, bound, int(histogram.suppressed_rows), unit)


def _edges(largest: int, least: int) -> list[int]:
    """Where bins begin: at 1 to 5, then at 10, 20, 50 and so on beyond any size, and at the limit.

    >>> _edges(30, 7)
    [1, 2, 3, 4, 5, 7, 10, 20, 50, 100, 200, 500]
    """
    powers = [10**power for power in range(len(str(largest)) + 1)]
    round_numbers = {factor * power for power in powers for factor in (1, 2, 5)}
    return sorted({*round_numbers, 3, 4, min(least, powers[-1])})


def class_sizes_of(inputs: Inputs | None, result: Any) -> tuple[Picture, ...]:
    """Return the classes of the table against the limit of k-anonymity."""
    if inputs is None:
        return ()
    return (class_sizes(inputs.class_histogram, result.limit, inputs.unit),)
