"""The smallest sets of columns on which a row is alone, in counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables._minimal.search import MinimalSearch
    from petaudit.tables.table_counts import TableCounts


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
    search = _search(table, quasi_identifiers, with_suppressed=with_suppressed, person=person)
    try:
        return search.find(up_to, score_of_size)
    finally:
        search.close()


def _search(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    *,
    with_suppressed: bool,
    person: str | None,
) -> MinimalSearch[Any]:
    if table.is_on_spark:
        from petaudit.tables._minimal.spark import SparkSearch  # noqa: PLC0415 (an extra)

        return SparkSearch(table, quasi_identifiers, with_suppressed=with_suppressed, person=person)
    table.require_local()
    from petaudit.tables._minimal.duck import DuckSearch  # noqa: PLC0415 (it imports this one)

    return DuckSearch(table, quasi_identifiers, with_suppressed=with_suppressed, person=person)
