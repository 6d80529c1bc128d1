"""A synthetic table and the table it may single out, as codes that an engine holds.

The engine counts combinations of columns; what comes here are counts. See
:mod:`petaudit.singling.engine` for the search that asks for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._encoding import whole_numbers
from petaudit.tables.engines.scratch import Deadline
from petaudit.tables.joint.column import ORIGINAL, SYNTHETIC, JointColumn
from petaudit.tables.joint.tables import JointTables, check_same_columns
from petaudit.tables.source import Source

Combination: TypeAlias = tuple[int, ...]
Indices: TypeAlias = npt.NDArray[np.int64]


class Exposed(NamedTuple):
    """How many people are singled out by some synthetic row."""

    people: int
    """Of a sample of the original."""
    nearly: int
    """Of the same sample: who would be in addition if one other person were not there."""
    control_exposed: int
    """Of the control."""
    control_nearly_exposed: int
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


class StoredPair(ABC):
    """A pair in an engine; sizes are looked at in ascending order, combinations in theirs.

    Only counts come from here; DuckDB gives rows as well.
    """

    facts: StoredFacts
    engine: str
    deadline: Deadline
    """When counting stops with :class:`~petaudit.tables.engines.scratch.OutOfTimeError`."""

    @abstractmethod
    def batches(self, size: int) -> Iterator[list[Combination]]:
        """The combinations of a size in order, cut into what is counted together."""

    @abstractmethod
    def count(self, combinations: Sequence[Combination], *, keep_matches: bool) -> list[GroupSizes]:
        """Count the groups of synthetic rows of each combination, and hold the rows it identifies.

        Without ``keep_matches`` a row that a smaller combination identifies is known to be
        settled.
        """

    @abstractmethod
    def note(self, size: int, numbers: Mapping[int, int]) -> None:
        """Note the rows that combinations of the last count are the first to identify.

        ``numbers`` leads from places in that count to the numbers of combinations of this size.
        """

    @abstractmethod
    def settle(self, size: int) -> Indices:
        """End a size: its rows are settled. Returns rows identified by number of combination."""

    @abstractmethod
    def finish(self) -> None:
        """Let go of what only counting needs."""


def column_use(tables: Sequence[str], column: int, nulls: Sequence[int]) -> str:
    """The query for the use of a column in :class:`StoredFacts`, from tables in an engine."""
    both = " UNION ALL ".join(
        f"SELECT {place} AS place, k{column} AS k FROM {tables[place]}"
        for place in (SYNTHETIC, ORIGINAL)
    )
    return (
        "SELECT coalesce(sum(s), 0) AS s, coalesce(sum(s) FILTER (WHERE t > 0), 0) AS common, "
        "coalesce(sum(t), 0) AS t, count(*) FILTER (WHERE t = 1) AS alone FROM ("
        f"SELECT count(*) FILTER (WHERE place = {SYNTHETIC}) AS s, "
        f"count(*) FILTER (WHERE place = {ORIGINAL}) AS t FROM ({both}) AS cells "
        f"WHERE k NOT IN ({', '.join(map(str, nulls))}) GROUP BY k) AS by_value"
    )


def rows_by_number(counted: pa.Table) -> Indices:
    """Rows by the number of their combination, from a query's ``number`` and ``n``."""
    numbers, rows = (whole_numbers(counted.column(name)) for name in ("number", "n"))
    by_number = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64)
    by_number[numbers] = rows
    return by_number


def fetched_tables(
    tables: Sequence[Source], *, decimals: int | None, unit: str | None
) -> JointTables:
    """The tables in common codes that a cluster gave them, in the memory of this process."""
    from petaudit.tables.joint.spark_pair import fetched_codes  # noqa: PLC0415 (large)

    return fetched_codes(tables, decimals, unit)


def store_tables(
    tables: Sequence[Source], *, decimals: int | None, unit: str | None, deduplicate: bool
) -> StoredPair:
    """Encode the synthetic table, the original, and a control if there is one, in an engine."""
    check_same_columns(tables)
    if any(table.counts.is_remote for table in tables):
        from petaudit.tables.joint.spark_pair import SparkPair  # noqa: PLC0415 (large)

        return SparkPair(tables, decimals, unit, deduplicate=deduplicate)
    from petaudit.tables.joint.duck_pair import DuckPair  # noqa: PLC0415 (it imports this one)

    return DuckPair(tables, decimals, unit, deduplicate=deduplicate)
