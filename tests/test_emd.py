"""Both ways to compute a distance agree with the definition, in both kinds of integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

import strategies
from petaudit import emd
from petaudit.counts import ClassProfiles, ClassValueCounts, TableCounts, ValueCounts
from petaudit.hierarchies import Hierarchy
from petaudit.inputs import gather
from strategies import Closeness, Release

every_distance = pytest.mark.parametrize("ask", strategies.CLOSENESS, ids=lambda ask: ask.__name__)


def ground_of(asked: Closeness, values: ValueCounts) -> emd.Ground:
    if asked.distance == "ordered":
        ground = emd.ordered_ground(values)
        assert ground is not None
        return ground
    if asked.distance == "equal":
        return emd.equal_ground(values)
    assert asked.given is not None
    return emd.hierarchical_ground(values, Hierarchy.from_mapping(asked.column, asked.given))


def spread(distances: emd.ClassDistances) -> Counter[tuple[int, Fraction]]:
    """How many classes have each size and distance."""
    found: Counter[tuple[int, Fraction]] = Counter()
    for position, (size, classes) in enumerate(
        zip(distances.sizes.tolist(), distances.classes.tolist(), strict=True)
    ):
        found[size, distances.exact(position)] += classes
    return found


def both_ways(asked: Closeness) -> tuple[emd.ClassDistances, emd.ClassDistances]:
    counts = gather(asked.table, **asked.arguments).table.counts
    names, column, suppressed = asked.quasi_identifiers, asked.column, asked.suppressed
    values = counts.value_counts(column)
    ground = ground_of(asked, values)
    profiles = counts.class_profiles(names, column, ground.features_of_values, suppressed)
    assert profiles is not None
    pairs = counts.class_value_counts(names, column, suppressed)
    return (
        emd.distances_from_profiles(profiles, ground, values),
        emd.distances_from_pairs(pairs, ground, values),
    )


@every_distance
@settings(max_examples=40)
@given(release=strategies.releases())
def test_every_class_is_as_far_as_the_twin_says(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    expected = Counter((rows, distance) for rows, distance, _ in asked.exact_distances)
    for distances in both_ways(asked):
        assert distances.numerators.dtype == np.int64
        assert spread(distances) == expected
        assert spread(distances.folded()) == expected
        assert distances.largest == asked.exact_t


@every_distance
@settings(max_examples=25)
@given(release=strategies.releases())
def test_numbers_too_large_for_the_machine_change_nothing(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    with patch.object(emd, "_LARGEST_INT64", 0):
        for distances in both_ways(asked):
            assert distances.numerators.dtype == object
            assert spread(distances.folded()) == spread(distances)
            assert distances.largest == asked.exact_t


@every_distance
@settings(max_examples=25)
@given(release=strategies.releases())
def test_classes_above_a_limit_are_told_exactly(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    tiny = Fraction(1, 10**30)
    for distances in both_ways(asked):
        exact = [distances.exact(position) for position in range(len(distances.sizes))]
        for limit in {limit for near in exact for limit in (near - tiny, near, near + tiny)}:
            assert distances.above(limit).tolist() == [distance > limit for distance in exact]


def test_counts_beyond_64_bits_are_still_exact() -> None:
    # Half of the class and a third of the table have the first value: the distance is 1/6.
    rows = 3 * 2**40
    values = ValueCounts(("a", "b"), np.array([rows // 3, rows - rows // 3]))
    size = 2**39
    profiles = ClassProfiles(
        sizes=np.array([size]), classes=np.array([1]), counts_of=lambda _: np.array([size // 2])
    )
    pairs = ClassValueCounts(
        values, np.array([0, 0]), np.array([0, 1]), np.array([size // 2, size // 2])
    )
    ground = emd.equal_ground(values)
    for distances in (
        emd.distances_from_profiles(profiles, ground, values),
        emd.distances_from_pairs(pairs, ground, values),
    ):
        assert distances.numerators.dtype == object
        assert distances.largest == Fraction(1, 6)


def test_without_classes_the_largest_distance_is_zero() -> None:
    values = ValueCounts(("a",), np.array([2]))
    nothing = np.zeros(0, dtype=np.int64)
    pairs = ClassValueCounts(values, nothing, nothing, nothing)
    for ground in (
        emd.equal_ground(values),
        emd.ordered_ground(ValueCounts(("1",), values.counts)),
    ):
        assert ground is not None
        distances = emd.distances_from_pairs(pairs, ground, values)
        assert distances.largest == 0
        assert distances.folded().sizes.size == 0
        assert distances.worst(3) == []
        assert distances.above(Fraction(0)).tolist() == []


def test_the_worst_come_first_and_larger_classes_first_among_equals() -> None:
    numerators = np.array([2, 6, 4, 1])
    distances = emd.ClassDistances(numerators, np.array([1, 3, 1, 1]), np.ones(4, np.int64), 4)
    assert distances.worst(3) == [2, 1, 0]


@pytest.mark.parametrize("most", [0, 1, 3, 5, 40])
@pytest.mark.parametrize("spread_over", [1, 2, 30, 4000])
def test_the_farthest_can_be_picked_before_equal_ones_are_folded(
    most: int, spread_over: int
) -> None:
    numbers = np.arange(4000)
    distances = emd.ClassDistances(
        numerators=numbers * 7919 % spread_over,
        sizes=1 + numbers % 3,
        classes=1 + numbers % 2,
        scale=spread_over,
    )

    def farthest(found: emd.ClassDistances) -> list[tuple[Fraction, int, int]]:
        return [
            (found.exact(position), int(found.sizes[position]), int(found.classes[position]))
            for position in found.worst(most)
        ]

    assert farthest(distances.farthest_folded(most)) == farthest(distances.folded())


def test_text_has_no_order() -> None:
    assert emd.ordered_ground(ValueCounts(("1", "3k"), np.array([1, 1]))) is None


def test_a_label_under_two_parents_is_two_nodes() -> None:
    # Both towns are called Springfield, in different states: they meet only at the root.
    hierarchy = Hierarchy("home", [["A", "Springfield", "Ohio"], ["B", "Springfield", "Iowa"]])
    values = ValueCounts(("A", "B"), np.array([1, 1]))
    ground = emd.hierarchical_ground(values, hierarchy)
    assert ground.nodes == ((0, 1), (0, 1), (0, 1))


@pytest.mark.parametrize(("features", "expected"), [(1, True), (512, True), (513, False)])
def test_one_pass_counts_up_to_512_features(features: int, expected: bool) -> None:
    assert TableCounts.can_count_at_once(features) is expected
