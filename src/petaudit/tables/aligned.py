"""Two tables whose rows belong together, row by row: for figures of rows over several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from petaudit.tables._row_codes import RowCodes
from petaudit.tables.results import Integers, ValueCounts
from petaudit.tables.table_counts import TableCounts


@dataclass(frozen=True)
class AlignedColumn:
    """The pairs of values of a column, how many rows have each, and which pair each row has."""

    values: tuple[ValueCounts, ValueCounts]
    old: Integers
    """The position of each pair's original value among the labels of ``value_counts``."""
    new: Integers
    counts: Integers
    pairs: Integers

    @property
    def original(self) -> tuple[str | None, ...]:
        """The original label of each pair."""
        return tuple(self.values[0].labels[place] for place in self.old.tolist())

    @property
    def released(self) -> tuple[str | None, ...]:
        """The released label of each pair."""
        return tuple(self.values[1].labels[place] for place in self.new.tolist())


def aligned_columns(
    original: TableCounts, released: TableCounts, columns: Sequence[str], key: str | None
) -> list[AlignedColumn]:
    """Pair the rows of two tables that passed ``check_aligned``, in the order of the original.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> before = open_source(pa.table({"id": [1, 2], "age": [39, 50]})).counts
    >>> after = open_source(pa.table({"id": [2, 1], "age": ["5*", "3*"]})).counts
    >>> [age] = aligned_columns(before, after, ["age"], "id")
    >>> [(age.original[pair], age.released[pair]) for pair in age.pairs.tolist()]
    [('39', '3*'), ('50', '5*')]
    """
    found = []
    for column, (old, new) in zip(
        columns, aligned_codes(original, released, columns, key), strict=True
    ):
        values = (original.value_counts(column), released.value_counts(column))
        width = max(len(values[1].labels), 1)
        both = old.astype(np.int64) * width + new
        pairs, place, counts = np.unique(both, return_inverse=True, return_counts=True)
        found.append(
            AlignedColumn(
                values,
                pairs // width,
                pairs % width,
                counts.astype(np.int64),
                place.astype(np.int64),
            )
        )
    return found


def aligned_codes(
    original: TableCounts, released: TableCounts, columns: Sequence[str], key: str | None
) -> list[tuple[RowCodes, RowCodes]]:
    """Codes of the rows of both tables, column by column, in the order of the original."""
    keys = [] if key is None else [key]
    before, after = (table.row_codes([*keys, *columns]) for table in (original, released))
    if keys:
        # Both tables have the same keys, each once, so a key has the same code in both.
        row_of = np.empty(released.rows, dtype=np.int64)
        row_of[after[0]] = np.arange(released.rows)
        partners = row_of[before[0]]
        after = [own[partners] for own in after]
    return list(zip(before[len(keys) :], after[len(keys) :], strict=True))
