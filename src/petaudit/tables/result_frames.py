"""Tables that petaudit hands out, as the kind of frame that its caller works with."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
        import pandas as pd  # noqa: PLC0415 (the caller has it)

        return pd.DataFrame(
            {
                name: pd.Series(list(column.values), dtype=_pandas_type(column))
                for name, column in columns.items()
            }
        )
    if kind == "polars":
        import polars as pl  # noqa: PLC0415 (the caller has it)

        types = {
            "integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean, "text": pl.String,
            "tuple": pl.Object,
        }  # fmt: skip
        return pl.DataFrame(
            [
                pl.Series(name, list(column.values), dtype=types[column.kind])
                for name, column in columns.items()
            ]
        )
    return pa.table(
        {
            name: pa.array(
                [*map(_labels, column.values)] if column.kind == "tuple" else [*column.values],
                _ARROW[column.kind],
            )
            for name, column in columns.items()
        }
    )


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


def _pandas_type(column: ResultColumn) -> str:
    """Plain numbers and truths know no null in pandas: they would fail, or become False."""
    nullable = {"integer": "Int64", "boolean": "boolean"}
    if column.kind in nullable and any(value is None for value in column.values):
        return nullable[column.kind]
    return _PANDAS[column.kind]


def in_file(columns: Mapping[str, ResultColumn]) -> dict[str, ResultColumn]:
    """Tuples become JSON lists, so that nobody has to take a string apart.

    >>> in_file({"field_combo": ResultColumn("tuple", [("a", 1)])})["field_combo"].values
    ['["a", 1]']
    """
    return {
        name: ResultColumn("text", [*map(_json_list, column.values)])
        if column.kind == "tuple"
        else column
        for name, column in columns.items()
    }


def _json_list(values: Sequence[object] | None) -> str | None:
    return None if values is None else f"[{', '.join(map(_json_value, values))}]"


@lru_cache(maxsize=1 << 14)
def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _json_value(value: object) -> str:
    """A value as JSON; names of columns come again and again, in a tree by the million."""
    if isinstance(value, str):
        return _json_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'"{value}"'
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    return value if isinstance(value, bool | int | float | str | None) else label_of(value)


def table_data(table: Mapping[str, ResultColumn]) -> dict[str, Any]:
    """A table as data that JSON can hold; :func:`table_from` brings it back.

    >>> table_from(table_data({"n": ResultColumn("tuple", [("a", 1), None])}))["n"].values
    [('a', 1), None]
    """
    return {
        name: [
            column.kind,
            [[*map(_plain, cell)] if isinstance(cell, tuple) else cell for cell in column.values],
        ]
        for name, column in table.items()
    }


def table_from(data: Mapping[str, Any]) -> dict[str, ResultColumn]:
    """A table from its data."""
    return {
        name: ResultColumn(
            kind, [tuple(cell) if isinstance(cell, list) else cell for cell in values]
        )
        for name, (kind, values) in data.items()
    }


def stacked(
    tables: Mapping[str, Mapping[str, ResultColumn]], first: str
) -> dict[str, ResultColumn]:
    """Tables one below the other, each row with the name of its table in the first column.

    A column that some tables lack is null there.

    >>> one, two = ({"n": ResultColumn("integer", [n])} for n in (1, 2))
    >>> stacked({"a": one, "b": two}, "run")["run"].values
    ['a', 'b']
    """
    kinds: dict[str, Any] = {}
    for table in tables.values():
        for name, column in table.items():
            kinds.setdefault(name, column.kind)
    names: list[str] = []
    values: dict[str, list[Any]] = {name: [] for name in kinds}
    for title, table in tables.items():
        many = len(next(iter(table.values())).values) if table else 0
        names += [title] * many
        for name, cells in values.items():
            cells.extend(table[name].values if name in table else [None] * many)
    # A measure may call a column of its own like the first, which must not be lost.
    return {first: ResultColumn("text", names)} | {
        name if name != first else f"own_{first}": ResultColumn(kinds[name], cells)
        for name, cells in values.items()
    }
