"""Random small releases for property tests, and the engines that can hold a table.

Twins know labels only. So everything here is drawn as text, where NULL stands for a null and is a
leaf like any other; `cells`, `given_hierarchy` and `on_engine` turn it into what petaudit is given.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

import twins

NULL = "∅"
STAR = twins.STAR
Rows = list[dict[str, str | None]]

# Looks like a number, has a comma or quote, differs only in case or composition, is not Latin.
LABELS = (
    "a",
    "A",
    "0",
    "47*",
    "[20,30[",
    'say "x"',
    "x;y",
    "d'or",
    "\u00e9",
    "e\u0301",
    "胃癌",
    "🧬",
)
NUMBERS = ("-3", "0", "2", "2.5", "7", "10", "1000000007", "0.1")
QI_NAMES = ("zip", "a, b", 'β "c"')
TABLE_ENGINES = ("pyarrow", "polars", "pandas", "duckdb", "csv", "parquet")


@dataclass(frozen=True)
class Release:
    """An original table, what was released of it, and the hierarchies of all its columns."""

    original: Rows
    released: Rows
    hierarchies: dict[str, twins.Hierarchy]
    quasi_identifiers: tuple[str, ...]
    number: str = "pay"
    disease: str = "disease"
    suppressed: twins.Suppressed = "exclude"

    @property
    def sensitive(self) -> tuple[str, str]:
        return (self.number, self.disease)

    @property
    def given_hierarchies(self) -> dict[str, dict[str, list[str]]]:
        """The hierarchies as a user writes them."""
        return {name: given_hierarchy(paths) for name, paths in self.hierarchies.items()}

    def with_rows(self, change: Callable[[Rows], Rows]) -> Release:
        """The same with both tables changed alike."""
        return replace(self, original=change(self.original), released=change(self.released))


def given_hierarchy(hierarchy: twins.Hierarchy) -> dict[str, list[str]]:
    """Spell the null as hierarchies do: as an empty label."""
    return {
        ("" if leaf == NULL else leaf): ["" if label == NULL else label for label in path]
        for leaf, path in hierarchy.items()
    }


def cells(rows: Sequence[Mapping[str, str | None]], column: str) -> list[str | None]:
    """A column as petaudit gets it."""
    return [None if row[column] in (NULL, None) else row[column] for row in rows]


def columns_of(rows: Sequence[Mapping[str, str | None]]) -> dict[str, list[str | None]]:
    """All columns as petaudit gets them."""
    return {name: cells(rows, name) for name in rows[0]}


def arrow(rows: Sequence[Mapping[str, str | None]]) -> pa.Table:
    """A table of text, the cheapest one to count."""
    return arrow_columns(columns_of(rows))


def arrow_columns(columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """A table in which a column of nulls is text as well."""
    arrays = {name: pa.array(values) for name, values in columns.items()}
    return pa.table(
        {
            name: array.cast(pa.string()) if pa.types.is_null(array.type) else array
            for name, array in arrays.items()
        }
    )


def on_engine(columns: Mapping[str, Sequence[Any]], engine: str, path: Path) -> Any:
    """The same table in a frame, or in a file at the path."""
    table = arrow_columns(columns)
    match engine:
        case "pyarrow":
            return table
        case "polars":
            return pl.from_arrow(table)
        case "polars-lazy":
            return pl.from_arrow(table).lazy()
        case "pandas":
            return pd.DataFrame({name: list(values) for name, values in columns.items()})
        case "duckdb":
            return duckdb.connect().from_arrow(table)
        case "parquet":
            pq.write_table(table, path.with_suffix(".parquet"))
            return path.with_suffix(".parquet")
        case "csv":
            with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, delimiter=";", lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(
                    ["" if cell is None else cell for cell in row]
                    for row in zip(*columns.values(), strict=True)
                )
            # Other engines keep rows of nothing but nulls.
            side_car = path.with_suffix(".yaml")
            side_car.write_text("DATASET: {BLANK_ROWS: keep}\n", encoding="utf-8")
            return path.with_suffix(".csv")
    raise ValueError(engine)


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    labels: Sequence[str] = LABELS,
    most_leaves: int = 6,
    most_levels: int = 4,
    with_null: bool | None = None,
) -> twins.Hierarchy:
    """Draw a hierarchy of 0 to 4 levels above its leaves, with one root or several."""
    leaves = draw(st.lists(st.sampled_from(labels), min_size=1, max_size=most_leaves, unique=True))
    if draw(st.booleans()) if with_null is None else with_null:
        leaves.append(NULL)
    paths: twins.Hierarchy = {leaf: [] for leaf in leaves}
    groups = [[leaf] for leaf in leaves]
    for level in range(1, 1 + draw(st.integers(0, most_levels))):
        most = len(groups) - 1
        parents = draw(st.lists(st.integers(0, most), min_size=most + 1, max_size=most + 1))
        joined: dict[int, list[list[str]]] = {}
        for parent, group in zip(parents, groups, strict=True):
            joined.setdefault(parent, []).append(group)
        groups = []
        for number, children in joined.items():
            members = [leaf for child in children for leaf in child]
            below = [[leaf, *paths[leaf]][-1] for leaf in members]
            # A label may stay the same for a level; a null only where it is alone, since a blank
            # label above another leaf is an error.
            usable = [label for label in below if label != NULL or members == [NULL]]
            own = f"level {level}, node {number}"
            label = draw(st.sampled_from([own, own, *usable[:1]]))
            for leaf in members:
                paths[leaf].append(label)
            groups.append(members)
    if len(groups) == 1 and len(paths[leaves[0]]) > 0 and draw(st.booleans()):
        for path in paths.values():
            path[-1] = STAR
    return paths


def generalized(leaf: str, level: int, hierarchy: twins.Hierarchy) -> str:
    """The label of a leaf some levels up, or at the top when there are fewer."""
    path = [leaf, *twins.with_root(hierarchy)[leaf]]
    return path[min(level, len(path) - 1)]


# A row is one number, nine digits from 0 to 5: drawing them one by one takes most of a test's time.
_ROWS = st.integers(0, 6**9 - 1)
_LEVELS = (0, 1, 0, 2, 1, 4)


def _digits(row: int) -> Iterator[int]:
    while True:
        row, digit = divmod(row, 6)
        yield digit


@st.composite
def releases(draw: st.DrawFn, *, most_rows: int = 25) -> Release:
    """Draw a release: 1 to 25 rows, 1 to 3 quasi-identifiers, levels per cell, some suppressed."""
    names = QI_NAMES[: draw(st.integers(1, 3))]
    hierarchies = {name: draw(trees(labels=(*LABELS, STAR))) for name in names}
    # A column of nothing but "0" would be one of numbers, and its labels would have an order.
    diseases = draw(trees(labels=[label for label in LABELS if label != "0"]))
    leaves = {name: list(paths) for name, paths in hierarchies.items()}
    numbers = draw(st.lists(st.sampled_from((*NUMBERS, NULL)), min_size=1, max_size=6))
    # Hypothesis favours the first choice, and lists without a size are mostly tiny.
    size = draw(st.sampled_from([n for n in (9, 6, 1, 2, 3, 4, 12, 17, 25) if n <= most_rows]))
    original, released = [], []
    for index, row in enumerate(draw(st.lists(_ROWS, min_size=size, max_size=size))):
        # Drawn numbers repeat a lot; without a shift by row, half of the tables are one class.
        digits = _digits(row + index * 4_801_337)
        suppressed = next(digits) == 5
        before = {name: leaves[name][next(digits) % len(leaves[name])] for name in names}
        after = {
            name: generalized(before[name], _LEVELS[next(digits)], hierarchies[name])
            for name in names
        }
        if suppressed:
            after = dict.fromkeys(names, STAR)
        private = {
            "pay": numbers[next(digits) % len(numbers)],
            "disease": list(diseases)[next(digits) % len(diseases)],
        }
        original.append(before | private)
        released.append(after | private)
    return Release(
        original,
        released,
        hierarchies | {"disease": diseases},
        names,
        suppressed=draw(st.sampled_from(("exclude", "class"))),
    )


@dataclass(frozen=True)
class Closeness:
    """What t-closeness is asked about: one sensitive column, one distance; rows as twins see it."""

    rows: Rows
    quasi_identifiers: tuple[str, ...]
    column: str
    distance: twins.Distance
    suppressed: twins.Suppressed
    hierarchy: twins.Hierarchy | None = None
    given: dict[str, list[str]] | None = None
    every: tuple[str, ...] = ()
    """All sensitive columns, where there are others."""

    @property
    def arguments(self) -> dict[str, Any]:
        """How petaudit is asked the same, without the table."""
        return {
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": self.column,
            "suppressed": self.suppressed,
            "hierarchies": None if self.given is None else {self.column: self.given},
        }

    @property
    def table(self) -> pa.Table:
        return arrow(self.rows)

    @property
    def treated(self) -> twins.Suppressed:
        """How the twin treats suppressed rows: as a class, unless all of them are blanked."""
        hidden = [row for row in self.rows if twins.is_suppressed(row, self.quasi_identifiers)]
        names = {*self.every, self.column}
        blanked = all(row[name] in (NULL, None) for row in hidden for name in names)
        return "exclude" if blanked else self.suppressed

    @property
    def classes(self) -> list[list[int]]:
        return twins.classes(self.rows, self.quasi_identifiers, self.treated)

    @property
    def exact_t(self) -> Fraction:
        """t of the table, by the twin."""
        return self._twin(self.rows, self.quasi_identifiers, self.treated)

    @property
    def exact_distances(self) -> list[tuple[int, Fraction, tuple[str | None, ...]]]:
        """Rows, distance and labels of every class, by the twin."""
        found = []
        for members in self.classes:
            # With all other rows suppressed, t of the table is the distance of this class.
            marked = [
                {"mark": "in" if index in members else STAR, self.column: row[self.column]}
                for index, row in enumerate(self.rows)
            ]
            first = self.rows[members[0]]
            labels = tuple(cells([first], name)[0] for name in self.quasi_identifiers)
            found.append((len(members), self._twin(marked, ("mark",), "exclude"), labels))
        return found

    def _twin(self, rows: Rows, names: tuple[str, ...], suppressed: twins.Suppressed) -> Fraction:
        return twins.t_closeness_exact(
            rows, names, self.column, self.distance, self.hierarchy, suppressed
        )

    @property
    def transport_t(self) -> float:
        """t of the table, by the linear program."""
        return twins.t_closeness(
            self.rows,
            self.quasi_identifiers,
            self.column,
            self.distance,
            self.hierarchy,
            self.treated,
        )


def _replaced(rows: Rows, column: str, change: Callable[[int, str | None], str | None]) -> Rows:
    return [row | {column: change(index, row[column])} for index, row in enumerate(rows)]


def _with_nulls(rows: Rows, column: str) -> Rows:
    return _replaced(rows, column, lambda _, cell: None if cell == NULL else cell)


def ordered_numbers(release: Release) -> Closeness:
    """Numbers in several spellings; a null lies beyond the largest."""

    def respelled(index: int, cell: str | None) -> str | None:
        if cell in (NULL, None):
            return None
        spellings = (f"{cell}", f"{cell}e0", f"{cell}0" if "." in f"{cell}" else f"{cell}.0")
        return spellings[index % 3]

    rows = _replaced(release.released, release.number, respelled)
    return Closeness(rows, release.quasi_identifiers, release.number, "ordered", release.suppressed)


# The labels that sensitive attributes do not tell apart, and what the twin is given for one.
_SAME_VALUE = {"A": "a", "e\u0301": "\u00e9"}


def equal_labels(release: Release) -> Closeness:
    """Labels that have nothing to do with each other, unless they are two spellings of one."""
    given_rows = _with_nulls(release.released, release.disease)
    rows = _replaced(given_rows, release.disease, lambda _, cell: _SAME_VALUE.get(cell or "", cell))
    return _GivenOtherwise(
        rows,
        release.quasi_identifiers,
        release.disease,
        "equal",
        release.suppressed,
        given_rows=given_rows,
    )


def told_apart(release: Release) -> Release:
    """The same with leaves of which no two are spellings of one value."""
    name = release.disease
    other = {label: f"another {same}" for label, same in _SAME_VALUE.items()}
    tree = {
        other.get(leaf, leaf): [other.get(label, label) for label in path]
        for leaf, path in release.hierarchies[name].items()
    }
    changed = release.with_rows(
        lambda rows: _replaced(rows, name, lambda _, cell: other.get(cell or "", cell))
    )
    return replace(changed, hierarchies=release.hierarchies | {name: tree})


def hierarchical_leaves(release: Release) -> Closeness:
    """Leaves of a hierarchy; a null, if any, is one of them."""
    release = told_apart(release)
    tree = release.hierarchies[release.disease]
    return Closeness(
        release.released,
        release.quasi_identifiers,
        release.disease,
        "hierarchical",
        release.suppressed,
        tree,
        given_hierarchy(tree),
    )


def hierarchical_stray_nulls(release: Release) -> Closeness:
    """Leaves of a hierarchy that says nothing about nulls."""
    release = told_apart(release)
    tree = {
        leaf: path for leaf, path in release.hierarchies[release.disease].items() if leaf != NULL
    }
    rows = _replaced(
        release.released,
        release.disease,
        lambda index, cell: None if cell == NULL or index % 7 == 3 else cell,
    )
    return replace(hierarchical_leaves(release), rows=rows, hierarchy=tree, given=tree)


def hierarchical_inner_labels(release: Release) -> Closeness:
    """Labels of all levels; one above the leaves is to the twin a leaf of its own below it."""
    release = told_apart(release)
    tree = release.hierarchies[release.disease]
    rooted = twins.with_root(tree)
    extended = dict(rooted)

    def at_some_level(index: int, cell: str | None) -> str:
        return generalized(str(cell), (0, 1, 0, 2, 0, 9)[index % 6], tree)

    def as_leaf(_: int, cell: str | None) -> str | None:
        level = twins.level_of(cell, tree)
        if level == 0:
            return cell
        path = next(path for path in rooted.values() if path[level - 1] == cell)
        itself = f"{cell} itself"
        extended[itself] = [*[itself] * (level - 1), *path[level - 1 :]]
        return itself

    given_rows = _replaced(release.released, release.disease, at_some_level)
    twin_rows = _replaced(given_rows, release.disease, as_leaf)
    return _GivenOtherwise(
        twin_rows,
        release.quasi_identifiers,
        release.disease,
        "hierarchical",
        release.suppressed,
        extended,
        given_hierarchy(tree),
        given_rows=given_rows,
    )


@dataclass(frozen=True)
class _GivenOtherwise(Closeness):
    given_rows: Rows = field(default_factory=list)

    @property
    def table(self) -> pa.Table:
        return arrow(self.given_rows)


CLOSENESS = (
    ordered_numbers,
    equal_labels,
    hierarchical_leaves,
    hierarchical_stray_nulls,
    hierarchical_inner_labels,
)
