"""A synthetic table and the table it may single out, as codes that an engine holds.

The engine counts combinations of columns; what comes here are counts. See
:mod:`petaudit.singling.engine` for the search that asks for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.tables._joint.deadline import Deadline, OutOfTimeError
from petaudit.tables.joint import JointColumn, check_same_columns
from petaudit.tables.source import Source

__all__ = [
    "LISTED_AT_ONCE",
    "GroupSizes",
    "Listed",
    "ListingPair",
    "OutOfTimeError",
    "PairSettings",
    "StoredFacts",
    "StoredPair",
    "store_tables",
]

Combination: TypeAlias = tuple[int, ...]
Indices: TypeAlias = npt.NDArray[np.int64]


class Exposed(NamedTuple):
    """How many people are singled out by some synthetic row."""

    people: int
    """Of a sample of the original."""
    nearly: int
    """Of the same sample: who would be in addition if one other person were not there."""
    strangers: int
    """Of the control."""
    nearly_strangers: int
    """Of the control: who would be in addition if one person of the sample were not there."""


@dataclass(frozen=True)
class GroupSizes:
    """How many groups of synthetic rows have each size, from two rows on."""

    sizes: Indices
    """Ascending."""
    groups: Indices

    @property
    def rows(self) -> int:
        """Synthetic rows that are not unique."""
        return int((self.sizes * self.groups).sum())


LISTED_AT_ONCE: Final = 50_000


@dataclass(frozen=True)
class Listed:
    """Some identified rows by combination and row; rows are counted without duplicates."""

    rows: Indices
    combinations: Indices
    targets: Indices
    given_rows: Indices
    """The same rows as they are counted in the tables that were given."""
    given_targets: Indices


@dataclass(frozen=True)
class StoredFacts:
    """What is known of the tables; columns are in the order of the search."""

    columns: tuple[str, ...]
    rows: tuple[int, ...]
    """How many rows each table has as it was given."""
    people: tuple[int, ...]
    """How many are left without duplicates."""
    distinct: tuple[int, ...]
    """How many values the original has in each column."""
    joined: Mapping[str, JointColumn]
    uses: Mapping[str, tuple[int, int, int, int]]
    """Cells of each column without nulls: synthetic ones, those of them whose value the original
    has, the original's, and those of them whose value it has nowhere else."""


@dataclass(frozen=True)
class PairSettings:
    """How tables are brought to common codes."""

    reference: int
    """The table in which precision is found where it is not given."""
    decimals: int | None
    unit: str | None
    deduplicate: bool


class StoredPair(ABC):
    """A pair in an engine; sizes are looked at in ascending order, combinations in theirs.

    From here only counts come; a :class:`ListingPair` gives rows as well.
    """

    facts: StoredFacts
    engine: str
    deadline: Deadline
    """When counting stops with :class:`OutOfTimeError`."""

    @abstractmethod
    def batches(self, size: int) -> Iterator[list[Combination]]:
        """The combinations of a size in order, cut into what is counted together."""

    @abstractmethod
    def count(self, combinations: Sequence[Combination], *, keep_matches: bool) -> list[GroupSizes]:
        """Count the groups of synthetic rows of each combination, and hold whom it identifies.

        Without ``keep_matches`` a row that a smaller combination identifies is known to be
        settled.
        """

    @abstractmethod
    def note(self, size: int, numbers: Mapping[int, int]) -> None:
        """Note whom combinations of the last count identify, if nobody did before.

        ``numbers`` leads from places in that count to the numbers of combinations of this size.
        """

    @abstractmethod
    def settle(self, size: int) -> Indices:
        """End a size: its rows are settled. Returns rows identified by number of combination."""

    @abstractmethod
    def finish(self) -> None:
        """Let go of what only counting needs."""


class ListingPair(StoredPair):
    """A pair whose rows have numbers, so that they can be listed and drawn."""

    @abstractmethod
    def listed(self, size: int) -> Iterator[Listed]:
        """The rows that a size identifies, so many at a time."""

    @abstractmethod
    def values(
        self, rows: Indices, combinations: Sequence[Sequence[int]]
    ) -> Iterator[tuple[object, ...]]:
        """The prepared values of synthetic rows, as given, in columns by place in the search."""

    @abstractmethod
    def first_rows(self, table: int) -> Indices:
        """For each row of a table as given the first one that is equal to it."""

    @abstractmethod
    def overlap(self) -> dict[tuple[int, int], int]:
        """How many different rows occur how often in the original, and in the control."""

    @abstractmethod
    def exposed(
        self,
        sample: Indices,
        combinations: Iterable[Combination],
        *,
        keep_matches: bool,
        merges_equal: bool,
    ) -> Exposed:
        """How many of some rows of the original, and of all rows of the control, are singled out.

        Rows of the control are looked at one by one beside the sample; ``merges_equal`` says that
        equal rows are one person.
        """


def store_tables(tables: Sequence[Source], settings: PairSettings) -> StoredPair:
    """Encode the synthetic table, the original, and a control if there is one, in an engine."""
    check_same_columns(tables)
    if any(table.counts.is_remote for table in tables):
        from petaudit.tables._joint.spark import SparkPair  # noqa: PLC0415 (large)

        return SparkPair(tables, settings)
    from petaudit.tables._joint.pair import DuckPair  # noqa: PLC0415 (it imports this one)

    return DuckPair(tables, settings)
