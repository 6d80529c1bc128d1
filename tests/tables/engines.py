"""One table in every form that petaudit reads, and what counting it must give.

A table is a dict from column name to ``Column``. Every engine builds its form from the Python
values alone, so no two forms share a conversion. What counting must give is worked out here with
``collections.Counter``, without any code of petaudit.
"""

from __future__ import annotations

import atexit
import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from measures.sensitive_twin import meant

BLANKS = " \t\n\r\f\v\u00a0\u3000\ufeff"
LARGEST_EXACT_FLOAT = 2**53


@dataclass(frozen=True)
class Column:
    """A kind (see ``ARROW_TYPES``) and the cells."""

    kind: str
    cells: list[Any]


Table = dict[str, Column]
Cells = tuple[str | None, ...]

ARROW_TYPES = {
    "text": pa.string(),
    "category": pa.dictionary(pa.int32(), pa.string()),
    "enum": pa.dictionary(pa.int32(), pa.string()),
    "integer": pa.int64(),
    "float": pa.float64(),
    "float32": pa.float32(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "decimal": pa.decimal128(20, 4),
    "null": pa.null(),
}


class NotExpressibleError(Exception):
    """An engine has no way to hold this table as it is."""


def text(*cells: str | None) -> Column:
    return Column("text", list(cells))


def label(cell: Any) -> str | None:
    """How a cell is written, told apart by hand from petaudit's own spelling."""
    if cell is None or cell != cell:
        return None
    if isinstance(cell, str):
        # An empty cell says nothing: a CSV file cannot even tell it from a missing one.
        return cell.strip(BLANKS) or None
    if isinstance(cell, float) and cell == int(cell):
        return str(int(cell))
    if isinstance(cell, Decimal):
        return str(int(cell)) if cell == int(cell) else str(cell.normalize())
    if isinstance(cell, datetime) and cell == datetime(cell.year, cell.month, cell.day):
        return str(cell.date())
    return str(cell)


def labels(table: Table) -> dict[str, list[str | None]]:
    """The table as labels, column by column."""
    return {name.strip(BLANKS): list(map(label, column.cells)) for name, column in table.items()}


def rows_of(table: Table, names: list[str]) -> list[Cells]:
    """The rows of some columns as tuples of labels."""
    spelled = labels(table)
    return list(zip(*(spelled[name] for name in names), strict=True))


def is_suppressed(row: Cells) -> bool:
    return all(cell == "*" for cell in row)


def counted_values(table: Table, name: str) -> Counter[str | None]:
    return Counter(labels(table)[name])


def counted_classes(table: Table, names: list[str]) -> Counter[Cells]:
    return Counter(rows_of(table, names))


def counted_by_class(
    table: Table, names: list[str], value: str, suppressed: str
) -> dict[Cells, Counter[str | None]]:
    """Per class, how often each value occurs: classes as they are spelled, values as meant."""
    result: dict[Cells, Counter[str | None]] = {}
    for row, cell in zip(rows_of(table, names), meanings(table, value), strict=True):
        if suppressed == "class" or not is_suppressed(row):
            result.setdefault(row, Counter())[cell] += 1
    return result


def meanings(table: Table, name: str) -> list[str | None]:
    """What the cells of a sensitive column say, however they spell it."""
    cells = labels(table)[name]
    known = {cell: meant(cell) for cell in set(cells)}
    return [known[cell] for cell in cells]


def counted_spellings(table: Table, name: str) -> dict[str | None, Counter[str | None]]:
    """Of each value of a sensitive column, how often it is spelled in which way."""
    result: dict[str | None, Counter[str | None]] = {}
    for said, cell in zip(meanings(table, name), labels(table)[name], strict=True):
        result.setdefault(said, Counter())[cell] += 1
    return result


# How each engine holds a table -------------------------------------------------------------------


def arrow_table(table: Table) -> pa.Table:
    return pa.Table.from_arrays(
        [pa.array(column.cells, ARROW_TYPES[column.kind]) for column in table.values()],
        names=list(table),
    )


def chunked_arrow_table(table: Table) -> pa.Table:
    """The same in several chunks, each category with a dictionary of its own."""
    arrays = []
    for column in table.values():
        kind, size = ARROW_TYPES[column.kind], max(3, len(column.cells) // 4)
        starts = range(0, len(column.cells), size)
        chunks = [pa.array(column.cells[start : start + size], kind) for start in starts]
        arrays.append(pa.chunked_array(chunks, kind))
    return pa.Table.from_arrays(arrays, names=list(table))


_SQL_TYPES = {
    "text": "VARCHAR",
    "category": "VARCHAR",
    "integer": "BIGINT",
    "float": "DOUBLE",
    "float32": "FLOAT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "decimal": "DECIMAL(20, 4)",
    "null": "INTEGER",
}


@cache
def _database() -> duckdb.DuckDBPyConnection:
    # DuckDB 2.0 prints leak notices when a connection outlives the modules.
    atexit.register(_database.cache_clear)
    return duckdb.connect()


def duckdb_relation(table: Table) -> duckdb.DuckDBPyRelation:
    """A table in a database of the caller, its categories as ENUM types."""
    folded = [name.casefold() for name in table]
    if len(set(folded)) < len(folded):
        raise NotExpressibleError("DuckDB does not tell upper from lower case in names")
    # A temporary table belongs to its cursor, so each relation has a "held" of its own.
    connection = _database().cursor()
    definitions = []
    for name, column in table.items():
        kind = _SQL_TYPES.get(column.kind) or _sql_enum(column.cells)
        definitions.append('"' + name.replace('"', '""') + '" ' + kind)
    connection.execute(f"CREATE TEMP TABLE held ({', '.join(definitions)})")
    plain = {
        f"p{index}": pa.array(column.cells, _plain_type(column.kind))
        for index, column in enumerate(table.values())
    }
    connection.register("given", pa.table(plain))
    connection.execute("INSERT INTO held FROM given")
    connection.unregister("given")
    return connection.table("held")


def _sql_enum(cells: list[Any]) -> str:
    words = sorted({cell for cell in cells if cell is not None}) or ["unused"]
    return "ENUM (" + ", ".join("'" + word.replace("'", "''") + "'" for word in words) + ")"


def _plain_type(kind: str) -> pa.DataType:
    return pa.string() if kind in {"category", "enum"} else ARROW_TYPES[kind]


_POLARS_TYPES: dict[str, Any] = {
    "text": pl.String,
    "category": pl.Categorical,
    "integer": pl.Int64,
    "float": pl.Float64,
    "float32": pl.Float32,
    "boolean": pl.Boolean,
    "date": pl.Date,
    "datetime": pl.Datetime("us"),
    "decimal": pl.Decimal(20, 4),
    "null": pl.Null,
}


def polars_frame(table: Table) -> pl.DataFrame:
    held = []
    for name, column in table.items():
        dtype = _POLARS_TYPES.get(column.kind)
        if dtype is None:
            dtype = pl.Enum(sorted({cell for cell in column.cells if cell is not None}))
        held.append(pl.Series(name, column.cells, dtype=dtype))
    return pl.DataFrame(held)


def polars_lazy_frame(table: Table) -> pl.LazyFrame:
    return polars_frame(table).lazy()


def _pandas_frame(table: Table, series: Callable[[Column], Any]) -> pd.DataFrame:
    frame = pd.DataFrame({index: series(column) for index, column in enumerate(table.values())})
    frame.columns = list(table)
    # Row labels that neither start at 0 nor ascend: only positions may matter.
    frame.index = range(len(frame) + 7, 7, -1)
    return frame


def _as_pandas_holds_it(column: Column) -> pd.Series:
    """What ``pd.DataFrame`` makes of such values: numpy types, ``str`` for text."""
    with_gaps = any(cell is None for cell in column.cells)
    if column.kind == "integer" and with_gaps:
        if any(cell is not None and abs(cell) >= LARGEST_EXACT_FLOAT for cell in column.cells):
            raise NotExpressibleError("numpy has no integers with gaps")
        return pd.Series(column.cells, dtype="float64")
    if column.kind == "boolean" and with_gaps:
        raise NotExpressibleError("numpy has no booleans with gaps")
    kinds: dict[str, Any] = {
        "text": "str",
        "category": "category",
        "enum": "category",
        "integer": "int64",
        "float": "float64",
        "float32": "float32",
        "boolean": "bool",
        "date": "datetime64[s]",
        "datetime": "datetime64[us]",
        "decimal": object,
        "null": "float64",
    }
    return pd.Series(column.cells, dtype=kinds[column.kind])


def _as_nullable(column: Column) -> pd.Series:
    kinds: dict[str, Any] = {
        "text": "string",
        "category": "category",
        "enum": "category",
        "integer": "Int64",
        "float32": "Float32",
        "boolean": "boolean",
        "date": "datetime64[ns]",
        "datetime": "datetime64[ns]",
        "decimal": object,
        "null": "Int64",
    }
    if column.kind != "float":
        return pd.Series(column.cells, dtype=kinds[column.kind])
    # pandas would read NaN as missing; only arithmetic makes a NaN beside a missing value.
    zero_over_zero = [cell is not None and cell != cell for cell in column.cells]
    above = [0.0 if nan else cell for nan, cell in zip(zero_over_zero, column.cells, strict=True)]
    below = [0.0 if nan else 1.0 for nan in zero_over_zero]
    return pd.Series(pd.array(above, "Float64") / pd.array(below, "Float64"))


def _as_arrow_backed(column: Column) -> pd.Series:
    values = pa.array(column.cells, _plain_type(column.kind))
    if column.kind in {"category", "enum"}:
        values = values.dictionary_encode()
    if column.kind == "null":
        values = values.cast(pa.string())
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([values])))


def pandas_frame(table: Table) -> pd.DataFrame:
    return _pandas_frame(table, _as_pandas_holds_it)


def pandas_nullable_frame(table: Table) -> pd.DataFrame:
    return _pandas_frame(table, _as_nullable)


def pandas_arrow_frame(table: Table) -> pd.DataFrame:
    return _pandas_frame(table, _as_arrow_backed)


def pandas_object_frame(table: Table) -> pd.DataFrame:
    return _pandas_frame(table, lambda column: pd.Series(column.cells, dtype=object))


FRAMES: dict[str, Callable[[Table], Any]] = {
    "duckdb": duckdb_relation,
    "polars": polars_frame,
    "polars-lazy": polars_lazy_frame,
    "pandas": pandas_frame,
    "pandas-nullable": pandas_nullable_frame,
    "pandas-pyarrow": pandas_arrow_frame,
    "pandas-object": pandas_object_frame,
    "pyarrow": arrow_table,
    "pyarrow-chunked": chunked_arrow_table,
}


def parquet_file(table: Table, folder: Path) -> Path:
    path = folder / "table.parquet"
    parquet.write_table(arrow_table(table), path)
    return path


def keep_blank_rows(path: Path) -> None:
    """Other engines keep rows of nothing but nulls; so should this one, to be compared."""
    path.with_suffix(".yaml").write_text("DATASET: {BLANK_ROWS: keep}\n", encoding="utf-8")


def csv_file(table: Table, folder: Path) -> Path:
    """The table as text: cells of text as they are, others as a person writes them."""
    columns = []
    for column in table.values():
        is_text = column.kind in {"text", "category", "enum"}
        columns.append([cell if is_text else label(cell) for cell in column.cells])
    if any(cell is not None and set("\r\n") & set(cell) for cells in columns for cell in cells):
        raise NotExpressibleError("a CSV label is one line of text")
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(table)
        writer.writerows(zip(*columns, strict=True))
    keep_blank_rows(path)
    return path


FILES: dict[str, Callable[[Table, Path], Path]] = {"parquet": parquet_file, "csv": csv_file}

ENGINES = (*FRAMES, *FILES)


def held_by(engine: str, table: Table, folder: Path) -> Any:
    """The table as this engine holds it: something that ``open_source`` takes."""
    if engine in FILES:
        return FILES[engine](table, folder)
    return FRAMES[engine](table)
