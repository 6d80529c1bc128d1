"""Counting every value of some columns in every class, in one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._classes.block_store import MOST_PAIRS
from petaudit.tables._classes.keys import (
    ClassKeys,
    ColumnValues,
    class_keys,
    has_blanks,
    is_marked,
    trimmed_keys,
)
from petaudit.tables._classes.packing import Packing, likely_largest_class
from petaudit.tables._encoding import arrow_floats, floats, whole_numbers
from petaudit.tables.class_table import ClassPairs
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

MOST_VALUES = 512
MOST_FROM_WORKERS = 1 << 12
MOST_FROM_DATABASES = 1 << 19
"""From afar no more of the different classes are fetched, whatever a table is like: workers can
be asked instead, while a database would have to tell more."""
_CELLS_PER_BLOCK = MOST_PAIRS
_MOST_WORDS = 24
_PACKABLE = (nw.String, nw.Boolean)
_CANNOT_REPLACE = "dask"  # its replaced values keep the type of the old ones


def count_profiles(
    table: TableCounts, quasi_identifiers: Sequence[str], columns: Sequence[str]
) -> Profiles | None:
    """Count with packed counters; None when they do not fit, or are too many to be fetched.

    The size of a class is one counter more, to which all values belong: a separate count would
    cost the engine half as much again as all packed counters.
    """
    if not columns or not all(_can_be_packed(table, column) for column in columns):
        return None
    widths = [len(table.sensitive_values(column).counts.labels) for column in columns]
    if not table.rows or sum(widths) > MOST_VALUES:
        return None
    # A second pass is dear where the rows are far away, and the histogram is wanted anyway.
    guesses = [_largest_class] if table.is_remote else [_likely_largest_class, _largest_class]
    for largest_class in guesses:
        largest = largest_class(table, quasi_identifiers)
        packings = {
            column: Packing(width + (index == 0), largest)
            for index, (column, width) in enumerate(zip(columns, widths, strict=True))
        }
        if sum(packing.words for packing in packings.values()) > _MOST_WORDS:
            return None
        counted = _summed_by_class(table, quasi_identifiers, packings)
        if counted is None:
            return None
        found = Profiles(counted, packings)
        if found.are_right(table.rows):
            return found
    return None  # pragma: no cover (counters for the largest class cannot run over)


@dataclass(frozen=True)
class Profiles:
    """The different classes with their packed counters, and how many classes are alike."""

    counted: pa.Table
    packings: Mapping[str, Packing]

    def are_right(self, rows: int) -> bool:
        """Whether no counter ran over, which the sum of all counters gives away."""
        times = whole_numbers(self.counted.column("classes"))
        for index, packing in enumerate(self.packings.values()):
            words = [floats(self.counted.column(word)) for word in _words(index, packing)]
            if packing.total(words, times) != rows * (2 if index == 0 else 1):
                return False
        return True

    def blocks(self) -> Iterator[ClassPairs]:
        """The counts as pairs of class and value, so many classes at a time."""
        at_once = max(_CELLS_PER_BLOCK // self._width, 1)
        for start in range(0, self.counted.num_rows, at_once):
            yield self._pairs(self.counted.slice(start, at_once))

    @property
    def _width(self) -> int:
        """How many values the columns have; the sizes of classes are one counter more."""
        return sum(packing.features for packing in self.packings.values()) - 1

    def _pairs(self, counted: pa.Table) -> ClassPairs:
        table = np.empty((counted.num_rows, self._width), dtype=np.int64)
        sizes: Integers | None = None
        start = 0
        for index, packing in enumerate(self.packings.values()):
            words = [floats(counted.column(word)) for word in _words(index, packing)]
            counts_of = packing.unpacker(words)
            width = packing.features - (index == 0)
            if sizes is None:
                sizes = counts_of(width)
            for place in range(width):
                table[:, start + place] = counts_of(place)
            start += width
        assert sizes is not None  # noqa: S101 (there is a column)
        entry, value = np.nonzero(table)
        marked = np.flatnonzero(is_marked(counted))
        return ClassPairs(
            sizes,
            whole_numbers(counted.column("classes")),
            entry.astype(np.int64, copy=False),
            value.astype(np.int64, copy=False),
            table[entry, value],
            int(marked[0]) if marked.size else None,
        )


def _can_be_packed(table: TableCounts, column: str) -> bool:
    dtype = table.schema[table.position(column)]
    if not (dtype.is_integer() or dtype.is_float() or isinstance(dtype, _PACKABLE)):
        return False
    return table.engine != _CANNOT_REPLACE and not (dtype.is_integer() and _is_old_polars(table))


def _is_old_polars(table: TableCounts) -> bool:
    """Whether whole numbers beyond 2**53 would be compared as floats."""
    if table.engine != "polars":
        return False
    version = str(nw.get_native_namespace(table.frame).__version__)
    return int(version.partition(".")[0]) < 2


def _summed_by_class(
    table: TableCounts, quasi_identifiers: Sequence[str], packings: Mapping[str, Packing]
) -> pa.Table | None:
    """One pass; None if the different classes are too many to be fetched."""
    carried = list(dict.fromkeys(table.position(column) for column in packings))
    keys = class_keys(table, quasi_identifiers, carried=carried)
    counted = _summed(table, keys, packings)
    if counted is not None and has_blanks(counted):
        keys = trimmed_keys(table, quasi_identifiers, carried=carried)
        counted = _summed(table, keys, packings)
    return counted


def _words(index: int, packing: Packing) -> list[str]:
    return [f"w{index}_{word}" for word in range(packing.words)]


def _summed(
    table: TableCounts, keys: ClassKeys, packings: Mapping[str, Packing]
) -> pa.Table | None:
    rows = keys.rows
    every: list[str] = []
    for index, (column, packing) in enumerate(packings.items()):
        width = len(table.sensitive_values(column).counts.labels)
        # The first column counts the rows of the class, too.
        features = [[value, *([width] if index == 0 else [])] for value in range(width)]
        words = _words(index, packing)
        rows = _weighted(table, rows, column, packing.weights(features), words)
        every += words
    classes = rows.group_by(*keys.keys).agg(*(nw.col(word).sum() for word in every))
    flags = [flag.alias(name) for name, flag in keys.flags.items()]
    classes = classes.with_columns(*flags) if flags else classes
    profiles = classes.group_by(*every, *keys.flags).agg(nw.len().alias("classes"))
    if not table.is_remote:
        return table.collected(profiles)
    is_database = table.frame.implementation.is_ibis()
    most = MOST_FROM_DATABASES if is_database else MOST_FROM_WORKERS
    counted = table.collected(profiles.head(most + 1))
    return counted if counted.num_rows <= most else None


def _weighted(
    table: TableCounts,
    rows: nw.LazyFrame[Any],
    column: str,
    weights: npt.NDArray[np.float64],
    words: Sequence[str],
) -> nw.LazyFrame[Any]:
    """Rows with what their value of a column adds to every word."""
    values = table.sensitive_values(column)
    own = weights[values.positions]
    null = values.counts.index.get(None)
    of_null = None if null is None else weights[null].tolist()
    position = table.position(column)
    cell = nw.col(position)
    if table.load is None:
        cells = values.cells.to_pylist()
        # A text of invisible characters is no value, but no null of the engine either.
        filled = np.array(
            [
                label is not None or isinstance(value, str)
                for label, value in zip(_labels(values), cells, strict=True)
            ],
            dtype=bool,
        )
        old = [value for value, is_filled in zip(cells, filled, strict=True) if is_filled]
        mapped = [_replaced(cell, old, own[filled, i].tolist()) for i in range(len(words))]
        if of_null is not None:
            mapped = [
                nw.when(cell.is_null()).then(nw.lit(null_weight)).otherwise(weight)
                for null_weight, weight in zip(of_null, mapped, strict=True)
            ]
        return rows.with_columns(
            *(weight.alias(word) for word, weight in zip(words, mapped, strict=True))
        )
    # Where a small table can be put beside the data, a join finds all weights at once.
    data = [arrow_floats(own[:, i]) for i in range(len(words))]
    beside = values.beside(table, [position, *words], data)
    joined = rows.join(beside, on=position, how="left")
    if of_null is None:
        return joined
    weighted = [nw.col(word).fill_null(weight) for word, weight in zip(words, of_null, strict=True)]
    return joined.with_columns(*weighted)


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
