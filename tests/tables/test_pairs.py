"""Counts over two tables whose rows belong together, by position or by a key."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from petaudit.errors import InputError
from petaudit.tables import PairCounts, TableCounts, check_aligned, open_source, pair_counts
from petaudit.tables.pairs import aligned_columns
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
NAMES = ("before.csv", "after.csv")


def shuffled(table: Table, order: list[int]) -> Table:
    return {
        name: Column(column.kind, [column.cells[row] for row in order])
        for name, column in table.items()
    }


def told(result: PairCounts) -> Counter[tuple[str | None, str | None]]:
    pairs = list(zip(result.original, result.released, strict=True))
    assert len(set(pairs)) == len(pairs), "a pair stands once"
    return Counter(dict(zip(pairs, result.counts.tolist(), strict=True)))


def expected(column: str) -> Counter[tuple[str | None, str | None]]:
    return Counter(zip(labels(ORIGINAL)[column], labels(RELEASED)[column], strict=True))


def opened(engine: str, table: Table, folder: Path) -> TableCounts:
    folder.mkdir()
    return open_source(held_by(engine, table, folder)).counts


@pytest.mark.parametrize("after", ["duckdb", "csv", "pandas"])
@pytest.mark.parametrize("before", ENGINES)
def test_pairs_by_position(before: str, after: str, tmp_path: Path) -> None:
    original = opened(before, ORIGINAL, tmp_path / "before")
    released = opened(after, RELEASED, tmp_path / "after")
    check_aligned(original, released, None, NAMES)
    for column in ("age", "city"):
        assert told(pair_counts(original, released, column, None)) == expected(column)


@pytest.mark.parametrize("after", ["parquet", "polars-lazy", "pyarrow"])
@pytest.mark.parametrize("before", ENGINES)
def test_pairs_by_key_whatever_the_row_order(before: str, after: str, tmp_path: Path) -> None:
    original = opened(before, shuffled(ORIGINAL, [3, 0, 4, 2, 1]), tmp_path / "before")
    released = opened(after, shuffled(RELEASED, [1, 4, 0, 3, 2]), tmp_path / "after")
    check_aligned(original, released, "id", NAMES)
    for column in ("age", "city"):
        assert told(pair_counts(original, released, column, "id")) == expected(column)


def test_pairs_come_in_the_order_of_their_labels_nulls_last() -> None:
    before = open_source(pa.table({"v": ["b", None, "a", "a", None]})).counts
    after = open_source(pa.table({"v": ["x", None, "y", None, "x"]})).counts
    result = pair_counts(before, after, "v", None)
    assert list(zip(result.original, result.released, strict=True)) == [
        ("a", "y"),
        ("a", None),
        ("b", "x"),
        (None, "x"),
        (None, None),
    ]


@given(rows=st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "*"]))))
def test_pairs_of_random_rows(rows: list[tuple[str | None, str]]) -> None:
    before = open_source(pa.table({"v": pa.array([old for old, _ in rows], pa.string())})).counts
    after = open_source(pl.DataFrame({"v": [new for _, new in rows]}, {"v": pl.String})).counts
    assert told(pair_counts(before, after, "v", None)) == Counter(rows)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("key", [None, "id"])
def test_pairs_of_no_rows(engine: str, key: str | None, tmp_path: Path) -> None:
    empty: Table = {"id": Column("integer", []), "v": text()}
    before = opened(engine, empty, tmp_path / "before")
    after = opened("csv", empty, tmp_path / "after")
    check_aligned(before, after, key, NAMES)
    assert pair_counts(before, after, "v", key).counts.tolist() == []


@pytest.mark.parametrize("engine", ["polars", "pandas", "pyarrow", "duckdb"])
def test_a_key_may_be_a_number_here_and_text_there(engine: str, tmp_path: Path) -> None:
    before = opened(engine, ORIGINAL, tmp_path / "before")
    as_text = RELEASED | {"id": text("10", "20", "30", "40", "50")}
    after = opened(engine, shuffled(as_text, [4, 3, 2, 1, 0]), tmp_path / "after")
    check_aligned(before, after, "id", NAMES)
    assert told(pair_counts(before, after, "city", "id")) == expected("city")


@pytest.mark.parametrize("engine", ["polars", "parquet"])
def test_the_key_itself_can_be_paired(engine: str, tmp_path: Path) -> None:
    before = opened(engine, ORIGINAL, tmp_path / "before")
    after = opened(engine, shuffled(RELEASED, [4, 3, 2, 1, 0]), tmp_path / "after")
    ids = ["10", "20", "30", "40", "50"]
    assert told(pair_counts(before, after, "id", "id")) == Counter(zip(ids, ids, strict=True))


# Many rows ---------------------------------------------------------------------------------------

ROWS = 300_000


@pytest.fixture(scope="module")
def long_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two files of the same rows whose row groups end at different rows."""
    folder = tmp_path_factory.mktemp("long")
    row = np.arange(ROWS)
    # Neighbours differ, so that rows read in another order would meet other partners.
    original = pa.table({"id": row, "v": row * 7919 % 100_003, "few": row % 1000})
    released = pa.table({"id": row, "v": row * 7919 % 100_003 // 10, "few": row % 1000 // 10})
    parquet.write_table(original, folder / "original.parquet", row_group_size=40_000)
    parquet.write_table(released, folder / "released.parquet", row_group_size=70_001)
    return folder / "original.parquet", folder / "released.parquet"


def assert_every_value_met_its_tenth(result: PairCounts) -> None:
    assert int(result.counts.sum()) == ROWS
    assert all(
        int(old or 0) // 10 == int(new or 0)
        for old, new in zip(result.original, result.released, strict=True)
    )


@pytest.mark.parametrize("column", ["v", "few"])
def test_row_groups_keep_their_order(long_files: tuple[Path, Path], column: str) -> None:
    original, released = (open_source(path).counts for path in long_files)
    check_aligned(original, released, None, NAMES)
    assert_every_value_met_its_tenth(pair_counts(original, released, column, None))


def test_a_file_and_a_frame_of_many_rows(long_files: tuple[Path, Path]) -> None:
    original = open_source(long_files[0]).counts
    released = open_source(pl.scan_parquet(long_files[1])).counts
    assert_every_value_met_its_tenth(pair_counts(original, released, "few", None))


def test_several_files_keep_their_order(long_files: tuple[Path, Path], tmp_path: Path) -> None:
    whole = parquet.read_table(long_files[1])
    paths = []
    for start, stop in pairwise([0, 99_999, 200_000, ROWS]):
        paths.append(tmp_path / f"{start}.parquet")
        parquet.write_table(whole.slice(start, stop - start), paths[-1], row_group_size=30_000)
    original, released = open_source(long_files[0]).counts, open_source(paths).counts
    assert_every_value_met_its_tenth(pair_counts(original, released, "few", None))


# What is refused ---------------------------------------------------------------------------------


def message(before: Any, after: Any, key: str | None) -> str:
    with pytest.raises(InputError) as problem:
        check_aligned(open_source(before).counts, open_source(after).counts, key, NAMES)
    return str(problem.value)


@pytest.mark.parametrize("key", [None, "id"])
def test_different_lengths_are_refused_with_both_numbers(key: str | None) -> None:
    told_so = message(pl.DataFrame({"id": range(1500)}), pl.DataFrame({"id": range(1499)}), key)
    assert "1,500 in before.csv" in told_so
    assert "1,499 in after.csv" in told_so


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        (["k1", "k1"], ["k1", "k2"], "'id' of before.csv holds a value more than once"),
        (["k1", "k2"], ["k2", "k2"], "'id' of after.csv holds a value more than once"),
        (["k1", None], ["k1", "k2"], "'id' of before.csv holds a null"),
        (["k1", "k2"], [None, "k2"], "'id' of after.csv holds a null"),
        (["k1", "k2"], ["k1", "k3"], "'id' does not hold the same values in both tables"),
    ],
)
def test_keys_that_do_not_pair_the_rows_are_refused(
    before: list[str | None], after: list[str | None], complaint: str
) -> None:
    told_so = message(pl.DataFrame({"id": before}), pa.table({"id": after}), "id")
    assert complaint in told_so
    assert not any(key in told_so for key in ("k1", "k2", "k3")), "keys are data"


def test_keys_that_differ_only_in_blanks_are_the_same() -> None:
    before = open_source(pl.DataFrame({"id": ["a ", "b"], "v": ["1", "2"]})).counts
    after = open_source(pl.DataFrame({"id": ["b", "\u3000a"], "v": ["2*", "1*"]})).counts
    check_aligned(before, after, "id", NAMES)
    assert told(pair_counts(before, after, "v", "id")) == {("1", "1*"): 1, ("2", "2*"): 1}


def test_rows_without_an_order_need_a_key() -> None:
    spark: Any = SimpleNamespace(rows=2, engine="pyspark")
    with pytest.raises(InputError, match=r"after\.csv \(pyspark\) have no order.*key.* \(key="):
        check_aligned(open_source(pa.table({"a": [1, 2]})).counts, spark, None, NAMES)


def test_key_and_cells_come_from_one_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an engine without an order, two queries may see the rows in two orders."""
    before = open_source(pa.table({"id": ["1", "2"], "a": ["x", "y"]})).counts
    after = open_source(pa.table({"id": ["2", "1"], "a": ["Y", "X"]})).counts
    queries: list[int] = []
    collected = TableCounts.collected

    def counting(self: TableCounts, lazy: Any) -> pa.Table:
        queries.append(1)
        return collected(self, lazy)

    monkeypatch.setattr(TableCounts, "collected", counting)
    result = pair_counts(before, after, "a", "id")
    assert list(zip(result.original, result.released, strict=True)) == [("x", "X"), ("y", "Y")]
    assert len(queries) == 2


# Row by row ----------------------------------------------------------------------------------


@pytest.mark.parametrize("after", ["csv", "polars-lazy"])
@pytest.mark.parametrize("before", ENGINES)
@pytest.mark.parametrize("key", [None, "id"])
def test_rows_stay_together(before: str, after: str, key: str | None, tmp_path: Path) -> None:
    order = [3, 0, 4, 2, 1]
    original = opened(before, shuffled(ORIGINAL, order), tmp_path / "before")
    other = order if key is None else [1, 4, 0, 3, 2]
    released = opened(after, shuffled(RELEASED, other), tmp_path / "after")
    check_aligned(original, released, key, NAMES)
    names = ["city", "age"]
    columns = aligned_columns(original, released, names, key)
    for name, column in zip(names, columns, strict=True):
        old, new = (table.value_counts(name).labels for table in (original, released))
        rows = [
            (old[column.original[pair]], new[column.released[pair]])
            for pair in column.rows.tolist()
        ]
        every = list(zip(labels(ORIGINAL)[name], labels(RELEASED)[name], strict=True))
        assert rows == [every[row] for row in order]
    # Ages 34 and 3* stand in two rows and once in the list.
    assert len(columns[1].original) == 4


def test_no_rows_have_no_pairs(tmp_path: Path) -> None:
    empty: Table = {"id": Column("integer", []), "v": text()}
    both = [opened("pyarrow", empty, tmp_path / name) for name in ("before", "after")]
    for key in (None, "id"):
        [result] = aligned_columns(both[0], both[1], ["v"], key)
        assert [result.original.tolist(), result.released.tolist(), result.rows.tolist()] == [
            []
        ] * 3
        assert pair_counts(both[0], both[1], "v", key).original == ()
