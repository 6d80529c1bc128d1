"""Counts of all sets of few columns: by partitions of the rows in memory, or by the engine."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from petaudit.singling._arrays import Codes
from petaudit.singling._partition import Pair, Partition
from petaudit.singling.memory_need import need_of_special
from petaudit.system.memory import memory_limit
from petaudit.tables.column_values import codes_of_rows
from petaudit.tables.set_counts import SetCounts, count_sets
from petaudit.tables.source import Source


def sets_of_columns(
    source: Source,
    columns: Sequence[str],
    up_to: int,
    *,
    with_suppressed: bool = True,
    person: str | None = None,
) -> list[SetCounts]:
    """Count by all sets of up to so many columns, small sets first."""
    counts = source.counts
    if person is None and not counts.is_remote:
        # Frames that are in memory already have no other way.
        need = need_of_special(source.rows, 0, len(columns), up_to)
        if need <= memory_limit() or counts.load is None:
            codes = codes_of_rows(source, columns, with_suppressed=with_suppressed)
            return count_all_sets(codes, up_to)
    sets = [
        places
        for size in range(1, up_to + 1)
        for places in itertools.combinations(range(len(columns)), size)
    ]
    return count_sets(counts, columns, sets, with_suppressed=with_suppressed, person=person)


def count_all_sets(codes: Codes, up_to: int) -> list[SetCounts]:
    """Count by all sets of up to so many columns, small sets first; a line of codes per column.

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

    counts = refined(Partition.whole(pair), ())
    return sorted(counts, key=lambda each: (len(each.columns), each.columns))
