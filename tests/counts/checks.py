"""What must be true of every count of a table, whatever holds the table."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from counts.engines import (
    Table,
    counted_by_class,
    counted_classes,
    counted_values,
    is_suppressed,
    label,
    labels,
)
from petaudit.counts import ClassProfiles, ClassValueCounts, Source


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
    check_class_sizes(source, case)
    classes = counted_classes(case.table, case.quasi_identifiers)
    # Without suppressed rows the two ways of treating them are one.
    for suppressed in ("exclude", "class") if any(map(is_suppressed, classes)) else ("exclude",):
        check_class_profiles(source, case, suppressed)
        check_class_value_counts(source, case, suppressed)
    check_class_histogram(source, case)
    check_column_values(source, case.table)


def check_value_counts(source: Source, table: Table) -> None:
    for name in labels(table):
        expected = counted_values(table, name)
        found = source.counts.value_counts(name)
        in_order = sorted(expected.items(), key=lambda item: _numbers_first(item[0]))
        assert list(zip(found.labels, found.counts.tolist(), strict=True)) == in_order
        assert found.rows == expected.total()


def check_class_sizes(source: Source, case: Case) -> None:
    expected = counted_classes(case.table, case.quasi_identifiers)
    found = source.counts.class_sizes(case.quasi_identifiers)
    in_order = sorted(expected.items(), key=lambda item: [_nulls_last(cell) for cell in item[0]])
    assert list(zip(found.labels, found.sizes.tolist(), strict=True)) == in_order


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


def check_class_value_counts(source: Source, case: Case, suppressed: str) -> None:
    expected = counted_by_class(case.table, case.quasi_identifiers, case.value, suppressed)
    found = source.counts.class_value_counts(
        case.quasi_identifiers, case.value, suppressed, labels=True
    )
    assert by_class(found) == expected
    sizes = dict(zip(found.class_labels or (), found.class_sizes.tolist(), strict=True))
    assert sizes == {row: counter.total() for row, counter in expected.items()}


def check_class_profiles(source: Source, case: Case, suppressed: str) -> None:
    """One feature per value, so that the profiles are the counts per class and value."""
    values = source.counts.value_counts(case.value).labels
    features = [[position] for position in range(len(values))]
    found = source.counts.class_profiles(case.quasi_identifiers, case.value, features, suppressed)
    if found is None:
        # Only such columns may be left to class_value_counts.
        assert case.table[case.value].kind in {"date", "datetime", "decimal"}
        return
    per_class = counted_by_class(case.table, case.quasi_identifiers, case.value, suppressed)
    expected = Counter(
        (own.total(), *(own[value] for value in values)) for own in per_class.values()
    )
    assert by_profile(found, len(values)) == expected


def check_column_values(source: Source, table: Table) -> None:
    for name, cells in labels(table).items():
        assert [label(cell) for cell in source.counts.column_values(name).to_pylist()] == cells


def by_class(found: ClassValueCounts) -> dict[Any, Counter[str | None]]:
    """The counts of values by the labels of their class."""
    assert found.class_labels is not None
    told: dict[Any, Counter[str | None]] = {}
    rows = zip(found.class_index, found.value_index, found.counts.tolist(), strict=True)
    for class_index, value_index, count in rows:
        own = told.setdefault(found.class_labels[class_index], Counter())
        value = found.values.labels[value_index]
        assert value not in own, "a class has each value once"
        own[value] = count
    return told


def by_profile(found: ClassProfiles, features: int) -> Counter[tuple[int, ...]]:
    """How many classes have each size and counts; the profiles come in no order."""
    counts = [found.counts_of(feature).tolist() for feature in range(features)]
    told: Counter[tuple[int, ...]] = Counter()
    for profile in zip(found.classes.tolist(), found.sizes.tolist(), *counts, strict=True):
        told[profile[1:]] += profile[0]
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


def _nulls_last(label: str | None) -> tuple[bool, str]:
    return (label is None, label or "")
