"""A drawing as SVG that needs no script, no style and no network.

It scales with its box, takes its colours from the page (``--ink``, ``--muted``, ``--line``,
``--card``, ``--c1`` to ``--c3``), and can be read by those who see no colours or nothing at all:
every datum has a label.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypedDict, Unpack
from xml.etree import ElementTree

from petaudit.i18n.text import printable
from petaudit.i18n.zones import Zone

WIDTH: Final = 440
"""So wide that letters can still be read where a phone has a column of 340 pixels for it."""

INK: Final = "var(--ink,#18222f)"
MUTED: Final = "var(--muted,#4d5968)"
LINE: Final = "var(--line,#d5dbe2)"
PAPER: Final = "var(--card,#ffffff)"
MAIN: Final = "var(--c1,var(--accent,#0072b2))"
BREACH: Final = "var(--c2,var(--bad,#d55e00))"
OTHER: Final = "var(--c3,var(--good,#009e73))"
HATCH: Final = "hatch"
"""The fill of what is hidden; stripes, so that it is told apart without colours."""

_TIP_HEIGHT: Final = 20
"""Below the drawing is a line for what the shape under the pointer, or in focus, is."""
_WIDE: Final = 1.02
_NARROW: Final = 0.58
_LONGEST_NAME: Final = 80
STUB: Final = 16
"""How long a bar is that tells nothing."""
_TOP, _STEP, _GAP, _BAR = 26, 21, 8, 14
"""Where a list of bars begins, how far apart they are, the room beside them, and their height."""

Symbol = Literal["circle", "diamond", "square", "triangle-up"]


class Paint(TypedDict, total=False):
    """How a shape looks; ``label`` makes it a datum with a tooltip that can be focused.

    ``button`` is the control of the page that a click on the datum stands for, by its id.
    """

    fill: str
    stroke: str
    stroke_width: float
    dash: str
    opacity: float
    label: str
    button: str


DASHED: Final = Paint(stroke=INK, stroke_width=1.5, dash="5 3")


class Sheet:
    """Shapes in the order in which they are painted; ``say`` translates their texts and labels.

    >>> sheet = Sheet(height=20)
    >>> sheet.rect(100, 200, 4, 16, fill="red")
    >>> sheet.svg("A title", "Words.").split("/desc>")[1]
    '<path d="M100,4h100v12h-100Z" fill="red" aria-hidden="true" /></svg>'
    """

    def __init__(
        self, height: float, width: float = WIDTH, say: Callable[[str], str] = str
    ) -> None:
        self.height, self.width, self.say = height, width, say
        self._shapes: list[tuple[str, dict[str, str], str | None]] = []
        """Tag, attributes, and the text or label."""

    def rect(self, x: float, x2: float, y: float, y2: float, **paint: Unpack[Paint]) -> None:
        """Draw a rectangle between two corners."""
        wide, high = abs(x2 - x), abs(y2 - y)
        corner = f"M{short(min(x, x2))},{short(min(y, y2))}"
        outline = f"{corner}h{short(wide)}v{short(high)}h{short(-wide)}Z"
        self._add("path", {"d": outline}, paint)

    def line(self, x: float, x2: float, y: float, y2: float, **paint: Unpack[Paint]) -> None:
        """Draw a line from one point to another."""
        ends = {"x2": short(x2 - x), "y2": short(y2 - y)}
        self._add("line", _moved(x, y) | ends, paint)

    def symbol(
        self,
        x: float,
        y: float,
        shape: Symbol = "circle",
        *,
        area: float = 100,
        **paint: Unpack[Paint],
    ) -> None:
        """Draw a symbol around a point."""
        self._add("path", {"d": _outline(shape, math.sqrt(area) / 2)} | _moved(x, y), paint)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        fill: str = INK,
        size: float = 12,
        anchor: Literal["start", "middle", "end"] = "start",
        weight: str | None = None,
        has_halo: bool = False,
        room: float | None = None,
        longest: int = 24,
    ) -> None:
        """Write a text, cut to the room that it has; ``y`` is the middle of its height.

        With a halo it has paper around it, where a line may cross it.
        """
        shown = self.say(text)
        if room is not None:
            shown = fitted(shown, room, size, longest)
        attributes = {
            "x": short(x),
            "y": short(y),
            "fill": fill,
            "font-size": short(size),
            "dominant-baseline": "central",
            "aria-hidden": "true",
        }
        if anchor != "start":
            attributes["text-anchor"] = anchor
        if weight is not None:
            attributes["font-weight"] = weight
        if has_halo:
            attributes |= {"stroke": PAPER, "stroke-width": "4", "paint-order": "stroke"}
        self._shapes.append(("text", attributes, shown))

    def _add(self, tag: str, place: Mapping[str, str], paint: Paint) -> None:
        attributes = {**place, "fill": paint.get("fill", "none")}
        if "stroke" in paint:
            attributes["stroke"] = paint["stroke"]
        if "stroke_width" in paint:
            attributes["stroke-width"] = short(paint["stroke_width"])
        if "dash" in paint:
            attributes["stroke-dasharray"] = paint["dash"]
        if "opacity" in paint:
            attributes["opacity"] = short(paint["opacity"])
        if "button" in paint:
            attributes["data-for"] = paint["button"]
        label = self.say(paint["label"]) if "label" in paint else None
        self._shapes.append((tag, attributes, label))

    def svg(self, title: str, description: str) -> str:
        """Return the drawing as one element of a page."""
        content = repr((self.width, self.height, self._shapes, title, description))
        name = f"p{hashlib.sha256(content.encode(errors='backslashreplace')).hexdigest()[:12]}"
        root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {short(self.width)} {short(self.height + _TIP_HEIGHT)}",
                "class": "plot",
                "role": "group",
                "aria-labelledby": f"{name}-t",
                "aria-describedby": f"{name}-d",
            },
        )
        _append(root, "title", {"id": f"{name}-t"}, title)
        _append(root, "desc", {"id": f"{name}-d"}, description)
        if any(attributes["fill"] == HATCH for _, attributes, _ in self._shapes):
            stripes = {"id": f"{name}-h", "width": "5", "height": "5"}
            stripes |= {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
            pattern = _append(_append(root, "defs", {}), "pattern", stripes)
            _append(pattern, "path", {"d": "M1,0V5", "stroke": MAIN, "stroke-width": "1.6"})
        hidden = {"aria-hidden": "true"}
        # The page shows it while the shape before it is pointed at or in focus.
        tip = {"class": "tip", "y": short(self.height + _TIP_HEIGHT / 2), **hidden}
        tip["visibility"] = "hidden"
        for tag, shape, text in self._shapes:
            fill = f"url(#{name}-h)" if shape["fill"] == HATCH else shape["fill"]
            attributes = shape | {"fill": fill}
            if tag == "text":
                _append(root, tag, attributes, text)
            elif text is None:
                _append(root, tag, attributes | hidden)
            else:
                role = "button" if "data-for" in shape else "img"
                datum = {"class": "datum", "tabindex": "0", "role": role, "aria-label": text}
                _append(_append(root, tag, attributes | datum), "title", {}, text)
                _append(root, "text", tip, text)
        return ElementTree.tostring(root, encoding="unicode")


@dataclass(frozen=True)
class Bar:
    """A bar of a list; the hidden ones are all alike."""

    name: str
    length: float
    number: str
    label: str
    is_hidden: bool = False
    is_breach: bool = False

    @classmethod
    def of(cls, name: str, zone: Zone, share: str, label: str, *, is_breach: bool = False) -> Bar:
        """Return the bar of what may be told of a number of people."""
        number = f"{zone.text} ({share})" if zone.highest else "0"
        return cls(name, zone.middle, number, label, zone.is_small, is_breach)


def bar_list(
    bars: Sequence[Bar],
    names_are: str,
    bars_are: str,
    *,
    say: Callable[[str], str],
    longest_name: float = 140.0,
    divider: tuple[int, str] | None = None,
    mark: tuple[float, str] | None = None,
) -> Sheet | None:
    """Draw bars from above, each with its name before and its number behind.

    The longest ends at the right, or a length of 1 if none is longer. ``divider`` is a dashed line
    before a bar with words that say what it divides; ``mark`` a dashed line across the bars at a
    length, with words below. Where every bar is hidden there is nothing to draw.
    """
    if all(bar.is_hidden for bar in bars):
        return None
    names_width = min(max([40.0, *(width_of(bar.name) for bar in bars)]), longest_name)
    numbers_width = max([60.0, *(width_of(bar.number) for bar in bars)])
    left = names_width + _GAP
    width = max(WIDTH, left + 60 + _GAP + numbers_width)
    right = width - numbers_width - _GAP
    longest = max([1.0, *(bar.length for bar in bars)])
    rows: list[Bar | str] = [*bars]
    if divider is not None:
        rows.insert(divider[0], say(divider[1]))
    bottom = _TOP + _STEP * len(rows)
    sheet = Sheet(height=bottom + 4 + (18 if mark else 0), width=width, say=say)
    head = f"{say(names_are)} · {say(bars_are)}"
    sheet.text(0, 11, head, fill=MUTED, size=11, room=width, longest=80)
    sheet.line(left, left, _TOP - 2, bottom, stroke=LINE)
    numbers = []
    for place, row in enumerate(rows):
        y = _TOP + _STEP * (place + 0.5)
        if isinstance(row, str):
            sheet.line(0, width - width_of(row) - 8, y, y, **DASHED)
            sheet.text(width - 2, y, row, anchor="end", weight="600")
            continue
        end = left + (STUB if row.is_hidden else row.length / longest * (right - left))
        paint = bar_paint(BREACH if row.is_breach else MAIN, row.label, is_hidden=row.is_hidden)
        sheet.rect(left, end, y - _BAR / 2, y + _BAR / 2, **paint)
        sheet.text(names_width, y, row.name, anchor="end", room=names_width, longest=60)
        numbers.append((end + 6, y, row.number))
    if mark is not None:
        x = left + mark[0] / longest * (right - left)
        sheet.line(x, x, _TOP - 2, bottom + 4, **DASHED)
        half = width_of(say(mark[1])) / 2
        sheet.text(min(x, width - half), bottom + 12, mark[1], anchor="middle")
    for x, y, number in numbers:
        # Numbers are on top of the mark.
        sheet.text(x, y, number, has_halo=mark is not None)
    return sheet


def scale(domain: tuple[float, float], places: tuple[float, float]) -> Callable[[float], float]:
    """Return the function that puts the numbers of a domain on places of a sheet.

    >>> scale((0, 4), (100, 300))(1)
    150.0
    """
    (low, high), (start, end) = domain, places
    wide = high - low if high > low else 1
    return lambda number: start + (number - low) / wide * (end - start)


def bar_paint(color: str, label: str, *, is_hidden: bool) -> Paint:
    """Return how a bar looks: stripes where its length says nothing."""
    if is_hidden:
        return Paint(fill=HATCH, stroke=color, stroke_width=1, label=label)
    return Paint(fill=color, label=label)


def short(number: float) -> str:
    """Return a number with as many digits as anybody sees.

    >>> short(12.0), short(1 / 3), short(-0.001)
    ('12', '0.33', '0')
    """
    if not math.isfinite(number):
        raise ValueError("there is no such place on a sheet")
    return f"{round(number, 2) + 0.0:.10g}"


def fitted(text: str, width: float, size: float = 12, longest: int = 24) -> str:
    """Return as much of a text as fits; hidden characters are written out.

    >>> fitted("education", 200), fitted("x" * 10_000, 400), fitted("education", 40)
    ('education', 'xxxxxxxxxxxxxxxxxxxxxxx…', 'educ…')
    """
    shown = printable(text[: 10 * longest])
    if len(shown) <= longest and width_of(shown, size) <= width:
        return shown
    kept = shown[: longest - 1]
    while kept and width_of(kept + "…", size) > width:
        kept = kept[:-1]
    return kept + "…"


def name_in_table(name: str) -> str:
    """Return a name where there is room for 80 characters."""
    return fitted(name, math.inf, longest=_LONGEST_NAME)


def width_of(text: str, size: float = 12) -> float:
    """Return about how wide a text is; no font is asked."""
    return size * sum(
        _WIDE if unicodedata.east_asian_width(mark) in "WF" else _NARROW for mark in text
    )


def percent(share: float) -> str:
    """Return a share in percent.

    >>> percent(1 / 3)
    '33.3 %'
    """
    return f"{100 * share:.3g} %"


def figure(number: float) -> str:
    """Return a figure with four digits, or all digits of a large one.

    >>> figure(0.123456), figure(2), figure(1_234_567.8)
    ('0.1235', '2', '1,234,568')
    """
    return f"{number:,.0f}" if 10**4 <= abs(number) < 10**12 else f"{number:.4g}"


def _moved(x: float, y: float) -> dict[str, str]:
    return {"transform": f"translate({short(x)},{short(y)})"}


def _outline(shape: Symbol, reach: float) -> str:
    r = short(reach)
    match shape:
        case "circle":
            return f"M{r},0A{r},{r},0,1,1,-{r},0A{r},{r},0,1,1,{r},0"
        case "diamond":
            return f"M-{r},0L0,-{r}L{r},0L0,{r}Z"
        case "square":
            side = short(2 * reach)
            return f"M-{r},-{r}h{side}v{side}h-{side}Z"
        case "triangle-up":
            h = short(math.sqrt(3) / 2 * reach)
            return f"M0,-{h}L-{r},{h}L{r},{h}Z"


def _append(
    parent: ElementTree.Element, tag: str, attributes: dict[str, str], text: str | None = None
) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, attributes)
    element.text = text
    return element
