"""The one-pass counts of all features of a class agree with the counts per class and value."""

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

from counts.checks import by_profile
from counts.engines import ENGINES, Column, Table, arrow_table, held_by, text
from petaudit.counts import TableCounts, _class_keys, open_source
from petaudit.counts._packing import Packing, likely_largest_class

Features = Sequence[Sequence[int]]


def from_pairs(
    counts: TableCounts, names: list[str], column: str, features: Features, suppressed: str
) -> Counter[tuple[int, ...]]:
    """The same profiles, added up from the counts per class and value."""
    pairs = counts.class_value_counts(names, column, suppressed)
    width = 1 + max((max(own, default=-1) for own in features), default=-1)
    totals: dict[int, list[int]] = {}
    for index, value, count in zip(
        pairs.class_index.tolist(), pairs.value_index.tolist(), pairs.counts.tolist(), strict=True
    ):
        own = totals.setdefault(index, [0] * (width + 1))
        own[0] += count
        for feature in features[value]:
            own[1 + feature] += count
    return Counter(tuple(own) for own in totals.values())


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


def misleading_table() -> Table:
    """Small classes first, then one of 900 rows that nobody expects after the first 100."""
    return {
        "a": text(*(f"small {row}" for row in range(100)), *["large"] * 900),
        "v": text(*("pqrst"[row % 5] for row in range(1000))),
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_a_guess_too_low_costs_a_second_pass_and_nothing_else(engine: str, tmp_path: Path) -> None:
    source = open_source(held_by(engine, misleading_table(), tmp_path))
    features = [[0], [1], [0, 2], [], [2]]
    with counted_passes(rows_sampled=100) as passes:
        found = source.counts.class_profiles(["a"], "v", features, "class")
    assert [packing.largest_count < 900 for packing in passes] == [True, False]
    assert found is not None
    expected = from_pairs(source.counts, ["a"], "v", features, "class")
    assert by_profile(found, 3) == expected


def test_a_known_histogram_makes_one_pass_enough() -> None:
    counts = open_source(arrow_table(misleading_table())).counts
    counts.class_histogram(["a"])
    with counted_passes(rows_sampled=100) as passes:
        counts.class_profiles(["a"], "v", [[0], [1], [2], [3], [4]], "exclude")
    assert [packing.largest_count for packing in passes] == [900]


def test_a_suppressed_class_larger_than_all_others_is_counted_too() -> None:
    table: Table = {"a": text(*["x"] * 3, *["*"] * 600), "v": text(*["p", "q", "p"] * 201)}
    counts = open_source(arrow_table(table)).counts
    counts.class_histogram(["a"])
    profiles = counts.class_profiles(["a"], "v", [[0], [1]], "class")
    assert profiles is not None
    assert by_profile(profiles, 2) == {(3, 2, 1): 1, (600, 400, 200): 1}


def test_too_many_features_for_one_pass_give_none() -> None:
    table: Table = {"a": text(*["x"] * 40), "v": Column("integer", list(range(40)))}
    counts = open_source(arrow_table(table)).counts
    few = [[place % 20] for place in range(40)]
    many = [[place, 40 + place * 20] for place in range(40)]
    assert counts.class_profiles(["a"], "v", few, "exclude") is not None
    assert counts.class_profiles(["a"], "v", many, "exclude") is None


def test_features_that_fit_the_guess_but_not_the_truth_give_none() -> None:
    counts = open_source(arrow_table(misleading_table())).counts
    with counted_passes(rows_sampled=100) as passes:
        features = [[199], [0], [1], [2], [3]]
        assert counts.class_profiles(["a"], "v", features, "exclude") is None
    assert len(passes) == 1


@pytest.mark.parametrize("kind", ["date", "decimal"])
def test_columns_that_cannot_be_weighed_give_none(kind: str) -> None:
    counts = open_source(arrow_table({"a": text("x"), "v": Column(kind, [None])})).counts
    assert counts.class_profiles(["a"], "v", [[0]], "exclude") is None
    assert counts.class_value_counts(["a"], "v", "exclude").counts.tolist() == [1]


def test_how_many_features_one_pass_may_hold() -> None:
    assert [TableCounts.can_count_at_once(features) for features in (0, 512, 513)] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("cells", ["ppp", [None] * 3], ids=["constant", "null"])
@pytest.mark.parametrize("engine", ENGINES)
def test_no_feature_at_all_still_tells_the_class_sizes(
    engine: str, cells: Sequence[str | None], tmp_path: Path
) -> None:
    """The ordered distance has no threshold to count where a column has a single value."""
    table: Table = {"a": text(*"xxy"), "v": text(*cells)}
    counts = open_source(held_by(engine, table, tmp_path)).counts
    profiles = counts.class_profiles(["a"], "v", [[]], "exclude")
    assert profiles is not None
    assert by_profile(profiles, 0) == {(2,): 1, (1,): 1}


CELLS = {
    "text": st.sampled_from(["p", "q", "r", "s", "*", None]),
    "integer": st.sampled_from([1, 2, 2**53, 2**53 + 1, None]),
    "float": st.sampled_from([0.5, -0.0, float("nan"), 3.0, None]),
    "boolean": st.sampled_from([True, False, None]),
}


@settings(max_examples=40, phases=(Phase.explicit, Phase.generate))
@given(data=st.data())
@pytest.mark.parametrize("engine", ["parquet", "polars", "pandas-nullable", "pyarrow"])
def test_profiles_agree_with_pairs_on_random_tables(
    engine: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = data.draw(st.integers(0, 60))
    kind = data.draw(st.sampled_from(sorted(CELLS)))
    # Ascending classes: the first rows show only the smallest labels.
    first = sorted(data.draw(st.lists(st.sampled_from("wxyz*"), min_size=rows, max_size=rows)))
    second = data.draw(st.lists(st.sampled_from("*1"), min_size=rows, max_size=rows))
    cells = data.draw(st.lists(CELLS[kind], min_size=rows, max_size=rows))
    table: Table = {"a": text(*first), "b": text(*second), "v": Column(kind, cells)}
    suppressed = data.draw(st.sampled_from(["exclude", "class"]))
    source = open_source(held_by(engine, table, tmp_path_factory.mktemp("table")))
    values = source.counts.value_counts("v").labels
    features = [sorted(data.draw(st.sets(st.integers(0, 30), max_size=4))) for _ in values]
    with counted_passes(rows_sampled=data.draw(st.sampled_from([1, 8, 65_536]))):
        found = source.counts.class_profiles(["a", "b"], "v", features, suppressed)
    assert found is not None
    expected = from_pairs(source.counts, ["a", "b"], "v", features, suppressed)
    width = 1 + max((max(own, default=-1) for own in features), default=-1)
    assert by_profile(found, width) == expected


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
    counts_of = packing.unpacker([np.array([word]) for word in sums])
    expected = [
        sum(count for count, own in zip(rows, of_values, strict=True) if feature in own)
        for feature in range(features)
    ]
    assert [counts_of(feature).tolist() for feature in range(features)] == [[n] for n in expected]


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
