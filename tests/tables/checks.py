"""What must be true of every count of a table, whatever holds the table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from measures.sensitive_twin import meant
from petaudit.tables import ClassTable, ClassValueCounts, Source, TableCounts, ValueCounts
from petaudit.tables.classes.blocks import HeldBlocks
from petaudit.tables.classes.packed import packed_classes
from petaudit.tables.classes.table import ClassLabels
from tables.engines import (
    Cells,
    Table,
    counted_by_class,
    counted_classes,
    counted_spellings,
    counted_values,
    is_suppressed,
    label,
    labels,
    meanings,
    rows_of,
)


@dataclass(frozen=True)
class Case:
    """A table, its quasi-identifiers, and the column whose values are counted per class."""

    table: Table
    quasi_identifiers: list[str]
    value: str


def check_everything(source: Source, case: Case) -> None:
    """Compare every count that the layer offers with the independent counter."""
    assert list(source.columns) == list(labels(case.table))
    assert source.rows == len(next(iter(case.table.values())).cells)
    check_value_counts(source, case.table)
    check_sensitive_values(source, case.table)
    check_class_sizes(source, case)
    check_packed_counters(source, case)
    check_class_histogram(source, case)
    check_class_table(source, case, [case.value])
    check_class_table(source, case, list(labels(case.table)))
    check_column_values(source, case.table)


def check_value_counts(source: Source, table: Table) -> None:
    for name in labels(table):
        expected = counted_values(table, name)
        result = source.counts.value_counts(name)
        in_order = sorted(expected.items(), key=lambda item: _numbers_first(item[0]))
        assert list(zip(result.labels, result.counts.tolist(), strict=True)) == in_order
        assert result.rows == expected.total()


def check_sensitive_values(source: Source, table: Table) -> None:
    """All spellings of a value are one, and it is called by what one of them shows."""
    for name in labels(table):
        expected = counted_spellings(table, name)
        result = source.counts.sensitive_values(name).counts
        said = [meant(entry) for entry in result.labels]
        assert dict(zip(said, result.counts.tolist(), strict=True)) == {
            value: entry.total() for value, entry in expected.items()
        }
        assert len(set(said)) == len(said), "a value stands once"
        spelled = result.spellings or tuple((entry,) for entry in result.labels)
        assert dict(zip(said, map(set, spelled), strict=True)) == {
            value: set(entry) for value, entry in expected.items()
        }
        several = [len(entry) for entry in expected.values() if len(entry) > 1]
        assert result.merged == (len(several), sum(several))
        assert list(result.labels) == sorted(result.labels, key=_numbers_first)


def class_sizes(counts: TableCounts, names: Sequence[str]) -> Counter[Cells]:
    """Every class with its size."""
    result = counts.coded_classes(names)
    labels_of = [
        [entry[code] for code in codes.tolist()]
        for entry, codes in zip(result.labels, result.codes, strict=True)
    ]
    rows = list(zip(*labels_of, strict=True))
    assert len(set(rows)) == len(rows), "a class stands once"
    assert result.is_suppressed.tolist() == [is_suppressed(row) for row in rows]
    return Counter(dict(zip(rows, result.sizes.tolist(), strict=True)))


def check_class_sizes(source: Source, case: Case) -> None:
    expected = counted_classes(case.table, case.quasi_identifiers)
    assert class_sizes(source.counts, case.quasi_identifiers) == expected


def check_class_histogram(source: Source, case: Case) -> None:
    classes = counted_classes(case.table, case.quasi_identifiers)
    suppressed = sum(size for row, size in classes.items() if is_suppressed(row))
    expected = Counter(size for row, size in classes.items() if not is_suppressed(row))
    # Asked before the histogram is known and after it: two ways to the same figure.
    assert source.counts.suppressed_rows(case.quasi_identifiers) == suppressed
    result = source.counts.class_histogram(case.quasi_identifiers)
    assert source.counts.suppressed_rows(case.quasi_identifiers) == suppressed
    assert result.suppressed_rows == suppressed
    assert result.rows + suppressed == classes.total()
    assert _pairs(result.sizes, result.classes) == sorted(expected.items())
    expected.update([suppressed] if suppressed else [])
    folded = result.with_suppressed_as_class()
    assert _pairs(folded.sizes, folded.classes) == sorted(expected.items())


def class_table(
    counts: TableCounts, names: Sequence[str], columns: Sequence[str], *, labels: bool = False
) -> ClassTable:
    """All classes at once."""
    result = counts.class_blocks(names, columns, labels=labels)
    assert isinstance(result, HeldBlocks)
    return together(list(result.tables()))


def classes_of(
    *classes: dict[int, int],
    values: int = 2,
    marked: int | None = None,
    times: Sequence[int] | None = None,
) -> ClassTable:
    """Classes by how often they have each value of one column."""
    pairs = [
        (entry, value, count)
        for entry, item in enumerate(classes)
        for value, count in sorted(item.items())
    ]
    index = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    sizes = np.array([sum(item.values()) for item in classes], dtype=np.int64)
    each = np.array([1] * len(classes) if times is None else times, dtype=np.int64)
    counts = ValueCounts(tuple(map(str, range(values))), np.ones(values, dtype=np.int64))
    return ClassTable(sizes, each, {"v": ClassValueCounts(counts, *index)}, marked)


def together(blocks: Sequence[ClassTable]) -> ClassTable:
    """Several blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0]
    offsets = np.cumsum([0, *(len(entry.sizes) for entry in blocks)]).tolist()[:-1]
    placed = list(zip(blocks, offsets, strict=True))
    columns = {
        name: ClassValueCounts(
            first.columns[name].values,
            np.concatenate([entry.columns[name].class_index + at for entry, at in placed]),
            np.concatenate([entry.columns[name].value_index for entry in blocks]),
            np.concatenate([entry.columns[name].counts for entry in blocks]),
        )
        for name in first.columns
    }
    marked = [at + entry.marked for entry, at in placed if entry.marked is not None]
    assert len(marked) <= 1, "suppressed rows are one class"
    named = None
    if first.labels is not None:
        rows = [
            entry.labels[place]
            for entry in blocks
            if entry.labels
            for place in range(len(entry.sizes))
        ]
        cells = list(zip(*rows, strict=True))
        known = [list(dict.fromkeys(entry)) for entry in cells]
        codes = [
            np.array([mine.index(cell) for cell in entry])
            for mine, entry in zip(known, cells, strict=True)
        ]
        named = ClassLabels(tuple(map(tuple, known)), tuple(codes))
    return ClassTable(
        np.concatenate([entry.sizes for entry in blocks]),
        np.concatenate([entry.classes for entry in blocks]),
        columns,
        marked[0] if marked else None,
        named,
    )


def check_class_table(source: Source, case: Case, columns: list[str]) -> None:
    """The same classes with their labels and, equal ones as one entry, without them."""
    names = case.quasi_identifiers
    labelled = class_table(source.counts, names, columns, labels=True)
    folded = class_table(source.counts, names, columns)
    for column in columns:
        assert by_class(labelled, column) == counted_by_class(case.table, names, column, "class")
        assert by_class(labelled.without_suppressed, column) == counted_by_class(
            case.table, names, column, "exclude"
        )
    everything = counted_profiles(case.table, names, columns)
    said = Counter({entry: times for entry, times in everything.items() if not entry.suppressed})
    for table in (labelled, folded):
        assert by_profile(table) == everything
        assert by_profile(table.without_suppressed) == said
        assert table.suppressed_rows == sum(entry.size for entry in everything if entry.suppressed)
        histogram = source.counts.class_histogram(names)
        assert _pairs(table.histogram.sizes, table.histogram.classes) == _pairs(
            histogram.sizes, histogram.classes
        )
        assert table.histogram.suppressed_rows == histogram.suppressed_rows
        assert table.without_suppressed.histogram.suppressed_rows == 0
    assert labelled.classes.tolist() == [1] * len(labelled.sizes)
    assert folded.labels is None
    assert len(folded.sizes) <= len(labelled.sizes)


def check_packed_counters(source: Source, case: Case) -> None:
    """Only columns of some kinds may be left to the slower way of counting."""
    result = packed_classes(source.counts, case.quasi_identifiers, [case.value])
    if result is None:
        assert not source.rows or case.table[case.value].kind in {"date", "datetime", "decimal"}
        return
    [table] = result
    assert table.labels is None
    expected = counted_profiles(case.table, case.quasi_identifiers, [case.value])
    assert by_profile(table) == expected
    assert len(table.sizes) == len(expected), "equal classes are one entry"


def check_column_values(source: Source, table: Table) -> None:
    for name, cells in labels(table).items():
        held = source.counts.columns_values([name])[0]
        own = held.to_pylist()
        if held.type == "float":
            own = [None if cell is None else float(str(np.float32(cell))) for cell in own]
        assert [label(cell) for cell in own] == cells


def by_class(result: ClassTable, column: str) -> dict[Any, Counter[str | None]]:
    """The counts of what the values of a column mean, by the labels of their class."""
    assert result.labels is not None
    entry = result.columns[column]
    assert entry.class_sizes.tolist() == result.sizes.tolist()
    every = [result.labels[place] for place in range(len(result.sizes))]
    told: dict[Any, Counter[str | None]] = {row: Counter() for row in every}
    assert len(told) == len(every), "a class stands once"
    said = [meant(value) for value in entry.values.labels]
    rows = zip(entry.class_index, entry.value_index, entry.counts.tolist(), strict=True)
    for class_index, value_index, count in rows:
        counter = told[result.labels[class_index]]
        value = said[value_index]
        assert value not in counter, "a class has each value once"
        counter[value] = count
    return told


@dataclass(frozen=True)
class Profile:
    """All that a class table says about a class without its labels."""

    suppressed: bool
    size: int
    values: tuple[frozenset[tuple[str | None, int]], ...]
    """Of each column, what its values mean, with their counts."""


def by_profile(result: ClassTable) -> Counter[Profile]:
    """How many classes are alike; the entries come in no order."""
    values: list[list[set[tuple[str | None, int]]]] = []
    for column in result.columns.values():
        said = [meant(value) for value in column.values.labels]
        assert len(set(said)) == len(said), "a value stands once"
        sets: list[set[tuple[str | None, int]]] = [set() for _ in result.sizes]
        order = column.class_index * (len(column.values.labels) + 1) + column.value_index
        assert (order[1:] > order[:-1]).all(), "pairs are ordered by class and then by value"
        for entry, place, count in zip(
            column.class_index.tolist(),
            column.value_index.tolist(),
            column.counts.tolist(),
            strict=True,
        ):
            sets[entry].add((said[place], count))
        assert column.class_sizes.tolist() == result.sizes.tolist()
        values.append(sets)
    told: Counter[Profile] = Counter()
    for entry, (size, times) in enumerate(
        zip(result.sizes.tolist(), result.classes.tolist(), strict=True)
    ):
        own_values = tuple(frozenset(sets[entry]) for sets in values)
        told[Profile(entry == result.marked, size, own_values)] += times
    return told


def counted_profiles(table: Table, names: list[str], columns: Sequence[str]) -> Counter[Profile]:
    """The same from the rows: classes as they are spelled, values as they are meant."""
    members: dict[Any, list[tuple[str | None, ...]]] = {}
    values_of = zip(*(meanings(table, name) for name in columns), strict=True)
    for row, cells in zip(rows_of(table, names), values_of, strict=True):
        members.setdefault(row, []).append(cells)
    told: Counter[Profile] = Counter()
    for row, entry in members.items():
        values = tuple(frozenset(Counter(cells).items()) for cells in zip(*entry, strict=True))
        told[Profile(is_suppressed(row), len(entry), values)] += 1
    return told


def _pairs(sizes: Any, classes: Any) -> list[tuple[int, int]]:
    return list(zip(sizes.tolist(), classes.tolist(), strict=True))


def _numbers_first(label: str | None) -> tuple[int, float, str]:
    """Numbers by value, then texts (the word nan among them), then null."""
    if label is None:
        return (2, 0.0, "")
    try:
        number = float(label)
    except ValueError:
        return (1, 0.0, label)
    return (1, 0.0, label) if math.isnan(number) else (0, number, label)
