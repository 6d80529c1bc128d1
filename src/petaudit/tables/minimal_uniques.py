"""The smallest sets of columns on which a row is alone, found by the engine that has the rows.

All classes are counted by every set of columns. A set on which one row is alone is minimal for that
row unless a smaller one was found before. Ids of rows and sets of columns meet in the engine, and
what comes from there is how many rows each set and each score has.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import NotMeasurableError
from petaudit.tables._encoding import floats, whole_numbers
from petaudit.tables.engines.scratch import Scratch
from petaudit.tables.engines.spark_store import SparkStore
from petaudit.tables.results import Integers
from petaudit.tables.set_counts import PERSON, key_rows
from petaudit.tables.table_counts import TableCounts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Pairs = TypeVar("Pairs")
"""Of the id of a row and a set of columns, as an engine holds them."""

_MOST_COLUMNS: Final = 60
"""There is a bit for each in a number of an engine."""
_SETS_AT_ONCE: Final = 16
"""Of columns, in a query of Spark."""


@dataclass(frozen=True)
class MinimalSets:
    """How many minimal unique sets have one size, how many rows have one, and their score."""

    columns: int
    sets: int
    """Sets of columns; each may be minimal for many rows."""
    minimal_uniques: int
    """Pairs of a row and a minimal set of it."""
    score: int
    """What one of them adds to the score of its row."""


@dataclass(frozen=True)
class ColumnPart:
    """The part of a column in the minimal unique sets."""

    attribute: str
    minimal_uniques: int
    contribution: float
    """The share of the total score that is due to sets with the column; 0 where there is none."""


@dataclass(frozen=True)
class MinimalUniques:
    """How many rows there are for each set of columns, and for each score."""

    special: int
    """Rows that are alone on fewer than all columns."""
    sets: tuple[tuple[int, ...], ...]
    """The sets of columns on which a row is alone and on no subset; not empty, none twice."""
    rows_of_set: Integers
    """For how many rows each of them is such a set."""
    scores: npt.NDArray[np.float64]
    """The different scores above 0, ascending: the score of a row is the sum over its sets."""
    rows_of_score: Integers

    @classmethod
    def none(cls) -> MinimalUniques:
        """Of a table in which nobody is alone."""
        nothing = np.zeros(0, np.int64)
        return cls(0, (), nothing, np.zeros(0), nothing)

    def by_size(self, score: Callable[[int], int]) -> Iterator[MinimalSets]:
        """Count the sets of each size, and the rows that have one."""
        sizes = np.array([len(columns) for columns in self.sets], np.int64)
        for size in np.unique(sizes).tolist():
            rows = self.rows_of_set[sizes == size]
            yield MinimalSets(size, len(rows), int(rows.sum()), score(size))

    def by_column(self, names: Sequence[str], score: Callable[[int], int]) -> Iterator[ColumnPart]:
        """Count the rows that have a set with each column, and share out the scores."""
        rows_of_column, scores, total = [0] * len(names), [0] * len(names), 0
        for columns, rows in zip(self.sets, self.rows_of_set.tolist(), strict=True):
            added = rows * score(len(columns))
            total += added
            for column in columns:
                rows_of_column[column] += rows
                scores[column] += added
        for name, rows, added in zip(names, rows_of_column, scores, strict=True):
            # Whole numbers of any size, divided once.
            yield ColumnPart(name, rows, float(Fraction(added, total or 1)))


def minimal_uniques_in_engine(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    up_to: int,
    score_of_size: Callable[[int], int],
    *,
    with_suppressed: bool,
    person: str | None,
) -> MinimalUniques:
    """Find the sets of up to ``up_to`` columns where the rows are: on Spark, or by DuckDB.

    Other engines raise an error, because their rows cannot be fetched either. With a person
    column, a row per person and class is counted, and it is alone on a set if everybody who
    shares its values there is the same person.
    """
    if not table.is_on_spark:
        table.require_local()
    if len(quasi_identifiers) > _MOST_COLUMNS:
        raise NotMeasurableError(
            "engines search for minimal sets among at most {most} quasi-identifiers",
            most=_MOST_COLUMNS,
        )
    rows = key_rows(table, quasi_identifiers, with_suppressed=with_suppressed, person=person)
    kind: type[_Search[Any]] = _SparkSearch if table.is_on_spark else _DuckSearch
    search = kind(table, rows, len(quasi_identifiers), by_person=person is not None)
    try:
        return search.find(up_to, score_of_size)
    finally:
        search.close()


class _Search(ABC, Generic[Pairs]):
    """A set is a number here: of all columns, the first has the highest bit."""

    def __init__(
        self, table: TableCounts, rows: nw.LazyFrame[Any], columns: int, *, by_person: bool
    ) -> None:
        self.columns = columns
        self.keys = [f"k{column}" for column in range(columns)]
        self.by_person = by_person
        # Whether a row has company is all that matters of the size of a class.
        self.size = "" if by_person else "CAST(least(n, 2) AS TINYINT) AS n, "
        self.store(table, rows if by_person else table.grouped(rows, self.keys))

    @property
    def every(self) -> int:
        """The set of all columns."""
        return (1 << self.columns) - 1

    @abstractmethod
    def store(self, table: TableCounts, rows: nw.LazyFrame[Any]) -> None:
        """Keep classes, or the rows of people, with an id each."""

    @abstractmethod
    def minimal(self, pairs: Pairs | None, sets: Iterable[Sequence[int]]) -> Pairs:
        """Pairs that were found before, and those of these sets that contain none of them."""

    @abstractmethod
    def fetch(self, query: str, pairs: Pairs) -> pa.Table:
        """The result of a query, in which the pairs are ``{pairs}``."""

    def close(self) -> None:
        """Let go of what the engine holds; files go with the object."""

    def find(self, up_to: int, score_of_size: Callable[[int], int]) -> MinimalUniques:
        """Count the rows of each minimal set of up to ``up_to`` columns, and of each score."""
        up_to = min(up_to, self.columns)
        pairs = self.minimal(None, self._sets(1))
        for size in range(2, up_to + 1):
            pairs = self.minimal(pairs, self._sets(size))
        special = 0
        if up_to >= self.columns - 1:
            special = self._special_rows(pairs)
        elif self.columns > 1:
            # Whoever is alone on fewer columns is alone on all but one, too.
            special = self._special_rows(self.minimal(None, self._sets(self.columns - 1)))
        by_set = self.fetch(
            "SELECT bits, count(*) AS rows FROM {pairs} GROUP BY bits ORDER BY bits", pairs
        )
        sets = tuple(
            tuple(column for column in range(self.columns) if bits & self.bits_of([column]))
            for bits in whole_numbers(by_set.column("bits")).tolist()
        )
        if not sets:
            return replace(MinimalUniques.none(), special=special)
        scores = "".join(
            f" WHEN {size} THEN CAST({float(score_of_size(size))!r} AS DOUBLE)"
            for size in sorted({len(columns) for columns in sets})
        )
        by_score = self.fetch(
            "SELECT score, count(*) AS rows FROM ("
            f"SELECT sum(CASE bit_count(bits){scores} END) AS score FROM {{pairs}} GROUP BY id"
            ") AS scored GROUP BY score ORDER BY score",
            pairs,
        )
        return MinimalUniques(
            special,
            sets,
            whole_numbers(by_set.column("rows")),
            floats(by_score.column("score")),
            whole_numbers(by_score.column("rows")),
        )

    def _special_rows(self, pairs: Pairs) -> int:
        """How many rows are in a pair with a set of fewer than all columns."""
        query = f"SELECT count(DISTINCT id) AS rows FROM {{pairs}} WHERE bits <> {self.every}"
        return int(whole_numbers(self.fetch(query, pairs).column("rows"))[0])

    def bits_of(self, columns: Iterable[int]) -> int:
        """A set as a number."""
        return sum(1 << (self.columns - 1 - column) for column in columns)

    def names(self, columns: Iterable[int]) -> str:
        """A set in a query."""
        return ", ".join(self.keys[column] for column in columns)

    def _sets(self, size: int) -> Iterable[Sequence[int]]:
        return itertools.combinations(range(self.columns), size)


class _DuckSearch(_Search[str]):
    """Classes have a code per column and an id, and lie in a file of DuckDB, as the pairs do."""

    def store(self, table: TableCounts, rows: nw.LazyFrame[Any]) -> None:
        """Whole numbers are grouped much faster than text."""
        self._scratch = Scratch()
        self._serial = itertools.count()
        if table.load is not None:
            labelled = self._scratch.make("labelled", rows.to_native().sql_query())
        else:
            fetched = table.collected(rows)
            labelled = self._scratch.make("labelled", "FROM rows_given", rows_given=fetched)
        names = [*self.keys, *([PERSON] if self.by_person else [])]
        for name in names:
            self._scratch.make(
                f"codes_{name}",
                f"SELECT {name} AS cell, (row_number() OVER ())::INTEGER AS code "
                f"FROM (SELECT DISTINCT {name} FROM {labelled})",
            )
        codes = ", ".join(f"of_{name}.code AS {name}" for name in names)
        joins = " ".join(
            f"JOIN {self._scratch.table(f'codes_{name}')} AS of_{name} "
            f"ON of_{name}.cell IS NOT DISTINCT FROM labelled.{name}"
            for name in names
        )
        self._classes = self._scratch.make(
            "classes",
            f"SELECT {self.size}row_number() OVER () AS id, {codes} "
            f"FROM {labelled} AS labelled {joins}",
        )
        for name in ("labelled", *(f"codes_{name}" for name in names)):
            self._scratch.drop(name)

    def minimal(self, pairs: str | None, sets: Iterable[Sequence[int]]) -> str:
        """See the base class."""
        if pairs is None:
            nothing = "SELECT 0::BIGINT AS id, 0::BIGINT AS bits LIMIT 0"
            pairs = self._scratch.make(f"pairs_{next(self._serial)}", nothing)
        new = self._scratch.make("new", f"FROM {pairs} LIMIT 0")
        for columns in sets:
            bits = self.bits_of(columns)
            self._scratch.run(
                f"INSERT INTO {new} SELECT id, {bits} FROM ({self._alone(columns)}) AS alone "
                f"WHERE NOT EXISTS (FROM {pairs} AS known "
                f"WHERE known.id = alone.id AND {bits} & known.bits = known.bits)"
            )
        self._scratch.run(f"INSERT INTO {pairs} FROM {new}")
        self._scratch.drop("new")
        return pairs

    def fetch(self, query: str, pairs: str) -> pa.Table:
        """See the base class."""
        return self._scratch.fetch(query.format(pairs=pairs))

    def _alone(self, columns: Sequence[int]) -> str:
        """The ids of the rows that share these cells with nobody else."""
        keys = self.names(columns)
        if self.by_person:
            return (
                f"SELECT id FROM {self._classes} SEMI JOIN (SELECT {keys} "
                f"FROM {self._classes} GROUP BY {keys} HAVING min(p) = max(p)) USING ({keys})"
            )
        return (
            f"SELECT id FROM (SELECT sum(n) AS n, max(id) FILTER (n = 1) AS id "
            f"FROM {self._classes} GROUP BY {keys}) WHERE n = 1"
        )


class _SparkSearch(_Search["DataFrame"]):
    """Sets of columns are counted some at a time, in one pass: grouping sets."""

    def store(self, table: TableCounts, rows: nw.LazyFrame[Any]) -> None:
        """See the base class."""
        self._store = SparkStore(table)
        names = [*self.keys, *([PERSON] if self.by_person else [])]
        query = f"SELECT {self.size}{', '.join(names)} FROM {{rows}}"
        classes = self._store.sql(query, rows=rows.to_native())
        is_alone = "true" if self.by_person else "n = 1"
        self._classes = self._store.with_ids(classes, names, is_alone)

    def minimal(self, pairs: DataFrame | None, sets: Iterable[Sequence[int]]) -> DataFrame:
        """See the base class."""
        every = list(sets)
        starts = range(0, len(every), _SETS_AT_ONCE)
        batches = [self._alone(every[start : start + _SETS_AT_ONCE]) for start in starts]
        new = reduce(lambda one, other: one.unionByName(other), batches)
        if pairs is None:
            return self._store.keep(new)
        both = self._store.sql(
            "SELECT id, bits FROM {pairs} UNION ALL SELECT id, bits FROM {new} AS alone "
            "LEFT ANTI JOIN {pairs} AS known "
            "ON known.id = alone.id AND alone.bits & known.bits = known.bits",
            pairs=pairs,
            new=new,
        )
        kept = self._store.keep(both)
        self._store.drop(pairs)
        return kept

    def fetch(self, query: str, pairs: DataFrame) -> pa.Table:
        """See the base class."""
        return self._store.fetch(self._store.sql(query, pairs=pairs))

    def close(self) -> None:
        """See the base class."""
        self._store.finish()

    def _alone(self, sets: Sequence[Sequence[int]]) -> DataFrame:
        """Pairs of the id of a row and one of these sets on which it is alone."""
        if self.by_person:
            query = " UNION ALL ".join(map(self._only_person, sets))
        else:
            grouped = ", ".join(f"({self.names(columns)})" for columns in sets)
            # Spark's bits are of the columns that are not in a set.
            query = (
                f"SELECT id, bits FROM (SELECT {self.every} - grouping_id() AS bits, "
                "sum(n) AS n, max(id) FILTER (WHERE n = 1) AS id FROM {classes} "
                f"GROUP BY {', '.join(self.keys)} GROUPING SETS ({grouped})) WHERE n = 1"
            )
        return self._store.sql(query, classes=self._classes)

    def _only_person(self, columns: Sequence[int]) -> str:
        """The rows whose values on a set of columns nobody but their own person has."""
        # A null is a person of its own, and takes no part in the smallest and the largest.
        return (
            f"SELECT id, CAST({self.bits_of(columns)} AS BIGINT) AS bits FROM (SELECT id, "
            "count(p) OVER same AS known, count(*) OVER same AS rows, min(p) OVER same AS low, "
            "max(p) OVER same AS high FROM {classes} "
            f"WINDOW same AS (PARTITION BY {self.names(columns)})) "
            "WHERE known = 0 OR (known = rows AND low = high)"
        )
