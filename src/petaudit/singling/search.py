"""The search: which synthetic rows single out exactly one target row, with how few columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from petaudit.singling.entropy import EntropyRule, entropies_of_pairs
from petaudit.singling.kernels import Bytes, Floats, Indices, Rows, count_children, expose_people
from petaudit.singling.options import Progress, has_gaps_below
from petaudit.singling.partition import Pair
from petaudit.singling.walk import Plan, Walk, finished_walks, run_walks

_NEVER = np.iinfo(np.int64).max
"""The number of no combination."""


@dataclass(frozen=True)
class IdentifiedRows:
    """The synthetic rows that a size identifies, by combination and row."""

    rows: Rows
    combinations: Indices
    """The combination that identifies each of them, counted from 0 within the size."""
    targets: Rows
    """The target row that each of them points at, counted from the first target row."""


@dataclass(frozen=True)
class SizeFindings:
    """What the combinations of one size identify, however they were counted."""

    size: int
    repeated: Indices
    """Per combination in order: synthetic rows that are not unique; -1 where it was pruned."""
    collisions: Indices
    """Per combination: rows that it identifies, and nothing smaller or earlier does."""
    entropy: Floats
    gain: Floats
    is_complete: bool
    listed: IdentifiedRows | None = None
    """The identified rows, where they are in memory."""

    @property
    def identified(self) -> int:
        """How many rows are identified."""
        return int(self.collisions.sum())


@dataclass(frozen=True)
class Settings:
    """How to search, wherever the rows are."""

    sizes: Sequence[int]
    """The sizes of the combinations, ascending."""
    entropy: EntropyRule
    threads: int | None = None
    deadline: float | None = None
    """A time of the monotonic clock."""
    progress: Callable[[Progress], object] | None = None

    def reporter(self, size: int, columns: int) -> Callable[[int], None]:
        """Return what reports how many combinations of a size were looked at."""
        sizes = tuple(self.sizes)
        totals = [math.comb(columns, each) for each in sizes]
        place = sizes.index(size)
        before = sum(totals[:place])

        def report(done: int) -> None:
            if self.progress is not None:
                self.progress(
                    Progress(size, sizes, done, totals[place], before + done, sum(totals))
                )

        return report


def search(pair: Pair, settings: Settings) -> Iterator[SizeFindings]:
    """Search combinations of the given sizes, one size after the other.

    Stopping between any two of them, or in the middle of one, leaves what was found valid: the
    combinations that were looked at are always the first ones in order.
    """
    settled = np.zeros(pair.synthetic, np.uint8)
    for size in settings.sizes:
        plan = Plan(
            pair,
            size,
            settled.copy(),
            count_all=True,
            entropy=settings.entropy,
            keep_matches=has_gaps_below(size, settings.sizes),
        )
        report = settings.reporter(size, pair.columns)
        new_walk = partial(_CountingWalk, rule=settings.entropy)
        walks = run_walks(plan, new_walk, settings.threads, settings.deadline, report)
        findings, identified = _merged(walks, plan)
        if findings.is_complete:
            report(len(findings.repeated))
        settled[identified.rows] = 1
        yield findings
        if not findings.is_complete:
            return


class _CountingWalk(Walk):
    """Notes the first combination that identifies each row; combinations come in order."""

    def __init__(self, plan: Plan, rule: EntropyRule) -> None:
        super().__init__(plan)
        self.first: Indices = np.full(plan.pair.synthetic, _NEVER, np.int64)
        self.target: Rows = np.zeros(plan.pair.synthetic, np.uint32)
        self.counted: dict[int, tuple[Indices, Floats, Floats]] = {}
        """By the number of a prefix: repeated rows, entropy and gain of its children."""
        self._rule = rule
        self._matches = plan.pair.room_for_matches()

    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Count the children."""
        level, many = self._levels[-1], len(children)
        repeated = np.full(many, -1, np.int64)
        if level.is_pruned:
            entropy = np.full(many, np.nan)
        elif self._rule.is_default:
            repeated, pairs = self._count(children, first_child + np.arange(many))
            entropy = entropies_of_pairs(pairs, self.plan.pair.synthetic)
        else:
            entropy = self.entropies_with(children)
            kept = np.flatnonzero(~self._rule.pruned(entropy - level.entropy))
            repeated[kept] = self._count(children[kept], first_child + kept)[0]
        if not self.plan.stop_flag[0]:
            self.counted[number] = repeated, entropy, entropy - level.entropy

    def settled_now(self) -> Bytes:
        """Rows that a smaller combination identified, or an earlier one of this size here."""
        settled: Bytes = self.plan.settled | (self.first != _NEVER).astype(np.uint8)
        return settled

    def _count(self, children: Indices, numbers: Indices) -> tuple[Indices, Indices]:
        """Count by child the rows that are not unique, and the pairs of rows that agree."""
        partition, local = self._levels[-1].partition, self._local
        repeated, pairs = np.zeros((2, len(children)), np.int64)
        if not partition.is_empty:
            count_children(
                partition.rows, partition.starts, partition.mids, local.codes,
                children - local.column_before - 1, local.person_codes, local.settled, local.origin,
                numbers, self.first, self.target, repeated, pairs, self._scratch, self._matches,
                self.plan.stop_flag,
            )  # fmt: skip
        return repeated, pairs


def _merged(walks: Sequence[_CountingWalk], plan: Plan) -> tuple[SizeFindings, IdentifiedRows]:
    """Put together what the threads counted, up to the first prefix that nobody finished."""
    counted = dict(item for walk in walks for item in walk.counted.items())
    nothing = np.zeros(0)
    figures = [(nothing.astype(np.int64), nothing, nothing)]
    while len(figures) - 1 in counted:
        figures.append(counted[len(figures) - 1])
    repeated, entropy, gain = map(np.concatenate, zip(*figures, strict=True))
    first, target = walks[0].first, walks[0].target
    for walk in walks[1:]:
        target = np.where(walk.first < first, walk.target, target)
        first = np.minimum(first, walk.first)
    rows = np.flatnonzero(first < min(len(repeated), _NEVER)).astype(np.uint32)
    rows = rows[np.argsort(first[rows], kind="stable")]
    targets = target[rows] - np.uint32(plan.pair.synthetic)
    identified = IdentifiedRows(rows, first[rows], targets)
    findings = SizeFindings(
        plan.size,
        repeated,
        np.bincount(first[rows], minlength=len(repeated)).astype(np.int64),
        entropy,
        gain,
        len(repeated) == plan.combinations,
        identified,
    )
    return findings, identified


class _PeopleWalk(Walk):
    """Follows every synthetic row to the end: with other columns it may expose somebody else."""

    def __init__(self, plan: Plan, first_control: int) -> None:
        super().__init__(plan)
        self._first_control = first_control
        self.exposed = np.zeros(plan.pair.rows, np.uint8)

    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Note the people that each child exposes."""
        level, local, rule = self._levels[-1], self._local, self.plan.entropy
        partition = level.partition
        if level.is_pruned or partition.is_empty:
            return
        if rule is not None:
            children = children[~rule.pruned(self.entropies_with(children) - level.entropy)]
        expose_people(
            partition.rows, partition.starts, partition.mids, local.codes,
            children - local.column_before - 1, local.person_codes, self._first_control,
            self.exposed, self._scratch, self.plan.stop_flag,
        )  # fmt: skip


def exposed_people(pair: Pair, first_control: int, settings: Settings) -> Bytes | None:
    """Return for each person of the pair whether they are singled out; None if out of time.

    1 is for who is, 2 for who would be if one other person were not there, 3 for both. Rows from
    ``first_control`` on are people of the control, who are compared with those before them: each
    is looked at as if nobody else of the control were there.
    """
    exposed = np.zeros(pair.rows, np.uint8)
    entropy = settings.entropy if settings.entropy.smallest_gain > 0 else None
    for size in settings.sizes:
        plan = Plan(
            pair,
            size,
            np.zeros(pair.synthetic, np.uint8),
            count_all=entropy is not None,
            entropy=entropy,
            # A row that is alone with one person points at nobody else with further columns.
            keep_matches=has_gaps_below(size, settings.sizes),
        )
        new_walk = partial(_PeopleWalk, first_control=first_control)
        walks = finished_walks(plan, new_walk, settings.threads, settings.deadline)
        if walks is None:
            return None
        for walk in walks:
            exposed |= walk.exposed
    return exposed
