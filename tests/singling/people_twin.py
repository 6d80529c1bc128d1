"""Who is singled out, from the definition alone: every combination counts every row again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any

Row = tuple[Any, ...]


def people_by_values(
    rows: Sequence[Row], who: Sequence[Hashable], places: Sequence[int]
) -> dict[Row, set[Hashable]]:
    """The people who have the same values in some columns."""
    result: dict[Row, set[Hashable]] = defaultdict(set)
    for row, person in zip(rows, who, strict=True):
        result[tuple(row[place] for place in places)].add(person)
    return result


def singled_out(
    synthetic: Sequence[Row],
    target: Sequence[Row],
    sizes: Iterable[int],
    synthetic_who: Sequence[Hashable] | None = None,
    target_who: Sequence[Hashable] | None = None,
) -> tuple[set[Hashable], set[int]]:
    """The target's people whom some synthetic row points at, and the rows that point at somebody.

    Where nobody has several rows, rows are people.
    """
    made_by = range(len(synthetic)) if synthetic_who is None else synthetic_who
    belongs_to = range(len(target)) if target_who is None else target_who
    people: set[Hashable] = set()
    rows: set[int] = set()
    columns = len(synthetic[0]) if synthetic else 0
    for size in sizes:
        for places in combinations(range(columns), size):
            theirs = people_by_values(target, belongs_to, places)
            ours = people_by_values(synthetic, made_by, places)
            for number, row in enumerate(synthetic):
                values = tuple(row[place] for place in places)
                matches = theirs.get(values, set())
                if len(ours[values]) == 1 and len(matches) == 1:
                    people |= matches
                    rows.add(number)
    return people, rows


def strangers_singled_out(
    synthetic: Sequence[Row],
    target: Sequence[Row],
    strangers: Sequence[Row],
    sizes: Sequence[int],
    target_who: Sequence[Hashable] | None = None,
    strangers_who: Sequence[Hashable] | None = None,
    *,
    equal_is_same: bool,
) -> tuple[set[Hashable], set[Hashable]]:
    """The strangers who would be singled out if they, and nobody else, were in the target, too.

    And those who would be if somebody of the target were not there.
    """
    belongs_to = list(range(len(target)) if target_who is None else target_who)
    names = range(len(strangers)) if strangers_who is None else strangers_who
    result: set[Hashable] = set()
    nearly: set[Hashable] = set()
    inside, _ = singled_out(synthetic, target, sizes, None, belongs_to)
    almost = nearly_singled_out(synthetic, target, belongs_to, sizes)
    for name in dict.fromkeys(names):
        rows = [row for row, entry in zip(strangers, names, strict=True) if entry == name]
        if equal_is_same and rows[0] in target:
            me = belongs_to[target.index(rows[0])]
            is_exposed, is_nearly = me in inside, me in almost
        else:
            me = ("stranger", name)
            everybody = [*belongs_to, *[me] * len(rows)]
            is_exposed = me in singled_out(synthetic, [*target, *rows], sizes, None, everybody)[0]
            is_nearly = me in nearly_singled_out(synthetic, [*target, *rows], everybody, sizes)
        if is_exposed:
            result.add(name)
        elif is_nearly:
            nearly.add(name)
    return result, nearly


def nearly_singled_out(
    synthetic: Sequence[Row], target: Sequence[Row], who: Sequence[Hashable], sizes: Sequence[int]
) -> set[Hashable]:
    """The people who are not singled out, and would be without some other person."""
    result: set[Hashable] = set()
    for gone in dict.fromkeys(who):
        rest = [(row, entry) for row, entry in zip(target, who, strict=True) if entry != gone]
        result |= singled_out(
            synthetic, [row for row, _ in rest], sizes, None, [entry for _, entry in rest]
        )[0]
    return result - singled_out(synthetic, target, sizes, None, who)[0]
