"""Counts per class and value, for columns with too many values to count at once."""

from __future__ import annotations

from collections.abc import Sequence
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


def count_class_values(
    table: TableCounts, quasi_identifiers: Sequence[str], column: str, suppressed: str, labels: bool
) -> ClassValueCounts:
    """Count pairs of class and value in the engine, and number the classes here."""
    value = table.position(column)
    keys = class_keys(table, quasi_identifiers, carried=[value])
    if keys.codes is not None and keys.codes.span * len(table.value_counts(column).labels) <= (
        LARGEST_KEY
    ):
        return _coded_pairs(table, keys, column, suppressed, labels)
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


def _coded_pairs(
    table: TableCounts, keys: ClassKeys, column: str, suppressed: str, labels: bool
) -> ClassValueCounts:
    """The same where a class is a number already: class and value become one number."""
    assert keys.codes is not None  # noqa: S101 (the caller looked)
    values = table.value_counts(column)
    size = len(values.labels)
    named = keys.rows.rename({table.position(column): "v"})
    rows, code = join_codes(table, named, column, "v", "code")
    counted = table.collected(
        rows.select((nw.col("k") * size + code).alias("kv")).group_by("kv").agg(nw.len().alias("n"))
    )
    both, counts = whole_numbers(counted.column("kv")), whole_numbers(counted.column("n"))
    order = np.argsort(both)
    both, counts = both[order], counts[order]
    key, value_index = np.divmod(both, size)
    if suppressed == "exclude" and keys.codes.mark is not None:
        kept = key != keys.codes.mark
        key, value_index, counts = key[kept], value_index[kept], counts[kept]
    new = np.diff(key, prepend=-1) != 0
    class_index: Integers = np.cumsum(new, dtype=np.int64) - 1
    found = (class_index, value_index, counts)
    if not labels:
        return ClassValueCounts(values, *found)
    columns = keys.codes.decode(key[new])
    return ClassValueCounts(values, *found, class_labels=tuple(zip(*columns, strict=True)))
