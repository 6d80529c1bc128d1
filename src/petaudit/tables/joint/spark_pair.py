"""A pair of tables as codes on Spark: only counts come to the driver."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from petaudit.errors import EngineError
from petaudit.tables._encoding import whole_numbers
from petaudit.tables.engines.spark_store import SparkStore
from petaudit.tables.joint.column import ORIGINAL, SYNTHETIC
from petaudit.tables.joint.spark_coding import NULL_HASH, SparkCoding
from petaudit.tables.joint.store import (
    Combination,
    Deadline,
    GroupSizes,
    Indices,
    StoredFacts,
    StoredPair,
    rows_by_number,
)
from petaudit.tables.source import Source

_AT_ONCE: Final = 16
_MOST_COLUMNS: Final = 60
"""Of a batch: there is a bit for each in a number of Spark."""


class SparkPair(StoredPair):
    """See :class:`StoredPair`."""

    engine = "spark"

    def __init__(
        self, tables: Sequence[Source], decimals: int | None, unit: str | None, *, deduplicate: bool
    ) -> None:
        self.deadline = Deadline()
        counts = next(table.counts for table in tables if table.counts.is_remote)
        self._store = SparkStore(counts)
        coding = SparkCoding(tables, self._store, decimals, unit)
        coded = [self._store.keep(frame) for frame in coding.frames()]
        columns = len(coding.joined)
        facts = [self._facts(frame, columns) for frame in coded]
        rows = [counts[0] for counts in facts]
        distinct = [counts[1:] for counts in facts]
        uses = {
            name: self._use(coded, place, coding.joined[name].null)
            for place, name in enumerate(tables[0].columns)
        }
        people = rows
        if deduplicate:
            keys = [f"k{column}" for column in range(columns)]
            different = [self._store.keep(frame.dropDuplicates(keys)) for frame in coded]
            for frame in coded:
                self._store.drop(frame)
            coded = different
            people = [self._store.figures(frame.groupBy().count())[0] for frame in coded]
        order = sorted(range(columns), key=lambda column: -distinct[SYNTHETIC][column])
        names = tables[0].columns
        self.facts = StoredFacts(
            tuple(names[column] for column in order),
            tuple(rows),
            tuple(people),
            tuple(distinct[ORIGINAL][column] for column in order),
            coding.joined,
            uses,
        )
        self._pair = self._stored(coded, order)
        for frame in coded:
            self._store.drop(frame)
        self._found: DataFrame | None = None
        self._news: DataFrame | None = None
        self._is_settled = True
        self._bits: list[int] = []

    def batches(self, size: int) -> Iterator[list[Combination]]:
        """As many combinations as one pass over the rows counts."""
        batch: list[Combination] = []
        used: set[int] = set()
        for combination in itertools.combinations(range(len(self.facts.columns)), size):
            if batch and (len(batch) == _AT_ONCE or len(used.union(combination)) > _MOST_COLUMNS):
                yield batch
                batch, used = [], set()
            batch.append(combination)
            used.update(combination)
        if batch:
            yield batch

    def count(self, combinations: Sequence[Combination], *, keep_matches: bool) -> list[GroupSizes]:
        """One pass over all rows: grouping sets."""
        self.deadline.left()
        self._settle()
        used = sorted({column for combination in combinations for column in combination})
        self._bits = [
            sum(
                1 << (len(used) - 1 - i)
                for i, column in enumerate(used)
                if column not in combination
            )
            for combination in combinations
        ]
        grouped = self._pair.groupingSets(
            [[f"k{column}" for column in combination] for combination in combinations],
            *(f"k{column}" for column in used),
        ).agg(
            sql.grouping_id().cast("long").alias("bits"),
            sql.count(sql.when(~sql.col("o"), 1)).alias("s"),
            sql.count(sql.when(sql.col("o"), 1)).alias("t"),
            sql.max(sql.when(sql.col("w"), sql.col("id"))).alias("id"),
        )
        alone = (sql.col("s") == 1) & (sql.col("t") == 1) & sql.col("id").isNotNull()
        self._store.drop(self._news)
        self._news = self._store.keep(
            grouped.where((sql.col("s") > 1) | alone)
            .select("bits", "s", sql.when(sql.col("s") == 1, sql.col("id")).alias("id"))
            .groupBy("bits", "s", "id")
            .agg(sql.count("*").alias("n"))
        )
        table = self._store.fetch(
            self._news.where("s > 1").select("bits", "s", "n").orderBy("bits", "s")
        )
        bits, sizes, groups = (whole_numbers(table.column(name)) for name in ("bits", "s", "n"))
        return [
            GroupSizes(sizes[bits == bits_of_set], groups[bits == bits_of_set])
            for bits_of_set in self._bits
        ]

    def note(self, size: int, numbers: Mapping[int, int]) -> None:
        """See the base class."""
        assert self._news is not None  # noqa: S101 (something was counted)
        if not numbers:
            return
        self.deadline.left()
        known = {
            "bits": pa.array([self._bits[place] for place in numbers], pa.int64()),
            "number": pa.array(list(numbers.values()), pa.int64()),
        }
        new = (
            self._news.where("s = 1")
            .join(sql.broadcast(self._store.load(pa.table(known))), "bits")
            .groupBy("id")
            .agg(sql.min("number").alias("number"))
            .select("id", "number", sql.lit(size).alias("size"))
        )
        before = self._found
        if before is not None:
            new = before.unionByName(new.join(before, "id", "left_anti"))
        self._found = self._store.keep(new)
        self._store.drop(before)
        self._is_settled = False

    def settle(self, size: int) -> Indices:
        """See the base class."""
        if self._found is None:
            return np.zeros(0, np.int64)
        table = self._store.fetch(
            self._found.where(f"size = {size}").groupBy("number").agg(sql.count("*").alias("n"))
        )
        return rows_by_number(table)

    def finish(self) -> None:
        """See the base class."""
        self._store.finish()

    def _settle(self) -> None:
        """Rows that were identified wait no more."""
        if self._is_settled or self._found is None:
            return
        before, known = self._pair, self._found.select("id", sql.lit(True).alias("known"))
        keys = [f"k{column}" for column in range(len(self.facts.columns))]
        self._pair = self._store.keep(
            before.join(known, "id", "left").select(
                "o", (sql.col("w") & sql.col("known").isNull()).alias("w"), "id", *keys
            )
        )
        self._store.drop(before)
        self._is_settled = True

    def _stored(self, coded: Sequence[DataFrame], order: Sequence[int]) -> DataFrame:
        """Both tables in the order of the search, with an id per row."""
        keys = [sql.col(f"k{column}").alias(f"k{place}") for place, column in enumerate(order)]
        names = [f"k{place}" for place in range(len(order))]
        both = None
        for place, frame in enumerate(coded[:2]):
            rows = frame.select(
                sql.lit(place == ORIGINAL).alias("o"), sql.lit(place == SYNTHETIC).alias("w"), *keys
            )
            both = rows if both is None else both.unionByName(rows)
        assert both is not None  # noqa: S101 (there are two tables)
        return self._store.with_ids(both, names, "w")

    def _use(self, coded: Sequence[DataFrame], place: int, null: int) -> tuple[int, int, int, int]:
        """See :class:`StoredFacts`."""
        synthetic, original = (
            frame.select(
                sql.col(f"k{place}").cast("long").alias("k"), sql.lit(is_original).alias("o")
            )
            for is_original, frame in enumerate(coded[:2])
        )
        s, t = sql.col("s"), sql.col("t")
        # The code of a null is the last one, or that among hashes.
        by_value = (
            synthetic.unionByName(original)
            .where(~sql.col("k").isin(null, NULL_HASH))
            .groupBy("k")
            .agg(sql.sum(1 - sql.col("o")).alias("s"), sql.sum("o").alias("t"))
        )
        figures = self._store.figures(
            by_value.agg(
                sql.sum(s).alias("s"),
                sql.sum(sql.when(t > 0, s)).alias("common"),
                sql.sum(t).alias("t"),
                sql.count(sql.when(t == 1, 1)).alias("alone"),
            )
        )
        return figures[0], figures[1], figures[2], figures[3]

    def _facts(self, frame: DataFrame, columns: int) -> list[int]:
        """How many rows there are, and how many values in each column."""
        names = [f"k{i}" for i in range(columns)]
        missing = sql.count(sql.when(sql.greatest(*(sql.isnull(name) for name in names)), 1))
        if columns == 1:
            missing = sql.count(sql.when(sql.isnull(names[0]), 1))
        many = [sql.count_distinct(name).alias(f"n_{name}") for name in names]
        lost, *found = self._store.figures(
            frame.agg(missing.alias("missing"), sql.count("*").alias("rows"), *many)
        )
        if lost:
            raise EngineError("a table was changed while it was read")
        return found
