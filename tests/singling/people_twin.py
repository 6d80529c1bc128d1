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
    found: dict[Row, set[Hashable]] = defaultdict(set)
    for row, person in zip(rows, who, strict=True):
        found[tuple(row[place] for place in places)].add(person)
    return found


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
