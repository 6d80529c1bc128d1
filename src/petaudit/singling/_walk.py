"""One thread's walk through the combinations of one size."""

from __future__ import annotations

import itertools
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from petaudit.singling._arrays import Bytes, Floats, Indices
from petaudit.singling._entropy import PAIRS_ALPHA, normalized_entropy
from petaudit.singling._partition import Local, Pair, Partition

_TIE = 1e-12


@dataclass(frozen=True)
class EntropyRule:
    """How entropy is measured, and the gain below which a combination is pruned."""

    alpha: float
    smallest_gain: float

    @property
    def is_default(self) -> bool:
        """Whether counting pairs tells the entropy, and nothing is pruned by it."""
        return self.alpha == PAIRS_ALPHA and self.smallest_gain == 0

    def prunes(self, gain: float) -> bool:
        """Whether the gain is too small; a tie is not, whatever the last digit says."""
        return self.smallest_gain > 0 and gain < self.smallest_gain - _TIE

    def pruned(self, gains: Floats) -> npt.NDArray[np.bool_]:
        """The same for several gains."""
        return np.array([self.prunes(gain) for gain in gains.tolist()], bool)


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
    needs_all_columns: bool = False
    """Whether columns before the first one of a prefix are looked at as well."""
    _waiting: Iterator[tuple[int, tuple[int, ...], int]] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_waiting", self._prefixes())

    @property
    def prefix_columns(self) -> int:
        """How many columns prefixes are made of: no later column follows the last one."""
        return self.pair.columns - (0 if self.needs_all_columns else 1)

    @property
    def prefixes(self) -> int:
        """How many prefixes there are."""
        return math.comb(self.prefix_columns, self.size - 1)

    def take(self, most: int) -> list[tuple[int, tuple[int, ...], int]]:
        """The next prefixes in order, each with its number and the number of its first child."""
        with self._lock:
            return list(itertools.islice(self._waiting, most))

    def _prefixes(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        last = self.pair.columns - 1
        first_child = 0
        every = itertools.combinations(range(self.prefix_columns), self.size - 1)
        for number, prefix in enumerate(every):
            yield number, prefix, first_child
            first_child += last - (prefix[-1] if prefix else -1)


@dataclass(frozen=True)
class _Level:
    column: int
    partition: Partition
    entropy: float
    is_pruned: bool


class Walk(ABC):
    """A thread's own state: the partitions of the prefix that it is at."""

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

    @abstractmethod
    def settled_now(self) -> Bytes:
        """Rows that need not be followed any more."""

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
        """The entropy of each child of the current prefix."""
        rule, local, partition = self.plan.entropy, self._local, self._levels[-1].partition
        assert rule is not None and local is not None  # noqa: S101, PT018
        rows = self.plan.pair.synthetic
        return np.array(
            [
                normalized_entropy(
                    partition.repeated_sizes_with(local.column(child), self._scratch),
                    rows,
                    rule.alpha,
                )
                for child in children.tolist()
            ]
        )

    def kept_children(self, children: Indices) -> Indices:
        """The children of the current prefix that are not pruned."""
        rule, level = self.plan.entropy, self._levels[-1]
        if level.is_pruned:
            return children[:0]
        if rule is None or not rule.smallest_gain:
            return children
        return children[~rule.pruned(self.entropies_with(children) - level.entropy)]

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
        settled = self.settled_now()
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
        before = -1 if self.plan.needs_all_columns else column
        local = Local.of(self.plan.pair, level.partition, before, self.settled_now())
        self._local = local
        self._levels[-1] = _Level(level.column, local.partition, level.entropy, level.is_pruned)
