"""Which columns of a new table are nearly an identifier, and when nobody counts that."""

from __future__ import annotations

import pyarrow as pa
import pytest

from petaudit.starter import identifying as module
from petaudit.starter.identifying import identifying
from petaudit.tables import open_source

TABLE = pa.table(
    {
        "id": [str(row) for row in range(20)],
        "zip": [str(row // 4) for row in range(20)],
        "age": [str(row % 4) for row in range(20)],
        "job": [str(row % 3) for row in range(20)],
        "parts": [[row] for row in range(20)],
    }
)


def test_the_smallest_sets_without_identifiers() -> None:
    """Lists cannot be counted; what contains a set that suffices is not told."""
    told = identifying(open_source(TABLE), ["id"])
    assert set(told.columns) == {"id", "zip", "age", "job"}
    assert [columns for columns, _ in told.sets] == [("zip", "age")]
    assert told.up_to == 3
    alone = identifying(open_source(TABLE), [])
    assert [columns for columns, _ in alone.sets] == [("id",), ("zip", "age")]


def test_else_the_strongest_set() -> None:
    table = TABLE.select(["zip", "job"])
    told = identifying(open_source(table), [])
    # Four rows of a zip have three jobs: 15 combinations in 20 rows.
    assert str(told.text) == (
        "No set of up to 2 columns is nearly an identifier. The strongest: zip, job (0.75)."
    )


@pytest.mark.parametrize(("most", "up_to"), [(20 * 14, 3), (20 * 10, 2), (20 * 4, 1), (79, 0)])
def test_a_large_table_is_looked_at_in_smaller_sets(
    monkeypatch: pytest.MonkeyPatch, most: int, up_to: int
) -> None:
    monkeypatch.setattr(module, "_MOST_WORK", most)
    told = identifying(open_source(TABLE), [])
    assert (told.up_to, len(told.columns)) == (up_to, 4 if up_to else 0)
    assert (told.text is None) is (up_to == 0)


def test_at_most_five_sets_are_shown() -> None:
    table = pa.table({f"c{place}": [str(row) for row in range(3)] for place in range(7)})
    told = identifying(open_source(table), [])
    assert str(told.text).endswith("c0 (1); c1 (1); c2 (1); c3 (1); c4 (1) and 2 more.")
