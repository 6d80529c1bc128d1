"""What a drawing is made of: one element that no strict page refuses, and that runs nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pictures.examples import EXAMPLES, draw

from budget import examples
from petaudit.i18n.catalogue import LANGUAGES
from petaudit.i18n.voice import Voice
from petaudit.pictures import Chart, ColumnShares, Distributions, SearchTree
from petaudit.pictures.before_after import ComparedFigure, draw_comparison
from petaudit.pictures.column_shares import ColumnShare
from petaudit.pictures.distributions import FarShares, ValueBin
from petaudit.pictures.search_tree import SearchNode
from petaudit.pictures.svg import Sheet, scale

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    "\" onload='alert(1)' x=\"",
    "</svg><b>",
    "]]>",
    "<!--",
    "&amp;&#x3c;",
    "\u202eevil\u2066",
    "x" * 10_000,
    "👩‍👩‍👧" * 40,
    "\ud800 lone",
    "a\x00b\x1b[31m",
    "datum['x'] + alert(1)",
    "{'signal': 'alert(1)'}",
    "\ufffe\uffff",
    "",
    " ",
    "=1+1",
    "名稱" * 60,
)
ALLOWED = {"svg", "title", "desc", "defs", "pattern", "path", "line", "text"}
ATTRIBUTES = {
    *("viewBox", "class", "role", "aria-labelledby", "aria-describedby", "aria-label"),
    *("aria-hidden", "id", "width", "height", "patternUnits", "patternTransform", "d", "transform"),
    *("x", "y", "x2", "y2", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity"),
    *(
        "tabindex",
        "visibility",
        "font-size",
        "font-weight",
        "text-anchor",
        "dominant-baseline",
        "paint-order",
    ),
}
COMPARED = [
    ComparedFigure("k-anonymity", 2.0, 5.0, 5.0, "higher"),
    ComparedFigure("t-closeness", 0.4, 0.35, 0.2, "lower"),
    ComparedFigure("beta-likeness", float("inf"), 3.0, None, "lower"),
    ComparedFigure("delta", -1.0, None, float("nan"), "lower"),
]


def checked(chart: Chart | None) -> ElementTree.Element:
    """The drawing, parsed and looked through."""
    assert chart is not None
    root = ElementTree.fromstring(chart.svg)  # noqa: S314
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in ALLOWED
        assert set(element.attrib) <= ATTRIBUTES
        for name, value in element.attrib.items():
            if name != "aria-label":
                assert "url(" not in value or re.fullmatch(rf"url\(#({'|'.join(ids)})\)", value)
                assert ":" not in value
    assert [entry.tag for entry in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == chart.title
    assert root[1].text == chart.text_alternative
    assert root.get("aria-labelledby") == root[0].get("id")
    assert root.get("width") is None
    return root


def data_of(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if element.get("class") == "datum")


def every_chart(language: str, hide_below: int) -> list[Chart | None]:
    drawn = [draw(entry, language=language, hide_below=hide_below) for entry in EXAMPLES]
    return [*drawn, draw_comparison(COMPARED, Voice(language))]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("hide_below", [0, 5])
def test_every_kind(language: str, hide_below: int) -> None:
    for chart in every_chart(language, hide_below):
        root = checked(chart)
        assert chart is not None
        marks = list(data_of(root))
        assert marks
        for mark in marks:
            assert (mark.get("tabindex"), mark.get("role")) == ("0", "img")
            # What the page shows while it is pointed at or in focus stands right behind it.
            tip = list(root)[list(root).index(mark) + 1]
            assert (tip.get("class"), tip.get("visibility")) == ("tip", "hidden")
            assert tip.text == mark.get("aria-label")
            assert mark.get("aria-label")
            assert mark[0].text == mark.get("aria-label")
        header, rows = chart.table
        assert rows
        assert {len(row) for row in rows} == {len(header)}
        assert all(isinstance(cell, str) for row in rows for cell in row)
        assert chart.title
        assert chart.text_alternative
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        assert width == 440
        assert height <= 440


def test_ids_differ_between_charts() -> None:
    roots = [checked(chart) for chart in every_chart("en", 5)]
    names = [root[0].get("id") for root in roots]
    assert len(names) == len(set(names))


def named(name: str) -> list[Any]:
    return [
        ColumnShares("precision", True, (ColumnShare(name[:200], 0.5),), 0, 0.5),
        Distributions(
            name[:200],
            "ordered",
            (ValueBin(50, 1, (name[:200],)), ValueBin(50, 2, (name[:200], None))),
            (FarShares(40, 1, 0.5, (40, 0)),),
        ),
        SearchTree((SearchNode(1, name[:200], 9, 10, False),), 0, 0, 20),
    ]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_text(name: str) -> None:
    charts = [draw(entry) for entry in named(name)]
    charts.append(draw_comparison([ComparedFigure(name, 1.0, 2.0, None, "lower")], Voice()))
    for chart in charts:
        assert chart is not None
        root = checked(chart)
        assert "<script" not in chart.svg
        assert len(chart.svg) < 12_000
        assert not re.search(
            "[\u202a-\u202e\u2066-\u2069\ud800-\udfff\x00-\x08\ufffe\uffff]", chart.svg
        )
        chart.svg.encode("utf-8")
        for element in root.iter(f"{SVG}text"):
            longest = 200 if element.get("class") == "tip" else 60
            assert element.text is None or len(element.text) <= longest


@settings(max_examples=examples(40))
@given(name=st.text(max_size=40))
def test_any_name_gives_well_formed_drawings(name: str) -> None:
    for entry in named(name):
        checked(draw(entry))


def test_shapes_are_where_their_numbers_are() -> None:
    """By hand: a scale from 0..4 onto 100..300, the other one upside down."""
    sheet = Sheet(height=100)
    x, y = scale((0, 4), (100, 300)), scale((0, 10), (90, 10))
    sheet.rect(x(1), x(3), y(0), y(5))
    sheet.rect(x(3), x(1), y(5), y(0))
    sheet.line(x(0), x(4), y(10), y(0))
    sheet.symbol(x(2), y(5), area=64)
    sheet.text(x(2), 7, "two")
    shapes = list(ElementTree.fromstring(sheet.svg("", "")))[2:]  # noqa: S314
    places = ("d", "transform", "x", "y", "x2", "y2")
    assert [
        {name: value for name, value in shape.attrib.items() if name in places} for shape in shapes
    ] == [
        {"d": "M150,50h100v40h-100Z"},
        {"d": "M150,50h100v40h-100Z"},
        {"transform": "translate(100,10)", "x2": "200", "y2": "80"},
        {"d": "M4,0A4,4,0,1,1,-4,0A4,4,0,1,1,4,0", "transform": "translate(200,50)"},
        {"x": "200", "y": "7"},
    ]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_nothing_is_drawn_nowhere(number: float) -> None:
    with pytest.raises(ValueError, match="no such place"):
        Sheet(height=10).rect(0, number, 0, 1)


def test_a_search_tree_at_its_largest_is_small() -> None:
    nodes = [SearchNode(1, "a", 9, 10, False)]
    for place in range(27):
        nodes += [SearchNode(depth, f"c{place}", 9, 10, False) for depth in (2, 3, 4, 5)]
    chart = draw(SearchTree(tuple(nodes), 10**9, 0, 10**6))
    assert chart is not None
    assert float(checked(chart).attrib["viewBox"].split()[3]) <= 460
    assert len(chart.svg) < 65_000


def test_nothing_to_see() -> None:
    for entry in EXAMPLES:
        empty = {name: () for name in ("bins", "columns", "sizes", "nodes") if hasattr(entry, name)}
        if empty and not isinstance(entry, Distributions):
            assert draw(replace(entry, **empty)) is None  # type: ignore[arg-type]
    assert draw_comparison([], Voice()) is None
