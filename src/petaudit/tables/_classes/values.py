"""Counts per class and value, for columns with too many values to count at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.system.memory import working_memory
from petaudit.tables._classes.keys import (
    LARGEST_KEY,
    ClassKeys,
    Codes,
    class_keys,
    has_blanks,
    join_codes,
    trimmed_keys,
)
from petaudit.tables._classes.pairs import class_pairs, paired
from petaudit.tables._encoding import whole_numbers
from petaudit.tables.class_table import ClassPairs
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts


_ROWS_PER_BLOCK = 1 << 19
_SHARE_OF_MEMORY = 3
"""So large a part of it may be filled with classes that were just fetched."""
_BYTES_PER_CELL = 24


def class_value_blocks(
    table: TableCounts, quasi_identifiers: Sequence[str], columns: Sequence[str], labels: bool
) -> Iterator[ClassPairs]:
    """Count pairs of class and value; large tables come in blocks of whole classes.

    Without labels, equal classes of a block are one entry.
    """
    carried = list(dict.fromkeys(table.position(column) for column in columns))
    keys = class_keys(table, quasi_identifiers, carried=carried)
    spans = [len(table.sensitive_values(column).counts.labels) for column in columns]
    if table.rows and keys.codes is not None and keys.codes.span * math.prod(spans) <= LARGEST_KEY:
        blocks = _coded_blocks(table, keys, columns, labels)
    else:
        blocks = _counted_blocks(table, keys, quasi_identifiers, columns, labels)
    for block in blocks:
        yield block if labels else block.folded(sum(spans))


def _slices(taken: int) -> int:
    """How many slices a table is fetched in, if all of it would take so many bytes."""
    return -(-taken // max(working_memory() // _SHARE_OF_MEMORY, 1))


def _counted_blocks(
    table: TableCounts,
    keys: ClassKeys,
    quasi_identifiers: Sequence[str],
    columns: Sequence[str],
    labels: bool,
) -> Iterator[ClassPairs]:
    """Slices of the classes; only of our own files can they be more than memory has room for."""
    cells = list(dict.fromkeys(table.position(column) for column in columns))
    width = _BYTES_PER_CELL * (len(keys.keys) + len(cells) + 2)
    slices = 1 if table.load is None else _slices(table.rows * width)
    if slices > 1:
        groups = keys.rows.select(*keys.keys, *cells).unique()
        slices = _slices(table.number(groups.select(nw.len().alias("pairs"))) * width)
    if slices <= 1:
        yield _counted(table, keys, quasi_identifiers, columns, labels)
        return
    # Blanks around labels would tear classes apart, and are looked for in all of them.
    trimmed = keys
    if keys.codes is None:
        trimmed = trimmed_keys(table, quasi_identifiers, carried=cells)
    for number in range(slices):
        own = replace(trimmed, rows=_in_slice(trimmed.rows, trimmed.keys, number, slices))
        yield _counted(table, own, quasi_identifiers, columns, labels)


def _in_slice(
    rows: nw.LazyFrame[Any], keys: Sequence[str], number: int, slices: int
) -> nw.LazyFrame[Any]:
    # The names of keys are our own.
    is_in = f"hash({', '.join(keys)}) % {slices} = {number}"
    found: nw.LazyFrame[Any] = nw.from_native(rows.to_native().filter(is_in))
    return found


def _counted(
    table: TableCounts,
    keys: ClassKeys,
    quasi_identifiers: Sequence[str],
    columns: Sequence[str],
    labels: bool,
) -> ClassPairs:
    """Let the engine count the values of each class."""
    cells = list(dict.fromkeys(table.position(column) for column in columns))
    counted = _grouped(table, keys, cells)
    if has_blanks(counted):
        keys = trimmed_keys(table, quasi_identifiers, carried=cells)
        counted = _grouped(table, keys, cells)
    values = [table.sensitive_values(column).counts for column in columns]
    return class_pairs(counted, keys.keys, cells, values, keys.codes, labels=labels)


def _grouped(table: TableCounts, keys: ClassKeys, cells: Sequence[str]) -> pa.Table:
    groups = keys.rows.group_by(*keys.keys, *cells).agg(nw.len().alias("n"))
    flags = [flag.alias(name) for name, flag in keys.flags.items()]
    return table.collected(groups.with_columns(*flags) if flags else groups)


def _coded_blocks(
    table: TableCounts, keys: ClassKeys, columns: Sequence[str], labels: bool
) -> Iterator[ClassPairs]:
    """The same where a class is a number already: a row becomes one number, and rows are sorted.

    Keys are codes only where classes are many, so that pairs are about as many as rows: sorting
    them here is several times faster than grouping them in the engine.
    """
    assert keys.codes is not None  # noqa: S101 (the caller looked)
    widths = [len(table.sensitive_values(column).counts.labels) for column in columns]
    rows, number = keys.rows, nw.col("k")
    for index, column in enumerate(columns):
        values, cell = table.sensitive_values(column), table.position(column)
        rows, code = join_codes(table, rows, values, cell, f"code{index}")
        number = number * widths[index] + code
    # Fetched, joined and sorted, each row is there three times.
    slices = max(_slices(3 * 8 * table.rows), 1)
    for number_of_slice in range(slices):
        own = rows if slices == 1 else rows.filter(nw.col("k") % slices == number_of_slice)
        fetched = table.collected(own.select(number.alias("kv")))
        both = np.sort(whole_numbers(fetched.column("kv")))
        del fetched
        yield from _sorted_blocks(table, both, keys.codes, columns, labels)


def _sorted_blocks(
    table: TableCounts, both: Integers, codes: Codes, columns: Sequence[str], labels: bool
) -> Iterator[ClassPairs]:
    """Blocks of rows in the order of their numbers, each of which is a class and its values."""
    widths = [len(table.sensitive_values(column).counts.labels) for column in columns]
    size = math.prod(widths)
    start = 0
    while start < len(both):
        stop = start + _ROWS_PER_BLOCK
        if stop < len(both):
            # A block ends where the class of its last row ends.
            stop = int(np.searchsorted(both, (both[stop] // size + 1) * size))
        block, counts = _run_lengths(both[start:stop])
        start = stop
        key, combination = np.divmod(block, size)
        new = np.diff(key, prepend=-1) != 0
        class_index: Integers = np.cumsum(new, dtype=np.int64) - 1
        value_indices: list[Integers] = []
        for width in reversed(widths):
            combination, own = np.divmod(combination, width)
            value_indices.insert(0, own)
        marked = class_index[:0] if codes.mark is None else class_index[key == codes.mark]
        named = codes.decode(key[new]) if labels else None
        yield paired(widths, class_index, value_indices, counts, marked, named)


def _run_lengths(ordered: Integers) -> tuple[Integers, Integers]:
    """Distinct numbers of an ordered array, and how often each occurs."""
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.int64)
