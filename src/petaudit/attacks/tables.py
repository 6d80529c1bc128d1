"""The tables of an audit as attacks see them: encoded once, and each search made once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.attacks.mixed_rows import MixedRows, Weights, mixed_rows
from petaudit.attacks.nearest import Neighbours, Secret, Tree, different_rows
from petaudit.errors import ColumnError, NotMeasurableError, Phrase, argument, phrase
from petaudit.exact.excess import Successes
from petaudit.singling.control import CONTROL, ORIGINAL, SYNTHETIC, Overlap, checked_control
from petaudit.singling.kernels import Indices
from petaudit.system.memory import memory_limit, memory_text
from petaudit.tables import Source
from petaudit.tables.headers import check_column
from petaudit.tables.joint import JointTables, joint_tables

Flags: TypeAlias = npt.NDArray[np.bool_]
_AT_REST: Final = 340_000_000
"""Python, the libraries and the compiled loops."""
_CELL, _SEARCHED_CELL, _ROW = 8, 12, 60
"""Bytes of a cell of all tables, of one that is searched, and of a row."""
FEW: Final = 50
"""A control of fewer people is worth a warning."""


def memory_need(rows: Sequence[int], columns: int) -> tuple[int, int]:
    """About the most memory that attacks on tables take, and the limit.

    >>> round(memory_need([1_000_000, 1_000_000], 15)[0] / 1e9, 2)
    0.88
    """
    cells = sum(rows) * columns * _CELL + max(rows) * (columns * _SEARCHED_CELL + 2 * _ROW)
    return _AT_REST + cells, memory_limit()


@dataclass(frozen=True)
class Groups:
    """Rows that are equal in some columns, in all tables."""

    group: Indices
    """The group of each row, table after table."""
    sizes: tuple[Indices, ...]
    """How many rows each group has, by table."""


@dataclass(frozen=True)
class AttackTables:
    """The synthetic table, the original, and a control if there is one."""

    joint: JointTables
    _searches: dict[object, Neighbours] = field(default_factory=dict, repr=False)
    _groups: dict[tuple[str, ...], Groups] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, synthetic: Source, original: Source, control: Source | None, person: str | None
    ) -> AttackTables:
        """Encode tables; those that an engine elsewhere holds cannot be."""
        sources = [synthetic, original, *([] if control is None else [control])]
        for source in sources:
            if source.counts.is_remote:
                raise NotMeasurableError(
                    "{table} is counted by {engine}, which returns only counts, but this attack "
                    "compares rows; it can do so in files and in frames",
                    table=source.name,
                    engine=source.counts.engine,
                )
        need, limit = memory_need([source.rows for source in sources], len(synthetic.columns))
        if need > limit:
            raise NotMeasurableError(
                "attacks compare rows in memory, which would take about {need}, and the limit is "
                "{limit}; allow more ({argument}), or use fewer rows of the original",
                need=memory_text(need),
                limit=memory_text(limit),
                argument=argument("memory"),
            )
        if person is not None:
            for source in sources[1:]:
                check_column(person, source.columns, source.name)
        return cls(joint_tables(sources, decimals=None, unit=None, person=person))

    @property
    def has_control(self) -> bool:
        """Whether there is somebody to compare with."""
        return len(self.joint.rows) > CONTROL

    @cached_property
    def rows(self) -> MixedRows:
        """The rows as points."""
        return mixed_rows(self.joint)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that all tables have."""
        return self.joint.columns

    def part(self, table: int) -> slice:
        """Where the rows of a table are among all."""
        start = sum(self.joint.rows[:table])
        return slice(start, start + self.joint.rows[table])

    def checked(self, columns: Sequence[str], name: str) -> tuple[str, ...]:
        """Columns that are there, each once."""
        for place, column in enumerate(columns):
            check_column(column, self.columns, phrase("the synthetic table"))
            if column in columns[:place]:
                raise ColumnError(
                    "column {column!r} is named twice in {name}", column=column, name=name
                )
        return tuple(name for name in self.columns if name in columns)

    def groups(self, columns: Sequence[str]) -> Groups:
        """Find the rows that are equal in some columns, by the values themselves."""
        key = tuple(columns)
        if key not in self._groups:
            places = [self.columns.index(name) for name in key]
            _, group, _ = different_rows(self.joint.codes[places].T)
            many = int(group.max(initial=-1)) + 1
            tables = range(len(self.joint.rows))
            sizes = tuple(np.bincount(group[self.part(table)], minlength=many) for table in tables)
            self._groups[key] = Groups(group, sizes)
        return self._groups[key]

    def nearest(
        self,
        table: int,
        columns: Sequence[str],
        *,
        secret: Secret | None = None,
        among: int = SYNTHETIC,
        second: bool = False,
    ) -> Neighbours:
        """Find the rows of ``among`` that are nearest to those of a table, by some columns."""
        key = (table, tuple(columns), secret, among, second)
        if key not in self._searches:
            places = self.rows.places(columns)
            tree = Tree(self.rows, among, places, secret)
            # The people of all tables are asked for sooner or later.
            for each in range(ORIGINAL, len(self.joint.rows)) if among == SYNTHETIC else (table,):
                known = (each, *key[1:])
                self._searches[known] = tree.nearest(self.rows, each, second=second)
            if key not in self._searches:
                self._searches[key] = tree.nearest(self.rows, table, second=second)
        return self._searches[key]

    def tree(self, table: int, columns: Sequence[str]) -> Tree:
        """The rows of a table, to be searched."""
        return Tree(self.rows, table, self.rows.places(columns))

    def by_person(self, table: int, values: Weights, rows: Flags | None = None) -> Weights:
        """The largest value of each person's rows, or of some rows; of each row without persons."""
        persons = self.joint.person_codes[table] if self.joint.person_codes else None
        if rows is not None:
            values = values[rows]
        if persons is None:
            return values
        if rows is not None:
            persons = persons[rows]
        largest = np.full(int(persons.max(initial=0)) + 1, -np.inf)
        np.maximum.at(largest, persons, values)
        people: Weights = largest[np.isfinite(largest)]
        return people

    def successes(self, table: int, values: Weights, rows: Flags | None = None) -> Successes:
        """Count people on whom an attack succeeds; sums do not depend on the order of rows."""
        people = self.by_person(table, values, rows)
        return Successes(len(people), math.fsum(people.tolist()))

    def people(self, table: int) -> int:
        """How many people a table has; rows where no column tells them apart."""
        return len(self.by_person(table, np.zeros(self.joint.rows[table])))

    def overlap(self, first: int, second: int) -> Overlap:
        """How many rows two tables have in common."""
        sizes = self.groups(self.columns).sizes
        pairs = np.stack([sizes[first], sizes[second]])
        pairs, rows = np.unique(pairs[:, pairs.sum(axis=0) > 0], axis=1, return_counts=True)
        return Overlap(dict(zip(zip(*pairs.tolist(), strict=True), rows.tolist(), strict=True)))

    @cached_property
    def notes(self) -> tuple[Phrase, ...]:
        """What is odd about the tables; a control that is the original is an error."""
        notes: list[Phrase] = []
        if self.overlap(SYNTHETIC, ORIGINAL).is_same:
            notes.append(phrase("the synthetic table has the very rows of the original"))
        if self.has_control:
            notes += checked_control(self.overlap(ORIGINAL, CONTROL))
            if self.people(CONTROL) < FEW:
                notes.append(
                    phrase(
                        "the control has fewer than {few} people: intervals are wide, and little "
                        "can be decided",
                        few=FEW,
                    )
                )
        return tuple(notes)
