"""Sums over rows of numbers that the labels of their cells stand for.

Where rows are remote, the numbers are joined to them and the engine adds up: no row is fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._encoding import cell_labels, floats, whole_numbers
from petaudit.tables.engines.remote import join_numbers, on_one_engine, side_by_side
from petaudit.tables.results import Integers, summed
from petaudit.tables.table_counts import TableCounts

Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
_SIDES = ("a", "b")


def sum_of_products(table: TableCounts, factors: Mapping[str, Integers]) -> int:
    """Add up the product of each row's numbers; each column has one per label, above zero.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> counts = open_source(pa.table({"a": ["x", "y", "y"], "b": ["u", "u", None]})).counts
    >>> sum_of_products(counts, {"a": np.array([2, 3]), "b": np.array([10, 1])})
    53
    """
    if table.is_remote:
        # Rows with equal factors are one group: what is fetched has no label.
        rows = table.renamed({name: f"x{place}" for place, name in enumerate(factors)})
        names = [f"f{place}" for place in range(len(factors))]
        for place, (name, numbers) in enumerate(factors.items()):
            by_label = {names[place]: numbers}
            rows = join_numbers(table, rows, table.values(name), f"x{place}", by_label)
        groups = table.collected(table.grouped(rows, names))
        by_group = [whole_numbers(groups.column(name)) for name in names]
        return _sum_of_products(by_group, whole_numbers(groups.column("n")))
    classes = table.coded_classes(tuple(factors))
    by_class = [
        numbers[codes] for numbers, codes in zip(factors.values(), classes.codes, strict=True)
    ]
    return _sum_of_products(by_class, classes.sizes)


def _sum_of_products(factors: Sequence[Integers], sizes: Integers) -> int:
    """Add up the product of each class, as often as it has rows.

    Products outgrow 64 bits, so classes with equal products are counted together and only their
    few different products are whole numbers of Python.

    >>> _sum_of_products([np.array([2, 3]), np.array([10, 1])], np.array([1, 5]))
    35
    """
    products = [1]
    place = np.zeros(len(sizes), dtype=np.int64)
    for numbers in factors:
        distinct, code = np.unique(numbers, return_inverse=True)
        pairs, place = np.unique(place * len(distinct) + code, return_inverse=True)
        new = [
            products[pair // len(distinct)] * int(distinct[pair % len(distinct)])
            for pair in pairs.tolist()
        ]
        products = sorted(set(new))
        position = {product: index for index, product in enumerate(products)}
        place = np.array([position[product] for product in new], dtype=np.int64)[place]
    return sum(map(int.__mul__, products, summed(place, sizes, len(products)).tolist()))


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
        rows = self._joined(self._cells, 1 - side, {"known": others.astype(np.int64)})
        sums = self._by_label(
            side, rows.group_by(_SIDES[side]).agg(nw.col("known").sum().alias("sum"))
        )
        return np.where(known, sums.astype(np.int64), 0)

    @property
    def _cells(self) -> nw.LazyFrame[Any]:
        names = zip(self.counts.keys(self.columns), _SIDES, strict=True)
        return self.counts.frame.select(*(nw.col(key).alias(side) for key, side in names))

    def _joined(
        self, rows: nw.LazyFrame[Any], side: int, numbers: Mapping[str, npt.NDArray[Any]]
    ) -> nw.LazyFrame[Any]:
        values = self.counts.values(self.columns[side])
        return join_numbers(self.counts, rows, values, _SIDES[side], numbers)

    def _by_label(self, side: int, groups: nw.LazyFrame[Any]) -> Floats:
        """The sum of each label, from one per cell."""
        counted: pa.Table = self.counts.collected(groups)
        index = self.counts.value_counts(self.columns[side]).index
        places = [index[label] for label in cell_labels(counted.column(_SIDES[side]))]
        sums = np.zeros(len(index))
        np.add.at(sums, places, floats(counted.column("sum")))
        return sums

    def products(self, factors: Sequence[tuple[Floats, Floats]]) -> list[float]:
        """The sum over the rows of one number per label of either column, for several such pairs.

        Labels that say nothing have the number 0.
        """
        rows = self._cells
        for side in range(2):
            numbers = {f"{_SIDES[side]}{place}": pair[side] for place, pair in enumerate(factors)}
            rows = self._joined(rows, side, numbers)
        sums = [
            (nw.col(f"a{place}") * nw.col(f"b{place}")).sum().alias(f"s{place}")
            for place in range(len(factors))
        ]
        [row] = self.counts.collected(rows.select(*sums)).to_pylist()
        return [float(row[f"s{place}"] or 0.0) for place in range(len(factors))]

    def sums_by(self, side: int, numbers: Floats) -> Floats:
        """For each label of one column the sum of the numbers of the other column's labels."""
        rows = self._joined(self._cells, 1 - side, {"x": numbers})
        return self._by_label(side, rows.group_by(_SIDES[side]).agg(nw.col("x").sum().alias("sum")))

    def surplus(self) -> tuple[float, float, int]:
        """Of the pairs that occur: by how much they differ from what independence expects.

        The sum of the squared differences, each divided by what is expected; the sum of what is
        expected; and how many pairs occur.
        """
        pairs = self.counts.grouped(self._cells, _SIDES)
        for side in range(2):
            numbers = {f"{_SIDES[side]}0": self.rows[side].astype(np.float64)}
            pairs = self._joined(pairs, side, numbers)
        total = float(self.rows[0].sum())
        both = pairs.filter((nw.col("a0") > 0) & (nw.col("b0") > 0))
        expected = both.select("n", (nw.col("a0") * nw.col("b0") / total).alias("e"))
        difference = nw.col("n").cast(nw.Float64) - nw.col("e")
        parts = expected.select("e", (difference * difference / nw.col("e")).alias("d"))
        sums = parts.select(nw.col("d").sum(), nw.col("e").sum(), nw.len().alias("pairs"))
        [row] = self.counts.collected(sums).to_pylist()
        return float(row["d"] or 0.0), float(row["e"] or 0.0), int(row["pairs"])


@dataclass(frozen=True)
class Distances:
    """Numbers of a column in one unit: of each original label, and of the ends of a released one.

    Where a label is null, a flag says so and its numbers say nothing; only ``largest`` does.
    """

    column: str
    number: Floats
    largest: Floats
    low: Floats
    high: Floats
    was_null: Integers
    became_null: Integers
    weight: float
    """What the square of a distance is multiplied by."""


def sums_of_distances(
    original: TableCounts, released: TableCounts, columns: Sequence[Distances], key: str
) -> tuple[float, float]:
    """Sums over the rows of their distances, and of the largest that these could be.

    A distance is the root of the sum over columns of weighted squares. Sums of floats depend on the
    order in which an engine adds: their last digits, about the thirteenth, may differ between runs.
    """
    names = [column.column for column in columns]
    first, second = on_one_engine(original, released, [key, *names])
    rows = side_by_side(first, second, key, names)
    for place, column in enumerate(columns):
        before = {
            f"x{place}": column.number,
            f"m{place}": column.largest,
            f"o{place}": column.was_null,
        }
        rows = join_numbers(first, rows, first.values(column.column), f"a{place}", before)
        after = {f"l{place}": column.low, f"h{place}": column.high, f"n{place}": column.became_null}
        rows = join_numbers(second, rows, second.values(column.column), f"b{place}", after)
    lost: nw.Expr = nw.lit(0.0)
    most: nw.Expr = nw.lit(0.0)
    for place, column in enumerate(columns):
        distance, largest = _distance(place)
        lost = lost + distance * distance * column.weight
        most = most + largest * largest * column.weight
    sums = rows.select(lost.sqrt().alias("lost"), most.sqrt().alias("most"))
    [row] = first.collected(sums.select(nw.col("lost").sum(), nw.col("most").sum())).to_pylist()
    return float(row["lost"] or 0.0), float(row["most"] or 0.0)


def _distance(place: int) -> tuple[nw.Expr, nw.Expr]:
    """How far the worse end is away, at most the largest distance; a null is that far from all."""
    number, largest, low, high = (nw.col(f"{name}{place}") for name in "xmlh")
    ends = [(number - end).abs() for end in (low, high)]
    farther = nw.max_horizontal(*ends)
    capped = nw.when(farther > largest).then(largest).otherwise(farther)
    nulls = nw.col(f"o{place}") + nw.col(f"n{place}")
    distance = (
        nw.when(nulls == 0).then(capped).otherwise(nw.when(nulls == 1).then(largest).otherwise(0.0))
    )
    return distance, largest
