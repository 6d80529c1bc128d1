"""From counts per class and value, as an engine groups them, to numbered classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from petaudit.labels.cells import label_of
from petaudit.tables._cell_labels import plain
from petaudit.tables._classes.keys import Codes, is_marked
from petaudit.tables._encoding import class_indices, dictionary_codes, folded_pairs, whole_numbers
from petaudit.tables.class_labels import ClassLabels, LabelsOfClasses
from petaudit.tables.class_table import ClassPairs
from petaudit.tables.results import Integers, ValueCounts


def class_pairs(
    counted: pa.Table,
    keys: Sequence[str],
    cells: Sequence[str],
    values: Sequence[ValueCounts],
    codes: Codes | None = None,
    *,
    labels: bool,
) -> ClassPairs:
    """Number the classes: rows with the same keys, whose values are in ``cells`` and times in n.

    >>> counted = pa.table({"k": ["x", "y", "x"], "v": ["p", "p", "q"], "n": [1, 2, 5]})
    >>> found = class_pairs(
    ...     counted, ["k"], ["v"], [ValueCounts(("p", "q"), np.array([3, 5]))], labels=True
    ... )
    >>> found.sizes.tolist(), list(found.labels)
    ([6, 2], [('x',), ('y',)])
    """
    key_codes = [dictionary_codes(counted.column(key)) for key in keys]
    class_index = class_indices([own for own, _ in key_codes], counted.num_rows)
    value_indices = []
    for cell, own in zip(cells, values, strict=True):
        code, found = dictionary_codes(counted.column(cell))
        places = [own.index[label_of(plain(value))] for value in found]
        value_indices.append(np.array(places, dtype=np.int64)[code])
    named = None
    if labels:
        first = np.unique(class_index, return_index=True)[1]
        if codes is not None:
            [numbers] = [whole_numbers(counted.column(key)) for key in keys]
            named = codes.decode(numbers[first])
        else:
            spelled = tuple(tuple(label_of(plain(cell)) for cell in own) for _, own in key_codes)
            named = ClassLabels(spelled, tuple(own[first] for own, _ in key_codes), len(first))
    return paired(
        [len(own.labels) for own in values],
        class_index,
        value_indices,
        whole_numbers(counted.column("n")),
        class_index[is_marked(counted)],
        named,
    )


def paired(
    widths: Sequence[int],
    class_index: Integers,
    value_indices: Sequence[Integers],
    counts: Integers,
    marked: Integers,
    labels: LabelsOfClasses | None,
) -> ClassPairs:
    """Fold the counts of combinations of values to those of each column."""
    sizes = np.zeros(int(class_index.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sizes, class_index, counts)
    start = 0
    parts = []
    for width, value in zip(widths, value_indices, strict=True):
        entry, own, number = folded_pairs(class_index, value, counts)
        parts.append((entry, own + start, number))
        start += width
    if len(parts) == 1:
        [(entry, value, number)] = parts
    else:
        entry, value, number = (np.concatenate([part[i] for part in parts]) for i in range(3))
        order = np.argsort(entry, kind="stable")
        entry, value, number = entry[order], value[order], number[order]
    ones = np.ones(len(sizes), dtype=np.int64)
    only = int(marked[0]) if marked.size else None
    return ClassPairs(sizes, ones, entry, value, number, only, labels)
