"""Counts per class and value, for columns with too many values to count at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.system.memory import working_memory
from petaudit.tables._encoding import (
    cell_labels,
    class_indices,
    dictionary_cells,
    folded_pairs,
    label_codes,
    whole_numbers,
)
from petaudit.tables.classes.keys import LARGEST_KEY, ClassKeys, Codes, class_keys, is_marked
from petaudit.tables.classes.table import ClassLabels, ClassTable
from petaudit.tables.engines.remote import join_numbers
from petaudit.tables.results import ClassValueCounts, Integers, ValueCounts, summed

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

_ROWS_PER_BLOCK = 1 << 19
_SHARE_OF_MEMORY = 3
"""So large a part of it may be filled with classes that were just fetched."""
_BYTES_PER_CELL = 24


def grouped_classes(
    table: TableCounts, quasi_identifiers: Sequence[str], columns: Sequence[str], labels: bool
) -> Iterator[ClassTable]:
    """Count pairs of class and value; large tables come in blocks of whole classes.

    Without labels, equal classes of a block are one entry.
    """
    values = {column: table.sensitive_values(column).counts for column in columns}
    combinations = math.prod(len(counts.labels) for counts in values.values())
    keys = class_keys(table, quasi_identifiers, carried=table.keys(columns))
    if table.rows and keys.codes is not None and keys.codes.span * combinations <= LARGEST_KEY:
        blocks = _sorted_blocks(keys, values, labels)
    else:
        blocks = _grouped_blocks(keys, values, labels)
    yield from blocks if labels else (block.folded() for block in blocks)


def _slices(taken: int) -> int:
    """How many slices a table is fetched in, if all of it would take ``taken`` bytes."""
    return max(-(-taken // max(working_memory() // _SHARE_OF_MEMORY, 1)), 1)


def _grouped_blocks(
    keys: ClassKeys, values: Mapping[str, ValueCounts], labels: bool
) -> Iterator[ClassTable]:
    """Let the engine count; only our own files can have more classes than memory has room for."""
    table = keys.table
    cells = table.keys([*values])
    width = _BYTES_PER_CELL * (len(keys.names) + len(cells) + 2)
    slices = 1 if table.load is None else _slices(table.rows * width)
    if slices > 1:
        groups = keys.rows.select(*keys.names, *cells).unique()
        slices = _slices(table.number(groups.select(nw.len().alias("pairs"))) * width)
    if slices > 1:
        # Blanks around labels would tear classes apart, and are looked for in all of them.
        keys = keys.trimmed() if keys.trimmed is not None else keys
    for number in range(slices):
        part = keys
        if slices > 1:
            # The names of keys are our own.
            in_slice = f"hash({', '.join(keys.names)}) % {slices} = {number}"
            part = replace(keys, rows=nw.from_native(keys.rows.to_native().filter(in_slice)))
        counted = part.collected(
            lambda part: part.flagged(table.grouped(part.rows, [*part.names, *cells]))
        )
        yield class_table(counted, keys.names, cells, values, keys.codes, labels=labels)


def class_table(
    counted: pa.Table,
    keys: Sequence[str],
    cells: Sequence[str],
    values: Mapping[str, ValueCounts],
    codes: Codes | None = None,
    *,
    labels: bool,
) -> ClassTable:
    """Number the classes: rows with the same keys, whose values are in ``cells`` and times in n.

    >>> counted = pa.table({"k": ["x", "y", "x"], "v": ["p", "p", "q"], "n": [1, 2, 5]})
    >>> values = {"illness": ValueCounts(("p", "q"), np.array([3, 5]))}
    >>> classes = class_table(counted, ["k"], ["v"], values, labels=True)
    >>> classes.sizes.tolist(), classes.labels[0], classes.labels[1]
    ([6, 2], ('x',), ('y',))
    """
    encoded = [dictionary_cells(counted.column(key)) for key in keys]
    class_index = class_indices([key_codes for key_codes, _ in encoded], counted.num_rows)
    class_labels = None
    if labels:
        first = np.unique(class_index, return_index=True)[1]
        if codes is None:
            class_labels = labels_of_keys(encoded).taken(first)
        else:
            class_labels = codes.decode(whole_numbers(counted.column(keys[0]))[first])
    return _class_table(
        values,
        class_index,
        [
            label_positions(counted.column(cell), counts)
            for cell, counts in zip(cells, values.values(), strict=True)
        ],
        whole_numbers(counted.column("n")),
        class_index[is_marked(counted)],
        class_labels,
    )


def labels_of_keys(encoded: Sequence[tuple[Integers, pa.Array]]) -> ClassLabels:
    """The labels of classes, from the codes and cells of each key."""
    return ClassLabels(
        tuple(tuple(cell_labels(cells)) for _, cells in encoded),
        tuple(codes for codes, _ in encoded),
    )


def label_positions(cells: pa.ChunkedArray, values: ValueCounts) -> Integers:
    """The position of each cell's label among the values of its column."""
    codes, labels = label_codes(cells)
    return np.array([values.index[label] for label in labels], dtype=np.int64)[codes]


def _class_table(
    values: Mapping[str, ValueCounts],
    class_index: Integers,
    value_indices: Sequence[Integers],
    counts: Integers,
    marked: Integers,
    labels: ClassLabels | None,
) -> ClassTable:
    """Add up the counts of combinations of values to those of each column."""
    sizes = summed(class_index, counts, int(class_index.max(initial=-1)) + 1)
    columns = {
        column: ClassValueCounts(of_column, *folded_pairs(class_index, index, counts))
        for (column, of_column), index in zip(values.items(), value_indices, strict=True)
    }
    only = int(marked[0]) if marked.size else None
    return ClassTable(sizes, np.ones_like(sizes), columns, only, labels)


def _sorted_blocks(
    keys: ClassKeys, values: Mapping[str, ValueCounts], labels: bool
) -> Iterator[ClassTable]:
    """The same where a class is a number already: a row becomes one number, and rows are sorted.

    Keys are codes only where classes are many, so that pairs are about as many as rows: sorting
    them here is several times faster than grouping them in the engine.
    """
    table, rows, number = keys.table, keys.rows, nw.col(keys.names[0])
    for index, column in enumerate(values):
        cells = table.sensitive_values(column)
        size = len(cells.counts.labels)
        codes = {f"code{index}": np.arange(size, dtype=np.int64)}
        rows = join_numbers(table, rows, cells, table.position(column), codes)
        number = number * size + nw.col(f"code{index}")
    # Fetched, joined and sorted, each row is there three times.
    slices = _slices(3 * 8 * table.rows)
    for place in range(slices):
        part = rows if slices == 1 else rows.filter(nw.col(keys.names[0]) % slices == place)
        fetched = table.collected(part.select(number.alias("kv")))
        ordered = np.sort(whole_numbers(fetched.column("kv")))
        del fetched
        yield from _blocks_of_sorted(ordered, keys, values, labels)


def _blocks_of_sorted(
    ordered: Integers, keys: ClassKeys, values: Mapping[str, ValueCounts], labels: bool
) -> Iterator[ClassTable]:
    """Cut rows, as sorted numbers of a class and its values, into blocks."""
    assert keys.codes is not None  # noqa: S101 (the caller looked)
    widths = [len(counts.labels) for counts in values.values()]
    size = math.prod(widths)
    start = 0
    while start < len(ordered):
        stop = start + _ROWS_PER_BLOCK
        if stop < len(ordered):
            # A block ends where the class of its last row ends.
            stop = int(np.searchsorted(ordered, (ordered[stop] // size + 1) * size))
        rows = ordered[start:stop]
        firsts = np.flatnonzero(np.diff(rows, prepend=-1))
        counts = np.diff(firsts, append=len(rows)).astype(np.int64)
        start = stop
        key, combination = np.divmod(rows[firsts], size)
        is_first = np.diff(key, prepend=-1) != 0
        class_index: Integers = np.cumsum(is_first, dtype=np.int64) - 1
        value_indices: list[Integers] = []
        for width in reversed(widths):
            combination, index = np.divmod(combination, width)
            value_indices.insert(0, index)
        marked = class_index[key == keys.codes.mark] if keys.codes.mark is not None else key[:0]
        class_labels = keys.codes.decode(key[is_first]) if labels else None
        yield _class_table(values, class_index, value_indices, counts, marked, class_labels)
