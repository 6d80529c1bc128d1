"""Labels as numbers: ranges, generalised labels, nulls, rare and unknown ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from petaudit.labels.hierarchy import Hierarchy, LeavesUnder
from petaudit.learning import encoding
from petaudit.learning.encoding import (
    CategoryEncoder,
    NumberEncoder,
    NumberReader,
    are_numbers,
    class_places,
    feature_encoder,
    target_classes,
    target_numbers,
)
from petaudit.tables import ValueCounts


def counted(**rows: int) -> ValueCounts:
    labels = [None if label == "null" else label.removeprefix("n") for label in rows]
    return ValueCounts(tuple(labels), np.array(list(rows.values())))


def test_numbers_are_in_units_of_the_originals_standard_deviation() -> None:
    # 10 three times and 30 once: mean 15, variance (3 * 25 + 225) / 4 = 75.
    entry = NumberEncoder(counted(n10=3, n30=1), None)
    assert entry.encoded(["10", "30.0"])[:, 0] == pytest.approx(
        [-5 / math.sqrt(75), 15 / math.sqrt(75)], abs=1e-12
    )


@pytest.mark.parametrize(
    ("label", "number"),
    [("12", 12), ("[20,30[", 25), ("<=20", 15), (">20", 25), ("1*", 14.5), ("*", 20), ("?", 20)],
)
def test_a_label_counts_as_the_middle_of_what_it_may_be(label: str, number: float) -> None:
    entry = NumberEncoder(counted(n10=1, n30=1), None)
    assert entry.encoded([label]).tolist() == [[(number - 20) / 10, 0]]
    assert entry.unknown == (label == "?")


def test_a_hierarchy_tells_more_than_a_label() -> None:
    under = LeavesUnder(Hierarchy("age", [["10", "young"], ["14", "young"], ["50", "old"]]))
    entry = NumberEncoder(counted(n10=1, n30=1), under)
    assert entry.encoded(["young", "old", "*"])[:, 0].tolist() == [-0.8, 3.0, 1.0]


def test_a_constant_column_of_numbers_is_no_trouble() -> None:
    entry = NumberEncoder(counted(n7=4), None)
    assert entry.encoded(["7", "8", None, "1e400"]).tolist() == [[0, 0], [1, 0], [0, 1], [0, 0]]
    assert entry.encoded(["1e100"])[0, 0] == 1e6


TREE = LeavesUnder(
    Hierarchy("x", [["a", "A"], ["b", "A"], ["c", "C"], ["d", "C"], ["e", "E"], ["", "A"]])
)


def one_hot(entry: CategoryEncoder, label: str | None) -> dict[int, float]:
    [row] = entry.encoded([label]).tolist()
    return {place: share for place, share in enumerate(row) if share}


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("b", {1: 1.0}),
        (None, {4: 1.0}),
        # The original has a, b and null under A, of C only c, nothing under E.
        ("A", {0: 1 / 3, 1: 1 / 3, 4: 1 / 3}),
        ("C", {2: 1.0}),
        ("E", {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}),
        ("*", {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}),
    ],
)
def test_a_generalised_label_is_shared_among_the_originals_values(
    label: str | None, expected: dict[int, float]
) -> None:
    # Places: a, b, c, rare values, null.
    entry = CategoryEncoder(counted(a=2, b=1, c=1, null=1), TREE)
    if label == "*":
        # All leaves, null among them.
        expected = dict.fromkeys((0, 1, 2, 4), 0.25)
    assert one_hot(entry, label) == pytest.approx(expected)
    assert entry.unknown == 0


def test_unknown_labels_say_nothing_and_are_counted() -> None:
    entry = CategoryEncoder(counted(a=2, b=1), None)
    assert one_hot(entry, "z") == {0: 0.5, 1: 0.5}
    assert entry.unknown == 1
    assert one_hot(entry, "*") == {0: 0.5, 1: 0.5}
    assert entry.unknown == 1


def test_rare_values_count_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "MOST_VALUES", 2)
    entry = CategoryEncoder(counted(a=2, b=1, c=5, d=1), TREE)
    assert entry.merged == 2
    # Places: a, c, rare values, null.
    assert [one_hot(entry, label) for label in "abcd"] == [{0: 1}, {2: 1}, {1: 1}, {2: 1}]
    assert one_hot(entry, "C") == {1: 0.5, 2: 0.5}


def test_the_same_number_in_another_spelling_is_the_same_value() -> None:
    entry = CategoryEncoder(counted(n5=1, x=1), None)
    assert one_hot(entry, "5.0") == {0: 1.0}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"n1": 1, "n2.5": 1}, True),
        ({"n1": 1, "null": 1, "*": 1}, True),
        ({"n1": 1, "x": 1}, False),
        ({"null": 1}, False),
        ({"*": 2}, False),
        ({"n1e400": 1}, False),
    ],
)
def test_the_original_decides_what_a_number_is(labels: dict[str, int], expected: bool) -> None:
    counts = counted(**labels)
    assert are_numbers(counts) is expected
    kind = NumberEncoder if expected else CategoryEncoder
    assert isinstance(feature_encoder(counts, None), kind)


def test_targets() -> None:
    places = class_places(counted(a=2, b=1, **{"*": 1, "null": 3}))
    labels: list[Any] = ["b", "a", "*", None, "z", "A"]
    assert target_classes(places, labels).tolist() == [1, 0, -1, -1, -1, -1]
    reader = NumberReader.of(["10", "30", None, "*"], None)
    result = target_numbers(reader, ["10", "[10,20]", ">20", "*", None, "z"])
    assert result[:3].tolist() == [10, 15, 25]
    assert np.isnan(result[3:]).all()
