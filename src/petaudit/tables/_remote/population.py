"""Classes of a table and of a population, met in the engine that holds both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import whole_numbers
from petaudit.tables._remote.beside import join_numbers, on_one_engine
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

Labels: TypeAlias = Sequence[str | None]
Translate: TypeAlias = Callable[[str, Labels, Labels], Labels]
"""Column, labels of the table, labels of the population: what each of the latter is called."""
_Numbers: TypeAlias = dict[int, tuple[Integers, Integers]]
"""By the place of a column: the number of each label of the table and of the population."""


def sizes_in_engine(
    sample: TableCounts,
    population: TableCounts,
    quasi_identifiers: Sequence[str],
    translate: Translate,
    person: str | None = None,
) -> tuple[Integers, Integers, Integers]:
    """Pairs of sizes, in the table and in the population, and how many classes have each.

    Both tables' classes are put one below the other and added up. A join would lose nulls, which
    group by themselves. Labels are compared as cells, or by their numbers where the population
    calls them otherwise; suppressed rows are in no class.
    """
    suppressed = sample.suppressed_rows(quasi_identifiers)
    names = (*quasi_identifiers, *(() if person is None else (person,)))
    sample, population = on_one_engine(sample, population, names)
    numbers: _Numbers = {}
    for place, name in enumerate(quasi_identifiers):
        found = _numbers(sample, population, name, suppressed, translate)
        if found is not None:
            numbers[place] = found
    sides = [
        _classes(
            table,
            quasi_identifiers,
            {place: own[side] for place, own in numbers.items()},
            # The sample has a row per person and class already.
            person if table is population else None,
        )
        for side, table in enumerate((sample, population))
    ]
    keys = [f"k{place}" for place in range(len(quasi_identifiers))]
    zero = nw.lit(0).cast(nw.Int64)
    met = nw.concat(
        [
            sides[0].select(*keys, nw.col("n").alias("own"), zero.alias("people")),
            sides[1].select(*keys, zero.alias("own"), nw.col("n").alias("people")),
        ],
        how="vertical",
    )
    classes = met.group_by(*keys).agg(nw.col("own").sum(), nw.col("people").sum())
    sizes = sample.collected(classes.group_by("own", "people").agg(nw.len().alias("classes")))
    own, people, times = (whole_numbers(sizes.column(n)) for n in ("own", "people", "classes"))
    return own, people, times


def _numbers(
    sample: TableCounts, population: TableCounts, name: str, suppressed: int, translate: Translate
) -> tuple[Integers, Integers] | None:
    """Numbers that are equal where labels are; None where cells themselves can be compared."""
    own, everybody = sample.value_counts(name), population.value_counts(name)
    in_classes = [
        label
        for label, count in zip(own.labels, own.counts.tolist(), strict=True)
        if label != SUPPRESSED or count > suppressed
    ]
    called = translate(name, in_classes, everybody.labels)
    if tuple(called) == everybody.labels and _kind(sample, name) == _kind(population, name):
        return None
    position = {label: code for code, label in enumerate(own.labels)}
    recode = [position.setdefault(label, len(position)) for label in called]
    return np.arange(len(own.labels), dtype=np.int64), np.array(recode, dtype=np.int64)


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
    if all(table.is_text(key) for key in keys):
        marks = [(nw.col(key) == SUPPRESSED).fill_null(False) for key in keys]
        rows = rows.filter(~nw.all_horizontal(*marks, ignore_nulls=False))
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
    found = table.grouped(rows.select(*cells), names)
    for place, own in numbers.items():
        name = quasi_identifiers[place]
        found = join_numbers(table, found, name, f"x{place}", {f"k{place}": own})
    if person is None:
        return found
    known = [f"k{place}" for place in range(len(keys))]
    people = table.grouped(found.select(*known, "p"), [*known, "p"])
    return table.grouped(people.select(*known), known)
