"""The inner loops that group combinations, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from petaudit.singling.kernels import kernel

Array = npt.NDArray[Any]
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1024


@kernel
def group_keys(
    codes: Array,
    first: Array,
    keyed: Array,
    columns: Array,
    levels: Array,
    before: Array,
    width: int,
    most: int,
) -> tuple[int, Array, Array]:
    """Group entries by their labels: how many groups, the group of each, the first entry of each.

    An entry stands for the combination ``first[entry]``; ``keyed[column, level, leaf]`` is the
    label's part of a key that no other labels of these ``columns`` share. ``before`` are keys of
    other columns, to which this one is added times ``width``; it may be empty. More than ``most``
    groups are -1 groups.
    """
    number = len(first)
    # Column by column, the keys of a block of entries at a time: it may be over before the last.
    block = np.empty(_BLOCK, dtype=np.int64)
    # The table grows with the groups: one for all entries takes longer to make than to use.
    bits = 8
    mask, shift = (1 << bits) - 1, np.uint64(64 - bits)
    slots = np.full(1 << bits, -1, dtype=np.int32)
    ids = np.empty(number, dtype=np.int32)
    keys = np.empty(min(number, most + 1), dtype=np.int64)
    firsts = np.empty(min(number, most + 1), dtype=np.int32)
    groups = 0
    for start in range(0, number, _BLOCK):
        size = min(_BLOCK, number - start)
        block[:size] = 0
        for column in columns:
            of_leaves, leaves = keyed[column, levels[column]], codes[column]
            for at in range(size):
                block[at] += of_leaves[leaves[np.uint64(first[start + at])]]
        for at in range(size):
            entry, key = start + at, block[at]
            if len(before):
                key = key * width + before[entry]
            place = np.int64((np.uint64(key) * _SPREAD) >> shift)
            while slots[place] >= 0 and keys[slots[place]] != key:
                place = (place + 1) & mask
            if slots[place] < 0:
                if groups == most:
                    return -1, ids, firsts
                slots[place], keys[groups], firsts[groups] = groups, key, entry
                groups += 1
            ids[entry] = slots[place]
            if 2 * groups > mask:
                bits += 2
                mask, shift = (1 << bits) - 1, np.uint64(64 - bits)
                slots = np.full(1 << bits, -1, dtype=np.int32)
                for group in range(groups):
                    place = np.int64((np.uint64(keys[group]) * _SPREAD) >> shift)
                    while slots[place] >= 0:
                        place = (place + 1) & mask
                    slots[place] = group
    return groups, ids, firsts[:groups]


@kernel
def sums(ids: Array, counts: Array, groups: int) -> Array:
    """Add up the counts of each group."""
    result = np.zeros(groups, dtype=np.int64)
    for entry in range(len(ids)):
        result[ids[entry]] += counts[entry]
    return result


@kernel
def row_sums(ids: Array, matrix: Array, groups: int) -> Array:
    """Add up the rows of a matrix by group."""
    result = np.zeros((groups, matrix.shape[1]), dtype=np.int64)
    for entry in range(len(ids)):
        for value in range(matrix.shape[1]):
            result[ids[entry], value] += matrix[entry, value]
    return result


@kernel
def penalties(codes: Array, first: Array, rows: Array, costs: Array, levels: Array) -> Array:
    """By column: what so many rows of each class lose more if suppressed than at their levels."""
    result = np.zeros(codes.shape[0])
    for place in range(len(first)):
        if rows[place] == 0:
            continue
        for column in range(codes.shape[0]):
            cost = costs[column, levels[column], codes[column, first[place]]]
            result[column] += rows[place] * (1 - cost)
    return result


@kernel
def raise_below(bounds: Array, costs: Array, shape: Array, at: Array, more: float) -> None:
    """Let all bounds up to a place of a lattice, flat as ``costs``, be at least costs and more."""
    inner = at[-1] + 1
    outer = 1
    for axis in range(len(at) - 1):
        outer *= at[axis] + 1
    is_infinite = np.isinf(more)
    now = np.zeros(len(at), dtype=np.int64)
    for _ in range(outer):
        start = np.int64(0)
        for axis in range(len(at)):
            start = start * shape[axis] + now[axis]
        if is_infinite:
            bounds[start : start + inner] = more
        else:
            for place in range(start, start + inner):
                bounds[place] = max(bounds[place], costs[place] + more)
        for axis in range(len(at) - 2, -1, -1):
            now[axis] += 1
            if now[axis] <= at[axis]:
                break
            now[axis] = 0


@kernel
def smallest_below(packed: Array, sizes: Array, levels: int, guards: int) -> int:
    """The place of the smallest of some things, of those whose packed levels are nowhere above."""
    best = -1
    for place in range(len(sizes)):
        if ((levels | guards) - packed[place]) & guards != guards:
            continue
        if best < 0 or sizes[place] < sizes[best]:
            best = place
    return best
