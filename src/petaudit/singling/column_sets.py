"""Sets of columns: counts of all small ones, and minimal sample uniques.

Minimal sample uniques are the smallest sets of columns on which a row is alone (SUDA). Sets are
looked at in the order of binary numbers, in which every subset comes before the set itself: columns
are added to a set from its lowest one downwards, so that the partition of a set is refined from
that of the set without its lowest column. Groups of one row leave the partition: what contains a
set on which a row is alone is not minimal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from petaudit.singling.kernels import Bytes, Codes, Floats, Indices, Words, note_minimal
from petaudit.singling.partition import Local, Pair, Partition, bits_of, words_for
from petaudit.singling.strategy import need_of_special
from petaudit.system.memory import memory_limit
from petaudit.tables import ClassHistogram
from petaudit.tables.column_values import codes_of_rows
from petaudit.tables.minimal_uniques import MinimalUniques, minimal_uniques_in_engine
from petaudit.tables.set_counts import SetCounts, count_sets
from petaudit.tables.source import Source

Flags = npt.NDArray[np.bool_]
_AS_GOOD_AS_MORE = 3


def sets_of_columns(
    source: Source,
    columns: Sequence[str],
    up_to: int,
    *,
    with_suppressed: bool = True,
    person: str | None = None,
) -> list[SetCounts]:
    """Count the classes of all sets of up to ``up_to`` columns, small sets first."""
    counts = source.counts
    need = need_of_special(source.rows, 0, len(columns), up_to)
    if person is None and counts.is_on_spark and need <= memory_limit():
        hashed = counts.hashed_classes(columns)
        if hashed is not None:
            codes, sizes, marked = hashed
            kept = with_suppressed | ~marked
            return count_all_sets(np.repeat(codes[:, kept], sizes[kept], axis=1), up_to)
    # Frames that are in memory already have no other way.
    is_small = need <= memory_limit() or counts.load is None
    if person is None and is_small and not counts.is_remote:
        codes = codes_of_rows(source, columns, with_suppressed=with_suppressed)
        return count_all_sets(codes, up_to)
    sets = [
        places
        for size in range(1, up_to + 1)
        for places in itertools.combinations(range(len(columns)), size)
    ]
    return count_sets(counts, columns, sets, with_suppressed=with_suppressed, person=person)


def count_all_sets(codes: Codes, up_to: int) -> list[SetCounts]:
    """Count the classes of all sets of columns, small sets first; a row of codes per column.

    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 0]], np.uint32)
    >>> [(each.columns, each.classes, each.equal_pairs) for each in count_all_sets(codes, 2)]
    [((0,), 2, 2), ((1,), 2, 3), ((0, 1), 3, 1)]
    """
    # Rows that are alone leave a partition, so columns with many values come first.
    order = sorted(range(len(codes)), key=lambda column: -int(codes[column].max(initial=0)))
    pair = Pair(np.ascontiguousarray(codes[order]), codes.shape[1])
    scratch, settled = pair.new_scratch(), np.ones(pair.rows, np.uint8)

    def refined(partition: Partition, columns: tuple[int, ...]) -> Iterator[SetCounts]:
        for column in range(columns[-1] + 1 if columns else 0, pair.columns):
            more = (*columns, column)
            shared = partition.repeated_sizes_with(pair.codes[column], scratch)
            yield SetCounts(
                tuple(sorted(order[place] for place in more)),
                pair.rows,
                # All other rows are alone.
                pair.rows - int(shared.sum()) + len(shared),
                int((shared * (shared - 1) // 2).sum()),
            )
            if len(more) < up_to and column + 1 < pair.columns:
                finer = partition.split(pair.codes[column], settled, scratch, count_all=True)
                yield from refined(finer, more)

    counts = refined(Partition.of_all(pair), ())
    return sorted(counts, key=lambda each: (len(each.columns), each.columns))


@dataclass(frozen=True)
class SpecialUniques:
    """What is known of the rows of a table, and of its sets of columns."""

    special: Flags
    """Rows that are alone on all columns but one, and so on a smaller set, too."""
    sets: tuple[tuple[int, ...], ...]
    """The sets of columns on which a row is alone and on no subset; not empty, none twice."""
    rows_of_set: Indices
    """For how many rows each of them is such a set."""
    scores: Floats
    """The score of each row: the sum over its sets."""

    def counted(self) -> MinimalUniques:
        """The same without single rows.

        >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 0]], np.uint32)
        >>> uniques = find_special(codes, 2).counted()
        >>> uniques.special, uniques.scores.tolist(), uniques.rows_of_score.tolist()
        (1, [1.0], [2])
        """
        scores, rows = np.unique(self.scores[self.scores > 0], return_counts=True)
        return MinimalUniques(int(self.special.sum()), self.sets, self.rows_of_set, scores, rows)


def set_score(size: int, columns: int, up_to: int) -> int:
    """The score of a minimal set: in how many ways columns can be added to it one by one.

    Elliot, Manning and Ford 2002: the product of (columns - i) for i from the size to below the
    largest size that is looked for, at most all columns but one.

    >>> [set_score(size, 4, 4) for size in (1, 2, 3, 4)]
    [6, 2, 1, 1]
    """
    return math.prod(columns - i for i in range(size, min(up_to, columns - 1)))


def minimal_uniques(
    source: Source,
    columns: Sequence[str],
    up_to: int,
    histogram: ClassHistogram,
    *,
    with_suppressed: bool,
    person: str | None = None,
) -> MinimalUniques:
    """Find all minimal sets of up to ``up_to`` columns, in memory or where the rows are."""
    counts = source.counts
    if histogram.sizes[0] > 1:
        # Where nobody is alone on all columns, nobody is on fewer.
        return MinimalUniques.none()
    rows = min(histogram.rows, _AS_GOOD_AS_MORE * int(histogram.classes.sum()))
    need = need_of_special(rows, int(histogram.classes[0]), len(columns), up_to)
    # Frames that are in memory already have no other way. Whose rows they are, only engines ask.
    fits = need <= memory_limit()
    if person is None and fits and counts.is_on_spark:
        hashed = counts.hashed_classes(columns)
        if hashed is not None:
            codes, sizes, marked = hashed
            times = np.minimum(sizes, _AS_GOOD_AS_MORE) * (with_suppressed | ~marked)
            return find_special(np.repeat(codes, times, axis=1), up_to).counted()
    is_small = fits or counts.load is None
    if person is None and is_small and not counts.is_remote:
        codes = _codes(source, columns, histogram, with_suppressed=with_suppressed)
        return find_special(codes, up_to).counted()
    return minimal_uniques_in_engine(
        counts,
        columns,
        up_to,
        lambda size: set_score(size, len(columns), up_to),
        with_suppressed=with_suppressed,
        person=person,
    )


def _codes(
    source: Source, columns: Sequence[str], histogram: ClassHistogram, *, with_suppressed: bool
) -> Codes:
    """Return a row of codes per column; of many equal rows, three stand for all of them.

    Only who is alone, in a pair, or neither makes a difference.
    """
    if 2 * int(histogram.classes.sum()) >= histogram.rows:
        return codes_of_rows(source, columns, with_suppressed=with_suppressed)
    classes = source.counts.coded_classes(columns)
    kept = classes.sizes > 0 if with_suppressed else ~classes.is_suppressed
    times = np.minimum(classes.sizes[kept], _AS_GOOD_AS_MORE)
    return np.array([np.repeat(codes[kept], times) for codes in classes.codes], np.uint32)


def find_special(codes: Codes, up_to: int) -> SpecialUniques:
    """Find all minimal sets of up to ``up_to`` columns, a row of codes per column.

    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 0]], np.uint32)
    >>> uniques = find_special(codes, 2)
    >>> uniques.sets, uniques.rows_of_set.tolist(), uniques.special.tolist()
    (((1,), (0, 1)), [1, 1], [False, True, False, False])
    """
    order = sorted(range(len(codes)), key=lambda column: int(codes[column].max(initial=0)))
    # Columns with many values last: half of all sets have the last one, and few rows are left.
    pair = Pair(np.ascontiguousarray(codes[order]), codes.shape[1])
    search = _Search(pair, up_to)
    has_unique_row, special = search.leave_one_out()
    if has_unique_row:
        search.run()
    return SpecialUniques(
        special,
        tuple(tuple(sorted(order[column] for column in columns)) for columns in search.sets),
        search.rows_of_set,
        search.scores,
    )


class _Search:
    """The state of one search."""

    def __init__(self, pair: Pair, up_to: int) -> None:
        self.pair = pair
        self.up_to = min(up_to, pair.columns)
        self.sets: list[tuple[int, ...]] = []
        self.scores: Floats = np.zeros(pair.rows, np.float64)
        self._settled: Bytes = np.ones(pair.rows, np.uint8)
        self._scratch = pair.new_scratch()
        self._alone = np.empty(pair.rows, np.uint32)
        self._known: Words = np.zeros((64, words_for(pair.columns)), np.uint64)
        self._latest: Indices = np.full(pair.rows, -1, np.int64)
        self._chain: Indices = np.zeros((2, 1024), np.int64)
        self._links = 0

    @property
    def rows_of_set(self) -> Indices:
        """For how many rows each set was found."""
        return np.bincount(self._chain[0, : self._links], minlength=len(self.sets))

    def leave_one_out(self) -> tuple[bool, Flags]:
        """Whether somebody is alone on all columns, and who is still without one of them."""
        special = np.zeros(self.pair.rows, bool)
        last = Partition.of_all(self.pair)
        waiting = [(last, 0, self.pair.columns)]
        while waiting:
            # Refined by all columns but those from first to below stop.
            partition, first, stop = waiting.pop()
            if stop - first == 1:
                special |= self._is_alone(partition) & (self.pair.columns > 1)
                last = self._split(partition, self.pair.codes[first])
                continue
            middle = (first + stop) // 2
            for kept, added in (
                ((first, middle), (middle, stop)),
                ((middle, stop), (first, middle)),
            ):
                refined = partition
                for column in reversed(range(*added)):
                    refined = self._split(refined, self.pair.codes[column])
                waiting.append((refined, *kept))
        return bool(self._is_alone(last).any()), special

    def run(self) -> None:
        """Look at all sets."""
        everybody = np.arange(self.pair.rows, dtype=np.uint32)
        all_rows = Partition.of_all(self.pair)
        for column, codes in enumerate(self.pair.codes):
            self._note(all_rows, codes, everybody, (column,))
            if column and self.up_to > 1:
                partition = self._split(all_rows, codes)
                lower = Pair(self.pair.codes[:column], self.pair.rows)
                local = Local.of(lower, partition, -1, self._settled)
                self._refine(local, local.partition, (column,))

    def _split(self, partition: Partition, codes: Codes) -> Partition:
        return partition.split(codes, self._settled, self._scratch, count_all=True)

    def _refine(self, local: Local, partition: Partition, columns: tuple[int, ...]) -> None:
        """Look at all sets that add lower columns to these."""
        for column in range(columns[-1] if not partition.is_empty else 0):
            more = (*columns, column)
            codes = local.column(column)
            self._note(partition, codes, local.origin, more)
            if column and len(more) < self.up_to:
                self._refine(local, self._split(partition, codes), more)

    def _note(
        self,
        partition: Partition,
        codes: Codes,
        origin: npt.NDArray[np.uint32],
        columns: tuple[int, ...],
    ) -> None:
        number = len(self.sets)
        if number == len(self._known):
            self._known = np.concatenate([self._known, np.zeros_like(self._known)])
        if self._links + len(partition.rows) > self._chain.shape[1]:
            more = max(self._chain.shape[1], len(partition.rows))
            self._chain = np.concatenate([self._chain, np.zeros((2, more), np.int64)], axis=1)
        bits = self._known[number]
        bits[:] = bits_of(columns, len(bits))
        score = set_score(len(columns), self.pair.columns, self.up_to)
        links = note_minimal(
            partition.rows, partition.starts, codes, origin, bits, self._known, number,
            self._latest, self._chain[0], self._chain[1], self._links, float(score), self.scores,
            self._scratch, self._alone,
        )  # fmt: skip
        if links > self._links:
            self._links = links
            self.sets.append(columns)

    def _is_alone(self, partition: Partition) -> Flags:
        """Rows that have left a partition."""
        alone = np.ones(self.pair.rows, bool)
        alone[partition.rows] = False
        return alone
