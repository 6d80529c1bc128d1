"""Drawn by Vega, and rewritten so that one file holds it safely, in light and dark."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Final
from xml.etree import ElementTree

from petaudit.reports.charts.sheet import HATCH, MAIN, PAPER, Look, Sheet

_SVG: Final = "http://www.w3.org/2000/svg"
_NUMBER: Final = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_SHAPES: Final = {"path": ("d", "transform"), "line": ("transform", "x2", "y2")}
_TIP_HEIGHT: Final = 20
"""Below the drawing is a line for what the shape under the pointer, or in focus, is."""
_PLACE: Final = re.compile(r"translate\(([^,]+),([^)]+)\)")


def svg_of(sheet: Sheet, title: str, description: str) -> str:
    """The drawing as one element of a page: no style, no script, nothing to fetch."""
    import vl_convert  # noqa: PLC0415 (only where a picture is drawn; it brings an engine)

    drawn = vl_convert.vega_to_svg(sheet.spec(), allowed_base_urls=[])
    made_of = json.dumps([sheet.spec(), [vars(look) for look in sheet.looks], title, description])
    name = f"p{hashlib.sha256(made_of.encode()).hexdigest()[:12]}"
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": _SVG,
            "viewBox": f"0 0 {_short(sheet.width)} {_short(sheet.height + _TIP_HEIGHT)}",
            "class": "plot",
            "role": "group",
            "aria-labelledby": f"{name}-t",
            "aria-describedby": f"{name}-d",
        },
    )
    ElementTree.SubElement(root, "title", {"id": f"{name}-t"}).text = title
    ElementTree.SubElement(root, "desc", {"id": f"{name}-d"}).text = description
    if any(look.fill == HATCH for look in sheet.looks):
        root.append(_hatch(name))
    # What Vega made has no text of ours in it, so nobody can have put anything there.
    for element in ElementTree.fromstring(drawn).iter():  # noqa: S314
        number = element.get("aria-label", "")
        if number.isdecimal():
            look = sheet.looks[int(number)]
            root.append(_rewritten(element, look, name))
            if look.label is not None:
                root.append(_tip(look.label, sheet.height))
    return ElementTree.tostring(root, encoding="unicode")


def _rewritten(element: ElementTree.Element, look: Look, name: str) -> ElementTree.Element:
    if look.text is not None:
        return _text(element, look)
    tag = element.tag.rpartition("}")[2]
    kept = {
        own: _NUMBER.sub(lambda found: _short(float(found[0])), value)
        for own in _SHAPES[tag]
        if (value := element.get(own)) is not None
    }
    looks = {
        "fill": f"url(#{name}-h)" if look.fill == HATCH else look.fill or "none",
        "stroke": look.stroke,
        "stroke-width": None if look.stroke_width is None else _short(look.stroke_width),
        "stroke-dasharray": look.dash,
        "opacity": None if look.opacity is None else _short(look.opacity),
    }
    made = ElementTree.Element(tag, kept | {own: v for own, v in looks.items() if v is not None})
    if look.label is None:
        made.set("aria-hidden", "true")
        return made
    for own, value in {"class": "datum", "tabindex": "0", "role": "img"}.items():
        made.set(own, value)
    made.set("aria-label", look.label)
    ElementTree.SubElement(made, "title").text = look.label
    return made


def _tip(label: str, height: float) -> ElementTree.Element:
    """A label that the page shows while the shape before it is pointed at or in focus."""
    made = ElementTree.Element(
        "text",
        {
            "class": "tip",
            "y": _short(height + _TIP_HEIGHT / 2),
            "aria-hidden": "true",
            "visibility": "hidden",
        },
    )
    made.text = label
    return made


def _text(element: ElementTree.Element, look: Look) -> ElementTree.Element:
    place = _PLACE.match(element.get("transform", ""))
    assert place is not None  # noqa: S101 (Vega puts every symbol somewhere)
    made = ElementTree.Element(
        "text",
        {
            "x": _short(float(place[1])),
            "y": _short(float(place[2])),
            "fill": look.fill or "currentColor",
            "font-size": _short(look.size),
            "dominant-baseline": "central",
            "aria-hidden": "true",
        },
    )
    if look.anchor != "start":
        made.set("text-anchor", look.anchor)
    if look.weight is not None:
        made.set("font-weight", look.weight)
    if look.has_halo:
        made.attrib |= {"stroke": PAPER, "stroke-width": "4", "paint-order": "stroke"}
    made.text = look.text
    return made


def _hatch(name: str) -> ElementTree.Element:
    made = ElementTree.Element("defs")
    pattern = ElementTree.SubElement(
        made,
        "pattern",
        {
            "id": f"{name}-h",
            "width": "5",
            "height": "5",
            "patternUnits": "userSpaceOnUse",
            "patternTransform": "rotate(45)",
        },
    )
    ElementTree.SubElement(pattern, "path", {"d": "M1,0V5", "stroke": MAIN, "stroke-width": "1.6"})
    return made


def _short(number: float) -> str:
    """A number with as many digits as anybody sees.

    >>> _short(12.0), _short(1 / 3), _short(-0.001)
    ('12', '0.33', '0')
    """
    return f"{round(number, 2) + 0.0:.10g}"
