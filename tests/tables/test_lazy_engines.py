"""Engines that only describe their work until it is asked for; each test needs its engine."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from petaudit import non_uniform_entropy, t_closeness
from petaudit.errors import InputError
from petaudit.tables import open_source

TABLE = {
    "key": ["1", "2", "3", "4", "5", "6"],
    "zip, code": ["a", "a ", "b", None, "*", "*"],
    "age": ["1", "1", "2", "2", "*", "*"],
    "sick": ["x", "y", "x", None, "x", "y"],
}
QUASI_IDENTIFIERS = ["zip, code", "age"]


def dask_frame() -> Any:
    dataframes = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    return dataframes.from_pandas(pandas.DataFrame(TABLE), npartitions=2)


def ibis_frame() -> Any:
    return pytest.importorskip("ibis").memtable(pa.table(TABLE))


@pytest.fixture(params=["dask", "ibis", pytest.param("spark", marks=pytest.mark.spark)])
def frame(request: pytest.FixtureRequest) -> Any:
    if request.param == "spark":
        session = request.getfixturevalue("spark")
        return session.createDataFrame(list(zip(*TABLE.values(), strict=True)), list(TABLE))
    return {"dask": dask_frame, "ibis": ibis_frame}[request.param]()


def test_classes_are_counted_where_the_frame_lives(frame: Any) -> None:
    counts = open_source(frame).counts
    histogram = counts.class_histogram(QUASI_IDENTIFIERS)
    assert histogram.sizes.tolist() == [1, 2]
    assert histogram.classes.tolist() == [2, 1]
    assert histogram.suppressed_rows == 2
    assert counts.value_counts("zip, code").labels == ("*", "a", "b", None)


@pytest.mark.parametrize("reveal_values", [False, True])
def test_t_closeness_is_the_same_as_elsewhere(frame: Any, reveal_values: bool) -> None:
    given: dict[str, Any] = {
        "quasi_identifiers": QUASI_IDENTIFIERS,
        "sensitive": "sick",
        "reveal_values": reveal_values,
    }
    assert t_closeness(frame, **given).exact_value == Fraction(5, 6)
    assert t_closeness(pa.table(TABLE), **given).exact_value == Fraction(5, 6)


def test_rows_without_an_order_need_a_key(frame: Any) -> None:
    hierarchies = {"age": {"1": "*", "2": "*"}}
    original = pa.table(TABLE | {"age": ["1", "1", "2", "2", "1", "2"]})
    with pytest.raises(InputError, match="have no order; name a key column"):
        non_uniform_entropy(original, frame, hierarchies=hierarchies)
    by_key = non_uniform_entropy(original, frame, hierarchies=hierarchies, key="key")
    by_order = non_uniform_entropy(original, pa.table(TABLE), hierarchies=hierarchies)
    assert by_key.value == by_order.value
