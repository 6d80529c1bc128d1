"""Tables of results on their way into files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from petaudit.labels.cells import label_of
from petaudit.tables.result_frames import ResultColumn


def in_file(columns: Mapping[str, ResultColumn]) -> dict[str, ResultColumn]:
    """Tuples become JSON lists, so that nobody has to take a string apart.

    >>> in_file({"field_combo": ResultColumn("tuple", [("a", 1)])})["field_combo"].values
    ['["a", 1]']
    """
    return {name: _column_in_file(column) for name, column in columns.items()}


def _column_in_file(column: ResultColumn) -> ResultColumn:
    if column.kind != "tuple":
        return column
    return ResultColumn("text", [None if own is None else _json_list(own) for own in column.values])


def _json_list(values: Sequence[object]) -> str:
    return f"[{', '.join(map(_json_value, values))}]"


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
            own.kind,
            [[*map(_plain, value)] if isinstance(value, tuple) else value for value in own.values],
        ]
        for name, own in table.items()
    }


def table_from(data: Mapping[str, Any]) -> dict[str, ResultColumn]:
    """A table from its data."""
    return {
        name: ResultColumn(kind, [tuple(own) if isinstance(own, list) else own for own in values])
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
        for name, own in values.items():
            own.extend(table[name].values if name in table else [None] * many)
    found = {first: ResultColumn("text", names)}
    # A measure may call a column of its own like the first, which must not be lost.
    return found | {
        name if name != first else f"own_{first}": ResultColumn(kinds[name], own)
        for name, own in values.items()
    }
