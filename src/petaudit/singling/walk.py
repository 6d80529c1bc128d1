"""Walks through the combinations of one size, one per thread."""

from __future__ import annotations

import itertools
import math
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from petaudit.singling.entropy import EntropyRule, normalized_entropy
from petaudit.singling.kernels import Bytes, Floats, Indices
from petaudit.singling.partition import Local, Pair, Partition

_LOOK = 0.1
_MOST_PER_CHUNK = 64
_CHUNKS_PER_THREAD = 16
_MOST_COPIED = 512 << 20


@dataclass(frozen=True)
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
    stop_flag: Bytes = field(default_factory=lambda: np.zeros(1, np.uint8))
    _waiting: Iterator[tuple[int, tuple[int, ...], int]] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_waiting", self._prefixes())

    @property
    def combinations(self) -> int:
        """How many combinations there are."""
        return math.comb(self.pair.columns, self.size)

    @property
    def prefix_columns(self) -> int:
        """How many columns prefixes are made of: no later column follows the last one."""
        return self.pair.columns - (0 if self.needs_all_columns else 1)

    @property
    def prefixes(self) -> int:
        """How many prefixes there are."""
        return math.comb(self.prefix_columns, self.size - 1)

    def take(self, most: int) -> list[tuple[int, tuple[int, ...], int]]:
        """Take the next prefixes in order, each with its number and that of its first child."""
        with self._lock:
            return list(itertools.islice(self._waiting, most))

    def _prefixes(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        last = self.pair.columns - 1
        first_child = 0
        prefixes = itertools.combinations(range(self.prefix_columns), self.size - 1)
        for number, prefix in enumerate(prefixes):
            yield number, prefix, first_child
            first_child += last - (prefix[-1] if prefix else -1)


@dataclass(frozen=True)
class _Level:
    column: int
    partition: Partition
    entropy: float
    is_pruned: bool


class Walk(ABC):
    """The state of one thread: the partitions of the prefix that it is at."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.combinations_done = 0
        self._scratch = plan.pair.new_scratch()
        self._levels: list[_Level] = []
        self._local: Local | None = None

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
        rule, local, partition = self.plan.entropy, self._local, self._levels[-1].partition
        assert rule is not None and local is not None  # noqa: S101, PT018
        sizes = (
            partition.repeated_sizes_with(local.column(child), self._scratch)
            for child in children.tolist()
        )
        rows = self.plan.pair.synthetic
        return np.array([normalized_entropy(repeated, rows, rule.alpha) for repeated in sizes])

    def _go_to(self, prefix: tuple[int, ...]) -> None:
        """Keep the levels that the prefix shares with the one before, and build the others."""
        if not self._levels:
            self._levels.append(_Level(-1, Partition.whole(self.plan.pair), 0.0, is_pruned=False))
        shared = 0
        while (
            shared < len(prefix)
            and shared + 1 < len(self._levels)
            and self._levels[shared + 1].column == prefix[shared]
        ):
            shared += 1
        del self._levels[shared + 1 :]
        if not prefix and self._local is None:
            self._localize(-1)
        for column in prefix[shared:]:
            self._add(column)

    def _add(self, column: int) -> None:
        parent, plan, local = self._levels[-1], self.plan, self._local
        partition = parent.partition
        is_first = len(self._levels) == 1
        if is_first or local is None:
            codes, settled = plan.pair.codes[column], self.settled_now()
        else:
            codes, settled = local.column(column), local.settled
        if not parent.is_pruned and not partition.is_empty:
            partition = partition.split(
                codes,
                settled,
                self._scratch,
                count_all=plan.count_all,
                keep_matches=plan.keep_matches,
            )
        entropy, is_pruned = 0.0, parent.is_pruned
        if plan.entropy is not None and not is_pruned:
            sizes = partition.repeated_sizes()
            entropy = normalized_entropy(sizes, plan.pair.synthetic, plan.entropy.alpha)
            is_pruned = plan.entropy.prunes(entropy - parent.entropy)
        self._levels.append(_Level(column, partition, entropy, is_pruned))
        if is_first:
            self._localize(column)

    def _localize(self, column: int) -> None:
        level = self._levels[-1]
        self._local = None  # before the next one is made: both would not fit
        before = -1 if self.plan.needs_all_columns else column
        local = Local.of(self.plan.pair, level.partition, before, self.settled_now())
        self._local = local
        self._levels[-1] = _Level(level.column, local.partition, level.entropy, level.is_pruned)


AnyWalk = TypeVar("AnyWalk", bound=Walk)


def run_walks(
    plan: Plan,
    new_walk: Callable[[Plan], AnyWalk],
    threads: int | None,
    deadline: float | None,
    report: Callable[[int], None] = lambda _: None,
) -> list[AnyWalk]:
    """Go through the combinations of a plan, with a walk per thread."""
    many = max(1, min(threads or threads_for(plan.pair.codes.nbytes), plan.prefixes))
    chunk = max(1, min(plan.prefixes // (many * _CHUNKS_PER_THREAD), _MOST_PER_CHUNK))
    walks = [new_walk(plan) for _ in range(many)]
    report(0)
    _run_together(walks, chunk, plan.stop_flag, deadline, report)
    return walks


def finished_walks(
    plan: Plan, new_walk: Callable[[Plan], AnyWalk], threads: int | None, deadline: float | None
) -> list[AnyWalk] | None:
    """Do the same, and return None if the deadline came first."""
    walks = run_walks(plan, new_walk, threads, deadline)
    done = sum(walk.combinations_done for walk in walks)
    return walks if done == plan.combinations else None


def threads_for(codes: int) -> int:
    """Return how many threads may have a copy of so many bytes of codes each, at most all cores."""
    return min(available_threads(), max(2, _MOST_COPIED // max(codes, 1)))


def available_threads() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_together(
    walks: Sequence[Walk],
    chunk: int,
    stop_flag: Bytes,
    deadline: float | None,
    report: Callable[[int], None],
) -> None:
    """Run each walk in a thread of its own; none is left when this returns or is interrupted."""
    problems: list[BaseException] = []
    left = len(walks)
    lock = threading.Lock()
    finished = threading.Event()

    def run(walk: Walk) -> None:
        nonlocal left
        try:
            walk.run(chunk)
        except BaseException as problem:  # handed to the caller's thread
            problems.append(problem)
            stop_flag[0] = 1
        with lock:
            left -= 1
            if not left:
                finished.set()

    threads = [threading.Thread(target=run, args=(walk,), daemon=True) for walk in walks]
    try:
        for thread in threads:
            thread.start()
        while not finished.wait(_pause(deadline)):
            if deadline is not None and time.monotonic() >= deadline:
                stop_flag[0] = 1
                finished.wait()
                break
            report(sum(walk.combinations_done for walk in walks))
    finally:
        # After an interrupt as well: the threads look at the flag all the time.
        if not finished.is_set():
            stop_flag[0] = 1
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    if problems:
        raise problems[0]


def _pause(deadline: float | None) -> float:
    if deadline is None:
        return _LOOK
    return min(_LOOK, max(deadline - time.monotonic(), 0.0))
