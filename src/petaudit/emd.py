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
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.counts import ClassProfiles, ClassValueCounts, ValueCounts, folded_pairs
from petaudit.exact import parse_number
from petaudit.hierarchies import Hierarchy

Distance: TypeAlias = Literal["ordered", "hierarchical", "equal"]
_LARGEST_INT64 = 2**62
_FLOAT_MARGIN = 1e-12


@dataclass(frozen=True)
class Ground:
    """A ground distance over the values of a column.

    ``nodes`` holds, per level, the node of each value; for the ordered distance it is one row of
    ranks instead.
    """

    distance: Distance
    nodes: tuple[tuple[int, ...], ...]
    divisor: int

    @cached_property
    def features_of_values(self) -> list[list[int]]:
        """For each value, the features that it belongs to."""
        if self.distance == "ordered":
            thresholds = max(self.nodes[0], default=0)
            return [list(range(rank, thresholds)) for rank in self.nodes[0]]
        features: list[list[int]] = [[] for _ in self.nodes[0]]
        start = 0
        for level in self.nodes:
            for value, node in enumerate(level):
                features[value].append(start + node)
            start += 1 + max(level, default=-1)
        return features

    @property
    def feature_count(self) -> int:
        """How many features there are."""
        if self.distance == "ordered":
            return max(self.nodes[0], default=0)
        return sum(1 + max(level, default=-1) for level in self.nodes)


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
    own = tuple(null_rank if number is None else ranks[number] for number in numbers)
    return Ground("ordered", (own,), max(max(own, default=0), 1))


def hierarchical_ground(values: ValueCounts, hierarchy: Hierarchy) -> Ground:
    """Values are as far apart as the height at which their paths meet.

    A value that stands above the leaves is a leaf of its own below its label; a null that the
    hierarchy does not name meets the others only at the root.
    """
    height = max(hierarchy.levels - 1, 1)
    paths = [_full_path(label, hierarchy, height) for label in values.labels]
    levels = []
    for level in range(height):
        known: dict[tuple[object, ...], int] = {}
        # A node is its label and all above it: two equal labels under two parents stay two nodes.
        levels.append(tuple(known.setdefault(path[level:], len(known)) for path in paths))
    return Ground("hierarchical", tuple(levels), 2 * height)


def _full_path(label: str | None, hierarchy: Hierarchy, height: int) -> tuple[object, ...]:
    if not hierarchy.holds(label) and label is None:
        return ((None,),) * height
    if hierarchy.is_leaf(label):
        return hierarchy.path_of(label)[:height]
    above = hierarchy.path_from(label)
    own = ((label, "itself"),) * (hierarchy.levels - len(above))
    return (*own, *above)[:height]


@dataclass(frozen=True)
class ClassDistances:
    """Distance of every class, as an exact fraction ``numerators / (sizes * scale)``."""

    numerators: npt.NDArray[Any]
    sizes: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int64]
    scale: int

    @classmethod
    def together(cls, parts: Sequence[ClassDistances], scale: int) -> ClassDistances:
        """The distances of several blocks of classes as one."""
        if len(parts) == 1:
            return parts[0]
        none = [np.zeros(0, dtype=np.int64)]
        return cls(
            np.concatenate([part.numerators for part in parts] or none),
            np.concatenate([part.sizes for part in parts] or none),
            np.concatenate([part.classes for part in parts] or none),
            scale,
        )

    @cached_property
    def _ratios(self) -> npt.NDArray[np.float64]:
        return self.numerators.astype(np.float64) / self.sizes

    def exact(self, position: int) -> Fraction:
        """The distance of one entry."""
        return Fraction(int(self.numerators[position]), int(self.sizes[position]) * self.scale)

    @cached_property
    def largest(self) -> Fraction:
        """The largest distance; 0 when there is no class."""
        if not self.sizes.size:
            return Fraction(0)
        near = np.flatnonzero(self._ratios >= self._ratios.max() * (1 - _FLOAT_MARGIN))
        return max(map(self.exact, self._distinct(near)))

    def above(self, limit: Fraction) -> npt.NDArray[np.bool_]:
        """Which entries are farther than the limit, exactly."""
        bound = float(limit * self.scale)
        above = self._ratios > bound
        margin = max(abs(bound), 1.0) * _FLOAT_MARGIN
        for position in np.flatnonzero(np.abs(self._ratios - bound) <= margin).tolist():
            above[position] = self.exact(position) > limit
        return above

    def worst(self, most: int) -> list[int]:
        """Positions of the farthest entries, larger classes first among equals."""
        order = np.lexsort((-self.sizes, -self._ratios))
        return [int(position) for position in order[:most]]

    def farthest_folded(self, most: int) -> ClassDistances:
        """At least so many of the farthest entries, those of equal size and distance as one."""
        looked_at = 20 * max(most, 1)
        while looked_at < len(self.sizes):
            last = np.partition(self._ratios, -looked_at)[-looked_at]
            kept = self._ratios >= last * (1 - _FLOAT_MARGIN)
            found = ClassDistances(
                self.numerators[kept], self.sizes[kept], self.classes[kept], self.scale
            ).folded()
            if len(found.sizes) >= most:
                return found
            looked_at *= 10
        return self.folded()

    def folded(self) -> ClassDistances:
        """The same with classes of equal size and distance as one entry."""
        if not self.sizes.size:
            return self
        order = np.lexsort((self.numerators.astype(np.float64), self.sizes))
        numerators, sizes, classes = (
            column[order] for column in (self.numerators, self.sizes, self.classes)
        )
        new = np.ones(len(order), dtype=bool)
        new[1:] = (numerators[1:] != numerators[:-1]) | (sizes[1:] != sizes[:-1])
        starts = np.flatnonzero(new)
        return ClassDistances(
            numerators[starts], sizes[starts], np.add.reduceat(classes, starts), self.scale
        )

    def _distinct(self, positions: npt.NDArray[np.intp]) -> Sequence[int]:
        seen = {(self.numerators[i], self.sizes[i]): i for i in positions.tolist()}
        return list(seen.values())


def distances_from_profiles(
    profiles: ClassProfiles, ground: Ground, values: ValueCounts
) -> ClassDistances:
    """Distances from the counts of every feature."""
    totals = [0] * ground.feature_count
    for count, features in zip(values.counts.tolist(), ground.features_of_values, strict=True):
        for feature in features:
            totals[feature] += count
    rows = values.rows
    largest = int(profiles.sizes.max(initial=1))
    dtype = _integer_type(2 * len(totals) * largest * rows)
    sizes = profiles.sizes.astype(dtype)
    numerators = np.zeros(len(sizes), dtype=dtype)
    for feature, total in enumerate(totals):
        counts = profiles.counts_of(feature).astype(dtype)
        numerators += abs(counts * rows - total * sizes)
    return ClassDistances(numerators, profiles.sizes, profiles.classes, ground.divisor * rows)


def distances_from_pairs(
    pairs: ClassValueCounts, ground: Ground, values: ValueCounts
) -> ClassDistances:
    """Distances from the values present in each class, whatever the number of values."""
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
    ones = np.ones(len(pairs.class_starts), dtype=np.int64)
    return ClassDistances(numerators, pairs.class_sizes, ones, ground.divisor * rows)


def _level_numerators(
    pairs: ClassValueCounts, nodes: Sequence[int], values: ValueCounts, dtype: npt.DTypeLike
) -> npt.NDArray[Any]:
    """Sum over ALL nodes of |cN - Qn| from those present: an absent one adds Qn, all Q make N."""
    node_of_value = np.asarray(nodes, dtype=np.int64)
    class_index, node, counts = folded_pairs(
        pairs.class_index, node_of_value[pairs.value_index], pairs.counts
    )
    totals = np.bincount(node_of_value, weights=values.counts).astype(np.int64).astype(dtype)
    sizes = pairs.class_sizes.astype(dtype)
    if not sizes.size:
        return sizes
    expected = totals[node] * sizes[class_index]
    own = abs(counts.astype(dtype) * values.rows - expected) - expected
    numerators: npt.NDArray[Any] = np.add.reduceat(own, _starts(class_index))
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
    class_index, rank, counts = folded_pairs(
        pairs.class_index, rank_of_value[pairs.value_index], pairs.counts
    )
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
    turn = np.clip(np.searchsorted(below, reached * rows // size, side="right"), start, stop)
    gone, wide = (reached.astype(dtype) * rows), size.astype(dtype)
    stretch = (2 * turn - start - stop).astype(dtype) * gone + wide * (
        prefix[stop] + prefix[start] - 2 * prefix[turn]
    )
    before_first = prefix[start[starts]] * sizes.astype(dtype)
    numerators: npt.NDArray[Any] = np.add.reduceat(stretch, starts)
    numerators += before_first
    return numerators


def _starts(class_index: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    return np.flatnonzero(np.diff(class_index, prepend=-1))


def _integer_type(bound: int) -> npt.DTypeLike:
    """Machine integers where they suffice, else Python's unbounded ones."""
    return np.int64 if bound < _LARGEST_INT64 else object
