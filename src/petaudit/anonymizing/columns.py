"""A quasi-identifier and its hierarchy as arrays: the label of a value at a level, and its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.errors import HierarchyError, OptionError, counted
from petaudit.exact.class_figures import Floats, Integers
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import Hierarchy
from petaudit.tables import ValueCounts
from petaudit.tables.losses import Leaves

Label: TypeAlias = str | None
LevelBounds: TypeAlias = Mapping[str, "int | tuple[int | None, int | None]"]
"""The level of a column, or the lowest and the highest that it may have."""


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: its values are numbered, and at every level values share labels.

    >>> from petaudit.labels.hierarchy import Hierarchy
    >>> city = Hierarchy("city", [["Rome", "Europe"], ["Oslo", "Europe"], ["Lima", "America"]])
    >>> column = Column.of(city, ["Lima", "Rome"])
    >>> column.leaves, column.labels[1], column.codes[1].tolist(), column.loss[1].tolist()
    (('Rome', 'Lima'), ('Europe', 'America'), [0, 1], [0.5, 0.0])
    """

    name: str
    leaves: tuple[Label, ...]
    """The values of the table, in the order of the hierarchy, then those of a population only."""
    labels: tuple[tuple[Label, ...], ...]
    """The labels of every level, from the values themselves up to one label for all."""
    codes: Integers
    """By level and leaf: which of the labels it has."""
    loss: Floats
    """By level and leaf: the share of the domain that the label covers, from 0 (itself) to 1."""
    height: Floats
    """By level and leaf: the level of the label as a part of the highest, as Precision has it."""
    domain: int
    """How many leaves the hierarchy has, whether or not they are in the table."""
    lowest: int
    highest: int
    weight: float = 1.0
    hierarchy: Hierarchy = field(repr=False, kw_only=True)

    @property
    def levels(self) -> int:
        """How many levels there are, the values themselves included."""
        return len(self.labels)

    @classmethod
    def of(
        cls,
        hierarchy: Hierarchy,
        values: Sequence[Label],
        *,
        further: Mapping[Label, Sequence[Label]] | None = None,
        bounds: int | tuple[int | None, int | None] = (None, None),
        weight: float = 1.0,
    ) -> Column:
        """Number the values; ``further`` ones are of a population, with their labels by level."""
        order = {leaf or None: place for place, leaf in enumerate(hierarchy.leaves)}
        leaves = sorted(values, key=lambda value: (order.get(value, len(order)), value or ""))
        strange = [leaf for leaf in leaves if leaf not in order and leaf != SUPPRESSED]
        if strange:
            raise hierarchy.unknown_leaves(strange)
        paths = [_path(hierarchy, leaf) for leaf in leaves]
        others = {leaf: path for leaf, path in (further or {}).items() if leaf not in set(leaves)}
        paths += [tuple(path) for path in others.values()]
        labels, codes = [], []
        for level in range(hierarchy.levels):
            known: dict[Label, int] = {}
            codes.append([known.setdefault(path[level], len(known)) for path in paths])
            labels.append(tuple(known))
        _check_nested(hierarchy, codes)
        every = tuple({label: None for level in labels for label in level})
        cost = _costs(hierarchy, every)
        at = [[cost.get(path[level], (0.0, 0.0)) for path in paths] for level in range(len(labels))]
        lowest, highest = _bounds(hierarchy, bounds)
        array = np.array(at, dtype=np.float64).reshape(len(labels), len(paths), 2)
        return cls(
            hierarchy.attribute,
            (*leaves, *others),
            tuple(labels),
            np.array(codes, dtype=np.int64).reshape(len(labels), len(paths)),
            np.ascontiguousarray(array[..., 0]),
            np.ascontiguousarray(array[..., 1]),
            len(hierarchy.leaves),
            lowest,
            highest,
            weight,
            hierarchy=hierarchy,
        )

    @property
    def marks(self) -> npt.NDArray[np.int64]:
        """The code of the suppression mark at every level; -1 where no label is it."""
        return np.array(
            [level.index(SUPPRESSED) if SUPPRESSED in level else -1 for level in self.labels]
        )


def _path(hierarchy: Hierarchy, leaf: Label) -> tuple[Label, ...]:
    """All labels of a value; the mark instead of a root whose name is a finer label as well."""
    if not hierarchy.is_leaf(leaf):
        return (SUPPRESSED,) * hierarchy.levels  # what is suppressed already stays so
    *path, top = (label or None for label in hierarchy.path_of(leaf))
    if path and hierarchy.level_of(top) < hierarchy.levels - 1:
        top = SUPPRESSED
    return (*path, top)


def _costs(hierarchy: Hierarchy, labels: tuple[Label, ...]) -> dict[Label, tuple[float, float]]:
    """What granularity and Precision say that a label loses."""
    known = tuple(label for label in labels if hierarchy.holds(label))
    under = Leaves.under(hierarchy, ValueCounts(known, np.ones(len(known), dtype=np.int64)))
    widest, highest = max(under.domain - 1, 1), max(hierarchy.levels - 1, 1)
    return {
        label: ((number - 1) / widest, hierarchy.level_of(label) / highest)
        for label, number in zip(known, under.numbers, strict=True)
    }


def _check_nested(hierarchy: Hierarchy, codes: list[list[int]]) -> None:
    """Refuse labels that are parts of several labels one level up: classes would not nest."""
    for level, (below, above) in enumerate(pairwise(codes)):
        pairs = set(zip(below, above, strict=True))
        if len(pairs) > len(set(below)):
            hierarchy.require_nested()  # names the line, unless only a population is torn
            raise HierarchyError(
                "column {column!r}: {labels} of level {level} of its hierarchy ({origin}) have "
                "several labels one level up; give every label one parent",
                column=hierarchy.attribute,
                labels=counted(len(pairs) - len(set(below)), "label"),
                level=level,
                origin=hierarchy.origin,
            )


def _bounds(hierarchy: Hierarchy, bounds: int | tuple[int | None, int | None]) -> tuple[int, int]:
    top = hierarchy.levels - 1
    low, high = (bounds, bounds) if isinstance(bounds, int) else bounds
    lowest, highest = 0 if low is None else low, top if high is None else high
    if not 0 <= lowest <= highest <= top:
        raise OptionError(
            "levels {lowest} to {highest} for column {column!r}; its hierarchy has the levels 0 to "
            "{most}",
            lowest=lowest,
            highest=highest,
            column=hierarchy.attribute,
            most=top,
        )
    return lowest, highest


def columns_of(
    inputs: Inputs, weights: Mapping[str, float], levels: LevelBounds
) -> tuple[Column, ...]:
    """The quasi-identifiers of a table; one without a hierarchy is kept or suppressed."""
    columns = []
    for name in inputs.quasi_identifiers:
        values = inputs.table.counts.value_counts(name).labels
        hierarchy = _hierarchy(inputs, name, values)
        further: dict[Label, Sequence[Label]] = {}
        if inputs.population is not None:
            further = _population_paths(inputs, name, hierarchy)
        try:
            column = Column.of(
                hierarchy,
                values,
                further=further,
                bounds=levels.get(name, (None, None)),
                weight=float(weights.get(name, 1.0)),
            )
        except HierarchyError as problem:
            raise problem.in_rows(inputs.rows_of) from None
        columns.append(column)
    return tuple(columns)


def _hierarchy(inputs: Inputs, name: str, values: Sequence[Label]) -> Hierarchy:
    leaves = [value for value in values if value != SUPPRESSED]
    if name not in inputs.hierarchies:
        return Hierarchy(name, [[leaf, SUPPRESSED] for leaf in leaves] or [[SUPPRESSED]])
    try:
        return inputs.hierarchies.get(name, lambda _: leaves)
    except HierarchyError as problem:
        raise problem.in_rows(inputs.rows_of) from None


def _population_paths(
    inputs: Inputs, name: str, hierarchy: Hierarchy
) -> dict[Label, Sequence[Label]]:
    """The labels by level of what a population holds; what is no leaf keeps its label."""
    assert inputs.population is not None  # noqa: S101 (only asked for where there is one)
    labels = inputs.population.counts.value_counts(name).labels
    known = None
    if name in inputs.hierarchies:
        known = inputs.hierarchies.for_labels(name, labels)
    known = hierarchy if known is None else known
    paths: dict[Label, Sequence[Label]] = {}
    for label in labels:
        path = _path(known, label) if known.is_leaf(label) else ()
        paths[label] = path if len(path) == hierarchy.levels else (label,) * hierarchy.levels
    return paths
