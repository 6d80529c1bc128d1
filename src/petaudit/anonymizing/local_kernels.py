"""Local recoding, top down: the inner loops, compiled by numba.

A part holds items (combinations, or combinations of a person) whose labels agree at the levels of
the part, so that it is a class. It is split by the labels of one column at a finer level; what of
it would break a limit stays behind together, at the level that it has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from petaudit.singling.kernels import kernel

Array = npt.NDArray[Any]

DISTINCT, ENTROPY, RECURSIVE, CLOSENESS, ORDERED, SHARE, GAIN, LOG_GAIN, LOG = range(9)
"""The kinds of limits of sensitive values."""


@kernel
def keeps_limits(  # noqa: PLR0915 (one loop over limits of all kinds)
    rows: int, people: int, counts: Array, smallest: int, limits: tuple[Any, ...]
) -> bool:
    """Whether a class keeps the limits, with a little more than nothing to spare.

    ``limits`` are, per limit: its kind and numbers; where the values of its attribute begin and
    end; the place of the null among them. ``nodes`` are groups of values, ``totals`` their rows in
    the whole table.
    """
    if people < smallest:
        return False
    kinds, numbers, starts, stops, nulls, whole, nodes, totals, scratch = limits
    for place in range(len(kinds)):
        kind, start, stop, null = kinds[place], starts[place], stops[place], nulls[place]
        missing = counts[null] if null >= 0 else 0
        if kind in (CLOSENESS, ORDERED):
            table = 0
            for value in range(start, stop):
                table += whole[value]
            far = 0.0
            groups = int(numbers[place, 2])
            level_start = int(numbers[place, 3])
            for level in range(level_start, level_start + groups):
                width = 0
                for value in range(start, stop):
                    node = nodes[level, value]
                    if node >= width:
                        for more in range(width, node + 1):
                            scratch[more] = 0
                        width = node + 1
                    scratch[node] += counts[value]
                if kind == ORDERED:
                    reached = expected = 0
                    for node in range(width - 1):
                        reached += scratch[node]
                        expected += totals[level, node]
                        far += abs(float(reached) * table - float(expected) * rows)
                else:
                    for node in range(width):
                        far += abs(float(scratch[node]) * table - float(totals[level, node]) * rows)
            if far > numbers[place, 0] * numbers[place, 1] * table * rows * (1 - 1e-12):
                return False
            continue
        if kind >= GAIN:
            table = 0
            for value in range(start, stop):
                table += whole[value]
            for value in range(start, stop):
                if whole[value] == 0:
                    continue
                if counts[value] == 0:
                    if kind == LOG and numbers[place, 1] > 0:
                        return False
                    continue
                ratio = float(counts[value]) * table / (float(whole[value]) * rows)
                if kind == LOG:
                    if abs(np.log(ratio)) > numbers[place, 0] * (1 - 1e-12) - 1e-12:
                        return False
                    continue
                if ratio - 1 > numbers[place, 0] * (1 - 1e-12):
                    return False
                if kind == LOG_GAIN and whole[value] < table:
                    bound = -np.log(float(whole[value]) / table)
                    if ratio - 1 > bound * (1 - 1e-12):
                        return False
            continue
        most, distinct, commonest = 0, 0, -1
        for value in range(start, stop):
            if value != null and counts[value] > 0:
                distinct += 1
                if counts[value] > most:
                    most, commonest = counts[value], value
        if distinct == 0:
            distinct, most, commonest, missing = 1, missing, null, 0
        if kind == DISTINCT:
            if distinct < numbers[place, 0]:
                return False
        elif kind == SHARE:
            if (most + missing) > numbers[place, 0] * rows * (1 - 1e-12):
                return False
        elif kind == ENTROPY:
            entropy = 0.0
            for value in range(start, stop):
                count = counts[value] + (missing if value == commonest else 0)
                if count > 0 and (value != null or commonest == null):
                    entropy -= count / rows * np.log(count / rows)
            if entropy < np.log(numbers[place, 0]) * (1 - 1e-12) + 1e-12 and (
                numbers[place, 0] > 1
            ):
                return False
        elif kind == RECURSIVE:
            first = most + missing
            if distinct < numbers[place, 1]:
                return False
            # The counts from rank l on: all but the largest l - 1.
            rest = rows - (first if numbers[place, 1] > 1 else 0)
            taken = 0
            for value in range(start, stop):
                scratch[value - start] = 0
            for _ in range(int(numbers[place, 1]) - 2):
                largest, at = -1, -1
                for value in range(start, stop):
                    if value in (commonest, null) or scratch[value - start]:
                        continue
                    if counts[value] > largest:
                        largest, at = counts[value], value
                scratch[at - start] = 1
                taken += largest
            if first >= numbers[place, 0] * (rest - taken) * (1 - 1e-12):
                return False
    return True


@kernel
def assess(  # noqa: PLR0915 (parts of it would have to hand ten arrays around)
    data: tuple[Any, ...],
    order: Array,
    start: int,
    stop: int,
    column: int,
    level: int,
    now: int,
    smallest: int,
    limits: tuple[Any, ...],
    is_free: bool,
    work: tuple[Any, ...],
) -> tuple[float, float, int]:
    """What comes of splitting a part: gain, bits, and the number of labels; -1 where nothing can.

    ``ok`` says of every label whether it becomes a part of its own.
    """
    codes, combos, rows, persons, value_starts, values, value_counts, labels, costs = data
    in_label, people, last, matrix, ok, touched, left_counts = work
    number = 0
    width = matrix.shape[1]
    for at in range(start, stop):
        item = order[at]
        label = labels[column, level, codes[column, combos[item]]]
        if in_label[label] == 0:
            touched[number] = label
            number += 1
            people[label] = 0
            last[label] = -1
            for value in range(width):
                matrix[label, value] = 0
        in_label[label] += rows[item]
        if persons[item] < 0:
            people[label] += rows[item]
        elif last[label] != persons[item]:
            last[label] = persons[item]
            people[label] += 1
        for pair in range(value_starts[item], value_starts[item + 1]):
            matrix[label, values[pair]] += value_counts[pair]
    left_rows = 0
    apart = 0
    total = 0
    for place in range(number):
        label = touched[place]
        total += in_label[label]
        ok[label] = keeps_limits(in_label[label], people[label], matrix[label], smallest, limits)
        if ok[label]:
            apart += 1
        else:
            left_rows += in_label[label]
    if left_rows and not is_free:
        for value in range(width):
            left_counts[value] = 0
        for place in range(number):
            if not ok[touched[place]]:
                for value in range(width):
                    left_counts[value] += matrix[touched[place], value]
        while apart:
            left_people = left_rows
            if persons[order[start]] >= 0:
                left_people, who = 0, -1
                for at in range(start, stop):
                    item = order[at]
                    stays = not ok[labels[column, level, codes[column, combos[item]]]]
                    if stays and persons[item] != who:
                        who = persons[item]
                        left_people += 1
            if keeps_limits(left_rows, left_people, left_counts, smallest, limits):
                break
            # The smallest part that mends it on its own, or else the smallest of all.
            fewest, mends = -1, False
            for place in range(number):
                label = touched[place]
                if not ok[label]:
                    continue
                does = False
                if width and (not mends or in_label[label] < in_label[fewest]):
                    for value in range(width):
                        left_counts[value] += matrix[label, value]
                    both = left_rows + in_label[label]
                    does = keeps_limits(both, both, left_counts, 1, limits)
                    for value in range(width):
                        left_counts[value] -= matrix[label, value]
                is_smaller = fewest < 0 or in_label[label] < in_label[fewest]
                if (does and not mends) or (does == mends and is_smaller):
                    fewest, mends = label, does
            ok[fewest] = False
            apart -= 1
            left_rows += in_label[fewest]
            for value in range(width):
                left_counts[value] += matrix[fewest, value]
    gain, bits = 0.0, 0.0
    if apart:
        for at in range(start, stop):
            item = order[at]
            leaf = codes[column, combos[item]]
            if ok[labels[column, level, leaf]]:
                gain += rows[item] * (costs[column, now, leaf] - costs[column, level, leaf])
        for place in range(number):
            label = touched[place]
            if ok[label]:
                bits += in_label[label] * np.log2(total / in_label[label])
        if left_rows:
            bits += left_rows * np.log2(total / left_rows)
    for place in range(number):
        in_label[touched[place]] = 0
    return gain, bits, number if apart else -1


@kernel
def specialised(
    data: tuple[Any, ...], order: Array, start: int, stop: int, levels: Array, lowest: Array
) -> None:
    """Take the finest levels at which all items of a part still have the same labels."""
    codes, combos, labels = data[0], data[1], data[7]
    for column in range(len(levels)):
        while levels[column] > lowest[column]:
            level = levels[column] - 1
            label = labels[column, level, codes[column, combos[order[start]]]]
            same = True
            for at in range(start + 1, stop):
                if labels[column, level, codes[column, combos[order[at]]]] != label:
                    same = False
                    break
            if not same:
                break
            levels[column] = level


@kernel
def refine(  # noqa: PLR0915 (as above)
    data: tuple[Any, ...],
    order: Array,
    starts: Array,
    stops: Array,
    first_levels: Array,
    is_free: Array,
    lowest: Array,
    smallest: int,
    limits: tuple[Any, ...],
    work: tuple[Any, ...],
    power: float,
    is_deep: bool,
    forced: int,
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array]:
    """Split parts until no split keeps the limits; return the nodes, parents before their children.

    They have: the parent, the column of the split (-1: a leaf), where the items begin and end, and
    the levels when they came and when they were split. A split is chosen by its gain over its bits
    to some ``power``: a class of n rows can be split by log2(n / k) bits in all. ``is_deep``: also
    to levels that are several steps down. ``forced``: the column of the first split, where it is
    possible; -1 for any. Last come the part that a node is of, and what the rows of a leaf lose.
    """
    columns = len(lowest)
    most = 2 * len(order) + len(starts) + 2
    parent = np.full(most, -1, dtype=np.int64)
    split_column = np.full(most, -1, dtype=np.int64)
    begin = np.zeros(most, dtype=np.int64)
    end = np.zeros(most, dtype=np.int64)
    came = np.zeros((most, columns), dtype=np.int8)
    now = np.zeros((most, columns), dtype=np.int8)
    free = np.zeros(most, dtype=np.bool_)
    part = np.zeros(most, dtype=np.int64)
    lost = np.zeros(most)
    nodes = 0
    for place in range(len(starts)):
        begin[nodes], end[nodes] = starts[place], stops[place]
        came[nodes] = first_levels[place]
        free[nodes] = is_free[place]
        part[nodes] = place
        nodes += 1
    codes, combos, labels = data[0], data[1], data[7]
    ok, touched = work[4], work[5]
    spare = np.empty_like(order)
    node = 0
    while node < nodes:
        start, stop = begin[node], end[node]
        now[node] = came[node]
        if not free[node]:
            specialised(data, order, start, stop, now[node], lowest)
        best, column, level = 0.0, -1, -1
        for place in range(columns):
            at = now[node, place]
            for finer in range(at - 1, lowest[place] - 1, -1):
                gain, bits, number = assess(
                    data, order, start, stop, place, finer, at, smallest, limits, free[node], work
                )
                if number >= 0 and gain > 0:
                    score = gain / max(bits, 1e-9) ** power
                    if place == forced and node < len(starts):
                        score += 1e18
                    if score > best * (1 + 1e-12):
                        best, column, level = score, place, finer
                if not is_deep and number > 1:
                    break
        if column < 0:
            for at in range(start, stop):
                item = order[at]
                for place in range(columns):
                    leaf = codes[place, combos[item]]
                    lost[node] += data[2][item] * data[8][place, now[node, place], leaf]
            node += 1
            continue
        _, _, number = assess(
            data, order, start, stop, column, level, now[node, column], smallest, limits,
            free[node], work,
        )  # fmt: skip
        split_column[node] = column
        chosen = np.sort(touched[:number])
        place_of = work[1]
        for place in range(number):
            place_of[chosen[place]] = place if ok[chosen[place]] else number
        sizes = np.zeros(number + 2, dtype=np.int64)
        for at in range(start, stop):
            sizes[place_of[labels[column, level, codes[column, combos[order[at]]]]] + 1] += 1
        for place in range(number + 1):
            sizes[place + 1] += sizes[place]
            if sizes[place + 1] == sizes[place]:
                continue
            parent[nodes] = node
            part[nodes] = part[node]
            begin[nodes], end[nodes] = start + sizes[place], start + sizes[place + 1]
            came[nodes] = now[node]
            if place < number:
                came[nodes, column] = level
            else:
                free[nodes] = free[node]
            nodes += 1
        for at in range(start, stop):
            place = place_of[labels[column, level, codes[column, combos[order[at]]]]]
            spare[start + sizes[place]] = order[at]
            sizes[place] += 1
        order[start:stop] = spare[start:stop]
        node += 1
    return (
        parent[:nodes],
        split_column[:nodes],
        begin[:nodes],
        end[:nodes],
        came[:nodes],
        now[:nodes],
        part[:nodes],
        lost[:nodes],
    )
