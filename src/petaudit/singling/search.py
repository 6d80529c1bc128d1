"""The search: which synthetic rows single out exactly one target row, with how few columns."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from petaudit.singling._arrays import Bytes
from petaudit.singling._counting import NEVER, CountingWalk, Seen
from petaudit.singling._partition import Pair
from petaudit.singling._walk import EntropyRule, Plan, Walk
from petaudit.singling.size_findings import IdentifiedRows, SizeFindings

AnyWalk = TypeVar("AnyWalk", bound=Walk)

_LOOK = 0.1
_MOST_PER_CHUNK = 64
_CHUNKS_PER_THREAD = 16
_MOST_COPIED = 512 << 20


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    size: int
    """The number of columns that is being combined."""
    sizes: tuple[int, ...]
    done: int
    """Combinations of this size that were looked at."""
    total: int
    all_done: int
    """Combinations of all sizes that were looked at."""
    all_total: int


def progress_of(
    size: int, sizes: tuple[int, ...], columns: int, tell: Callable[[Progress], object] | None
) -> Callable[[int], None]:
    """What reports how many combinations of a size were looked at."""
    totals = [math.comb(columns, own) for own in sizes]
    before = sum(totals[: sizes.index(size)])
    own = math.comb(columns, size)

    def report(done: int) -> None:
        if tell is not None:
            tell(Progress(size, sizes, done, own, before + done, sum(totals)))

    return report


@dataclass
class Search:
    """A search over the given sizes; iterating gives the findings size by size.

    Stopping between any two of them, or in the middle of one, leaves what was found valid: the
    combinations that were looked at are always the first ones in order.
    """

    pair: Pair
    sizes: Sequence[int]
    count_all: bool = True
    """Whether rows that cannot be identified are followed too, for the figures of the tree."""
    entropy: EntropyRule | None = None
    threads: int | None = None
    deadline: float | None = None
    """When to stop, by the monotonic clock."""
    progress: Callable[[Progress], object] | None = None
    settled: Bytes = field(init=False)

    def __post_init__(self) -> None:
        self.settled = np.zeros(self.pair.synthetic, np.uint8)

    def __iter__(self) -> Iterator[SizeFindings]:
        columns = self.pair.columns
        sizes = tuple(size for size in self.sizes if size <= columns)
        for size in sizes:
            if not self.count_all and self.settled.all():
                return

            found = self._one_size(size, progress_of(size, sizes, columns, self.progress))
            assert found.listed is not None  # noqa: S101 (see below)
            self.settled[found.listed.rows] = 1
            yield found
            if not found.is_complete:
                return

    def _one_size(self, size: int, report: Callable[[int], None]) -> SizeFindings:
        stop_flag = np.zeros(1, np.uint8)
        plan = Plan(
            self.pair,
            size,
            self.settled.copy(),
            self.count_all,
            self.entropy,
            stop_flag,
            keep_matches=not set(range(1, size)) <= set(self.sizes),
        )
        walks = run_walks(plan, CountingWalk, self.threads, self.deadline, report)
        found = _merged(walks, size, self.pair)
        if found.is_complete:
            report(len(found.repeated))
        return found


def run_walks(
    plan: Plan,
    new_walk: Callable[[Plan], AnyWalk],
    threads: int | None,
    deadline: float | None,
    report: Callable[[int], None] = lambda _: None,
) -> list[AnyWalk]:
    """Go through the combinations of a plan, with a walk per thread."""
    many = max(1, min(threads or sensible_threads(plan.pair), plan.prefixes))
    chunk = max(1, min(plan.prefixes // (many * _CHUNKS_PER_THREAD), _MOST_PER_CHUNK))
    walks = [new_walk(plan) for _ in range(many)]
    report(0)
    _run_together(walks, chunk, plan.stop_flag, deadline, report)
    return walks


def sensible_threads(pair: Pair) -> int:
    """All cores, or as many as may have a copy of the codes each without using up the memory."""
    return threads_for(pair.codes.nbytes)


def threads_for(codes: int) -> int:
    """The same for so many bytes of codes."""
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


def _merged(walks: Sequence[CountingWalk], size: int, pair: Pair) -> SizeFindings:
    """Put together what the threads found, up to the first prefix that nobody finished."""
    by_number = {seen.number: seen for walk in walks for seen in walk.seen}
    seen: list[Seen] = []
    while len(seen) in by_number:
        seen.append(by_number[len(seen)])
    repeated = _concatenated([own.repeated for own in seen], np.int64)
    first, target = walks[0].first, walks[0].target
    for walk in walks[1:]:
        target = np.where(walk.first < first, walk.target, target)
        first = np.minimum(first, walk.first)
    rows = np.flatnonzero(first < min(len(repeated), NEVER)).astype(np.uint32)
    rows = rows[np.argsort(first[rows], kind="stable")]
    has_entropy = bool(seen) and seen[0].entropy is not None
    return SizeFindings(
        size,
        repeated,
        np.bincount(first[rows], minlength=len(repeated)).astype(np.int64),
        len(repeated) == math.comb(pair.columns, size),
        _concatenated([own.entropy for own in seen], np.float64) if has_entropy else None,
        _concatenated([own.gain for own in seen], np.float64) if has_entropy else None,
        IdentifiedRows(rows, first[rows], target[rows] - np.uint32(pair.synthetic)),
    )


def _concatenated(parts: Sequence[object], dtype: type) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)  # type: ignore[arg-type]
