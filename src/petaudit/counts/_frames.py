"""Frames that the caller already has: wrapped where they are, never converted to pandas."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.errors import ColumnError, InputError
from petaudit.labels import BLANKS

_COUNTABLE = (
    nw.String,
    nw.Boolean,
    nw.Decimal,
    nw.Date,
    nw.Datetime,
    nw.Time,
    nw.Duration,
)


def wrap_frame(frame: object) -> tuple[nw.LazyFrame[Any], tuple[str, ...]]:
    """Return the frame with columns c0, c1, ... and the names that its owner gave them."""
    if _is_pandas(frame):
        return _wrap_pandas(frame)
    try:
        wrapped = nw.from_native(frame)  # type: ignore[call-overload]
    except TypeError:
        raise InputError(
            f"a table is a path or a frame (pandas, Polars, PyArrow, DuckDB, PySpark, Dask, "
            f"Ibis), not a {type(frame).__name__}"
        ) from None
    lazy = wrapped.lazy() if isinstance(wrapped, nw.DataFrame) else wrapped
    names = tuple(lazy.collect_schema().names())
    return lazy.rename({name: f"c{index}" for index, name in enumerate(names)}), names


def normalized(
    lazy: nw.LazyFrame[Any], names: tuple[str, ...], *, trim: bool = True
) -> nw.LazyFrame[Any]:
    """Trim text and make NaN a null, so that every engine counts the same values."""
    expressions = []
    for (column, dtype), name in zip(lazy.collect_schema().items(), names, strict=True):
        value = nw.col(column)
        coded = isinstance(dtype, nw.Categorical | nw.Enum | nw.Unknown)
        if coded or isinstance(dtype, nw.String):
            value = value.cast(nw.String) if coded else value
            text = trimmed(value, lazy.implementation) if trim else value
            expressions.append(text.alias(column))
        elif dtype.is_float():
            # Adding zero turns -0.0 into 0.0: they are one number.
            expressions.append(nw.when(~value.is_nan()).then(value + 0.0).alias(column))
        elif dtype.is_integer() or isinstance(dtype, _COUNTABLE):
            expressions.append(value)
        else:
            raise ColumnError(
                f"column {name!r} is of kind {dtype}, which cannot be counted; text, numbers, "
                "dates and booleans can"
            )
    return lazy.select(*expressions) if expressions else lazy


def trimmed(text: nw.Expr, engine: nw.Implementation) -> nw.Expr:
    """Text without the blanks around it."""
    if engine is nw.Implementation.IBIS:
        # Ibis cannot strip given characters, but it can replace them at both ends.
        return text.str.replace_all(f"^[{BLANKS}]+|[{BLANKS}]+$", "")
    return text.str.strip_chars(BLANKS)


def _is_pandas(frame: object) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "columns")


def _wrap_pandas(frame: Any) -> tuple[nw.LazyFrame[Any], tuple[str, ...]]:
    """Rename by position, and give ``object`` columns (dates, booleans with gaps) a real type."""
    names = tuple(str(name) for name in frame.columns)
    copy = frame.copy(deep=False)
    copy.columns = [f"c{index}" for index in range(len(names))]
    copy = copy.reset_index(drop=True)
    for column, name in zip(list(copy.columns), names, strict=True):
        if copy[column].dtype == object:
            copy[column] = _typed(copy[column], name)
    return nw.from_native(copy).lazy(), names


def _typed(series: Any, name: str) -> Any:
    import pandas as pd  # noqa: PLC0415 (the caller's own engine, loaded only when it is in use)

    try:
        values = pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise ColumnError(
            f"column {name!r} mixes values of different kinds; convert it to text first"
        ) from None
    if pa.types.is_null(values.type):
        values = values.cast(pa.string())
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([values])), index=series.index)
