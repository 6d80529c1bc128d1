"""Frames of the caller: what their engines do in their own way, and what is refused."""

from __future__ import annotations

import gc
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from petaudit.errors import ColumnError, InputError
from petaudit.tables import open_source
from tables.checks import class_sizes


def counted(frame: Any) -> dict[str | None, int]:
    result = open_source(frame).counts.value_counts("a")
    assert len(set(result.labels)) == len(result.labels), "a label stands once"
    return dict(zip(result.labels, result.counts.tolist(), strict=True))


# pandas ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 1], {"1": 2, "2": 1}),
        ([1, None, 1], {"1": 2, None: 1}),
        ([1.0, 2.5, None], {"1": 1, "2.5": 1, None: 1}),
        ([True, None], {"True": 1, None: 1}),
        ([datetime(2020, 1, 2), None], {"2020-01-02": 1, None: 1}),
        ([Decimal("1.50"), None], {"1.5": 1, None: 1}),
        (["x ", "x", None], {"x": 2, None: 1}),
    ],
    ids=["integers", "integers with gaps", "floats", "booleans", "dates", "decimals", "text"],
)
def test_categories_are_labelled_as_their_values_would_be(
    values: list[Any], expected: dict[str | None, int]
) -> None:
    assert counted(pd.DataFrame({"a": pd.Categorical(values)})) == expected


def test_the_callers_frame_is_left_alone() -> None:
    frame = pd.DataFrame({" a ": ["x ", None], "b": pd.Series([True, None], dtype=object)})
    frame.index = pd.Index(["r1", "r2"])
    before = frame.copy(deep=True)
    source = open_source(frame)
    source.counts.class_histogram(["a", "b"])
    pd.testing.assert_frame_equal(frame, before)


def test_column_names_that_are_numbers() -> None:
    source = open_source(pd.DataFrame({0: ["x", "x"], 17: ["y", "z"]}))
    assert source.columns == ("0", "17")
    assert class_sizes(source.counts, ["0", "17"]) == {("x", "y"): 1, ("x", "z"): 1}


def test_an_index_of_several_levels_is_no_column() -> None:
    frame = pd.DataFrame({"g": ["p", "q"], "h": [1, 2], "a": ["x", "y"]}).set_index(["g", "h"])
    assert open_source(frame).columns == ("a",)


@pytest.mark.parametrize(
    "cells",
    [[np.nan, None, "x"], [pd.NA, None, "x"], [pd.NaT, pd.NA, "x"]],
    ids=["nan", "NA", "NaT"],
)
def test_all_nulls_of_an_object_column_are_one(cells: list[Any]) -> None:
    assert counted(pd.DataFrame({"a": pd.Series(cells, dtype=object)})) == {"x": 1, None: 2}


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["x", 1], "mixed"),
        ([1, "x"], "mixed"),
        ([True, "x"], "mixed"),
        ([date(2020, 1, 2), "x"], "mixed"),
        ([object()], "objects"),
    ],
)
def test_columns_of_mixed_kinds_are_refused_by_name(cells: list[Any], kind: str) -> None:
    with pytest.raises(ColumnError, match="'my column'"):
        open_source(pd.DataFrame({"my column": pd.Series(cells, dtype=object)}))


# Kinds of columns --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["x ", None, "x"], pa.large_string()),
        pa.array(["x ", None, "x"], pa.string_view()),
        pa.array(["x ", None, "x"]).dictionary_encode(),
    ],
    ids=["large_string", "string_view", "dictionary"],
)
def test_every_arrow_form_of_text(array: pa.Array) -> None:
    assert counted(pa.table({"a": array})) == {"x": 2, None: 1}


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_integers_of_any_width(kind: str) -> None:
    assert counted(pa.table({"a": pa.array([7, None, 7], kind)})) == {"7": 2, None: 1}


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("holder", [pa.table, pd.DataFrame, pl.DataFrame])
def test_floats_of_any_width(kind: str, holder: Any) -> None:
    values = np.array([1.5, 1.5, 7.0], kind)
    column = pl.Series(values) if holder is pl.DataFrame else values
    column = pa.array(values) if holder is pa.table else column
    assert counted(holder({"a": column})) == {"1.5": 2, "7": 1}


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (time(1, 2, 3), "01:02:03"),
        (timedelta(days=1, hours=2), "1 day, 2:00:00"),
        (datetime(2020, 1, 2, 3, 4, 5, 600), "2020-01-02 03:04:05.000600"),
        (datetime(2020, 1, 2), "2020-01-02"),
        (date(2020, 1, 2), "2020-01-02"),
        (Decimal("12.340"), "12.34"),
    ],
)
@pytest.mark.parametrize("holder", [pa.table, pl.DataFrame])
def test_times_and_decimals_have_one_spelling(value: Any, label: str, holder: Any) -> None:
    assert counted(holder({"a": [value, value, None]})) == {label: 2, None: 1}


@pytest.mark.parametrize("engine", ["polars", "pandas", "pyarrow", "duckdb"])
def test_nanoseconds_apart_are_two_values(engine: str) -> None:
    table = pa.table({"a": pa.array([1, 2, 2, 1001], pa.timestamp("ns"))})
    frame: Any = {
        "polars": lambda: pl.DataFrame(table),
        "pandas": table.to_pandas,
        "pyarrow": lambda: table,
        "duckdb": lambda: duckdb.from_arrow(table),
    }[engine]()
    assert sorted(counted(frame).values()) == [1, 1, 2]


@pytest.mark.parametrize(
    "column",
    [pl.Series([[1]]), pl.Series([{"x": 1}]), pl.Series([b"x"]), pl.Series([object()])],
    ids=["list", "struct", "binary", "object"],
)
def test_columns_that_cannot_be_counted_are_refused_by_name_when_used(column: pl.Series) -> None:
    """A column of lists is no obstacle as long as nobody asks about it."""
    source = open_source(pl.DataFrame({"my column": column, "zip": ["476**"]}))
    assert source.counts.class_histogram(["zip"]).rows == 1
    for ask in (
        lambda: source.counts.value_counts("my column"),
        lambda: source.counts.class_histogram(["zip", "my column"]),
        lambda: source.counts.class_blocks(["my column"], ["zip"]),
        lambda: source.counts.class_blocks(["zip"], ["my column"]),
        lambda: source.counts.class_blocks(["zip"], ["zip", "my column"], labels=True),
    ):
        with pytest.raises(ColumnError, match=r"'my column' is of kind .* cannot be counted"):
            ask()


# Names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["x", "y"]], columns=["a", "a"]),
        pd.DataFrame({0: ["x"], "0": ["y"]}),
        pl.DataFrame({" a": ["x"], "a\u3000": ["y"]}),
        pa.table([["x"], ["y"]], names=["a", "a "]),
    ],
    ids=["equal", "number and text", "blanks", "arrow"],
)
def test_a_name_twice_is_refused(frame: Any) -> None:
    named = r"the frame has column ('a'|number 1 \(.*\)) more than once"
    with pytest.raises(ColumnError, match=named):
        open_source(frame)


def test_arrow_names_that_are_equal_are_refused_too() -> None:
    with pytest.raises(ColumnError, match="'a'"):
        open_source(pa.table([["x"], ["y"]], names=["a", "a"]))


@pytest.mark.parametrize("frame", [pd.DataFrame(), pl.DataFrame(), pl.LazyFrame(), pa.table({})])
def test_a_frame_without_columns_is_refused(frame: Any) -> None:
    with pytest.raises(InputError, match="the frame has no column"):
        open_source(frame)


# Life of a frame ---------------------------------------------------------------------------------


def test_a_relation_outlives_the_variable_that_held_it() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range % 3 AS a FROM range(9)")
    source = open_source(connection.table("t"))
    del connection
    gc.collect()
    assert source.counts.value_counts("a").counts.tolist() == [3, 3, 3]


def test_a_query_as_a_relation() -> None:
    assert counted(duckdb.sql("SELECT 'x ' AS a UNION ALL SELECT NULL")) == {"x": 1, None: 1}


def test_a_lazy_frame_that_fails_names_no_cell() -> None:
    lazy = pl.LazyFrame({"a": ["s3cr3t"]}).with_columns(pl.col("a").cast(pl.Int64))
    with pytest.raises(Exception, match="polars") as caught:
        open_source(lazy).counts.value_counts("a")
    assert "s3cr3t" not in str(caught.value)
