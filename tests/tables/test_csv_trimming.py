"""Cells of CSV files are trimmed as labels are, however the engine is asked to do it."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest

from petaudit.labels.cells import BLANKS, trim
from petaudit.tables.csv_files import _MANY_COLUMNS, _trimmed

# Blanks of ours, one that is none of ours, and letters of one to four bytes; one joins another.
LETTERS = [*BLANKS, "\u2003", "a", "b", "'", "é", "中", "😀", "e\u0301"]


@pytest.mark.parametrize("width", [1, _MANY_COLUMNS + 1])
def test_as_labels_are(width: int) -> None:
    draw = random.Random(7)  # noqa: S311 (no secrets)
    cells = ["".join(draw.choices(LETTERS, k=draw.randrange(6))) for _ in range(20_000)]
    table = pa.table({"c": pa.array([None, *cells], pa.string())})
    connection = duckdb.connect()
    connection.register("given", table)
    found = connection.sql(f"SELECT {_trimmed('c', width)} FROM given").fetchall()  # noqa: S608
    assert [own for (own,) in found] == [None, *(trim(cell) or None for cell in cells)]
