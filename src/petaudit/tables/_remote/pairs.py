"""Two tables whose rows belong together by a key, met in the engine that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw

from petaudit.errors import InputError
from petaudit.tables._encoding import python_values, whole_numbers
from petaudit.tables._remote.beside import on_one_engine
from petaudit.tables.table_counts import TableCounts


@dataclass(frozen=True)
class KeyFaults:
    """What is wrong with a key: in either table nulls or repeated values, or other values."""

    nulls: tuple[bool, bool]
    repeated: tuple[bool, bool]
    differ: bool


def key_faults(original: TableCounts, released: TableCounts, key: str) -> KeyFaults:
    """Look at all keys at once: one query, and a few counts come back."""
    first, second = on_one_engine(original, released, [key])
    zero, one = (nw.lit(number).cast(nw.Int64) for number in (0, 1))
    cells = key_cells(first, second, key)
    both = nw.concat(
        [
            first.frame.select(cells[0].alias("k"), one.alias("own"), zero.alias("other")),
            second.frame.select(cells[1].alias("k"), zero.alias("own"), one.alias("other")),
        ],
        how="vertical",
    )
    keys = both.group_by("k").agg(nw.col("own").sum(), nw.col("other").sum())
    # Twice is as bad as any more times, and so there are few groups.
    kinds = keys.select(
        nw.col("k").is_null().cast(nw.Int64).alias("none"),
        *(
            nw.when(nw.col(side) > 1).then(2).otherwise(nw.col(side)).alias(side)
            for side in ("own", "other")
        ),
    )
    counted = first.collected(kinds.group_by("none", "own", "other").agg(nw.len().alias("keys")))
    none, own, other = (whole_numbers(counted.column(name)) for name in ("none", "own", "other"))
    return KeyFaults(
        nulls=(bool(own[none == 1].any()), bool(other[none == 1].any())),
        repeated=(bool((own > 1).any()), bool((other > 1).any())),
        differ=bool(((own == 0) | (other == 0)).any()),
    )


def key_cells(first: TableCounts, second: TableCounts, key: str) -> tuple[nw.Expr, nw.Expr]:
    """The keys of both tables so that equal labels are equal cells."""
    names = [table.position(key) for table in (first, second)]
    kinds = [table.schema[name] for table, name in zip((first, second), names, strict=True)]
    one, other = map(nw.col, names)
    if kinds[0] == kinds[1]:
        return one, other
    whole = [kind.is_integer() for kind in kinds]
    if all(whole) and not any(isinstance(kind, nw.UInt64) for kind in kinds):
        return one.cast(nw.Int64), other.cast(nw.Int64)
    if all(is_whole or isinstance(k, nw.String) for is_whole, k in zip(whole, kinds, strict=True)):
        return one.cast(nw.String), other.cast(nw.String)
    raise InputError(
        "key column {column!r} is of kind {first} in one table and of kind {second} in the "
        "other, which cannot be matched in {engine}: give it one kind",
        column=key,
        first=kinds[0],
        second=kinds[1],
        engine=first.engine,
    )


def joined_pairs(
    original: TableCounts, released: TableCounts, column: str, key: str
) -> tuple[list[Any], list[Any], list[int]]:
    """The values of both tables that meet in a row, and how often."""
    first, second = on_one_engine(original, released, [key, column])
    joined = side_by_side(first, second, key, [column])
    counted = first.collected(joined.group_by("a0", "b0").agg(nw.len().alias("n")))
    before, after, numbers = (python_values(counted.column(name)) for name in ("a0", "b0", "n"))
    return before, after, numbers


def side_by_side(
    first: TableCounts, second: TableCounts, key: str, columns: Sequence[str]
) -> nw.LazyFrame[Any]:
    """Some columns of both tables in one: a0, a1, ... of the first, b0, b1, ... of the second."""
    cells = key_cells(first, second, key)
    sides = [
        table.frame.select(
            cell.alias("k"),
            *(nw.col(table.position(name)).alias(f"{side}{i}") for i, name in enumerate(columns)),
        )
        for table, cell, side in zip((first, second), cells, "ab", strict=True)
    ]
    return sides[0].join(sides[1], on="k", how="inner")
