"""Random tables with the population that they were drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import strategies
import twins
from measures import population_twin as twin
from petaudit.inputs import Inputs, gather
from strategies import NULL, STAR, generalized

LIMITS = st.sampled_from(
    [Fraction(1, n) for n in (1, 2, 3, 4, 5, 7, 10)] + [Fraction(2, 3), Fraction(0)]
)


@dataclass(frozen=True)
class Populace:
    """A released table and its population, both as rows of labels."""

    table: list[twin.Row]
    population: list[twin.Row]
    names: tuple[str, ...]
    hierarchies: dict[str, twins.Hierarchy]
    suppressed: str

    @property
    def inputs(self) -> Inputs:
        return gather(
            arrow(self.table, self.names),
            population=arrow(self.population, self.names),
            quasi_identifiers=self.names,
            hierarchies={
                name: strategies.given_hierarchy(paths) for name, paths in self.hierarchies.items()
            },
            suppressed=self.suppressed,  # type: ignore[arg-type]
        )

    @property
    def alone(self) -> Inputs:
        """The table without its population."""
        return gather(
            arrow(self.table, self.names),
            quasi_identifiers=self.names,
            suppressed=self.suppressed,  # type: ignore[arg-type]
        )

    @property
    def people(self) -> list[twin.Row]:
        """The population in the labels of the table, by the twin."""
        paths = [
            _paths(self.hierarchies[name]) if name in self.hierarchies else None
            for name in self.names
        ]
        return twin.translated(self.population, self.table, paths)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Rows and people of every class, by the twin."""
        return twin.class_pairs(self.table, self.people, len(self.population), self.suppressed)

    @property
    def own_pairs(self) -> list[tuple[int, int]]:
        return twin.own_pairs(self.table, self.suppressed)


def arrow(rows: list[twin.Row], names: tuple[str, ...]) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.table(
        {name: pa.array(cells, pa.string()) for name, cells in zip(names, columns, strict=True)}
    )


def _paths(hierarchy: twins.Hierarchy) -> dict[str | None, list[tuple[int, str | None]]]:
    """From every label, at the lowest level that has it, up to the root."""
    full = [[leaf, *path] for leaf, path in twins.with_root(hierarchy).items()]
    result: dict[str | None, list[tuple[int, str | None]]] = {}
    for level in range(len(full[0])):
        for path in full:
            above = [(at, _cell(label)) for at, label in enumerate(path) if at >= level]
            result.setdefault(_cell(path[level]), above)
    result.setdefault(STAR, [(len(full[0]) - 1, _cell(full[0][-1]))])
    return result


def _cell(label: str) -> str | None:
    return None if label == NULL else label


_NUMBERS = st.integers(0, 6**9 - 1)


@st.composite
def populaces(draw: st.DrawFn, *, most_people: int = 25) -> Populace:
    """Draw people, generalise all columns alike or cell by cell, release a part of the rows.

    The population is raw, or generalised as the table is; a few rows may be missing from it.
    """
    names = strategies.QI_NAMES[: draw(st.integers(1, 3))]
    hierarchies = {name: draw(strategies.trees(most_leaves=4)) for name in names}
    cell_by_cell = draw(st.sampled_from([False, True, False]))
    levels = [draw(st.integers(0, 3)) for _ in names]
    is_raw, has_gap = draw(st.booleans()), draw(st.integers(0, 9)) == 9
    size = draw(st.sampled_from([n for n in (12, 6, 1, 2, 3, 4, 9, 17, 25) if n <= most_people]))
    table: list[twin.Row] = []
    population: list[twin.Row] = []
    for index, number in enumerate(draw(st.lists(_NUMBERS, min_size=size, max_size=size))):
        digits = [(number + index * 4_801_337) // 6**place % 6 for place in range(9)]
        leaves = [
            list(hierarchies[name])[digit % len(hierarchies[name])]
            for name, digit in zip(names, digits, strict=False)
        ]
        entry = digits[3:6] if cell_by_cell else levels
        general = [
            generalized(leaf, level, hierarchies[name])
            for name, leaf, level in zip(names, leaves, entry, strict=False)
        ]
        row = tuple(map(_cell, general))
        if not (has_gap and index == 1):
            population.append(tuple(map(_cell, leaves)) if is_raw else row)
        if digits[6] < 4 or index == 0:
            table.append((STAR,) * len(names) if digits[7] == 5 else row)
    without = draw(st.sampled_from([None, None, *names]))
    return Populace(
        table,
        population or [table[0]],
        names,
        {name: paths for name, paths in hierarchies.items() if name != without},
        draw(st.sampled_from(("exclude", "class"))),
    )


def outcome_of(populace: Populace) -> Any:
    """The pairs of the twin, or the error that it has instead."""
    try:
        return populace.pairs
    except (twin.OverlapError, twin.AbsentError) as problem:
        return type(problem)
