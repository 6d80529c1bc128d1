"""More combinations than memory has room for: the finest levels whose combinations fit.

Columns become coarser one level at a time, each time the one that loses least for what it no longer
tells apart, and the first levels on that way whose combinations fit are where the search begins.
The engine counts; combinations that do not fit are never fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from petaudit.anonymizing.columns import Column
from petaudit.errors import listing, phrase
from petaudit.exact.class_figures import Integers
from petaudit.inputs import Inputs
from petaudit.system.memory import working_memory

BYTES_PER_COMBINATION: Final = 250
BYTES_PER_CELL: Final = 45
"""What a search takes, with local recoding: 540 bytes were measured with six columns."""


@dataclass(frozen=True)
class Coarsened:
    """What is known of a table whose combinations were counted at coarser levels."""

    levels: Mapping[str, int]
    """The level at which the search begins, of the columns that are coarser than asked for."""
    leaf_rows: tuple[Integers, ...]
    """By column: the rows of each leaf."""
    combinations: int
    """How many distinct combinations the table has."""
    squares: int
    """The sum of the squares of their rows."""
    merged: Mapping[str, Integers]
    """By column and label: the position of the label that it counts as."""


def searched_from(levels: Mapping[str, int]) -> str:
    """What users are told of it."""
    return phrase(
        "memory has no room for all combinations of the quasi-identifiers, so that the search "
        "began at {levels}; finer levels were not looked at, and may lose less (more memory: "
        "--memory, set_memory)",
        levels=listing([f"{name} {at}" for name, at in levels.items()]),
    )


def that_fit(
    inputs: Inputs, columns: tuple[Column, ...], attributes: Sequence[str]
) -> tuple[tuple[Column, ...], Coarsened | None]:
    """The columns from the finest levels on that fit, and what is then known; None if all fits."""
    counts, names = inputs.table.counts, [column.name for column in columns]
    most = working_memory() // (BYTES_PER_COMBINATION + BYTES_PER_CELL * len(columns))
    if counts.is_remote or counts.rows <= most:
        return columns, None
    wanted = [*names, *attributes]
    histogram = counts.class_histogram(wanted)
    if int(histogram.classes.sum()) <= most:
        return columns, None
    rows = tuple(_leaf_rows(inputs, column) for column in columns)
    way = _way_up(columns, rows)
    low, high = 0, len(way) - 1
    while low < high:
        middle = (low + high) // 2
        if counts.merged_number(wanted, _merged(inputs, columns, way[middle])) <= most:
            high = middle
        else:
            low = middle + 1
    levels = way[low]
    coarser = tuple(
        replace(column, lowest=level) for column, level in zip(columns, levels, strict=True)
    )
    histogram = counts.class_histogram(names)
    suppressed = histogram.suppressed_rows
    squares = sum(
        size * size * classes
        for size, classes in zip(histogram.sizes.tolist(), histogram.classes.tolist(), strict=True)
    )
    raised = {
        column.name: level
        for column, level in zip(columns, levels, strict=True)
        if level > column.lowest
    }
    return coarser, Coarsened(
        raised,
        rows,
        int(histogram.classes.sum()) + (suppressed > 0),
        squares + suppressed**2,
        _merged(inputs, columns, levels),
    )


def _leaf_rows(inputs: Inputs, column: Column) -> Integers:
    rows = inputs.table.counts.value_counts(column.name).by_label
    return np.array([rows.get(leaf, 0) for leaf in column.leaves], dtype=np.int64)


def _way_up(columns: tuple[Column, ...], rows: tuple[Integers, ...]) -> list[tuple[int, ...]]:
    """Levels from the finest to the coarsest that are allowed, by bits that go per loss."""
    levels = [column.lowest for column in columns]
    way = [tuple(levels)]
    while True:
        steps = []
        for place, column in enumerate(columns):
            for level in range(levels[place] + 1, column.highest + 1):
                bits = _bits(column, level, rows[place]) - _bits(column, levels[place], rows[place])
                if bits > 0:
                    loss = (column.loss[level] - column.loss[levels[place]]) @ rows[place]
                    cost = max(float(loss) * column.weight, 1e-9)
                    steps.append((-bits / cost, place, level))
                    break
        if not steps:
            return way
        _, place, level = min(steps)
        levels[place] = level
        way.append(tuple(levels))


def _bits(column: Column, level: int, rows: Integers) -> float:
    """The sum of n log2 n over the labels of a level."""
    sizes = np.bincount(column.codes[level], weights=rows)
    sizes = sizes[sizes > 0]
    return float((sizes * np.log2(sizes)).sum())


def _merged(
    inputs: Inputs, columns: tuple[Column, ...], levels: tuple[int, ...]
) -> dict[str, Integers]:
    """For every label of a column the first one that has the same label at a level."""
    merged = {}
    for column, level in zip(columns, levels, strict=True):
        if level == 0:
            continue
        labels = inputs.table.counts.value_counts(column.name).labels
        place = {label: number for number, label in enumerate(labels)}
        of_leaf = dict(zip(column.leaves, column.codes[level].tolist(), strict=True))
        first: dict[int, int] = {}
        for leaf, code in of_leaf.items():
            if leaf in place:
                first.setdefault(code, place[leaf])
        merged[column.name] = np.array([first[of_leaf[label]] for label in labels], dtype=np.int64)
    return merged
