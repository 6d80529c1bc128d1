"""Tables in common codes on Spark: joins bring the codes of values to the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import narwhals.stable.v2 as nw
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from petaudit.tables.engines.spark_store import SparkStore
from petaudit.tables.joint import duck_coding
from petaudit.tables.joint.column import ORIGINAL, JointColumn
from petaudit.tables.joint.duck_coding import arrow_codes, kind_of, precision_of
from petaudit.tables.joint.tables import ColumnJoiner, cells_of
from petaudit.tables.source import Source

NULL_HASH: Final = -1
"""The code of a null among hashes."""
_SALTS: Final = 4
_Codes: TypeAlias = Callable[[DataFrame, int], tuple[DataFrame, Column]]
"""How the rows of a table get the codes of a column: the frame with what these need, and they."""
_FEW_VALUES: Final = 10_000


class SparkCoding:
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
                    sql.count(sql.when(code == NULL_HASH, 1)).alias("c"),
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
        code = sql.when(cell.isNull(), sql.lit(NULL_HASH).cast("long"))
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
