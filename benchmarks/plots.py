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

from petaudit.pictures.svg import PAPER, Paint, Sheet, Symbol, scale

WIDTH: Final = 340
_SHOWN_WIDTH: Final = 440
_FONT: Final = "system-ui, 'Noto Sans TC', 'Microsoft JhengHei', sans-serif"
_PAPER: Final = "#ffffff"
_INK: Final = "#18222f"
_MUTED: Final = "#4d5968"
_LINE: Final = "#d5dbe2"
# Told apart without colours as well: each has a shape of its own.
_STYLES: Final[tuple[tuple[str, Symbol], ...]] = (
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
    x = scale((math.log10(min(sizes)), math.log10(max(sizes))), (_LEFT + 8, WIDTH - 20))
    y = scale((low, high), (bottom, top))
    sheet.text(_EDGE, 16, up, fill=_MUTED)
    for power in range(low, high + 1):
        sheet.line(_LEFT, WIDTH - _EDGE, y(power), y(power), stroke=_LINE)
        sheet.text(_LEFT - 6, y(power), _number(10.0**power), fill=_MUTED, anchor="end")
    for size in sorted({*sizes}):
        at = x(math.log10(size))
        sheet.text(at, bottom + 14, _number(size), fill=_MUTED, anchor="middle")
    middle = (_LEFT + WIDTH - _EDGE) / 2
    sheet.text(middle, bottom + 32, across, fill=_MUTED, anchor="middle")
    sheet.text(WIDTH - _EDGE, bottom + 54, notes, fill=_MUTED, anchor="end")
    for place, own in enumerate(series):
        color, shape = _STYLES[place % len(_STYLES)]
        points = [
            (x(math.log10(size)), y(math.log10(own.points[size]))) for size in sorted(own.points)
        ]
        for (left, start), (right, end) in pairwise(points):
            sheet.line(left, right, start, end, stroke=color, stroke_width=1.8)
        for point in points:
            sheet.symbol(*point, shape, area=55, fill=color)
        below = bottom + 76 + 20 * place
        sheet.symbol(_EDGE + 6, below, shape, area=55, fill=color)
        sheet.text(_EDGE + 18, below, own.name, fill=_INK)
        sheet.text(WIDTH - _EDGE, below, own.note, fill=_INK, anchor="end")
    return _finished(sheet, title, description)


def dots(ratios: Sequence[Dot], across: str, title: str, description: str) -> str:
    """A line per ratio: its name, its number, and a dot with its spread on a logarithmic axis."""
    values = [1.0, *(own.low for own in ratios), *(own.high for own in ratios)]
    low, high = _decades(values)
    top, step = 34, 40
    bottom = top + step * len(ratios)
    sheet = _card(bottom + 26)
    x = scale((low, high), (_EDGE + 8, WIDTH - _EDGE - 14))
    sheet.text(_EDGE, 16, across, fill=_MUTED)
    for power in range(low, high + 1):
        paint = Paint(stroke=_LINE) if power else Paint(stroke=_INK, dash="5 3")
        sheet.line(x(power), x(power), top, bottom, **paint)
        number = _number(10.0**power)
        sheet.text(x(power), bottom + 12, number, fill=_MUTED, anchor="middle")
    for place, own in enumerate(ratios):
        name, line = top + step * place + 12, top + step * place + 30
        sheet.text(_EDGE, name, own.name, fill=_INK, has_halo=True)
        sheet.text(WIDTH - _EDGE, name, own.note, fill=_INK, anchor="end", has_halo=True)
        color = _STYLES[1][0]
        ends = (x(math.log10(own.low)), x(math.log10(own.high)))
        sheet.line(*ends, line, line, stroke=color, stroke_width=3)
        sheet.symbol(x(math.log10(own.value)), line, area=80, fill=color)
    return _finished(sheet, title, description)


def _card(height: float) -> Sheet:
    sheet = Sheet(height=height, width=WIDTH)
    sheet.rect(0, WIDTH, 0, height, fill=_PAPER)
    return sheet


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
    root = ElementTree.fromstring(sheet.svg(title, description))
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
