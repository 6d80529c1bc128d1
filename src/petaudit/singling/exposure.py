"""Which rows would still be identified if a column were changed."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.errors import phrase
from petaudit.singling.findings import Findings
from petaudit.singling.kernels import Bytes, Codes, Indices, Words, expose_children, recode
from petaudit.singling.partition import BITS, Pair, bits_of, words_for
from petaudit.singling.prepared import Prepared
from petaudit.singling.walk import Plan, Walk, finished_walks
from petaudit.tables.joint.coarser import coarser_steps

_MOST_COLUMNS = 3
"""Changes of single columns are judged with combinations of at most this many columns."""
_MOST_CELLS = 4e9
_FIRST = np.zeros(1, np.int64)

Step: TypeAlias = tuple[int, Codes]
"""A column, and a coarser code for each of its codes."""


@dataclass(frozen=True)
class Exposure:
    """Identified rows as the tables are, without each column, and after each coarsening step."""

    identified: int
    without_column: tuple[int, ...]
    after_step: tuple[int, ...]


@dataclass
class _State:
    """What is known of each synthetic row."""

    identified: Bytes
    essential: Words
    """The columns that all identifying combinations of a row have in common, as bits."""
    after_step: Bytes

    def copy(self) -> _State:
        # The steps are shared: a thread writes nothing but ones, so the order does not matter.
        return _State(self.identified.copy(), self.essential.copy(), self.after_step)

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

    def identified_without(self, column: int) -> npt.NDArray[np.bool_]:
        """Which rows are identified by a combination without a column."""
        needed = self.essential & bits_of([column], self.essential.shape[1])
        without: npt.NDArray[np.bool_] = (self.identified == 1) & ~needed.any(axis=1)
        return without


class _ExposureWalk(Walk):
    """Looks at the later columns and at the coarser copies of all columns outside a prefix."""

    def __init__(self, plan: Plan, state: _State, steps: Sequence[Step]) -> None:
        super().__init__(plan)
        self.state = state.copy()
        self._steps = steps
        self._matches = plan.pair.room_for_matches()

    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Note the rows that each child identifies."""
        local = self._local
        if self._levels[-1].partition.is_empty:
            return
        words = self.state.essential.shape[1]
        inside = np.tile(bits_of(prefix, words), (len(children), 1))
        inside[np.arange(len(children)), children // BITS] |= np.uint64(1) << (
            children % BITS
        ).astype(np.uint64)
        self._expose(local.codes, children - local.column_before - 1, inside, -1)
        coarser = np.empty((1, len(local.origin)), np.uint32)
        for step, (column, codes) in enumerate(self._steps):
            if column not in prefix and not self.plan.stop_flag[0]:
                recode(local.column(column), codes, coarser[0])
                self._expose(coarser, _FIRST, inside, step)

    def _expose(self, codes: Codes, columns: Indices, inside: Words, step: int) -> None:
        partition, local, state = self._levels[-1].partition, self._local, self.state
        expose_children(
            partition.rows, partition.starts, partition.mids, codes, columns, inside, step,
            local.person_codes, local.settled, local.origin, state.identified, state.essential,
            state.after_step, self._scratch, self._matches, self.plan.stop_flag,
        )  # fmt: skip

    def settled_now(self) -> Bytes:
        """Rows that stay identified whatever single column is changed."""
        return self.state.settled


def expose(
    pair: Pair,
    steps: Sequence[Step],
    up_to: int,
    threads: int | None = None,
    deadline: float | None = None,
) -> Exposure | None:
    """Count for every column and for every step; None if the deadline came first."""
    rows = pair.synthetic
    state = _State(
        np.zeros(rows, np.uint8),
        np.zeros((rows, words_for(pair.columns)), np.uint64),
        np.zeros((rows, len(steps)), np.uint8),
    )
    for size in range(1, min(up_to, pair.columns) + 1):
        plan = Plan(pair, size, state.settled, needs_all_columns=True)
        new_walk = partial(_ExposureWalk, state=state, steps=steps)
        walks = finished_walks(plan, new_walk, threads, deadline)
        if walks is None:
            return None
        for walk in walks:
            state.join(walk.state)
    without = [state.identified_without(column) for column in range(pair.columns)]
    return Exposure(
        int(np.count_nonzero(state.identified)),
        tuple(int(rows.sum()) for rows in without),
        tuple(
            int((without[column] | (state.after_step[:, step] == 1)).sum())
            for step, (column, _) in enumerate(steps)
        ),
    )


def changes_of(findings: Findings, spent: float) -> list[dict[str, Any]]:
    """Try every column without it and one step coarser; nothing if the time limit comes first.

    ``spent`` are the seconds of the limit that the search took.
    """
    prepared, options = findings.prepared, findings.options
    if findings.is_empty or not isinstance(prepared, Prepared):
        return []
    deadline = None
    if options.time_limit is not None:
        if spent >= options.time_limit:
            return []
        deadline = time.monotonic() + options.time_limit - spent
    pair = prepared.pair
    steps = [
        (place, step)
        for place, name in enumerate(prepared.columns)
        for step in coarser_steps(
            prepared.joined[name],
            pair.codes[place, pair.synthetic :],
            pair.codes[place, : pair.synthetic],
        )
    ]
    coarser = [(place, step.recode) for place, step in steps]
    up_to = _size_for_changes(pair, max(options.sizes(pair.columns), default=1), len(steps))
    exposure = expose(pair, coarser, up_to, options.threads, deadline)
    if exposure is None:
        return []
    changes: list[tuple[int, str, int]] = [
        (place, phrase("left out"), rows) for place, rows in enumerate(exposure.without_column)
    ]
    changes += [
        (place, step.change, rows)
        for (place, step), rows in zip(steps, exposure.after_step, strict=True)
    ]
    helped = findings.rows_helped()
    return [
        {
            "column": prepared.columns[place],
            "rows_helped": helped[place],
            "change": change,
            "rows_before": exposure.identified,
            "rows_after": rows,
            "up_to_columns": up_to,
        }
        for place, change, rows in sorted(changes, key=lambda entry: (entry[2], entry[0]))
    ]


def _size_for_changes(pair: Pair, largest: int, steps: int) -> int:
    """The largest size up to three that keeps the work within seconds; one at least."""
    for size in range(min(largest, _MOST_COLUMNS), 1, -1):
        combinations = sum(math.comb(pair.columns, many) for many in range(1, size + 1))
        tries = sum(math.comb(pair.columns - 1, many) for many in range(size)) * steps
        if (combinations + tries) * pair.rows <= _MOST_CELLS:
            return size
    return 1
