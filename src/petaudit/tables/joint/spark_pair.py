"""A pair of tables as codes on Spark: only counts come to the driver."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.tables._encoding import whole_numbers
from petaudit.tables.engines.scratch import Deadline
from petaudit.tables.engines.spark_store import SparkStore
from petaudit.tables.joint import duck_coding
from petaudit.tables.joint.column import ORIGINAL, SYNTHETIC, JointColumn
from petaudit.tables.joint.duck_coding import arrow_codes, kind_of, precision_of
from petaudit.tables.joint.levels import key_names
from petaudit.tables.joint.store import (
    Combination,
    GroupSizes,
    Indices,
    StoredFacts,
    StoredPair,
    column_use,
    rows_by_number,
)
from petaudit.tables.joint.tables import ColumnJoiner, JointTables, cells_of
from petaudit.tables.source import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NULL_HASH: Final = -1
"""The code of a null among hashes."""
_SALTS: Final = 4
_Codes: TypeAlias = "tuple[str, DataFrame | None]"
"""The code of a cell in a query, and the values (v, k) that are joined for it, if any are."""
_FEW_VALUES: Final = 10_000
_INTEGERS: Final = ((1 << 7, "TINYINT"), (1 << 15, "SMALLINT"), (1 << 31, "INT"))
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
        self._identified: DataFrame | None = None
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
        sets = ", ".join(f"({key_names(combination)})" for combination in combinations)
        self._store.drop(self._news)
        self._news = self._store.keep(
            self._store.sql(
                "SELECT bits, s, CASE WHEN s = 1 THEN id END AS id, count(*) AS n FROM ("
                "SELECT CAST(grouping_id() AS BIGINT) AS bits, count(*) FILTER (WHERE NOT o) AS s, "
                "count(*) FILTER (WHERE o) AS t, max(id) FILTER (WHERE w) AS id FROM {pair} "
                f"GROUP BY {key_names(used)} GROUPING SETS ({sets})) "
                "WHERE s > 1 OR (s = 1 AND t = 1 AND id IS NOT NULL) "
                "GROUP BY bits, s, CASE WHEN s = 1 THEN id END",
                pair=self._pair,
            )
        )
        table = self._store.fetch(
            self._store.sql(
                "SELECT bits, s, n FROM {news} WHERE s > 1 ORDER BY bits, s", news=self._news
            )
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
        numbered = ", ".join(f"({self._bits[place]}, {n})" for place, n in numbers.items())
        new = self._store.sql(
            f"SELECT id, CAST(min(number) AS BIGINT) AS number, {size} AS size FROM {{news}} "
            f"JOIN (VALUES {numbered}) AS numbers(bits, number) USING (bits) "
            "WHERE s = 1 GROUP BY id",
            news=self._news,
        )
        before = self._identified
        if before is not None:
            new = before.unionByName(new.join(before, "id", "left_anti"))
        self._identified = self._store.keep(new)
        self._store.drop(before)
        self._is_settled = False

    def settle(self, size: int) -> Indices:
        """See the base class."""
        if self._identified is None:
            return np.zeros(0, np.int64)
        query = (
            f"SELECT number, count(*) AS n FROM {{identified}} WHERE size = {size} GROUP BY number"
        )
        return rows_by_number(
            self._store.fetch(self._store.sql(query, identified=self._identified))
        )

    def finish(self) -> None:
        """See the base class."""
        self._store.finish()

    def _settle(self) -> None:
        """Stop following rows that are already identified."""
        if self._is_settled or self._identified is None:
            return
        before = self._pair
        keys = key_names(range(len(self.facts.columns)))
        self._pair = self._store.keep(
            self._store.sql(
                f"SELECT o, w AND identified.id IS NULL AS w, pair.id, {keys} "
                "FROM {pair} AS pair LEFT JOIN {identified} AS identified "
                "ON pair.id = identified.id",
                pair=before,
                identified=self._identified,
            )
        )
        self._store.drop(before)
        self._is_settled = True

    def _stored(self, coded: Sequence[DataFrame], order: Sequence[int]) -> DataFrame:
        """Both tables in the order of the search, with an id per row."""
        keys = ", ".join(f"k{column} AS k{place}" for place, column in enumerate(order))
        both = self._store.sql(
            f"SELECT false AS o, true AS w, {keys} FROM {{synthetic}} "
            f"UNION ALL SELECT true, false, {keys} FROM {{original}}",
            synthetic=coded[SYNTHETIC],
            original=coded[ORIGINAL],
        )
        return self._store.with_ids(both, [f"k{place}" for place in range(len(order))], "w")

    def _use(self, coded: Sequence[DataFrame], place: int, null: int) -> tuple[int, int, int, int]:
        # The code of a null is the last one, or that among hashes.
        query = column_use(["{synthetic}", "{original}"], place, [null, _NULL_HASH])
        use = self._store.sql(query, synthetic=coded[SYNTHETIC], original=coded[ORIGINAL])
        synthetic, common, original, alone = self._store.figures(use)
        return synthetic, common, original, alone

    def _facts(self, frame: DataFrame, columns: int) -> list[int]:
        """How many rows there are, and how many values in each column."""
        names = [f"k{column}" for column in range(columns)]
        missing = " OR ".join(f"{name} IS NULL" for name in names)
        distinct = ", ".join(f"count(DISTINCT {name}) AS n_{name}" for name in names)
        query = (
            f"SELECT count(CASE WHEN {missing} THEN 1 END) AS lost, count(*) AS rows, {distinct} "
            "FROM {coded}"
        )
        lost, *facts = self._store.figures(self._store.sql(query, coded=frame))
        if lost:
            raise EngineError("a table changed while it was being read")
        return facts


def fetched_codes(tables: Sequence[Source], decimals: int | None, unit: str | None) -> JointTables:
    """The codes of all cells, for a search in this process; rows come in any order.

    Cells come as numbers, and the values that these stand for come apart, column by column; where
    there are very many of a plain kind, they stay where they are.
    """
    store = SparkStore(next(table.counts for table in tables if table.counts.is_remote))
    try:
        coding = _SparkCoding(tables, store, decimals, unit)
        coded = [store.fetch(frame) for frame in coding.frames()]
    finally:
        store.finish()
    for table, fetched in zip(tables, coded, strict=True):
        table.counts.agree_on_rows(fetched.num_rows)
    columns = tables[0].columns
    rows = tuple(fetched.num_rows for fetched in coded)
    codes = np.empty((len(columns), sum(rows)), np.uint32)
    for place, name in enumerate(columns):
        parts = [fetched.column(f"k{place}") for fetched in coded]
        if any(part.null_count for part in parts):
            raise EngineError("a table changed while it was being read")
        cells = np.concatenate([whole_numbers(part) for part in parts])
        if pa.types.is_int64(parts[0].type):
            is_null = cells == _NULL_HASH
            cells[~is_null] = np.unique(cells[~is_null], return_inverse=True)[1]
            cells[is_null] = coding.joined[name].null
        codes[place] = cells
    return JointTables(columns, codes, rows, coding.joined)


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
            coded = None
            if max(counts[place] for counts in many) >= duck_coding.MANY_VALUES:
                coded = self._hashed(place, in_reference[place] > 0)
            coded = coded or self._joined(place, name)
            if coded is not None:
                self.joined[name], codes = coded
                self._codes.append(codes)
        self._joiner.check()

    def frames(self) -> Iterator[DataFrame]:
        """The tables with the columns k0, k1, ..."""
        for table, raw in enumerate(self._raws):
            frames = {"raw": raw}
            cells, joins = [], ""
            for place, codes in enumerate(self._codes):
                code, dictionary = codes[table]
                cells.append(f"{code} AS k{place}")
                if dictionary is not None:
                    frames[f"d{place}"] = dictionary
                    joins += f" LEFT JOIN {{d{place}}} AS d{place} ON x{place} = d{place}.v"
            yield self._store.sql(f"SELECT {', '.join(cells)} FROM {{raw}}{joins}", **frames)

    def _raw(self, table: Source) -> DataFrame:
        counts = table.counts
        cells = [
            nw.col(counts.position(name)).alias(f"x{place}")
            for place, name in enumerate(self._columns)
        ]
        if counts.is_remote:
            raw: DataFrame = counts.frame.select(*cells).to_native()
            return raw
        # A table of this process beside one of the cluster.
        arrays = counts.columns_values(self._columns)
        names = [f"x{place}" for place in range(len(arrays))]
        return self._store.load(pa.Table.from_arrays(arrays, names=names))

    def _counted(self, raw: DataFrame, figure: str) -> list[int]:
        from pyspark.sql import functions as sql  # noqa: PLC0415 (an extra)

        read = getattr(sql, figure)
        cells = [read(f"x{place}").alias(f"n{place}") for place in range(len(self._columns))]
        return self._store.figures(raw.agg(*cells))

    def _few_values(self, raw: DataFrame, places: Sequence[int]) -> dict[int, pa.ChunkedArray]:
        """The distinct values of columns that have few, all from one query."""
        if not places:
            return {}
        from pyspark.sql import functions as sql  # noqa: PLC0415 (an extra)

        cells = [sql.collect_set(f"x{place}").alias(f"x{place}") for place in places]
        sets = self._store.fetch(raw.agg(*cells))
        return {
            place: pa.chunked_array([sets.column(f"x{place}").combine_chunks().flatten()])
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
        cell = f"x{place}"
        frames = {f"table{number}": raw for number, raw in enumerate(self._raws)}
        cells = " UNION ALL ".join(
            f"SELECT {cell} FROM {{{table}}} WHERE {cell} IS NOT NULL" for table in frames
        )
        for salt in range(_SALTS):
            code = f"xxhash64({salt}, {cell})"
            query = (
                f"SELECT count(DISTINCT {cell}) AS a, count(DISTINCT {code}) AS b, "
                f"count(CASE WHEN {code} = {_NULL_HASH} THEN 1 END) AS c FROM ({cells})"
            )
            values, codes, taken = self._store.figures(self._store.sql(query, **frames))
            if values == codes and not taken:
                precision = precision_of(kind, self._joiner, is_known)
                column = JointColumn([], values + 1, precision, kind_of(kind), [], lambda key: key)
                code = f"CASE WHEN {cell} IS NULL THEN CAST({_NULL_HASH} AS BIGINT) ELSE {code} END"
                return column, [(code, None) for _ in self._raws]
        return None

    def _joined(self, place: int, name: str) -> tuple[JointColumn, list[_Codes]] | None:
        """Encode the distinct values of a column in this process."""
        distinct = []
        cell = f"x{place}"
        for raw, known_values in zip(self._raws, self._distinct, strict=True):
            values = known_values.get(place)
            if values is None:
                present = raw.select(cell).where(f"{cell} IS NOT NULL").distinct()
                values = self._store.fetch(present).column(cell)
            distinct.append(values)
        cells = [
            cells_of(table, name, values)
            for table, values in zip(self._tables, distinct, strict=True)
        ]
        column = self._joiner.join(name, cells)
        if column is None:
            return None
        kind = next(kind for most, kind in _INTEGERS if column.size <= most)
        known: list[_Codes] = []
        for values, codes in zip(distinct, column.codes, strict=True):
            if not len(codes):
                known.append((f"CAST({column.null} AS {kind})", None))
                continue
            dictionary = pa.table({"v": values, "k": arrow_codes(codes).cast(pa.int32())})
            code = f"CASE WHEN {cell} IS NULL THEN {column.null} ELSE d{place}.k END"
            known.append((f"CAST({code} AS {kind})", self._store.load(dictionary)))
        return replace(column, codes=[]), known
