"""One table in every engine, cut into parts where the engine has parts, some of them empty."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from conformance.tables import Columns

MORE_PARTITIONS_THAN_ROWS = 5
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What a folder of nulls is called."""


def arrow_table(columns: Columns) -> pa.Table:
    """Every column with the type of its cells; one of nulls is text."""
    return pa.table({name: pa.array(cells, _type_of(cells)) for name, cells in columns.items()})


def _type_of(cells: list[Any]) -> pa.DataType:
    kinds = {type(cell) for cell in cells if cell is not None}
    known = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), date: pa.date32()}
    known |= {np.float32: pa.float32(), time: pa.time64("us")}
    return known.get(next(iter(kinds)), pa.string()) if kinds else pa.string()


def _parquet(columns: Columns, path: Path) -> Any:
    """A folder of partitions by the last column, or two files, one of them without a row."""
    table = arrow_table(columns)
    path.mkdir()
    name = table.column_names[-1]
    if not pa.types.is_string(table[name].type) and not pa.types.is_integer(table[name].type):
        parquet.write_table(table.slice(0, 0), path / "0.parquet")
        parquet.write_table(table, path / "1.parquet")
        return path
    for value in table[name].unique().to_pylist():
        part = [place for place, cell in enumerate(table[name].to_pylist()) if cell == value]
        written = NO_VALUE if value is None else quote(str(value), safe="")
        folder = path / f"{quote(name)}={written}"
        folder.mkdir()
        parquet.write_table(table.take(part).drop_columns([name]), folder / "0.parquet")
    return path


def _relation(columns: Columns, path: Path) -> Any:
    return duckdb.connect().from_arrow(arrow_table(columns))


def _polars(columns: Columns, path: Path) -> Any:
    return pl.from_arrow(arrow_table(columns))


def _pandas(columns: Columns, path: Path) -> Any:
    return arrow_table(columns).to_pandas(types_mapper=pd.ArrowDtype)


def _pyarrow(columns: Columns, path: Path) -> Any:
    return arrow_table(columns)


def _dask(columns: Columns, path: Path) -> Any:
    """Three parts, the first without a row."""
    dataframes = pytest.importorskip("dask.dataframe")
    frame = _pandas(columns, path)
    middle = len(frame) // 2
    parts = [frame.iloc[:0], frame.iloc[:middle], frame.iloc[middle:]]
    return dataframes.from_map(lambda part: part, parts, meta=frame.iloc[:0])


def _ibis(columns: Columns, path: Path) -> Any:
    return pytest.importorskip("ibis").memtable(arrow_table(columns))


LOCAL: dict[str, Callable[[Columns, Path], Any]] = {
    "parquet": _parquet,
    "duckdb": _relation,
    "polars": _polars,
    "pandas": _pandas,
    "pyarrow": _pyarrow,
    "dask": _dask,
    "ibis": _ibis,
}
ON_SPARK = ("pyspark", "connect")
ENGINES = [*LOCAL, *(pytest.param(name, marks=pytest.mark.spark) for name in ON_SPARK)]


def held_by(engine: str, columns: Columns, path: Path, request: pytest.FixtureRequest) -> Any:
    """The table as the engine holds it."""
    if engine not in ON_SPARK:
        return LOCAL[engine](columns, path)
    session = request.getfixturevalue("spark" if engine == "pyspark" else engine)
    frame = session.createDataFrame(arrow_table(columns))
    few = len(next(iter(columns.values()))) < MORE_PARTITIONS_THAN_ROWS
    return frame.repartition(MORE_PARTITIONS_THAN_ROWS) if few else frame
