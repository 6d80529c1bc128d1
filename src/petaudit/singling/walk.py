"""Walks through the combinations of one size, one per thread."""

from __future__ import annotations

import itertools
import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from petaudit.singling.entropy import EntropyRule, normalized_entropy
from petaudit.singling.kernels import Bytes, Floats, Indices
from petaudit.singling.partition import Local, Pair, Partition
from petaudit.system.threads import available_threads

_LOOK = 0.1
_MOST_PER_CHUNK = 64
_CHUNKS_PER_THREAD = 16
_MOST_COPIED = 512 << 20


@dataclass
class Plan:
    """What all threads share while they go through the combinations of one size."""

    pair: Pair
    size: int
    settled: Bytes
    """Synthetic rows that need not be followed any more."""
    count_all: bool = False
    """Whether rows that cannot be identified are followed too."""
    entropy: EntropyRule | None = None
    keep_matches: bool = False
    """Whether smaller combinations were left out, so that single matches are still of interest."""
    needs_all_columns: bool = False
    """Whether columns before the first one of a prefix are looked at as well."""

    def __post_init__(self) -> None:
        self.stop_flag: Bytes = np.zeros(1, np.uint8)
        # No later column follows the last one.
        self._prefix_columns = self.pair.columns - (0 if self.needs_all_columns else 1)
        self._waiting = self._prefixes()
        self._lock = threading.Lock()

    @property
    def combinations(self) -> int:
        """How many combinations there are."""
        return math.comb(self.pair.columns, self.size)

    @property
    def prefixes(self) -> int:
        """How many prefixes there are."""
        return math.comb(self._prefix_columns, self.size - 1)

    def take(self, most: int) -> list[tuple[int, tuple[int, ...], int]]:
        """Take the next prefixes in order, each with its number and that of its first child."""
        with self._lock:
            return list(itertools.islice(self._waiting, most))

    def _prefixes(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        first_child = 0
        prefixes = itertools.combinations(range(self._prefix_columns), self.size - 1)
        for number, prefix in enumerate(prefixes):
            yield number, prefix, first_child
            first_child += self.pair.columns - 1 - (prefix[-1] if prefix else -1)


@dataclass(frozen=True)
class _Level:
    column: int
    partition: Partition
    entropy: float
    is_pruned: bool


class Walk(ABC):
    """The state of one thread: the partitions of the prefix that it is at."""

    _local: Local
    """The rows of the first column of the prefix."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.combinations_done = 0
        self._scratch = plan.pair.new_scratch()
        self._levels: list[_Level] = []

    @abstractmethod
    def visit(
        self, number: int, prefix: tuple[int, ...], children: Indices, first_child: int
    ) -> None:
        """Look at the children of a prefix, columns that may be added to it.

        ``number`` is the number of the prefix, ``first_child`` that of its first combination.
        """

    def settled_now(self) -> Bytes:
        """Rows that need not be followed any more."""
        return self.plan.settled

    def run(self, chunk: int) -> None:
        """Take prefixes until there are none, or until told to stop."""
        while not self.plan.stop_flag[0]:
            taken = self.plan.take(chunk)
            if not taken:
                return
            for number, prefix, first_child in taken:
                children = np.arange(prefix[-1] + 1 if prefix else 0, self.plan.pair.columns)
                self._go_to(prefix)
                self.visit(number, prefix, children, first_child)
                if self.plan.stop_flag[0]:
                    # A child that was left halfway does not count.
                    return
                self.combinations_done += len(children)

    def entropies_with(self, children: Indices) -> Floats:
        """Return the entropy of each child of the current prefix."""
        rule, rows = self.plan.entropy, self.plan.pair.synthetic
        partition = self._levels[-1].partition
        assert rule is not None  # noqa: S101 (asked only where there is one)
        sizes = (
            partition.repeated_sizes_with(self._local.column(child), self._scratch)
            for child in children.tolist()
        )
        return np.array([normalized_entropy(repeated, rows, rule.alpha) for repeated in sizes])

    def _go_to(self, prefix: tuple[int, ...]) -> None:
        """Keep the levels that the prefix shares with the one before, and build the others."""
        shared = 0
        for level, column in zip(self._levels[1:], prefix, strict=False):
            if level.column != column:
                break
            shared += 1
        del self._levels[shared + 1 :]
        if not shared:
            # All rows need no copy: that of the last prefix is let go before the next is made.
            self._levels.clear()
            self._localize(_Level(-1, Partition.of_all(self.plan.pair), 0.0, is_pruned=False))
        for column in prefix[shared:]:
            level = self._refined(column)
            if len(self._levels) == 1:
                self._localize(level)
            else:
                self._levels.append(level)

    def _refined(self, column: int) -> _Level:
        """Add a column to the last level."""
        parent, plan = self._levels[-1], self.plan
        partition, entropy, is_pruned = parent.partition, 0.0, parent.is_pruned
        if not is_pruned and not partition.is_empty:
            partition = partition.split(
                self._local.column(column),
                self._local.settled,
                self._scratch,
                count_all=plan.count_all,
                keep_matches=plan.keep_matches,
            )
        if plan.entropy is not None and not is_pruned:
            sizes = partition.repeated_sizes()
            entropy = normalized_entropy(sizes, plan.pair.synthetic, plan.entropy.alpha)
            is_pruned = plan.entropy.prunes(entropy - parent.entropy)
        return _Level(column, partition, entropy, is_pruned)

    def _localize(self, level: _Level) -> None:
        """Enter a level of rows of the pair, with a copy of what comes after it."""
        before = -1 if self.plan.needs_all_columns else level.column
        self._local = Local.of(self.plan.pair, level.partition, before, self.settled_now())
        self._levels.append(replace(level, partition=self._local.partition))


AnyWalk = TypeVar("AnyWalk", bound=Walk)


def run_walks(
    plan: Plan,
    new_walk: Callable[[Plan], AnyWalk],
    threads: int | None,
    deadline: float | None,
    report: Callable[[int], None] = lambda _: None,
) -> list[AnyWalk]:
    """Go through the combinations of a plan, with a walk per thread.

    No thread is left when this returns or is interrupted.
    """
    many = max(1, min(threads or threads_for(plan.pair.codes.nbytes), plan.prefixes))
    chunk = max(1, min(plan.prefixes // (many * _CHUNKS_PER_THREAD), _MOST_PER_CHUNK))
    walks = [new_walk(plan) for _ in range(many)]
    report(0)
    running: list[Future[None]] = []
    with ThreadPoolExecutor(many) as pool:
        try:
            running += [pool.submit(walk.run, chunk) for walk in walks]
            while wait(running, _pause(deadline), FIRST_EXCEPTION).not_done:
                if deadline is not None and time.monotonic() >= deadline:
                    break
                if any(each.done() and each.exception() for each in running):
                    break
                report(sum(walk.combinations_done for walk in walks))
        finally:
            # After an interrupt as well: the threads look at the flag all the time.
            plan.stop_flag[0] = 1
    for each in running:
        each.result()
    return walks


def _pause(deadline: float | None) -> float:
    left = math.inf if deadline is None else max(deadline - time.monotonic(), 0.0)
    return min(_LOOK, left)


def finished_walks(
    plan: Plan, new_walk: Callable[[Plan], AnyWalk], threads: int | None, deadline: float | None
) -> list[AnyWalk] | None:
    """Do the same, and return None if the deadline came first."""
    walks = run_walks(plan, new_walk, threads, deadline)
    done = sum(walk.combinations_done for walk in walks)
    return walks if done == plan.combinations else None


def threads_for(codes: int) -> int:
    """Return how many threads may each copy ``codes`` bytes of codes, at most all cores."""
    return min(available_threads(), max(2, _MOST_COPIED // max(codes, 1)))
