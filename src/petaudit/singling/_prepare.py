"""From encoded tables to what the search works on: columns in order, duplicates removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from petaudit.errors import Phrase
from petaudit.singling._arrays import Bytes, Codes, Indices, Rows
from petaudit.singling._partition import Pair, Partition
from petaudit.singling.common_values import ColumnUse, doubts_about
from petaudit.singling.control_overlap import Overlap, overlap_of
from petaudit.singling.size_findings import SizeFindings
from petaudit.tables.joint import JointColumn, JointTables
from petaudit.tables.joint.store import LISTED_AT_ONCE, Exposed, Listed

SYNTHETIC, ORIGINAL, CONTROL = range(3)
"""The place of each table among the encoded ones."""


@dataclass(frozen=True)
class Compared:
    """Synthetic rows, people of the original, and strangers, in this order."""

    pair: Pair
    first_stranger: int
    places: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
    """Where each of the original's people, and each stranger, stands in the pair."""

    def count(self, exposed: Bytes) -> Exposed:
        """How many of them are exposed."""
        people, strangers = (exposed[places] for places in self.places)
        return Exposed(
            int(np.count_nonzero(people & 1)),
            int(np.count_nonzero(people == 2)),
            int(np.count_nonzero(strangers & 1)),
            int(np.count_nonzero(strangers == 2)),
        )


@dataclass(frozen=True)
class Prepared:
    """Two or three tables in search order."""

    columns: tuple[str, ...]
    pair: Pair
    """The synthetic rows and those of the original, without duplicates."""
    kept: tuple[Rows, ...]
    """The rows of each table that are no duplicates of an earlier one."""
    removed: tuple[int, ...]
    """How many duplicates there were."""
    distinct: tuple[int, ...]
    """How many values the original has in each column; null is a value."""
    joined: Mapping[str, JointColumn]
    rows: tuple[int, ...]
    """How many rows each table has as it was given."""
    first_rows: tuple[Rows, ...]
    """For each row of each table the first one that is equal to it."""
    who: tuple[Rows | None, ...]
    """The person of each row of each table, where one is named."""
    uses: Mapping[str, ColumnUse]
    """How many cells of each column the synthetic table and the original have in common."""
    everything: Codes | None
    """All rows of all tables, in search order, where there is a control to compare with."""
    merges_equal: bool
    """Whether equal rows are one person."""

    @property
    def entries(self) -> tuple[int, ...]:
        """How many people may be drawn of each table: its rows, or the people that are named."""
        return tuple(
            own if who is None else len(np.unique(who))
            for own, who in zip(self.rows, self.who, strict=True)
        )

    def compared(self, sample: Indices) -> Compared:
        """Some people of the original, and everybody of the control beside them."""
        groups = [
            (SYNTHETIC, self.kept[SYNTHETIC]),
            (ORIGINAL, self._rows_of(ORIGINAL, sample)),
            (CONTROL, self._rows_of(CONTROL, np.arange(self.entries[CONTROL]))),
        ]
        start, size = (len(rows) for _, rows in groups[:2])
        people = np.concatenate([self._codes(*own) for own in groups[1:]], axis=1)
        who = _who([(self.who[own], rows) for own, rows in groups])
        places = np.arange(people.shape[1])
        first_stranger = start + size
        if self.merges_equal:
            # Equal rows are one person, wherever they are: the first stands for all.
            first = first_rows(people)
            is_first = first == places
            people, first_stranger = people[:, is_first], start + int(is_first[:size].sum())
            places = (np.cumsum(is_first) - 1)[first]
        codes = np.concatenate([self.pair.codes[:, :start], people], axis=1)
        inside, outside = np.split(start + places, [size])
        return Compared(Pair(codes, start, who), first_stranger, (inside, outside))

    def _rows_of(self, table: int, people: Indices) -> Rows:
        who, kept = self.who[table], self.kept[table]
        return people.astype(np.uint32) if who is None else kept[np.isin(who[kept], people)]

    def _codes(self, table: int, rows: Rows) -> Codes:
        assert self.everything is not None  # noqa: S101 (a control was given)
        return self.everything[:, sum(self.rows[:table]) + rows.astype(np.int64)]

    @property
    def doubts(self) -> tuple[Phrase, ...]:
        """Why it may say nothing that nobody is singled out."""
        spelled = [name for name in self.columns if self.joined[name].is_spelled_differently]
        return doubts_about(self.uses, spelled)

    @property
    def overlap(self) -> Overlap:
        """How many rows the control has in common with the original."""
        assert self.everything is not None  # noqa: S101 (a control was given)
        both = self.everything[:, self.rows[SYNTHETIC] :]
        return overlap_of(first_rows(both), self.rows[ORIGINAL])

    @property
    def people(self) -> tuple[int, ...]:
        """How many people each table has: rows without duplicates, if no person is named.

        Synthetic rows are counted as rows.
        """
        synthetic, *others = zip(self.kept, self.who, strict=True)
        return (
            len(synthetic[0]),
            *(len(kept) if who is None else len(np.unique(who)) for kept, who in others),
        )

    def listed(self, own: SizeFindings) -> Iterator[Listed]:
        """The rows that a size identifies, so many at a time."""
        found = own.listed
        assert found is not None  # noqa: S101 (found by a search in memory)
        for start in range(0, len(found.rows), LISTED_AT_ONCE):
            some = slice(start, start + LISTED_AT_ONCE)
            rows, targets = found.rows[some], found.targets[some]
            yield Listed(
                rows.astype(np.int64),
                found.combinations[some],
                targets.astype(np.int64),
                self.kept[SYNTHETIC][rows].astype(np.int64),
                self.kept[ORIGINAL][targets].astype(np.int64),
            )

    def value_combos(
        self, found: Listed, combinations: Sequence[Sequence[int]]
    ) -> Iterator[tuple[object, ...]]:
        """The values that identify rows, each in the columns of its combination."""
        return map(self.values, found.rows.tolist(), combinations)

    def values(self, row: int, columns: Sequence[int]) -> tuple[object, ...]:
        """The prepared values of a synthetic row in some columns, by their place in the search."""
        found: list[object] = []
        for column in columns:
            own = self.joined[self.columns[column]]
            code = int(self.pair.codes[column, row])
            found.append(None if code == own.null else own.value(code))
        return tuple(found)


def prepare(tables: JointTables, *, deduplicate: bool) -> Prepared:
    """Sort the columns by their number of distinct synthetic values, and remove duplicates.

    Uses up the codes of the tables: twice of them is more than large tables leave room for.
    """
    starts = np.cumsum([0, *tables.rows])
    parts = [
        tables.codes[:, start : start + own]
        for start, own in zip(starts, tables.rows, strict=False)
    ]
    distinct = [[_distinct(column) for column in part] for part in parts[:2]]
    order = sorted(range(len(tables.columns)), key=lambda column: -distinct[SYNTHETIC][column])
    every_row = [np.arange(own, dtype=np.uint32) for own in tables.rows]
    whose = tables.who or (None,) * len(parts)
    first = tuple(every_row)
    if deduplicate:
        first = tuple(
            first_rows(part[order] if who is None else np.vstack([part[order], who]))
            for part, who in zip(parts, whose, strict=True)
        )
    kept = tuple(
        np.flatnonzero(own == rows).astype(np.uint32)
        for own, rows in zip(first, every_row, strict=True)
    )
    uses = {
        name: _use(tables.joined[name], *(part[column] for part in parts[:2]))
        for column, name in enumerate(tables.columns)
    }
    has_control = len(tables.rows) > CONTROL
    everything = tables.codes[order] if has_control else None
    codes = tables.codes
    _reorder(codes, order)
    wanted = np.concatenate([kept[SYNTHETIC], starts[ORIGINAL] + kept[ORIGINAL].astype(np.int64)])
    return Prepared(
        tuple(tables.columns[column] for column in order),
        Pair(
            _compacted(codes, wanted),
            len(kept[SYNTHETIC]),
            _who(list(zip(whose, kept, strict=True))[:CONTROL]),
        ),
        kept,
        tuple(own - len(rows) for own, rows in zip(tables.rows, kept, strict=True)),
        tuple(distinct[ORIGINAL][column] for column in order),
        tables.joined,
        tables.rows,
        first,
        whose,
        uses,
        everything,
        deduplicate and not any(who is not None for who in whose),
    )


def _who(groups: Sequence[tuple[Rows | None, Rows]]) -> Rows | None:
    """The number of each row's person in a pair: that of the person's first row in it.

    Each group has the persons of all rows of its table, if any, and which rows are in the pair.
    """
    if all(who is None for who, _ in groups):
        return None
    numbers = []
    start = 0
    for who, rows in groups:
        number = np.arange(len(rows))
        if who is not None:
            _, first, place = np.unique(who[rows], return_index=True, return_inverse=True)
            number = first[place]
        numbers.append(start + number)
        start += len(rows)
    return np.concatenate(numbers).astype(np.uint32)


def _reorder(codes: Codes, order: Sequence[int]) -> None:
    """Bring the columns into another order where they lie."""
    done = [False] * len(order)
    for first in range(len(order)):
        if done[first] or order[first] == first:
            continue
        held, place = codes[first].copy(), first
        while not done[place]:
            done[place] = True
            source = order[place]
            codes[place] = held if source == first else codes[source]
            place = source


def _compacted(codes: Codes, wanted: npt.NDArray[np.int64]) -> Codes:
    """The wanted rows of all columns, in the same memory: each column moves to the front."""
    if len(wanted) == codes.shape[1]:
        return codes
    flat = codes.reshape(-1)
    many = len(wanted)
    for column in range(len(codes)):
        flat[column * many : (column + 1) * many] = codes[column][wanted]
    return flat[: len(codes) * many].reshape(len(codes), many)


def first_rows(codes: Codes) -> Rows:
    """For each row the first one that is equal to it.

    >>> first_rows(np.array([[1, 2, 1], [5, 5, 5]], np.uint32)).tolist()
    [0, 1, 0]
    """
    rows = codes.shape[1]
    pair = Pair(codes, rows)
    partition, scratch = Partition.whole(pair), pair.new_scratch()
    settled = np.ones(rows, np.uint8)
    for column in codes:
        if partition.is_empty:
            break
        partition = partition.split(np.ascontiguousarray(column), settled, scratch, count_all=True)
    first = np.arange(rows, dtype=np.uint32)
    # Groups keep the order of rows, so their first row is the first occurrence.
    starts = partition.rows[partition.starts[:-1]]
    first[partition.rows] = np.repeat(starts, np.diff(partition.starts))
    return first


def _use(column: JointColumn, synthetic: Codes, original: Codes) -> ColumnUse:
    counts = [np.bincount(codes, minlength=column.size) for codes in (synthetic, original)]
    return ColumnUse.of(*(own[: column.null] for own in counts))


def _distinct(column: npt.NDArray[np.uint32]) -> int:
    return int(np.count_nonzero(np.bincount(column))) if column.size else 0
