"""Cells of columns as arrays, labels and integer codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.labels.cells import BLANKS, label_of
from petaudit.tables.results import Integers

_LARGEST_KEY = 1 << 62


def whole_numbers(column: pa.ChunkedArray) -> Integers:
    """A column without nulls as an array; PyArrow's own way would import pandas for this.

    >>> whole_numbers(pa.chunked_array([[1], [2, 3]])).tolist()
    [1, 2, 3]
    """
    return _buffer(column, pa.int64(), np.int64)


def floats(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """The same for floats."""
    return _buffer(column, pa.float64(), np.float64)


def arrow_floats(values: npt.NDArray[np.float64]) -> pa.Array:
    """The way back, again without pandas.

    >>> arrow_floats(np.array([1.0, 2.5])).to_pylist()
    [1.0, 2.5]
    """
    return pa.Array.from_buffers(
        pa.float64(), len(values), [None, pa.py_buffer(values.astype(np.float64).tobytes())]
    )


def arrow_integers(values: Integers) -> pa.Array:
    """Whole numbers for an engine, again without pandas."""
    return pa.Array.from_buffers(
        pa.int64(), len(values), [None, pa.py_buffer(values.astype(np.int64).tobytes())]
    )


def _buffer(column: pa.ChunkedArray, kind: pa.DataType, dtype: Any) -> npt.NDArray[Any]:
    # Casting loads PyArrow's compute module, which takes longer than many a query.
    chunks = [
        chunk if chunk.type == kind else chunk.cast(kind) for chunk in column.chunks if len(chunk)
    ]
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype, count=len(chunk), offset=8 * chunk.offset)
        for chunk in chunks
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def shortest_decimals(cells: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Floats of 32 bits as the shortest decimals that give the same floats; others as they are.

    Made wider, 0.1 would be 0.10000000149011612, and no label of anybody. Texts of engines do not
    always have the fewest digits (DuckDB, Java before 19), so only their cells are asked for.

    >>> shortest_decimals(pa.array([0.1, None, 16777216.0], pa.float32())).to_pylist()
    [0.1, None, 16777216.0]
    """
    if not pa.types.is_float32(cells.type):
        return cells
    return cells.cast(pa.string()).cast(pa.float64())


def python_values(cells: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Cells as Python has them; Python knows no nanoseconds, so such times become text.

    >>> python_values(pa.array([1, 1_000], pa.timestamp("ns")))
    ['1970-01-01 00:00:00.000000001', '1970-01-01 00:00:00.000001']
    >>> python_values(pa.array([0.1], pa.float32()))
    [0.1]
    """
    cells = shortest_decimals(cells)
    if not (pa.types.is_timestamp(cells.type) and cells.type.unit == "ns"):
        return cells.to_pylist()  # type: ignore[no-any-return]
    return [
        None
        if text is None
        else text.removesuffix("000").removesuffix(".000000").removesuffix(" 00:00:00")
        for text in cells.cast(pa.string()).to_pylist()
    ]


def is_text(kind: pa.DataType) -> bool:
    """Whether a type of Arrow is text."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def combined(column: pa.ChunkedArray) -> pa.Array:
    """All cells in one array; some versions of Arrow leave what is large in several."""
    cells = column.combine_chunks()
    if not isinstance(cells, pa.ChunkedArray):
        return cells
    return pa.concat_arrays(cells.chunks) if cells.num_chunks else pa.array([], cells.type)


def dictionary_cells(column: pa.ChunkedArray) -> tuple[Integers, pa.Array]:
    """A code per row and the cell of each code; a null is one.

    >>> codes, cells = dictionary_cells(pa.chunked_array([["b", None, "b"]]))
    >>> codes.tolist(), cells.to_pylist()
    ([0, 1, 0], ['b', None])
    """
    encoded = combined(column)
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode(null_encoding="encode")
    return whole_numbers(pa.chunked_array([encoded.indices])), encoded.dictionary


def numbered(values: npt.NDArray[Any]) -> Integers:
    """The values as numbers from 0, in the order in which each comes first.

    >>> numbered(np.array([70, 5, 70])).tolist()
    [0, 1, 0]
    """
    return whole_numbers(pa.chunked_array([pa.array(values).dictionary_encode().indices]))


def class_indices(codes: Sequence[Integers], rows: int) -> Integers:
    """One dense index per distinct combination of codes.

    >>> class_indices([np.array([0, 1, 0]), np.array([5, 5, 5])], 3).tolist()
    [0, 1, 0]
    """
    key = np.zeros(rows, dtype=np.int64)
    if not rows:
        return key
    span = 1
    for column in codes:
        width = int(column.max()) + 1
        if span * width > _LARGEST_KEY:
            key, span = _dense(key)
        key = key * width + column
        span *= width
    return _dense(key)[0]


def folded_pairs(
    class_index: Integers, group: Integers, counts: Integers
) -> tuple[Integers, Integers, Integers]:
    """Order pairs by class and group, and add up those that are the same.

    >>> a, b, n = folded_pairs(np.array([1, 0, 1]), np.array([2, 5, 2]), np.array([1, 1, 3]))
    >>> a.tolist(), b.tolist(), n.tolist()
    ([0, 1], [5, 2], [1, 4])
    """
    if not counts.size:
        return class_index, group, counts
    # One number per pair sorts several times faster than two.
    pair = class_index * (int(group.max()) + 1) + group
    if (np.diff(pair) < 0).any():
        order = np.argsort(pair, kind="stable")
        pair, class_index, group, counts = (
            values[order] for values in (pair, class_index, group, counts)
        )
    starts = np.flatnonzero(np.diff(pair, prepend=-1))
    return class_index[starts], group[starts], np.add.reduceat(counts, starts)


def _dense(key: Integers) -> tuple[Integers, int]:
    values, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64), len(values)


def cell_labels(cells: pa.Array | pa.ChunkedArray) -> list[str | None]:
    """What ``label_of`` says of each cell, without its questions: a column may have very many.

    >>> cell_labels(pa.array([2.0, 0.5, None, float("nan")])), cell_labels(pa.array([" a", " "]))
    (['2', '0.5', None, None], ['a', None])
    """
    values = python_values(cells)
    kind = cells.type
    if is_text(kind):
        return [None if text is None else text.strip(BLANKS) or None for text in values]
    if pa.types.is_integer(kind):
        return [None if number is None else str(number) for number in values]
    if pa.types.is_floating(kind):
        return [
            label_of(_plain(number))
            if number is None or number.is_integer() or math.isnan(number)
            else repr(number)
            for number in values
        ]
    return [label_of(_plain(value)) for value in values]


def label_codes(column: pa.ChunkedArray) -> tuple[Integers, list[str | None]]:
    """A code per row and the label of each code.

    >>> codes, labels = label_codes(pa.chunked_array([[2.0, None, 2.0]]))
    >>> codes.tolist(), labels
    ([0, 1, 0], ['2', None])
    """
    codes, cells = dictionary_cells(column)
    return codes, cell_labels(cells)


def in_order(labels: Sequence[str | None]) -> Integers:
    """Where the labels stand that come first, second and so on: numbers by value, texts, null.

    Labels of the same number come in the order of their texts.

    >>> labels = ["b", "10", None, "9", "a", "1e1"]
    >>> [labels[place] for place in in_order(labels).tolist()]
    ['9', '10', '1e1', 'a', 'b', None]
    """
    values = _values(labels)
    order = np.argsort(values, kind="stable").astype(np.int64)
    # NaN, also where a label spells it, is not a number, and sorting leaves all of them at the end.
    numbers = len(labels) - int(np.count_nonzero(np.isnan(values)))
    ascending = values[order[:numbers]]
    begins = np.concatenate(([True], ascending[1:] != ascending[:-1])) if numbers else ascending
    if not begins.all():
        group = np.cumsum(begins)
        tied = np.flatnonzero(np.bincount(group)[group] > 1)
        keys = {
            place: (rank, labels[place] or "")
            for place, rank in zip(order[tied].tolist(), group[tied].tolist(), strict=True)
        }
        order[tied] = sorted(keys, key=keys.__getitem__)
    texts = {place: label for place in order[numbers:].tolist() if (label := labels[place])}
    by_text = sorted(texts, key=texts.__getitem__)
    order[numbers : numbers + len(by_text)] = by_text
    order[numbers + len(by_text) :] = [place for place, label in enumerate(labels) if not label]
    return order


def _values(labels: Sequence[str | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    try:
        values = [float(label or "nan") for label in labels]
    except ValueError:
        values = [_value(label) for label in labels]
    return np.array(values, dtype=np.float64)


def _value(label: str | None) -> float:
    # Most ranges begin so, and asking first is cheaper than a conversion that fails.
    if not label or label[0] in "[]({<>":
        return math.nan
    try:
        return float(label)
    except ValueError:
        return math.nan


def _plain(value: Any) -> Any:
    """Make the engines' own nulls (NaN, NaT, NA) a None."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124
