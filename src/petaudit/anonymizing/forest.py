"""The nodes of local recoding as arrays, and how the best parts of several recodings become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from petaudit.exact.class_figures import Floats, Integers, Truths

LevelArray = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Parts:
    """Where refining begins: parts of the items, each with the levels that its labels have."""

    order: Integers
    starts: Integers
    stops: Integers
    levels: LevelArray
    is_free: Truths
    """Whether what stays behind is suppressed without being judged."""


@dataclass(frozen=True)
class Forest:
    """The nodes that parts were split into; see ``local_kernels.refine``."""

    order: Integers
    parent: Integers
    """Of every node, which comes before it; -1 at the top."""
    column: Integers
    """Where a node is split; -1 for a leaf."""
    begin: Integers
    end: Integers
    came: LevelArray
    now: LevelArray
    part: Integers
    lost: Floats

    @property
    def is_leaf(self) -> Truths:
        """Which nodes are not split."""
        return self.column < 0

    @property
    def total(self) -> float:
        """What all rows lose."""
        return float(self.lost.sum())

    def levels(self) -> LevelArray:
        """The levels of every item."""
        leaves = np.flatnonzero(self.is_leaf)
        leaves = leaves[np.argsort(self.begin[leaves])]
        levels = np.zeros((len(self.order), self.now.shape[1]), dtype=np.int8)
        widths = self.end[leaves] - self.begin[leaves]
        levels[self.order] = np.repeat(self.now[leaves], widths, axis=0)
        return levels

    def cut(self, largest: int) -> Integers:
        """The uppermost nodes with no more than so many items, and leaves above them."""
        sizes = self.end - self.begin
        small = sizes <= largest
        parent = self.parent
        below = np.where(parent < 0, False, small[parent])
        return np.flatnonzero((small | self.is_leaf) & ~below)

    def parts(self, nodes: Integers) -> Parts:
        """Some nodes as parts to begin with, in which nothing goes without being judged."""
        chosen = nodes[np.argsort(self.begin[nodes])]
        is_free = np.zeros(len(chosen), dtype=bool)
        return Parts(self.order, self.begin[chosen], self.end[chosen], self.came[chosen], is_free)

    def grafted(self, nodes: Integers, others: Sequence[Forest]) -> Forest:
        """The same where nodes are replaced by the part of others, of the same parts, that is best.

        A node stays as it is where no other loses less.
        """
        nodes = nodes[np.argsort(self.begin[nodes])]
        place = np.full(len(self.parent), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        for node in range(len(self.parent)):
            if place[node] < 0 and self.parent[node] >= 0:
                place[node] = place[self.parent[node]]
        inside = place >= 0
        losses = [np.bincount(place[inside], weights=self.lost[inside], minlength=len(nodes))]
        losses += [np.bincount(one.part, weights=one.lost, minlength=len(nodes)) for one in others]
        best = np.argmin(np.array(losses) + 1e-9 * (np.arange(len(losses)) > 0)[:, None], axis=0)
        kept = ~inside | (best[np.maximum(place, 0)] == 0)
        order = self.order.copy()
        number = np.cumsum(kept) - 1
        sources = [(self, kept)]
        parents = [np.where(self.parent[kept] < 0, -1, number[self.parent[kept]])]
        offset = int(kept.sum())
        for choice, other in enumerate(others, 1):
            taken = best[other.part] == choice
            if not taken.any():
                continue
            for node in nodes[best == choice].tolist():
                span = slice(self.begin[node], self.end[node])
                order[span] = other.order[span]
            position = np.cumsum(taken) - 1 + offset
            over = self.parent[nodes[other.part[taken]]]
            of_root = np.where(over < 0, -1, number[np.maximum(over, 0)])
            inner = position[np.maximum(other.parent[taken], 0)]
            parents.append(np.where(other.parent[taken] < 0, of_root, inner))
            sources.append((other, taken))
            offset += int(taken.sum())
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(one, name)[taken] for one, taken in sources])
            for name in ("column", "begin", "end", "came", "now", "part", "lost")
        }
        return replace(self, order=order, parent=np.concatenate(parents), **joined)
