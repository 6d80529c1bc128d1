"""Columns as engines hold them: categories, times to the nanosecond, what cannot be compared."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import ColumnError, InputError, PetauditError
from singling.frames import arrow, rows_of

CATEGORIES = {
    "pandas": lambda cells: pd.DataFrame({"a": pd.Categorical(cells)}),
    # Categories that no row has, in another order.
    "pandas with more": lambda cells: pd.DataFrame(
        {"a": pd.Categorical(cells, categories=["z", "y", "x", "w"])}
    ),
    "polars": lambda cells: pl.DataFrame({"a": pl.Series(cells, dtype=pl.Categorical)}),
    "polars enum": lambda cells: pl.DataFrame(
        {"a": pl.Series(cells, dtype=pl.Enum(["y", "z", "x"]))}
    ),
    "pyarrow": lambda cells: pa.table({"a": pa.array(cells).dictionary_encode()}),
    "text": lambda cells: pa.table({"a": cells}),
}


@pytest.mark.parametrize("synthetic", CATEGORIES)
@pytest.mark.parametrize("original", CATEGORIES)
def test_categories(original: str, synthetic: str) -> None:
    result = petaudit.mpuccs(
        CATEGORIES[original](["x", "y", "y", None]),
        CATEGORIES[synthetic](["z", "x", None, "y", "y"]),
        deduplicate=False,
    )
    outcome = [(row["syn_row"], row["ori_row"]) for row in rows_of(result.details)]
    assert outcome == [(1, 0), (2, 3)]


def test_categories_of_numbers() -> None:
    frame = pd.DataFrame({"a": pd.Categorical([10, 20, 20])})
    result = petaudit.mpuccs(frame, pd.DataFrame({"a": [10.0, 30.0]}), deduplicate=False)
    assert [row["syn_row"] for row in rows_of(result.details)] == [0]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_values_keep_their_kind(kind: Any) -> None:
    row: dict[str, list[Any]] = {
        "number": [3],
        "share": [0.25],
        "text": ["x"],
        "truth": [True],
        "nothing": [None],
        "moment": [datetime(2020, 1, 1, 5)],
    }
    if kind is pl.DataFrame:
        row["day"] = [date(2020, 1, 1)]
    for name, cells in row.items():
        frame = kind({name: cells})
        [values] = petaudit.mpuccs(frame, frame).details["value_combo"]
        assert values == tuple(cells)
        assert type(values[0]) is type(cells[0])


def times(*stamps: str) -> dict[str, Any]:
    values = np.array(stamps, dtype="datetime64[ns]")
    return {
        "pandas": pd.DataFrame({"a": values}),
        "polars": pl.DataFrame({"a": values}),
        "pyarrow": pa.table({"a": pa.array(values)}),
    }


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("unit", "finest"),
    [
        ("D", "2020-01-01T00:00:00"),
        ("H", "2020-01-01T05:00:00"),
        ("T", "2020-01-01T00:05:00"),
        ("s", "2020-01-01T00:00:05"),
        ("ms", "2020-01-01T00:00:00.005"),
        ("us", "2020-01-01T00:00:00.000005"),
        ("ns", "2020-01-01T00:00:00.000000005"),
    ],
)
def test_units(engine: str, unit: str, finest: str) -> None:
    # One value of many decides, wherever it stands; times before 1970 floor as well.
    original = times("1931-05-06T00:00:00", *["2020-03-04T00:00:00"] * 200, finest)[engine]
    synthetic = times("1931-05-06T00:00:00.000000004", "2020-01-01T23:59:59.999999999")[engine]
    result = petaudit.mpuccs(original, synthetic)
    assert result.precision == {"a": unit}
    outcome = {row["syn_row"] for row in rows_of(result.details)}
    assert outcome == {"D": {0, 1}, "ns": set()}.get(unit, {0})


@pytest.mark.parametrize(
    ("given", "unit", "found"),
    [
        ("D", "D", [0, 1]),
        ("d", "D", [0, 1]),
        ("h", "H", [0]),
        ("H", "H", [0]),
        ("T", "T", [0]),
        ("min", "T", [0]),
        ("MIN", "T", [0]),
        ("S", "s", [0]),
        ("s", "s", [0]),
        ("MS", "ms", []),
        ("Us", "us", []),
        ("NS", "ns", []),
    ],
)
def test_units_given(given: str, unit: str, found: list[int]) -> None:
    original = times("2020-01-01T00:00:05.000000001", "2020-01-02T00:00:00")["pandas"]
    synthetic = times("2020-01-01T00:00:05.123456789", "2020-01-02T13:14:15")["pandas"]
    result = petaudit.mpuccs(original, synthetic, datetime_precision=given)
    assert [row["syn_row"] for row in rows_of(result.details)] == found
    assert result.precision == {"a": unit}


def test_times_in_units_of_different_size() -> None:
    seconds = pa.table({"a": pa.array([datetime(2020, 1, 1, 0, 0, 5)], pa.timestamp("s"))})
    nanoseconds = pa.table({"a": pa.array([datetime(2020, 1, 1, 0, 0, 5)], pa.timestamp("ns"))})
    for pair in ((seconds, nanoseconds), (nanoseconds, seconds)):
        assert rows_of(petaudit.mpuccs(*pair).details)[0]["syn_idx"] == 0


def test_precision_is_that_of_each_column() -> None:
    original = {
        "whole": [1, 2],
        "float": [1.0, 2.0],
        "fine": [1.25, 2.0],
        "truth": [True, False],
        "text": ["1.25", "x"],
        "nothing": [None, None],
        "day": [date(2020, 1, 1), date(2020, 1, 2)],
        "moment": [datetime(2020, 1, 1), datetime(2020, 1, 2, 3, 4)],
    }
    synthetic = original | {"nothing": [1.5, 2.5]}
    expected = {
        "whole": 0,
        "float": 0,
        "fine": 2,
        "truth": 0,
        "text": None,
        "nothing": None,
        "day": "D",
        "moment": "T",
    }
    result = petaudit.mpuccs(arrow(original), arrow(synthetic), max_baseline_cols=1)
    assert result.precision == expected


def test_single_floats_have_the_decimals_they_are_written_with() -> None:
    single = pa.table({"a": pa.array([0.1, 0.2], pa.float32())})
    double = pa.table({"a": pa.array([0.1, 0.7], pa.float64())})
    for pair in ((single, double), (double, single)):
        result = petaudit.mpuccs(*pair)
        assert result.precision == {"a": 1}
        assert [row["syn_row"] for row in rows_of(result.details)] == [0]


def test_unsigned_and_small_integers() -> None:
    large = pa.table({"a": pa.array([2**64 - 1, 5], pa.uint64())})
    small = pa.table({"a": pa.array([-1, 5], pa.int8())})
    result = petaudit.mpuccs(large, small)
    assert [row["syn_row"] for row in rows_of(result.details)] == [1]


def test_infinity_is_a_number_like_any_other() -> None:
    infinity = float("inf")
    result = petaudit.mpuccs(
        arrow({"a": [infinity, -infinity, 1.5]}), arrow({"a": [infinity, 1.52]})
    )
    assert [row["syn_row"] for row in rows_of(result.details)] == [0, 1]
    assert result.precision == {"a": 1}


# --- what cannot be compared ----------------------------------------------------------------

ONE: dict[str, list[Any]] = {
    "text": ["x"],
    "number": [1],
    "share": [1.5],
    "truth": [True],
    "day": [date(2020, 1, 1)],
    "moment": [datetime(2020, 1, 1)],
}
CLASHES = [
    ("text", "number"),
    ("text", "share"),
    ("text", "truth"),
    ("text", "day"),
    ("text", "moment"),
    ("number", "day"),
    ("truth", "moment"),
]


@pytest.mark.parametrize("pair", [*CLASHES, *((second, first) for first, second in CLASHES)])
def test_kinds_that_cannot_match(pair: tuple[str, str]) -> None:
    tables = [arrow({"same": [1], "Größe": ONE[kind]}) for kind in pair]
    with pytest.raises(ColumnError, match="Größe"):
        petaudit.mpuccs(*tables)


def test_times_with_and_without_a_zone() -> None:
    naive = pa.table({"a": pa.array([0], pa.timestamp("us"))})
    aware = pa.table({"a": pa.array([0], pa.timestamp("us", "Asia/Taipei"))})
    assert len(rows_of(petaudit.mpuccs(aware, aware).details)) == 1
    for pair in ((naive, aware), (aware, naive)):
        with pytest.raises(ColumnError, match="'a'"):
            petaudit.mpuccs(*pair)


def test_columns_that_differ_are_listed() -> None:
    original = arrow({"a": [1], "only here": [1], "c": [1]})
    synthetic = arrow({"c": [1], "a": [1], "年齡": [1]})
    with pytest.raises(ColumnError, match="only here") as caught:
        petaudit.mpuccs(original, synthetic)
    assert "年齡" in str(caught.value)
    with pytest.raises(ColumnError, match="only here"):
        petaudit.mpuccs(original, arrow({"a": [1], "c": [1]}))
    with pytest.raises(ColumnError, match="only here"):
        petaudit.mpuccs(arrow({"a": [1], "c": [1]}), original)
    # Rows or none, control or synthetic: columns are columns.
    with pytest.raises(ColumnError, match="only here"):
        petaudit.mpuccs(original.slice(0, 0), synthetic)
    with pytest.raises(ColumnError, match="only here"):
        petaudit.mpuccs(original, original, control=synthetic)


def test_another_order_of_columns_is_no_difference() -> None:
    original = arrow({"a": [1, 2], "b": [3, 4]})
    result = petaudit.mpuccs(original, original.select(["b", "a"]))
    assert tuple(result.columns) == ("b", "a")
    assert {row["field_combo"] for row in rows_of(result.details)} == {("b",)}


def test_a_name_twice(tmp_path: Path) -> None:
    one = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "b"])
    file = tmp_path / "twice.csv"
    file.write_text("a;a\n1;2\n", encoding="utf-8")
    twice = (
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        # Headers are trimmed, so this is one name as well.
        pd.DataFrame([[1, 2]], columns=["a", "a "]),
        file,
    )
    for table in twice:
        for pair in ((table, table), (one, table), (table, one)):
            with pytest.raises(ColumnError, match="a"):
                petaudit.mpuccs(*pair)


def test_no_column_at_all() -> None:
    for empty in (pa.table({}), pd.DataFrame(), pl.DataFrame(), pd.DataFrame(index=range(3))):
        with pytest.raises((ColumnError, InputError), match="column"):
            petaudit.mpuccs(empty, empty)


def test_what_is_no_table(tmp_path: Path) -> None:
    table = arrow({"a": [1]})
    for other in (None, 5, "a", tmp_path / "missing.csv", [1]):
        for pair in ((table, other), (other, table)):
            with pytest.raises(PetauditError):
                petaudit.mpuccs(*pair)
    with pytest.raises(PetauditError):
        petaudit.mpuccs(table, table, control=5)
