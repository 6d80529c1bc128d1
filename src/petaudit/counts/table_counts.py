"""Counting one table, on whatever engine holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.counts._encoding import class_indices, dictionary_codes, whole_numbers
from petaudit.counts._frames import trimmed
from petaudit.counts._profiles import MOST_FEATURES, count_profiles
from petaudit.counts.results import (
    ClassHistogram,
    ClassProfiles,
    ClassSizes,
    ClassValueCounts,
    ValueCounts,
)
from petaudit.errors import EngineError
from petaudit.labels import SUPPRESSED, label_of


class TableCounts:
    """Counts of one table; every figure is computed by the table's own engine and kept.

    Columns are addressed by name; the frame below has them as c0, c1, ... so that no name of a
    user ever becomes part of a query.
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
        self._untrimmed = untrimmed
        self._name = name
        self.load = load
        self.frame = frame
        self.position = {name: f"c{index}" for index, name in enumerate(columns)}
        self.schema = frame.collect_schema()
        self._value_counts: dict[str, tuple[ValueCounts, pa.Array]] = {}
        self._histograms: dict[frozenset[str], ClassHistogram] = {}
        self._rows: int | None = None

    @property
    def engine(self) -> str:
        """The name of the engine that counts."""
        return str(self.frame.implementation.value)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        if self._rows is None:
            self._rows = self._number(self.frame.select(nw.len().alias("rows")))
        return self._rows

    def value_counts(self, column: str) -> ValueCounts:
        """How often each value of a column occurs."""
        return self.values(column)[0]

    def class_sizes(self, quasi_identifiers: Sequence[str]) -> ClassSizes:
        """Every class with its size. Brings all classes here: for results that list them."""
        keys = self.keys(quasi_identifiers)
        table = self.collected(self._classes(keys))
        cells = [[label_of(plain(cell)) for cell in table.column(key).to_pylist()] for key in keys]
        labels = list(zip(*cells, strict=True)) if keys else [()] * table.num_rows
        sizes = whole_numbers(table.column("n"))
        order = sorted(range(len(labels)), key=lambda row: [_null_last(x) for x in labels[row]])
        return ClassSizes(tuple(labels[row] for row in order), sizes[order])

    def class_histogram(self, quasi_identifiers: Sequence[str]) -> ClassHistogram:
        """How many classes have each size: one pass, and only the histogram leaves the engine."""
        wanted = frozenset(quasi_identifiers)
        if wanted not in self._histograms:
            keys = self.keys(quasi_identifiers)
            counted = self.collected(
                self._classes(keys)
                .select("n", self.is_suppressed(keys).alias("s"))
                .group_by("n", "s")
                .agg(nw.len().alias("classes"))
            )
            sizes, suppressed, classes = (
                whole_numbers(counted.column(name)) for name in ("n", "s", "classes")
            )
            kept = np.flatnonzero(suppressed == 0)
            kept = kept[np.argsort(sizes[kept])]
            self._histograms[wanted] = ClassHistogram(
                sizes[kept], classes[kept], int(sizes[suppressed == 1].sum())
            )
        return self._histograms[wanted]

    def lean_frame(self, columns: Sequence[str]) -> nw.LazyFrame[Any]:
        """The frame, without trimming where these columns turn out to hold no blanks.

        Looking is cheap; trimmed text is not, because DuckDB groups and joins a file's own
        dictionaries much faster than text that was computed.
        """
        text = [column for column in columns if isinstance(self.schema[column], nw.String)]
        if self._untrimmed is None or not text:
            return self.frame
        engine = self._untrimmed.implementation
        blank = [nw.col(column) != trimmed(nw.col(column), engine) for column in text]
        found = self._untrimmed.select(nw.any_horizontal(*blank, ignore_nulls=True).any())
        return self.frame if self._number(found) else self._untrimmed

    def knows_histogram(self, quasi_identifiers: Sequence[str]) -> bool:
        """Whether the histogram of these classes was already counted."""
        return frozenset(quasi_identifiers) in self._histograms

    def suppressed_rows(self, quasi_identifiers: Sequence[str]) -> int:
        """Rows whose every quasi-identifier is suppressed."""
        known = self._histograms.get(frozenset(quasi_identifiers))
        if known is not None:
            return known.suppressed_rows
        keys = self.keys(quasi_identifiers)
        if not self.can_be_suppressed(keys):
            return 0
        marked = self.frame.filter(self.is_suppressed(keys) == 1)
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
        keys = self.keys(quasi_identifiers)
        values = self.value_counts(column)
        pairs = self.frame.select(*keys, nw.col(self.position[column]).alias("v"))
        counted = pairs.group_by(*keys, "v").agg(nw.len().alias("n"))
        if suppressed == "exclude":
            counted = counted.filter(self.is_suppressed(keys) == 0)
        table = self.collected(counted)
        key_codes = [dictionary_codes(table.column(key)) for key in keys]
        class_index = class_indices([codes for codes, _ in key_codes], table.num_rows)
        value_codes, raw_values = dictionary_codes(table.column("v"))
        position = np.array([values.index[label_of(plain(raw))] for raw in raw_values], np.int64)
        value_index = position[value_codes] if raw_values else np.zeros(0, dtype=np.int64)
        order = np.lexsort((value_index, class_index))
        counts = whole_numbers(table.column("n"))[order]
        found = ClassValueCounts(values, class_index[order], value_index[order], counts)
        if not labels:
            return found
        firsts = order[found.class_starts]
        named = [[label_of(plain(raw[code])) for code in codes[firsts]] for codes, raw in key_codes]
        class_labels = tuple(zip(*named, strict=True)) if keys else ((),) * len(firsts)
        return ClassValueCounts(
            values, found.class_index, found.value_index, found.counts, class_labels
        )

    def column_values(self, column: str) -> pa.ChunkedArray:
        """The cells of a column, in row order."""
        name = self.position[column]
        return self.collected(self.frame.select(name)).column(name)

    def renamed(self, names: Mapping[str, str]) -> nw.LazyFrame[Any]:
        """Some columns under other names, still in their engine."""
        return self.frame.select(
            *(nw.col(self.position[name]).alias(alias) for name, alias in names.items())
        )

    def values(self, column: str) -> tuple[ValueCounts, pa.Array]:
        """The counts of a column's values, and the values as the engine has them."""
        if column not in self._value_counts:
            name = self.position[column]
            counted = self.collected(
                self.frame.select(name).group_by(name).agg(nw.len().alias("n"))
            )
            cells = counted.column(name).combine_chunks()
            raw = [plain(value) for value in cells.to_pylist()]
            sizes = counted.column("n").to_pylist()
            labelled = sorted(
                zip(map(label_of, raw), sizes, strict=True), key=lambda pair: _null_last(pair[0])
            )
            counts = ValueCounts(
                tuple(label for label, _ in labelled),
                np.array([size for _, size in labelled], dtype=np.int64),
            )
            self._value_counts[column] = (counts, cells)
        return self._value_counts[column]

    def collected(self, lazy: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query on this table's engine."""
        try:
            if lazy.implementation is nw.Implementation.DUCKDB:
                # The shorter way: narwhals would load its PyArrow side first.
                return lazy.to_native().to_arrow_table()
            return lazy.collect().to_arrow()
        except Exception as problem:
            # An engine's message may quote cells, so only the kind of failure is passed on.
            raise EngineError(
                f"{self._name}: {self.engine} failed while counting ({type(problem).__name__})"
            ) from problem

    def _number(self, lazy: nw.LazyFrame[Any]) -> int:
        [value] = self.collected(lazy).column(0).to_pylist()
        return int(value or 0)

    def keys(self, quasi_identifiers: Sequence[str]) -> list[str]:
        """The columns of the frame that hold these quasi-identifiers."""
        return [self.position[name] for name in quasi_identifiers]

    def _classes(self, keys: Sequence[str]) -> nw.LazyFrame[Any]:
        return self.grouped(self.frame.select(*keys), keys)

    @staticmethod
    def grouped(rows: nw.LazyFrame[Any], keys: Sequence[str]) -> nw.LazyFrame[Any]:
        """The classes of some rows, with their sizes as ``n``."""
        return rows.group_by(*keys).agg(nw.len().alias("n"))

    def can_be_suppressed(self, keys: Sequence[str]) -> bool:
        """Whether these columns can hold the suppression mark at all."""
        return all(isinstance(self.schema[key], nw.String) for key in keys)

    def is_suppressed(self, keys: Sequence[str]) -> nw.Expr:
        """One for rows or classes in which every key is ``*``, else zero."""
        if not self.can_be_suppressed(keys):
            return nw.lit(0)
        marks = [(nw.col(key) == SUPPRESSED).fill_null(False) for key in keys]
        return nw.all_horizontal(*marks, ignore_nulls=False).cast(nw.Int64)


def plain(value: Any) -> Any:
    """Make the engines' own nulls (NaN, NaT, NA) a None."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124


def _null_last(label: str | None) -> tuple[bool, str]:
    return (label is None, label or "")
