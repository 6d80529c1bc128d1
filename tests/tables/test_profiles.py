"""Counting all values of every class in one pass, and folding equal classes, change no count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.tables import ClassTable, open_source
from petaudit.tables.classes import grouped as _grouped
from petaudit.tables.classes import keys as _class_keys
from petaudit.tables.classes import packed as _packed
from petaudit.tables.classes.packed import Packing, likely_largest_class, packed_classes
from tables.checks import (
    Case,
    Profile,
    by_profile,
    check_class_table,
    class_table,
    classes_of,
    counted_profiles,
)
from tables.engines import ENGINES, Column, Table, arrow_table, held_by, text

Features = Sequence[Sequence[int]]


@contextmanager
def counted_passes(rows_sampled: int) -> Iterator[list[Packing]]:
    """Guess the largest class from only so many rows, and note every pass over the table."""
    passes: list[Packing] = []
    weights = Packing.weights

    def noted(packing: Packing, features_of_values: Features) -> Any:
        passes.append(packing)
        return weights(packing, features_of_values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_class_keys, "_SAMPLE_ROWS", rows_sampled)
        patch.setattr(Packing, "weights", noted)
        yield passes


def misleading_table(values: str = "pqrst") -> Table:
    """Small classes first, then one of 900 rows that nobody expects after the first 100."""
    return {
        "a": text(*(f"small {row}" for row in range(100)), *["large"] * 900),
        "v": text(*(values[row % len(values)] for row in range(1000))),
        "w": text(*("xyz"[row % 3] for row in range(1000))),
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_a_guess_too_low_costs_a_second_pass_and_nothing_else(engine: str, tmp_path: Path) -> None:
    table = misleading_table()
    counts = open_source(held_by(engine, table, tmp_path)).counts
    with counted_passes(rows_sampled=100) as passes:
        result = class_table(counts, ["a"], ["v"])
    assert [packing.largest_count < 900 for packing in passes] == [True, False]
    assert by_profile(result) == counted_profiles(table, ["a"], ["v"])


def test_a_guess_too_low_costs_no_third_pass_for_a_second_column() -> None:
    """Every pass weighs both columns; the first one is enough to see that the guess was wrong."""
    table = misleading_table()
    counts = open_source(arrow_table(table)).counts
    with counted_passes(rows_sampled=100) as passes:
        result = class_table(counts, ["a"], ["v", "w"])
    assert [packing.largest_count < 900 for packing in passes] == [True, True, False, False]
    assert by_profile(result) == counted_profiles(table, ["a"], ["v", "w"])


def test_a_known_histogram_makes_one_pass_enough() -> None:
    counts = open_source(arrow_table(misleading_table())).counts
    counts.class_histogram(["a"])
    with counted_passes(rows_sampled=100) as passes:
        class_table(counts, ["a"], ["v"])
    assert [packing.largest_count for packing in passes] == [900]


def test_a_table_is_counted_once_and_tells_the_histogram() -> None:
    counts = open_source(arrow_table(misleading_table())).counts
    with counted_passes(rows_sampled=1000) as passes:
        result = class_table(counts, ["a"], ["v"])
        assert class_table(counts, ("a",), ["v"]) is result
    assert len(passes) == 1
    assert counts.knows_histogram(["a"])
    assert counts.class_histogram(["a"]) is result.histogram
    assert result.histogram.sizes.tolist() == [1, 900]
    assert result.histogram.classes.tolist() == [100, 1]


@pytest.mark.parametrize("labels", [False, True])
def test_a_suppressed_class_larger_than_all_others_is_counted_too(labels: bool) -> None:
    table: Table = {"a": text(*["x"] * 3, *["*"] * 600), "v": text(*["p", "q", "p"] * 201)}
    counts = open_source(arrow_table(table)).counts
    counts.class_histogram(["a"])
    result = class_table(counts, ["a"], ["v"], labels=labels)
    small = Profile(False, 3, (frozenset({("p", 2), ("q", 1)}),))
    large = Profile(True, 600, (frozenset({("p", 400), ("q", 200)}),))
    assert by_profile(result) == {small: 1, large: 1}
    assert by_profile(result.without_suppressed) == {small: 1}
    assert (result.suppressed_rows, result.without_suppressed.suppressed_rows) == (600, 0)
    assert result.without_suppressed.without_suppressed is result.without_suppressed
    if labels:
        assert result.labels is not None
        assert result.labels[result.marked or 0] == ("*",)
        assert result.without_suppressed.labels is not None
        assert result.without_suppressed.labels[0] == ("x",)


@pytest.mark.parametrize("engine", ["parquet", "pyarrow", "polars"])
@pytest.mark.parametrize(("distinct", "at_once"), [(20, True), (300, False), (700, False)], ids=str)
def test_too_many_values_for_one_pass_are_counted_another_way(
    engine: str, distinct: int, at_once: bool, tmp_path: Path
) -> None:
    # 300 counters are too many for one pass over classes of this size, 700 for any.
    table: Table = {
        "a": text(*("xyz"[row * row % 7 % 3] for row in range(1500))),
        "v": Column("integer", [row * 7919 % distinct for row in range(1500)]),
        "w": text(*("pq"[row % 11 % 2] for row in range(1500))),
    }
    source = open_source(held_by(engine, table, tmp_path))
    assert (packed_classes(source.counts, ["a"], ["v"]) is not None) is at_once
    check_class_table(source, Case(table, ["a"], "v"), ["v"])
    check_class_table(source, Case(table, ["a"], "v"), ["w", "v"])


def test_how_many_values_one_pass_may_hold() -> None:
    """All columns together; one row per class makes counters as small as they get."""
    for more, expected in ((0, True), (1, False)):
        table: Table = {
            "a": Column("integer", list(range(400))),
            "v": Column("integer", list(range(400))),
            "w": Column("integer", [row % (112 + more) for row in range(400)]),
        }
        counts = open_source(arrow_table(table)).counts
        assert (packed_classes(counts, ["a"], ["v", "w"]) is not None) is expected


def test_values_that_fit_the_guess_but_not_the_truth_are_counted_another_way() -> None:
    # 120 counters of a few bits fit in 24 floats, of ten bits and more they do not.
    table = misleading_table("".join(map(chr, range(0x4E00, 0x4E00 + 120))))
    counts = open_source(arrow_table(table)).counts
    with counted_passes(rows_sampled=100) as passes:
        assert packed_classes(counts, ["a"], ["v"]) is None
    assert len(passes) == 1
    assert by_profile(class_table(counts, ["a"], ["v"])) == counted_profiles(table, ["a"], ["v"])


@pytest.mark.parametrize("kind", ["date", "decimal"])
def test_columns_that_cannot_be_weighed_are_counted_another_way(kind: str) -> None:
    table: Table = {"a": text("x"), "v": Column(kind, [None]), "w": text("p")}
    counts = open_source(arrow_table(table)).counts
    for columns in (["v"], ["w", "v"]):
        assert packed_classes(counts, ["a"], columns) is None
        result = class_table(counts, ["a"], columns)
        assert by_profile(result) == counted_profiles(table, ["a"], columns)


@pytest.mark.parametrize("cells", ["ppp", [None] * 3], ids=["constant", "null"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_of_one_value_still_tells_the_class_sizes(
    engine: str, cells: Sequence[str | None], tmp_path: Path
) -> None:
    table: Table = {"a": text(*"xxy"), "v": text(*cells)}
    counts = open_source(held_by(engine, table, tmp_path)).counts
    assert sorted(class_table(counts, ["a"], ["v"]).sizes.tolist()) == [1, 2]
    assert by_profile(class_table(counts, ["a"], ["v"])) == counted_profiles(table, ["a"], ["v"])


CELLS = {
    "text": st.sampled_from(["p", "q", "r", "s", " p", "*", None]),
    "integer": st.sampled_from([1, 2, 2**53, 2**53 + 1, None]),
    "float": st.sampled_from([0.5, -0.0, float("nan"), 3.0, None]),
    "boolean": st.sampled_from([True, False, None]),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, list[str]]:
    """Two quasi-identifiers and one to three columns of values."""
    rows = draw(st.integers(0, 60))
    # Ascending classes: the first rows show only the smallest labels.
    first = sorted(draw(st.lists(st.sampled_from("wxyz*"), min_size=rows, max_size=rows)))
    second = draw(st.lists(st.sampled_from("*1"), min_size=rows, max_size=rows))
    table: Table = {"a": text(*first), "b": text(*second)}
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3))
    for place, kind in enumerate(kinds):
        cells = draw(st.lists(CELLS[kind], min_size=rows, max_size=rows))
        table[f"v{place}"] = Column(kind, cells)
    return table, [f"v{place}" for place in range(len(kinds))]


@settings(max_examples=examples(40), phases=(Phase.explicit, Phase.generate))
@given(drawn=tables(), rows_sampled=st.sampled_from([1, 8, 65_536]), at_once=st.booleans())
@pytest.mark.parametrize("engine", ["parquet", "polars", "pandas-nullable", "pyarrow"])
def test_folded_and_unfolded_classes_are_the_same_on_random_tables(
    engine: str,
    drawn: tuple[Table, list[str]],
    rows_sampled: int,
    at_once: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    table, columns = drawn
    source = open_source(held_by(engine, table, tmp_path_factory.mktemp("table")))
    with counted_passes(rows_sampled) as passes, pytest.MonkeyPatch.context() as patch:
        if not at_once:
            patch.setattr(_packed, "MOST_VALUES", -1)
        check_class_table(source, Case(table, ["a", "b"], columns[0]), columns)
    assert bool(passes) is (at_once and source.rows > 0)


@settings(max_examples=examples(40), phases=(Phase.explicit, Phase.generate))
@given(drawn=tables(), rows_per_block=st.sampled_from([1, 2, 7, 65_536]))
def test_blocks_of_classes_are_the_same_on_random_tables(
    drawn: tuple[Table, list[str]], rows_per_block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What large files with many classes and many values come to."""
    table, columns = drawn
    source = open_source(held_by("parquet", table, tmp_path_factory.mktemp("table")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_packed, "MOST_VALUES", -1)
        patch.setattr(_class_keys, "_LARGE_TABLE", 0)
        patch.setattr(_class_keys, "_has_few_classes", lambda _: False)
        patch.setattr(_grouped, "_ROWS_PER_BLOCK", rows_per_block)
        check_class_table(source, Case(table, ["a", "b"], columns[0]), columns)


# How equal classes are folded --------------------------------------------------------------------


def spelled(table: ClassTable) -> Counter[tuple[bool, int, frozenset[tuple[int, int]]]]:
    item: list[set[tuple[int, int]]] = [set() for _ in table.sizes]
    [column] = table.columns.values()
    index = zip(column.class_index, column.value_index, column.counts, strict=True)
    for entry, value, count in index:
        item[entry].add((int(value), int(count)))
    told: Counter[tuple[bool, int, frozenset[tuple[int, int]]]] = Counter()
    for entry, (size, times) in enumerate(
        zip(table.sizes.tolist(), table.classes.tolist(), strict=True)
    ):
        told[entry == table.marked, size, frozenset(item[entry])] += times
    return told


def test_equal_classes_are_one_entry() -> None:
    folded = classes_of({0: 2}, {0: 1, 1: 1}, {0: 2}, {1: 1, 0: 1}, {1: 2}).folded()
    assert folded.classes.tolist() == [2, 2, 1]
    assert spelled(folded) == {
        (False, 2, frozenset({(0, 2)})): 2,
        (False, 2, frozenset({(0, 1), (1, 1)})): 2,
        (False, 2, frozenset({(1, 2)})): 1,
    }


def test_the_suppressed_class_is_folded_with_no_other() -> None:
    folded = classes_of({0: 2}, {0: 2}, {0: 2}, {0: 2}, marked=2).folded()
    assert sorted(folded.classes.tolist()) == [1, 3]
    assert folded.marked is not None
    assert folded.classes[folded.marked] == 1


def test_large_classes_stay_as_they_are() -> None:
    for count, entries in ((63, 1), (64, 2)):
        assert len(classes_of({0: count}, {0: count}).folded().sizes) == entries


@pytest.mark.parametrize("values", [1, 3, 1000, 2**20])
def test_a_class_with_too_many_values_for_a_number_stays_as_it_is(values: int) -> None:
    """With the last values of the column, whose numbers are the largest."""
    most = min(values, 12)
    wide = {values - 1 - place: 1 for place in range(most)}
    other = {values - 1 - place: 1 + (place == 0) for place in range(most)}
    classes = [wide, other, wide, {values - 1: 63}, {values - 1: 62}, {values - 1: 63}]
    table = classes_of(*classes, values=values)
    folded = table.folded()
    assert spelled(folded) == spelled(table)
    assert (folded.sizes == 63).sum() == 1


@given(
    classes=st.lists(
        st.dictionaries(st.integers(0, 5), st.integers(1, 70), min_size=1, max_size=6), max_size=12
    ),
    times=st.lists(st.integers(1, 5), min_size=24, max_size=24),
    values=st.sampled_from([6, 50, 5000]),
    data=st.data(),
)
def test_folding_changes_no_count(
    classes: list[dict[int, int]], times: list[int], values: int, data: st.DataObject
) -> None:
    every = [*classes, *classes[::-1]]
    marked = data.draw(st.none() | st.integers(0, len(every) - 1)) if every else None
    table = classes_of(*every, values=values, marked=marked, times=times[: len(every)])
    folded = table.folded()
    assert spelled(folded) == spelled(table)
    assert spelled(folded.folded()) == spelled(table)
    most = data.draw(st.integers(1, 30))
    parts = list(table.cut(most))
    told: Counter[Any] = Counter()
    for part in parts:
        told += spelled(part)
    assert told == spelled(table)
    assert len(parts) == 1 or all(len(part.columns["v"].counts) < most + 6 for part in parts)


# How counters are packed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "largest", "bits", "per_word", "words"),
    [
        (0, 1, 1, 52, 0),
        (52, 1, 1, 52, 1),
        (53, 1, 1, 52, 2),
        (10, 3, 2, 26, 1),
        (10, 4, 3, 17, 1),
        (3, 2**26 - 1, 26, 2, 2),
        (3, 2**26, 27, 1, 3),
        (2, 2**51, 52, 1, 2),
    ],
)
def test_room_for_counters(
    features: int, largest: int, bits: int, per_word: int, words: int
) -> None:
    packing = Packing(features, largest)
    assert (packing.bits, packing.per_word, packing.words) == (bits, per_word, words)


@given(largest=st.integers(1, 2**51))
def test_all_counters_of_a_word_stay_exact_in_a_float(largest: int) -> None:
    packing = Packing(features=200, largest_count=largest)
    fullest = sum(largest << (packing.bits * slot) for slot in range(packing.per_word))
    assert int(float(fullest)) == fullest


@given(data=st.data())
def test_packed_counts_come_back(data: st.DataObject) -> None:
    features = data.draw(st.integers(1, 40))
    largest = data.draw(st.sampled_from([1, 2, 3, 7, 8, 1000, 2**20, 2**40]))
    packing = Packing(features, largest)
    # The rows of one class: how many hold each value; no feature exceeds the class.
    of_values = data.draw(
        st.lists(st.lists(st.integers(0, features - 1), unique=True), min_size=1, max_size=5)
    )
    rows = [data.draw(st.integers(0, largest // len(of_values))) for _ in of_values]
    sums = np.array(rows, dtype=np.float64) @ packing.weights(of_values)
    counters = packing.counters([np.array([word]) for word in sums])
    expected = [
        sum(count for count, row in zip(rows, of_values, strict=True) if feature in row)
        for feature in range(features)
    ]
    assert [counts.tolist() for counts in counters] == [[n] for n in expected]


@given(
    sizes=st.dictionaries(st.integers(1, 500), st.integers(1, 500), max_size=6),
    more=st.integers(0, 10**7),
)
def test_the_guess_is_at_least_what_the_sample_shows(sizes: dict[int, int], more: int) -> None:
    sampled = sum(size * classes for size, classes in sizes.items())
    guess = likely_largest_class(
        np.array(list(sizes), dtype=np.int64),
        np.array(list(sizes.values()), dtype=np.int64),
        sampled + more,
    )
    assert guess >= max(sizes, default=1)


@given(data=st.data())
def test_a_counter_that_runs_over_is_noticed(data: st.DataObject) -> None:
    """Wherever it spills, the sum of all counters tells that one was too small."""
    features = data.draw(st.integers(1, 30))
    packing = Packing(features, data.draw(st.sampled_from([1, 3, 7, 100])))
    capacity = 2**packing.bits - 1
    counters = data.draw(
        st.lists(st.integers(0, 2 * capacity + 2), min_size=features, max_size=features)
    )
    of_values = [[feature] for feature in range(features)]
    sums = np.array(counters, dtype=np.float64) @ packing.weights(of_values)
    total = packing.total([np.array([word]) for word in sums], np.array([1]))
    assert (total == sum(counters)) == (max(counters) <= capacity)
