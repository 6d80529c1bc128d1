"""What comes back from an engine elsewhere: aggregates, and never more than a bounded number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import narwhals.stable.v2 as nw
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import EngineError, InputError, counted
from petaudit.tables._cell_labels import cell_labels
from petaudit.tables._encoding import arrow_floats, arrow_integers
from petaudit.tables.engines.spark_jobs import spark_result

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

MOST_ROWS: Final = 1_000_000
"""More rows than this are no aggregate that a person or a figure needs."""
_MOST_MOVED: Final = 200_000
_MOST_BROADCAST: Final = 500_000

Numbers: TypeAlias = npt.NDArray[Any]
"""Integers or floats."""


def fetched(lazy: nw.LazyFrame[Any], table: str) -> pa.Table:
    """Run a query where its rows live; an answer that is too large is refused, not fetched."""
    bounded = lazy.head(MOST_ROWS + 1)
    if lazy.implementation.is_pyspark():
        result = spark_result(bounded.to_native())
    else:
        result = bounded.collect().to_arrow()
    if result.num_rows > MOST_ROWS:
        raise EngineError(
            "{table}: a count has more than {most:,} values, which are not fetched from "
            "elsewhere; a column with so many different values is an identifier, or needs "
            "coarser values",
            table=table,
            most=MOST_ROWS,
        )
    return result


def beside(table: TableCounts, small: pa.Table) -> nw.LazyFrame[Any]:
    """A small table in the engine of a large one, to be joined with it."""
    if table.load is not None:
        return table.load(small)
    if table.frame.implementation.is_ibis():
        import ibis  # noqa: PLC0415 (an extra)

        in_memory: nw.LazyFrame[Any] = nw.from_native(ibis.memtable(small))
        return in_memory
    try:
        frame = table.frame.to_native().sparkSession.createDataFrame(small)
    except Exception as problem:
        raise table.failure(problem) from None
    # Sent to every worker once, so that the large table stays where it is.
    frame = frame.hint("broadcast") if len(small) <= _MOST_BROADCAST else frame
    on_spark: nw.LazyFrame[Any] = nw.from_native(frame)
    return on_spark


def join_numbers(
    table: TableCounts,
    rows: nw.LazyFrame[Any],
    column: str,
    cell: str,
    numbers: Mapping[str, Numbers],
) -> nw.LazyFrame[Any]:
    """Give each row numbers of its label: ``cell`` holds the cells of a column, and goes.

    Numbers have a place for every label of ``value_counts``, the null's too.
    """
    values = table.values(column)
    arrays = [_to_arrow(per_label[values.positions]) for per_label in numbers.values()]
    lookup = pa.Table.from_arrays([values.cells, *arrays], names=[cell, *numbers])
    lookup = lookup.filter(values.cells.is_valid())
    others = [name for name in rows.collect_schema().names() if name != cell]
    null = values.counts.index.get(None)
    if not len(lookup):
        same = (
            nw.lit(per_label[null].item()).cast(
                nw.Float64 if per_label.dtype.kind == "f" else nw.Int64
            )
            for per_label in numbers.values()
        )
        return rows.select(*others, *map(nw.Expr.alias, same, numbers))
    joined = rows.join(beside(table, lookup), on=cell, how="left")
    if null is None:
        return joined.select(*others, *numbers)
    filled = [nw.col(name).fill_null(per_label[null].item()) for name, per_label in numbers.items()]
    return joined.select(*others, *filled)


def _to_arrow(numbers: Numbers) -> pa.Array:
    return arrow_floats(numbers) if numbers.dtype.kind == "f" else arrow_integers(numbers)


def on_one_engine(
    first: TableCounts, second: TableCounts, columns: Sequence[str]
) -> tuple[TableCounts, TableCounts]:
    """Both tables where they can be joined; at least one of them lives elsewhere.

    Of a small local table these columns are sent there.
    """
    if first.is_remote and second.is_remote:
        if not _same_engine(first, second):
            raise InputError(
                "one table is in {first}, the other in {second}, and rows cannot be matched "
                "across them: bring both tables to one of them",
                first=first.engine,
                second=second.engine,
            )
        return first, second
    if first.is_remote:
        return first, _moved(second, first, columns)
    return _moved(first, second, columns), second


def _same_engine(first: TableCounts, second: TableCounts) -> bool:
    one, other = first.frame, second.frame
    if one.implementation is not other.implementation:
        return False
    if not one.implementation.is_ibis():
        return True
    # Backends are equal where their addresses are, but databases in memory have none.
    backends = [{id(b) for b in frame.to_native()._find_backends()[0]} for frame in (one, other)]
    # A table in memory has no backend of its own, and goes to that of the other.
    return not all(backends) or backends[0] == backends[1]


def _moved(table: TableCounts, goal: TableCounts, columns: Sequence[str]) -> TableCounts:
    if table.rows > _MOST_MOVED:
        raise InputError(
            "one table is in {engine}, and the other has {rows}, more than the {most:,} that "
            "are sent there: bring both tables to {engine}",
            engine=goal.engine,
            rows=counted(table.rows, "row"),
            most=_MOST_MOVED,
        )
    cells = [_sendable(column) for column in table.columns_values(columns)]
    names = [f"c{place}" for place in range(len(columns))]
    return type(table)(beside(goal, pa.Table.from_arrays(cells, names=names)), columns)


def _sendable(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cells of a kind that every engine has; others as their labels."""
    kind = cells.type
    known = (pa.types.is_string, pa.types.is_boolean, pa.types.is_date, pa.types.is_float64)
    if any(is_kind(kind) for is_kind in known):
        return cells
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return cells.cast(pa.int64())
    return pa.chunked_array([pa.array(cell_labels(cells), pa.string())])
