"""Frames that the caller already has: wrapped where they are, never converted to pandas."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError

from petaudit.counts._database import numbered_cells
from petaudit.counts._databases.frames import is_on_postgres, read_by_ibis
from petaudit.counts._spark.columns import numbered_columns
from petaudit.errors import ColumnError, InputError, phrase
from petaudit.labels import BLANKS, label_of

_COUNTABLE = (
    nw.String,
    nw.Boolean,
    nw.Decimal,
    nw.Date,
    nw.Datetime,
    nw.Time,
    nw.Duration,
)
_CODED = (nw.Categorical, nw.Enum)
A_TABLE = phrase("a table")


def wrap_frame(frame: object, called: str = A_TABLE) -> tuple[nw.LazyFrame[Any], tuple[str, ...]]:
    """Return the frame with columns c0, c1, ... and the names that its owner gave them."""
    if isinstance(frame, duckdb.DuckDBPyRelation):
        names = tuple(frame.columns)
        cells = numbered_cells(names, frame.types)
        return nw.from_native(frame.project(cells) if names else frame), names
    if _is_pandas(frame):
        return _wrap_arrow(*_arrow_from_pandas(frame))
    if isinstance(frame, pa.Table):
        return _wrap_arrow(frame.columns, tuple(frame.column_names))
    try:
        wrapped = nw.from_native(frame)  # type: ignore[call-overload]
    except DuplicateError:
        raise ColumnError(
            phrase("{table} has a column name more than once", table=called)
        ) from None
    except TypeError:
        raise InputError(
            phrase(
                "{table} is a path or a frame (pandas, Polars, PyArrow, DuckDB, PySpark, Dask, "
                "Ibis), not a {kind}",
                table=called,
                kind=type(frame).__name__,
            )
        ) from None
    lazy = wrapped.lazy() if isinstance(wrapped, nw.DataFrame) else wrapped
    if lazy.implementation.is_ibis():
        table, names = read_by_ibis(lazy.to_native())
        return nw.from_native(table), names
    names = tuple(lazy.collect_schema().names())
    if lazy.implementation.is_pyspark():
        return nw.from_native(numbered_columns(lazy.to_native())), names
    return lazy.rename({name: f"c{index}" for index, name in enumerate(names)}), names


def normalized(lazy: nw.LazyFrame[Any], *, trim: bool = True) -> nw.LazyFrame[Any]:
    """Trim text and make NaN a null, so that every engine counts the same values."""
    if lazy.implementation.is_ibis() and is_on_postgres(lazy.to_native()):
        return lazy  # so it is read there
    expressions = []
    trim = (
        trim and lazy.implementation is not nw.Implementation.PYARROW
    )  # as with_trimmed_text does
    for column, dtype in lazy.collect_schema().items():
        value = nw.col(column)
        if isinstance(dtype, (nw.String, *_CODED)):
            text = value.cast(nw.String) if isinstance(dtype, _CODED) else value
            cell = label_text(text, lazy.implementation) if trim else text
            expressions.append(cell.alias(column))
        elif dtype.is_float():
            # Adding zero turns -0.0 into 0.0: they are one number.
            number = value + 0.0
            if isinstance(dtype, nw.Float32):
                # Some engines make it wider, and its decimals would be lost.
                number = number.cast(nw.Float32)
            expressions.append(nw.when(~value.is_nan()).then(number).alias(column))
        elif isinstance(dtype, nw.Unknown):
            # A column of nothing but nulls has no type; text will do for it.
            expressions.append(value.cast(nw.String).alias(column))
        else:
            expressions.append(value)
    return lazy.select(*expressions) if expressions else lazy


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
        try:
            cells = pa.array(frame.iloc[:, index], from_pandas=True)
        except (pa.ArrowException, OverflowError):
            raise ColumnError(
                phrase(
                    "column {column!r} mixes values of different kinds; convert it to text first",
                    column=name,
                )
            ) from None
        if pa.types.is_date(cells.type) and any(
            isinstance(value, datetime) for value in frame.iloc[:, index]
        ):
            raise ColumnError(
                phrase(
                    "column {column!r} mixes dates and date-times; convert it to one of them first",
                    column=name,
                )
            )
        columns.append(cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells]))
    return columns, names


def _wrap_arrow(
    columns: list[pa.ChunkedArray], names: tuple[str, ...]
) -> tuple[nw.LazyFrame[Any], tuple[str, ...]]:
    """Give every column a type that all of Arrow's functions know."""
    plain = [_plain_column(column) for column in columns]
    table = pa.Table.from_arrays(plain, names=[f"c{index}" for index in range(len(names))])
    return nw.from_native(table).lazy(), names


def with_trimmed_text(lazy: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """The same Arrow table with trimmed text: not at the door, because few columns may be asked."""
    table: pa.Table = lazy.to_native()
    trimmed = [_labelled_column(column) for column in table.columns]
    found = pa.Table.from_arrays(trimmed, names=table.column_names)
    made: nw.LazyFrame[Any] = nw.from_native(found).lazy()
    return made


def _plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_date64(kind):
        return column.cast(pa.date32())
    if pa.types.is_interval(kind) or pa.types.is_run_end_encoded(kind):
        # Nothing can be done with such cells; whoever asks for them is told so.
        return pa.chunked_array([pa.nulls(len(column), pa.binary())])
    if pa.types.is_null(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    return column


def _labelled_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Trim text by its distinct values, which is far less work than cell by cell."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    coded = column.combine_chunks().dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    texts = coded.dictionary.to_pylist()
    labels = [label_of(text) for text in texts]
    if labels == texts:
        return column
    return pa.chunked_array([pa.array(labels, pa.string()).take(coded.indices)])
