"""Counting one table, on whatever engine holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.counts._encoding import class_indices, dictionary_codes, floats, whole_numbers
from petaudit.counts._packing import Packing, likely_largest_class
from petaudit.counts.results import (
    ClassHistogram,
    ClassProfiles,
    ClassSizes,
    ClassValueCounts,
    ValueCounts,
)
from petaudit.errors import EngineError
from petaudit.labels import SUPPRESSED, label_of

_SAMPLE_ROWS = 1 << 14
_MOST_WORDS = 24
_MOST_FEATURES = 512
_PACKABLE = (nw.String, nw.Boolean)


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
        load: Callable[[pa.Table], nw.LazyFrame[Any]] | None = None,
    ) -> None:
        self._name = name
        self._load = load
        self._frame = frame
        self._position = {name: f"c{index}" for index, name in enumerate(columns)}
        self._schema = frame.collect_schema()
        self._value_counts: dict[str, tuple[ValueCounts, list[Any]]] = {}
        self._kinds: dict[str, pa.DataType] = {}
        self._histograms: dict[frozenset[str], ClassHistogram] = {}
        self._rows: int | None = None

    @property
    def engine(self) -> str:
        """The name of the engine that counts."""
        return str(self._frame.implementation.value)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        if self._rows is None:
            self._rows = self._number(self._frame.select(nw.len().alias("rows")))
        return self._rows

    def value_counts(self, column: str) -> ValueCounts:
        """How often each value of a column occurs."""
        return self._values(column)[0]

    def class_sizes(self, quasi_identifiers: Sequence[str]) -> ClassSizes:
        """Every class with its size. Brings all classes here: for results that list them."""
        keys = self._keys(quasi_identifiers)
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
            keys = self._keys(quasi_identifiers)
            counted = self.collected(
                self._classes(keys)
                .select("n", self._is_suppressed(keys).alias("s"))
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

    def suppressed_rows(self, quasi_identifiers: Sequence[str]) -> int:
        """Rows whose every quasi-identifier is suppressed."""
        known = self._histograms.get(frozenset(quasi_identifiers))
        if known is not None:
            return known.suppressed_rows
        keys = self._keys(quasi_identifiers)
        if not self._can_be_suppressed(keys):
            return 0
        marked = self._frame.filter(self._is_suppressed(keys) == 1)
        return self._number(marked.select(nw.len().alias("rows")))

    @staticmethod
    def can_count_at_once(features: int) -> bool:
        """Whether one pass may hold a counter for each of so many features."""
        return features <= _MOST_FEATURES

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
        features = 1 + max((max(own, default=-1) for own in features_of_values), default=-1)
        dtype = self._schema[self._position[column]]
        packable = dtype.is_integer() or dtype.is_float() or isinstance(dtype, _PACKABLE)
        largest = self._likely_largest_class(quasi_identifiers)
        packing = Packing(features, largest)
        while packable and packing.words <= _MOST_WORDS:
            profiles, largest = self._packed_profiles(
                quasi_identifiers, column, features_of_values, packing, suppressed
            )
            if largest.bit_length() <= packing.bits:
                return profiles
            packing = Packing(features, largest)
        return None

    def class_value_counts(
        self, quasi_identifiers: Sequence[str], column: str, suppressed: str, labels: bool = False
    ) -> ClassValueCounts:
        """Counts per class and value, for columns of many values; with class labels on request."""
        keys = self._keys(quasi_identifiers)
        values = self.value_counts(column)
        pairs = self._frame.select(*keys, nw.col(self._position[column]).alias("v"))
        counted = pairs.group_by(*keys, "v").agg(nw.len().alias("n"))
        if suppressed == "exclude":
            counted = counted.filter(self._is_suppressed(keys) == 0)
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
        name = self._position[column]
        return self.collected(self._frame.select(name)).column(name)

    def renamed(self, names: Mapping[str, str]) -> nw.LazyFrame[Any]:
        """Some columns under other names, still in their engine."""
        return self._frame.select(
            *(nw.col(self._position[name]).alias(alias) for name, alias in names.items())
        )

    def _packed_profiles(
        self,
        quasi_identifiers: Sequence[str],
        column: str,
        features_of_values: Sequence[Sequence[int]],
        packing: Packing,
        suppressed: str,
    ) -> tuple[ClassProfiles, int]:
        keys = self._keys(quasi_identifiers)
        words = [f"w{index}" for index in range(packing.words)]
        rows = self._weighted(column, packing.weights(features_of_values), keys, words)
        counted = self.collected(
            self._grouped(rows, keys, [nw.col(word).sum() for word in words])
            .with_columns(self._is_suppressed(keys).alias("s"))
            .group_by("n", "s", *words)
            .agg(nw.len().alias("classes"))
        )
        sizes, is_suppressed, classes = (
            whole_numbers(counted.column(name)) for name in ("n", "s", "classes")
        )
        largest = int(sizes.max(initial=0))
        sums = [floats(counted.column(word)) for word in words]
        if suppressed == "exclude" and is_suppressed.any():
            kept = is_suppressed == 0
            sizes, classes = sizes[kept], classes[kept]
            sums = [word[kept] for word in sums]
        return ClassProfiles(sizes, classes, packing.unpacker(sums)), largest

    def _weighted(
        self,
        column: str,
        weights: npt.NDArray[np.float64],
        keys: Sequence[str],
        words: Sequence[str],
    ) -> nw.LazyFrame[Any]:
        """Rows with their keys and, for every word, the weight of their value."""
        if self._load is None:
            return self._frame.select(
                *keys, *(self._weight(column, weights[:, i]).alias(w) for i, w in enumerate(words))
            )
        # Where a small table can be put beside the data, a join finds all weights at once.
        counts, raw = self._values(column)
        positions = [counts.index[label_of(value)] for value in raw]
        lookup = pa.table(
            {"v": pa.array(raw, self._kinds[column])}
            | {word: weights[positions, i] for i, word in enumerate(words)}
        )
        has_value = self._load(lookup.filter(lookup.column("v").is_valid()))
        value = nw.col(self._position[column]).alias("v")
        rows = self._frame.select(*keys, value).join(has_value, on="v", how="left")
        if None not in counts.index:
            return rows
        of_null = weights[counts.index[None]].tolist()
        filled = [nw.col(w).fill_null(weight) for w, weight in zip(words, of_null, strict=True)]
        return rows.with_columns(*filled)

    def _weight(self, column: str, weights: npt.NDArray[np.float64]) -> nw.Expr:
        counts, raw = self._values(column)
        value = nw.col(self._position[column])
        weight_of = dict(zip(counts.labels, weights.tolist(), strict=True))
        old = [item for item in raw if item is not None and weight_of[label_of(item)]]
        new = [weight_of[label_of(item)] for item in old]
        mapped = (
            value.replace_strict(old, new, default=0.0, return_dtype=nw.Float64)
            if old
            else nw.lit(0.0)
        )
        if None not in weight_of:
            return mapped
        return nw.when(value.is_null()).then(nw.lit(weight_of[None])).otherwise(mapped)

    def _values(self, column: str) -> tuple[ValueCounts, list[Any]]:
        if column not in self._value_counts:
            name = self._position[column]
            counted = self.collected(
                self._frame.select(name).group_by(name).agg(nw.len().alias("n"))
            )
            cells = counted.column(name)
            raw = [plain(value) for value in cells.to_pylist()]
            sizes = counted.column("n").to_pylist()
            labelled = sorted(
                zip(map(label_of, raw), sizes, strict=True), key=lambda pair: _null_last(pair[0])
            )
            counts = ValueCounts(
                tuple(label for label, _ in labelled),
                np.array([size for _, size in labelled], dtype=np.int64),
            )
            self._value_counts[column] = (counts, raw)
            self._kinds[column] = cells.type
        return self._value_counts[column]

    def _likely_largest_class(self, quasi_identifiers: Sequence[str]) -> int:
        """Guess from the first rows; a guess too low is noticed and costs a second pass."""
        known = self._histograms.get(frozenset(quasi_identifiers))
        if known is not None:
            return max(int(known.sizes.max(initial=1)), known.suppressed_rows)
        keys = self._keys(quasi_identifiers)
        sample = self._frame.head(_SAMPLE_ROWS).select(*keys)
        sizes = self.collected(
            self._grouped(sample, keys, []).group_by("n").agg(nw.len().alias("classes"))
        )
        return likely_largest_class(
            whole_numbers(sizes.column("n")), whole_numbers(sizes.column("classes")), self.rows
        )

    def collected(self, lazy: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query on this table's engine."""
        try:
            return lazy.collect().to_arrow()
        except Exception as problem:
            # An engine's message may quote cells, so only the kind of failure is passed on.
            raise EngineError(
                f"{self._name}: {self.engine} failed while counting ({type(problem).__name__})"
            ) from problem

    def _number(self, lazy: nw.LazyFrame[Any]) -> int:
        [value] = self.collected(lazy).column(0).to_pylist()
        return int(value or 0)

    def _keys(self, quasi_identifiers: Sequence[str]) -> list[str]:
        return [self._position[name] for name in quasi_identifiers]

    def _classes(self, keys: Sequence[str]) -> nw.LazyFrame[Any]:
        return self._grouped(self._frame.select(*keys), keys, [])

    def _grouped(
        self, rows: nw.LazyFrame[Any], keys: Sequence[str], aggregates: Sequence[nw.Expr]
    ) -> nw.LazyFrame[Any]:
        return rows.group_by(*keys).agg(nw.len().alias("n"), *aggregates)

    def _can_be_suppressed(self, keys: Sequence[str]) -> bool:
        return all(isinstance(self._schema[key], nw.String) for key in keys)

    def _is_suppressed(self, keys: Sequence[str]) -> nw.Expr:
        """One for rows or classes in which every key is ``*``, else zero."""
        if not self._can_be_suppressed(keys):
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
