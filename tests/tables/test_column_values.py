"""Codes of rows: positions among the labels of a column, whatever holds the table."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import strategies
from budget import examples
from petaudit.tables import TableCounts, open_source
from petaudit.tables.column_values import column_codes
from strategies import Release, arrow, cells

CELLS = {
    "text": [" b", "b", None, "a ", "", "b"],
    "number": [3, 1, None, 1, 10, 3],
    "real": [0.5, -0.0, 0.0, None, 2.0, float("nan")],
    "truth": [True, None, False, True, True, False],
}


@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_codes_lead_back_to_the_labels(release: Release) -> None:
    source = open_source(arrow(release.released))
    result = column_codes(source, source.columns)
    for name in source.columns:
        counts = source.counts.value_counts(name)
        assert [counts.labels[code] for code in result[name]] == cells(release.released, name)
        assert np.bincount(result[name]).tolist() == counts.counts.tolist()
        assert result[name].dtype == np.int32


@pytest.mark.parametrize("engine", [*strategies.TABLE_ENGINES, "polars-lazy"])
def test_every_engine_gives_the_same_codes(engine: str, tmp_path: Path) -> None:
    columns = {"x": [" b", "a", None, "b "], "n": [10.0, 9.0, None, 10.0]}
    source = open_source(strategies.on_engine(columns, engine, tmp_path / "table"))
    result = column_codes(source, ["n", "x"])
    assert list(result) == ["n", "x"]
    assert result["x"].tolist() == [1, 0, 2, 1]
    assert result["n"].tolist() == [1, 0, 2, 1]


def test_dictionaries_and_nan() -> None:
    frame = pd.DataFrame({"g": pd.Categorical(["z", None, "a"]), "n": [1.0, float("nan"), 0.5]})
    result = column_codes(open_source(frame), ["g", "n"])
    assert result["g"].tolist() == [1, 2, 0]
    assert result["n"].tolist() == [1, 2, 0]
    encoded = pa.table({"g": pa.array(["z", None, "a"]).dictionary_encode()})
    assert column_codes(open_source(encoded), ["g"])["g"].tolist() == [1, 2, 0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    result = tmp_path / "cells.parquet"
    pq.write_table(pa.table(CELLS), result)
    return result


def asked(counts: TableCounts, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every query from here on."""
    queries: list[object] = []
    real = counts.collected
    monkeypatch.setattr(counts, "collected", lambda query: queries.append(query) or real(query))
    return queries


@pytest.mark.parametrize("column", CELLS)
def test_values_counted_from_codes_are_those_of_a_query(path: Path, column: str) -> None:
    by_query, by_codes = open_source(path).counts, open_source(path).counts
    before = by_query.values(column)
    [codes] = by_codes.row_codes([column])
    after = by_codes.values(column)
    assert after.counts.labels == before.counts.labels
    assert after.counts.counts.tolist() == before.counts.counts.tolist()
    places = [
        dict(zip(map(repr, entry.cells.to_pylist()), entry.positions.tolist(), strict=True))
        for entry in (before, after)
    ]
    assert places[0] == places[1]
    assert np.bincount(codes).tolist() == before.counts.counts.tolist()
    assert by_query.row_codes([column])[0].tolist() == codes.tolist()


def test_each_column_of_a_file_is_read_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = open_source(path).counts
    queries = asked(counts, monkeypatch)
    first = counts.row_codes(["text", "number"])
    assert [entry.tolist() for entry in first] == [[1, 1, 2, 0, 2, 1], [1, 0, 3, 0, 2, 1]]
    again = counts.row_codes(["number", "truth", "text", "text"])
    counts.value_counts("truth")
    assert again[0].tolist() == first[1].tolist()
    assert again[2].tolist() == again[3].tolist() == first[0].tolist()
    assert len(queries) == 2


def test_rows_of_a_query_without_an_order_are_read_together_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    relation = duckdb.sql("SELECT unnest([1, 2]) AS a, unnest([3, 4]) AS b")
    counts = open_source(relation).counts
    counts.value_counts("a"), counts.value_counts("b")
    queries = asked(counts, monkeypatch)
    assert not counts.keeps_order
    for _ in range(2):
        a, b = counts.row_codes(["a", "b"])
        assert a.tolist() == b.tolist()
    assert len(queries) == 2


def test_codes_are_as_small_as_the_values_are_few() -> None:
    table = pa.table({"few": ["x", "y"] * 150, "many": list(range(300))})
    few, many = open_source(table).counts.row_codes(["few", "many"])
    assert (few.dtype, many.dtype) == (np.uint8, np.uint16)
