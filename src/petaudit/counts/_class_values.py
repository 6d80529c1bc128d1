"""Counts per class and value, for columns with too many values to count at once."""

from __future__ import annotations

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
from petaudit.counts.results import ClassValueCounts, Integers
from petaudit.labels import label_of

if TYPE_CHECKING:
    from petaudit.counts.table_counts import TableCounts


_ROWS_PER_BLOCK = 1 << 19


def class_value_blocks(
    table: TableCounts, quasi_identifiers: Sequence[str], column: str, suppressed: str, labels: bool
) -> Iterator[ClassValueCounts]:
    """Count pairs of class and value; large tables come in blocks of whole classes."""
    value = table.position(column)
    keys = class_keys(table, quasi_identifiers, carried=[value])
    values = len(table.value_counts(column).labels)
    if keys.codes is not None and keys.codes.span * values <= LARGEST_KEY:
        yield from _coded_blocks(table, keys, column, suppressed, labels)
    else:
        yield _counted(table, keys, quasi_identifiers, column, suppressed, labels)


def _counted(
    table: TableCounts,
    keys: ClassKeys,
    quasi_identifiers: Sequence[str],
    column: str,
    suppressed: str,
    labels: bool,
) -> ClassValueCounts:
    """Let the engine count the pairs, and number the classes here."""
    value = table.position(column)
    counted = _pairs(table, keys, value)
    if has_blanks(counted):
        keys = trimmed_keys(table, quasi_identifiers, carried=[value])
        counted = _pairs(table, keys, value)
    kept = np.ones(counted.num_rows, bool) if suppressed == "class" else ~is_marked(counted)
    key_codes = [dictionary_codes(counted.column(key)) for key in keys.keys]
    values = table.value_counts(column)
    value_codes, cells = dictionary_codes(counted.column(value))
    position = np.array([values.index[label_of(plain(cell))] for cell in cells], dtype=np.int64)
    class_index = class_indices([codes[kept] for codes, _ in key_codes], int(kept.sum()))
    counts = whole_numbers(counted.column("n"))[kept]
    found = folded_pairs(class_index, position[value_codes][kept], counts)
    if not labels:
        return ClassValueCounts(values, *found)
    first = np.unique(class_index, return_index=True)[1]
    columns = [
        [label_of(plain(own[code])) for code in codes[kept][first]] for codes, own in key_codes
    ]
    named = tuple(zip(*columns, strict=True)) if columns else ((),) * len(first)
    return ClassValueCounts(values, *found, class_labels=named)


def _pairs(table: TableCounts, keys: ClassKeys, value: str) -> pa.Table:
    pairs = keys.rows.group_by(*keys.keys, value).agg(nw.len().alias("n"))
    flags = [flag.alias(name) for name, flag in keys.flags.items()]
    return table.collected(pairs.with_columns(*flags) if flags else pairs)


def _coded_blocks(
    table: TableCounts, keys: ClassKeys, column: str, suppressed: str, labels: bool
) -> Iterator[ClassValueCounts]:
    """The same where a class is a number already: a row becomes one number, and rows are sorted.

    Keys are codes only where classes are many, so that pairs are about as many as rows: sorting
    them here is several times faster than grouping them in the engine.
    """
    assert keys.codes is not None  # noqa: S101 (the caller looked)
    values = table.value_counts(column)
    size = len(values.labels)
    named = keys.rows.rename({table.position(column): "v"})
    rows, code = join_codes(table, named, column, "v", "code")
    fetched = table.collected(rows.select((nw.col("k") * size + code).alias("kv")))
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
        key, value_index = np.divmod(block, size)
        if suppressed == "exclude" and keys.codes.mark is not None:
            kept = key != keys.codes.mark
            key, value_index, counts = key[kept], value_index[kept], counts[kept]
        new = np.diff(key, prepend=-1) != 0
        class_index: Integers = np.cumsum(new, dtype=np.int64) - 1
        named_classes = None
        if labels:
            named_classes = tuple(zip(*keys.codes.decode(key[new]), strict=True))
        yield ClassValueCounts(values, class_index, value_index, counts, named_classes)


def _run_lengths(ordered: Integers) -> tuple[Integers, Integers]:
    """Distinct numbers of an ordered array, and how often each occurs."""
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.int64)
