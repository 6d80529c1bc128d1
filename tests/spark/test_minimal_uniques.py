"""Special uniques on Spark: what is found in memory, from tables alone."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import petaudit
from measures import uniqueness_twin as twin
from petaudit.errors import EngineError, NotMeasurableError
from petaudit.tables import minimal_uniques, open_source
from petaudit.tables._private_folder import private_folder
from petaudit.tables.classes import hashed
from petaudit.tables.engines.spark_store import SparkStore
from petaudit.tables.table_counts import TableCounts
from spark.plans import rows_without_aggregate

pytestmark = pytest.mark.spark
ODD = "a `dotted`.name"
NAMES = ("id", ODD, "share", "day", "sex")


def people(rows: int, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table(
        {
            "id": pa.array([None, *range(6)]).take(pa.array(chance.integers(0, 7, rows))),
            ODD: pa.array([" 臺北", "臺北", "Bonn", "", None, "Kiel "]).take(
                pa.array(chance.integers(0, 6, rows))
            ),
            "share": pa.array(
                [[0.25, -0.0, 0.0, float("nan"), None][at] for at in chance.integers(0, 5, rows)]
            ),
            "day": pa.array(chance.integers(0, 4, rows).astype("datetime64[D]")),
            "sex": pa.array(["f", "m"]).take(pa.array(chance.integers(0, 2, rows))),
        }
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, int]]:
    """Every query that has an answer, and its rows."""
    result: list[tuple[Any, int]] = []
    collected = TableCounts.collected

    def noted(self: TableCounts, lazy: Any) -> pa.Table:
        answer = collected(self, lazy)
        result.append((lazy.to_native(), answer.num_rows))
        return answer

    monkeypatch.setattr(TableCounts, "collected", noted)
    return result


@pytest.mark.parametrize(("cap", "fits"), [(None, True), (2, False)])
def test_the_same_figures_from_counts(
    spark: Any,
    asked: list[tuple[Any, int]],
    monkeypatch: pytest.MonkeyPatch,
    cap: int | None,
    fits: bool,
) -> None:
    table = people(250, 5)
    before = set(private_folder().iterdir())
    # Sets of columns come in several batches.
    monkeypatch.setattr(minimal_uniques, "_SETS_AT_ONCE", 3)
    if not fits:
        monkeypatch.setattr(hashed, "MOST_ROWS", 100)
    given: dict[str, Any] = {
        "quasi_identifiers": NAMES,
        "max_columns": cap,
        "population_size": 1_000,
        "limit": "0.1",
    }
    expected = petaudit.special_uniques(table, **given)
    asked.clear()
    frame = spark.createDataFrame(table).repartition(3)
    result = petaudit.special_uniques(frame, **given)
    assert result.special_rows == expected.special_rows > 20
    assert result.unique_rows == expected.unique_rows > result.special_rows
    assert (result.sizes, result.passed, result.remedy) == (
        expected.sizes,
        expected.passed,
        expected.remedy,
    )
    assert result.columns == expected.columns
    for name in ("highest_score", "mean_score", "highest_dis", "mean_dis"):
        assert getattr(result, name) == pytest.approx(getattr(expected, name), rel=1e-9), name
    assert all(rows_without_aggregate(query) == [] for query, _ in asked)
    # The classes come as hashes, or not at all: there are 31 sets of columns, and fewer scores
    # than rows.
    lists = [query for query, rows in asked if rows >= result.unique_rows]
    assert len(lists) == fits
    for query in lists:
        assert [kind for _, kind in query.dtypes[:-1]] == ["bigint"] * len(NAMES)
    assert set(private_folder().iterdir()) == before


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
def test_suppressed_rows_against_all_subsets(spark: Any, suppressed: str) -> None:
    rows = [("a", "1"), ("a", "2"), ("b", "1"), ("*", "*"), ("a", "1"), (None, "1"), ("c", "*")]
    columns = list(zip(*rows, strict=True))
    frame = spark.createDataFrame(pa.table({"x": list(columns[0]), "y": list(columns[1])}))
    result = petaudit.special_uniques(frame, quasi_identifiers=["x", "y"], suppressed=suppressed)
    kept = [entry for entry in rows if suppressed == "class" or entry != ("*", "*")]
    sets = twin.minimal_uniques(kept, 2)
    assert result.rows == len(kept)
    assert result.special_rows == sum(any(len(entry) < 2 for entry in each) for each in sets)
    assert sum(entry.minimal_uniques for entry in result.sizes) == sum(map(len, sets))
    assert result.highest_score == max(twin.suda_score(entry, 2, 2) for entry in sets)


def test_one_column_has_no_special_rows(spark: Any) -> None:
    result = petaudit.special_uniques(
        spark.createDataFrame(pa.table({"x": ["a", "a", "b", None]})), quasi_identifiers="x"
    )
    assert (result.special_rows, result.unique_rows, result.highest_score) == (0, 2, 1.0)


def test_more_columns_than_bits_are_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashed, "MOST_ROWS", 0)
    names = [f"x{place}" for place in range(61)]
    frame = spark.createDataFrame(pa.table({name: ["a", "b"] for name in names}))
    with pytest.raises(NotMeasurableError, match="among at most 60 quasi-identifiers"):
        petaudit.special_uniques(frame, quasi_identifiers=names, max_columns=1)


def test_ids_that_are_alike_are_made_anew(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = importlib.import_module("pyspark.sql.functions")
    hashed_well, salts = functions.xxhash64, []

    def poor(salt: Any, *cells: Any) -> Any:
        """The first hashes tell nobody apart: a code of either column, and an id of rows."""
        salts.append(salt)
        return functions.lit(7).cast("long") if len(salts) <= 3 else hashed_well(salt, *cells)

    monkeypatch.setattr(functions, "xxhash64", poor)
    table = pa.table({"x": ["a", None, "b"], "y": [None, "a", "b"]})
    result = petaudit.special_uniques(spark.createDataFrame(table), quasi_identifiers=["x", "y"])
    assert len(salts) == 4
    assert (result.special_rows, result.unique_rows) == (3, 3)
    monkeypatch.setattr(functions, "xxhash64", lambda *_: functions.lit(7).cast("long"))
    counts = open_source(spark.createDataFrame(table)).counts
    with pytest.raises(EngineError, match="could not number the rows uniquely"):
        SparkStore(counts).with_ids(counts.frame.to_native(), ["c0", "c1"], "true")


def test_what_executors_keep_stays_when_it_was_asked(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petaudit.tables.engines.spark_store.is_local", lambda _: False)
    frame = spark.createDataFrame(pa.table({"x": ["a", "a", "b"]}))
    store = SparkStore(open_source(frame).counts)
    kept = store.keep(frame)
    assert store.figures(store.sql("SELECT count(DISTINCT x) AS n FROM {kept}", kept=kept)) == [2]
    assert kept.storageLevel.useDisk
    store.finish()
    assert not kept.storageLevel.useDisk
