"""How the share of identified rows varies with the people in the target table.

A jackknife would search the table again and again, each time without a part of its rows. One
search does all of that at once: what a combination identifies without any one part can be told from
the parts of the rows that match.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from petaudit.singling._arrays import Bytes, Floats, Indices, Rows, Words
from petaudit.singling._leaf_kernels import replicate_children
from petaudit.singling._partition import Pair
from petaudit.singling._walk import EntropyRule, Plan, Walk
from petaudit.singling.search import run_walks

MOST_PARTS = 50
"""As many as fit into a word beside the whole table, and more than enough for a variance."""


class _ReplicateWalk(Walk):
    """Follows rows until they are identified in every replicate."""

    def __init__(self, plan: Plan, part: Rows, everywhere: int, seen_in: Words) -> None:
        super().__init__(plan)
        self.seen_in = seen_in.copy()
        self._part = part
        self._everywhere = everywhere
        self._counts = np.zeros_like(self._scratch[:3])

    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Note in which replicates each child identifies somebody."""
        partition, local = self._levels[-1].partition, self._local
        if partition.is_empty or local is None:
            return
        replicate_children(
            partition.rows, partition.starts, partition.mids, local.codes,
            self.kept_children(children) - local.column_before - 1, local.settled, local.origin,
            self._part, self._everywhere, self.seen_in, self._scratch, self._counts,
            self.plan.stop_flag,
        )  # fmt: skip

    def settled_now(self) -> Bytes:
        """Rows that are identified in every replicate."""
        return _settled(self.seen_in, self._everywhere)


def identified_without_parts(
    pair: Pair,
    part: Rows,
    sizes: Sequence[int],
    entropy: EntropyRule | None = None,
    threads: int | None = None,
    deadline: float | None = None,
) -> Indices | None:
    """Identified rows without each part of the target table, and with all of it, last.

    ``part`` has a number from 0 for each target row. None if the deadline came first.
    """
    parts = int(part.max(initial=0)) + 1
    everywhere = (1 << (parts + 1)) - 1
    by_row = np.concatenate([np.zeros(pair.synthetic, np.uint32), part.astype(np.uint32)])
    seen_in = np.zeros(pair.synthetic, np.uint64)
    for size in sizes:
        settled = _settled(seen_in, everywhere)
        if settled.all() or size > pair.columns:
            break
        plan = Plan(
            pair,
            size,
            settled,
            entropy is not None,
            entropy,
            np.zeros(1, np.uint8),
            keep_matches=not set(range(1, size)) <= set(sizes),
        )
        new_walk = partial(_ReplicateWalk, part=by_row, everywhere=everywhere, seen_in=seen_in)
        walks = run_walks(plan, new_walk, threads, deadline)
        if sum(walk.combinations_done for walk in walks) < math.comb(pair.columns, size):
            return None
        for walk in walks:
            seen_in |= walk.seen_in
    return np.array(
        [np.count_nonzero(seen_in & np.uint64(1 << bit)) for bit in range(parts + 1)], np.int64
    )


def jackknife_variance(replicates: Floats) -> float:
    """The variance of a figure, from its values without each part in turn.

    >>> jackknife_variance(np.array([1.0, 2.0, 3.0]))
    1.3333333333333333
    """
    parts = len(replicates)
    return float((parts - 1) / parts * ((replicates - replicates.mean()) ** 2).sum())


def _settled(seen_in: Words, everywhere: int) -> Bytes:
    settled: Bytes = (seen_in == np.uint64(everywhere)).astype(np.uint8)
    return settled
