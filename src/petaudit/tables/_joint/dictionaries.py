"""The codes of the values of a column, in tables that DuckDB holds on disk.

What a value is worth depends on the distinct values of its column alone. So these are fetched and
get their codes in the way that is used in memory. Where there are very many distinct values of a
plain kind, DuckDB numbers them itself, and none of them comes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.labels.cells import BLANKS
from petaudit.tables._joint.column import Codes, JointColumn, Kind, Precision
from petaudit.tables._joint.scratch import Scratch
from petaudit.tables._joint.spool import spooled
from petaudit.tables.joint import ColumnJoiner, cells_of
from petaudit.tables.source import Source

MANY_VALUES = 200_000
"""So many distinct values of a plain kind are numbered by the engine."""


@dataclass
class RawTable:
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
            [found] = scratch.run(f"SELECT {cells} FROM ({self.query})")  # noqa: S608
            self._values = [int(many) for many in found]
        return self._values[place]


@dataclass(frozen=True)
class Dictionary:
    """Where the code of a value is found: in a table (v, k), or in an array with a code per row."""

    table: str | None
    codes: Codes | None
    size: int
    null: int
    is_trimmed: bool = False
    """Whether the text of a row has to be trimmed before it is looked up."""
    is_shared: bool = False
    """Whether other tables look here, too, and whoever asks for a value later."""


def raw_table(scratch: Scratch, source: Source, columns: Sequence[str], name: str) -> RawTable:
    """How to get at the cells of a table without holding all of them."""
    counts = source.counts
    cells = [nw.col(counts.position(column)).alias(f"x{i}") for i, column in enumerate(columns)]
    kinds = tuple(counts.schema[counts.position(column)] for column in columns)
    if counts.load is not None:
        native = counts.raw_frame.select(*cells).to_native()
        return RawTable(source, native.sql_query(), [], kinds)
    if counts.engine == "duckdb":
        # Of another connection, which may be a database that is larger than memory.
        reader = counts.raw_frame.select(*cells).to_native().to_arrow_reader(100_000)
        scratch.register("rows_given", reader)
        made = scratch.make(name, "SELECT * FROM rows_given")
        scratch.unregister("rows_given")
        return RawTable(source, f"SELECT * FROM {made}", [], kinds)  # noqa: S608
    return RawTable(source, None, counts.columns_values(columns, raw=True), kinds)


def numbered_values(
    scratch: Scratch, raws: Sequence[RawTable], place: int, joiner: ColumnJoiner
) -> tuple[JointColumn, list[Dictionary]] | None:
    """Let DuckDB number the values of a column; None where Python has to look at them."""
    kind = raws[0].kinds[place]
    is_text = isinstance(kind, nw.String)
    is_plain = is_text or kind.is_integer() or isinstance(kind, nw.Date)
    if not is_plain or any(
        raw.query is None or raw.kinds[place] != kind or raw.source.is_untyped for raw in raws
    ):
        return None
    cell = trimmed_cell(f"x{place}") if is_text else f"x{place}"
    if max(raw.values_in(scratch, place) for raw in raws) < MANY_VALUES:
        return None
    every = " UNION ".join(
        f"SELECT {cell} AS v FROM ({raw.query}) WHERE {cell} IS NOT NULL"  # noqa: S608
        for raw in raws
    )
    made = scratch.make(
        f"values_{place}",
        f"SELECT v, (row_number() OVER () - 1)::UINTEGER AS k FROM ({every})",  # noqa: S608
    )
    many = scratch.number(f"SELECT count(*) FROM {made}")  # noqa: S608
    in_reference = scratch.number(
        f"SELECT count({cell}) FROM ({raws[joiner.reference].query})"  # noqa: S608
    )
    column = JointColumn(
        [],
        many + 1,
        precision_of(kind, joiner, in_reference > 0),
        kind_of(kind),
        StoredKeys(scratch, made),
        lambda key: key,
    )
    dictionary = Dictionary(made, None, many + 1, many, is_text, is_shared=True)
    return column, [dictionary for _ in raws]


def precision_of(kind: Any, joiner: ColumnJoiner, is_known: bool) -> Precision:
    """As it is found in memory: whole numbers have no decimals, and dates are days."""
    if isinstance(kind, nw.String):
        return None
    if isinstance(kind, nw.Date):
        return joiner.unit if joiner.unit is not None else "D" if is_known else None
    return joiner.decimals if joiner.decimals is not None else 0 if is_known else None


def kind_of(kind: Any) -> Kind:
    if isinstance(kind, nw.String):
        return Kind.TEXT
    return Kind.MOMENT if isinstance(kind, nw.Date) else Kind.NUMBER


def trimmed_cell(cell: str) -> str:
    """Text without the blanks around it; a null where nothing is left."""
    return f"nullif(trim({cell}, '{BLANKS}'), '')"


class StoredKeys(Sequence[Any]):
    """The values of a column that DuckDB numbered, read when they are asked for."""

    def __init__(self, scratch: Scratch, table: str) -> None:
        self._scratch = scratch
        self._table = table

    def __len__(self) -> int:
        return self._scratch.number(f"SELECT count(*) FROM {self._table}")  # noqa: S608

    def __getitem__(self, code: Any) -> Any:
        return self.of([code])[int(code)]

    def of(self, codes: Sequence[int]) -> dict[int, Any]:
        """The values of several codes."""
        self._scratch.register("codes_wanted", pa.table({"k": pa.array(codes, pa.uint32())}))
        found = self._scratch.fetch(
            f"SELECT k, v FROM {self._table} JOIN codes_wanted USING (k)"  # noqa: S608
        )
        self._scratch.unregister("codes_wanted")
        return dict(zip(found.column("k").to_pylist(), found.column("v").to_pylist(), strict=True))


def joined_values(
    scratch: Scratch, raws: Sequence[RawTable], place: int, name: str, joiner: ColumnJoiner
) -> tuple[JointColumn, list[Dictionary]] | None:
    """Give the distinct values of a column their codes here."""
    numbers: list[pa.ChunkedArray | None] = []
    cells = []
    for table, raw in enumerate(raws):
        if raw.query is None:
            numbers.append(None)
            cells.append(cells_of(raw.source, name, raw.columns[place]))
            raw.columns[place] = pa.chunked_array([pa.nulls(0)])
            continue
        made = scratch.make(
            f"distinct_{table}",
            f"SELECT x{place} AS v, row_number() OVER () AS p FROM "  # noqa: S608
            f"(SELECT DISTINCT x{place} FROM ({raw.query}) WHERE x{place} IS NOT NULL)",
        )
        found = scratch.fetch(f"SELECT v, p FROM {made}")  # noqa: S608
        numbers.append(found.column("p"))
        cells.append(cells_of(raw.source, name, found.column("v")))
        del found
    column = joiner.join(name, cells)
    del cells
    if column is None:
        return None
    known: list[Dictionary] = []
    for table, (number, codes) in enumerate(zip(numbers, column.codes, strict=True)):
        if number is None:
            known.append(Dictionary(None, codes, column.size, column.null))
            continue
        known.append(
            Dictionary(
                _dictionary(scratch, number, codes, table, place), None, column.size, column.null
            )
        )
    return spooled(replace(column, codes=[])), known


def _dictionary(
    scratch: Scratch, numbers: pa.ChunkedArray, codes: Codes, table: int, place: int
) -> str:
    """A table of the distinct values of a column with their codes."""
    scratch.register("codes_found", pa.table({"p": numbers, "k": arrow_codes(codes)}))
    made = scratch.make(
        f"values_{place}_{table}",
        "SELECT v, k FROM "  # noqa: S608
        f"{scratch.table(f'distinct_{table}')} JOIN codes_found USING (p)",
    )
    scratch.unregister("codes_found")
    scratch.drop(f"distinct_{table}")
    return made


def arrow_codes(codes: Codes) -> pa.Array:
    return pa.Array.from_buffers(
        pa.uint32(), len(codes), [None, pa.py_buffer(np.ascontiguousarray(codes, np.uint32))]
    )
