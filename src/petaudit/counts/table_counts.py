"""Counting one table, on whatever engine holds it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.counts._class_keys import (
    ClassKeys,
    ColumnValues,
    Sample,
    class_keys,
    has_blanks,
    is_marked,
    plain,
    sample_classes,
    trimmed_keys,
)
from petaudit.counts._class_values import class_value_blocks
from petaudit.counts._database import is_interrupt
from petaudit.counts._encoding import python_values, whole_numbers
from petaudit.counts._frames import uncountable
from petaudit.counts._profiles import MOST_FEATURES, count_profiles
from petaudit.counts.results import (
    ClassHistogram,
    ClassProfiles,
    ClassSizes,
    ClassValueCounts,
    ValueCounts,
    joined_blocks,
)
from petaudit.errors import ColumnError, EngineError
from petaudit.labels import BLANKS, SUPPRESSED, label_of


class TableCounts:
    """Counts of one table; every figure is computed by the table's own engine and kept.

    Columns are addressed by name; the frame below has them as c0, c1, ... so that no name of a
    user ever becomes part of a query. ``frame`` has trimmed text. ``untrimmed``, where it is
    given, has text as it stands, for counting that is cheaper on it. ``load`` puts a small table
    beside the data.
    """

    def __init__(
        self,
        frame: nw.LazyFrame[Any],
        columns: Sequence[str],
        name: str = "the frame",
        *,
        load: Callable[[pa.Table], nw.LazyFrame[Any]] | None = None,
        untrimmed: nw.LazyFrame[Any] | None = None,
    ) -> None:
        self.frame = frame
        self.raw_frame = frame if untrimmed is None else untrimmed
        self.has_raw_frame = untrimmed is not None
        self.load = load
        self._name = name
        self._position = {column: f"c{index}" for index, column in enumerate(columns)}
        self.schema = frame.collect_schema()
        self._values: dict[str, ColumnValues] = {}
        self._histograms: dict[frozenset[str], ClassHistogram] = {}
        self._samples: dict[frozenset[str], Sample] = {}
        self._rows: int | None = None

    @property
    def engine(self) -> str:
        """The name of the engine that counts."""
        return str(self.frame.implementation.value)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        if self._rows is None:
            self._rows = self._number(self.raw_frame.select(nw.len().alias("rows")))
        return self._rows

    def value_counts(self, column: str) -> ValueCounts:
        """How often each value of a column occurs."""
        return self.values(column).counts

    def class_sizes(self, quasi_identifiers: Sequence[str]) -> ClassSizes:
        """Every class with its size. Brings all classes here: for results that list them."""
        found = trimmed_keys(self, quasi_identifiers)
        table = self.collected(self.grouped(found.rows, found.keys))
        cells = [
            [label_of(plain(cell)) for cell in python_values(table.column(key))]
            for key in found.keys
        ]
        labels = list(zip(*cells, strict=True)) if cells else [()] * table.num_rows
        sizes = whole_numbers(table.column("n"))
        order = sorted(range(len(labels)), key=lambda row: [_null_last(x) for x in labels[row]])
        return ClassSizes(tuple(labels[row] for row in order), sizes[order])

    def class_histogram(self, quasi_identifiers: Sequence[str]) -> ClassHistogram:
        """How many classes have each size: one pass, and only the histogram leaves the engine."""
        wanted = frozenset(quasi_identifiers)
        if wanted not in self._histograms:
            keys = class_keys(self, quasi_identifiers)
            found = self._histogram(keys) or self._histogram(trimmed_keys(self, quasi_identifiers))
            assert found is not None  # noqa: S101 (trimmed keys hold no blanks)
            self._histograms[wanted] = found
        return self._histograms[wanted]

    def _histogram(self, keys: ClassKeys) -> ClassHistogram | None:
        counted = self.collected(
            self.grouped(keys.rows, keys.keys)
            .select("n", *(flag.alias(name) for name, flag in keys.flags.items()))
            .group_by("n", *keys.flags)
            .agg(nw.len().alias("classes"))
        )
        if has_blanks(counted):
            return None
        sizes, classes = (whole_numbers(counted.column(name)) for name in ("n", "classes"))
        suppressed = is_marked(counted)
        kept = np.flatnonzero(~suppressed)
        kept = kept[np.argsort(sizes[kept])]
        return ClassHistogram(sizes[kept], classes[kept], int(sizes[suppressed].sum()))

    def knows_histogram(self, quasi_identifiers: Sequence[str]) -> bool:
        """Whether the histogram of these classes was already counted."""
        return frozenset(quasi_identifiers) in self._histograms

    def sample(self, quasi_identifiers: Sequence[str]) -> Sample:
        """The classes of the first rows."""
        wanted = frozenset(quasi_identifiers)
        if wanted not in self._samples:
            self._samples[wanted] = sample_classes(self, quasi_identifiers)
        return self._samples[wanted]

    def suppressed_rows(self, quasi_identifiers: Sequence[str]) -> int:
        """Rows whose every quasi-identifier is suppressed."""
        if self.knows_histogram(quasi_identifiers):
            return self.class_histogram(quasi_identifiers).suppressed_rows
        keys = self.keys(quasi_identifiers)
        if not all(self.is_text(key) for key in keys):
            return 0
        marks = [(nw.col(key) == SUPPRESSED).fill_null(False) for key in keys]
        marked = self.frame.filter(nw.all_horizontal(*marks, ignore_nulls=False))
        return self._number(marked.select(nw.len().alias("rows")))

    @staticmethod
    def can_count_at_once(features: int) -> bool:
        """Whether one pass may hold a counter for each of so many features."""
        return features <= MOST_FEATURES

    def class_profiles(
        self,
        quasi_identifiers: Sequence[str],
        column: str,
        features_of_values: Sequence[Sequence[int]],
        suppressed: str,
    ) -> ClassProfiles | None:
        """Per class, how many rows show each feature of a column, in one pass.

        A feature is a set of values (``features_of_values`` says, for each label of
        ``value_counts``, which features it belongs to). Returns None when there are too many
        features to count at once; ``class_value_counts`` serves then.
        """
        return count_profiles(self, quasi_identifiers, column, features_of_values, suppressed)

    def class_value_counts(
        self, quasi_identifiers: Sequence[str], column: str, suppressed: str, labels: bool = False
    ) -> ClassValueCounts:
        """Counts per class and value, for columns of many values; with class labels on request."""
        blocks = class_value_blocks(self, quasi_identifiers, column, suppressed, labels)
        return joined_blocks(self.value_counts(column), list(blocks), labels)

    def class_value_blocks(
        self, quasi_identifiers: Sequence[str], column: str, suppressed: str
    ) -> Iterator[ClassValueCounts]:
        """The same in blocks of whole classes, so that a large table takes little memory."""
        return class_value_blocks(self, quasi_identifiers, column, suppressed, False)

    def column_values(self, column: str) -> pa.ChunkedArray:
        """The cells of a column, in row order."""
        return self.columns_values([column])[0]

    def columns_values(self, columns: Sequence[str], *, raw: bool = False) -> list[pa.ChunkedArray]:
        """The cells of several columns, from one query: rows without an order stay together.

        ``raw`` leaves trimming text to the caller, who may have fewer distinct values to trim.
        """
        cells = [nw.col(self.position(name)).alias(f"x{i}") for i, name in enumerate(columns)]
        table = self.collected((self.raw_frame if raw else self.frame).select(*cells))
        return [table.column(f"x{i}") for i in range(len(columns))]

    def renamed(self, names: Mapping[str, str]) -> nw.LazyFrame[Any]:
        """Some columns under other names, still in their engine."""
        return self.frame.select(
            *(nw.col(self.position(name)).alias(alias) for name, alias in names.items())
        )

    def values(self, column: str) -> ColumnValues:
        """The counts of a column's values, and the cells of the raw frame that they stand for."""
        if column not in self._values:
            name = self.position(column)
            counted = self.collected(
                self.raw_frame.select(name).group_by(name).agg(nw.len().alias("n"))
            )
            cells = counted.column(name).combine_chunks()
            own = _labels(python_values(cells), is_text=self.is_text(name))
            totals: dict[str | None, int] = dict.fromkeys(own, 0)
            for label, count in zip(own, counted.column("n").to_pylist(), strict=True):
                totals[label] += count
            labels = tuple(sorted(totals, key=_numbers_first))
            counts = ValueCounts(
                labels, np.array([totals[label] for label in labels], dtype=np.int64)
            )
            positions = np.array([counts.index[label] for label in own], dtype=np.int64)
            self._values[column] = ColumnValues(counts, cells, positions)
        return self._values[column]

    def collected(self, lazy: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query on this table's engine."""
        try:
            if lazy.implementation is nw.Implementation.DUCKDB:
                # The shorter way: narwhals would load its PyArrow side first.
                return lazy.to_native().to_arrow_table()
            return lazy.collect().to_arrow()
        except Exception as problem:
            if is_interrupt(problem):
                raise KeyboardInterrupt from None
            # An engine's message may quote cells, so only the kind of failure is passed on.
            raise EngineError(
                f"{self._name}: {self.engine} failed while counting ({type(problem).__name__})"
            ) from problem

    def position(self, column: str) -> str:
        """The frame's own name of a column; an error if its kind cannot be counted."""
        name = self._position[column]
        if uncountable(self.schema[name]):
            raise ColumnError(
                f"column {column!r} is of kind {self.schema[name]}, which cannot be counted; text, "
                "numbers, dates and booleans can"
            )
        return name

    def keys(self, quasi_identifiers: Sequence[str]) -> list[str]:
        """The frame's own names of the quasi-identifiers."""
        return [self.position(name) for name in quasi_identifiers]

    def is_text(self, key: str) -> bool:
        """Whether a column of the frame holds text."""
        return isinstance(self.schema[key], nw.String)

    @staticmethod
    def grouped(rows: nw.LazyFrame[Any], keys: Sequence[str]) -> nw.LazyFrame[Any]:
        """The classes of some rows, with their sizes as ``n``."""
        return rows.group_by(*keys).agg(nw.len().alias("n"))

    def _number(self, lazy: nw.LazyFrame[Any]) -> int:
        [value] = self.collected(lazy).column(0).to_pylist()
        return int(value or 0)


def _labels(cells: list[Any], *, is_text: bool) -> list[str | None]:
    if is_text:
        # What label_of does, without its questions: a column may have very many texts.
        return [cell.strip(BLANKS) or None if cell is not None else None for cell in cells]
    return [label_of(plain(cell)) for cell in cells]


def _numbers_first(label: str | None) -> tuple[bool, bool, float, str]:
    """Numbers by value, then texts, then null."""
    try:
        number = float(label or "x")
    except ValueError:
        number = math.nan
    text = number != number  # noqa: PLR0124 (NaN, in its own spelling too, is no number)
    return (label is None, text, 0.0 if text else number, label or "")


def _null_last(label: str | None) -> tuple[bool, str]:
    return (label is None, label or "")
