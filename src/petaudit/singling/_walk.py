"""One thread's walk through the combinations of one size."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from petaudit.singling._arrays import Bytes, Indices, Rows
from petaudit.singling._entropy import normalized_entropy
from petaudit.singling._kernels import count_children
from petaudit.singling._partition import Local, Pair, Partition

NEVER = np.iinfo(np.int64).max
"""The number of no combination."""
_TIE = 1e-12


@dataclass(frozen=True)
class EntropyRule:
    """How entropy is measured, and the gain below which a combination is pruned."""

    alpha: float
    smallest_gain: float

    def prunes(self, gain: float) -> bool:
        """Whether the gain is too small; a tie is not, whatever the last digit says."""
        return self.smallest_gain > 0 and gain < self.smallest_gain - _TIE


@dataclass(frozen=True)
class Plan:
    """What all threads share while they go through the combinations of one size."""

    pair: Pair
    size: int
    settled: Bytes
    count_all: bool
    entropy: EntropyRule | None
    stop_flag: Bytes
    keep_matches: bool = False
    """Whether smaller combinations were left out, so that single matches are still of interest."""
    _waiting: Iterator[tuple[int, tuple[int, ...], int]] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_waiting", self._prefixes())

    def take(self, most: int) -> list[tuple[int, tuple[int, ...], int]]:
        """The next prefixes in order, each with its number and the number of its first child."""
        with self._lock:
            return list(itertools.islice(self._waiting, most))

    def _prefixes(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        last = self.pair.columns - 1
        first_child = 0
        for number, prefix in enumerate(itertools.combinations(range(last), self.size - 1)):
            yield number, prefix, first_child
            first_child += last - (prefix[-1] if prefix else -1)


@dataclass(frozen=True)
class Seen:
    """What was found out about the children of one prefix."""

    number: int
    repeated: Indices
    """Synthetic rows that are not unique; -1 for a pruned child."""
    entropy: np.ndarray[tuple[int], np.dtype[np.float64]] | None = None
    gain: np.ndarray[tuple[int], np.dtype[np.float64]] | None = None


@dataclass(frozen=True)
class _Level:
    column: int
    partition: Partition
    entropy: float
    is_pruned: bool


class Walk:
    """A thread's own state: what it found, and the partitions of the prefix it is at."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.first: Indices = np.full(plan.pair.synthetic, NEVER, np.int64)
        self.target: Rows = np.zeros(plan.pair.synthetic, np.int32)
        self.seen: list[Seen] = []
        self.combinations_done = 0
        self._scratch = plan.pair.new_scratch()
        self._found = plan.pair.room_for_found()
        self._levels: list[_Level] = []
        self._local: Local | None = None

    def run(self, chunk: int) -> None:
        """Take prefixes until there are none, or until told to stop."""
        while not self.plan.stop_flag[0]:
            taken = self.plan.take(chunk)
            if not taken:
                return
            for number, prefix, first_child in taken:
                self._visit(number, prefix, first_child)
                if self.plan.stop_flag[0]:
                    return

    def _visit(self, number: int, prefix: tuple[int, ...], first_child: int) -> None:
        plan = self.plan
        children = np.arange(prefix[-1] + 1 if prefix else 0, plan.pair.columns)
        self._go_to(prefix)
        level = self._levels[-1]
        if level.is_pruned:
            nothing = np.full(len(children), np.nan)
            seen = Seen(number, np.full(len(children), -1), nothing, nothing)
        elif plan.entropy is None:
            repeated = np.zeros(len(children), np.int64)
            self._count(children, first_child + np.arange(len(children)), repeated)
            seen = Seen(number, repeated)
        else:
            seen = self._count_with_entropy(number, children, first_child, plan.entropy)
        if not plan.stop_flag[0]:
            # A child that was left halfway does not count.
            self.seen.append(seen)
            self.combinations_done += len(children)

    def _count(self, children: Indices, numbers: Indices, repeated: Indices) -> None:
        level, local = self._levels[-1], self._local
        if level.partition.is_empty or local is None:
            return
        partition = level.partition
        count_children(
            partition.rows, partition.starts, partition.mids, local.codes,
            children - local.column_before - 1, local.settled, local.origin, numbers,
            self.first, self.target, repeated, self._scratch, self._found, self.plan.stop_flag,
        )  # fmt: skip

    def _count_with_entropy(
        self, number: int, children: Indices, first_child: int, rule: EntropyRule
    ) -> Seen:
        level = self._levels[-1]
        entropy = np.array([self._entropy_with(int(child)) for child in children])
        gain = entropy - level.entropy
        pruned = np.array([rule.prunes(own) for own in gain], bool)
        repeated = np.zeros(len(children), np.int64)
        kept = np.flatnonzero(~pruned)
        counted = np.zeros(len(kept), np.int64)
        self._count(children[kept], first_child + kept, counted)
        repeated[kept] = counted
        repeated[pruned] = -1
        return Seen(number, repeated, entropy, gain)

    def _entropy_with(self, column: int) -> float:
        level, local = self._levels[-1], self._local
        assert local is not None and self.plan.entropy is not None  # noqa: S101, PT018
        sizes = level.partition.repeated_sizes_with(local.column(column), self._scratch)
        return normalized_entropy(sizes, self.plan.pair.synthetic, self.plan.entropy.alpha)

    def _go_to(self, prefix: tuple[int, ...]) -> None:
        """Keep the levels that the prefix shares with the one before, and build the others."""
        if not self._levels:
            self._levels.append(_Level(-1, Partition.whole(self.plan.pair), 0.0, is_pruned=False))
        shared = 0
        while (
            shared < len(prefix)
            and shared + 1 < len(self._levels)
            and (self._levels[shared + 1].column == prefix[shared])
        ):
            shared += 1
        del self._levels[shared + 1 :]
        if not prefix and self._local is None:
            self._localize(-1)
        for column in prefix[shared:]:
            if len(self._levels) == 1:
                self._add_first(column)
            else:
                self._add(column)

    def _add_first(self, column: int) -> None:
        plan, root = self.plan, self._levels[0]
        settled = self._settled_now()
        partition = root.partition.split(
            plan.pair.codes[column],
            settled,
            self._scratch,
            count_all=plan.count_all,
            keep_matches=plan.keep_matches,
        )
        self._push(column, partition)
        self._localize(column)

    def _add(self, column: int) -> None:
        parent, local = self._levels[-1], self._local
        assert local is not None  # noqa: S101 (made with the first column)
        partition = parent.partition
        if not parent.is_pruned and not partition.is_empty:
            partition = partition.split(
                local.column(column),
                local.settled,
                self._scratch,
                count_all=self.plan.count_all,
                keep_matches=self.plan.keep_matches,
            )
        self._push(column, partition)

    def _push(self, column: int, partition: Partition) -> None:
        parent, rule = self._levels[-1], self.plan.entropy
        entropy, is_pruned = 0.0, parent.is_pruned
        if rule is not None and not is_pruned:
            sizes = partition.repeated_sizes()
            entropy = normalized_entropy(sizes, self.plan.pair.synthetic, rule.alpha)
            is_pruned = rule.prunes(entropy - parent.entropy)
        self._levels.append(_Level(column, partition, entropy, is_pruned))

    def _localize(self, column: int) -> None:
        level = self._levels[-1]
        self._local = None  # before the next one is made: both would not fit
        local = Local.of(self.plan.pair, level.partition, column, self._settled_now())
        self._local = local
        self._levels[-1] = _Level(level.column, local.partition, level.entropy, level.is_pruned)

    def _settled_now(self) -> Bytes:
        """Rows that a smaller combination identified, or an earlier one of this size here."""
        settled: Bytes = self.plan.settled | (self.first != NEVER).astype(np.uint8)
        return settled
