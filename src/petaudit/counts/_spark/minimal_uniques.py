"""The smallest sets of columns on which a row is alone, found on Spark.

All classes are counted by every set of columns, some sets in one pass. A set on which one row is
alone is minimal for that row unless a smaller one was found before; ids of rows and sets of columns
meet on the cluster, and what comes from there is how many rows each set and each score has.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from petaudit.counts._classes.keys import trimmed_keys
from petaudit.counts._encoding import floats, whole_numbers
from petaudit.counts._spark.store import SparkStore
from petaudit.counts.minimal_uniques import MinimalUniques
from petaudit.counts.table_counts import TableCounts
from petaudit.errors import NotMeasurableError, phrase

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_AT_ONCE: Final = 16
_MOST_COLUMNS: Final = 60
"""There is a bit for each in a number of Spark."""
_AS_GOOD_AS_MORE: Final = 2
"""Whether a row has company is all that matters."""


def find_on_spark(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    up_to: int,
    score_of_size: Callable[[int], int],
    *,
    with_suppressed: bool,
) -> MinimalUniques:
    """Count the rows of each minimal set, and of each score."""
    columns = len(quasi_identifiers)
    if columns > _MOST_COLUMNS:
        raise NotMeasurableError(
            phrase(
                "on Spark minimal sets are found among {most} quasi-identifiers at most",
                most=_MOST_COLUMNS,
            )
        )
    store = SparkStore(table)
    try:
        search = _Search(store, _classes(table, quasi_identifiers, with_suppressed), columns)
        found = search.minimal(min(up_to, columns))
        special = search.special(found, min(up_to, columns))
        return _counted(store, found, columns, special, score_of_size)
    finally:
        store.finish()


def _classes(
    table: TableCounts, quasi_identifiers: Sequence[str], with_suppressed: bool
) -> DataFrame:
    """The classes as columns k0, k1, ... with their size n, which goes no further than two."""
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    keys = trimmed_keys(table, quasi_identifiers)
    rows = keys.rows
    if keys.suppressed is not None and not with_suppressed:
        rows = rows.filter(keys.suppressed == 0)
    native: DataFrame = table.grouped(rows, keys.keys).to_native()
    return native.withColumn("n", sql.least(sql.col("n"), sql.lit(_AS_GOOD_AS_MORE)))


class _Search:
    """Who is alone on which sets of columns."""

    def __init__(self, store: SparkStore, classes: DataFrame, columns: int) -> None:
        self._store = store
        self._names = [f"k{column}" for column in range(columns)]
        self._classes = store.with_ids(classes, self._names, "n = 1")

    def minimal(self, up_to: int) -> DataFrame:
        """Pairs of the id of a row and a minimal set of up to so many columns, as bits."""
        every = range(len(self._names))
        found = self._store.keep(self._alone(itertools.combinations(every, 1)))
        for size in range(2, up_to + 1):
            new = self._alone(itertools.combinations(every, size))
            smaller = found.withColumnsRenamed({"id": "known_id", "bits": "known_bits"})
            contains = "id = known_id AND bits & known_bits = known_bits"
            minimal = new.join(smaller, _expression(contains), "left_anti")
            more = self._store.keep(found.unionByName(minimal))
            self._store.drop(found)
            found = more
        return found

    def special(self, found: DataFrame, up_to: int) -> int:
        """How many rows are alone on all columns but one, and so on a smaller set, too."""
        columns = len(self._names)
        if columns == 1:
            return 0
        if up_to < columns - 1:
            found = self._alone(itertools.combinations(range(columns), columns - 1))
        smaller = found.where(f"bits <> {(1 << columns) - 1}")
        [rows] = self._store.figures(smaller.select("id").distinct().groupBy().count())
        return rows

    def _alone(self, sets: Iterable[Sequence[int]]) -> DataFrame:
        """Pairs of the id of a row and one of these sets on which it is alone."""
        every = list(sets)
        batches = [every[start : start + _AT_ONCE] for start in range(0, len(every), _AT_ONCE)]
        return reduce(lambda one, other: one.unionByName(other), map(self._alone_of, batches))

    def _alone_of(self, sets: Sequence[Sequence[int]]) -> DataFrame:
        from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

        # Spark's bits are of the columns that are not in a set; the first column has the highest.
        bits = sql.lit((1 << len(self._names)) - 1) - sql.grouping_id().cast("long")
        grouped = self._classes.groupingSets(
            [[self._names[column] for column in own] for own in sets], *self._names
        ).agg(
            bits.alias("bits"),
            sql.sum("n").alias("n"),
            sql.max(sql.when(sql.col("n") == 1, sql.col("id"))).alias("id"),
        )
        return grouped.where("n = 1").select("id", "bits")


def _expression(text: str) -> Any:
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    return sql.expr(text)


def _counted(
    store: SparkStore,
    found: DataFrame,
    columns: int,
    special: int,
    score_of_size: Callable[[int], int],
) -> MinimalUniques:
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    by_set = store.fetch(found.groupBy("bits").agg(sql.count("*").alias("rows")).orderBy("bits"))
    sets = [
        tuple(place for place in range(columns) if bits >> (columns - 1 - place) & 1)
        for bits in whole_numbers(by_set.column("bits")).tolist()
    ]
    sizes = sorted({len(own) for own in sets})
    score = reduce(
        lambda other, size: sql.when(
            sql.bit_count("bits") == size, sql.lit(float(score_of_size(size)))
        ).otherwise(other),
        sizes,
        sql.lit(0.0),
    )
    scores = found.groupBy("id").agg(sql.sum(score).alias("score"))
    by_score = store.fetch(
        scores.groupBy("score").agg(sql.count("*").alias("rows")).orderBy("score")
    )
    return MinimalUniques(
        special,
        tuple(sets),
        whole_numbers(by_set.column("rows")),
        floats(by_score.column("score")),
        whole_numbers(by_score.column("rows")),
    )
