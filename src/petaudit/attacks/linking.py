"""Linking by several nearest rows: every row with every row, because sets of them are compared.

The ``k`` nearest rows by a list are those nearer than the k-th, and as many as are missing drawn at
random from the rows as far away as that. What is wanted is the probability that the rows by both
lists have one in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from petaudit.attacks.mixed_rows import MixedRows, Steps, Weights
from petaudit.attacks.nearest import different_rows, in_blocks
from petaudit.attacks.tables import AttackTables
from petaudit.singling.control import SYNTHETIC
from petaudit.singling.kernels import kernel


def linked_among(
    tables: AttackTables, table: int, lists: Sequence[Sequence[str]], neighbours: int
) -> Weights:
    """For each row of a table, the probability that both lists lead to the same synthetic row."""
    rows = tables.rows
    first, second = (rows.places(names) for names in lists)
    places = [*first, *second]
    others = rows.of_table(SYNTHETIC)
    cells = tables.array((len(places), others.stop - others.start), np.int32)
    for row, place in enumerate(places):
        cells[row] = rows.steps[place, others]
    wanted = min(neighbours, cells.shape[1])
    people = []
    for block in tables.blocks(table):
        points = np.ascontiguousarray(rows.steps[places, block].T)
        which, group, _ = different_rows(points)
        people.append(_of_points(points[which], cells, len(first), rows, places, wanted)[group])
    return np.concatenate(people)


def _of_points(
    points: Steps,
    cells: Steps,
    columns: int,
    rows: MixedRows,
    places: Sequence[int],
    neighbours: int,
) -> Weights:
    linked = np.empty(len(points))

    def look(part: slice) -> None:
        given: list[Any] = [points[part], cells, columns, rows.weights[places], rows.unit]
        given += [neighbours, linked[part]]
        _link(*given)

    in_blocks(len(points), look, None)
    return linked


@kernel
def _link(
    queries: Steps,
    cells: Steps,
    columns: int,
    weights: Weights,
    unit: float,
    neighbours: int,
    linked: Weights,
) -> None:
    """The same for points; the first ``columns`` are those of the first list."""
    many = cells.shape[1]
    one, other = np.empty(many), np.empty(many)
    for q in range(len(queries)):
        one[:] = 0
        other[:] = 0
        for column in range(len(cells)):
            value, weight = queries[q, column], weights[column]
            away = one if column < columns else other
            for row in range(many):
                apart = abs(cells[column, row] - value) * weight
                away[row] += apart if apart < unit else unit
        far_one = np.partition(one, neighbours - 1)[neighbours - 1]
        far_other = np.partition(other, neighbours - 1)[neighbours - 1]
        sure_one, sure_other, ties_one, ties_other = 0, 0, 0, 0
        certain, in_other, in_one, both = 0, 0, 0, 0
        for row in range(many):
            is_near, is_tied = one[row] < far_one, one[row] == far_one
            sure_one += is_near
            ties_one += is_tied
            if other[row] < far_other:
                sure_other += 1
                certain += is_near
                in_one += is_tied
            elif other[row] == far_other:
                ties_other += 1
                in_other += is_near
                both += is_tied
        if certain:
            linked[q] = 1.0
        else:
            drawn = (neighbours - sure_one, neighbours - sure_other)
            linked[q] = 1 - _apart(ties_one, ties_other, drawn, in_one, in_other, both)


@kernel
def _apart(
    ties_one: int, ties_other: int, drawn: tuple[int, int], in_one: int, in_other: int, both: int
) -> float:
    """The probability that rows drawn from the ties of either list have none in common.

    Of the ties of one list, ``in_one`` are certain by the other; ``both`` are tied by both.
    """
    some, others = drawn
    total = 0.0
    for shared in range(min(some, both) + 1):
        log = _log_choose(both, shared) + _log_choose(ties_one - in_one - both, some - shared)
        log += _log_choose(ties_other - in_other - shared, others)
        log -= _log_choose(ties_one, some) + _log_choose(ties_other, others)
        total += math.exp(log)
    return min(total, 1.0)


@kernel
def _log_choose(many: int, some: int) -> float:
    if some < 0 or some > many:
        return -np.inf
    return math.lgamma(many + 1.0) - math.lgamma(some + 1.0) - math.lgamma(many - some + 1.0)
