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
    by_levels: tuple[int, ...] | None = None
    """Whether parts are the classes at some levels, and at which; else the first is the root."""


@dataclass(frozen=True)
class Forest:
    """The nodes that parts were split into; see ``local_kernels.refine``."""

    order: Integers
    parent: Integers
    label: Integers
    column: Integers
    level: Integers
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

    def levels_of(self, items: int) -> LevelArray:
        """The levels of every item."""
        leaves = np.flatnonzero(self.is_leaf)
        leaves = leaves[np.argsort(self.begin[leaves])]
        levels = np.zeros((items, self.now.shape[1]), dtype=np.int8)
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

    def parts(self, nodes: Integers, is_free: Truths) -> Parts:
        """Some nodes as parts to begin with."""
        order = np.argsort(self.begin[nodes])
        chosen = nodes[order]
        return Parts(
            self.order, self.begin[chosen], self.end[chosen], self.came[chosen], is_free[chosen]
        )

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
        labels = [self.label[kept]]
        offset = int(kept.sum())
        for choice, other in enumerate(others, 1):
            taken = best[other.part] == choice
            if not taken.any():
                continue
            for node in nodes[best == choice].tolist():
                span = slice(self.begin[node], self.end[node])
                order[span] = other.order[span]
            position = np.cumsum(taken) - 1 + offset
            roots = other.parent[taken] < 0
            above = nodes[other.part[taken]]
            over = self.parent[above]
            of_root = np.where(over < 0, -1, number[np.maximum(over, 0)])
            inner = position[np.maximum(other.parent[taken], 0)]
            parents.append(np.where(roots, of_root, inner))
            labels.append(np.where(roots, self.label[above], other.label[taken]))
            sources.append((other, taken))
            offset += int(taken.sum())
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(one, name)[taken] for one, taken in sources])
            for name in ("column", "level", "begin", "end", "came", "now", "lost")
        }
        # Of classes at some levels, each is a part: what is found there belongs to the same class.
        part = [self.part[kept]]
        part += [self.part[nodes[one.part[taken]]] for one, taken in sources[1:]]
        made = replace(
            self,
            order=order,
            parent=np.concatenate(parents),
            label=np.concatenate(labels),
            part=np.concatenate(part),
            **joined,
        )
        return made.sorted()

    def sorted(self) -> Forest:
        """The same with roots first, in the order of their parts."""
        rank = np.where(self.parent < 0, self.part - len(self.parent), np.arange(len(self.parent)))
        order = np.argsort(rank, kind="stable")
        position = np.empty(len(order), dtype=np.int64)
        position[order] = np.arange(len(order))
        parent = self.parent[order]
        return replace(
            self,
            parent=np.where(parent < 0, -1, position[np.maximum(parent, 0)]),
            **{
                name: getattr(self, name)[order]
                for name in (
                    "label",
                    "column",
                    "level",
                    "begin",
                    "end",
                    "came",
                    "now",
                    "part",
                    "lost",
                )
            },
        )
