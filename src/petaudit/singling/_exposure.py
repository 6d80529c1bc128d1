"""What exposes people: how many rows would be identified if one column were changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.singling._arrays import Bytes, Codes, Indices, Words
from petaudit.singling._kernels import recode
from petaudit.singling._leaf_kernels import expose_children
from petaudit.singling._partition import Pair
from petaudit.singling._walk import Plan, Walk
from petaudit.singling.search import run_walks

Step: TypeAlias = tuple[int, Codes]
"""A column, and a coarser code for each of its codes."""

_BITS = 64
_FIRST = np.zeros(1, np.int64)


@dataclass(frozen=True)
class Exposure:
    """Identified rows as the tables are, without each column, and after each coarsening step."""

    identified: int
    without_column: tuple[int, ...]
    after_step: tuple[int, ...]


class _State:
    """What is known of each synthetic row."""

    def __init__(self, rows: int, columns: int, steps: int) -> None:
        self.identified: Bytes = np.zeros(rows, np.uint8)
        self.essential: Words = np.zeros((rows, -(-columns // _BITS)), np.uint64)
        self.after_step: Bytes = np.zeros((rows, steps), np.uint8)

    def copy(self) -> _State:
        made = object.__new__(_State)
        made.identified = self.identified.copy()
        made.essential = self.essential.copy()
        # Shared: a thread writes nothing but ones, so the order does not matter.
        made.after_step = self.after_step
        return made

    def join(self, other: _State) -> None:
        """Take over what another thread found."""
        new = (self.identified == 0) & (other.identified == 1)
        both = (self.identified == 1) & (other.identified == 1)
        self.essential[new] = other.essential[new]
        self.essential[both] &= other.essential[both]
        self.identified |= other.identified

    @property
    def settled(self) -> Bytes:
        """Rows that stay identified whatever single column is changed."""
        return self.identified & ~self.essential.any(axis=1)

    def needs(self, column: int) -> npt.NDArray[np.bool_]:
        """Which identified rows could not do without a column."""
        word, bit = divmod(column, _BITS)
        found: npt.NDArray[np.bool_] = self.essential[:, word] & np.uint64(1 << bit) != 0
        return found


class _ExposureWalk(Walk):
    """Looks at the later columns and at the coarser copies of all columns outside a prefix."""

    def __init__(self, plan: Plan, state: _State, steps: Sequence[Step]) -> None:
        super().__init__(plan)
        self.state = state.copy()
        self._steps = steps
        self._found = plan.pair.room_for_found()

    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Note whom each child identifies."""
        local = self._local
        if self._levels[-1].partition.is_empty or local is None:
            return
        columns = children - local.column_before - 1
        self._expose(local.codes, columns, self._inside(prefix, children), -1)
        coarser = np.empty((1, len(local.origin)), np.uint32)
        nothing = self._inside(prefix, children[:1] * 0)
        for step, (owner, codes) in enumerate(self._steps):
            if owner not in prefix and not self.plan.stop_flag[0]:
                recode(local.column(owner), codes, coarser[0])
                self._expose(coarser, _FIRST, nothing, step)

    def _expose(self, codes: Codes, columns: Indices, inside: Words, step: int) -> None:
        partition, local = self._levels[-1].partition, self._local
        assert local is not None  # noqa: S101 (made with the first prefix)
        expose_children(
            partition.rows, partition.starts, partition.mids, codes, columns, inside, step,
            local.who, local.settled, local.origin, self.state.identified, self.state.essential,
            self.state.after_step, self._scratch, self._found, self.plan.stop_flag,
        )  # fmt: skip

    def settled_now(self) -> Bytes:
        """Rows that stay identified whatever single column is changed."""
        return self.state.settled

    def _inside(self, prefix: tuple[int, ...], children: Indices) -> Words:
        """The columns of each child's combination, as bits."""
        words = self.state.essential.shape[1]
        inside = np.zeros((len(children), words), np.uint64)
        for column in prefix:
            inside[:, column // _BITS] |= np.uint64(1 << (column % _BITS))
        for place, child in enumerate(children.tolist()):
            inside[place, child // _BITS] |= np.uint64(1 << (child % _BITS))
        return inside


def expose(
    pair: Pair,
    steps: Sequence[Step],
    up_to: int,
    threads: int | None = None,
    deadline: float | None = None,
) -> Exposure | None:
    """Count for every column and for every step; None if the deadline came first."""
    state = _State(pair.synthetic, pair.columns, len(steps))
    for size in range(1, min(up_to, pair.columns) + 1):
        stop_flag = np.zeros(1, np.uint8)
        plan = Plan(pair, size, state.settled, False, None, stop_flag, needs_all_columns=True)
        new_walk = partial(_ExposureWalk, state=state, steps=steps)
        walks = run_walks(plan, new_walk, threads, deadline)
        if sum(walk.combinations_done for walk in walks) < math.comb(pair.columns, size):
            return None
        for walk in walks:
            state.join(walk.state)
    identified = state.identified == 1
    needed = [state.needs(column) for column in range(pair.columns)]
    return Exposure(
        int(identified.sum()),
        tuple(int((identified & ~own).sum()) for own in needed),
        tuple(
            int(((identified & ~needed[owner]) | (state.after_step[:, step] == 1)).sum())
            for step, (owner, _) in enumerate(steps)
        ),
    )
