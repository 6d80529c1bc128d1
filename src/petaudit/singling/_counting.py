"""Counting: who is identified first by which combination, and how many rows are unique."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from petaudit.singling._arrays import Bytes, Floats, Indices, Rows
from petaudit.singling._entropy import entropies_of_pairs
from petaudit.singling._leaf_kernels import count_children
from petaudit.singling._walk import EntropyRule, Plan, Walk

NEVER = np.iinfo(np.int64).max
"""The number of no combination."""


@dataclass(frozen=True)
class Seen:
    """What was found out about the children of one prefix."""

    number: int
    repeated: Indices
    """Synthetic rows that are not unique; -1 for a pruned child."""
    entropy: Floats | None = None
    gain: Floats | None = None


class CountingWalk(Walk):
    """Notes the first combination that identifies each row; combinations come in order."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.first: Indices = np.full(plan.pair.synthetic, NEVER, np.int64)
        self.target: Rows = np.zeros(plan.pair.synthetic, np.uint32)
        self.seen: list[Seen] = []
        self._found = plan.pair.room_for_found()

    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Count the children."""
        rule = self.plan.entropy
        if self._levels[-1].is_pruned:
            nothing = np.full(len(children), np.nan)
            seen = Seen(number, np.full(len(children), -1), nothing, nothing)
        elif rule is None or rule.is_default:
            repeated, pairs = self._count(children, first_child + np.arange(len(children)))
            seen = Seen(number, repeated)
            if rule is not None:
                entropy = entropies_of_pairs(pairs, self.plan.pair.synthetic)
                seen = Seen(number, repeated, entropy, entropy - self._levels[-1].entropy)
        else:
            seen = self._count_with_entropy(number, children, first_child, rule)
        if not self.plan.stop_flag[0]:
            self.seen.append(seen)

    def settled_now(self) -> Bytes:
        """Rows that a smaller combination identified, or an earlier one of this size here."""
        settled: Bytes = self.plan.settled | (self.first != NEVER).astype(np.uint8)
        return settled

    def _count(self, children: Indices, numbers: Indices) -> tuple[Indices, Indices]:
        """By child: rows that are not unique, and pairs of rows that agree."""
        partition, local = self._levels[-1].partition, self._local
        repeated, pairs = np.zeros((2, len(children)), np.int64)
        if not partition.is_empty and local is not None:
            count_children(
                partition.rows, partition.starts, partition.mids, local.codes,
                children - local.column_before - 1, local.who, local.settled, local.origin,
                numbers, self.first, self.target, repeated, pairs, self._scratch, self._found,
                self.plan.stop_flag,
            )  # fmt: skip
        return repeated, pairs

    def _count_with_entropy(
        self, number: int, children: Indices, first_child: int, rule: EntropyRule
    ) -> Seen:
        entropy = self.entropies_with(children)
        gain = entropy - self._levels[-1].entropy
        pruned = rule.pruned(gain)
        repeated = np.full(len(children), -1, np.int64)
        kept = np.flatnonzero(~pruned)
        repeated[kept] = self._count(children[kept], first_child + kept)[0]
        return Seen(number, repeated, entropy, gain)
