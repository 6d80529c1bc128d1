"""Frames that the caller already has: wrapped where they are, never converted to pandas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from operator import and_
from typing import Any
from uuid import UUID

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError

from petaudit.errors import ColumnError, InputError, phrase
from petaudit.exact.fractions import parse_number
from petaudit.labels.cells import BLANKS, label_of
from petaudit.tables._encoding import combined, is_text, python_values
from petaudit.tables.engines import OpenedTable
from petaudit.tables.engines.duckdb import numbered_cells
from petaudit.tables.engines.postgres import is_on_postgres, wrap_ibis_table
from petaudit.tables.engines.spark_files import numbered_columns
from petaudit.tables.headers import column_named

THE_FRAME = phrase("the frame")
"""What messages call a table that has no name."""
A_TABLE = phrase("a table")
RAW = "r"
"""Columns of text as it stands are called r0, r1, ...; all others c0, c1, ..."""
_COUNTABLE = (nw.String, nw.Boolean, nw.Decimal, nw.Date, nw.Datetime, nw.Time, nw.Duration)
_CODED = (nw.Categorical, nw.Enum)
_WRITTEN_OUT = ("IntervalDtype", "PeriodDtype")
"""Of pandas, and of no other engine."""


def wrap_frame(frame: object, called: str) -> OpenedTable:
    """Wrap a frame of any library that narwhals knows, and rename its columns."""
    if isinstance(frame, duckdb.DuckDBPyRelation):
        names = tuple(frame.columns)
        cells = numbered_cells(names, frame.types)
        return OpenedTable(called, names, nw.from_native(frame.project(cells) if names else frame))
    if _is_pandas(frame):
        return _wrap_arrow(called, *_arrow_from_pandas(frame))
    if isinstance(frame, pa.Table):
        return _wrap_arrow(called, frame.columns, tuple(frame.column_names))
    shown = A_TABLE if called == THE_FRAME else called
    try:
        wrapped = nw.from_native(frame)  # type: ignore[call-overload]
    except DuplicateError:
        raise ColumnError("{table} has a column name more than once", table=shown) from None
    except TypeError:
        raise InputError(
            "{table} must be a path or a frame (pandas, Polars, PyArrow, DuckDB, PySpark, Dask, "
            "Ibis), got {kind}",
            table=shown,
            kind=type(frame).__name__,
        ) from None
    lazy = wrapped.lazy() if isinstance(wrapped, nw.DataFrame) else wrapped
    if lazy.implementation.is_ibis():
        table, names = wrap_ibis_table(lazy.to_native())
        return OpenedTable(called, names, nw.from_native(table))
    names = tuple(lazy.collect_schema().names())
    if lazy.implementation.is_spark_like():
        return OpenedTable(called, names, nw.from_native(numbered_columns(lazy.to_native())))
    numbered = lazy.rename({name: f"c{index}" for index, name in enumerate(names)})
    return OpenedTable(called, names, numbered)


def normalized(lazy: nw.LazyFrame[Any], *, trim: bool = True) -> nw.LazyFrame[Any]:
    """Trim text and make NaN a null, so that every engine counts the same values."""
    if lazy.implementation.is_ibis() and is_on_postgres(lazy.to_native()):
        return lazy
    expressions = []
    # Of Arrow tables, with_trimmed_text trims the columns that are asked for.
    trim = trim and lazy.implementation is not nw.Implementation.PYARROW
    for column, dtype in lazy.collect_schema().items():
        value = nw.col(column)
        if isinstance(dtype, (nw.String, *_CODED)):
            text = value.cast(nw.String) if isinstance(dtype, _CODED) else value
            is_raw = not trim or column.startswith(RAW)
            cell = text if is_raw else label_text(text, lazy.implementation)
            expressions.append(cell.alias(column))
        elif dtype.is_float():
            # Adding zero turns -0.0 into 0.0: they are one number.
            number = value + 0.0
            if isinstance(dtype, nw.Float32):
                # Some engines make it wider, and its decimals would be lost.
                number = number.cast(nw.Float32)
            expressions.append(nw.when(~value.is_nan()).then(number).alias(column))
        elif isinstance(dtype, nw.Int128) and lazy.implementation.is_polars():
            # Arrow has no such integers.
            expressions.append(value.cast(nw.String).alias(column))
        elif isinstance(dtype, nw.Unknown):
            # A column of nothing but nulls has no type; text will do for it.
            expressions.append(value.cast(nw.String).alias(column))
        else:
            expressions.append(value)
    return lazy.select(*expressions) if expressions else lazy


def with_raw_text(lazy: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """The normalized columns, and those of text once more as they are: c0 as r0."""
    kept = lazy.select(
        nw.all(),
        *(
            nw.col(column).alias(f"{RAW}{column[1:]}")
            for column, dtype in lazy.collect_schema().items()
            # Nothing but nulls becomes text.
            if isinstance(dtype, (nw.String, nw.Unknown))
        ),
    )
    return normalized(kept)


def without_marks(lazy: nw.LazyFrame[Any], marks: Sequence[str]) -> nw.LazyFrame[Any]:
    """Make nulls of labels that stand for a missing value, and of numbers that such labels spell.

    >>> ages = nw.from_native(pa.table({"c0": [" NA", "7"], "c1": [9999, 7]})).lazy()
    >>> without_marks(ages, ["NA", "9999"]).to_native().to_pylist()
    [{'c0': None, 'c1': None}, {'c0': '7', 'c1': 7}]
    """
    if lazy.implementation is nw.Implementation.PYARROW:
        lazy = with_trimmed_text(lazy)
    numbers = [number for number in map(parse_number, marks) if number is not None]
    cells = []
    for column, dtype in lazy.collect_schema().items():
        value = nw.col(column)
        codes: list[Any] = []
        if isinstance(dtype, nw.String):
            codes = list(marks)
        elif dtype.is_integer():
            codes = [int(number) for number in numbers if number == int(number)]
        elif dtype.is_float():
            codes = [float(number) for number in numbers]
            if isinstance(dtype, nw.Float32):
                short = pa.array(codes, pa.float32())
                written = zip(short.to_pylist(), python_values(short), codes, strict=True)
                # Cells as they are wider; a number of more digits than such a float has is none.
                codes = [cell for cell, shortest, code in written if shortest == code]
        if codes:
            # One by one: engines differ on numbers that are too large for the column.
            is_value = reduce(and_, (value != code for code in codes))
            value = nw.when(is_value).then(value).alias(column)
        cells.append(value)
    return lazy.select(*cells)


def uncountable(dtype: Any) -> bool:
    """Whether the values of such a column cannot be counted: lists, structs, bytes."""
    return not (dtype.is_numeric() or isinstance(dtype, _COUNTABLE))


def label_text(text: nw.Expr, engine: nw.Implementation) -> nw.Expr:
    """Text without the blanks around it; a null where nothing is left."""
    if engine is nw.Implementation.IBIS:
        # Ibis cannot strip given characters, but it can replace them at both ends.
        trimmed = text.str.replace_all(f"^[{BLANKS}]+|[{BLANKS}]+$", "")
    else:
        trimmed = text.str.strip_chars(BLANKS)
    return nw.when(trimmed != "").then(trimmed)


def _is_pandas(frame: object) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "columns")


def _arrow_from_pandas(frame: Any) -> tuple[list[pa.ChunkedArray], tuple[str, ...]]:
    """Columns by position, because names may repeat; pandas 3 keeps its text in Arrow already."""
    columns = []
    names = tuple(str(name) for name in frame.columns)
    for index, name in enumerate(names):
        cells = _pandas_cells(frame.iloc[:, index], column_named(name, names))
        if pa.types.is_date(cells.type) and any(
            isinstance(value, datetime) for value in frame.iloc[:, index]
        ):
            raise ColumnError(
                "column {column} mixes dates and date-times; convert it to one of them first",
                column=column_named(name, names),
            )
        columns.append(cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells]))
    return columns, names


def _pandas_cells(series: Any, column: str) -> pa.Array | pa.ChunkedArray:
    """The cells of a column of pandas; intervals and periods as the text that a file has."""
    kind = type(series.dtype).__name__
    if kind == "SparseDtype":
        series = series.sparse.to_dense()
    elif kind in _WRITTEN_OUT:
        series = series.astype("category")
    if type(series.dtype).__name__ == "CategoricalDtype":
        categories = series.cat.categories
        if type(categories.dtype).__name__ in _WRITTEN_OUT:
            codes = series.cat.codes.to_numpy()
            texts = pa.array([str(value) for value in categories], pa.string())
            return texts.take(pa.array(codes, mask=codes < 0))
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        pass
    is_coded = type(series.dtype).__name__ == "CategoricalDtype"
    if series.dtype != object and not is_coded:
        raise not_countable(column, series.dtype)
    values = series.dropna().tolist()
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return _large_numbers(series, column)
    kinds = {type(value).__name__ for value in values}
    if kinds in ({"Interval"}, {"Period"}):
        cells = zip(series, series.isna(), strict=True)
        return pa.array([None if is_missing else str(cell) for cell, is_missing in cells])
    if len(kinds) == 1:
        raise not_countable(column, kinds.pop())
    raise ColumnError(
        "column {column} mixes values of different kinds; convert it to text first", column=column
    )


def _large_numbers(series: Any, column: str) -> pa.Array:
    """Whole numbers beyond 64 bits."""
    for kind in (pa.decimal128(38), pa.decimal256(76)):
        try:
            return pa.array(series, kind, from_pandas=True)
        except pa.ArrowInvalid:
            continue
    raise ColumnError(
        "column {column} has integers of more than 76 digits; convert it to text first",
        column=column,
    )


def not_countable(column: str, type_: object, *, is_whole: bool = False) -> ColumnError:
    """The error for a column that cannot be counted, as :func:`column_named` names it.

    What is nested in a type may be cells: categories, keys of records. So it is left out unless the
    type is that of a database (``is_whole``), whose names are not cells.

    >>> print(not_countable("'a'", "struct<Wang Mei: int64>").text[:29])
    column 'a' is of kind struct,
    """
    kind = str(type_) if is_whole else re.split(r"[(<\[]", str(type_))[0]
    return ColumnError(
        "column {column} is of kind {kind}, which cannot be counted; text, numbers, dates "
        "and booleans can",
        column=column,
        kind=kind,
    )


def _wrap_arrow(called: str, columns: list[pa.ChunkedArray], names: tuple[str, ...]) -> OpenedTable:
    """Give every column a type that all of Arrow's functions know."""
    plain, replaced = [], {}
    for column, name in zip(columns, names, strict=True):
        cells = _plain_column(column)
        if not _is_known(cells.type):
            # Nothing can be done with such cells; whoever asks for them is told so.
            replaced[name] = str(column.type)
            cells = pa.chunked_array([pa.nulls(len(column), pa.binary())])
        plain.append(cells)
    table = pa.Table.from_arrays(plain, names=[f"c{index}" for index in range(len(names))])
    return OpenedTable(called, names, nw.from_native(table).lazy(), replaced=replaced)


def with_trimmed_text(lazy: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """The same Arrow table with trimmed text: not at the door, because few columns may be asked."""
    table: pa.Table = lazy.to_native()
    columns = [labelled_column(column) for column in table.columns]
    trimmed = pa.Table.from_arrays(columns, names=table.column_names)
    frame: nw.LazyFrame[Any] = nw.from_native(trimmed).lazy()
    return frame


def _plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        chunks = [chunk.storage for chunk in column.chunks]
        stored = _plain_column(pa.chunked_array(chunks, kind.storage_type))
        if kind.extension_name == "arrow.uuid":
            texts = [None if key is None else str(UUID(bytes=key)) for key in stored.to_pylist()]
            return pa.chunked_array([texts], pa.string())
        return stored.cast(pa.bool_()) if kind.extension_name == "arrow.bool8" else stored
    if pa.types.is_dictionary(kind):
        chunks = [chunk.dictionary.take(chunk.indices) for chunk in column.chunks]
        return _plain_column(pa.chunked_array(chunks, kind.value_type))
    if pa.types.is_run_end_encoded(kind):
        from pyarrow.compute import run_end_decode  # noqa: PLC0415 (takes a while)

        chunks = [run_end_decode(chunk) for chunk in column.chunks]
        return _plain_column(pa.chunked_array(chunks, kind.value_type))
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_date64(kind):
        return column.cast(pa.date32())
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    if pa.types.is_null(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_uint64(kind):
        from pyarrow.compute import max as largest  # noqa: PLC0415 (takes a while)

        # Python's integers become signed ones on their way back.
        if (largest(column).as_py() or 0) >= 1 << 63:
            return column.cast(pa.decimal128(20))
    return column


def _is_known(kind: pa.DataType) -> bool:
    """Whether narwhals has a name for a type and Arrow's functions take it."""
    return any(
        is_such(kind)
        for is_such in (
            *(pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating),
            *(pa.types.is_decimal128, pa.types.is_decimal256, pa.types.is_date32),
            *(pa.types.is_timestamp, pa.types.is_time, pa.types.is_duration),
            *(pa.types.is_string, pa.types.is_large_string),
            *(pa.types.is_binary, pa.types.is_large_binary, pa.types.is_struct),
            *(pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list),
        )
    )


def labelled_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Trim text by its distinct values, which is far less work than cell by cell."""
    if not is_text(column.type):
        return column
    coded = combined(column).dictionary_encode()
    texts = coded.dictionary.to_pylist()
    labels = [label_of(text) for text in texts]
    if labels == texts:
        return column
    return pa.chunked_array([pa.array(labels, pa.string()).take(coded.indices)])
