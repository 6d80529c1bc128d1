"""Codes of rows: the same labels as counted ones, read once where rows keep their order."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from petaudit.tables import TableCounts, open_source

CELLS = {
    "text": [" b", "b", None, "a ", "", "b"],
    "number": [3, 1, None, 1, 10, 3],
    "real": [0.5, -0.0, 0.0, None, 2.0, float("nan")],
    "truth": [True, None, False, True, True, False],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "cells.parquet"
    pq.write_table(pa.table(CELLS), found)
    return found


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
        dict(zip(map(repr, own.cells.to_pylist()), own.positions.tolist(), strict=True))
        for own in (before, after)
    ]
    assert places[0] == places[1]
    assert np.bincount(codes).tolist() == before.counts.counts.tolist()
    assert by_query.row_codes([column])[0].tolist() == codes.tolist()


def test_each_column_of_a_file_is_read_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = open_source(path).counts
    queries = asked(counts, monkeypatch)
    first = counts.row_codes(["text", "number"])
    assert [own.tolist() for own in first] == [[1, 1, 2, 0, 2, 1], [1, 0, 3, 0, 2, 1]]
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
