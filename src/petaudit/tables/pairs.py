"""Two tables whose rows belong together: which values meet in a row, and how often."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from petaudit.errors import InputError, argument
from petaudit.exact.association import count_cells
from petaudit.tables._encoding import folded_pairs, whole_numbers
from petaudit.tables.classes.grouped import label_positions
from petaudit.tables.column_values import RowCodes
from petaudit.tables.engines.remote import KeyFaults, joined_pairs, key_faults
from petaudit.tables.results import PairCodes, PairCounts
from petaudit.tables.table_counts import TableCounts

_ORDERED_ENGINES = {"pandas", "polars", "pyarrow", "duckdb", "modin", "cudf"}


def check_aligned(
    original: TableCounts, released: TableCounts, key: str | None, names: tuple[str, str]
) -> None:
    """Raise unless every row of one table has exactly one partner in the other."""
    if original.rows != released.rows:
        raise InputError(
            "the tables have different numbers of rows: {first_rows:,} in {first} and "
            "{second_rows:,} in {second}; row-wise measures need the same rows",
            first_rows=original.rows,
            first=names[0],
            second_rows=released.rows,
            second=names[1],
        )
    if key is None:
        for table, name in zip((original, released), names, strict=True):
            if table.engine not in _ORDERED_ENGINES:
                raise InputError(
                    "the rows of {table} ({engine}) have no order; name a key column ({argument})",
                    argument=argument("key"),
                    table=name,
                    engine=table.engine,
                )
        return
    faults = _key_faults(original, released, key)
    for nulls, repeated, name in zip(faults.nulls, faults.repeated, names, strict=True):
        if nulls:
            raise InputError(
                "key column {column!r} of {table} holds a null", column=key, table=name
            )
        if repeated:
            raise InputError(
                "key column {column!r} of {table} holds a value more than once",
                column=key,
                table=name,
            )
    if faults.differ:
        raise InputError(
            "key column {column!r} does not hold the same values in both tables", column=key
        )


def _key_faults(original: TableCounts, released: TableCounts, key: str) -> KeyFaults:
    if original.is_remote or released.is_remote:
        return key_faults(original, released, key)
    before, after = (table.value_counts(key) for table in (original, released))
    return KeyFaults(
        nulls=(None in before.index, None in after.index),
        repeated=(bool(before.counts.max(initial=1) > 1), bool(after.counts.max(initial=1) > 1)),
        differ=set(before.labels) != set(after.labels),
    )


def pair_counts(
    original: TableCounts, released: TableCounts, column: str, key: str | None
) -> PairCounts:
    """How often each original value meets each released label in the same row.

    Pairs are in the order of their labels, so that sums over them never depend on row order.
    """
    pairs = pair_codes(original, released, column, key)
    old, new = original.value_counts(column).labels, released.value_counts(column).labels
    labelled = sorted(
        (
            (old[before], new[after], count)
            for before, after, count in zip(
                pairs.original.tolist(), pairs.released.tolist(), pairs.counts.tolist(), strict=True
            )
        ),
        key=lambda pair: tuple((label is None, label or "") for label in pair[:2]),
    )
    return PairCounts(
        tuple(before for before, _, _ in labelled),
        tuple(after for _, after, _ in labelled),
        np.array([count for _, _, count in labelled], dtype=np.int64),
    )


def pair_codes(
    original: TableCounts, released: TableCounts, column: str, key: str | None
) -> PairCodes:
    """The same by positions among the values of both columns, for columns of very many values."""
    tables = (original, released)
    if not (original.is_remote or released.is_remote):
        [(before, after)] = _aligned_codes(original, released, [column], key)
        first, second = (len(table.value_counts(column).labels) for table in tables)
        cells = count_cells(before, after, (first, second))
        return PairCodes(cells.first, cells.second, cells.counts)
    counted = joined_pairs(original, released, column, str(key))
    old, new = (
        label_positions(counted.column(name), table.value_counts(column))
        for name, table in zip(("a0", "b0"), tables, strict=True)
    )
    return PairCodes(*folded_pairs(old, new, whole_numbers(counted.column("n"))))


def aligned_columns(
    original: TableCounts, released: TableCounts, columns: Sequence[str], key: str | None
) -> list[PairCodes]:
    """Pair the rows of two tables that passed ``check_aligned``, in the order of the original.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> before = open_source(pa.table({"id": [1, 2], "age": [39, 50]})).counts
    >>> after = open_source(pa.table({"id": [2, 1], "age": ["5*", "3*"]})).counts
    >>> [age] = aligned_columns(before, after, ["age"], "id")
    >>> age.original[age.rows].tolist(), age.released[age.rows].tolist()
    ([0, 1], [0, 1])
    """
    columns_of_pairs = []
    for column, (before, after) in zip(
        columns, _aligned_codes(original, released, columns, key), strict=True
    ):
        width = max(len(released.value_counts(column).labels), 1)
        both = before.astype(np.int64) * width + after
        pairs, rows, counts = np.unique(both, return_inverse=True, return_counts=True)
        columns_of_pairs.append(PairCodes(pairs // width, pairs % width, counts, rows))
    return columns_of_pairs


def _aligned_codes(
    original: TableCounts, released: TableCounts, columns: Sequence[str], key: str | None
) -> list[tuple[RowCodes, RowCodes]]:
    """Codes of the rows of both tables, column by column, in the order of the original."""
    keys = [] if key is None else [key]
    before, after = (table.row_codes([*keys, *columns]) for table in (original, released))
    if keys:
        # Both tables have the same keys, each once, so a key has the same code in both.
        row_of = np.empty(len(after[0]), dtype=np.int64)
        row_of[after[0]] = np.arange(len(after[0]))
        partners = row_of[before[0]]
        after = [codes[partners] for codes in after]
    return list(zip(before[len(keys) :], after[len(keys) :], strict=True))
