"""Levels of columns that reach limits, found by trying few of them.

As Datafly does, the column with the most labels goes up by a level, again and again. Which way that
goes is known before any class is counted, so that the first place on it where all limits hold is
found by halving. Then every column comes down as far as the limits allow. Where a limit does not
go on to hold once it holds, another place may be better; what is returned was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from petaudit.auditing.dropping import ClassLevel, Settings, fewest
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import Hierarchy
from petaudit.measures import find_measure

Levels = dict[str, int]


def levels_for(
    level: ClassLevel, hierarchies: Mapping[str, Hierarchy], settings: Settings
) -> Levels | None:
    """Levels of raw columns at which all limits hold; None where there are none on the way."""
    classes = level.classes
    labels = {column: classes.labels[classes.names.index(column)] for column in hierarchies}
    tried: dict[tuple[int, ...], bool] = {}

    def holds(levels: Levels) -> bool:
        key = tuple(levels.values())
        if key not in tried:
            coarser = at_levels(level, hierarchies, levels)
            tried[key] = all(
                coarser.holds(find_measure(name), options) for name, options in settings.items()
            )
        return tried[key]

    way = _way_up(labels, hierarchies)
    # From the top: if the limits do not hold there, they seldom hold below.
    if len(way) == 1 or not holds(way[-1]):
        return None
    place = fewest(lambda number: holds(way[number]), len(way) - 1)
    if place is None:
        return None
    levels = way[place]
    for column in sorted(levels, key=lambda name: -levels[name]):
        levels = _lowered(levels, column, holds)
    return {column: number for column, number in levels.items() if number}


def at_levels(
    level: ClassLevel, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
) -> ClassLevel:
    """The classes of a table with some columns at these levels."""
    classes = level.classes
    relabelled = {
        column: _labels_at(hierarchies[column], classes.labels[classes.names.index(column)], number)
        for column, number in levels.items()
        if number
    }
    return ClassLevel(level.inputs, classes.relabelled(relabelled))


def _labels_at(hierarchy: Hierarchy, labels: Sequence[str | None], level: int) -> list[str | None]:
    """Labels at a level; what is suppressed already stays so."""
    return [
        SUPPRESSED
        if label == SUPPRESSED and not hierarchy.is_leaf(label)
        else hierarchy.generalize(label, level)
        for label in labels
    ]


def _way_up(
    labels: Mapping[str, Sequence[str | None]], hierarchies: Mapping[str, Hierarchy]
) -> list[Levels]:
    """From the raw values to the roots, the column with the most labels a level up each time."""
    groups = {
        column: [
            len(set(_labels_at(hierarchy, labels[column], level)))
            for level in range(hierarchy.levels)
        ]
        for column, hierarchy in hierarchies.items()
    }
    way = [dict.fromkeys(hierarchies, 0)]
    while True:
        here = way[-1]
        can_go_up = [column for column in here if here[column] + 1 < len(groups[column])]
        if not can_go_up:
            return way
        chosen = max(can_go_up, key=lambda column: groups[column][here[column]])
        way.append({**here, chosen: here[chosen] + 1})


def _lowered(levels: Levels, column: str, holds: Callable[[Levels], bool]) -> Levels:
    """The same with the lowest level of a column that still does."""
    top = levels[column]
    if not top or holds({**levels, column: 0}):
        return {**levels, column: 0}
    number = fewest(lambda number: number == top or holds({**levels, column: number}), top, top)
    return {**levels, column: top if number is None else number}
