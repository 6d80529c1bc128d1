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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.labels.cells import BLANKS, SUPPRESSED
from petaudit.tables._encoding import whole_numbers
from petaudit.tables.classes.table import ClassLabels
from petaudit.tables.engines.frames import RAW, label_text
from petaudit.tables.engines.remote import join_numbers
from petaudit.tables.results import ClassHistogram, Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

_LARGE_TABLE = 200_000
_SAMPLE_ROWS = 1 << 14
_MOST_LABELS = 1 << 17
LARGEST_KEY = 1 << 62


@dataclass(frozen=True)
class Codes:
    """One number per class: how it is made up of the labels of each column."""

    labels: tuple[tuple[str | None, ...], ...]
    strides: tuple[int, ...]

    @property
    def span(self) -> int:
        """How many keys there can be."""
        return math.prod(len(labels) for labels in self.labels)

    @property
    def mark(self) -> int | None:
        """The key of the suppressed class, if there can be one."""
        if not all(SUPPRESSED in labels for labels in self.labels):
            return None
        return sum(
            labels.index(SUPPRESSED) * stride
            for labels, stride in zip(self.labels, self.strides, strict=True)
        )

    def decode(self, keys: Integers) -> ClassLabels:
        """The labels of some classes."""
        codes = (
            keys // stride % len(labels)
            for labels, stride in zip(self.labels, self.strides, strict=True)
        )
        return ClassLabels(self.labels, tuple(codes))


@dataclass(frozen=True)
class ClassKeys:
    """Rows with the columns that they are grouped by, and with other columns as they are."""

    table: TableCounts
    rows: nw.LazyFrame[Any]
    names: list[str]
    suppressed: nw.Expr | None
    """Whether a class is the one of the suppressed rows; None if there cannot be one."""
    codes: Codes | None = None
    blank: nw.Expr | None = None
    """Whether a label has blanks around it, so that its class may have been torn apart."""
    trimmed: Callable[[], ClassKeys] | None = None
    """The keys to use in that case."""

    @property
    def flags(self) -> dict[str, nw.Expr]:
        """What is to be known of each class, by the name of its column."""
        known = {"suppressed": self.suppressed, "blank": self.blank}
        return {name: flag for name, flag in known.items() if flag is not None}

    def flagged(self, classes: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Return classes with their flags."""
        flags = [flag.alias(name) for name, flag in self.flags.items()]
        return classes.with_columns(*flags) if flags else classes

    def collected(self, query: Callable[[ClassKeys], nw.LazyFrame[Any]]) -> pa.Table:
        """Run a query on the keys; on trimmed keys if its result shows torn classes."""
        counted = self.table.collected(query(self))
        if "blank" in counted.column_names and whole_numbers(counted.column("blank")).any():
            assert self.trimmed is not None  # noqa: S101 (they come with the flag)
            self.table.has_blanks = True
            return self.trimmed().collected(query)
        return counted


def sample_classes(table: TableCounts, quasi_identifiers: Sequence[str]) -> ClassHistogram:
    """Count the classes of the first rows; blanks do not matter for a guess."""
    keys = table.keys(quasi_identifiers)
    rows = table.raw_frame.head(_SAMPLE_ROWS).select(*keys)
    sizes = table.collected(table.grouped(rows, keys).group_by("n").agg(nw.len().alias("classes")))
    return ClassHistogram(
        whole_numbers(sizes.column("n")), whole_numbers(sizes.column("classes")), 0
    )


def _has_few_classes(sample: ClassHistogram) -> bool:
    """Whether rows share their class with others more often than not."""
    return 2 * int(sample.classes.sum()) < sample.rows


def class_keys(
    table: TableCounts, quasi_identifiers: Sequence[str], *, carried: Sequence[str] = ()
) -> ClassKeys:
    """The cheapest keys for a table; ``carried`` columns of the frame come along."""
    if table.counting is not None and not table.has_blanks:
        return _raw_keys(table, quasi_identifiers, carried)
    if table.load is not None and table.has_raw_frame and table.rows >= _LARGE_TABLE:
        text = any(table.is_text(key) for key in table.keys(quasi_identifiers))
        if not text or _has_few_classes(table.sample(quasi_identifiers)):
            return _raw_keys(table, quasi_identifiers, carried)
        coded = _coded_keys(table, quasi_identifiers, carried)
        if coded is not None:
            return coded
        # All values were just looked at, so it is known whether there is anything to trim.
        if not any(table.values(name).has_blanks for name in quasi_identifiers):
            return replace(_raw_keys(table, quasi_identifiers, carried), blank=None, trimmed=None)
    return trimmed_keys(table, quasi_identifiers, carried=carried)


def trimmed_keys(
    table: TableCounts, quasi_identifiers: Sequence[str], *, carried: Sequence[str]
) -> ClassKeys:
    """Grouping by the labels themselves: always right."""
    frame = table.raw_frame
    cells = [nw.col(key) for key in table.keys(quasi_identifiers)]
    if table.has_raw_frame:
        cells = [
            label_text(cell, frame.implementation) if table.is_text(key) else cell
            for key, cell in zip(table.keys(quasi_identifiers), cells, strict=True)
        ]
    return _keys(table, quasi_identifiers, cells, carried)


def _raw_keys(
    table: TableCounts, quasi_identifiers: Sequence[str], carried: Sequence[str]
) -> ClassKeys:
    """Grouping by the cells as they are."""
    keys = table.keys(quasi_identifiers)
    if table.counting is None:
        raw = _keys(table, quasi_identifiers, [nw.col(key) for key in keys], carried)
    else:
        cells = [nw.col(f"{RAW}{key[1:]}" if table.is_text(key) else key) for key in keys]
        raw = _keys(table, quasi_identifiers, cells, carried, table.counting)
    text = [name for key, name in zip(keys, raw.names, strict=True) if table.is_text(key)]
    if not text:
        return raw
    if table.counting is not None:
        # What the compiler of a server makes of it cuts off our blanks without naming them.
        blanks = BLANKS if table.stored is None else None
        ends = [nw.col(n).str.strip_chars(blanks) != nw.col(n) for n in text]
        ends += [nw.col(n) == "" for n in text]
    else:
        # Looking at both ends is several times cheaper than trimming and comparing.
        ends = _blank_ends(text)
    blank = nw.any_horizontal(*(end.fill_null(False) for end in ends), ignore_nulls=False)
    return replace(
        raw,
        blank=blank.cast(nw.Int64),
        trimmed=lambda: trimmed_keys(table, quasi_identifiers, carried=carried),
    )


def _blank_ends(names: Sequence[str]) -> list[nw.Expr]:
    ends = [nw.col(n).str.head(1).is_in(list(BLANKS)) for n in names]
    ends += [nw.col(n).str.tail(1).is_in(list(BLANKS)) for n in names]
    return ends + [nw.col(n) == "" for n in names]


def _keys(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    cells: Sequence[nw.Expr],
    carried: Sequence[str],
    frame: nw.LazyFrame[Any] | None = None,
) -> ClassKeys:
    names = [f"k{place}" for place in range(len(cells))]
    rows = (table.raw_frame if frame is None else frame).select(
        *map(nw.Expr.alias, cells, names), *carried
    )
    return ClassKeys(table, rows, names, table.all_suppressed(quasi_identifiers, names))


def _coded_keys(
    table: TableCounts, quasi_identifiers: Sequence[str], carried: Sequence[str]
) -> ClassKeys | None:
    """Grouping by one number: the codes of all labels, joined and added up."""
    values = [table.values(name) for name in quasi_identifiers]
    domains = [len(column.counts.labels) for column in values]
    if math.prod(domains) > LARGEST_KEY or max(domains) > _MOST_LABELS:
        return None
    keys = table.keys(quasi_identifiers)
    # A carried column may be a key too, so the joined columns go by names of their own.
    rows = table.raw_frame.select(
        *(nw.col(key).alias(f"k{i}") for i, key in enumerate(keys)), *carried
    )
    key: nw.Expr = nw.lit(0)
    strides = [math.prod(domains[:i]) for i in range(len(domains))]
    for i, (column, size, stride) in enumerate(zip(values, domains, strides, strict=True)):
        codes_of_column = {f"code{i}": np.arange(size, dtype=np.int64) * stride}
        rows = join_numbers(table, rows, column, f"k{i}", codes_of_column)
        key = key + nw.col(f"code{i}")
    codes = Codes(tuple(column.counts.labels for column in values), tuple(strides))
    marked = None if codes.mark is None else (nw.col("k") == codes.mark).cast(nw.Int64)
    return ClassKeys(table, rows.select(key.alias("k"), *carried), ["k"], marked, codes)


def is_marked(counted: pa.Table) -> npt.NDArray[np.bool_]:
    """Which classes are the suppressed one."""
    if "suppressed" not in counted.column_names:
        return np.zeros(counted.num_rows, dtype=bool)
    marked: npt.NDArray[np.bool_] = whole_numbers(counted.column("suppressed")) == 1
    return marked
