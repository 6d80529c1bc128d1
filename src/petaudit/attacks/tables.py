"""The tables of an audit as attacks see them: encoded once, and each search made once."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.attacks.mixed_rows import MixedRows, Weights, mixed_rows
from petaudit.attacks.nearest import Neighbours, Secret, Tree, different_rows
from petaudit.errors import (
    ColumnError,
    InputError,
    NotMeasurableError,
    Phrase,
    argument,
    counted,
    phrase,
)
from petaudit.exact.excess import Successes
from petaudit.singling.control import CONTROL, ORIGINAL, SYNTHETIC, Overlap, checked_control
from petaudit.singling.kernels import Indices
from petaudit.system.memory import memory_limit, memory_text
from petaudit.tables import Source, array_on_disk
from petaudit.tables.headers import check_column
from petaudit.tables.joint import JointColumn, JointTables, joint_tables
from petaudit.tables.joint.column import Kind

Flags: TypeAlias = npt.NDArray[np.bool_]
_AT_REST: Final = 340_000_000
"""Python, the libraries and the compiled loops."""
_CELL, _SEARCHED_CELL, _ROW = 8, 12, 60
"""Bytes of a cell of all tables, of one that is searched, and of a row."""
_FOUND: Final = 120
"""Bytes of what is found out about a row of any table, and what is needed for that."""
_FEWEST: Final = 10_000
"""Rows of a block; in smaller ones little is saved, and a search takes as many times as long."""
_MANY_NUMBERS: Final = 50
FEW: Final = 50
"""A control of fewer people is worth a warning."""


def memory_need(rows: Sequence[int], columns: int) -> tuple[int, int]:
    """About the most memory that attacks on tables take, and the limit.

    >>> round(memory_need([1_000_000, 1_000_000], 15)[0] / 1e9, 2)
    0.88
    """
    cells = sum(rows) * columns * _CELL + max(rows) * _searched(columns)
    return _AT_REST + cells, memory_limit()


def _searched(columns: int) -> int:
    """Bytes of a row that is searched, and of one that is looked up."""
    return columns * _SEARCHED_CELL + 2 * _ROW


def rows_at_once(rows: Sequence[int], columns: int) -> int | None:
    """How many rows of a table are searched at once; None for all of them.

    >>> rows_at_once([1_000_000, 1_000_000], 15) is None
    True
    """
    need, limit = memory_need(rows, columns)
    if need <= limit:
        return None
    at_rest = _AT_REST + sum(rows) * _FOUND
    at_once = (limit - at_rest) // _searched(columns)
    if at_once < _FEWEST:
        raise NotMeasurableError(
            "attacks keep what they find out about every row in memory, which would take about "
            "{need}, and the limit is {limit}; allow more ({argument}), or use fewer rows of the "
            "original",
            need=memory_text(at_rest + _FEWEST * _searched(columns)),
            limit=memory_text(limit),
            argument=argument("memory"),
        )
    return at_once


@dataclass(frozen=True)
class Groups:
    """Rows that are equal in some columns, in all tables."""

    group: Indices
    """The group of each row, table after table."""
    sizes: tuple[Indices, ...]
    """How many rows each group has, by table."""


class ComparedTables(ABC):
    """The synthetic table, the original, and a control if there is one, wherever they are."""

    columns: tuple[str, ...]
    """The columns that all tables have."""
    has_control: bool
    """Whether there is somebody to compare with."""
    constant: tuple[str, ...]
    """Columns with one value in all tables, or none: they tell nobody apart."""
    left_out: Phrase | None = None
    """What cannot be told of tables like these."""

    @abstractmethod
    def people(self, table: int) -> int:
        """How many people a table has; rows where no column tells them apart."""

    @abstractmethod
    def overlap(self, first: int, second: int) -> Overlap:
        """How many rows two tables have in common."""

    @abstractmethod
    def value(self, column: str, code: int) -> str:
        """What a value is called."""

    def checked(self, columns: Sequence[str], name: str) -> tuple[str, ...]:
        """Columns that are there, each once."""
        for place, column in enumerate(columns):
            check_column(column, self.columns, phrase("the synthetic table"))
            if column in columns[:place]:
                raise ColumnError(
                    "column {column!r} is named twice in {name}", column=column, name=name
                )
        return tuple(name for name in self.columns if name in columns)

    @cached_property
    def has_strangers(self) -> bool:
        """Whether the generator saw nobody of the control, so that the excess is not too low."""
        original, synthetic = self._control_overlaps
        return not original.known_people and not synthetic.copied_people

    @cached_property
    def _control_overlaps(self) -> tuple[Overlap, Overlap]:
        """With the original, and with the synthetic table."""
        return self.overlap(ORIGINAL, CONTROL), self.overlap(SYNTHETIC, CONTROL)

    @cached_property
    def notes(self) -> tuple[Phrase, ...]:
        """What is odd about the tables; a control that is the original is an error."""
        notes: list[Phrase] = []
        if self.overlap(SYNTHETIC, ORIGINAL).is_same:
            notes.append(phrase("the synthetic table has exactly the rows of the original"))
        if self.has_control:
            original, synthetic = self._control_overlaps
            notes += checked_control(original)
            if synthetic.is_same:
                raise InputError(
                    "the control is the synthetic table itself; it must be of real people whom the "
                    "generator never saw"
                )
            if synthetic.copied_people:
                notes.append(
                    phrase(
                        "{rows} of the control are rows of the synthetic table, more than chance "
                        "explains: the generator must not have seen the control, and the excess is "
                        "too low",
                        rows=counted(synthetic.copied_people, "row"),
                    )
                )
            if self.people(CONTROL) < FEW:
                notes.append(
                    phrase(
                        "the control has fewer than {few} people: intervals are wide, and little "
                        "can be decided",
                        few=FEW,
                    )
                )
        if self.left_out is not None:
            notes.append(self.left_out)
        return tuple(notes)


class AttackTables(ComparedTables):
    """Tables of this process, encoded row by row.

    Where they are too large for the memory, codes are in files, and ``at_once`` so many rows are
    searched and looked up at a time: of every block the nearest rows, and of these the nearest.
    """

    def __init__(self, joint: JointTables, at_once: int | None = None) -> None:
        self.joint, self._at_once = joint, at_once
        self.columns, self.has_control = joint.columns, len(joint.rows) > CONTROL
        self._searches: dict[object, Neighbours] = {}
        self._groups: dict[tuple[str, ...], Groups] = {}

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
        at_once = rows_at_once([source.rows for source in sources], len(synthetic.columns))
        if person is not None:
            for source in sources[1:]:
                check_column(person, source.columns, source.name)
        array = _array(at_once)
        joint = joint_tables(sources, decimals=None, unit=None, person=person, array=array)
        return cls(joint, at_once)

    def array(self, shape: tuple[int, int], kind: Any) -> npt.NDArray[Any]:
        """An array of the size of a table, where there is room for it."""
        return _array(self._at_once)(shape, kind)

    @cached_property
    def rows(self) -> MixedRows:
        """The rows as points."""
        return mixed_rows(self.joint, self.array)

    @property
    def constant(self) -> tuple[str, ...]:  # type: ignore[override]
        """See the base class."""
        return self.rows.constant

    def part(self, table: int) -> slice:
        """Where the rows of a table are among all."""
        start = sum(self.joint.rows[:table])
        return slice(start, start + self.joint.rows[table])

    def blocks(self, table: int) -> list[slice]:
        """The rows of a table, as many as are looked at together."""
        part = self.part(table)
        size = self._at_once or max(part.stop - part.start, 1)
        starts = range(part.start, part.stop, size)
        return [slice(start, min(start + size, part.stop)) for start in starts]

    def groups(self, columns: Sequence[str]) -> Groups:
        """Find the rows that are equal in some columns, by the values themselves."""
        key = tuple(columns)
        if key not in self._groups:
            places = [self.columns.index(name) for name in key]
            group = self._grouped(places)
            many = int(group.max(initial=-1)) + 1
            tables = range(len(self.joint.rows))
            sizes = tuple(np.bincount(group[self.part(table)], minlength=many) for table in tables)
            self._groups[key] = Groups(group, sizes)
        return self._groups[key]

    def _grouped(self, places: Sequence[int]) -> Indices:
        """The number of each row's group, in the order of their first rows."""
        if self._at_once is None:
            return different_rows(self.joint.codes[places].T)[1]
        group = np.zeros(self.joint.codes.shape[1], np.int64)
        for place in places:
            _, group, _ = different_rows(np.column_stack([group, self.joint.codes[place]]))
        return group

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
            # The people of all tables are asked for sooner or later.
            asked = {table}.union(range(ORIGINAL, len(self.joint.rows)) if not among else ())
            places = self.rows.places(columns)
            parts = [(each, part) for each in asked for part in self.blocks(each)]
            nearest: list[Neighbours] = []
            for block in self.blocks(among):
                tree = Tree(self.rows, block, places, secret)
                near = [tree.nearest(self.rows, part, second=second) for _, part in parts]
                nearest = [*map(Neighbours.among_more, nearest, near)] if nearest else near
            for each in asked:
                of_table = [
                    near for (of, _), near in zip(parts, nearest, strict=True) if of == each
                ]
                self._searches[(each, *key[1:])] = Neighbours.of_all(of_table)
        return self._searches[key]

    def within(
        self, table: int, columns: Sequence[str], of: int, radii: Weights
    ) -> tuple[Indices, Indices]:
        """Count the rows of a table nearer to those of another than a radius, and those at it."""
        parts, places = self.blocks(of), self.rows.places(columns)
        start = self.part(of).start
        counts = np.zeros((2, len(radii)), np.int64)
        for block in self.blocks(table):
            tree = Tree(self.rows, block, places)
            for part in parts:
                rows = slice(part.start - start, part.stop - start)
                counts[:, rows] += tree.within(self.rows, part, radii[rows])
        return counts[0], counts[1]

    def has_many_numbers(self, name: str) -> bool:
        """Whether a column is of so many numbers that near ones tell as much as equal ones."""
        column = self.joint.joined[name]
        return column.kind is Kind.NUMBER and column.size > _MANY_NUMBERS

    def without_common_values(self, columns: Sequence[str]) -> list[str]:
        """Columns of which the synthetic table has no value that the original has."""
        found = []
        for name in columns:
            codes = self.joint.codes[self.columns.index(name)]
            of_original = np.zeros(int(codes.max(initial=0)) + 1, bool)
            of_original[codes[self.part(ORIGINAL)]] = True
            if not of_original[codes[self.part(SYNTHETIC)]].any():
                found.append(name)
        return found

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
        """See the base class."""
        return len(self.by_person(table, np.zeros(self.joint.rows[table])))

    def overlap(self, first: int, second: int) -> Overlap:
        """See the base class."""
        sizes = self.groups(self.columns).sizes
        # One number per pair, which is sorted many times faster.
        width = int(sizes[second].max(initial=0)) + 1
        pairs, rows = np.unique(sizes[first] * width + sizes[second], return_counts=True)
        by_pair = zip((divmod(pair, width) for pair in pairs.tolist()), rows.tolist(), strict=True)
        return Overlap({pair: many for pair, many in by_pair if any(pair)})

    def value(self, column: str, code: int) -> str:
        """See the base class."""
        return called(self.joint.joined[column], code)


def _array(at_once: int | None) -> Callable[[tuple[int, int], Any], npt.NDArray[Any]]:
    return np.empty if at_once is None else array_on_disk


def called(column: JointColumn, code: int) -> str:
    """What the value of a code is called."""
    return "-" if code == column.null else str(column.value(code))
