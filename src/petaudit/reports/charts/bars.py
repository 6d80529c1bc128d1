"""A list of bars, each with its name before and its number behind: the layout of most charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.reports.charts.sheet import BREACH, HATCH, INK, LINE, MAIN, MUTED, WIDTH, Look, Sheet
from petaudit.reports.charts.words import fitted, width_of

TOP: Final = 26
STEP: Final = 21
STUB: Final = 16
_GAP: Final = 8
_BAR: Final = 14


@dataclass(frozen=True)
class Bar:
    """A bar of a length from 0 to 1; hidden ones are all alike."""

    name: str
    length: float
    number: str
    label: str
    is_hidden: bool = False
    is_breach: bool = False


@dataclass(frozen=True)
class Divider:
    """A dashed line with a place of its own before a bar, with words that say what it divides."""

    place: int
    text: str


def bar_list(
    bars: Sequence[Bar],
    names_are: str,
    bars_are: str,
    *,
    names_width: float | None = 150,
    divider: Divider | None = None,
    marks: Sequence[tuple[float, str]] = (),
) -> Sheet:
    """Lay bars out from above; ``marks`` are dashed lines across, at lengths from 0 to 1.

    Names are cut to fit; without a width for them there is room for all, as far as possible.
    """
    if names_width is None:
        names_width = min(max([110.0, *(width_of(bar.name) for bar in bars)]), 280.0)
    behind = max([60.0, *(width_of(bar.number) for bar in bars)]) + _GAP
    left, right = names_width + _GAP, WIDTH - behind
    slots = len(bars) + (divider is not None)
    bottom = TOP + STEP * slots
    sheet = Sheet(height=bottom + 4 + (18 if marks else 0))
    sheet.scale("x", (0, 1), (left, right))
    sheet.scale("y", (0, max(slots, 1)), (TOP, bottom))
    sheet.texts(
        [
            (names_width, 11, Look(fill=MUTED, anchor="end", text=fitted(names_are, names_width))),
            (left, 11, Look(fill=MUTED, text=bars_are)),
        ]
    )
    sheet.rules([(left, left, TOP - 2, bottom, Look(stroke=LINE))])
    middle = [
        place + 0.5 + (divider is not None and place >= divider.place) for place in range(len(bars))
    ]
    half = _BAR / STEP / 2
    sheet.rects(
        [
            (0, bar.length, at - half, at + half, _look(bar))
            for bar, at in zip(bars, middle, strict=True)
            if not bar.is_hidden
        ],
        "x",
        "y",
    )
    stub = STUB / (right - left)
    sheet.rects(
        [
            (0, stub, at - half, at + half, _look(bar))
            for bar, at in zip(bars, middle, strict=True)
            if bar.is_hidden
        ],
        "x",
        "y",
    )
    sheet.rules(
        [
            (place, place, TOP - 2, bottom + 4, Look(stroke=INK, stroke_width=1.5, dash="5 3"))
            for length, _ in marks
            for place in [left + length * (right - left)]
        ]
    )
    sheet.texts(
        [
            (
                left + length * (right - left),
                bottom + 12,
                Look(fill=INK, anchor="middle", text=text),
            )
            for length, text in marks
        ]
    )
    names = [
        (
            names_width,
            at,
            Look(fill=INK, anchor="end", text=fitted(bar.name, names_width, longest=60)),
        )
        for bar, at in zip(bars, middle, strict=True)
    ]
    sheet.texts(names, None, "y")
    sheet.texts(
        [
            (
                left + (STUB if bar.is_hidden else bar.length * (right - left)) + 6,
                at,
                Look(fill=INK, text=bar.number, has_halo=bool(marks)),
            )
            for bar, at in zip(bars, middle, strict=True)
        ],
        None,
        "y",
    )
    if divider is not None:
        _divide(sheet, divider)
    return sheet


def _divide(sheet: Sheet, divider: Divider) -> None:
    at, wide = divider.place + 0.5, width_of(divider.text)
    dashed = Look(stroke=INK, stroke_width=1.5, dash="5 3")
    sheet.rules([(0, WIDTH - wide - 8, at, at, dashed)], None, "y")
    text = Look(fill=INK, anchor="end", text=divider.text, weight="600")
    sheet.texts([(WIDTH - 2, at, text)], None, "y")


def _look(bar: Bar) -> Look:
    colour = BREACH if bar.is_breach else MAIN
    if bar.is_hidden:
        return Look(fill=HATCH, stroke=colour, stroke_width=1, label=bar.label)
    return Look(fill=colour, label=bar.label)
