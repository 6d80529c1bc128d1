"""The search for minimal sets, whatever engine counts.

All classes are counted by every set of columns. A set on which one row is alone is minimal for that
row unless a smaller one was found before. Ids of rows and sets of columns meet in the engine, and
what comes from there is how many rows each set and each score has.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from petaudit.errors import NotMeasurableError
from petaudit.tables._classes.keys import trimmed_keys
from petaudit.tables.minimal_uniques import MinimalUniques
from petaudit.tables.results import Integers
from petaudit.tables.table_counts import TableCounts

Pairs = TypeVar("Pairs")
"""Of the id of a row and a set of columns, as an engine holds them."""
Floats = npt.NDArray[np.float64]

MOST_COLUMNS: Final = 60
"""There is a bit for each in a number of an engine."""
PERSON: Final = "p"
AS_GOOD_AS_MORE: Final = 2
"""Rows of a class: whether a row has company is all that matters."""


def kept_rows(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    *,
    with_suppressed: bool,
    carried: Sequence[str] = (),
) -> nw.LazyFrame[Any]:
    """The rows with their quasi-identifiers as k0, k1, ...; suppressed rows as is asked for."""
    keys = trimmed_keys(table, quasi_identifiers, carried=carried)
    if keys.suppressed is None or with_suppressed:
        return keys.rows
    return keys.rows.filter(keys.suppressed == 0)


def classes_of(
    table: TableCounts, quasi_identifiers: Sequence[str], *, with_suppressed: bool
) -> nw.LazyFrame[Any]:
    """The classes as columns k0, k1, ... with their size n."""
    rows = kept_rows(table, quasi_identifiers, with_suppressed=with_suppressed)
    return table.grouped(rows, [f"k{place}" for place in range(len(quasi_identifiers))])


def people_of(
    table: TableCounts, quasi_identifiers: Sequence[str], person: str, *, with_suppressed: bool
) -> nw.LazyFrame[Any]:
    """A row per person and class: the class as columns k0, k1, ... and the person as p."""
    people = table.by_person(quasi_identifiers, person)
    column = people.position(person)
    rows = kept_rows(people, quasi_identifiers, with_suppressed=with_suppressed, carried=[column])
    keys = [f"k{place}" for place in range(len(quasi_identifiers))]
    return rows.select(*keys, nw.col(column).alias(PERSON))


class MinimalSearch(ABC, Generic[Pairs]):
    """A set is a number here: of all columns, the first has the highest bit."""

    def __init__(self, columns: int) -> None:
        if columns > MOST_COLUMNS:
            raise NotMeasurableError(
                "engines find minimal sets among {most} quasi-identifiers at most",
                most=MOST_COLUMNS,
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
        sets = [self._columns_of(own) for own in bits.tolist()]
        scores = {size: float(score_of_size(size)) for size in sorted({len(own) for own in sets})}
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
