"""Rows at risk: by hand, and against a loop over the rows."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.inputs import gather
from petaudit.measures import find_measure
from petaudit.pictures import RowsAtRisk, picture_from
from petaudit.pictures.rows_at_risk import THRESHOLDS


def pictured(name: str, options: dict[str, object], **given: object) -> RowsAtRisk:
    inputs = gather(given.pop("table"), quasi_identifiers=["zip"], **given)  # type: ignore[arg-type]
    measure = find_measure(name)
    assert measure.pictures is not None
    [result] = measure.pictures(inputs, measure.run(inputs, options))
    assert isinstance(result, RowsAtRisk)
    return result


def test_by_hand() -> None:
    table = pa.table({"zip": ["a"] * 4 + ["b"] * 5 + ["c"]})
    result = pictured("prosecutor-risk", {}, table=table)
    assert {entry.threshold: entry.rows for entry in result.points} == {
        **dict.fromkeys((0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15), 10),
        0.2: 5,
        0.25: 1,
        0.33: 1,
        0.5: 1,
    }
    assert (result.rows, result.threshold, result.rows_at_risk) == (10, 0.2, 5)


def test_the_population_counts_where_rows_are_matched_with_it() -> None:
    table = pa.table({"zip": ["a", "b"]})
    population = pa.table({"zip": ["a"] * 2 + ["b"] * 10})
    result = pictured("journalist-risk", {}, table=table, population=population)
    assert result.rows_at_risk == 1
    assert pictured("marketer-risk", {}, table=table, population=population).rows_at_risk == 1
    assert pictured("prosecutor-risk", {}, table=table, population=population).rows_at_risk == 2


@pytest.mark.parametrize("threshold", [0, 1, "0.123", 0.3333333333333333, Fraction(1, 3)])
def test_any_threshold(threshold: object) -> None:
    table = pa.table({"zip": ["a"] * 3 + ["b"]})
    result = pictured("prosecutor-risk", {"threshold": threshold}, table=table)
    assert result.threshold in [entry.threshold for entry in result.points]
    assert len(result.points) <= len(THRESHOLDS) + 1
    assert picture_from(result.to_dict()) == result


@given(
    sizes=st.lists(st.integers(1, 120), min_size=1, max_size=12),
    threshold=st.sampled_from(["0.2", "0.09", "0.5", "0.04"]),
)
def test_against_a_loop_over_rows(sizes: list[int], threshold: str) -> None:
    zips = [str(place) for place, size in enumerate(sizes) for _ in range(size)]
    result = pictured("prosecutor-risk", {"threshold": threshold}, table=pa.table({"zip": zips}))
    for entry in result.points:
        risk = Fraction(str(entry.threshold))
        assert entry.rows == sum(size for size in sizes if Fraction(1, size) > risk)
    assert result.rows == sum(sizes)
