"""Which people are singled out by some synthetic row, with any combination."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from petaudit.singling._arrays import Bytes, Indices
from petaudit.singling._leaf_kernels import expose_people
from petaudit.singling._partition import Pair
from petaudit.singling._walk import EntropyRule, Plan, Walk
from petaudit.singling.search import run_walks


class _PeopleWalk(Walk):
    """Follows every synthetic row to the end: with other columns it may expose somebody else."""

    def __init__(self, plan: Plan, first_stranger: int) -> None:
        super().__init__(plan)
        self._first_stranger = first_stranger
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
            self._first_stranger, self.exposed, self._scratch, self.plan.stop_flag,
        )  # fmt: skip

    def settled_now(self) -> Bytes:
        """No synthetic row is done with."""
        return self.plan.settled


def exposed_people(
    pair: Pair,
    first_stranger: int,
    sizes: Sequence[int],
    entropy: EntropyRule | None = None,
    threads: int | None = None,
    deadline: float | None = None,
) -> Bytes | None:
    """For each person of the pair whether they are singled out; None if the deadline came first.

    1 is for who is, 2 for who would be if one other person were not there, 3 for both. Rows from
    ``first_stranger`` on are of people who are compared with those before them: each is looked at
    as if no other stranger were there.
    """
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
        new_walk = partial(_PeopleWalk, first_stranger=first_stranger)
        walks = run_walks(plan, new_walk, threads, deadline)
        if sum(walk.combinations_done for walk in walks) < math.comb(pair.columns, size):
            return None
        for walk in walks:
            exposed |= walk.exposed
    return exposed
