"""Counts per class and value, for columns with too many values to count at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.counts._class_keys import (
    LARGEST_KEY,
    ClassKeys,
    class_keys,
    has_blanks,
    is_marked,
    join_codes,
    plain,
    trimmed_keys,
)
from petaudit.counts._encoding import (
    class_indices,
    dictionary_codes,
    folded_pairs,
    whole_numbers,
)
from petaudit.counts.class_table import ClassPairs
from petaudit.counts.results import Integers
from petaudit.labels import label_of

if TYPE_CHECKING:
    from petaudit.counts.table_counts import TableCounts


_ROWS_PER_BLOCK = 1 << 19


def class_value_blocks(
    table: TableCounts, quasi_identifiers: Sequence[str], columns: Sequence[str], labels: bool
) -> Iterator[ClassPairs]:
    """Count pairs of class and value; large tables come in blocks of whole classes."""
    carried = list(dict.fromkeys(table.position(column) for column in columns))
    keys = class_keys(table, quasi_identifiers, carried=carried)
    spans = [len(table.value_counts(column).labels) for column in columns]
    if table.rows and keys.codes is not None and keys.codes.span * math.prod(spans) <= LARGEST_KEY:
        yield from _coded_blocks(table, keys, columns, labels)
    else:
        yield _counted(table, keys, quasi_identifiers, columns, labels)


def _counted(
    table: TableCounts,
    keys: ClassKeys,
    quasi_identifiers: Sequence[str],
    columns: Sequence[str],
    labels: bool,
) -> ClassPairs:
    """Let the engine count the values of each class, and number the classes here."""
    cells = list(dict.fromkeys(table.position(column) for column in columns))
    counted = _grouped(table, keys, cells)
    if has_blanks(counted):
        keys = trimmed_keys(table, quasi_identifiers, carried=cells)
        counted = _grouped(table, keys, cells)
    key_codes = [dictionary_codes(counted.column(key)) for key in keys.keys]
    class_index = class_indices([codes for codes, _ in key_codes], counted.num_rows)
    counts = whole_numbers(counted.column("n"))
    value_indices = []
    for column, cell in zip(columns, cells, strict=True):
        values = table.value_counts(column)
        codes, found = dictionary_codes(counted.column(cell))
        places = [values.index[label_of(plain(value))] for value in found]
        value_indices.append(np.array(places, dtype=np.int64)[codes])
    marked = class_index[is_marked(counted)]
    first = np.unique(class_index, return_index=True)[1]
    named = None
    if labels and keys.codes is not None:
        [numbers] = [whole_numbers(counted.column(key)) for key in keys.keys]
        named = tuple(zip(*keys.codes.decode(numbers[first]), strict=True))
    elif labels:
        named_columns = [
            [label_of(plain(own[code])) for code in codes[first]] for codes, own in key_codes
        ]
        named = tuple(zip(*named_columns, strict=True)) if named_columns else ((),) * len(first)
    return _paired(table, columns, class_index, value_indices, counts, marked, named)


def _grouped(table: TableCounts, keys: ClassKeys, cells: Sequence[str]) -> pa.Table:
    groups = keys.rows.group_by(*keys.keys, *cells).agg(nw.len().alias("n"))
    flags = [flag.alias(name) for name, flag in keys.flags.items()]
    return table.collected(groups.with_columns(*flags) if flags else groups)


def _paired(
    table: TableCounts,
    columns: Sequence[str],
    class_index: Integers,
    value_indices: Sequence[Integers],
    counts: Integers,
    marked: Integers,
    labels: tuple[tuple[str | None, ...], ...] | None,
) -> ClassPairs:
    """Fold the counts of combinations of values to those of each column."""
    sizes = np.zeros(int(class_index.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sizes, class_index, counts)
    start = 0
    parts = []
    for column, value in zip(columns, value_indices, strict=True):
        entry, own, number = folded_pairs(class_index, value, counts)
        parts.append((entry, own + start, number))
        start += len(table.value_counts(column).labels)
    if len(parts) == 1:
        [(entry, value, number)] = parts
    else:
        entry, value, number = (np.concatenate([part[i] for part in parts]) for i in range(3))
        order = np.argsort(entry, kind="stable")
        entry, value, number = entry[order], value[order], number[order]
    ones = np.ones(len(sizes), dtype=np.int64)
    only = int(marked[0]) if marked.size else None
    return ClassPairs(sizes, ones, entry, value, number, only, labels)


def _coded_blocks(
    table: TableCounts, keys: ClassKeys, columns: Sequence[str], labels: bool
) -> Iterator[ClassPairs]:
    """The same where a class is a number already: a row becomes one number, and rows are sorted.

    Keys are codes only where classes are many, so that pairs are about as many as rows: sorting
    them here is several times faster than grouping them in the engine.
    """
    assert keys.codes is not None  # noqa: S101 (the caller looked)
    widths = [len(table.value_counts(column).labels) for column in columns]
    size = math.prod(widths)
    rows, number = keys.rows, nw.col("k")
    for index, column in enumerate(columns):
        rows, code = join_codes(table, rows, column, table.position(column), f"code{index}")
        number = number * widths[index] + code
    fetched = table.collected(rows.select(number.alias("kv")))
    both = np.sort(whole_numbers(fetched.column("kv")))
    del fetched
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
        marked = class_index[:0] if keys.codes.mark is None else class_index[key == keys.codes.mark]
        named = tuple(zip(*keys.codes.decode(key[new]), strict=True)) if labels else None
        yield _paired(table, columns, class_index, value_indices, counts, marked, named)


def _run_lengths(ordered: Integers) -> tuple[Integers, Integers]:
    """Distinct numbers of an ordered array, and how often each occurs."""
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.int64)
