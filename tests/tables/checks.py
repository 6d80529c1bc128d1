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
        found = source.counts.value_counts(name)
        in_order = sorted(expected.items(), key=lambda item: _numbers_first(item[0]))
        assert list(zip(found.labels, found.counts.tolist(), strict=True)) == in_order
        assert found.rows == expected.total()


def check_sensitive_values(source: Source, table: Table) -> None:
    """All spellings of a value are one, and it is called by what one of them shows."""
    for name in labels(table):
        expected = counted_spellings(table, name)
        found = source.counts.sensitive_values(name).counts
        said = [meant(own) for own in found.labels]
        assert dict(zip(said, found.counts.tolist(), strict=True)) == {
            value: own.total() for value, own in expected.items()
        }
        assert len(set(said)) == len(said), "a value stands once"
        spelled = found.spellings or tuple((own,) for own in found.labels)
        assert dict(zip(said, map(set, spelled), strict=True)) == {
            value: set(own) for value, own in expected.items()
        }
        several = [len(own) for own in expected.values() if len(own) > 1]
        assert found.merged == (len(several), sum(several))
        assert list(found.labels) == sorted(found.labels, key=_numbers_first)


def class_sizes(counts: TableCounts, names: Sequence[str]) -> Counter[Cells]:
    """Every class with its size."""
    found = counts.coded_classes(names)
    labels_of = [
        [own[code] for code in codes.tolist()]
        for own, codes in zip(found.labels, found.codes, strict=True)
    ]
    rows = list(zip(*labels_of, strict=True))
    assert len(set(rows)) == len(rows), "a class stands once"
    assert found.is_suppressed.tolist() == [is_suppressed(row) for row in rows]
    return Counter(dict(zip(rows, found.sizes.tolist(), strict=True)))


def check_class_sizes(source: Source, case: Case) -> None:
    expected = counted_classes(case.table, case.quasi_identifiers)
    assert class_sizes(source.counts, case.quasi_identifiers) == expected


def check_class_histogram(source: Source, case: Case) -> None:
    classes = counted_classes(case.table, case.quasi_identifiers)
    suppressed = sum(size for row, size in classes.items() if is_suppressed(row))
    expected = Counter(size for row, size in classes.items() if not is_suppressed(row))
    # Asked before the histogram is known and after it: two ways to the same figure.
    assert source.counts.suppressed_rows(case.quasi_identifiers) == suppressed
    found = source.counts.class_histogram(case.quasi_identifiers)
    assert source.counts.suppressed_rows(case.quasi_identifiers) == suppressed
    assert found.suppressed_rows == suppressed
    assert found.rows + suppressed == classes.total()
    assert _pairs(found.sizes, found.classes) == sorted(expected.items())
    expected.update([suppressed] if suppressed else [])
    folded = found.with_suppressed_as_class()
    assert _pairs(folded.sizes, folded.classes) == sorted(expected.items())


def class_table(
    counts: TableCounts, names: Sequence[str], columns: Sequence[str], *, labels: bool = False
) -> ClassTable:
    """All classes at once."""
    found = counts.class_blocks(names, columns, labels=labels)
    assert isinstance(found, HeldBlocks)
    return together(list(found.tables()))


def classes_of(
    *classes: dict[int, int],
    values: int = 2,
    marked: int | None = None,
    times: Sequence[int] | None = None,
) -> ClassTable:
    """Classes by how often they have each value of one column."""
    pairs = [
        (entry, value, count)
        for entry, own in enumerate(classes)
        for value, count in sorted(own.items())
    ]
    index = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    sizes = np.array([sum(own.values()) for own in classes], dtype=np.int64)
    each = np.array([1] * len(classes) if times is None else times, dtype=np.int64)
    counts = ValueCounts(tuple(map(str, range(values))), np.ones(values, dtype=np.int64))
    return ClassTable(sizes, each, {"v": ClassValueCounts(counts, *index)}, marked)


def together(blocks: Sequence[ClassTable]) -> ClassTable:
    """Several blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0]
    offsets = np.cumsum([0, *(len(own.sizes) for own in blocks)]).tolist()[:-1]
    placed = list(zip(blocks, offsets, strict=True))
    columns = {
        name: ClassValueCounts(
            first.columns[name].values,
            np.concatenate([own.columns[name].class_index + at for own, at in placed]),
            np.concatenate([own.columns[name].value_index for own in blocks]),
            np.concatenate([own.columns[name].counts for own in blocks]),
        )
        for name in first.columns
    }
    marked = [at + own.marked for own, at in placed if own.marked is not None]
    assert len(marked) <= 1, "suppressed rows are one class"
    named = None
    if first.labels is not None:
        rows = [
            own.labels[place] for own in blocks if own.labels for place in range(len(own.sizes))
        ]
        cells = list(zip(*rows, strict=True))
        known = [list(dict.fromkeys(own)) for own in cells]
        codes = [
            np.array([mine.index(cell) for cell in own])
            for mine, own in zip(known, cells, strict=True)
        ]
        named = ClassLabels(tuple(map(tuple, known)), tuple(codes))
    return ClassTable(
        np.concatenate([own.sizes for own in blocks]),
        np.concatenate([own.classes for own in blocks]),
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
    said = Counter({own: times for own, times in everything.items() if not own.suppressed})
    for table in (labelled, folded):
        assert by_profile(table) == everything
        assert by_profile(table.without_suppressed) == said
        assert table.suppressed_rows == sum(own.size for own in everything if own.suppressed)
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
    found = packed_classes(source.counts, case.quasi_identifiers, [case.value])
    if found is None:
        assert not source.rows or case.table[case.value].kind in {"date", "datetime", "decimal"}
        return
    [table] = found
    assert table.labels is None
    expected = counted_profiles(case.table, case.quasi_identifiers, [case.value])
    assert by_profile(table) == expected
    assert len(table.sizes) == len(expected), "equal classes are one entry"


def check_column_values(source: Source, table: Table) -> None:
    for name, cells in labels(table).items():
        assert [
            label(cell) for cell in source.counts.columns_values([name])[0].to_pylist()
        ] == cells


def by_class(found: ClassTable, column: str) -> dict[Any, Counter[str | None]]:
    """The counts of what the values of a column mean, by the labels of their class."""
    assert found.labels is not None
    own = found.columns[column]
    assert own.class_sizes.tolist() == found.sizes.tolist()
    every = [found.labels[place] for place in range(len(found.sizes))]
    told: dict[Any, Counter[str | None]] = {row: Counter() for row in every}
    assert len(told) == len(every), "a class stands once"
    said = [meant(value) for value in own.values.labels]
    rows = zip(own.class_index, own.value_index, own.counts.tolist(), strict=True)
    for class_index, value_index, count in rows:
        counter = told[found.labels[class_index]]
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


def by_profile(found: ClassTable) -> Counter[Profile]:
    """How many classes are alike; the entries come in no order."""
    values: list[list[set[tuple[str | None, int]]]] = []
    for own in found.columns.values():
        said = [meant(value) for value in own.values.labels]
        assert len(set(said)) == len(said), "a value stands once"
        sets: list[set[tuple[str | None, int]]] = [set() for _ in found.sizes]
        order = own.class_index * (len(own.values.labels) + 1) + own.value_index
        assert (order[1:] > order[:-1]).all(), "pairs are ordered by class and then by value"
        for entry, place, count in zip(
            own.class_index.tolist(), own.value_index.tolist(), own.counts.tolist(), strict=True
        ):
            sets[entry].add((said[place], count))
        assert own.class_sizes.tolist() == found.sizes.tolist()
        values.append(sets)
    told: Counter[Profile] = Counter()
    for entry, (size, times) in enumerate(
        zip(found.sizes.tolist(), found.classes.tolist(), strict=True)
    ):
        own_values = tuple(frozenset(sets[entry]) for sets in values)
        told[Profile(entry == found.marked, size, own_values)] += times
    return told


def counted_profiles(table: Table, names: list[str], columns: Sequence[str]) -> Counter[Profile]:
    """The same from the rows: classes as they are spelled, values as they are meant."""
    members: dict[Any, list[tuple[str | None, ...]]] = {}
    values_of = zip(*(meanings(table, name) for name in columns), strict=True)
    for row, cells in zip(rows_of(table, names), values_of, strict=True):
        members.setdefault(row, []).append(cells)
    told: Counter[Profile] = Counter()
    for row, own in members.items():
        values = tuple(frozenset(Counter(cells).items()) for cells in zip(*own, strict=True))
        told[Profile(is_suppressed(row), len(own), values)] += 1
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
