"""Rows of two tables that belong together, row by row, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from petaudit.tables import TableCounts, check_aligned, open_source
from petaudit.tables.aligned import aligned_columns
from tables.engines import ENGINES, Column, Table, held_by, labels, text

ORIGINAL: Table = {
    "id": Column("integer", [10, 20, 30, 40, 50]),
    "age": Column("integer", [34, 34, None, 61, 34]),
    "city": text("臺北", "高雄", None, "臺北", "臺北"),
}
RELEASED: Table = {
    "id": Column("integer", [10, 20, 30, 40, 50]),
    "age": text("3*", "3*", None, "*", "*"),
    "city": text("北", "南", "*", "北", None),
}
ORDER = [3, 0, 4, 2, 1]


def opened(engine: str, table: Table, folder: Path) -> TableCounts:
    folder.mkdir()
    return open_source(held_by(engine, table, folder)).counts


def ordered(table: Table, order: list[int]) -> Table:
    return {
        name: Column(column.kind, [column.cells[row] for row in order])
        for name, column in table.items()
    }


def rows(columns: list[str], order: list[int]) -> list[tuple[tuple[str | None, str | None], ...]]:
    """What is expected: in each row a pair per column."""
    pairs = [
        list(zip(labels(ORIGINAL)[name], labels(RELEASED)[name], strict=True)) for name in columns
    ]
    return [tuple(own[row] for own in pairs) for row in order]


@pytest.mark.parametrize("after", ["duckdb", "csv", "polars-lazy", "pandas"])
@pytest.mark.parametrize("before", ENGINES)
@pytest.mark.parametrize("key", [None, "id"])
def test_rows_stay_together(before: str, after: str, key: str | None, tmp_path: Path) -> None:
    original = opened(before, ordered(ORIGINAL, ORDER), tmp_path / "before")
    other = ORDER if key is None else [1, 4, 0, 3, 2]
    released = opened(after, ordered(RELEASED, other), tmp_path / "after")
    check_aligned(original, released, key, ("before", "after"))
    names = ["city", "age"]
    found = aligned_columns(original, released, names, key)
    told = [
        tuple((own.original[own.pairs[row]], own.released[own.pairs[row]]) for own in found)
        for row in range(5)
    ]
    assert told == rows(names, ORDER)
    # ORDER repeats a pair: ages 34 and 3* stand in two rows and once in the list.
    assert len(found[1].original) == 4


def test_no_rows_have_no_pairs(tmp_path: Path) -> None:
    empty: Table = {"id": Column("integer", []), "v": text()}
    both = [opened("pyarrow", empty, tmp_path / name) for name in ("before", "after")]
    for key in (None, "id"):
        [found] = aligned_columns(both[0], both[1], ["v"], key)
        assert (found.original, found.released, found.pairs.tolist()) == ((), (), [])
