"""From encoded tables to what the search works on: columns in order, duplicates removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from petaudit.counts.joint import JointTables
from petaudit.singling._arrays import Codes, Rows
from petaudit.singling._partition import Pair, Partition

SYNTHETIC, ORIGINAL, CONTROL = range(3)
"""The place of each table among the encoded ones."""


@dataclass(frozen=True)
class Prepared:
    """Two or three tables in search order."""

    columns: tuple[str, ...]
    order: tuple[int, ...]
    """Which column of the encoded tables each one is."""
    kept: tuple[Rows, ...]
    """The rows of each table that are no duplicates of an earlier one."""
    removed: tuple[int, ...]
    """How many duplicates there were."""
    distinct: tuple[int, ...]
    """How many values the original has in each column; null is a value."""
    tables: JointTables
    deduplicate: bool

    def pair(self, target: int = ORIGINAL, rows: Rows | None = None) -> Pair:
        """The synthetic rows and those of a target table, or the given rows of it."""
        synthetic, wanted = self.kept[SYNTHETIC], self.kept[target]
        if rows is not None:
            wanted = rows
            if self.deduplicate:
                wanted = rows[first_occurrences(self._columns_of(target)[:, rows])]
        codes = np.empty((len(self.order), len(synthetic) + len(wanted)), np.int32)
        for place, column in enumerate(self.order):
            own = self.tables.codes[column]
            codes[place, : len(synthetic)] = own[synthetic]
            codes[place, len(synthetic) :] = own[self._start(target) + wanted]
        return Pair(codes, len(synthetic))

    def _columns_of(self, table: int) -> Codes:
        start = self._start(table)
        return self.tables.codes[:, start : start + self.tables.rows[table]]

    def _start(self, table: int) -> int:
        return sum(self.tables.rows[:table])


def prepare(tables: JointTables, *, deduplicate: bool) -> Prepared:
    """Sort the columns by their number of distinct synthetic values, and remove duplicates."""
    starts = np.cumsum([0, *tables.rows])
    parts = [
        tables.codes[:, start : start + rows]
        for start, rows in zip(starts, tables.rows, strict=False)
    ]
    distinct = [[_distinct(column) for column in part] for part in parts[:2]]
    order = sorted(range(len(tables.columns)), key=lambda column: -distinct[SYNTHETIC][column])
    kept = tuple(
        first_occurrences(part[order]) if deduplicate else np.arange(part.shape[1], dtype=np.int32)
        for part in parts
    )
    return Prepared(
        tuple(tables.columns[column] for column in order),
        tuple(order),
        kept,
        tuple(rows - len(own) for rows, own in zip(tables.rows, kept, strict=True)),
        tuple(distinct[ORIGINAL][column] for column in order),
        tables,
        deduplicate,
    )


def first_occurrences(codes: Codes) -> Rows:
    """The rows that do not repeat an earlier one, in order.

    >>> first_occurrences(np.array([[1, 2, 1], [5, 5, 5]], np.int32)).tolist()
    [0, 1]
    """
    rows = codes.shape[1]
    pair = Pair(codes, rows)
    partition, scratch = Partition.whole(pair), pair.new_scratch()
    settled = np.ones(rows, np.uint8)
    for column in codes:
        if partition.is_empty:
            break
        partition = partition.split(np.ascontiguousarray(column), settled, scratch, count_all=True)
    is_first = np.ones(rows, bool)
    is_first[partition.rows] = False
    # Groups keep the order of rows, so their first row is the first occurrence.
    is_first[partition.rows[partition.starts[:-1]]] = True
    return np.flatnonzero(is_first).astype(np.int32)


def samples_of(rows: int, size: int, most: int, seed: int) -> list[Rows]:
    """Disjoint samples without replacement, in row order; one at least."""
    shuffled = np.random.default_rng(seed).permutation(rows).astype(np.int32)
    many = max(1, min(most, rows // max(size, 1)))
    return [np.sort(shuffled[part * size : (part + 1) * size]) for part in range(many)]


def decoded(prepared: Prepared, row: int, columns: Sequence[int]) -> tuple[object, ...]:
    """The prepared values of a kept synthetic row in some columns, by their place in the search."""
    found: list[object] = []
    place = int(prepared.kept[SYNTHETIC][row])
    for column in columns:
        own = prepared.tables.joined[prepared.columns[column]]
        code = int(prepared.tables.codes[prepared.order[column], place])
        found.append(None if code == own.null else own.value(code))
    return tuple(found)


def _distinct(column: npt.NDArray[np.int32]) -> int:
    return int(np.count_nonzero(np.bincount(column))) if column.size else 0
