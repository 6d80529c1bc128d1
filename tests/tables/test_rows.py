"""Some rows of a table are a table: those asked for, and those that a Splitter draws."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.errors import InputError
from petaudit.pipelines.models import RandomSplit
from petaudit.pipelines.tables import split
from petaudit.tables import Source, open_source
from petaudit.tables.source import RowPicker, first_rows

TABLE = pa.table(
    {
        "n": pa.array([5, None, 3, 3, 9], pa.int64()),
        "x": pa.array([0.5, 1.5, None, -2.0, 1e300]),
        "day": pa.array([date(2024, 2, 29), None, date(1970, 1, 1), date(1, 1, 1), None]),
        "ok": pa.array([True, None, False, True, False]),
        'a "b"; c': pa.array(["ä", None, "", "x;y", "=1"]),
    }
)
FRAMES = {"pyarrow": lambda entry: entry, "pandas": pa.Table.to_pandas, "polars": pl.from_arrow}


def opened(kind: str, folder: Path) -> Source:
    if kind == "parquet":
        pq.write_table(TABLE, folder / "t.parquet")
        return open_source(folder / "t.parquet")
    if kind == "csv":
        pc.write_csv(TABLE, folder / "t.csv")
        return open_source(folder / "t.csv")
    return open_source(FRAMES[kind](TABLE))


KINDS = ["csv", "parquet", *FRAMES]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("many", [1, 3, 5, 6])
def test_the_first_rows_are_those_of_the_whole(kind: str, many: int, tmp_path: Path) -> None:
    source = opened(kind, tmp_path)
    result = first_rows(source, many)
    assert result.rows == min(many, 5)
    assert result.to_arrow().equals(source.to_arrow().slice(0, many))
    assert (result.columns, result.paths, result.name) == (
        source.columns,
        source.paths,
        source.name,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_rows_come_in_the_order_asked_for(kind: str, tmp_path: Path) -> None:
    source = opened(kind, tmp_path)
    places = np.array([4, 0, 2])
    result = RowPicker(source).at(places)
    assert result.to_arrow().equals(source.to_arrow().take(pa.array(places)))
    assert (result.columns, result.paths, result.name) == (
        source.columns,
        source.paths,
        source.name,
    )
    assert result.counts.value_counts("n").labels != source.counts.value_counts("n").labels


@pytest.mark.parametrize(("kind", "is_untyped"), [("csv", True), ("parquet", False)])
def test_a_file_without_types_stays_one(kind: str, is_untyped: bool, tmp_path: Path) -> None:
    source = opened(kind, tmp_path)
    assert source.is_untyped is is_untyped
    assert first_rows(source, 2).is_untyped is is_untyped
    assert RowPicker(source).at(np.array([1])).is_untyped is is_untyped


def test_names_that_cannot_be_part_of_a_query_are_taken() -> None:
    hostile = ['"; drop table x; --', "a'b", "c0", "select", "ｎ", " n "]
    source = open_source(pa.table({name: [place, 7] for place, name in enumerate(hostile)}))
    result = RowPicker(first_rows(source, 2)).at(np.array([1, 0])).to_arrow()
    assert result.column_names == [name.strip() for name in hostile]
    assert [column.to_pylist() for column in result.columns] == [[7, place] for place in range(6)]


def test_no_row_is_a_table_too() -> None:
    result = RowPicker(open_source(TABLE)).at(np.array([], dtype=np.int64))
    assert result.rows == 0
    assert result.to_arrow().schema.types == open_source(TABLE).to_arrow().schema.types


@settings(max_examples=examples(40))
@given(data=st.data(), rows=st.integers(1, 30))
def test_any_rows_of_any_table(data: Any, rows: int) -> None:
    places = data.draw(st.lists(st.integers(0, rows - 1), max_size=40))
    frame = pd.DataFrame({"n": range(rows), "t": [f"row {row}" for row in range(rows)]})
    result = RowPicker(open_source(frame)).at(np.array(places, dtype=np.int64)).to_arrow()
    assert result["n"].to_pylist() == places
    assert result["t"].to_pylist() == [f"row {place}" for place in places]


def test_a_large_file_keeps_its_order(tmp_path: Path) -> None:
    """Engines read large files in pieces and may hand them out in any order."""
    many = 300_000
    pq.write_table(pa.table({"n": range(many)}), tmp_path / "t.parquet", row_group_size=10_000)
    source = open_source(tmp_path / "t.parquet")
    assert first_rows(source, 150_000).to_arrow()["n"].to_pylist() == list(range(150_000))
    places = np.arange(0, many, 1_000)
    assert RowPicker(source).at(places).to_arrow()["n"].to_pylist() == places.tolist()


@settings(max_examples=examples(60))
@given(
    rows=st.integers(2, 60),
    percent=st.integers(1, 99),
    seed=st.integers(0, 2**70),
    sample=st.integers(0, 3),
)
def test_rows_are_drawn_as_the_seed_says(rows: int, percent: int, seed: int, sample: int) -> None:
    ratio = percent / 100
    source = open_source(pa.table({"n": list(range(rows))}))
    model = RandomSplit(train_split_ratio=ratio, random_state=seed)
    # As PETsARD rounds: to the nearest whole number, halves to the even one.
    many = round(rows * ratio)
    if many in {0, rows}:
        with pytest.raises(InputError, match="one part would be empty"):
            split(RowPicker(source), model, sample)
        return
    parts = [item.to_arrow()["n"].to_pylist() for item in split(RowPicker(source), model, sample)]
    assert [len(item) for item in parts] == [many, rows - many]
    assert all(item == sorted(item) for item in parts)
    assert sorted(parts[0] + parts[1]) == list(range(rows))
    bits = np.random.PCG64(seed).random_raw(rows * (sample + 1))[-rows:].tolist()
    smallest = sorted(range(rows), key=bits.__getitem__)[:many]
    assert parts[0] == sorted(smallest)


def test_known_rows_are_drawn() -> None:
    source = open_source(pa.table({"n": list(range(10))}))

    def drawn(seed: int, sample: int) -> list[int]:
        model = RandomSplit(train_split_ratio=0.3, random_state=seed, num_samples=2)
        return split(RowPicker(source), model, sample)[0].to_arrow()["n"].to_pylist()

    assert [drawn(0, 0), drawn(0, 1), drawn(1, 0)] == [[1, 2, 3], [1, 3, 5], [2, 4, 9]]
    # 0.29 is a little less than that as a float, and 0.29 of 100 rows are 29 rows.
    table = open_source(pa.table({"n": list(range(100))}))
    assert split(RowPicker(table), RandomSplit(train_split_ratio=0.29), 0)[0].rows == 29
