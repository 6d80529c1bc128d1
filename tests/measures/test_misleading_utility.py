"""Figures that must not look better than the truth: dates, codes, all-different labels."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from petaudit.errors import NotMeasurableError, PetauditWarning
from petaudit.measures.association_change import association_change
from petaudit.measures.distribution_distance import distribution_distance

DRAW = np.random.default_rng(16)


def test_a_shuffled_date_is_no_kept_relation() -> None:
    admitted = [date(2020, 1, 1) + timedelta(days=3 * row) for row in range(200)]
    discharged = [day + timedelta(days=1 + row % 7) for row, day in enumerate(admitted)]
    shuffled = [discharged[place] for place in DRAW.permutation(len(discharged))]
    original = {"admitted": admitted, "discharged": discharged}
    result = association_change(pa.table(original), pa.table(original | {"discharged": shuffled}))
    [pair] = result.pairs
    assert (pair.kind, pair.coefficient) == ("number-number", "pearson")
    assert pair.original == pytest.approx(1, abs=1e-3)
    assert abs(pair.released or 0) < 0.2
    assert result.value > 0.4


def test_two_samples_of_one_distribution_are_close() -> None:
    one, other = DRAW.normal(size=(2, 1000))
    result = distribution_distance(pa.table({"x": one}), pa.table({"x": other}))
    assert result.value < 0.1
    assert result.columns[0].total_variation == 1


def test_two_samples_of_dates_are_close() -> None:
    days = [
        [date(1950, 1, 1) + timedelta(days=int(day)) for day in DRAW.integers(0, 20_000, 500)]
        for _ in range(2)
    ]
    result = distribution_distance(pa.table({"x": days[0]}), pa.table({"x": days[1]}))
    assert result.value < 0.15


def test_nothing_can_be_told_of_labels_that_are_nearly_all_different() -> None:
    names, codes = [f"n{row}" for row in range(50)], [f"c{row}" for row in range(50)]
    original = pa.table({"name": names, "code": codes})
    released = pa.table({"name": names, "code": codes[::-1]})
    with pytest.raises(NotMeasurableError, match="nothing can be said"):
        association_change(original, released)
    with_sex = [table.append_column("sex", [["F", "M"] * 25]) for table in (original, released)]
    pay = pa.array(range(50))
    with pytest.warns(PetauditWarning, match="nothing can be said about 5 pairs"):
        result = association_change(*(entry.append_column("pay", pay) for entry in with_sex))
    assert [entry.change is None for entry in result.pairs] == [True] * 5 + [False]


def test_chance_is_no_association_of_labels() -> None:
    one, other = ([f"v{entry}" for entry in DRAW.integers(0, 40, 200)] for _ in range(2))
    same = pa.table({"x": one, "y": one})
    [pair] = association_change(same, pa.table({"x": one, "y": other})).pairs
    assert pair.original == pytest.approx(1)
    assert pair.change is not None
    assert pair.change > 0.8


def test_chance_is_no_association_of_labels_and_numbers() -> None:
    labels = [f"v{entry}" for entry in DRAW.integers(0, 80, 400)]
    numbers = [int(entry[1:]) for entry in labels]
    shuffled = DRAW.permutation(numbers)
    [pair] = association_change(
        pa.table({"x": labels, "y": numbers}), pa.table({"x": labels, "y": shuffled})
    ).pairs
    assert pair.original == pytest.approx(1)
    assert pair.change is not None
    assert pair.change > 0.7


def test_a_column_of_stars_is_as_far_away_as_can_be() -> None:
    original = pa.table({"x": ["1", "2", "3", "4"]})
    released = pa.table({"x": ["*"] * 4})
    tree = {"1": ["low"], "2": ["low"], "3": ["high"], "4": ["high"]}
    assert distribution_distance(original, released, hierarchies={"x": tree}).value == 1


def test_nulls_are_not_forgotten_among_numbers() -> None:
    original = pa.table({"x": range(100)})
    released = pa.table({"x": [entry if entry % 10 == 0 else None for entry in range(100)]})
    result = distribution_distance(original, released)
    assert result.value >= 0.9
    assert distribution_distance(original, released, figure="wasserstein").value >= 0.9


def test_one_released_outlier_does_not_make_numbers_close() -> None:
    original = pa.table({"x": [*range(100)]})
    released = pa.table({"x": [*range(100, 199), 10**9]})
    assert distribution_distance(original, released, figure="wasserstein").value == 1


def test_years_for_dates_are_not_compared_as_numbers() -> None:
    days = [date(1950, 1, 1) + timedelta(days=100 * row) for row in range(100)]
    years = [day.year for day in days]
    with pytest.warns(PetauditWarning, match="cannot be compared with the dates"):
        result = distribution_distance(pa.table({"x": days}), pa.table({"x": years}))
    assert result.value == 1


def test_codes_with_leading_zeros_are_labels() -> None:
    zips = [f"{entry:05d}" for entry in DRAW.integers(0, 5000, 300)]
    next_door = [f"{int(entry) + 1:05d}" for entry in zips]
    result = distribution_distance(pa.table({"zip": zips}), pa.table({"zip": next_door}))
    assert result.columns[0].kind == "labels"
    assert result.value > 0.9
