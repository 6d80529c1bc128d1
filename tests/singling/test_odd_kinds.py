"""Kinds of columns that are rare, and for that reason easily read as something else."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import ColumnError
from singling.frames import rows_of


def found(original: Any, synthetic: Any, **options: Any) -> list[tuple[int, int]]:
    details = rows_of(petaudit.mpuccs(original, synthetic, **options).details)
    return [(row["syn_row"], row["ori_row"]) for row in details]


def test_dates_in_milliseconds_are_dates() -> None:
    days = [date(2020, 1, 1), date(2020, 1, 2)]
    short = pa.table({"a": pa.array(days, pa.date32())})
    long = pa.table({"a": pa.array(days[1:], pa.date64())})
    assert found(short, long) == [(0, 1)]
    assert found(long, short) == [(1, 0)]
    assert petaudit.mpuccs(long, long).precision == {"a": "D"}


@pytest.mark.parametrize(
    "cells",
    [[date(2020, 1, 1), datetime(2020, 1, 2, 5)], [datetime(2020, 1, 2, 5), date(2020, 1, 1)]],
)
def test_a_time_among_dates_is_not_cut_off(cells: list[date]) -> None:
    mixed = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    midnight = pd.DataFrame({"a": [datetime(2020, 1, 2)]})
    try:
        assert found(mixed, midnight) == []
    except ColumnError as problem:
        assert "'a'" in str(problem)  # noqa: PT017


def test_decimals_against_other_numbers() -> None:
    decimals = pa.table({"a": [Decimal("0.10"), Decimal("9007199254740993.00"), Decimal("2.50")]})
    floats = pa.table({"a": [0.1, 2.5]})
    assert found(decimals, floats) == [(0, 0), (1, 2)]
    assert found(floats, decimals) == [(0, 0), (2, 1)]
    assert found(decimals, pa.table({"a": [9007199254740992, 9007199254740993]})) == [(1, 1)]


def test_large_integers_in_files(tmp_path: Path) -> None:
    original, synthetic = tmp_path / "original.csv", tmp_path / "synthetic.csv"
    for first in ("12345678901234567890;1", "9007199254740993;1", "9007199254740993;0.5"):
        number, other = first.split(";")
        # With 0.5 in the same column, the numbers are still not equal.
        beside = other if other == "0.5" else "7"
        original.write_text(f"a;b\n{number};1\n{beside};2\n", encoding="utf-8")
        synthetic.write_text(f"a;b\n{int(number) - 1};3\n{beside};4\n", encoding="utf-8")
        assert found(original, synthetic) == [(1, 1)]


def test_integers_beyond_64_bits() -> None:
    connection = duckdb.connect()
    original = connection.sql("SELECT (1::HUGEINT << 70) + x AS a FROM range(2) AS t(x)")
    synthetic = connection.sql("SELECT (1::HUGEINT << 70) + 1 AS a")
    assert found(original, synthetic) == [(0, 1)]


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"odd": [[1, 2], [3]]}),
        pa.table({"odd": [{"x": 1}]}),
        pa.table({"odd": [b"x"]}),
        pa.table({"odd": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
        pl.DataFrame({"odd": [object()]}),
        pd.DataFrame({"odd": [1j]}),
        pd.DataFrame({"odd": [1, "x"]}),
    ],
    ids=["list", "struct", "binary", "interval", "object", "complex", "mixed"],
)
def test_cells_that_cannot_be_compared(table: Any) -> None:
    with pytest.raises(ColumnError, match="odd"):
        petaudit.mpuccs(table, table)


def test_half_floats() -> None:
    half = pa.table({"a": pa.array(np.array([0.5, 0.25], np.float16))})
    assert found(half, pa.table({"a": [0.25, 7.0]})) == [(0, 1)]
