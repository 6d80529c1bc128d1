"""The smallest sets of columns on which a row is alone, found by the engine that has the rows.

All classes are counted by every set of columns. A set on which one row is alone is minimal for that
row unless a smaller one was found before. Ids of rows and sets of columns meet in the engine, and
what comes from there is how many rows each set and each score has.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from petaudit.errors import NotMeasurableError
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

Pairs = TypeVar("Pairs")
"""Of the id of a row and a set of columns, as an engine holds them."""
Floats = npt.NDArray[np.float64]

_MOST_COLUMNS: Final = 60
"""There is a bit for each in a number of an engine."""
AS_GOOD_AS_MORE: Final = 2
"""Rows of a class: whether a row has company is all that matters."""


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
    person: str | None = None,
) -> MinimalUniques:
    """Find the sets of up to so many columns where the rows are: on Spark, or by DuckDB.

    Other engines raise an error, because their rows cannot be fetched either. With a person
    column, a row per person and class is counted, and it is alone on a set if everybody who
    shares its values there is the same person.
    """
    search: MinimalSearch[Any]
    if table.is_on_spark:
        from petaudit.tables.minimal_spark import SparkSearch  # noqa: PLC0415 (an extra)

        search = SparkSearch(
            table, quasi_identifiers, with_suppressed=with_suppressed, person=person
        )
    else:
        table.require_local()
        from petaudit.tables.minimal_duck import DuckSearch  # noqa: PLC0415 (it imports this one)

        search = DuckSearch(
            table, quasi_identifiers, with_suppressed=with_suppressed, person=person
        )
    try:
        return search.find(up_to, score_of_size)
    finally:
        search.close()


class MinimalSearch(ABC, Generic[Pairs]):
    """A set is a number here: of all columns, the first has the highest bit."""

    def __init__(self, columns: int) -> None:
        if columns > _MOST_COLUMNS:
            raise NotMeasurableError(
                "engines find minimal sets among {most} quasi-identifiers at most",
                most=_MOST_COLUMNS,
            )
        self.columns = columns
        self.keys = [f"k{column}" for column in range(columns)]

    def find(self, up_to: int, score_of_size: Callable[[int], int]) -> MinimalUniques:
        """Count the rows of each minimal set of up to so many columns, and of each score."""
        up_to = min(up_to, self.columns)
        found = self.minimal(None, self._sets(1))
        for size in range(2, up_to + 1):
            found = self.minimal(found, self._sets(size))
        special = 0
        if up_to >= self.columns - 1:
            special = self.rows_of(found)
        elif self.columns > 1:
            # Whoever is alone on fewer columns is alone on all but one, too.
            special = self.rows_of(self.minimal(None, self._sets(self.columns - 1)))
        bits, rows = self.by_set(found)
        sets = [self._columns_of(number) for number in bits.tolist()]
        scores = {
            size: float(score_of_size(size)) for size in sorted({len(columns) for columns in sets})
        }
        return MinimalUniques(special, tuple(sets), rows, *self.by_score(found, scores))

    @property
    def every(self) -> int:
        """The set of all columns."""
        return (1 << self.columns) - 1

    def bits_of(self, columns: Iterable[int]) -> int:
        """A set as a number."""
        return sum(1 << (self.columns - 1 - column) for column in columns)

    @abstractmethod
    def minimal(self, found: Pairs | None, sets: Iterable[Sequence[int]]) -> Pairs:
        """Pairs that were found before, and those of these sets that contain none of them."""

    @abstractmethod
    def rows_of(self, found: Pairs) -> int:
        """How many rows are in a pair with a set of fewer than all columns."""

    @abstractmethod
    def by_set(self, found: Pairs) -> tuple[Integers, Integers]:
        """The different sets, ascending, and how many pairs each is in."""

    @abstractmethod
    def by_score(self, found: Pairs, scores: Mapping[int, float]) -> tuple[Floats, Integers]:
        """The different sums of the scores of a row's sets, and how many rows have each."""

    def close(self) -> None:
        """Let go of what the engine holds; files go with the object."""

    def _sets(self, size: int) -> Iterable[Sequence[int]]:
        return itertools.combinations(range(self.columns), size)

    def _columns_of(self, bits: int) -> tuple[int, ...]:
        return tuple(
            column for column in range(self.columns) if bits >> (self.columns - 1 - column) & 1
        )
