"""Which people of a target table are singled out by some synthetic row, with any combination."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from petaudit.singling._arrays import Bytes, Indices
from petaudit.singling._leaf_kernels import expose_people
from petaudit.singling._partition import Pair
from petaudit.singling._walk import EntropyRule, Plan, Walk
from petaudit.singling.search import run_walks


class _PeopleWalk(Walk):
    """Follows every synthetic row to the end: with other columns it may expose somebody else."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.exposed = np.zeros(plan.pair.rows, np.uint8)

    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Note whom each child exposes."""
        partition, local = self._levels[-1].partition, self._local
        if partition.is_empty or local is None:
            return
        expose_people(
            partition.rows, partition.starts, partition.mids, local.codes,
            self.kept_children(children) - local.column_before - 1, local.who,
            self.exposed, self._scratch, self.plan.stop_flag,
        )  # fmt: skip

    def settled_now(self) -> Bytes:
        """No synthetic row is done with."""
        return self.plan.settled


def exposed_people(
    pair: Pair,
    sizes: Sequence[int],
    entropy: EntropyRule | None = None,
    threads: int | None = None,
    deadline: float | None = None,
) -> int | None:
    """How many of the target's people are singled out; None if the deadline came first."""
    exposed = np.zeros(pair.rows, np.uint8)
    for size in sizes:
        plan = Plan(
            pair,
            size,
            np.zeros(pair.synthetic, np.uint8),
            entropy is not None,
            entropy,
            np.zeros(1, np.uint8),
            # A row that is alone with one person points at nobody else with further columns.
            keep_matches=not set(range(1, size)) <= set(sizes),
        )
        walks = run_walks(plan, _PeopleWalk, threads, deadline)
        if sum(walk.combinations_done for walk in walks) < math.comb(pair.columns, size):
            return None
        for walk in walks:
            exposed |= walk.exposed
    return int(np.count_nonzero(exposed))
