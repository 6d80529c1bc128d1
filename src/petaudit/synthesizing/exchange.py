"""A table as columns of numbers, and drawn numbers as a table of the same types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from petaudit.synthesizing.exchange_numbers import (
    Column,
    buffer_of,
    decimal_column,
    float_column,
    from_whole,
    whole_of,
)
from petaudit.synthesizing.exchange_text import is_text, text_column
from petaudit.tables import Source, open_source

__all__ = ["Column", "Table", "joined_table", "read_column", "read_columns"]

Table: TypeAlias = pa.Table


def read_columns(table: object) -> tuple[Source, list[Column]]:
    """Open a table and read all its columns."""
    source = table if isinstance(table, Source) else open_source(table)
    given = table if isinstance(table, pa.Table) else None
    if given is None and source is not table:
        given = _parquet(source)
    if given is not None and given is not table:
        # DuckDB has fewer types than Arrow.
        source = open_source(given, called=source.name)
    # One query: rows without an order of their own must stay together.
    arrays = source.counts.columns_values(source.columns)
    kinds = [array.type for array in arrays]
    if given is not None:
        kinds = [_plain(kind, own) for kind, own in zip(given.schema.types, kinds, strict=True)]
        # Opening made some types plainer; text it trimmed, and NaN it made null.
        arrays = [
            own if own.type == kind or is_text(kind) or pa.types.is_floating(kind) else was
            for own, kind, was in zip(arrays, kinds, given.columns, strict=True)
        ]
    return source, [
        read_column(_joined(array, own), own, is_untyped=source.is_untyped)
        for array, own in zip(arrays, kinds, strict=True)
    ]


def read_column(cells: pa.Array, kind: pa.DataType, *, is_untyped: bool = False) -> Column:
    """Turn the cells of one column into numbers.

    >>> from datetime import date
    >>> column = read_column(pa.array([date(1970, 1, 2), None]), pa.date32())
    >>> column.numbers.tolist(), column.is_null.tolist()
    ([1], [False, True])
    """
    is_null = buffer_of(cells.is_null().cast(pa.uint8()), np.uint8).astype(np.bool_)
    known = cells.drop_null()
    if pa.types.is_null(kind) or not len(known):
        empty = np.zeros(0, np.int64)
        return Column(empty, is_null, lambda numbers, _, __: pa.nulls(len(numbers), kind))
    if is_text(kind):
        return text_column(known, is_null, kind, is_untyped=is_untyped)
    if pa.types.is_floating(kind):
        return float_column(known, is_null, kind)
    if pa.types.is_decimal(kind):
        return decimal_column(known, is_null, kind)
    return Column(whole_of(known), is_null, lambda own, nulls, _: from_whole(own, nulls, kind))


def joined_table(blocks: Sequence[Sequence[pa.Array]], names: Sequence[str]) -> pa.Table:
    """Make a table from blocks of rows."""
    return pa.table(
        {name: pa.chunked_array([block[i] for block in blocks]) for i, name in enumerate(names)}
    )


def _parquet(source: Source) -> pa.Table | None:
    if not source.paths or source.is_untyped:
        return None
    try:
        tables = [pq.ParquetFile(path).read() for path in source.paths]
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowException, OSError):
        return None  # a compressed file, for example, which DuckDB was given unpacked


def _plain(kind: pa.DataType, opened: pa.DataType) -> pa.DataType:
    """The type that a column comes back in: its own, unless nothing can be drawn in it."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type, opened)
    is_number = pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind)
    return kind if is_number or is_text(kind) else opened


def _joined(cells: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if pa.types.is_string(cells.type) or pa.types.is_string_view(cells.type):
        cells = cells.cast(pa.large_string())
    elif cells.type != kind and not is_text(kind):
        cells = cells.cast(kind)
    joined = cells.combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined
