"""Sums over the rows of two columns, made by an engine elsewhere: no pair of them is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._cell_labels import cell_labels
from petaudit.tables._encoding import floats
from petaudit.tables.engines.remote import join_numbers
from petaudit.tables.results import Integers
from petaudit.tables.table_counts import TableCounts

Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
_SIDES = ("a", "b")


@dataclass(frozen=True)
class PairSums:
    """Two columns of a table; rows in which either label says nothing are left out.

    What is given or found per label has the order of ``value_counts``.
    """

    counts: TableCounts
    columns: tuple[str, str]
    known: tuple[Bools, Bools]

    @cached_property
    def rows(self) -> tuple[Integers, Integers]:
        """How many rows each label has, of either column."""
        return self._rows_of(0), self._rows_of(1)

    def _rows_of(self, side: int) -> Integers:
        known, others = self.known[side], self.known[1 - side]
        if others.all():
            return np.where(known, self.counts.value_counts(self.columns[side]).counts, 0)
        own, other = _SIDES[side], _SIDES[1 - side]
        said = {"said": others.astype(np.int64)}
        rows = join_numbers(self.counts, self._cells, self.columns[1 - side], other, said)
        found = self._by_label(side, rows.group_by(own).agg(nw.col("said").sum().alias("sum")))
        return np.where(known, found.astype(np.int64), 0)

    @property
    def _cells(self) -> nw.LazyFrame[Any]:
        names = zip(self.counts.keys(self.columns), _SIDES, strict=True)
        return self.counts.frame.select(*(nw.col(key).alias(side) for key, side in names))

    def _by_label(self, side: int, groups: nw.LazyFrame[Any]) -> Floats:
        """The sum of each label, from one per cell."""
        counted: pa.Table = self.counts.collected(groups)
        index = self.counts.value_counts(self.columns[side]).index
        places = [index[label] for label in cell_labels(counted.column(_SIDES[side]))]
        found = np.zeros(len(index))
        np.add.at(found, places, floats(counted.column("sum")))
        return found

    def products(self, factors: Sequence[tuple[Floats, Floats]]) -> list[float]:
        """The sum over the rows of one number per label of either column, for several such pairs.

        Labels that say nothing have the number 0.
        """
        rows = self._cells
        for side, column in enumerate(self.columns):
            own = {f"{_SIDES[side]}{place}": pair[side] for place, pair in enumerate(factors)}
            rows = join_numbers(self.counts, rows, column, _SIDES[side], own)
        sums = [
            (nw.col(f"a{place}") * nw.col(f"b{place}")).sum().alias(f"s{place}")
            for place in range(len(factors))
        ]
        [row] = self.counts.collected(rows.select(*sums)).to_pylist()
        return [float(row[f"s{place}"] or 0.0) for place in range(len(factors))]

    def sums_by(self, side: int, numbers: Floats) -> Floats:
        """For each label of one column the sum of the numbers of the other column's labels."""
        other = _SIDES[1 - side]
        own = {"x": numbers}
        rows = join_numbers(self.counts, self._cells, self.columns[1 - side], other, own)
        return self._by_label(side, rows.group_by(_SIDES[side]).agg(nw.col("x").sum().alias("sum")))

    def surplus(self) -> tuple[float, float, int]:
        """Of the pairs that occur: by how much they differ from what independence expects.

        The sum of the squared differences, each divided by what is expected; the sum of what is
        expected; and how many pairs occur.
        """
        pairs = self.counts.grouped(self._cells, _SIDES)
        for side, column in enumerate(self.columns):
            own = {f"{_SIDES[side]}0": self.rows[side].astype(np.float64)}
            pairs = join_numbers(self.counts, pairs, column, _SIDES[side], own)
        total = float(self.rows[0].sum())
        both = pairs.filter((nw.col("a0") > 0) & (nw.col("b0") > 0))
        expected = both.select("n", (nw.col("a0") * nw.col("b0") / total).alias("e"))
        difference = nw.col("n").cast(nw.Float64) - nw.col("e")
        parts = expected.select("e", (difference * difference / nw.col("e")).alias("d"))
        sums = parts.select(nw.col("d").sum(), nw.col("e").sum(), nw.len().alias("pairs"))
        [row] = self.counts.collected(sums).to_pylist()
        return float(row["d"] or 0.0), float(row["e"] or 0.0), int(row["pairs"])
