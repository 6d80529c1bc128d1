"""Sets of columns: counts of all small ones, and minimal sample uniques.

Minimal sample uniques are the smallest sets of columns on which a row is alone (SUDA). Sets are
looked at in the order of binary numbers, in which every subset comes before the set itself: columns
are added to a set from its lowest one downwards, so that the groups of a set are split from those
of the set without its lowest column. Who is alone leaves the groups: what contains a set on which a
row is alone is not minimal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.system.memory import memory_limit
from petaudit.tables import ClassHistogram, numbered
from petaudit.tables.column_values import codes_of_rows
from petaudit.tables.minimal_uniques import MinimalUniques, minimal_uniques_in_engine
from petaudit.tables.results import Integers
from petaudit.tables.set_counts import SetCounts, count_sets
from petaudit.tables.source import Source

Codes: TypeAlias = npt.NDArray[np.uint32]
Flags: TypeAlias = npt.NDArray[np.bool_]
_AS_GOOD_AS_MORE: Final = 3
_AT_REST: Final = 340_000_000
"""Python and the libraries."""
_CELL: Final = 12
_LEVEL: Final = 12
"""The groups of a set of columns, which wait while lower columns are added."""
_ROW: Final = 250
"""What is counted for each part of a group: there may be several parts per row."""
_DENSE: Final = 8
"""Up to so many combinations of a group and a code per row, counting them all is fastest."""


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


@dataclass(frozen=True)
class SpecialUniques:
    """What is known of the rows of a table, and of its sets of columns."""

    special: Flags
    """Rows that are alone on all columns but one, and so on a smaller set, too."""
    sets: tuple[tuple[int, ...], ...]
    """The sets of columns on which a row is alone and on no subset; not empty, none twice."""
    rows_of_set: Integers
    """For how many rows each of them is such a set."""
    scores: npt.NDArray[np.float64]
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


def need_of_special(rows: int, alone: int, columns: int, up_to: int) -> int:
    """The most memory that finding the minimal sets of up to ``up_to`` columns takes.

    There is a bit for each row that is ``alone`` on all columns and each set that can be larger.

    >>> [round(need_of_special(5_000_000, 4_900_000, 8, up_to) / 1e9, 1) for up_to in (1, 2, 8)]
    [2.2, 2.3, 2.8]
    """
    most = min(up_to, columns)
    sets = sum(math.comb(columns, size) for size in range(1, most))
    of_row = _CELL * columns + _LEVEL * (most + 1) + _ROW
    return _AT_REST + rows * of_row + alone * sets // 8


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


@dataclass(frozen=True)
class _Groups:
    """Rows that have the same values as others in some columns; who is alone has left."""

    rows: npt.NDArray[np.int32]
    groups: Integers
    """The number of the group of each of these rows."""
    sizes: Integers
    """How many rows each group has."""

    @classmethod
    def of_all(cls, rows: int) -> _Groups:
        """All rows agree on no columns."""
        return cls(np.arange(rows, dtype=np.int32), np.zeros(rows, np.int64), np.array([rows]))

    def counted(self, column: Codes) -> tuple[Integers, Integers]:
        """The part of its group that each row is in by one more column, and their sizes."""
        codes = column[self.rows]
        width = int(codes.max(initial=0)) + 1
        parts = self.groups * width + codes
        if len(self.sizes) * width > _DENSE * len(parts):
            parts = numbered(parts)
        return parts, np.bincount(parts)

    def split(self, column: Codes, wanted: Flags | None = None) -> _Groups:
        """Groups by one more column, or only those with rows that are wanted."""
        parts, sizes = self.counted(column)
        stays = sizes > 1
        if wanted is not None:
            stays &= np.bincount(parts[wanted[self.rows]], minlength=len(sizes)) > 0
        kept = stays[parts]
        numbers = np.cumsum(stays) - 1
        return _Groups(self.rows[kept], numbers[parts[kept]], sizes[stays])

    def alone(self, wanted: Flags) -> Flags:
        """Which of the wanted rows have left."""
        alone = wanted.copy()
        alone[self.rows] = False
        return alone


def _ordered(codes: Codes) -> tuple[list[int], Codes]:
    """Columns with many values last: half of all sets have the last one, and few rows are left."""
    order = sorted(range(len(codes)), key=lambda column: int(codes[column].max(initial=0)))
    return order, codes[order]


def count_all_sets(codes: Codes, up_to: int) -> list[SetCounts]:
    """Count the classes of all sets of columns, small sets first; a row of codes per column.

    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 0]], np.uint32)
    >>> [(each.columns, each.classes, each.equal_pairs) for each in count_all_sets(codes, 2)]
    [((0,), 2, 2), ((1,), 2, 3), ((0, 1), 3, 1)]
    """
    rows = codes.shape[1]
    order, codes = _ordered(codes)

    def split(groups: _Groups, columns: tuple[int, ...]) -> Iterator[SetCounts]:
        for column in range(columns[-1] if columns else len(codes)):
            more = (*columns, column)
            _, sizes = groups.counted(codes[column])
            shared = sizes[sizes > 1]
            yield SetCounts(
                tuple(sorted(order[place] for place in more)),
                rows,
                # All other rows are alone.
                rows - int(shared.sum()) + len(shared),
                int((shared * (shared - 1) // 2).sum()),
            )
            if len(more) < up_to and column:
                yield from split(groups.split(codes[column]), more)

    counts = split(_Groups.of_all(rows), ())
    return sorted(counts, key=lambda each: (len(each.columns), each.columns))


def find_special(codes: Codes, up_to: int) -> SpecialUniques:
    """Find all minimal sets of up to ``up_to`` columns, a row of codes per column.

    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 0]], np.uint32)
    >>> uniques = find_special(codes, 2)
    >>> uniques.sets, uniques.rows_of_set.tolist(), uniques.special.tolist()
    (((1,), (0, 1)), [1, 1], [False, True, False, False])
    """
    order, codes = _ordered(codes)
    columns, rows = codes.shape
    every = _Groups.of_all(rows)
    unique = reduce(_Groups.split, codes, every).alone(np.ones(rows, bool))
    special = np.zeros(rows, bool)
    if unique.any() and columns > 1:
        for groups in _without_one(every, codes, unique):
            special |= groups.alone(unique)
    search = _Search(codes, min(up_to, columns), unique)
    if unique.any():
        search.add_lower(every, ())
    return SpecialUniques(
        special,
        tuple(tuple(sorted(order[place] for place in each)) for each in search.rows_of_set),
        np.array([*search.rows_of_set.values()], np.int64),
        search.scores,
    )


def _without_one(groups: _Groups, codes: Codes, wanted: Flags) -> Iterator[_Groups]:
    """The groups by all columns but one, for each of these columns."""
    if len(codes) == 1:
        yield groups
        return
    half = len(codes) // 2
    for kept, added in ((codes[:half], codes[half:]), (codes[half:], codes[:half])):
        split = reduce(lambda coarse, column: coarse.split(column, wanted), added, groups)
        yield from _without_one(split, kept, wanted)


@dataclass
class _Search:
    """The minimal sets that are known so far."""

    codes: Codes
    up_to: int
    unique: Flags
    """Rows that are alone on all columns: no other row is on fewer."""
    rows_of_set: dict[tuple[int, ...], int] = field(default_factory=dict)
    _alone: dict[tuple[int, ...], npt.NDArray[np.uint8]] = field(default_factory=dict)
    """Which unique rows are alone on a set of columns, eight to a byte; without sets on which, by
    fewer columns, all of them are."""

    def __post_init__(self) -> None:
        self.scores = np.zeros(len(self.unique))
        self._places = np.cumsum(self.unique) - 1

    def add_lower(self, groups: _Groups, columns: tuple[int, ...]) -> None:
        """Look at all sets that add lower columns to these."""
        for column in range(columns[-1] if columns else len(self.codes)):
            more = (*columns, column)
            parts, sizes = groups.counted(self.codes[column])
            self._note(groups.rows[sizes[parts] == 1], more)
            if len(more) < self.up_to:
                finer = groups.split(self.codes[column], self.unique)
                self._alone[more] = np.packbits(
                    finer.alone(self.unique)[self.unique], bitorder="little"
                )
                if len(finer.rows):
                    self.add_lower(finer, more)

    def _note(self, rows: npt.NDArray[np.int32], columns: tuple[int, ...]) -> None:
        """Note which of these rows, alone on a set and not without its last column, need it all."""
        for place in range(len(columns) - 1):
            smaller = self._alone.get(columns[:place] + columns[place + 1 :])
            if smaller is None:
                return
            at = self._places[rows]
            rows = rows[smaller[at >> 3] >> (at & 7).astype(np.uint8) & 1 == 0]
        if len(rows):
            self.rows_of_set[columns] = len(rows)
            self.scores[rows] += set_score(len(columns), len(self.codes), self.up_to)
