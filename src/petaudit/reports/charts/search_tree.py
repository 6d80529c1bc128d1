"""The search as an icicle: each combination beside the one that it continues."""

from __future__ import annotations

from dataclasses import dataclass

from petaudit.i18n.numbers import counted
from petaudit.i18n.phrases import joined, phrase
from petaudit.i18n.zones import Zone
from petaudit.pictures.search_tree import SearchNode, SearchTree
from petaudit.reports.charts.chart import Chart
from petaudit.reports.charts.rendering import svg_of
from petaudit.reports.charts.sheet import HATCH, INK, LINE, MAIN, MUTED, WIDTH, Look, Sheet
from petaudit.reports.charts.words import Speaker, fitted, name_in_table, width_of

_TOP = 44
_LEAST_LEAF, _MOST_LEAF, _MOST_HEIGHT = 13.4, 24.0, 374.0
_STEPS = ((0.1, 0.6), (0.01, 0.38), (0.0, 0.18))
"""From which share of the rows on a box is how dark."""


@dataclass
class _Box:
    node: SearchNode
    path: tuple[str, ...]
    first: int
    last: int
    look: Look


def draw_search_tree(picture: SearchTree, speaker: Speaker) -> Chart | None:
    """Columns of boxes from left to right; how dark a box is says how many rows it identifies."""
    if not picture.nodes:
        return None
    say = speaker.say
    zones = speaker.parts([own.identified for own in picture.nodes], picture.rows)
    boxes = _boxes(picture)
    for box, rows in zip(boxes, zones, strict=True):
        box.look = _look(box, rows, picture.rows, speaker)
    depth = max(own.depth for own in picture.nodes)
    leaves = max(box.last for box in boxes) + 1
    wide = WIDTH / depth
    high = min(max(_MOST_HEIGHT / leaves, _LEAST_LEAF), _MOST_LEAF)
    sheet = Sheet(height=_TOP + leaves * high + 4)
    sheet.scale("x", (0, depth), (0, WIDTH))
    sheet.scale("y", (0, leaves), (_TOP, _TOP + leaves * high))
    heads = [
        (place, 11, Look(fill=MUTED, text=fitted(say(_depth(place + 1)), wide - 6)))
        for place in range(depth)
    ]
    sheet.texts(heads, "x", None)
    _legend(sheet, speaker)
    gap = 2 / wide
    for is_hidden in (False, True):
        sheet.rects(
            [
                (
                    box.node.depth - 1,
                    box.node.depth - gap,
                    box.first + 0.08,
                    box.last + 0.92,
                    box.look,
                )
                for box, rows in zip(boxes, zones, strict=True)
                if rows.is_small is is_hidden
            ],
            "x",
            "y",
        )
    inset = 6 / wide
    sheet.texts(
        [
            (
                box.node.depth - 1 + inset,
                (box.first + box.last + 1) / 2,
                Look(fill=INK, size=11, text=_name(box, wide), has_halo=rows.is_small),
            )
            for box, rows in zip(boxes, zones, strict=True)
        ],
        "x",
        "y",
    )
    title = say(phrase("The search, column by column"))
    words = say(_words(picture))
    header = (phrase("columns"), phrase("identified rows"), phrase("unique rows"), phrase("pruned"))
    table = tuple(
        (
            " + ".join(map(name_in_table, box.path)),
            "–" if box.node.is_pruned else rows.text,
            _unique(box.node, picture.rows, speaker),
            say(phrase("yes")) if box.node.is_pruned else "",
        )
        for box, rows in zip(boxes, zones, strict=True)
    )
    notes = [*speaker.notes(zones)]
    if picture.more:
        notes.append(
            say(
                phrase(
                    "Not shown: {combinations}.", combinations=counted(picture.more, "combination")
                )
            )
        )
    return Chart(
        svg_of(sheet, title, words), title, words, (tuple(map(say, header)), table), tuple(notes)
    )


def _boxes(picture: SearchTree) -> list[_Box]:
    """Every node with the leaves that it stands beside."""
    boxes: list[_Box] = []
    path: list[str] = []
    open_boxes: list[_Box] = []
    leaf = -1
    for own in picture.nodes:
        del path[own.depth - 1 :]
        is_first_below = len(open_boxes) == own.depth - 1 and bool(open_boxes)
        del open_boxes[own.depth - 1 :]
        path.append(own.column)
        if not (is_first_below and open_boxes and open_boxes[-1] is boxes[-1]):
            leaf += 1
        box = _Box(own, tuple(path), leaf, leaf, Look())
        for above in open_boxes:
            above.last = leaf
        open_boxes.append(box)
        boxes.append(box)
    return boxes


def _look(box: _Box, identified: Zone, rows: int, speaker: Speaker) -> Look:
    name = " + ".join(map(name_in_table, box.path))
    if box.node.is_pruned:
        label = speaker.say(phrase("{columns}: pruned", columns=name))
        return Look(stroke=MUTED, stroke_width=1, dash="3 3", label=label)
    if box.node.unique is None:
        label = speaker.say(phrase("{columns}: not looked at", columns=name))
        return Look(stroke=LINE, stroke_width=1, label=label)
    label = speaker.say(
        phrase(
            "{columns}: {rows} identified rows, {unique} unique rows",
            columns=name,
            rows=identified.text,
            unique=_unique(box.node, rows, speaker),
        )
    )
    if identified.is_small:
        return Look(fill=HATCH, stroke=MAIN, stroke_width=1, opacity=0.45, label=label)
    if not identified.highest:
        return Look(stroke=LINE, stroke_width=1, fill="transparent", label=label)
    share = identified.middle / max(rows, 1)
    dark = next(opacity for least, opacity in _STEPS if share >= least)
    return Look(fill=MAIN, opacity=dark, label=label)


def _legend(sheet: Sheet, speaker: Speaker) -> None:
    say, y, x = speaker.say, 31, 0.0
    none = Look(stroke=LINE, stroke_width=1)
    pruned = Look(stroke=MUTED, stroke_width=1, dash="3 3")
    entries = [
        (none, phrase("none identified")),
        *(
            [(Look(fill=HATCH, stroke=MAIN, stroke_width=1, opacity=0.45), phrase("few or none"))]
            if speaker.hide_below
            else []
        ),
        (Look(fill=MAIN, opacity=_STEPS[2][1]), phrase("under 1 % of rows")),
        (Look(fill=MAIN, opacity=_STEPS[1][1]), phrase("1 to 10 %")),
        (Look(fill=MAIN, opacity=_STEPS[0][1]), phrase("over 10 %")),
        (pruned, phrase("pruned")),
    ]
    for look, text in entries:
        sheet.rects([(x, x + 12, y - 5, y + 5, look)])
        sheet.texts([(x + 17, y, Look(fill=MUTED, size=11, text=say(text)))])
        x += 31 + width_of(say(text), 11)


def _name(box: _Box, wide: float) -> str:
    return fitted(("✂ " if box.node.is_pruned else "") + box.node.column, wide - 12, 11)


def _unique(node: SearchNode, rows: int, speaker: Speaker) -> str:
    return "–" if node.unique is None else speaker.zone(node.unique, rows).text


def _depth(depth: int) -> str:
    return phrase("one column") if depth == 1 else phrase("{number} columns", number=depth)


def _words(picture: SearchTree) -> str:
    found = [
        phrase(
            "{shown} of the search, each beside the one that it continues.",
            shown=counted(len(picture.nodes), "combination"),
        )
    ]
    if picture.pruned:
        found.append(phrase("{pruned} pruned.", pruned=counted(picture.pruned, "combination")))
    return joined(found, " ")
