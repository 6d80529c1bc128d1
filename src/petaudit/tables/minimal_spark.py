"""The smallest sets of columns on which a row is alone, found on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sql

from petaudit.tables._encoding import floats, whole_numbers
from petaudit.tables.engines.spark_store import SparkStore
from petaudit.tables.minimal_uniques import AS_GOOD_AS_MORE, Floats, MinimalSearch
from petaudit.tables.results import Integers
from petaudit.tables.set_counts import PERSON, key_rows
from petaudit.tables.table_counts import TableCounts

_AT_ONCE: Final = 16


class SparkSearch(MinimalSearch[DataFrame]):
    """Sets of columns are counted some at a time, in one pass: grouping sets."""

    def __init__(
        self,
        table: TableCounts,
        quasi_identifiers: Sequence[str],
        *,
        with_suppressed: bool,
        person: str | None = None,
    ) -> None:
        super().__init__(len(quasi_identifiers))
        self._by_person = person is not None
        rows = key_rows(table, quasi_identifiers, with_suppressed=with_suppressed, person=person)
        self._store = SparkStore(table)
        if self._by_person:
            names, is_alone = [*self.keys, PERSON], "true"
            classes: DataFrame = rows.to_native()
        else:
            names, is_alone = self.keys, "n = 1"
            classes = table.grouped(rows, self.keys).to_native()
            classes = classes.withColumn("n", sql.least(sql.col("n"), sql.lit(AS_GOOD_AS_MORE)))
        self._classes = self._store.with_ids(classes, names, is_alone)

    def minimal(self, found: DataFrame | None, sets: Iterable[Sequence[int]]) -> DataFrame:
        """See the base class."""
        every = list(sets)
        batches = [every[start : start + _AT_ONCE] for start in range(0, len(every), _AT_ONCE)]
        new = reduce(lambda one, other: one.unionByName(other), map(self._alone, batches))
        if found is None:
            return self._store.keep(new)
        smaller = found.withColumnsRenamed({"id": "known_id", "bits": "known_bits"})
        contains = sql.expr("id = known_id AND bits & known_bits = known_bits")
        both = self._store.keep(found.unionByName(new.join(smaller, contains, "left_anti")))
        self._store.drop(found)
        return both

    def rows_of(self, found: DataFrame) -> int:
        """See the base class."""
        ids = found.where(f"bits <> {self.every}").select("id").distinct()
        [rows] = self._store.figures(ids.groupBy().count())
        return rows

    def by_set(self, found: DataFrame) -> tuple[Integers, Integers]:
        """See the base class."""
        counted = found.groupBy("bits").agg(sql.count("*").alias("rows"))
        table = self._store.fetch(counted.orderBy("bits"))
        return whole_numbers(table.column("bits")), whole_numbers(table.column("rows"))

    def by_score(self, found: DataFrame, scores: Mapping[int, float]) -> tuple[Floats, Integers]:
        """See the base class."""
        score = sql.lit(0.0)
        for size, score_of_set in scores.items():
            score = sql.when(sql.bit_count("bits") == size, sql.lit(score_of_set)).otherwise(score)
        by_row = found.groupBy("id").agg(sql.sum(score).alias("score"))
        counted = by_row.groupBy("score").agg(sql.count("*").alias("rows"))
        table = self._store.fetch(counted.orderBy("score"))
        return floats(table.column("score")), whole_numbers(table.column("rows"))

    def close(self) -> None:
        """Let go of everything on the cluster."""
        self._store.finish()

    def _alone(self, sets: Sequence[Sequence[int]]) -> DataFrame:
        """Pairs of the id of a row and one of these sets on which it is alone."""
        if self._by_person:
            return reduce(lambda one, other: one.unionByName(other), map(self._only_person, sets))
        # Spark's bits are of the columns that are not in a set.
        bits = sql.lit(self.every) - sql.grouping_id().cast("long")
        grouped = self._classes.groupingSets(
            [[self.keys[column] for column in columns] for columns in sets], *self.keys
        ).agg(
            bits.alias("bits"),
            sql.sum("n").alias("n"),
            sql.max(sql.when(sql.col("n") == 1, sql.col("id"))).alias("id"),
        )
        return grouped.where("n = 1").select("id", "bits")

    def _only_person(self, columns: Sequence[int]) -> DataFrame:
        """The rows whose values on a set of columns nobody but their own person has."""
        same = Window.partitionBy(*(self.keys[column] for column in columns))
        known = sql.count(PERSON).over(same)
        # A null is a person of its own, and takes no part in the smallest and the largest.
        is_one = (known == 0) | (
            (known == sql.count(sql.lit(1)).over(same))
            & (sql.min(PERSON).over(same) == sql.max(PERSON).over(same))
        )
        marked = self._classes.withColumn("alone", is_one).where("alone")
        return marked.select("id", sql.lit(self.bits_of(columns)).cast("long").alias("bits"))
