"""Figures of classes: floats to sort by, exact arithmetic to decide by."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.exact.class_figures import ClassFigures, ratio_figures

Entry = tuple[int, int, int, int]
"""Numerator, denominator, size and number of classes."""

NEAR = [10**15, 10**15 + 1, 2**60, 2**60 + 1, 2**60 + 2]
entries = st.lists(
    st.tuples(
        st.integers(0, 6) | st.sampled_from(NEAR),
        st.integers(0, 4) | st.sampled_from(NEAR),
        st.integers(1, 3),
        st.integers(1, 4),
    ).filter(lambda entry: entry[0] or entry[1]),
    max_size=12,
)


def figures(*given: Entry, scale: int = 1, dtype: Any = np.int64) -> ClassFigures:
    columns = list(zip(*given, strict=True)) if given else [(), (), (), ()]
    above, below = (np.array(column, dtype=dtype) for column in columns[:2])
    sizes, classes = (np.array(column, dtype=np.int64) for column in columns[2:])
    return ratio_figures(above, below, sizes, classes, scale)


def exact(item: Entry, scale: int = 1) -> Fraction | float:
    return Fraction(item[0], item[1] * scale) if item[1] else math.inf


@given(given=entries, scale=st.sampled_from([1, 3, 10**20]), dtype=st.sampled_from([int, object]))
def test_the_ends_are_exact(given: list[Entry], scale: int, dtype: Any) -> None:
    result = figures(*given, scale=scale, dtype=dtype)
    expected = [exact(item, scale) for item in given]
    assert result.largest == max(expected, default=0)
    assert result.smallest == min(expected, default=0)
    assert [result.exact(entry) for entry in range(len(given))] == expected


@given(given=entries, scale=st.sampled_from([1, 7, 10**20]))
def test_what_is_above_or_below_a_limit_is_told_exactly(given: list[Entry], scale: int) -> None:
    result = figures(*given, scale=scale)
    expected = [exact(item, scale) for item in given]
    tiny = Fraction(1, 10**45)
    near = {
        item + shift
        for item in expected
        if isinstance(item, Fraction)
        for shift in (-tiny, 0, tiny)
    }
    for limit in near | {Fraction(0), Fraction(10**30)}:
        above, below = result.above(limit), result.below(limit)
        assert above.tolist() == [item > limit for item in expected]
        assert below.tolist() == [item < limit for item in expected]
        rows = [
            (item[2] * item[3], item[3]) for item, is_it in zip(given, above, strict=True) if is_it
        ]
        assert result.rows(above) == sum(row for row, _ in rows)
        assert result.count(above) == sum(classes for _, classes in rows)


def test_figures_that_no_float_tells_apart_are_told_apart() -> None:
    """Of two classes of a size, the first looks as far as the second but is not."""
    result = figures((2**60, 3, 5, 1), (2**60 + 1, 3, 5, 1), (2**60 - 1, 3, 5, 1))
    assert result.values.tolist() == [2**60 / 3] * 3
    assert result.largest == Fraction(2**60 + 1, 3)
    assert result.smallest == Fraction(2**60 - 1, 3)
    assert result.above(Fraction(2**60, 3)).tolist() == [False, True, False]
    assert result.below(Fraction(2**60, 3)).tolist() == [False, False, True]


def test_without_classes_there_is_nothing() -> None:
    result = figures()
    assert (result.largest, result.smallest) == (0, 0)
    assert result.above(Fraction(0)).tolist() == result.below(Fraction(1)).tolist() == []
    assert result.folded(5, largest_first=True) == []
    assert result.order(largest_first=False).tolist() == []
    assert result.rows(result.above(Fraction(0))) == 0


def test_infinite_figures_are_the_largest_and_above_every_limit() -> None:
    result = figures((1, 0, 2, 1), (1, 2, 2, 1), (5, 0, 3, 2))
    assert (result.largest, result.smallest) == (math.inf, Fraction(1, 2))
    assert result.above(Fraction(10**300)).tolist() == [True, False, True]
    assert result.below(Fraction(10**300)).tolist() == [False, True, False]
    assert result.order(largest_first=True).tolist() == [2, 0, 1]
    assert result.folded(9, largest_first=True) == [(3, math.inf, 2), (2, math.inf, 1), (2, 0.5, 1)]
    nothing_else = figures((1, 0, 2, 1))
    assert (nothing_else.largest, nothing_else.smallest) == (math.inf, math.inf)


def test_the_worst_come_first_and_larger_classes_first_among_equals() -> None:
    result = figures((2, 4, 1, 1), (6, 12, 3, 1), (4, 4, 1, 1), (1, 4, 1, 1))
    assert result.order(largest_first=True).tolist() == [2, 1, 0, 3]
    assert result.order(largest_first=False).tolist() == [3, 1, 0, 2]


@pytest.mark.parametrize("largest_first", [True, False])
@pytest.mark.parametrize("most", [0, 1, 3, 5, 40])
@pytest.mark.parametrize("spread_over", [1, 2, 30, 4000])
def test_the_worst_are_the_same_whether_all_are_looked_at_or_not(
    most: int, spread_over: int, largest_first: bool
) -> None:
    """Equal ones are one, and none of them is left out; of 4,000 only a few are looked at."""
    numbers = np.arange(4000)
    above, sizes, classes = numbers * 7919 % spread_over, 1 + numbers % 3, 1 + numbers % 2
    result = ratio_figures(above, np.full(4000, spread_over), sizes, classes)
    every: Counter[tuple[float, int]] = Counter()
    for value, size, times in zip(above.tolist(), sizes.tolist(), classes.tolist(), strict=True):
        every[value / spread_over, size] += times
    sign = -1 if largest_first else 1
    expected = sorted(every, key=lambda own: (sign * own[0], -own[1]))[:most]
    assert result.folded(most, largest_first=largest_first) == [
        (size, value, every[value, size]) for value, size in expected
    ]
