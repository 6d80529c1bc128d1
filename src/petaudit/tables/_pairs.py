"""Counts over two tables whose rows belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from petaudit.errors import InputError
from petaudit.labels.cells import label_of
from petaudit.tables._cell_labels import plain
from petaudit.tables._encoding import dictionary_codes, python_values
from petaudit.tables.aligned import aligned_codes
from petaudit.tables.engines.remote_pairs import KeyFaults, joined_pairs, key_faults
from petaudit.tables.results import Integers, PairCodes, PairCounts
from petaudit.tables.table_counts import TableCounts

_ORDERED_ENGINES = {"pandas", "polars", "pyarrow", "duckdb", "modin", "cudf"}
_MOST_BINS = 1 << 24


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
                    "the rows of {table} ({engine}) have no order; name a key column (--key, "
                    "in Python key=)",
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
    """How often each original value meets each released label in the same row."""
    if original.is_remote or released.is_remote:
        return _merged(*joined_pairs(original, released, column, str(key)))
    if key is None and original.keeps_order and released.keeps_order:
        return _from_codes(original, released, column)
    if key is None:
        before, after = original.column_values(column), released.column_values(column)
    else:
        before_keys, before = original.columns_values([key, column])
        after_keys, after = released.columns_values([key, column])
        rows_of = {label: row for row, label in enumerate(_labels(after_keys))}
        partners = [rows_of[label] for label in _labels(before_keys)]
        after = after.take(pa.array(partners, pa.int64()))
    before_codes, before_values = dictionary_codes(before)
    after_codes, after_values = dictionary_codes(after)
    both = before_codes * max(len(after_values), 1) + after_codes
    pairs, counts = _count(both, len(before_values) * len(after_values))
    return _merged(
        [before_values[pair // len(after_values)] for pair in pairs.tolist()],
        [after_values[pair % len(after_values)] for pair in pairs.tolist()],
        counts.tolist(),
    )


def pair_codes(
    original: TableCounts, released: TableCounts, column: str, key: str | None
) -> PairCodes:
    """The same by positions among the values of both columns, for columns of very many values."""
    old, new = original.value_counts(column), released.value_counts(column)
    if original.is_remote or released.is_remote:
        pairs = _merged(*joined_pairs(original, released, column, str(key)))
        before = np.array([old.index[label] for label in pairs.original], dtype=np.int64)
        after = np.array([new.index[label] for label in pairs.released], dtype=np.int64)
        return PairCodes(before, after, pairs.counts)
    [codes] = aligned_codes(original, released, [column], key)
    width = max(len(new.labels), 1)
    pair, counts = _count(codes[0].astype(np.int64) * width + codes[1], len(old.labels) * width)
    return PairCodes(pair // width, pair % width, counts)


def _from_codes(original: TableCounts, released: TableCounts, column: str) -> PairCounts:
    """Count pairs of labels, of which every row's number may be known already."""
    [before], [after] = original.row_codes([column]), released.row_codes([column])
    old, new = original.value_counts(column).labels, released.value_counts(column).labels
    width = len(new)
    both = before.astype(np.int64) * width + after
    pairs, counts = _count(both, len(old) * width)
    return _merged(
        [old[pair // width] for pair in pairs.tolist()],
        [new[pair % width] for pair in pairs.tolist()],
        counts.tolist(),
    )


def _count(both: Integers, bins: int) -> tuple[Integers, Integers]:
    if bins <= max(_MOST_BINS, len(both)):
        counts = np.bincount(both, minlength=1)
        pairs = np.flatnonzero(counts)
        return pairs.astype(np.int64), counts[pairs].astype(np.int64)
    pairs, counts = np.unique(both, return_counts=True)
    return pairs, counts.astype(np.int64)


def _merged(before: list[Any], after: list[Any], counts: list[int]) -> PairCounts:
    """Label the values, and order the pairs so that sums over them never depend on row order."""
    labelled = sorted(
        (
            (label_of(plain(old)), label_of(plain(new)), count)
            for old, new, count in zip(before, after, counts, strict=True)
        ),
        key=lambda pair: tuple((label is None, label or "") for label in pair[:2]),
    )
    return PairCounts(
        tuple(old for old, _, _ in labelled),
        tuple(new for _, new, _ in labelled),
        np.array([count for _, _, count in labelled], dtype=np.int64),
    )


def _labels(column: pa.ChunkedArray) -> list[str | None]:
    return [label_of(plain(value)) for value in python_values(column)]
