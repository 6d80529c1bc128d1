"""Tables in common codes that DuckDB holds on disk: joins bring the codes of values to the rows.

What a value is worth depends on the distinct values of its column alone. So these are fetched and
get their codes in the way that is used in memory. Where there are very many distinct values of a
plain kind, DuckDB numbers them itself, and none of them is fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.labels.cells import BLANKS
from petaudit.tables._encoding import arrow_integers
from petaudit.tables._private_folder import private_folder, temporary_room
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.engines.scratch import Scratch
from petaudit.tables.joint.column import ORIGINAL, Codes, JointColumn, Kind, Precision
from petaudit.tables.joint.tables import ColumnJoiner, cells_of
from petaudit.tables.source import Source

MANY_VALUES = 200_000
"""From this many on, distinct values of a simple type are numbered by the engine."""
_LARGE_DICTIONARY: Final = 300_000
"""A dictionary of this many values is joined in a separate query."""
_LARGE_KEYS: Final = 4 << 20
"""Distinct values of more bytes are kept on disk."""
_INTEGERS: Final = ((1 << 8, "UTINYINT"), (1 << 16, "USMALLINT"), (1 << 32, "UINTEGER"))


@dataclass(frozen=True)
class Coded:
    """A table (r, k0, k1, ...) per source: the row number, and a code per column."""

    joined: Mapping[str, JointColumn]
    tables: tuple[str, ...]
    rows: tuple[int, ...]


def code_tables(
    scratch: Scratch, tables: Sequence[Source], decimals: int | None, unit: str | None
) -> Coded:
    """Encode the columns of the first table in all tables."""
    columns = tables[0].columns
    joiner = ColumnJoiner(tables, decimals, unit)
    raws = [_raw_table(scratch, table, columns, f"raw_{i}") for i, table in enumerate(tables)]
    joined: dict[str, JointColumn] = {}
    dictionaries: list[list[_Dictionary]] = []
    for place, name in enumerate(columns):
        coded = _numbered_values(scratch, raws, place, joiner)
        coded = coded or _joined_values(scratch, raws, place, name, joiner)
        if coded is not None:
            joined[name] = coded[0]
            dictionaries.append(coded[1])
    joiner.check()
    names = []
    for place, raw in enumerate(raws):
        of_table = [by_table[place] for by_table in dictionaries]
        if raw.query is None:
            names.append(_coded_in_memory(scratch, of_table, f"coded_{place}"))
        else:
            names.append(_coded_by_joins(scratch, raw, of_table, f"coded_{place}"))
            scratch.drop(f"raw_{place}")
    rows = tuple(scratch.number(f"SELECT count(*) FROM {name}") for name in names)
    return Coded(joined, tuple(names), rows)


@dataclass
class _RawTable:
    """A table as a query with the columns x0, x1, ..., or its columns in this process."""

    source: Source
    query: str | None
    columns: list[pa.ChunkedArray]
    kinds: tuple[Any, ...]
    _values: list[int] = field(default_factory=list)

    def values_in(self, scratch: Scratch, place: int) -> int:
        """Roughly how many values a column has; all columns are looked at together."""
        if not self._values and self.query is not None:
            cells = ", ".join(f"approx_count_distinct(x{i})" for i in range(len(self.kinds)))
            [row] = scratch.run(f"SELECT {cells} FROM ({self.query})")
            self._values = [int(many) for many in row]
        return self._values[place]


@dataclass(frozen=True)
class _Dictionary:
    """Where the code of a value is found: in a table (v, k), or in an array with a code per row."""

    table: str | None
    codes: Codes | None
    size: int
    is_trimmed: bool = False
    """Whether the text of a row has to be trimmed before it is looked up."""
    is_shared: bool = False
    """Whether other tables look here, too, and whoever asks for a value later."""

    def code(self, place: int) -> str:
        """The code of a row, beside the join."""
        code = f"CASE WHEN {self._cell(place)} IS NULL THEN {self.size - 1} ELSE d{place}.k END"
        return f"({code})::{integer_kind(self.size)} AS k{place}"

    def join(self, place: int) -> str:
        """What brings the codes of a column to its rows."""
        return f"LEFT JOIN {self.table} AS d{place} ON {self._cell(place)} = d{place}.v"

    def _cell(self, place: int) -> str:
        return _trimmed_cell(f"x{place}") if self.is_trimmed else f"x{place}"


def _raw_table(scratch: Scratch, source: Source, columns: Sequence[str], name: str) -> _RawTable:
    """How to get at the cells of a table without holding all of them."""
    counts = source.counts
    cells = [nw.col(counts.position(column)).alias(f"x{i}") for i, column in enumerate(columns)]
    kinds = tuple(counts.schema[counts.position(column)] for column in columns)
    if counts.load is not None:
        native = counts.raw_frame.select(*cells).to_native()
        return _RawTable(source, native.sql_query(), [], kinds)
    if counts.engine == "duckdb":
        # Of another connection, which may be a database that is larger than memory.
        reader = counts.raw_frame.select(*cells).to_native().to_arrow_reader(100_000)
        rows = scratch.make(name, "SELECT * FROM rows_given", rows_given=reader)
        return _RawTable(source, f"SELECT * FROM {rows}", [], kinds)
    return _RawTable(source, None, counts.columns_values(columns, raw=True), kinds)


def _numbered_values(
    scratch: Scratch, raws: Sequence[_RawTable], place: int, joiner: ColumnJoiner
) -> tuple[JointColumn, list[_Dictionary]] | None:
    """Let DuckDB number the values of a column; None where Python has to look at them."""
    kind = raws[0].kinds[place]
    is_text = isinstance(kind, nw.String)
    is_plain = is_text or kind.is_integer() or isinstance(kind, nw.Date)
    if not is_plain or any(
        raw.query is None or raw.kinds[place] != kind or raw.source.is_untyped for raw in raws
    ):
        return None
    cell = _trimmed_cell(f"x{place}") if is_text else f"x{place}"
    if max(raw.values_in(scratch, place) for raw in raws) < MANY_VALUES:
        return None
    every = " UNION ".join(
        f"SELECT {cell} AS v FROM ({raw.query}) WHERE {cell} IS NOT NULL" for raw in raws
    )
    values = scratch.make(
        f"values_{place}", f"SELECT v, (row_number() OVER () - 1)::UINTEGER AS k FROM ({every})"
    )
    many = scratch.number(f"SELECT count(*) FROM {values}")
    in_reference = scratch.number(f"SELECT count({cell}) FROM ({raws[ORIGINAL].query})")
    column = JointColumn(
        [],
        many + 1,
        precision_of(kind, joiner, in_reference > 0),
        kind_of(kind),
        StoredKeys(scratch, values),
        lambda key: key,
    )
    dictionary = _Dictionary(values, None, many + 1, is_text, is_shared=True)
    return column, [dictionary for _ in raws]


def precision_of(kind: Any, joiner: ColumnJoiner, is_known: bool) -> Precision:
    """As it is found in memory: whole numbers have no decimals, and dates are days."""
    if isinstance(kind, nw.String):
        return None
    if isinstance(kind, nw.Date):
        return joiner.unit if joiner.unit is not None else "D" if is_known else None
    return joiner.decimals if joiner.decimals is not None else 0 if is_known else None


def kind_of(kind: Any) -> Kind:
    """The kind of values of a plain type."""
    if isinstance(kind, nw.String):
        return Kind.TEXT
    return Kind.MOMENT if isinstance(kind, nw.Date) else Kind.NUMBER


def _trimmed_cell(cell: str) -> str:
    """Text without the blanks around it; a null where nothing is left."""
    return f"nullif(trim({cell}, '{BLANKS}'), '')"


class StoredKeys(Sequence[Any]):
    """The values of a column that DuckDB numbered, read when they are asked for."""

    def __init__(self, scratch: Scratch, table: str) -> None:
        self._scratch = scratch
        self._table = table

    def __len__(self) -> int:
        return self._scratch.number(f"SELECT count(*) FROM {self._table}")

    def __getitem__(self, code: Any) -> Any:
        return self.of([code])[int(code)]

    def of(self, codes: Sequence[int]) -> dict[int, Any]:
        """The values of several codes."""
        rows = self._scratch.fetch(
            f"SELECT k, v FROM {self._table} JOIN codes_wanted USING (k)",
            codes_wanted=pa.table({"k": pa.array(codes, pa.uint32())}),
        )
        return dict(zip(rows.column("k").to_pylist(), rows.column("v").to_pylist(), strict=True))


def _joined_values(
    scratch: Scratch, raws: Sequence[_RawTable], place: int, name: str, joiner: ColumnJoiner
) -> tuple[JointColumn, list[_Dictionary]] | None:
    """Encode the distinct values of a column in this process."""
    numbers: list[pa.ChunkedArray | None] = []
    cells = []
    for table, raw in enumerate(raws):
        if raw.query is None:
            numbers.append(None)
            cells.append(cells_of(raw.source, name, raw.columns[place]))
            raw.columns[place] = pa.chunked_array([pa.nulls(0)])
            continue
        distinct = scratch.make(
            f"distinct_{table}",
            f"SELECT x{place} AS v, row_number() OVER () AS p FROM "
            f"(SELECT DISTINCT x{place} FROM ({raw.query}) WHERE x{place} IS NOT NULL)",
        )
        values = scratch.fetch(f"SELECT v, p FROM {distinct}")
        numbers.append(values.column("p"))
        cells.append(cells_of(raw.source, name, values.column("v")))
        del values
    column = joiner.join(name, cells)
    del cells
    if column is None:
        return None
    known: list[_Dictionary] = []
    for table, (number, codes) in enumerate(zip(numbers, column.codes, strict=True)):
        if number is None:
            known.append(_Dictionary(None, codes, column.size))
            continue
        with_codes = scratch.make(
            f"values_{place}_{table}",
            f"SELECT v, k FROM {scratch.table(f'distinct_{table}')} JOIN value_codes USING (p)",
            value_codes=pa.table({"p": number, "k": arrow_codes(codes)}),
        )
        scratch.drop(f"distinct_{table}")
        known.append(_Dictionary(with_codes, None, column.size))
    return _spooled(replace(column, codes=[])), known


@temporary_room()
def _spooled(column: JointColumn) -> JointColumn:
    """The same column with its keys in a file of the private folder, if there are many."""
    keys = column.keys
    path = private_folder() / fresh_name()
    if isinstance(keys, np.ndarray) and keys.dtype != object and keys.nbytes > _LARGE_KEYS:
        keys.tofile(path)
        mapped = np.memmap(path, keys.dtype, "r")
        path.unlink()
        return replace(column, keys=mapped)
    if isinstance(keys, pa.Array) and keys.nbytes > _LARGE_KEYS:
        with (
            pa.OSFile(str(path), "wb") as file,
            pa.ipc.new_file(file, pa.schema([("v", keys.type)])) as writer,
        ):
            writer.write_batch(pa.record_batch([keys], names=["v"]))
        with pa.memory_map(str(path)) as mapped_file:
            keys = pa.ipc.open_file(mapped_file).get_batch(0).column(0)
        path.unlink()
        return replace(column, keys=keys)
    return column


def arrow_codes(codes: Codes) -> pa.Array:
    """Return codes for an engine."""
    return pa.Array.from_buffers(
        pa.uint32(), len(codes), [None, pa.py_buffer(np.ascontiguousarray(codes, np.uint32))]
    )


def integer_kind(codes: int) -> str:
    """The smallest integer type of DuckDB that holds this many codes.

    >>> integer_kind(256), integer_kind(257)
    ('UTINYINT', 'USMALLINT')
    """
    return next((kind for most, kind in _INTEGERS if codes <= most), "UBIGINT")


def _coded_in_memory(scratch: Scratch, dictionaries: Sequence[_Dictionary], name: str) -> str:
    """Store the codes of a table whose rows are in this process."""
    rows = len(dictionaries[0].codes) if dictionaries[0].codes is not None else 0
    arrays: list[pa.Array] = [arrow_integers(np.arange(rows))]
    cells = ["r"]
    for place, dictionary in enumerate(dictionaries):
        assert dictionary.codes is not None  # noqa: S101 (of a table in this process)
        arrays.append(arrow_codes(dictionary.codes))
        cells.append(f"k{place}::{integer_kind(dictionary.size)} AS k{place}")
    names = ["r", *(f"k{place}" for place in range(len(dictionaries)))]
    rows_coded = pa.Table.from_arrays(arrays, names=names)
    return scratch.make(name, f"SELECT {', '.join(cells)} FROM rows_coded", rows_coded=rows_coded)


def _coded_by_joins(
    scratch: Scratch, raw: _RawTable, dictionaries: Sequence[_Dictionary], name: str
) -> str:
    """Bring codes to the rows of a table: small dictionaries together, large ones one by one."""
    is_large = [dictionary.size > _LARGE_DICTIONARY for dictionary in dictionaries]
    small = [place for place, large in enumerate(is_large) if not large]
    steps = [small, *([place] for place, large in enumerate(is_large) if large)]
    rows = f"SELECT row_number() OVER () - 1 AS r, * FROM ({raw.query})"
    waiting = list(range(len(dictionaries)))
    done: list[int] = []
    coded = ""
    for step, places in enumerate(filter(None, steps)):
        waiting = [place for place in waiting if place not in places]
        cells = ["r", *(f"k{place}" for place in done), *(f"x{place}" for place in waiting)]
        cells += [dictionaries[place].code(place) for place in places]
        joins = " ".join(dictionaries[place].join(place) for place in places)
        done += places
        coded = scratch.make(
            f"{name}_{step}", f"SELECT {', '.join(cells)} FROM ({rows}) AS given {joins}"
        )
        if step:
            scratch.drop(f"{name}_{step - 1}")
        rows = f"SELECT * FROM {coded}"
    # Every value has a code, or the file was changed between two looks at it.
    missing = " OR ".join(f"k{place} IS NULL" for place in range(len(dictionaries)))
    if scratch.number(f"SELECT count(*) FROM {coded} WHERE {missing}"):
        raise EngineError("{table} changed while it was being read", table=raw.source.name)
    for dictionary in dictionaries:
        if dictionary.table is not None and not dictionary.is_shared:
            scratch.run(f"DROP TABLE {dictionary.table}")
    return coded
