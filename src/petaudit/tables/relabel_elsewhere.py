"""Other labels for a table where its rows live: combinations go there, and are joined to rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from petaudit.errors import ColumnError, InputError
from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import arrow_integers
from petaudit.tables.engines.postgres import StoredTable
from petaudit.tables.engines.remote import loaded_for_join
from petaudit.tables.headers import column_named
from petaudit.tables.population import CodedClasses
from petaudit.tables.results import Integers
from petaudit.tables.source import Source
from petaudit.tables.table_counts import TableCounts

_MOST = 1 << 62
LazyRows: TypeAlias = nw.LazyFrame[Any]
"""Rows as a query of their engine."""


@dataclass(frozen=True)
class RelabelledElsewhere:
    """A table with other labels in some columns, as a query of its engine.

    A row whose combination has no new labels is suppressed, also one that came later.
    """

    source: Source
    names: tuple[str, ...]
    """The columns that make a combination."""
    classes: CodedClasses
    """The combinations that are not suppressed."""
    labels: Mapping[str, Sequence[str | None]]
    """The new labels of each combination, of the columns that change."""
    suppressed_stay: bool
    """Whether rows without new labels stay, with the mark, or leave the table."""

    @cached_property
    def _rows(self) -> nw.LazyFrame[Any]:
        counts = self.source.counts
        rows = counts.frame if counts.stored is None else counts.stored.frame
        keys = [f"k{place}" for place in range(len(self.names))]
        for key, name, labels in zip(keys, self.names, self.classes.labels, strict=True):
            place_of = {label: place for place, label in enumerate(labels)}
            rows = _with_codes(counts, rows, name, key, place_of)
        codes: Sequence[Integers] = self.classes.codes
        if counts.stored is not None and keys and math.prod(map(len, self.classes.labels)) < _MOST:
            # Of several keys PostgreSQL expects next to no matches, and plans badly: where rows
            # without labels leave the table, 105,000 combinations took over 15 s, and 1 s so.
            strides = [
                math.prod(map(len, self.classes.labels[:place])) for place in range(len(keys))
            ]
            number = nw.lit(0).cast(nw.Int64)
            for key, stride in zip(keys, strides, strict=True):
                number = number + nw.col(key) * stride
            rows = rows.with_columns(number.alias("combination"))
            keys = ["combination"]
            parts = zip(codes, strides, strict=True)
            codes = [sum(code.astype(np.int64) * stride for code, stride in parts)]  # type: ignore[list-item]
        cells = [arrow_integers(code) for code in codes]
        new = [pa.array(labels, pa.string()) for labels in self.labels.values()]
        ones = arrow_integers(np.ones(len(self.classes.sizes), dtype=np.int64))
        titles = [*keys, *(f"r{place}" for place in range(len(new))), "known"]
        combinations = pa.Table.from_arrays([*cells, *new, ones], names=titles)
        how = "left" if self.suppressed_stay else "inner"
        return rows.join(loaded_for_join(counts, combinations), on=keys, how=how)  # type: ignore[arg-type]

    def frame(
        self, columns: Sequence[str], *, masked: Sequence[str] = (), as_stored: bool = False
    ) -> nw.LazyFrame[Any]:
        """Some columns as c0, c1, ...; ``masked`` ones hold nothing but the mark."""
        changed = {name: nw.col(f"r{place}") for place, name in enumerate(self.labels)}
        mark = nw.lit(SUPPRESSED)
        cells: list[nw.Expr] = []
        for name in columns:
            if name in masked:
                cell = mark
            elif name in changed:
                is_known = ~nw.col("known").is_null()
                cell = nw.when(is_known).then(changed[name]).otherwise(mark)
            else:
                # A combination has one label in a column, and not several spellings of it.
                self._refuse_unread(name)
                letter = "o" if as_stored and name not in self.names else "c"
                cell = nw.col(f"{letter}{self.source.columns.index(name)}")
            cells.append(cell.alias(f"x{len(cells)}"))
        return self._rows.select(*cells).rename({f"x{i}": f"c{i}" for i in range(len(cells))})

    def _refuse_unread(self, name: str) -> None:
        """Raise an error for a column of which the engine has no cell: nulls are not its cells."""
        counts = self.source.counts
        if name in counts.replaced:
            raise ColumnError(
                "column {column} is of kind {kind}, which {engine} does not read, so that it "
                "cannot be released there: give it the role identifier, which leaves it out, or "
                "another type",
                column=column_named(name, self.source.columns),
                kind=counts.replaced[name].partition("<")[0],
                engine=counts.engine,
            )

    def opened(self, columns: Sequence[str]) -> Source:
        """Some columns as a table to be counted."""
        name = self.source.name
        counts = TableCounts(self.frame(columns), columns, name)
        return Source(name, tuple(columns), counts, (), notes=self.source.notes)

    @property
    def stored(self) -> StoredTable:
        """The table on its server, where another one can be made of it."""
        stored = self.source.counts.stored
        if stored is None:
            raise InputError(
                "{table} is in {engine}, where petaudit makes no tables: that takes a table of "
                "PostgreSQL by its address, postgresql://host/database?table=name",
                table=self.source.name,
                engine=self.source.counts.engine,
            )
        return stored


def _with_codes(
    counts: TableCounts,
    rows: nw.LazyFrame[Any],
    name: str,
    key: str,
    place_of: Mapping[str | None, int],
) -> nw.LazyFrame[Any]:
    """Rows with the place of their label; a value that nobody knows has none."""
    values, cell = counts.values(name), counts.position(name)
    places: Integers = np.array([place_of[label] for label in values.counts.labels], np.int64)
    lookup = pa.Table.from_arrays(
        [values.cells, arrow_integers(places[values.positions])], names=[cell, key]
    )
    if values.cells.null_count:
        lookup = lookup.filter(values.cells.is_valid())
    rows = rows.join(loaded_for_join(counts, lookup), on=cell, how="left")
    if None not in place_of:
        return rows
    of_null = nw.when(nw.col(cell).is_null()).then(nw.lit(place_of[None])).otherwise(nw.col(key))
    return rows.with_columns(of_null.alias(key))
