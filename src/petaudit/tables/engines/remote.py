"""Tables of engines elsewhere: rows meet there, and a bounded number of aggregates comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import EngineError, InputError, counted
from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import arrow_floats, arrow_integers, cell_labels, whole_numbers
from petaudit.tables.engines.spark_jobs import spark_result
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables.column_values import ColumnValues
    from petaudit.tables.population import Translate
    from petaudit.tables.table_counts import TableCounts

MOST_ROWS: Final = 1_000_000
"""An aggregate of more rows than this is not needed by any figure."""
_MOST_MOVED: Final = 200_000
_MOST_BROADCAST: Final = 500_000

Numbers: TypeAlias = npt.NDArray[Any]
"""Integers or floats."""


def fetched(lazy: nw.LazyFrame[Any], table: str) -> pa.Table:
    """Run a query where its rows live; an answer that is too large is refused, not fetched."""
    bounded = lazy.head(MOST_ROWS + 1)
    if lazy.implementation.is_spark_like():
        result = spark_result(bounded.to_native())
    else:
        result = bounded.collect().to_arrow()
    if result.num_rows > MOST_ROWS:
        raise EngineError(
            "{table}: a count has more than {most:,} values, too many to fetch; a column with that "
            "many different values is an identifier, or needs coarser values",
            table=table,
            most=MOST_ROWS,
        )
    return result


def loaded_for_join(table: TableCounts, small: pa.Table) -> nw.LazyFrame[Any]:
    """A small table in the engine of a large one, to be joined with it."""
    if table.load is not None:
        return table.load(small)
    if table.frame.implementation.is_ibis():
        import ibis  # noqa: PLC0415 (an extra)

        in_memory: nw.LazyFrame[Any] = nw.from_native(ibis.memtable(small))
        return in_memory
    try:
        frame = table.frame.to_native().sparkSession.createDataFrame(small)
    except Exception as problem:
        raise table.failure(problem) from None
    # Sent to every worker once, so that the large table stays where it is.
    frame = frame.hint("broadcast") if len(small) <= _MOST_BROADCAST else frame
    on_spark: nw.LazyFrame[Any] = nw.from_native(frame)
    return on_spark


def join_numbers(
    table: TableCounts,
    rows: nw.LazyFrame[Any],
    values: ColumnValues,
    cell: str,
    numbers: Mapping[str, Numbers],
) -> nw.LazyFrame[Any]:
    """Give each row the numbers of its label; ``cell`` holds the cells of the column.

    Numbers have a place for every label of the values, the null's too.
    """
    arrays = [_to_arrow(per_label[values.positions]) for per_label in numbers.values()]
    lookup = pa.Table.from_arrays([values.cells, *arrays], names=[cell, *numbers])
    if values.cells.null_count:
        lookup = lookup.filter(values.cells.is_valid())
    null = values.counts.index.get(None)
    of_null = {} if null is None else {name: numbers[name][null].item() for name in numbers}
    if of_null and not len(lookup):
        constants = (
            nw.lit(number, nw.Float64 if isinstance(number, float) else nw.Int64).alias(name)
            for name, number in of_null.items()
        )
        return rows.with_columns(*constants)
    joined = rows.join(loaded_for_join(table, lookup), on=cell, how="left")
    filled = [nw.col(name).fill_null(number) for name, number in of_null.items()]
    return joined.with_columns(*filled) if filled else joined


def _to_arrow(numbers: Numbers) -> pa.Array:
    return arrow_floats(numbers) if numbers.dtype.kind == "f" else arrow_integers(numbers)


def added_up(keys: Sequence[str], parts: Mapping[str, nw.LazyFrame[Any]]) -> nw.LazyFrame[Any]:
    """Every combination of keys with the sum of each part's ``n`` by the name of the part.

    Parts are put below each other: a join would lose nulls, which group by themselves.
    """
    zero = nw.lit(0).cast(nw.Int64)
    below = [
        part.select(
            *keys,
            *(
                (nw.col("n").cast(nw.Int64) if name == title else zero).alias(title)
                for title in parts
            ),
        )
        for name, part in parts.items()
    ]
    sums = (nw.col(name).sum() for name in parts)
    return nw.concat(below, how="vertical").group_by(*keys).agg(*sums)


def on_one_engine(
    first: TableCounts, second: TableCounts, columns: Sequence[str]
) -> tuple[TableCounts, TableCounts]:
    """Both tables where they can be joined; at least one of them lives elsewhere.

    Of a small local table these columns are sent there.
    """
    if first.is_remote and second.is_remote:
        if not _same_engine(first, second):
            raise InputError(
                "one table is in {first}, the other in {second}, and rows cannot be matched "
                "across them: bring both tables to one of them",
                first=first.engine,
                second=second.engine,
            )
        return first, second
    if first.is_remote:
        return first, _moved(second, first, columns)
    return _moved(first, second, columns), second


def _same_engine(first: TableCounts, second: TableCounts) -> bool:
    one, other = first.frame, second.frame
    if one.implementation is not other.implementation:
        return False
    if not one.implementation.is_ibis():
        return True
    # Backends are equal where their addresses are, but databases in memory have none.
    backends = [{id(b) for b in frame.to_native()._find_backends()[0]} for frame in (one, other)]
    # A table in memory has no backend, and goes to that of the other.
    return not all(backends) or backends[0] == backends[1]


def _moved(table: TableCounts, goal: TableCounts, columns: Sequence[str]) -> TableCounts:
    if table.rows > _MOST_MOVED:
        raise InputError(
            "one table is in {engine}, and the other has {rows}, more than the {most:,} that "
            "are sent there: bring both tables to {engine}",
            engine=goal.engine,
            rows=counted(table.rows, "row"),
            most=_MOST_MOVED,
        )
    cells = [_sendable(column) for column in table.columns_values(columns)]
    names = [f"c{place}" for place in range(len(columns))]
    return type(table)(loaded_for_join(goal, pa.Table.from_arrays(cells, names=names)), columns)


def _sendable(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cells of a kind that every engine has; others as their labels."""
    kind = cells.type
    known = (pa.types.is_string, pa.types.is_boolean, pa.types.is_date, pa.types.is_float64)
    if any(is_kind(kind) for is_kind in known):
        return cells
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return cells.cast(pa.int64())
    return pa.chunked_array([pa.array(cell_labels(cells), pa.string())])


@dataclass(frozen=True)
class KeyFaults:
    """What is wrong with a key: in either table nulls or repeated values, or other values."""

    nulls: tuple[bool, bool]
    repeated: tuple[bool, bool]
    differ: bool


def key_faults(original: TableCounts, released: TableCounts, key: str) -> KeyFaults:
    """Look at all keys at once: one query, and a few counts come back."""
    first, second = on_one_engine(original, released, [key])
    one = nw.lit(1).cast(nw.Int64).alias("n")
    sides = zip((first, second), key_cells(first, second, key), strict=True)
    rows = [table.frame.select(cell.alias("k"), one) for table, cell in sides]
    keys = added_up(["k"], {"first": rows[0], "second": rows[1]})
    # All repeated keys count as two, so that there are few groups.
    kinds = keys.select(
        nw.col("k").is_null().cast(nw.Int64).alias("none"),
        *(
            nw.when(nw.col(side) > 1).then(2).otherwise(nw.col(side)).alias(side)
            for side in ("first", "second")
        ),
    )
    counted = first.collected(kinds.group_by("none", "first", "second").agg(nw.len().alias("keys")))
    none, ours, theirs = (
        whole_numbers(counted.column(name)) for name in ("none", "first", "second")
    )
    return KeyFaults(
        nulls=(bool(ours[none == 1].any()), bool(theirs[none == 1].any())),
        repeated=(bool((ours > 1).any()), bool((theirs > 1).any())),
        differ=bool(((ours == 0) | (theirs == 0)).any()),
    )


def key_cells(first: TableCounts, second: TableCounts, key: str) -> tuple[nw.Expr, nw.Expr]:
    """The keys of both tables so that equal labels are equal cells."""
    names = [table.position(key) for table in (first, second)]
    kinds = [table.schema[name] for table, name in zip((first, second), names, strict=True)]
    one, other = map(nw.col, names)
    if kinds[0] == kinds[1]:
        return one, other
    if all(kind.is_integer() and not isinstance(kind, nw.UInt64) for kind in kinds):
        return one.cast(nw.Int64), other.cast(nw.Int64)
    if all(kind.is_integer() or isinstance(kind, nw.String) for kind in kinds):
        return one.cast(nw.String), other.cast(nw.String)
    raise InputError(
        "key column {column!r} is of kind {first} in one table and of kind {second} in the "
        "other, which cannot be matched in {engine}: give it one kind",
        column=key,
        first=kinds[0],
        second=kinds[1],
        engine=first.engine,
    )


def joined_pairs(original: TableCounts, released: TableCounts, column: str, key: str) -> pa.Table:
    """The values of both tables that meet in a row, ``a0`` and ``b0``, and how often, ``n``."""
    first, second = on_one_engine(original, released, [key, column])
    joined = side_by_side(first, second, key, [column])
    return first.collected(first.grouped(joined, ["a0", "b0"]))


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


def sizes_in_engine(
    sample: TableCounts,
    population: TableCounts,
    quasi_identifiers: Sequence[str],
    translate: Translate,
    person: str | None = None,
) -> tuple[Integers, Integers, Integers]:
    """Pairs of sizes, in the table and in the population, and how many classes have each.

    Labels are compared as cells, or by their numbers where the population calls them otherwise;
    suppressed rows are in no class.
    """
    suppressed = sample.suppressed_rows(quasi_identifiers)
    names = (*quasi_identifiers, *(() if person is None else (person,)))
    sample, population = on_one_engine(sample, population, names)
    # By the place of a column: the number of each label of the table and of the population.
    numbers: dict[int, tuple[Integers, Integers]] = {}
    for place, name in enumerate(quasi_identifiers):
        pair = _numbers(sample, population, name, suppressed, translate)
        if pair is not None:
            numbers[place] = pair
    sides = [
        _classes(
            table,
            quasi_identifiers,
            {place: pair[side] for place, pair in numbers.items()},
            # The sample has a row per person and class already.
            person if table is population else None,
        )
        for side, table in enumerate((sample, population))
    ]
    keys = [f"k{place}" for place in range(len(quasi_identifiers))]
    classes = added_up(keys, {"sample": sides[0], "people": sides[1]})
    sizes = sample.collected(classes.group_by("sample", "people").agg(nw.len().alias("classes")))
    in_sample, people, times = (
        whole_numbers(sizes.column(n)) for n in ("sample", "people", "classes")
    )
    return in_sample, people, times


def _numbers(
    sample: TableCounts, population: TableCounts, name: str, suppressed: int, translate: Translate
) -> tuple[Integers, Integers] | None:
    """Numbers that are equal where labels are; None where cells themselves can be compared."""
    ours, theirs = sample.value_counts(name), population.value_counts(name)
    in_classes = [
        label
        for label, count in zip(ours.labels, ours.counts.tolist(), strict=True)
        if label != SUPPRESSED or count > suppressed
    ]
    called = translate(name, in_classes, theirs.labels)
    if tuple(called) == theirs.labels and _kind(sample, name) == _kind(population, name):
        return None
    position = {label: code for code, label in enumerate(ours.labels)}
    recode = [position.setdefault(label, len(position)) for label in called]
    return np.arange(len(ours.labels), dtype=np.int64), np.array(recode, dtype=np.int64)


def _kind(table: TableCounts, name: str) -> Any:
    kind = table.schema[table.position(name)]
    return nw.Int64() if kind.is_integer() and not isinstance(kind, nw.UInt64) else kind


def _classes(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    numbers: dict[int, Integers],
    person: str | None,
) -> nw.LazyFrame[Any]:
    """The classes of a table but the suppressed one, with numbers for cells where they are asked.

    There are fewer classes than rows, so numbers are joined to these. Different labels may have
    one number, so people are told apart only then.
    """
    keys = table.keys(quasi_identifiers)
    rows = table.frame
    suppressed = table.all_suppressed(quasi_identifiers, keys)
    if suppressed is not None:
        rows = rows.filter(suppressed == 0)
    cells = [
        # Numbers of several widths are grouped together.
        (nw.col(key).cast(nw.Int64) if _kind(table, name) == nw.Int64() else nw.col(key)).alias(
            f"k{place}" if place not in numbers else f"x{place}"
        )
        for place, (key, name) in enumerate(zip(keys, quasi_identifiers, strict=True))
    ]
    names = [f"k{place}" if place not in numbers else f"x{place}" for place in range(len(keys))]
    if person is not None:
        cells.append(nw.col(table.position(person)).alias("p"))
        names.append("p")
    classes = table.grouped(rows.select(*cells), names)
    for place, codes in numbers.items():
        name = quasi_identifiers[place]
        classes = join_numbers(
            table, classes, table.values(name), f"x{place}", {f"k{place}": codes}
        )
    if person is None:
        return classes
    known = [f"k{place}" for place in range(len(keys))]
    people = table.grouped(classes.select(*known, "p"), [*known, "p"])
    return table.grouped(people.select(*known), known)
