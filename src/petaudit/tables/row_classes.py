"""Classes with the rows in each: what the counts of a table would be with fewer or coarser ones.

Whoever asks what dropping rows, leaving out a column or a coarser label would do asks many times.
So rows are looked at once; from then on classes are numbers, and are dropped and merged as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.exact.class_figures import Truths
from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import class_indices, folded_pairs
from petaudit.tables.classes.blocks import Answer_co, BlockQuestion, ClassBlocks, ask_tables
from petaudit.tables.classes.people import people_class_table
from petaudit.tables.classes.table import ClassTable
from petaudit.tables.column_values import ColumnValues
from petaudit.tables.engines.frames import wrap_frame
from petaudit.tables.population import CodedClasses
from petaudit.tables.results import (
    ClassHistogram,
    ClassValueCounts,
    Integers,
    ValueCounts,
    different_people,
    summed,
)
from petaudit.tables.source import Source
from petaudit.tables.table_counts import TableCounts

Labels = tuple[str | None, ...]

_ENGINE: Final = "pyarrow"


@dataclass(frozen=True)
class RowClasses:
    """The classes of a table, the rows of each, and the sensitive values and people of rows.

    >>> from petaudit.tables import open_source
    >>> table = open_source(pa.table({"zip": ["1", "2", "1"], "sex": ["f", "m", "m"]}))
    >>> classes = RowClasses.of(table, ("zip", "sex"))
    >>> classes.of_rows.tolist(), classes.without("sex").of_rows.tolist()
    ([0, 2, 1], [0, 1, 0])
    """

    source: Source
    names: tuple[str, ...]
    """The quasi-identifiers."""
    labels: tuple[Labels, ...]
    """The labels of each quasi-identifier."""
    codes: tuple[Integers, ...]
    """For each quasi-identifier the position of the label of every class."""
    of_rows: Integers
    """The class of each row."""
    values: Mapping[str, tuple[ValueCounts, Integers]]
    """The values of each sensitive attribute, and the position of that of each row."""
    person: str | None = None
    people: Integers | None = None
    """A number for the person of each row, where a column tells people apart."""
    pairs: Mapping[str, ClassValueCounts] | None = None
    """The counts per class and value, where they are known."""

    @classmethod
    def of(
        cls,
        source: Source,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        person: str | None = None,
    ) -> RowClasses:
        """Look at the rows of a table; rows that stay in an engine elsewhere are an error."""
        counts = source.counts
        counts.require_local()
        columns = [*quasi_identifiers, *sensitive, *(() if person is None else (person,))]
        codes = dict(zip(columns, counts.row_codes(columns), strict=True))
        values = {}
        for name in sensitive:
            merged = counts.sensitive_values(name).counts
            labels = counts.value_counts(name).labels
            recode = np.array([merged.index[label] for label in labels], dtype=np.int64)
            values[name] = merged, recode[codes[name]]
        of_rows = class_indices([codes[name] for name in quasi_identifiers], source.rows)
        first = _first_rows(of_rows)
        return cls(
            source,
            tuple(quasi_identifiers),
            tuple(counts.value_counts(name).labels for name in quasi_identifiers),
            tuple(codes[name][first].astype(np.int64) for name in quasi_identifiers),
            of_rows,
            values,
            person,
            None if person is None else codes[person].astype(np.int64),
        )

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.sizes)

    @cached_property
    def sizes(self) -> Integers:
        """The rows of each class."""
        return np.bincount(self.of_rows).astype(np.int64)

    @cached_property
    def marked(self) -> int | None:
        """The class of the suppressed rows, if there are any."""
        marked = np.flatnonzero(CodedClasses(self.labels, self.codes, self.sizes).is_suppressed)
        return int(marked[0]) if marked.size else None

    @cached_property
    def table(self) -> ClassTable:
        """The classes with their sensitive values."""
        columns = self.pairs
        if columns is None:
            ones = np.ones_like(self.of_rows)
            columns = {
                name: ClassValueCounts(counts, *folded_pairs(self.of_rows, codes, ones))
                for name, (counts, codes) in self.values.items()
            }
        return ClassTable(self.sizes, np.ones_like(self.sizes), columns, self.marked)

    @cached_property
    def people_table(self) -> ClassTable:
        """The classes with their people, as ``PeopleBlocks`` has them."""
        counted = {"n": self._people(np.ones_like(self.of_rows, dtype=bool))}
        for place, (counts, codes) in enumerate(self.values.values()):
            null, mark = counts.index.get(None, -1), counts.index.get(SUPPRESSED, -1)
            with_value = codes != null
            pairs = class_indices([self.of_rows, codes], len(codes))
            first = _first_rows(pairs)
            people = different_people(pairs[with_value], self._persons[with_value], len(first))
            commonest = np.zeros(self.number, dtype=np.int64)
            np.maximum.at(commonest, self.of_rows[first], people)
            counted[f"m{place}"] = commonest
            if null >= 0:
                counted[f"z{place}"] = self._people(~with_value)
            if mark >= 0:
                counted[f"h{place}"] = self._people(codes == mark)
        if self.marked is not None:
            counted["suppressed"] = (np.arange(self.number) == self.marked).astype(np.int64)
        values = {name: counts for name, (counts, _) in self.values.items()}
        return people_class_table(pa.table(counted), np.ones_like(self.sizes), values, None)

    def _people(self, rows: Truths) -> Integers:
        """The different people among some rows of each class."""
        return different_people(self.of_rows[rows], self._persons[rows], self.number)

    @property
    def _persons(self) -> Integers:
        assert self.people is not None  # noqa: S101 (only asked for where people are counted)
        return self.people

    def without(self, column: str) -> RowClasses:
        """The same with one quasi-identifier less."""
        places = [place for place, name in enumerate(self.names) if name != column]
        return self._merged(
            tuple(self.names[place] for place in places),
            tuple(self.labels[place] for place in places),
            tuple(self.codes[place] for place in places),
        )

    def relabelled(self, labels_of: Mapping[str, Sequence[str | None]]) -> RowClasses:
        """The same with other labels of some quasi-identifiers, in the order of their labels."""
        all_labels, all_codes = list(self.labels), list(self.codes)
        for column, new in labels_of.items():
            place = self.names.index(column)
            labels = tuple(dict.fromkeys(new))
            position = {label: index for index, label in enumerate(labels)}
            recode = np.array([position[label] for label in new], dtype=np.int64)
            all_labels[place], all_codes[place] = labels, recode[self.codes[place]]
        return self._merged(self.names, tuple(all_labels), tuple(all_codes))

    def _merged(
        self, names: tuple[str, ...], labels: tuple[Labels, ...], codes: tuple[Integers, ...]
    ) -> RowClasses:
        """Make classes one that agree on all codes."""
        index = class_indices(codes, self.number)
        first = _first_rows(index)
        # Classes are fewer than rows, and their values were counted before.
        pairs = {
            name: ClassValueCounts(
                column.values,
                *folded_pairs(index[column.class_index], column.value_index, column.counts),
            )
            for name, column in self.table.columns.items()
        }
        return replace(
            self,
            names=names,
            labels=labels,
            codes=tuple(column[first] for column in codes),
            of_rows=index[self.of_rows],
            pairs=pairs,
        )

    def cells(self, kept: Truths) -> pa.Table:
        """The rows of some classes, with the labels of the quasi-identifiers as they are here."""
        rows = kept[self.of_rows]
        cells = dict(zip(self.source.columns, self.source.to_arrow().columns, strict=True))
        for name, labels, codes in zip(self.names, self.labels, self.codes, strict=True):
            cells[name] = pa.array(labels, type=pa.string()).take(pa.array(codes[self.of_rows]))
        return pa.table(cells).filter(pa.array(rows))


class KeptCounts(TableCounts):
    """What a table would count if it had no other rows than those of some classes.

    Classes are counted here; what else a measure asks of a table is counted from its rows.
    """

    def __init__(self, classes: RowClasses, kept: Truths, *, of_people: bool = False) -> None:
        super().__init__(self._rows_in_engine, classes.source.columns, classes.source.name)
        self.classes, self.kept = classes, kept
        self._of_people = of_people
        self.asked: tuple[BlockQuestion[Any], ClassTable] | None = None
        """The last question about classes, and the classes that it was about."""

    def _rows_in_engine(self) -> nw.LazyFrame[Any]:
        return wrap_frame(self.classes.cells(self.kept), self.classes.source.name).frame

    @property
    def is_opened(self) -> bool:
        """Whether rows were asked for."""
        return "_opened" in vars(self)

    @property
    def engine(self) -> str:
        """Rows are in memory."""
        return _ENGINE

    @property
    def is_remote(self) -> bool:
        """Rows are in memory."""
        return False

    @property
    def is_on_spark(self) -> bool:
        """Rows are in memory."""
        return False

    @property
    def sizes(self) -> Integers:
        """The rows, or the people, of all classes."""
        return self.classes.people_table.sizes if self._of_people else self.classes.sizes

    @property
    def rows(self) -> int:
        """How many rows there are, or people in classes."""
        return int(self.sizes[self.kept].sum())

    def class_histogram(self, quasi_identifiers: Sequence[str]) -> ClassHistogram:
        """How many classes have each size."""
        if not self._knows(quasi_identifiers):
            return super().class_histogram(quasi_identifiers)
        in_class, marked = self.kept.copy(), self.classes.marked
        suppressed = 0
        if marked is not None and in_class[marked]:
            in_class[marked], suppressed = False, int(self.sizes[marked])
        classes = np.bincount(self.sizes[in_class])
        sizes = np.flatnonzero(classes)
        return ClassHistogram(sizes.astype(np.int64), classes[sizes].astype(np.int64), suppressed)

    def suppressed_rows(self, quasi_identifiers: Sequence[str]) -> int:
        """Rows whose every quasi-identifier is suppressed."""
        return self.class_histogram(quasi_identifiers).suppressed_rows

    def class_blocks(
        self, quasi_identifiers: Sequence[str], columns: Sequence[str], *, labels: bool = False
    ) -> ClassBlocks:
        """The classes with the counts of sensitive values, without their labels."""
        if not self._knows(quasi_identifiers) or not set(columns) <= set(self.classes.values):
            return super().class_blocks(quasi_identifiers, columns, labels=labels)
        return _Asked(self, self._table)

    def people_blocks(
        self,
        quasi_identifiers: Sequence[str],
        columns: Sequence[str],
        person: str,
        *,
        labels: bool = False,
    ) -> ClassBlocks:
        """The classes with their people."""
        if not self._knows(quasi_identifiers) or person != self.classes.person:
            return super().people_blocks(quasi_identifiers, columns, person, labels=labels)
        return _Asked(self, self.classes.people_table.only(self.kept))

    def by_person(self, quasi_identifiers: Sequence[str], person: str) -> TableCounts:
        """The same classes, of people."""
        if not self._knows(quasi_identifiers) or person != self.classes.person:
            return super().by_person(quasi_identifiers, person)
        return KeptCounts(self.classes, self.kept, of_people=True)

    def different(self, column: str) -> int:
        """How many different values a column has."""
        if column != self.classes.person or self.classes.people is None:
            return super().different(column)
        people = self.classes.people[self.kept[self.classes.of_rows]]
        return int(np.count_nonzero(np.bincount(people)))

    def coded_classes(self, quasi_identifiers: Sequence[str]) -> CodedClasses:
        """Every class with its size, as numbers."""
        if tuple(quasi_identifiers) != self.classes.names:
            return super().coded_classes(quasi_identifiers)
        codes = tuple(column[self.kept] for column in self.classes.codes)
        return CodedClasses(self.classes.labels, codes, self.sizes[self.kept])

    def sensitive_values(self, column: str) -> ColumnValues:
        """The values of a sensitive attribute, of which some may be gone."""
        if column not in self.classes.values:
            return super().sensitive_values(column)
        # Which cells spell them matters to engines only, and no engine counts here.
        none = pa.array([], type=pa.string())
        return ColumnValues(self._table.columns[column].values, none, np.zeros(0, dtype=np.int64))

    def _knows(self, quasi_identifiers: Sequence[str]) -> bool:
        return frozenset(quasi_identifiers) == frozenset(self.classes.names)

    @cached_property
    def _table(self) -> ClassTable:
        """The classes that are kept, with no other values than they have."""
        table = self.classes.table.only(self.kept)
        columns = {name: _present(column) for name, column in table.columns.items()}
        return replace(table, columns=columns)


class _Asked(ClassBlocks):
    """Classes that remember what they were asked."""

    def __init__(self, counts: KeptCounts, table: ClassTable) -> None:
        self._counts, self._table = counts, table

    def ask(self, question: BlockQuestion[Answer_co], *, with_suppressed: bool) -> list[Answer_co]:
        """Ask the one block that there is."""
        judged = self._table.judged(with_suppressed=with_suppressed)
        self._counts.asked = question, judged
        return ask_tables([judged], question, with_suppressed=True)


def _first_rows(classes: Integers) -> Integers:
    """The first row of each class.

    >>> _first_rows(np.array([1, 0, 1])).tolist()
    [1, 0]
    """
    first = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes) - 1, -1, -1)
    return first


def _present(column: ClassValueCounts) -> ClassValueCounts:
    """The same without values that no class has."""
    values = column.values
    totals = summed(column.value_index, column.counts, len(values.labels))
    position = np.cumsum(totals > 0, dtype=np.int64) - 1
    return replace(column, values=values.present(totals), value_index=position[column.value_index])
