"""Counting every value of some columns in every class, in one pass over the rows.

Many small counters fit into one float: a counter that stays below 2**bits needs only that many
bits of a sum, and a float64 adds integers below 2**52 without error. Adding 2**(bits * slot) per
row therefore counts several values in one aggregate, exactly and in any order, on every engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._encoding import floats, whole_numbers
from petaudit.tables.classes.keys import ClassKeys, class_keys, is_marked
from petaudit.tables.classes.table import ClassTable
from petaudit.tables.engines.remote import join_numbers
from petaudit.tables.results import ClassValueCounts, Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

MOST_VALUES = 512
MOST_FETCHED = 1 << 19
"""No more of the different classes are fetched from remote engines, whatever a table is like."""
_CELLS_PER_BLOCK = 1 << 17
_MOST_WORDS = 24
_EXACT_BITS = 52
_UNLIKELY = 1e-3
_PACKABLE = (nw.String, nw.Boolean)
_CANNOT_REPLACE = "dask"  # its replaced values keep the type of the old ones


def packed_classes(
    table: TableCounts, quasi_identifiers: Sequence[str], columns: Sequence[str]
) -> Iterator[ClassTable] | None:
    """Count with packed counters; None when they do not fit, or are too many to be fetched.

    The size of a class is one counter more, to which all values belong: a separate count would
    cost the engine half as much again as all packed counters.
    """
    if not columns or not all(_can_be_packed(table, column) for column in columns):
        return None
    widths = [len(table.sensitive_values(column).counts.labels) for column in columns]
    if not table.rows or sum(widths) > MOST_VALUES:
        return None
    for largest_class in _guesses(table, quasi_identifiers):
        largest = largest_class(table, quasi_identifiers)
        packings = {
            column: Packing(width + (place == 0), largest, place)
            for place, (column, width) in enumerate(zip(columns, widths, strict=True))
        }
        if sum(packing.words for packing in packings.values()) > _MOST_WORDS:
            if largest_class is _all_rows:
                continue
            return None
        keys = class_keys(table, quasi_identifiers, carried=table.keys(columns))
        counted = _counted(keys, packings)
        if counted is None:
            return None
        if _is_right(counted, packings, table.rows):
            return _blocks(table, counted, packings)
        if largest_class is _all_rows:
            # These cannot run over: the query saw other rows, or values that nobody counted.
            table.agree_on_rows(_rows_in(counted, packings[columns[0]]))
    # Counters for the largest class cannot run over; where rows differ each time, others count.
    return None


def _guesses(
    table: TableCounts, quasi_identifiers: Sequence[str]
) -> list[Callable[[TableCounts, Sequence[str]], int]]:
    """How large a class may be, one guess after the other.

    A second pass is dear on a cluster or a query. Spark adds up wide counters as fast as narrow
    ones, and they give the histogram as well; a query is asked for that first.
    """
    if table.is_on_spark and not table.knows_histogram(quasi_identifiers):
        return [_all_rows, _largest_class]
    if table.is_remote and table.stored is None:
        return [_largest_class]
    return [_likely_largest_class, _largest_class]


def _all_rows(table: TableCounts, _: Sequence[str]) -> int:
    return table.rows


def _likely_largest_class(table: TableCounts, quasi_identifiers: Sequence[str]) -> int:
    """Guess from the first rows; a guess too low is noticed and costs a second pass."""
    if table.knows_histogram(quasi_identifiers):
        return _largest_class(table, quasi_identifiers)
    sample = table.sample(quasi_identifiers)
    return likely_largest_class(sample.sizes, sample.classes, table.rows)


def _largest_class(table: TableCounts, quasi_identifiers: Sequence[str]) -> int:
    known = table.class_histogram(quasi_identifiers)
    return max(int(known.sizes.max(initial=1)), known.suppressed_rows)


def likely_largest_class(sizes: Integers, classes: Integers, rows: int) -> int:
    """Guess the largest class of a table from the class sizes in a sample of its rows.

    Where chance alone explains the largest size seen, the classes are about equally large, and a
    few times the typical size is a safe guess; else the largest is scaled up.

    >>> even = likely_largest_class(np.array([1, 2]), np.array([900, 50]), rows=100_000)
    >>> skewed = likely_largest_class(np.array([1, 500]), np.array([500, 1]), rows=100_000)
    >>> even < 100, skewed > 50_000
    (True, True)
    """
    sampled = int((sizes * classes).sum())
    if not sampled:
        return 1
    scale = max(rows / sampled, 1.0)
    seen = int(sizes.max())
    if scale == 1.0:
        return seen
    pairs = int((sizes * (sizes - 1) * classes).sum())
    typical = 1 + pairs / sampled * scale
    per_class = typical / scale
    by_chance = math.log(int(classes.sum())) + seen * math.log(per_class) - math.lgamma(seen + 1)
    if by_chance > math.log(_UNLIKELY):
        return math.ceil(3 * typical + 24)
    return math.ceil(seen * scale * 1.5)


@dataclass(frozen=True)
class Packing:
    """Where each feature's counter lies."""

    features: int
    largest_count: int
    place: int = 0
    """The number of the column; that of the first has the sizes of classes as its last feature."""

    @property
    def bits(self) -> int:
        """Bits per counter."""
        return max(self.largest_count.bit_length(), 1)

    @property
    def per_word(self) -> int:
        """Counters per float."""
        return max(_EXACT_BITS // self.bits, 1)

    @property
    def words(self) -> int:
        """Floats needed."""
        return -(-self.features // self.per_word)

    @property
    def names(self) -> list[str]:
        """The columns that hold the floats."""
        return [f"w{self.place}_{word}" for word in range(self.words)]

    def weights(self, features_of_values: Sequence[Sequence[int]]) -> npt.NDArray[np.float64]:
        """Per value and word, what a row with that value adds.

        >>> Packing(features=2, largest_count=3).weights([[0], [0, 1]]).tolist()
        [[1.0], [5.0]]
        """
        weights = np.zeros((len(features_of_values), self.words))
        for value, features in enumerate(features_of_values):
            for feature in features:
                word, slot = divmod(feature, self.per_word)
                weights[value, word] += 2.0 ** (self.bits * slot)
        return weights

    def counters(self, words: Sequence[npt.NDArray[np.float64]]) -> Iterator[Integers]:
        """The counters of each feature, one at a time to spare memory.

        >>> packing = Packing(features=2, largest_count=3)
        >>> [counts.tolist() for counts in packing.counters([np.array([13.0])])]
        [[1], [3]]
        """
        mask = (1 << self.bits) - 1
        for feature in range(self.features):
            word, slot = divmod(feature, self.per_word)
            if not slot:
                packed = words[word].astype(np.int64)
            yield (packed >> (self.bits * slot)) & mask

    def total(self, words: Sequence[npt.NDArray[np.float64]], times: Integers) -> int:
        """The sum of all counters, each taken ``times`` times.

        A counter that ran over leaves less behind than was added, whatever it spilled into, so the
        total is right only if every counter is.

        >>> Packing(features=2, largest_count=3).total([np.array([13.0])], np.array([1]))
        4
        """
        largest = 2.0 ** (self.bits * self.per_word)
        if any(word.max(initial=0) >= largest for word in words):
            return -1
        return sum(int(counts @ times) for counts in self.counters(words))

    def words_in(self, counted: pa.Table) -> list[npt.NDArray[np.float64]]:
        """The floats of all classes."""
        return [floats(counted.column(name)) for name in self.names]


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


def _counted(keys: ClassKeys, packings: Mapping[str, Packing]) -> pa.Table | None:
    """The different classes with their packed counters, and how many classes are alike."""
    table = keys.table
    words = [word for packing in packings.values() for word in packing.names]
    most = MOST_FETCHED if table.is_remote else None

    def query(keys: ClassKeys) -> nw.LazyFrame[Any]:
        rows = keys.rows
        for column, packing in packings.items():
            rows = _weighted(table, rows, column, packing)
        classes = keys.flagged(
            rows.group_by(*keys.names).agg(*(nw.col(word).sum() for word in words))
        )
        alike = classes.group_by(*words, *keys.flags).agg(nw.len().alias("classes"))
        return alike if most is None else alike.head(most + 1)

    counted = keys.collected(query)
    return counted if most is None or counted.num_rows <= most else None


def _is_right(counted: pa.Table, packings: Mapping[str, Packing], rows: int) -> bool:
    """Whether no counter ran over, which the sum of all counters gives away."""
    classes = whole_numbers(counted.column("classes"))
    return all(
        packing.total(packing.words_in(counted), classes) == rows * (2 if packing.place == 0 else 1)
        for packing in packings.values()
    )


def _rows_in(counted: pa.Table, first: Packing) -> int:
    """The rows of all classes, by the sizes among the counters of the first column."""
    *_, sizes = first.counters(first.words_in(counted))
    return int(sizes @ whole_numbers(counted.column("classes")))


def _blocks(
    table: TableCounts, counted: pa.Table, packings: Mapping[str, Packing]
) -> Iterator[ClassTable]:
    """Unpack the counters of the classes in blocks."""
    width = sum(packing.features for packing in packings.values()) - 1
    at_once = max(_CELLS_PER_BLOCK // width, 1)
    for start in range(0, counted.num_rows, at_once):
        part = counted.slice(start, at_once)
        columns = {}
        for column, packing in packings.items():
            values = table.sensitive_values(column).counts
            counts = np.stack([*packing.counters(packing.words_in(part))], axis=1)
            if packing.place == 0:
                sizes, counts = counts[:, -1].copy(), counts[:, :-1]
            entry, value = (index.astype(np.int64, copy=False) for index in np.nonzero(counts))
            columns[column] = ClassValueCounts(values, entry, value, counts[entry, value])
        marked = np.flatnonzero(is_marked(part))
        classes = whole_numbers(part.column("classes"))
        yield ClassTable(sizes, classes, columns, int(marked[0]) if marked.size else None)


def _weighted(
    table: TableCounts, rows: nw.LazyFrame[Any], column: str, packing: Packing
) -> nw.LazyFrame[Any]:
    """Rows with what their value of a column adds to every word."""
    values, position = table.sensitive_values(column), table.position(column)
    width = len(values.counts.labels)
    sizes = [width] if packing.place == 0 else []
    weights = packing.weights([[value, *sizes] for value in range(width)])
    is_connect = table.frame.implementation.is_pyspark_connect()  # which has no replace_strict
    if table.load is not None or table.stored is not None or is_connect:
        # Where a small table can be put beside the data, a join finds all weights at once.
        by_word = {word: weights[:, i] for i, word in enumerate(packing.names)}
        return join_numbers(table, rows, values, position, by_word)
    null, cell = values.counts.index.get(None), nw.col(position)
    # A text of invisible characters is not a value, but not a null of the engine either.
    old, places = [], []
    for value, place in zip(values.cells.to_pylist(), values.positions.tolist(), strict=True):
        if place != null or isinstance(value, str):
            old.append(value)
            places.append(place)
    mapped = []
    for i, word in enumerate(packing.names):
        weight = _replaced(cell, old, weights[places, i].tolist())
        if null is not None:
            of_null = nw.lit(float(weights[null, i]))
            weight = nw.when(cell.is_null()).then(of_null).otherwise(weight)
        mapped.append(weight.alias(word))
    return rows.with_columns(*mapped)


def _replaced(value: nw.Expr, old: list[Any], new: list[float]) -> nw.Expr:
    if not old:
        return nw.lit(0.0)
    return value.replace_strict(old, new, default=0.0, return_dtype=nw.Float64)
