"""The inner loops of the search for nearest rows, compiled by numba.

A tree is a list of nodes: ``first[node]`` is its first child, whose sister follows, or -1 for a
leaf; the rows below it are ``starts[node]`` to ``stops[node]``. ``low`` and ``high`` are the box of
its numbers without nulls, empty where low is above high; ``codes`` has a bit for each category
modulo 64, and in a column of numbers a single bit for nulls. Of whatever is outside of both a node
has no row, so the bound of a node is never above the distance of a row in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from petaudit.attacks.mixed_rows import Steps, Weights
from petaudit.singling.kernels import Bytes, Indices, Words, kernel

LEAF = 128
"""As many rows as a leaf has at most."""
_SAMPLE = 64
"""Rows of a node that choose where it is split."""
_NO_LOW, _NO_HIGH = 2**31 - 1, -(2**31)


@kernel
def first_equal(rows: npt.NDArray[Any], table: Indices, first: Indices) -> None:
    """Find for each row the first that is equal to it; ``table`` is twice as long, and all -1."""
    size = np.uint64(len(table))
    for row in range(len(rows)):
        key = np.uint64(1469598103934665603)
        for column in range(rows.shape[1]):
            key = (key ^ np.uint64(rows[row, column])) * np.uint64(1099511628211)
            key ^= key >> np.uint64(29)
        place = key % size
        while True:
            other = table[place]
            if other < 0:
                table[place] = first[row] = row
                break
            is_equal = True
            for column in range(rows.shape[1]):
                if rows[row, column] != rows[other, column]:
                    is_equal = False
                    break
            if is_equal:
                first[row] = other
                break
            place = np.uint64(0) if place + np.uint64(1) == size else place + np.uint64(1)


@kernel
def grow(
    rows: Steps,
    weights: Weights,
    unit: float,
    is_category: Bytes,
    order: Indices,
    first: Indices,
    starts: Indices,
    stops: Indices,
) -> int:
    """Split rows, a row per point, until leaves are small; return how many nodes there are."""
    columns = rows.shape[1]
    sample = np.empty(_SAMPLE, np.int32)
    starts[0], stops[0] = 0, len(order)
    nodes, node = 1, 0
    while node < nodes:
        start, stop = starts[node], stops[node]
        first[node] = -1
        if stop - start > LEAF:
            best, at, threshold = 0.0, -1, 0
            many = min(stop - start, _SAMPLE)
            for column in range(columns):
                for i in range(many):
                    sample[i] = rows[order[start + i * (stop - start) // many], column]
                score, middle = _spread(np.sort(sample[:many]), is_category[column])
                if not is_category[column]:
                    score = min(score * weights[column], unit)
                else:
                    score *= unit
                if score > best:
                    best, at, threshold = score, column, middle
            if at < 0:
                at, threshold = _any_difference(rows, order, start, stop)
            if at >= 0:
                left, right = start, stop - 1
                while left <= right:
                    if rows[order[left], at] <= threshold:
                        left += 1
                    else:
                        order[left], order[right] = order[right], order[left]
                        right -= 1
                first[node] = nodes
                starts[nodes], stops[nodes] = start, left
                starts[nodes + 1], stops[nodes + 1] = left, stop
                nodes += 2
        node += 1
    return nodes


@kernel
def enclose(
    rows: Steps,
    is_category: Bytes,
    nulls: Steps,
    first: Indices,
    starts: Indices,
    stops: Indices,
    low: Steps,
    high: Steps,
    codes: Words,
) -> None:
    """Find the boxes and the categories of nodes; rows are in the order of leaves."""
    # Children come after their parents.
    for node in range(len(first) - 1, -1, -1):
        child = first[node]
        for column in range(rows.shape[1]):
            if child >= 0:
                low[node, column] = min(low[child, column], low[child + 1, column])
                high[node, column] = max(high[child, column], high[child + 1, column])
                codes[node, column] = codes[child, column] | codes[child + 1, column]
                continue
            low[node, column], high[node, column], codes[node, column] = _NO_LOW, _NO_HIGH, 0
            for i in range(starts[node], stops[node]):
                value = rows[i, column]
                if is_category[column]:
                    codes[node, column] |= np.uint64(1) << np.uint64(value & 63)
                elif value == nulls[column]:
                    codes[node, column] = 1
                else:
                    low[node, column] = min(low[node, column], value)
                    high[node, column] = max(high[node, column], value)


@kernel
def _spread(values: Steps, is_category: bool) -> tuple[float, int]:
    """How far two sorted values are apart on average, and the split nearest to the middle."""
    many = len(values)
    if values[0] == values[-1]:
        return 0.0, 0
    score, run, nearest, middle = 0.0, 1, many, 0
    for i in range(many):
        if is_category:
            if i + 1 < many and values[i + 1] == values[i]:
                run += 1
            else:
                score += run / many * (1 - run / many)
                run = 1
        else:
            score += 2.0 * (2 * i - many + 1) * values[i] / many / many
        if i + 1 < many and values[i + 1] != values[i] and abs(2 * (i + 1) - many) < nearest:
            nearest, middle = abs(2 * (i + 1) - many), values[i]
    return score, middle


@kernel
def _any_difference(rows: Steps, order: Indices, start: int, stop: int) -> tuple[int, int]:
    """A column in which some row differs from the first, and the smaller value."""
    for i in range(start + 1, stop):
        for column in range(rows.shape[1]):
            one, other = rows[order[start], column], rows[order[i], column]
            if one != other:
                return column, min(one, other)
    return -1, 0


@kernel
def _bound(
    query: Steps,
    low: Steps,
    high: Steps,
    codes: Words,
    weights: Weights,
    unit: float,
    is_category: Bytes,
    nulls: Steps,
) -> float:
    """What every row of a node is away from a point at least."""
    total = 0.0
    for column in range(len(query)):
        value = query[column]
        if is_category[column]:
            if not (codes[column] >> np.uint64(value & 63)) & np.uint64(1):
                total += unit
        elif value == nulls[column]:
            if not codes[column]:
                total += unit
        elif low[column] > high[column]:
            total += unit
        elif value < low[column]:
            total += (low[column] - value) * weights[column]
        elif value > high[column]:
            total += (value - high[column]) * weights[column]
    return total


@kernel
def _distances(
    query: Steps,
    cells: Steps,
    start: int,
    stop: int,
    weights: Weights,
    unit: float,
    enough: float,
    away: Weights,
) -> float:
    """Write how far the rows of a leaf are from a point; return the least.

    Where half of the columns put all of them beyond what is enough, the others are not looked at.
    """
    many, half = stop - start, len(query) // 2
    for i in range(many):
        away[i] = 0.0
    least = 0.0
    for part in range(2):
        for column in range(half if part else 0, len(query) if part else half):
            value, weight = query[column], weights[column]
            these = cells[column, start:stop]
            for i in range(many):
                apart = abs(these[i] - value) * weight
                away[i] += apart if apart < unit else unit
        least = np.inf
        for i in range(many):
            least = away[i] if away[i] < least else least
        if least > enough:
            return least
    return least


@kernel
def _look(
    away: Weights,
    start: int,
    stop: int,
    counts: Indices,
    secrets: Steps,
    wanted: int,
    tolerance: float,
    so_far: tuple[float, float, int, int],
) -> tuple[float, float, int, int]:
    """Take the rows of a leaf into account: nearest and next distance, ties and hits so far."""
    nearest_yet, next_yet, tied, hit = so_far
    for i in range(stop - start):
        apart = away[i]
        if apart > nearest_yet:
            next_yet = min(next_yet, apart)
            continue
        if apart < nearest_yet:
            next_yet, nearest_yet, tied, hit = nearest_yet, apart, 0, 0
        row = start + i
        tied += counts[row]
        if abs(secrets[row] - wanted) <= tolerance:
            hit += counts[row]
    return nearest_yet, next_yet, tied, hit


@kernel
def nearest(
    queries: Steps,
    cells: Steps,
    counts: Indices,
    first: Indices,
    starts: Indices,
    stops: Indices,
    low: Steps,
    high: Steps,
    codes: Words,
    weights: Weights,
    unit: float,
    is_category: Bytes,
    nulls: Steps,
    secrets: Steps,
    wanted: Steps,
    tolerances: Weights,
    wants_second: bool,
    by_tree: bool,
    best: Weights,
    second: Weights,
    ties: Indices,
    hits: Indices,
) -> int:
    """Find the nearest rows of each query; return how many rows and nodes were looked at.

    ``best`` is their distance, ``second`` that of the second nearest row, ``ties`` how many are as
    near as the nearest, and ``hits`` how many of these have the wanted secret, within a tolerance.
    Each row counts ``counts`` times. Without the tree, all rows are looked at.
    """
    away = np.empty(LEAF, np.float64)
    stack, bounds = np.empty(len(first) + 1, np.int64), np.empty(len(first) + 1, np.float64)
    looked_at, rows = 0, cells.shape[1]
    for q in range(len(queries)):
        query = queries[q]
        so_far = (np.inf, np.inf, 0, 0)
        stack[0], bounds[0], top = 0, 0.0, 1
        while top and by_tree:
            top -= 1
            node = stack[top]
            if bounds[top] > (so_far[1] if wants_second else so_far[0]):
                continue
            child = first[node]
            if child >= 0:
                looked_at += 2
                left = _bound(
                    query, low[child], high[child], codes[child], weights, unit, is_category, nulls
                )
                right = _bound(
                    query, low[child + 1], high[child + 1], codes[child + 1], weights, unit,
                    is_category, nulls,
                )  # fmt: skip
                near = 0 if left <= right else 1
                stack[top], bounds[top] = child + 1 - near, max(left, right)
                stack[top + 1], bounds[top + 1] = child + near, min(left, right)
                top += 2
                continue
            start, stop = starts[node], stops[node]
            looked_at += stop - start
            enough = so_far[1] if wants_second else so_far[0]
            if _distances(query, cells, start, stop, weights, unit, enough, away) <= enough:
                so_far = _look(away, start, stop, counts, secrets, wanted[q], tolerances[q], so_far)
        for start in range(0, 0 if by_tree else rows, LEAF):
            stop = min(start + LEAF, rows)
            looked_at += stop - start
            enough = so_far[1]
            if _distances(query, cells, start, stop, weights, unit, enough, away) <= enough:
                so_far = _look(away, start, stop, counts, secrets, wanted[q], tolerances[q], so_far)
        best[q], second[q], ties[q], hits[q] = so_far
        if ties[q] > 1:
            second[q] = best[q]
    return looked_at


@kernel
def count_within(
    queries: Steps,
    cells: Steps,
    counts: Indices,
    first: Indices,
    starts: Indices,
    stops: Indices,
    low: Steps,
    high: Steps,
    codes: Words,
    weights: Weights,
    unit: float,
    is_category: Bytes,
    nulls: Steps,
    radii: Weights,
    nearer: Indices,
    level: Indices,
) -> None:
    """Count the rows that are nearer to each query than its radius, and those as far away."""
    away = np.empty(LEAF, np.float64)
    stack = np.empty(len(first) + 1, np.int64)
    for q in range(len(queries)):
        query, radius = queries[q], radii[q]
        inside, at = 0, 0
        stack[0], top = 0, 1
        while top:
            top -= 1
            node = stack[top]
            if (
                _bound(query, low[node], high[node], codes[node], weights, unit, is_category, nulls)
                > radius
            ):
                continue
            child = first[node]
            if child >= 0:
                stack[top], stack[top + 1] = child, child + 1
                top += 2
                continue
            start, stop = starts[node], stops[node]
            if _distances(query, cells, start, stop, weights, unit, radius, away) > radius:
                continue
            for i in range(stop - start):
                if away[i] < radius:
                    inside += counts[start + i]
                elif away[i] == radius:
                    at += counts[start + i]
        nearer[q], level[q] = inside, at
