"""Earth Mover's Distance between the classes of a table and the whole table.

All three ground distances are one formula. For a set of *features* (sets of values) with counts c
in a class of n rows, and Q in the table of N rows,

    EMD = sum over features of |c/n - Q/N| / divisor

where the features are, for the equal distance, the single values (divisor 2); for the hierarchical
one, the nodes of all levels below the root (divisor 2H); for the ordered one, the thresholds "at
most the i-th value" (divisor m-1). The numerators, sums of |c*N - Q*n|, are whole numbers, so the
largest distance and its verdict against a limit are decided exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.errors import counted, phrase
from petaudit.exact.class_figures import ClassFigures, Integers, ratio_figures
from petaudit.exact.fractions import parse_number
from petaudit.labels.hierarchy import Hierarchy
from petaudit.tables import ClassValueCounts, ValueCounts, folded_pairs

Distance: TypeAlias = Literal["ordered", "hierarchical", "equal"]
_LARGEST_INT64 = 2**62


@dataclass(frozen=True)
class Ground:
    """A ground distance over the values of a column.

    ``nodes`` holds, per level, the node of each value; for the ordered distance it is one row of
    ranks instead.
    """

    distance: Distance
    nodes: tuple[tuple[int, ...], ...]
    divisor: int


def equal_ground(values: ValueCounts) -> Ground:
    """All values are equally far apart."""
    return Ground("equal", (tuple(range(len(values.labels))),), 2)


def ordered_ground(values: ValueCounts) -> Ground | None:
    """Values lie on a line, a null beyond the last; None unless every other value is a number."""
    numbers = [None if label is None else parse_number(label) for label in values.labels]
    for label, number in zip(values.labels, numbers, strict=True):
        if label is not None and number is None:
            return None
    ranks = {
        number: rank for rank, number in enumerate(sorted({n for n in numbers if n is not None}))
    }
    null_rank = len(ranks)
    rank_of_value = tuple(null_rank if number is None else ranks[number] for number in numbers)
    return Ground("ordered", (rank_of_value,), max(max(rank_of_value, default=0), 1))


def hierarchical_ground(values: ValueCounts, hierarchy: Hierarchy) -> Ground:
    """Values are as far apart as the height at which their paths meet.

    A value above the leaves is treated as a separate leaf below its label; a null that is not in
    the hierarchy meets the others only at the root.
    """
    height = max(hierarchy.levels - 1, 1)
    paths = [_full_path(label, hierarchy, height) for label in _as_spelled(values, hierarchy)]
    levels = []
    for level in range(height):
        known: dict[tuple[object, ...], int] = {}
        # A node is its label and all above it: two equal labels under two parents stay two nodes.
        levels.append(tuple(known.setdefault(path[level:], len(known)) for path in paths))
    return Ground("hierarchical", tuple(levels), 2 * height)


def _as_spelled(values: ValueCounts, hierarchy: Hierarchy) -> list[str | None]:
    """Return the values by those of their spellings that the hierarchy has; a null needs none."""
    labels: list[str | None] = []
    unknown: list[str | None] = []
    spelled = values.spellings or tuple((label,) for label in values.labels)
    for label, spellings in zip(values.labels, spelled, strict=True):
        known = [text for text in spellings if text is not None and hierarchy.holds(text)]
        if len(known) > 1 and len({hierarchy.path_from(text)[1:] for text in known}) > 1:
            raise hierarchy.label_error(
                phrase(
                    "column {column!r} holds {spellings} of one value that are in different places "
                    "of its hierarchy ({origin}): give them the same path",
                    column=hierarchy.attribute,
                    spellings=counted(len(known), "spelling"),
                    origin=hierarchy.origin,
                ),
                known,
            )
        if label is not None and not known:
            unknown.append(label)
        labels.append(None if label is None else next(iter(known), label))
    if unknown:
        raise hierarchy.unknown_labels(unknown)
    return labels


def _full_path(label: str | None, hierarchy: Hierarchy, height: int) -> tuple[object, ...]:
    if not hierarchy.holds(label) and label is None:
        return ((None,),) * height
    if hierarchy.is_leaf(label):
        return hierarchy.path_of(label)[:height]
    above = hierarchy.path_from(label)
    below = ((label, "itself"),) * (hierarchy.levels - len(above))
    return (*below, *above)[:height]


def class_distances(pairs: ClassValueCounts, classes: Integers, ground: Ground) -> ClassFigures:
    """The distance of every class, from the values that are present in it."""
    values = pairs.values
    rows = values.rows
    span = max(max(ground.nodes[0], default=0), len(ground.nodes)) + 1
    dtype = _integer_type(4 * span * int(pairs.class_sizes.max(initial=1)) * rows)
    if ground.distance == "ordered":
        numerators = _ordered_numerators(pairs, ground, values, dtype)
    else:
        numerators = sum(
            (_level_numerators(pairs, level, values, dtype) for level in ground.nodes),
            start=np.zeros(len(pairs.class_starts), dtype=dtype),
        )
    sizes = pairs.class_sizes
    return ratio_figures(numerators, sizes, sizes, classes, ground.divisor * rows)


def _level_numerators(
    pairs: ClassValueCounts, nodes: Sequence[int], values: ValueCounts, dtype: npt.DTypeLike
) -> npt.NDArray[Any]:
    """Sum over ALL nodes of |cN - Qn| from those present: an absent one adds Qn, all Q make N."""
    node_of_value = np.asarray(nodes, dtype=np.int64)
    class_index, node, counts = _by_group(pairs, node_of_value)
    totals = np.bincount(node_of_value, weights=values.counts).astype(np.int64).astype(dtype)
    sizes = pairs.class_sizes.astype(dtype)
    if not sizes.size:
        return sizes
    expected = totals[node] * sizes[class_index]
    terms = abs(counts.astype(dtype) * values.rows - expected) - expected
    numerators: npt.NDArray[Any] = np.add.reduceat(terms, _starts(class_index))
    numerators += sizes * values.rows
    return numerators


def _ordered_numerators(
    pairs: ClassValueCounts, ground: Ground, values: ValueCounts, dtype: npt.DTypeLike
) -> npt.NDArray[Any]:
    """Walk the present values; between two of them the class's share is constant.

    There the terms |kN - Q_i n| change sign where Q_i passes kN/n, so prefix sums of Q give each
    stretch at once.
    """
    rank_of_value = np.asarray(ground.nodes[0], dtype=np.int64)
    class_index, rank, counts = _by_group(pairs, rank_of_value)
    thresholds = int(rank_of_value.max(initial=0))
    if not class_index.size or not thresholds:
        return np.zeros(len(pairs.class_starts), dtype=dtype)
    totals = np.bincount(rank_of_value, weights=values.counts).astype(np.int64)
    below = np.cumsum(totals)[:thresholds]
    prefix = np.concatenate([[0], np.cumsum(below.astype(dtype))]).astype(dtype)
    starts = _starts(class_index)
    running = np.cumsum(counts)
    reached = running - np.repeat(
        running[starts] - counts[starts], np.diff(starts, append=len(counts))
    )
    stop = np.append(rank[1:], thresholds)
    stop[np.append(starts[1:], len(counts)) - 1] = thresholds
    start = np.minimum(rank, thresholds)
    sizes = pairs.class_sizes
    size = sizes[class_index]
    rows = values.rows
    gone, wide = (reached.astype(dtype) * rows), size.astype(dtype)
    passed = (gone // wide).astype(np.int64)
    turn = np.clip(np.searchsorted(below, passed, side="right"), start, stop)
    stretch = (2 * turn - start - stop).astype(dtype) * gone + wide * (
        prefix[stop] + prefix[start] - 2 * prefix[turn]
    )
    before_first = prefix[start[starts]] * sizes.astype(dtype)
    numerators: npt.NDArray[Any] = np.add.reduceat(stretch, starts)
    numerators += before_first
    return numerators


def _by_group(
    pairs: ClassValueCounts, group_of_value: Integers
) -> tuple[Integers, Integers, Integers]:
    """Classes, groups of values and their counts; nothing is folded where groups are values."""
    group = group_of_value[pairs.value_index]
    if (np.diff(group_of_value) > 0).all():
        return pairs.class_index, group, pairs.counts
    return folded_pairs(pairs.class_index, group, pairs.counts)


def _starts(class_index: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    return np.flatnonzero(np.diff(class_index, prepend=-1))


def _integer_type(bound: int) -> npt.DTypeLike:
    """Machine integers where they suffice, else Python's unbounded ones."""
    return np.int64 if bound < _LARGEST_INT64 else object
