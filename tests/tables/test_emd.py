"""Distances agree with the definition, however classes are counted, in both kinds of integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

import strategies
from budget import examples
from petaudit.exact.class_figures import ClassFigures
from petaudit.inputs import gather
from petaudit.labels.hierarchy import Hierarchy
from petaudit.tables import ClassValueCounts, ValueCounts, emd
from petaudit.tables.classes import packed as _packed
from petaudit.tables.classes.blocks import HeldBlocks
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


def spread(distances: ClassFigures) -> Counter[tuple[int, Fraction]]:
    """How many classes have each size and distance."""
    result: Counter[tuple[int, Fraction]] = Counter()
    for entry, (size, classes) in enumerate(
        zip(distances.sizes.tolist(), distances.classes.tolist(), strict=True)
    ):
        result[size, Fraction(distances.exact(entry))] += classes
    return result


def every_way(asked: Closeness) -> list[ClassFigures]:
    """From packed counters, from pairs with equal classes folded, and from every class alone."""
    result = []
    for values, reveal in ((_packed.MOST_VALUES, False), (-1, False), (-1, True)):
        inputs = replace(gather(asked.table, **asked.arguments), reveal_values=reveal)
        with patch.object(_packed, "MOST_VALUES", values):
            blocks = inputs.class_blocks
        assert isinstance(blocks, HeldBlocks)
        [whole] = blocks.tables()
        table = whole.judged(with_suppressed=inputs.suppressed == "class")
        pairs = table.columns[asked.column]
        ground = ground_of(asked, pairs.values)
        result.append(emd.class_distances(pairs, table.classes, ground))
    return result


@every_distance
@settings(max_examples=examples(40))
@given(release=strategies.releases())
def test_every_class_is_as_far_as_the_twin_says(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    expected = Counter((rows, distance) for rows, distance, _ in asked.exact_distances)
    for distances in every_way(asked):
        assert spread(distances) == expected
        assert distances.values.tolist() == pytest.approx(
            [float(distances.exact(entry)) for entry in range(len(distances.sizes))], rel=1e-15
        )
        assert distances.largest == asked.exact_t


@every_distance
@settings(max_examples=examples(25))
@given(release=strategies.releases())
def test_numbers_too_large_for_the_machine_change_nothing(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    for small, large in zip(every_way(asked), in_large_numbers(asked), strict=True):
        assert spread(small) == spread(large)
        assert small.values.tolist() == large.values.tolist()
        assert small.largest == large.largest == asked.exact_t


def in_large_numbers(asked: Closeness) -> list[ClassFigures]:
    with (
        patch.object(emd, "_LARGEST_INT64", 0),
        patch.object(emd, "ratio_figures", wraps=emd.ratio_figures) as made,
    ):
        result = every_way(asked)
    assert {call.args[0].dtype for call in made.call_args_list} == {np.dtype(object)}
    return result


@every_distance
@settings(max_examples=examples(25))
@given(release=strategies.releases())
def test_classes_above_a_limit_are_told_exactly(
    ask: Callable[[Release], Closeness], release: Release
) -> None:
    asked = ask(release)
    tiny = Fraction(1, 10**30)
    for distances in every_way(asked):
        exact = [distances.exact(entry) for entry in range(len(distances.sizes))]
        for limit in {limit for near in exact for limit in (near - tiny, near, near + tiny)}:
            assert distances.above(limit).tolist() == [distance > limit for distance in exact]
            assert distances.below(limit).tolist() == [distance < limit for distance in exact]


@pytest.mark.parametrize("power", [20, 40, 50])
def test_counts_beyond_64_bits_are_still_exact(power: int) -> None:
    # Half of a class and a third of the table have the first value: the distance is 1/6. One row
    # more of the first value in the other class, which is as large, makes it so much farther.
    rows = 3 * 2**power
    values = ValueCounts(("1", "2"), np.array([rows // 3, rows - rows // 3]))
    size = 2 ** (power - 1)
    half = size // 2
    pairs = ClassValueCounts(
        values,
        np.array([0, 0, 1, 1]),
        np.array([0, 1, 0, 1]),
        np.array([half, half, half + 1, half - 1]),
    )
    ordered = emd.ordered_ground(values)
    assert ordered is not None
    for ground in (emd.equal_ground(values), ordered):
        result = emd.class_distances(pairs, np.array([1, 1]), ground)
        farther = Fraction(1, 6) + Fraction(1, size)
        assert (result.smallest, result.largest) == (Fraction(1, 6), farther)
        assert result.above(Fraction(1, 6)).tolist() == [False, True]
        assert result.below(farther).tolist() == [True, False]


def test_without_classes_the_largest_distance_is_zero() -> None:
    values = ValueCounts(("a",), np.array([2]))
    nothing = np.zeros(0, dtype=np.int64)
    pairs = ClassValueCounts(values, nothing, nothing, nothing)
    for ground in (
        emd.equal_ground(values),
        emd.ordered_ground(ValueCounts(("1",), values.counts)),
    ):
        assert ground is not None
        distances = emd.class_distances(pairs, nothing, ground)
        assert distances.largest == 0
        assert distances.folded(3, largest_first=True) == []
        assert distances.above(Fraction(0)).tolist() == []


def test_text_has_no_order() -> None:
    assert emd.ordered_ground(ValueCounts(("1", "3k"), np.array([1, 1]))) is None


def test_a_label_under_two_parents_is_two_nodes() -> None:
    # Both towns are called Springfield, in different states: they meet only at the root.
    hierarchy = Hierarchy("home", [["A", "Springfield", "Ohio"], ["B", "Springfield", "Iowa"]])
    values = ValueCounts(("A", "B"), np.array([1, 1]))
    ground = emd.hierarchical_ground(values, hierarchy)
    assert ground.nodes == ((0, 1), (0, 1), (0, 1))
