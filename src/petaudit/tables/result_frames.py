"""Tables that petaudit hands out, as the kind of frame that its caller works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from petaudit.labels.cells import label_of

Kind: TypeAlias = Literal["integer", "number", "boolean", "text", "tuple"]

_ARROW = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "text": pa.string(),
    "tuple": pa.list_(pa.string()),
}
_PANDAS = {
    "integer": "int64", "number": "float64", "boolean": "bool", "text": "str", "tuple": "object",
}  # fmt: skip


@dataclass(frozen=True)
class ResultColumn:
    """The values of a column and what they are."""

    kind: Kind
    values: Sequence[Any]


def frame_kind(*tables: object) -> str:
    """``pandas``, ``polars`` or ``pyarrow``: what the first frame among the tables is.

    >>> frame_kind("original.csv", pa.table({"a": [1]}))
    'pyarrow'
    """
    for table in tables:
        package = type(table).__module__.partition(".")[0]
        if package in {"pandas", "polars", "pyarrow"}:
            return package
    return "pyarrow"


def result_frame(kind: str, columns: Mapping[str, ResultColumn]) -> Any:
    """Build a frame; tuples stay tuples where the frame can hold them, PyArrow has lists of text.

    >>> result_frame("pyarrow", {"n": ResultColumn("tuple", [("a", 1)])}).column("n").to_pylist()
    [['a', '1']]
    """
    if kind == "pandas":
        return _pandas_frame(columns)
    if kind == "polars":
        return _polars_frame(columns)
    arrays = {
        name: pa.array(
            [_labels(value) for value in column.values]
            if column.kind == "tuple"
            else list(column.values),
            _ARROW[column.kind],
        )
        for name, column in columns.items()
    }
    return pa.table(arrays)


def frame_of(kind: str, table: pa.Table) -> Any:
    """A table of data as another kind of frame.

    >>> frame_of("pyarrow", pa.table({"a": [1]})).column_names
    ['a']
    """
    if kind == "pandas":
        return table.to_pandas()
    if kind == "polars":
        import polars as pl  # noqa: PLC0415 (the caller has it)

        return pl.from_arrow(table)
    return table


def _labels(values: Sequence[object] | None) -> list[str | None] | None:
    if values is None:
        return None
    return [value if isinstance(value, str) else label_of(value) for value in values]


def _pandas_frame(columns: Mapping[str, ResultColumn]) -> Any:
    import pandas as pd  # noqa: PLC0415 (the caller has it)

    return pd.DataFrame(
        {
            name: pd.Series(list(column.values), dtype=_pandas_type(column))
            for name, column in columns.items()
        }
    )


def _pandas_type(column: ResultColumn) -> str:
    """Plain numbers and truths know no null in pandas: they would fail, or become False."""
    nullable = {"integer": "Int64", "boolean": "boolean"}
    if column.kind in nullable and any(value is None for value in column.values):
        return nullable[column.kind]
    return _PANDAS[column.kind]


def _polars_frame(columns: Mapping[str, ResultColumn]) -> Any:
    import polars as pl  # noqa: PLC0415 (the caller has it)

    kinds = {
        "integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean, "text": pl.String,
        "tuple": pl.Object,
    }  # fmt: skip
    return pl.DataFrame(
        [
            pl.Series(name, list(column.values), dtype=kinds[column.kind])
            for name, column in columns.items()
        ]
    )
