"""Counting every feature of a column in every class, in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.counts._class_keys import (
    ClassKeys,
    ColumnValues,
    class_keys,
    has_blanks,
    is_marked,
    trimmed_keys,
)
from petaudit.counts._encoding import arrow_floats, floats, whole_numbers
from petaudit.counts._packing import Packing, likely_largest_class
from petaudit.counts.results import ClassProfiles

if TYPE_CHECKING:
    from petaudit.counts.table_counts import TableCounts

MOST_FEATURES = 512
_MOST_WORDS = 24
_PACKABLE = (nw.String, nw.Boolean)
_CANNOT_REPLACE = "dask"  # its replaced values keep the type of the old ones


def count_profiles(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    column: str,
    features_of_values: Sequence[Sequence[int]],
    suppressed: str,
) -> ClassProfiles | None:
    """Count with packed counters; None when they do not fit.

    The size of a class is one feature more, to which all values belong: a separate count would
    cost the engine half as much again as all packed counters.
    """
    dtype = table.schema[table.position(column)]
    if not (dtype.is_integer() or dtype.is_float() or isinstance(dtype, _PACKABLE)):
        return None
    if table.engine == _CANNOT_REPLACE or (dtype.is_integer() and _is_old_polars(table)):
        return None
    size = 1 + max((max(own, default=-1) for own in features_of_values), default=-1)
    features = [[*own, size] for own in features_of_values]
    packing = Packing(size + 1, _likely_largest_class(table, quasi_identifiers))
    if packing.words > _MOST_WORDS:
        return None
    found = _packed(table, quasi_identifiers, column, features, packing, suppressed)
    if found is not None:
        return found
    packing = Packing(size + 1, _largest_class(table, quasi_identifiers))
    if packing.words > _MOST_WORDS:
        return None
    return _packed(table, quasi_identifiers, column, features, packing, suppressed)


def _is_old_polars(table: TableCounts) -> bool:
    """Whether whole numbers beyond 2**53 would be compared as floats."""
    if table.engine != "polars":
        return False
    version = str(nw.get_native_namespace(table.frame).__version__)
    return int(version.partition(".")[0]) < 2


def _packed(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    column: str,
    features: Sequence[Sequence[int]],
    packing: Packing,
    suppressed: str,
) -> ClassProfiles | None:
    """One pass; None if a counter ran over, which the sum of all counters gives away."""
    words = [f"w{index}" for index in range(packing.words)]
    value = table.position(column)
    keys = class_keys(table, quasi_identifiers, carried=[value])
    counted = _summed(table, keys, column, packing.weights(features), words)
    if has_blanks(counted):
        keys = trimmed_keys(table, quasi_identifiers, carried=[value])
        counted = _summed(table, keys, column, packing.weights(features), words)
    sums = [floats(counted.column(word)) for word in words]
    times = whole_numbers(counted.column("classes"))
    expected = sum(
        count * len(own)
        for count, own in zip(table.value_counts(column).counts.tolist(), features, strict=True)
    )
    if packing.total(sums, times) != expected:
        return None
    if suppressed == "exclude":
        kept = ~is_marked(counted)
        times, sums = times[kept], [word[kept] for word in sums]
    counts_of = packing.unpacker(sums)
    return ClassProfiles(counts_of(packing.features - 1), times, counts_of)


def _summed(
    table: TableCounts,
    keys: ClassKeys,
    column: str,
    weights: npt.NDArray[np.float64],
    words: Sequence[str],
) -> pa.Table:
    rows = _weighted(table, keys, column, weights, words)
    classes = rows.group_by(*keys.keys).agg(*(nw.col(word).sum() for word in words))
    flags = [flag.alias(name) for name, flag in keys.flags.items()]
    classes = classes.with_columns(*flags) if flags else classes
    return table.collected(classes.group_by(*words, *keys.flags).agg(nw.len().alias("classes")))


def _weighted(
    table: TableCounts,
    keys: ClassKeys,
    column: str,
    weights: npt.NDArray[np.float64],
    words: Sequence[str],
) -> nw.LazyFrame[Any]:
    """Rows with their keys and, for every word, the weight of their value."""
    values = table.values(column)
    own = weights[values.positions]
    null = values.counts.index.get(None)
    of_null = None if null is None else weights[null].tolist()
    cell = nw.col(table.position(column))
    if table.load is None:
        filled = np.array([label is not None for label in _labels(values)], dtype=bool)
        old = [
            value
            for value, is_filled in zip(values.cells.to_pylist(), filled, strict=True)
            if is_filled
        ]
        mapped = [_replaced(cell, old, own[filled, i].tolist()) for i in range(len(words))]
        if of_null is not None:
            mapped = [
                nw.when(cell.is_null()).then(nw.lit(null_weight)).otherwise(weight)
                for null_weight, weight in zip(of_null, mapped, strict=True)
            ]
        return keys.rows.select(
            *keys.keys, *(weight.alias(word) for word, weight in zip(words, mapped, strict=True))
        )
    # Where a small table can be put beside the data, a join finds all weights at once.
    data = [arrow_floats(own[:, i]) for i in range(len(words))]
    beside = values.beside(table, ["v", *words], data)
    rows = keys.rows.select(*keys.keys, cell.alias("v")).join(beside, on="v", how="left")
    if of_null is None:
        return rows
    weighted = [nw.col(word).fill_null(weight) for word, weight in zip(words, of_null, strict=True)]
    return rows.with_columns(*weighted)


def _labels(values: ColumnValues) -> list[str | None]:
    return [values.counts.labels[position] for position in values.positions.tolist()]


def _replaced(value: nw.Expr, old: list[Any], new: list[float]) -> nw.Expr:
    if not old:
        return nw.lit(0.0)
    return value.replace_strict(old, new, default=0.0, return_dtype=nw.Float64)


def _likely_largest_class(table: TableCounts, quasi_identifiers: Sequence[str]) -> int:
    """Guess from the first rows; a guess too low is noticed and costs a second pass."""
    if table.knows_histogram(quasi_identifiers):
        return _largest_class(table, quasi_identifiers)
    sample = table.sample(quasi_identifiers)
    return likely_largest_class(sample.sizes, sample.classes, table.rows)


def _largest_class(table: TableCounts, quasi_identifiers: Sequence[str]) -> int:
    known = table.class_histogram(quasi_identifiers)
    return max(int(known.sizes.max(initial=1)), known.suppressed_rows)
