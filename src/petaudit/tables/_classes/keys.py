"""What rows are grouped by, chosen so that the engine has as little to do as possible.

Grouping by many texts is what counting costs, and trimmed text costs twice: DuckDB groups the
dictionaries of a file much faster than text that was computed. So in large files

- where a sample shows few classes, rows are grouped by the cells as they are, and the blanks around
  them are looked for in the classes, of which there are few;
- where it shows many, each column's labels get codes, and rows are grouped by one number; where
  that number would be too large, they are grouped by the cells as they are.

Both fall back to grouping by trimmed text.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.exact.fractions import parse_number
from petaudit.labels.cells import BLANKS, SUPPRESSED
from petaudit.tables._cell_labels import cell_labels, in_order
from petaudit.tables._encoding import arrow_integers, whole_numbers
from petaudit.tables.class_labels import ClassLabels
from petaudit.tables.engines.frames import label_text
from petaudit.tables.equal_values import value_keys, visible_text, visible_texts
from petaudit.tables.results import Integers, ValueCounts

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

_LARGE_TABLE = 200_000
_SAMPLE_ROWS = 1 << 14
_MOST_LABELS = 1 << 17
LARGEST_KEY = 1 << 62
_LARGEST_WHOLE = 10**18


@dataclass(frozen=True)
class Codes:
    """One number per class: how it is made up of the labels of each column."""

    labels: tuple[tuple[str | None, ...], ...]
    strides: tuple[int, ...]

    @property
    def span(self) -> int:
        """How many keys there can be."""
        return math.prod(len(own) for own in self.labels)

    @property
    def mark(self) -> int | None:
        """The key of the suppressed class, if there can be one."""
        if not all(SUPPRESSED in own for own in self.labels):
            return None
        return sum(
            own.index(SUPPRESSED) * stride
            for own, stride in zip(self.labels, self.strides, strict=True)
        )

    def decode(self, keys: Integers) -> ClassLabels:
        """The labels of some classes."""
        codes = (
            keys // stride % len(own) for own, stride in zip(self.labels, self.strides, strict=True)
        )
        return ClassLabels(self.labels, tuple(codes), len(keys))


@dataclass(frozen=True)
class ClassKeys:
    """Rows with the columns that they are grouped by, and with other columns as they are."""

    rows: nw.LazyFrame[Any]
    keys: list[str]
    suppressed: nw.Expr | None = None
    blank: nw.Expr | None = None
    codes: Codes | None = None
    flags: dict[str, nw.Expr] = field(init=False)

    def __post_init__(self) -> None:
        known = {"s": self.suppressed, "b": self.blank}
        object.__setattr__(
            self, "flags", {name: expr for name, expr in known.items() if expr is not None}
        )


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column: their counts, the cells that spell them, and each cell's label."""

    counts: ValueCounts
    cells: pa.Array
    positions: Integers

    @classmethod
    def of(cls, cells: pa.Array, numbers: Integers) -> ColumnValues:
        """From the different cells of a column, and how often each occurs."""
        if pa.types.is_integer(cells.type) and cells.type != pa.uint64():
            whole = whole_numbers(pa.chunked_array([cells.drop_null()]))
            if not whole.size or -_LARGEST_WHOLE < whole.min() <= whole.max() < _LARGEST_WHOLE:
                return cls._of_whole(cells, numbers, whole)
        own = cell_labels(cells)
        places = np.arange(len(own), dtype=np.int64)
        first = dict.fromkeys(own)
        if len(first) < len(own):
            # Blanks around text do not count, so several cells may have one label.
            known = {label: place for place, label in enumerate(first)}
            places = np.array([known[label] for label in own], dtype=np.int64)
        distinct = list(first)
        totals = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(totals, places, numbers)
        order = in_order(distinct)
        counts = ValueCounts(tuple(distinct[place] for place in order.tolist()), totals[order])
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        return cls(counts, cells, position[places])

    @classmethod
    def _of_whole(cls, cells: pa.Array, numbers: Integers, whole: Integers) -> ColumnValues:
        """The same without reading labels: whole numbers have one spelling each."""
        is_null = np.zeros(len(cells), dtype=bool)
        if len(whole) < len(cells):
            is_null = np.array(cells.is_null().to_pylist(), dtype=bool)
        by_size = np.argsort(whole)
        ascending = whole[by_size]
        order = np.concatenate((np.flatnonzero(~is_null)[by_size], np.flatnonzero(is_null)))
        position = np.empty(len(cells), dtype=np.int64)
        position[order] = np.arange(len(cells))
        labels = (*map(str, ascending.tolist()), *(None for _ in range(int(is_null.sum()))))
        return cls(ValueCounts(labels, numbers[order], whole=ascending), cells, position)

    @cached_property
    def merged(self) -> ColumnValues:
        """The same with all spellings of a value as one, as sensitive values are compared."""
        if pa.types.is_primitive(self.cells.type):
            # Numbers, dates and truths have one spelling each.
            return self
        labels = self.counts.labels
        keys = value_keys(labels)
        if len(set(keys)) == len(labels) and visible_texts(labels) == list(labels):
            return self
        groups: dict[Hashable, list[int]] = {}
        for place, key in enumerate(keys):
            groups.setdefault(key, []).append(place)
        spellings = [tuple(labels[place] for place in own) for own in groups.values()]
        named = [
            None if key is None else _name_of(own)
            for key, own in zip(groups, spellings, strict=True)
        ]
        group = np.empty(len(labels), dtype=np.int64)
        for number, own in enumerate(groups.values()):
            group[own] = number
        order = in_order(named)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        totals = np.zeros(len(named), dtype=np.int64)
        np.add.at(totals, position[group], self.counts.counts)
        counts = ValueCounts(
            tuple(named[place] for place in order.tolist()),
            totals,
            tuple(spellings[place] for place in order.tolist()),
        )
        return ColumnValues(counts, self.cells, position[group][self.positions])

    @property
    def has_blanks(self) -> bool:
        """Whether some text has blanks around it, or is nothing but blanks."""
        if not pa.types.is_string(self.cells.type):
            return bool(pa.types.is_large_string(self.cells.type))
        labels = self.counts.labels
        found = zip(self.cells.to_pylist(), self.positions.tolist(), strict=True)
        return any(cell != labels[place] for cell, place in found)

    def beside(self, table: TableCounts, names: Sequence[str], data: Sequence[pa.Array]) -> Any:
        """Put what is known of each cell beside the table, to be joined; a null joins nothing."""
        assert table.load is not None  # noqa: S101 (only tables in our own database are joined)
        lookup = pa.Table.from_arrays([self.cells, *data], names=[*names])
        return table.load(lookup.filter(self.cells.is_valid()) if self.cells.null_count else lookup)


def _name_of(spellings: Sequence[str | None]) -> str | None:
    """What a value is called: a number as one that can be read, a text by its first spelling."""
    for spelling in (*spellings, visible_text(spellings[0] or "")):
        if spelling is not None and parse_number(spelling) is not None:
            return spelling
    return spellings[0]


@dataclass(frozen=True)
class Sample:
    """Class sizes among the first rows."""

    sizes: Integers
    classes: Integers

    @property
    def shows_few_classes(self) -> bool:
        """Whether rows share their class with others more often than not."""
        return 2 * int(self.classes.sum()) < int((self.sizes * self.classes).sum())


def sample_classes(table: TableCounts, quasi_identifiers: Sequence[str]) -> Sample:
    """Count the classes of the first rows; blanks do not matter for a guess."""
    keys = table.keys(quasi_identifiers)
    rows = table.raw_frame.head(_SAMPLE_ROWS).select(*keys)
    sizes = table.collected(table.grouped(rows, keys).group_by("n").agg(nw.len().alias("classes")))
    return Sample(whole_numbers(sizes.column("n")), whole_numbers(sizes.column("classes")))


def class_keys(
    table: TableCounts, quasi_identifiers: Sequence[str], *, carried: Sequence[str] = ()
) -> ClassKeys:
    """The cheapest keys for a table; ``carried`` columns of the frame come along."""
    if table.load is not None and table.has_raw_frame and table.rows >= _LARGE_TABLE:
        text = any(table.is_text(key) for key in table.keys(quasi_identifiers))
        if not text or table.sample(quasi_identifiers).shows_few_classes:
            return _raw(table, quasi_identifiers, carried)
        coded = _coded(table, quasi_identifiers, carried)
        if coded is not None:
            return coded
        # All values were just looked at, so it is known whether there is anything to trim.
        if not any(table.values(name).has_blanks for name in quasi_identifiers):
            return replace(_raw(table, quasi_identifiers, carried), blank=None)
    return trimmed_keys(table, quasi_identifiers, carried=carried)


def trimmed_keys(
    table: TableCounts, quasi_identifiers: Sequence[str], *, carried: Sequence[str] = ()
) -> ClassKeys:
    """Grouping by the labels themselves: always right."""
    keys = table.keys(quasi_identifiers)
    frame = table.raw_frame
    text = {key for key in keys if table.is_text(key)} if table.has_raw_frame else set()
    cells = [
        label_text(nw.col(key), frame.implementation).alias(f"k{i}")
        if key in text
        else nw.col(key).alias(f"k{i}")
        for i, key in enumerate(keys)
    ]
    names = [f"k{i}" for i in range(len(keys))]
    return ClassKeys(frame.select(*cells, *carried), names, _all_marked(table, keys, names))


def _raw(table: TableCounts, quasi_identifiers: Sequence[str], carried: Sequence[str]) -> ClassKeys:
    keys = table.keys(quasi_identifiers)
    names = [f"k{i}" for i in range(len(keys))]
    frame = table.raw_frame
    cells = [nw.col(key).alias(name) for key, name in zip(keys, names, strict=True)]
    text = [name for key, name in zip(keys, names, strict=True) if table.is_text(key)]
    blank = None
    if text:
        # Looking at both ends is several times cheaper than trimming and comparing.
        ends = [nw.col(n).str.head(1).is_in(list(BLANKS)) for n in text]
        ends += [nw.col(n).str.tail(1).is_in(list(BLANKS)) for n in text]
        ends += [nw.col(n) == "" for n in text]
        blank = nw.any_horizontal(*(end.fill_null(False) for end in ends), ignore_nulls=False)
        blank = blank.cast(nw.Int64)
    marked = _all_marked(table, keys, names)
    return ClassKeys(frame.select(*cells, *carried), names, marked, blank)


def _all_marked(table: TableCounts, keys: Sequence[str], names: Sequence[str]) -> nw.Expr | None:
    if not all(table.is_text(key) for key in keys):
        return None
    marks = [(nw.col(name) == SUPPRESSED).fill_null(False) for name in names]
    return nw.all_horizontal(*marks, ignore_nulls=False).cast(nw.Int64)


def _coded(
    table: TableCounts, quasi_identifiers: Sequence[str], carried: Sequence[str]
) -> ClassKeys | None:
    """Join the code of every label and add them up to one key."""
    if table.load is None:
        return None
    values = [table.values(name) for name in quasi_identifiers]
    domains = [len(own.counts.labels) for own in values]
    if math.prod(domains) > LARGEST_KEY or max(domains) > _MOST_LABELS:
        return None
    keys = table.keys(quasi_identifiers)
    # A carried column may be a key too, so the joined columns go by names of their own.
    rows = table.raw_frame.select(
        *(nw.col(key).alias(f"k{i}") for i, key in enumerate(keys)), *carried
    )
    key: nw.Expr = nw.lit(0)
    strides = [math.prod(domains[:i]) for i in range(len(domains))]
    for i, own in enumerate(values):
        rows, code = join_codes(table, rows, own, f"k{i}", f"code{i}", stride=strides[i])
        key = key + code
    codes = Codes(tuple(own.counts.labels for own in values), tuple(strides))
    marked = None if codes.mark is None else (nw.col("k") == codes.mark).cast(nw.Int64)
    return ClassKeys(rows.select(key.alias("k"), *carried), ["k"], marked, None, codes)


def join_codes(
    table: TableCounts,
    rows: nw.LazyFrame[Any],
    values: ColumnValues,
    cell: str,
    code: str,
    stride: int = 1,
) -> tuple[nw.LazyFrame[Any], nw.Expr]:
    """Give each row the number of its label, times a stride; a null has its number too."""
    numbers = arrow_integers(values.positions * stride)
    joined = rows.join(values.beside(table, [cell, code], [numbers]), on=cell, how="left")
    number = nw.col(code)
    if None in values.counts.index:
        number = number.fill_null(values.counts.index[None] * stride)
    return joined, number


def has_blanks(counted: pa.Table) -> bool:
    """Whether classes were told apart by blanks around their labels."""
    return "b" in counted.column_names and bool((whole_numbers(counted.column("b")) == 1).any())


def is_marked(counted: pa.Table) -> npt.NDArray[np.bool_]:
    """Which classes are the suppressed one."""
    if "s" not in counted.column_names:
        return np.zeros(counted.num_rows, dtype=bool)
    marked: npt.NDArray[np.bool_] = whole_numbers(counted.column("s")) == 1
    return marked
