"""The search as a tree: combinations by their first columns, with what each identifies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import numpy.typing as npt

from petaudit.errors import counted, joined, phrase
from petaudit.i18n.voice import Voice
from petaudit.i18n.zones import Zone
from petaudit.pictures.base import Chart, Picture, check, kept_name, zone_notes
from petaudit.pictures.svg import (
    HATCH,
    LINE,
    MAIN,
    MUTED,
    WIDTH,
    Paint,
    Sheet,
    name_in_table,
    width_of,
)

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings
    from petaudit.singling.search import SizeFindings

Integers = npt.NDArray[np.int64]

MOST_NODES: Final = 150
MOST_LEAVES: Final = 28
DEEPEST: Final = 5
_FOR_PRUNED: Final = 6
_FOR_COLUMNS: Final = 6
_LARGEST: Final = 2**62

_TOP = 60
_LEAST_LEAF, _MOST_LEAF, _MOST_HEIGHT = 13.4, 24.0, 374.0
_STEPS: Final = ((0.1, 0.6), (0.01, 0.38), (0.0, 0.18))
"""From which share of the rows on a box is how dark."""
_NONE: Final = Paint(stroke=LINE, stroke_width=1)
_PRUNED: Final = Paint(stroke=MUTED, stroke_width=1, dash="3 3")
_FEW: Final = Paint(fill=HATCH, stroke=MAIN, stroke_width=1, opacity=0.45)


@dataclass(frozen=True)
class SearchNode:
    """A combination: the columns on the way to it, and its own."""

    depth: int
    column: str
    identified: int
    """Rows that it identifies and that nothing smaller or earlier did."""
    unique: int | None
    """Synthetic rows that are unique on it; None where it was not looked at."""
    is_pruned: bool


@dataclass(frozen=True)
class SearchTree(Picture):
    """Nodes from the root on, every one before those below it."""

    kind: ClassVar[str] = "search-tree"

    nodes: tuple[SearchNode, ...]
    more: int
    """Combinations of the search that are not among the nodes."""
    pruned: int
    rows: int

    def __post_init__(self) -> None:
        check(len(self.nodes) <= MOST_NODES, f"there are at most {MOST_NODES} nodes")
        depth = 0
        for node in self.nodes:
            check(1 <= node.depth <= min(depth + 1, DEEPEST), "a node is below the one before it")
            check(max(node.identified, node.unique or 0) <= self.rows, "more rows than there are")
            depth = node.depth

    def draw(self, voice: Voice) -> Chart | None:
        """Draw an icicle: every combination as a box beside the one that it continues.

        How dark a box is says how many rows it identifies.
        """
        if not self.nodes:
            return None
        zones = voice.parts([node.identified for node in self.nodes], self.rows)
        boxes = self._boxes()
        depth = max(node.depth for node in self.nodes)
        leaves = max(box.last for box in boxes) + 1
        wide = WIDTH / depth
        high = min(max(_MOST_HEIGHT / leaves, _LEAST_LEAF), _MOST_LEAF)
        sheet = Sheet(height=_TOP + leaves * high + 4, say=voice.say)
        for place in range(depth):
            head = phrase("{number} columns", number=place + 1) if place else phrase("one column")
            sheet.text(place * wide, 11, head, fill=MUTED, room=wide - 6)
        _draw_legend(sheet, voice)
        table = []
        for node, box, zone in zip(self.nodes, boxes, zones, strict=True):
            columns = " + ".join(map(name_in_table, box.path))
            unique = "–" if node.unique is None else voice.zone(node.unique, self.rows).text
            left, top = (node.depth - 1) * wide, _TOP + box.first * high
            bottom = _TOP + (box.last + 1) * high
            paint = self._paint(node, zone)
            paint["label"] = _label(node, columns, zone, unique)
            margin = 0.08 * high
            sheet.rect(left, left + wide - 2, top + margin, bottom - margin, **paint)
            name, middle = f"✂ {node.column}" if node.is_pruned else node.column, (top + bottom) / 2
            sheet.text(left + 6, middle, name, size=11, has_halo=zone.is_small, room=wide - 12)
            rows = "–" if node.is_pruned else zone.text
            table.append((columns, rows, unique, phrase("yes") if node.is_pruned else ""))
        notes = zone_notes(zones)
        if self.more:
            combinations = counted(self.more, "combination")
            notes.append(phrase("Not shown: {combinations}.", combinations=combinations))
        words = phrase(
            "{shown} of the search, each next to the one it extends.",
            shown=counted(len(self.nodes), "combination"),
        )
        if self.pruned:
            pruned = phrase("{pruned} pruned.", pruned=counted(self.pruned, "combination"))
            words = joined([words, pruned], " ")
        return Chart.of(
            voice,
            sheet,
            title=phrase("The search, column by column"),
            words=words,
            header=(
                phrase("columns"),
                phrase("identified rows"),
                phrase("unique rows"),
                phrase("pruned"),
            ),
            rows=table,
            notes=notes,
        )

    def _boxes(self) -> list[_Box]:
        """Return the place of every node: the leaves that it stands beside."""
        boxes: list[_Box] = []
        above: list[_Box] = []
        leaf = -1
        for node in self.nodes:
            continues_last = len(above) == node.depth - 1 and bool(above)
            del above[node.depth - 1 :]
            if not continues_last:
                leaf += 1
            path = above[-1].path if above else ()
            box = _Box((*path, node.column), leaf, leaf)
            for parent in above:
                parent.last = leaf
            above.append(box)
            boxes.append(box)
        return boxes

    def _paint(self, node: SearchNode, zone: Zone) -> Paint:
        if node.is_pruned:
            return _PRUNED.copy()
        if node.unique is None:
            return _NONE.copy()
        if zone.is_small:
            return _FEW.copy()
        if not zone.highest:
            return Paint(fill="transparent", **_NONE)
        share = zone.middle / max(self.rows, 1)
        return Paint(fill=MAIN, opacity=next(dark for least, dark in _STEPS if share >= least))


@dataclass
class _Box:
    path: tuple[str, ...]
    first: int
    last: int


def _label(node: SearchNode, columns: str, zone: Zone, unique: str) -> str:
    if node.is_pruned:
        return phrase("{columns}: pruned", columns=columns)
    if node.unique is None:
        return phrase("{columns}: not checked", columns=columns)
    return phrase(
        "{columns}: {rows} identified rows, {unique} unique rows",
        columns=columns,
        rows=zone.text,
        unique=unique,
    )


def _draw_legend(sheet: Sheet, voice: Voice) -> None:
    y, x = 31, 0.0
    over_10, over_1, under_1 = (Paint(fill=MAIN, opacity=opacity) for _, opacity in _STEPS)
    entries = [
        (_NONE, phrase("none identified")),
        *([(_FEW, phrase("few or none"))] if voice.threshold else []),
        (under_1, phrase("under 1 % of rows")),
        (over_1, phrase("1 to 10 %")),
        (over_10, phrase("over 10 %")),
        (_PRUNED, phrase("pruned")),
    ]
    for paint, text in entries:
        shown = voice.say(text)
        if x + 17 + width_of(shown, 11) > WIDTH:
            x, y = 0.0, y + 16
        sheet.rect(x, x + 12, y - 5, y + 5, **paint)
        sheet.text(x + 17, y, shown, fill=MUTED, size=11)
        x += 31 + width_of(shown, 11)


def search_tree(findings: Findings, known: Sequence[Identifying]) -> SearchTree:
    """Return what identifies most rows, where branches were pruned, and single columns."""
    names = findings.prepared.columns
    sizes = {item.size: item for item in findings.sizes}
    shown: set[tuple[int, ...]] = set()
    for combinations, most_leaves in (
        (_worst(known), MOST_LEAVES - _FOR_PRUNED - _FOR_COLUMNS),
        (_pruned(findings.sizes, len(names)), MOST_LEAVES - _FOR_COLUMNS),
        (((column,) for column in range(len(names))), MOST_LEAVES),
    ):
        for combination in combinations:
            # With each come those that it begins with, if there is room for all.
            wanted = shown | {combination[:size] for size in range(1, len(combination) + 1)}
            leaves = wanted - {branch[:-1] for branch in wanted}
            if len(wanted) <= MOST_NODES and len(leaves) <= most_leaves:
                shown = wanted
    nodes, looked_at = [], 0
    for combination in sorted(shown):
        size = sizes.get(len(combination))
        rank = rank_of(combination, len(names))
        identified, unique, is_pruned = 0, None, False
        if size is not None and rank < len(size.repeated):
            looked_at += 1
            identified, repeated = int(size.collisions[rank]), int(size.repeated[rank])
            is_pruned = repeated < 0
            unique = None if is_pruned else findings.rows - repeated
        column = kept_name(names[combination[-1]])
        nodes.append(SearchNode(len(combination), column, identified, unique, is_pruned))
    return SearchTree(
        tuple(nodes), findings.combinations - looked_at, findings.pruned, findings.rows
    )


def _worst(known: Sequence[Identifying]) -> list[tuple[int, ...]]:
    """Return enough of the combinations that identify most."""
    worst: list[tuple[int, tuple[int, ...]]] = []
    for item in known:
        if item.combinations.shape[1] <= DEEPEST:
            order = np.argsort(-item.rows, kind="stable")[:MOST_NODES]
            columns = map(tuple, item.combinations[order].tolist())
            worst += zip(item.rows[order].tolist(), columns, strict=True)
    worst.sort(key=lambda entry: (-entry[0], len(entry[1]), entry[1]))
    return [combination for _, combination in worst[:MOST_NODES]]


def _pruned(sizes: Sequence[SizeFindings], columns: int) -> Iterator[tuple[int, ...]]:
    """Yield the first few combinations below which nothing was looked at, smallest first."""
    roots: set[tuple[int, ...]] = set()
    for item in sizes:
        if item.size > DEEPEST:
            return
        ranks = np.flatnonzero(item.repeated < 0)[: 4 * MOST_NODES].astype(np.int64)
        for combination in map(tuple, combinations_at(ranks, columns, item.size).tolist()):
            if any(combination[:size] in roots for size in range(1, item.size)):
                continue
            roots.add(combination)
            yield combination
            if len(roots) >= _FOR_PRUNED:
                return


@dataclass(frozen=True)
class Identifying:
    """The combinations of one size that identify rows: their columns, and how many rows."""

    combinations: Integers
    rows: Integers


def identifying(size: SizeFindings, columns: int) -> Identifying:
    """Return as many as there are identified rows at most, however many were looked at."""
    ranks = np.flatnonzero(size.collisions).astype(np.int64)
    return Identifying(combinations_at(ranks, columns, size.size), size.collisions[ranks])


def combinations_at(ranks: Integers, columns: int, size: int) -> Integers:
    """Return the combinations at some places of ``itertools.combinations(range(columns), size)``.

    >>> combinations_at(np.array([0, 3, 5]), 4, 2).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    left = ranks.copy()
    filled = np.zeros(len(ranks), np.int64)
    combinations = np.zeros((len(ranks), size), np.int64)
    for column in range(columns):
        starting = [
            min(math.comb(columns - 1 - column, size - 1 - place), _LARGEST)
            for place in range(size)
        ]
        many = np.array([*starting, 0], np.int64)[filled]
        is_chosen = (left < many) & (filled < size)
        chosen = np.flatnonzero(is_chosen)
        combinations[chosen, filled[chosen]] = column
        filled[chosen] += 1
        left = np.where(is_chosen, left, left - many)
    return combinations


def rank_of(combination: Sequence[int], columns: int) -> int:
    """Return the place of a combination among those of its size.

    >>> [rank_of(columns, 4) for columns in [(0, 1), (1, 2), (2, 3)]]
    [0, 3, 5]
    """
    size, before, rank = len(combination), -1, 0
    for place, column in enumerate(combination):
        for skipped in range(before + 1, column):
            rank += math.comb(columns - 1 - skipped, size - 1 - place)
        before = column
    return rank
