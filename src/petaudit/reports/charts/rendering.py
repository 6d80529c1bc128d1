"""A sheet as SVG: one element of a page, in light and dark, with words for who sees nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final
from xml.etree import ElementTree

from petaudit.reports.charts.sheet import HATCH, MAIN, PAPER, Look, Sheet, short

_SVG: Final = "http://www.w3.org/2000/svg"
_TIP_HEIGHT: Final = 20
"""Below the drawing is a line for what the shape under the pointer, or in focus, is."""


def svg_of(sheet: Sheet, title: str, description: str) -> str:
    """The drawing as one element of a page: no style, no script, nothing to fetch."""
    made_of = repr((sheet.width, sheet.height, sheet.shapes, title, description))
    name = f"p{hashlib.sha256(made_of.encode(errors='backslashreplace')).hexdigest()[:12]}"
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": _SVG,
            "viewBox": f"0 0 {short(sheet.width)} {short(sheet.height + _TIP_HEIGHT)}",
            "class": "plot",
            "role": "group",
            "aria-labelledby": f"{name}-t",
            "aria-describedby": f"{name}-d",
        },
    )
    _add(root, "title", {"id": f"{name}-t"}, title)
    _add(root, "desc", {"id": f"{name}-d"}, description)
    if any(look.fill == HATCH for _, _, look in sheet.shapes):
        _add_hatch(root, f"{name}-h")
    hidden = {"aria-hidden": "true"}
    # The page shows it while the shape before it is pointed at or in focus.
    tip = {"class": "tip", "y": short(sheet.height + _TIP_HEIGHT / 2)} | hidden
    tip["visibility"] = "hidden"
    for tag, place, look in sheet.shapes:
        if look.text is not None:
            _add(root, tag, place | _letters(look), look.text)
        elif look.label is None:
            _add(root, tag, place | _paint(look, name) | hidden)
        else:
            named = {"class": "datum", "tabindex": "0", "role": "img", "aria-label": look.label}
            _add(_add(root, tag, place | _paint(look, name) | named), "title", {}, look.label)
            _add(root, "text", tip, look.label)
    return ElementTree.tostring(root, encoding="unicode")


def _add(
    parent: ElementTree.Element,
    tag: str,
    attributes: Mapping[str, str | None],
    text: str | None = None,
) -> ElementTree.Element:
    given = {name: value for name, value in attributes.items() if value is not None}
    made = ElementTree.SubElement(parent, tag, given)
    made.text = text
    return made


def _paint(look: Look, name: str) -> dict[str, str | None]:
    return {
        "fill": f"url(#{name}-h)" if look.fill == HATCH else look.fill or "none",
        "stroke": look.stroke,
        "stroke-width": None if look.stroke_width is None else short(look.stroke_width),
        "stroke-dasharray": look.dash,
        "opacity": None if look.opacity is None else short(look.opacity),
    }


def _letters(look: Look) -> dict[str, str | None]:
    halo = {"stroke": PAPER, "stroke-width": "4", "paint-order": "stroke"}
    return {
        "fill": look.fill or "currentColor",
        "font-size": short(look.size),
        "dominant-baseline": "central",
        "aria-hidden": "true",
        "text-anchor": None if look.anchor == "start" else look.anchor,
        "font-weight": look.weight,
        **(halo if look.has_halo else {}),
    }


def _add_hatch(root: ElementTree.Element, name: str) -> None:
    stripes = {"id": name, "width": "5", "height": "5", "patternUnits": "userSpaceOnUse"}
    turned = stripes | {"patternTransform": "rotate(45)"}
    pattern = _add(_add(root, "defs", {}), "pattern", turned)
    _add(pattern, "path", {"d": "M1,0V5", "stroke": MAIN, "stroke-width": "1.6"})
