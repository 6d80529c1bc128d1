"""The search as a tree: combinations by their first columns, with what each identifies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from petaudit.pictures._combinations import Identifying, combinations_at, rank_of
from petaudit.pictures._words import check, kept_name
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings
    from petaudit.singling.search import SizeFindings

MOST_NODES: Final = 150
MOST_LEAVES: Final = 28
DEEPEST: Final = 5
_FOR_PRUNED: Final = 6
_FOR_COLUMNS: Final = 6


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
        for own in self.nodes:
            check(1 <= own.depth <= min(depth + 1, DEEPEST), "a node is below the one before it")
            check(max(own.identified, own.unique or 0) <= self.rows, "more rows than there are")
            depth = own.depth


@dataclass
class _Branches:
    """The combinations that are shown; with each come those that it begins with."""

    shown: set[tuple[int, ...]] = field(default_factory=set)

    def add(self, combination: tuple[int, ...], most_leaves: int) -> None:
        """Add one if there is room."""
        wanted = self.shown | {combination[:size] for size in range(1, len(combination) + 1)}
        parents = {own[:-1] for own in wanted}
        if len(wanted) <= MOST_NODES and len(wanted - parents) <= most_leaves:
            self.shown = wanted


def search_tree(found: Findings, identifying: Sequence[Identifying]) -> SearchTree:
    """Show what identifies most rows, where branches were pruned, and single columns."""
    names = found.prepared.columns
    sizes = {own.size: own for own in found.sizes}
    branches = _Branches()
    for combination in _worst(identifying):
        branches.add(combination, MOST_LEAVES - _FOR_PRUNED - _FOR_COLUMNS)
    for combination in _pruned(found.sizes, len(names)):
        branches.add(combination, MOST_LEAVES - _FOR_COLUMNS)
    for column in range(len(names)):
        branches.add((column,), MOST_LEAVES)
    nodes, looked_at = [], 0
    for combination in sorted(branches.shown):
        own = sizes.get(len(combination))
        rank = rank_of(combination, len(names))
        repeated = None if own is None or rank >= len(own.repeated) else int(own.repeated[rank])
        looked_at += repeated is not None
        nodes.append(
            SearchNode(
                len(combination),
                kept_name(names[combination[-1]]),
                _identified(identifying, len(combination), rank),
                None if repeated is None or repeated < 0 else found.rows - repeated,
                repeated is not None and repeated < 0,
            )
        )
    return SearchTree(tuple(nodes), found.combinations - looked_at, found.pruned, found.rows)


def _identified(identifying: Sequence[Identifying], size: int, rank: int) -> int:
    for own in identifying:
        if own.combinations.shape[1] == size:
            place = int(np.searchsorted(own.ranks, rank))
            if place < len(own.ranks) and own.ranks[place] == rank:
                return int(own.rows[place])
    return 0


def _worst(identifying: Sequence[Identifying]) -> list[tuple[int, ...]]:
    """Enough of the combinations that identify most."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for own in identifying:
        if own.combinations.shape[1] <= DEEPEST:
            order = np.argsort(-own.rows, kind="stable")[:MOST_NODES]
            columns = map(tuple, own.combinations[order].tolist())
            found += zip(own.rows[order].tolist(), columns, strict=True)
    found.sort(key=lambda entry: (-entry[0], len(entry[1]), entry[1]))
    return [combination for _, combination in found[:MOST_NODES]]


def _pruned(sizes: Sequence[SizeFindings], columns: int) -> Iterator[tuple[int, ...]]:
    """The first few combinations below which nothing was looked at, smallest first."""
    roots: set[tuple[int, ...]] = set()
    for own in sizes:
        if own.size > DEEPEST:
            return
        ranks = np.flatnonzero(own.repeated < 0)[: 4 * MOST_NODES].astype(np.int64)
        for combination in map(tuple, combinations_at(ranks, columns, own.size).tolist()):
            if any(combination[:size] in roots for size in range(1, own.size)):
                continue
            roots.add(combination)
            yield combination
            if len(roots) >= _FOR_PRUNED:
                return
