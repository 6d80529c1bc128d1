"""A pair of tables as codes on Spark: only counts come to the driver."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from petaudit.errors import EngineError
from petaudit.tables._encoding import whole_numbers
from petaudit.tables.engines.scratch import Deadline
from petaudit.tables.engines.spark_store import SparkStore
from petaudit.tables.joint import duck_coding
from petaudit.tables.joint.column import ORIGINAL, SYNTHETIC, JointColumn
from petaudit.tables.joint.duck_coding import arrow_codes, kind_of, precision_of
from petaudit.tables.joint.store import (
    Combination,
    GroupSizes,
    Indices,
    StoredFacts,
    StoredPair,
    column_use,
    rows_by_number,
)
from petaudit.tables.joint.tables import ColumnJoiner, cells_of
from petaudit.tables.source import Source

_NULL_HASH: Final = -1
"""The code of a null among hashes."""
_SALTS: Final = 4
_Codes: TypeAlias = Callable[[DataFrame, int], tuple[DataFrame, Column]]
"""How the rows of a table get the codes of a column: the frame with what these need, and they."""
_FEW_VALUES: Final = 10_000
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
        coding = _SparkCoding(tables, self._store, decimals, unit)
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
        # The code of a null is the last one, or that among hashes.
        query = column_use(["{synthetic}", "{original}"], place, [null, _NULL_HASH])
        use = self._store.sql(query, synthetic=coded[SYNTHETIC], original=coded[ORIGINAL])
        synthetic, common, original, alone = self._store.figures(use)
        return synthetic, common, original, alone

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


class _SparkCoding:
    """Encodes the columns of the first table in all tables.

    Distinct values come to the driver and get their codes there. Where there are very many of a
    plain kind, the code is a hash of the value; that no two values share one is checked.
    """

    def __init__(
        self, tables: Sequence[Source], store: SparkStore, decimals: int | None, unit: str | None
    ) -> None:
        self._tables = tables
        self._store = store
        self._columns = tables[0].columns
        self._raws = [self._raw(table) for table in tables]
        self._joiner = ColumnJoiner(tables, decimals, unit)
        self.joined: dict[str, JointColumn] = {}
        self._codes: list[list[_Codes]] = []
        many = [self._counted(raw, "approx_count_distinct") for raw in self._raws]
        in_reference = self._counted(self._raws[ORIGINAL], "count")
        few = [
            place
            for place in range(len(self._columns))
            if max(counts[place] for counts in many) <= _FEW_VALUES
        ]
        self._distinct = [self._few_values(raw, few) for raw in self._raws]
        for place, name in enumerate(self._columns):
            found = None
            if max(counts[place] for counts in many) >= duck_coding.MANY_VALUES:
                found = self._hashed(place, in_reference[place] > 0)
            found = found or self._joined(place, name)
            if found is not None:
                self.joined[name], own_codes = found
                self._codes.append(own_codes)
        self._joiner.check()

    def frames(self) -> Iterator[DataFrame]:
        """The tables with the columns k0, k1, ..."""
        for table, raw in enumerate(self._raws):
            frame = raw
            cells: list[Any] = []
            for place, codes in enumerate(self._codes):
                frame, cell = codes[table](frame, place)
                cells.append(cell.alias(f"k{place}"))
            yield frame.select(*cells)

    def _raw(self, table: Source) -> DataFrame:
        counts = table.counts
        cells = [
            nw.col(counts.position(name)).alias(f"x{place}")
            for place, name in enumerate(self._columns)
        ]
        if counts.is_remote:
            found: DataFrame = counts.frame.select(*cells).to_native()
            return found
        # A table of this process beside one of the cluster.
        arrays = counts.columns_values(self._columns)
        names = [f"x{place}" for place in range(len(arrays))]
        return self._store.load(pa.Table.from_arrays(arrays, names=names))

    def _counted(self, raw: DataFrame, figure: str) -> list[int]:
        read = getattr(sql, figure)
        cells = [read(f"x{place}").alias(f"n{place}") for place in range(len(self._columns))]
        return self._store.figures(raw.agg(*cells))

    def _few_values(self, raw: DataFrame, places: Sequence[int]) -> dict[int, pa.ChunkedArray]:
        """The distinct values of columns that have few, all from one query."""
        if not places:
            return {}
        cells = [sql.collect_set(f"x{place}").alias(f"x{place}") for place in places]
        found = self._store.fetch(raw.agg(*cells))
        return {
            place: pa.chunked_array([found.column(f"x{place}").combine_chunks().flatten()])
            for place in places
        }

    def _hashed(self, place: int, is_known: bool) -> tuple[JointColumn, list[_Codes]] | None:
        """Hashes as codes; None for a kind of values that Python has to look at."""
        name = self._columns[place]
        kinds = {table.counts.schema[table.counts.position(name)] for table in self._tables}
        kind = next(iter(kinds))
        is_plain = isinstance(kind, nw.String | nw.Date) or kind.is_integer()
        if len(kinds) > 1 or not is_plain or any(table.is_untyped for table in self._tables):
            return None
        cells = self._raws[0].select(f"x{place}")
        for raw in self._raws[1:]:
            cells = cells.unionByName(raw.select(f"x{place}"))
        for salt in range(_SALTS):
            code = sql.xxhash64(sql.lit(salt), sql.col(f"x{place}"))
            values, codes, taken = self._store.figures(
                cells.where(sql.col(f"x{place}").isNotNull()).agg(
                    sql.count_distinct(f"x{place}").alias("a"),
                    sql.count_distinct(code).alias("b"),
                    sql.count(sql.when(code == _NULL_HASH, 1)).alias("c"),
                )
            )
            if values == codes and not taken:
                precision = precision_of(kind, self._joiner, is_known)
                column = JointColumn([], values + 1, precision, kind_of(kind), [], lambda key: key)
                return column, [_hashes(salt) for _ in self._raws]
        return None

    def _joined(self, place: int, name: str) -> tuple[JointColumn, list[_Codes]] | None:
        """Give the distinct values of a column their codes here."""
        distinct = []
        cell = f"x{place}"
        for raw, known_values in zip(self._raws, self._distinct, strict=True):
            values = known_values.get(place)
            if values is None:
                found = raw.select(cell).where(f"{cell} IS NOT NULL").distinct()
                values = self._store.fetch(found).column(cell)
            distinct.append(values)
        cells = [
            cells_of(table, name, values)
            for table, values in zip(self._tables, distinct, strict=True)
        ]
        column = self._joiner.join(name, cells)
        if column is None:
            return None
        known: list[_Codes] = []
        for values, codes in zip(distinct, column.codes, strict=True):
            numbers = arrow_codes(codes).cast(pa.int32())
            table = pa.table({f"v{place}": values, f"d{place}": numbers})
            frame = self._store.load(table) if len(codes) else None
            known.append(_dictionary(frame, column.size))
        return replace(column, codes=[]), known


def _hashes(salt: int) -> _Codes:
    """Nothing is needed but the value."""

    def codes(frame: DataFrame, place: int) -> tuple[DataFrame, Column]:
        cell = sql.col(f"x{place}")
        code = sql.when(cell.isNull(), sql.lit(_NULL_HASH).cast("long"))
        return frame, code.otherwise(sql.xxhash64(sql.lit(salt), cell))

    return codes


def _dictionary(table: DataFrame | None, size: int) -> _Codes:
    """A join with the distinct values, of which there may be none."""

    def codes(frame: DataFrame, place: int) -> tuple[DataFrame, Column]:
        kind = "byte" if size <= 1 << 7 else "short" if size <= 1 << 15 else "int"
        null = sql.lit(size - 1)
        if table is None:
            return frame, null.cast(kind)
        cell = sql.col(f"x{place}")
        frame = frame.join(table, cell == sql.col(f"v{place}"), "left")
        return frame, sql.when(cell.isNull(), null).otherwise(sql.col(f"d{place}")).cast(kind)

    return codes
