"""The inner loops that group combinations, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from petaudit.singling.kernels import kernel

Array = npt.NDArray[Any]


@kernel
def group_keys(
    codes: Array, first: Array, keyed: Array, levels: Array, before: Array, width: int, most: int
) -> tuple[int, Array, Array]:
    """Group entries by their labels: how many groups, the group of each, the first entry of each.

    An entry stands for the combination ``first[entry]``; ``keyed[column, level, leaf]`` is the
    label's part of a key that no other labels share. ``before`` are keys of other columns, to which
    this one is added times ``width``; it may be empty. More than ``most`` groups are -1 groups.
    """
    number = len(first)
    bits = 4
    while (1 << bits) < 2 * min(number, most + 1):
        bits += 1
    mask, shift = (1 << bits) - 1, np.uint64(64 - bits)
    slots = np.full(1 << bits, -1, dtype=np.int32)
    keys = np.empty(1 << bits, dtype=np.int64)
    ids = np.empty(number, dtype=np.int32)
    firsts = np.empty(min(number, most + 1), dtype=np.int32)
    groups = 0
    columns = codes.shape[0]
    for entry in range(number):
        combination = first[entry]
        key = np.int64(0)
        for column in range(columns):
            key += keyed[column, levels[column], codes[column, combination]]
        if len(before):
            key = key * width + before[entry]
        place = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while slots[place] >= 0 and keys[place] != key:
            place = (place + 1) & mask
        if slots[place] < 0:
            if groups == most:
                return -1, ids, firsts
            slots[place] = groups
            keys[place] = key
            firsts[groups] = entry
            groups += 1
        ids[entry] = slots[place]
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
def penalties(
    codes: Array, combinations: Array, weights: Array, costs: Array, levels: Array
) -> Array:
    """By column: what rows lose more if they are suppressed than at their levels."""
    result = np.zeros(codes.shape[0])
    for place in range(len(combinations)):
        combination, weight = combinations[place], weights[place]
        for column in range(codes.shape[0]):
            cost = costs[column, levels[column], codes[column, combination]]
            result[column] += weight * (1 - cost)
    return result
