"""Distances between rows that belong together, added up in the engine that holds both tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from petaudit.tables.engines.remote import join_numbers, on_one_engine
from petaudit.tables.engines.remote_pairs import side_by_side
from petaudit.tables.results import Integers
from petaudit.tables.table_counts import TableCounts

Floats: TypeAlias = npt.NDArray[np.float64]


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
    names = [own.column for own in columns]
    first, second = on_one_engine(original, released, [key, *names])
    rows = side_by_side(first, second, key, names)
    for place, own in enumerate(columns):
        before = {f"x{place}": own.number, f"m{place}": own.largest, f"o{place}": own.was_null}
        rows = join_numbers(first, rows, own.column, f"a{place}", before)
        after = {f"l{place}": own.low, f"h{place}": own.high, f"n{place}": own.became_null}
        rows = join_numbers(second, rows, own.column, f"b{place}", after)
    lost: nw.Expr = nw.lit(0.0)
    most: nw.Expr = nw.lit(0.0)
    for place, own in enumerate(columns):
        distance, largest = _distance(place)
        lost = lost + distance * distance * own.weight
        most = most + largest * largest * own.weight
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
    found = (
        nw.when(nulls == 0).then(capped).otherwise(nw.when(nulls == 1).then(largest).otherwise(0.0))
    )
    return found, largest
