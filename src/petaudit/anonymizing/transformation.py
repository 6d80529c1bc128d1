"""How a table was made from its original, as a document: the same can be done to other rows.

A transformation is a list of steps, each with a level per column and the classes that it releases.
A row takes the first step that has its class; a row that none has is suppressed. So with one step
the recoding is global, with several it is local, and no row is ever released with labels that the
original did not have. Every label of a released row is one above the row's own value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from petaudit._version import __version__
from petaudit.anonymizing.columns import Column
from petaudit.errors import InputError
from petaudit.labels.hierarchy import NULL_LABEL, Hierarchy
from petaudit.reports.view import Label
from petaudit.system.files import json_of
from petaudit.system.output import write_whole
from petaudit.system.plain import Reader
from petaudit.tables import class_indices
from petaudit.tables.results import Integers

DOCUMENT: Final = "petaudit.transformation/1"
SUFFIX: Final = ".transformation.json"
_MOST_BYTES: Final = 1 << 30
_MOST_KEYS: Final = 1 << 62
Levels = npt.NDArray[np.int8]
"""A level per class and column; -1 where the class is suppressed."""


@dataclass(frozen=True)
class Recoded:
    """A column with the labels above each of its values."""

    name: str
    paths: Mapping[str, tuple[Label, ...]]
    """The labels of every value, itself first; an empty text stands for a null."""

    @classmethod
    def of(cls, column: Column) -> Recoded:
        """Return the column of a search, with values of its hierarchy that the table lacks.

        >>> from petaudit.labels.hierarchy import Hierarchy
        >>> sex = Hierarchy("sex", [["F", "*"], ["M", "*"]])
        >>> Recoded.of(Column.of(sex, ["F"])).paths
        {'F': ('F', '*'), 'M': ('M', '*')}
        """
        top = column.labels[-1][0]
        paths: dict[str, tuple[str | None, ...]] = {}
        for place, leaf in enumerate(column.leaves):
            codes = column.codes[:, place].tolist()
            paths[leaf or NULL_LABEL] = tuple(
                labels[code] for labels, code in zip(column.labels, codes, strict=True)
            )
        for leaf in column.hierarchy.leaves:
            *path, _ = (label or None for label in column.hierarchy.path_of(leaf))
            paths.setdefault(leaf, (*path, top))
        return cls(column.name, paths)

    @classmethod
    def of_hierarchy(cls, hierarchy: Hierarchy) -> Recoded:
        """Return every value of a hierarchy with its labels."""
        return cls(
            hierarchy.attribute,
            {
                leaf: tuple(label or None for label in hierarchy.path_of(leaf))
                for leaf in hierarchy.leaves
            },
        )

    @property
    def levels(self) -> int:
        """How many levels there are, that of the values included."""
        return max(map(len, self.paths.values()), default=1)

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """Every label of every level once, those of the lowest level first."""
        ladder = range(self.levels)
        return tuple(dict.fromkeys(path[level] for level in ladder for path in self.paths.values()))

    def coded(self, values: Sequence[str | None]) -> npt.NDArray[np.int32]:
        """For every level the place of the label of each value among ``labels``; -1 if unknown."""
        place = {label: number for number, label in enumerate(self.labels)}
        codes = np.full((self.levels, len(values)), -1, dtype=np.int32)
        for number, value in enumerate(values):
            path = self.paths.get(value or NULL_LABEL)
            if path is not None:
                codes[:, number] = [place[label] for label in path]
        return codes


@dataclass(frozen=True)
class Step:
    """Levels, and the classes that are released at them."""

    levels: tuple[int, ...]
    classes: tuple[tuple[Label, ...], ...]
    suppressed: bool = False
    """Whether these classes are suppressed, though a later step would release them."""


@dataclass(frozen=True)
class Transformation:
    """What was done to a table, to be done to others."""

    columns: tuple[Recoded, ...]
    """The quasi-identifiers."""
    steps: tuple[Step, ...]
    recoding: str
    limits: Mapping[str, Mapping[str, Any]]
    """The limit and the options of each measure."""
    objective: str
    rows: int
    """How many rows the original had."""
    rows_suppressed: int
    drop_suppressed: bool = False
    exclude_suppressed: bool = False
    """Whether nobody judges suppressed rows that stay; otherwise they are a class."""
    weights: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, str] = field(default_factory=dict)
    coarsened: Mapping[str, int] = field(default_factory=dict)
    """The levels that were the finest to be searched, because memory had no room for finer ones."""
    max_suppression: str | None = None
    others: tuple[str, ...] = ()
    """The columns that are released as they are."""
    left_out: tuple[str, ...] = ()
    """The columns that name people, and are not released."""
    masked: bool = False
    """Whether these columns are released with ``*`` in every cell instead."""
    sensitive: tuple[str, ...] = ()
    sensitive_hierarchies: tuple[Recoded, ...] = ()
    """How near sensitive values are to each other, where a hierarchy says so."""
    person: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """What identifies the tables and hierarchies that it was made from."""
    petaudit: str = __version__

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers by name."""
        return tuple(column.name for column in self.columns)

    def levels_of(
        self, labels: Sequence[Sequence[str | None]], codes: Sequence[Integers]
    ) -> Levels:
        """The levels at which each class of values is released.

        ``labels`` are the values of each column, ``codes`` for each column the place of the value
        of every class among them.
        """
        number = len(codes[0])
        levels = np.full((number, len(self.columns)), -1, dtype=np.int8)
        coded = [column.coded(values) for column, values in zip(self.columns, labels, strict=True)]
        known = np.ones(number, dtype=bool)
        for column_codes, of_classes in zip(coded, codes, strict=True):
            known &= column_codes[0][of_classes] >= 0
        open_classes = np.flatnonzero(known)
        for step in self._steps_as_codes:
            if not open_classes.size:
                break
            columns = [
                column_codes[level][of_classes[open_classes]]
                for column_codes, of_classes, level in zip(coded, codes, step.levels, strict=True)
            ]
            is_known = _among(columns, step.codes, [len(each.labels) for each in self.columns])
            if not step.suppressed:
                levels[open_classes[is_known]] = step.levels
            open_classes = open_classes[~is_known]
        return levels

    @cached_property
    def _steps_as_codes(self) -> tuple[_CodedStep, ...]:
        places = [
            {label: number for number, label in enumerate(column.labels)} for column in self.columns
        ]
        return tuple(
            _CodedStep(
                step.levels,
                step.suppressed,
                [
                    np.array([place[each[at]] for each in step.classes], dtype=np.int32)
                    for at, place in enumerate(places)
                ],
            )
            for step in self.steps
        )

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        plain = dict(vars(self))
        plain = {name: value for name, value in plain.items() if not name.startswith("_")}
        for name in ("columns", "sensitive_hierarchies"):
            plain[name] = [
                {
                    "name": column.name,
                    "paths": {leaf: [*path] for leaf, path in column.paths.items()},
                }
                for column in plain[name]
            ]
        plain["steps"] = [
            {
                "levels": [*step.levels],
                "classes": [[*each] for each in step.classes],
                "suppressed": step.suppressed,
            }
            for step in self.steps
        ]
        return {"document": DOCUMENT, "petaudit": plain.pop("petaudit"), **plain}

    def write(self, path: Path) -> None:
        """Write the document, which holds labels: nobody but the user may read it."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":")) + "\n"
        write_whole(path, lambda file: file.write(text.encode()), private=True)

    @classmethod
    def read(cls, path: str | Path) -> Transformation:
        """Read a document, of which nothing is taken on trust."""
        file = Path(path)
        plain = json_of(file, _MOST_BYTES)
        if not isinstance(plain, dict) or plain.pop("document", None) != DOCUMENT:
            raise InputError(
                "{path}: is not a transformation of petaudit; its document should be {known}",
                path=file,
                known=DOCUMENT,
            )
        try:
            transformation = Reader().read(cls, plain)
            transformation._check()
        except (LookupError, TypeError, ValueError, RecursionError):
            raise InputError(
                "{path}: the transformation is damaged, and is not applied", path=file
            ) from None
        return transformation

    def _check(self) -> None:
        """Raise a ValueError where a document contradicts itself."""
        if not self.columns or len({*self.names}) < len(self.columns):
            raise ValueError("columns are named once")
        for column in (*self.columns, *self.sensitive_hierarchies):
            if {len(path) for path in column.paths.values()} != {column.levels}:
                raise ValueError("every value has a label per level")
            if any((path[0] or NULL_LABEL) != leaf for leaf, path in column.paths.items()):
                raise ValueError("the first label of a value is the value")
        known = [
            [{path[level] for path in column.paths.values()} for level in range(column.levels)]
            for column in self.columns
        ]
        for step in self.steps:
            labels = [of_levels[level] for of_levels, level in zip(known, step.levels, strict=True)]
            for each in step.classes:
                if not all(
                    label in of_levels for label, of_levels in zip(each, labels, strict=True)
                ):
                    raise ValueError("a class has labels of its levels")
        if not self.limits:
            raise ValueError("without a limit nothing is promised")
        if {*self.left_out} & {*self.names, *self.others} or {*self.names} & {*self.others}:
            raise ValueError("what names people is not released, and a column has one role")


@dataclass(frozen=True)
class _CodedStep:
    levels: tuple[int, ...]
    suppressed: bool
    codes: list[npt.NDArray[np.int32]]


def _among(
    columns: Sequence[npt.NDArray[np.int32]],
    known: Sequence[npt.NDArray[np.int32]],
    widths: Sequence[int],
) -> npt.NDArray[np.bool_]:
    """Which combinations of codes are among the known ones."""
    both = [np.concatenate(pair).astype(np.int64) for pair in zip(columns, known, strict=True)]
    number, span = len(columns[0]), 1
    for width in widths:
        span *= width
    if span < _MOST_KEYS:
        keys = np.zeros(len(both[0]), dtype=np.int64)
        for codes, width in zip(both, widths, strict=True):
            keys = keys * width + codes
    else:
        keys = class_indices(both, len(both[0]))
    return np.isin(keys[:number], keys[number:])


def steps_of(
    columns: Sequence[Recoded],
    labels: Sequence[Sequence[str | None]],
    codes: Sequence[Integers],
    levels: Levels,
    bottom: tuple[int, ...] | None = None,
) -> tuple[Step, ...]:
    """The steps that give every class of values its levels, and suppress those with -1.

    Where classes are not told apart below some levels, these are the ``bottom``.

    Released classes of different levels may have values in common: a class comes before every other
    one that has values of it. Those of the same levels have none.
    """
    coded = [column.coded(values) for column, values in zip(columns, labels, strict=True)]
    vectors = np.unique(levels[levels[:, 0] >= 0], axis=0)
    group = np.full(len(levels), -1, dtype=np.int64)
    """The released class that each class of values belongs to."""
    classes: list[_Released] = []
    others: list[npt.NDArray[np.int64]] = []
    first = 0
    for vector in vectors:
        at = [
            column_codes[level][each]
            for column_codes, each, level in zip(coded, codes, vector.tolist(), strict=True)
        ]
        members = np.flatnonzero((levels == vector).all(axis=1))
        index = class_indices([each.astype(np.int64) for each in at], len(levels))
        ids, starts, inverse = np.unique(index[members], return_index=True, return_inverse=True)
        group[members] = first + inverse.reshape(-1)
        place = np.minimum(np.searchsorted(ids, index), len(ids) - 1)
        has_values = ids[place] == index
        has_values[members] = False
        strangers = np.flatnonzero(has_values)
        others.append(np.stack([strangers, first + place[strangers]]))
        classes.append(_Released(tuple(vector.tolist()), [each[members[starts]] for each in at]))
        first += len(ids)
    strangers, of_class = np.concatenate([np.zeros((2, 0), dtype=np.int64), *others], axis=1)
    is_suppressed = group[strangers] < 0
    layers = _layers(first, group[strangers[~is_suppressed]], of_class[~is_suppressed])
    steps: list[tuple[int, Step]] = []
    hidden = np.unique(strangers[is_suppressed])
    if hidden.size:
        lowest = bottom or (0,) * len(columns)
        values = [
            column_codes[level][each[hidden]]
            for column_codes, each, level in zip(coded, codes, lowest, strict=True)
        ]
        suppressed = _Released(lowest, values)
        steps.append((-1, suppressed.step(columns, slice(None), suppressed=True)))
    for released in classes:
        own_layers, layers = layers[: released.number], layers[released.number :]
        steps += [
            (layer, released.step(columns, np.flatnonzero(own_layers == layer)))
            for layer in np.unique(own_layers).tolist()
        ]
    return tuple(step for _, step in sorted(steps, key=lambda entry: entry[0]))


@dataclass(frozen=True)
class _Released:
    """Released classes of the same levels, with the codes of their labels."""

    levels: tuple[int, ...]
    codes: list[npt.NDArray[np.int32]]

    @property
    def number(self) -> int:
        return len(self.codes[0])

    def step(
        self,
        columns: Sequence[Recoded],
        chosen: slice | npt.NDArray[np.int64],
        *,
        suppressed: bool = False,
    ) -> Step:
        labels = (
            [column.labels[code] for code in codes[chosen].tolist()]
            for column, codes in zip(columns, self.codes, strict=True)
        )
        return Step(self.levels, tuple(zip(*labels, strict=True)), suppressed)


def _layers(
    number: int, before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """A layer for each of some things, higher than those of all that come before it.

    >>> _layers(3, np.array([0, 1]), np.array([1, 2])).tolist()
    [0, 1, 2]
    """
    pairs = np.unique(np.stack([before, after]), axis=1)
    layers = np.zeros(number, dtype=np.int64)
    for _ in range(number + 1):
        later = layers.copy()
        np.maximum.at(later, pairs[1], layers[pairs[0]] + 1)
        if (later == layers).all():
            return layers
        layers = later
    raise ValueError("classes come before each other in a circle")
