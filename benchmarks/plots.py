"""Plots of the benchmarks for the documentation: drawings of lines and dots on a card of their own.

They are shown as images, so they cannot know whether a page is light or dark: the card is always
light. They are drawn 340 units wide, so that words can be read on a screen of 320.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree

from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import PAPER, Look, Sheet

WIDTH: Final = 340
_SHOWN_WIDTH: Final = 440
_FONT: Final = "system-ui, 'Noto Sans TC', 'Microsoft JhengHei', sans-serif"
_PAPER: Final = "#ffffff"
_INK: Final = "#18222f"
_MUTED: Final = "#4d5968"
_LINE: Final = "#d5dbe2"
# Told apart without colours as well: each has a shape of its own.
_STYLES: Final = (
    ("#4d5968", "square"),
    ("#0072b2", "circle"),
    ("#d55e00", "triangle-up"),
    ("#007a5a", "diamond"),
)
_SVG: Final = "http://www.w3.org/2000/svg"
_LEFT: Final = 46
_EDGE: Final = 12


@dataclass(frozen=True)
class Series:
    """A line: its name, what stands behind the name, and its points."""

    name: str
    note: str
    points: Mapping[float, float]


@dataclass(frozen=True)
class Dot:
    """A ratio with its spread."""

    name: str
    value: float
    low: float
    high: float
    note: str


def lines(
    series: Sequence[Series], axes: tuple[str, str], notes: str, title: str, description: str
) -> str:
    """Points and lines where both axes are logarithms, with a legend below that has notes."""
    across, up = axes
    sizes = [size for own in series for size in own.points]
    values = [value for own in series for value in own.points.values()]
    top, bottom = 34, 230
    height = bottom + 66 + 20 * len(series) + 8
    sheet = _card(height)
    low, high = _decades(values)
    sheet.scale("x", (math.log10(min(sizes)), math.log10(max(sizes))), (_LEFT + 8, WIDTH - 20))
    sheet.scale("y", (low, high), (bottom, top))
    sheet.texts([(_EDGE, 16, _text(up))])
    for power in range(low, high + 1):
        sheet.rules([(_LEFT, WIDTH - _EDGE, power, power, Look(stroke=_LINE))], None, "y")
        sheet.texts([(_LEFT - 6, power, _text(_number(10.0**power), "end"))], None, "y")
    for size in sorted({*sizes}):
        sheet.texts([(math.log10(size), bottom + 14, _text(_number(size), "middle"))], "x")
    middle = (_LEFT + WIDTH - _EDGE) / 2
    sheet.texts([(middle, bottom + 32, _text(across, "middle"))])
    sheet.texts([(WIDTH - _EDGE, bottom + 54, _text(notes, "end"))])
    for place, own in enumerate(series):
        colour, shape = _STYLES[place % len(_STYLES)]
        points = [(math.log10(size), math.log10(own.points[size])) for size in sorted(own.points)]
        sheet.rules(
            [
                (x, x2, y, y2, Look(stroke=colour, stroke_width=1.8))
                for (x, y), (x2, y2) in pairwise(points)
            ],
            "x",
            "y",
        )
        sheet.symbols(
            [(x, y, Look(fill=colour)) for x, y in points], "x", "y", shape=shape, area=55
        )
        below = bottom + 76 + 20 * place
        sheet.symbols([(_EDGE + 6, below, Look(fill=colour))], shape=shape, area=55)
        sheet.texts(
            [
                (_EDGE + 18, below, _text(own.name, colour=_INK)),
                (WIDTH - _EDGE, below, _text(own.note, "end", _INK)),
            ]
        )
    return _finished(sheet, title, description)


def dots(ratios: Sequence[Dot], across: str, title: str, description: str) -> str:
    """A line per ratio: its name, its number, and a dot with its spread on a logarithmic axis."""
    values = [1.0, *(own.low for own in ratios), *(own.high for own in ratios)]
    low, high = _decades(values)
    top, step = 34, 40
    bottom = top + step * len(ratios)
    sheet = _card(bottom + 26)
    sheet.scale("x", (low, high), (_EDGE + 8, WIDTH - _EDGE - 14))
    sheet.texts([(_EDGE, 16, _text(across))])
    for power in range(low, high + 1):
        look = Look(stroke=_INK if power == 0 else _LINE, dash="5 3" if power == 0 else None)
        sheet.rules([(power, power, top, bottom, look)], "x")
        sheet.texts([(power, bottom + 12, _text(_number(10.0**power), "middle"))], "x")
    for place, own in enumerate(ratios):
        name, line = top + step * place + 12, top + step * place + 30
        sheet.texts(
            [
                (_EDGE, name, _text(own.name, colour=_INK, halo=True)),
                (WIDTH - _EDGE, name, _text(own.note, "end", _INK, halo=True)),
            ]
        )
        ends = (math.log10(own.low), math.log10(own.high))
        colour = _STYLES[1][0]
        sheet.rules([(*ends, line, line, Look(stroke=colour, stroke_width=3))], "x")
        sheet.symbols([(math.log10(own.value), line, Look(fill=colour))], "x", area=80)
    return _finished(sheet, title, description)


def _card(height: float) -> Sheet:
    sheet = Sheet(height=height, width=WIDTH)
    sheet.rects([(0, WIDTH, 0, height, Look(fill=_PAPER))])
    return sheet


def _text(text: str, anchor: str = "start", colour: str = _MUTED, halo: bool = False) -> Look:
    return Look(fill=colour, text=text, anchor=anchor, has_halo=halo)  # type: ignore[arg-type]


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around numbers.

    >>> _decades([0.02, 3.0]), _decades([1.0])
    ((-2, 1), (0, 1))
    """
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _number(number: float) -> str:
    """A number as short as an axis needs it.

    >>> [_number(own) for own in (0.001, 0.1, 20, 10_000, 10_000_000)]
    ['0.001', '0.1', '20', '10⁴', '10⁷']
    """
    power = round(math.log10(number))
    if number >= 10_000 and math.isclose(number, 10.0**power):
        return "10" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{number:g}"


def _finished(sheet: Sheet, title: str, description: str) -> str:
    """As a file: with a size and a font, and without what only a page of a report needs."""
    root = ElementTree.fromstring(svg_of(sheet, title, description))
    height = sheet.height
    root.attrib.pop("class", None)
    root.attrib |= {
        "viewBox": f"0 0 {WIDTH} {height:g}",
        "width": str(_SHOWN_WIDTH),
        "height": f"{height * _SHOWN_WIDTH / WIDTH:.0f}",
        "role": "img",
        "font-family": _FONT,
    }
    ElementTree.register_namespace("", _SVG)
    # Programs that draw images need not know variables of a page's style.
    return ElementTree.tostring(root, encoding="unicode").replace(PAPER, _PAPER) + "\n"
