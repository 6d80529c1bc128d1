"""The search on Spark: the answer of the search in memory, from tables alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import petaudit
from petaudit.errors import NotMeasurableError, OptionError
from petaudit.singling import strategy
from petaudit.tables import open_source
from petaudit.tables._private_folder import private_folder
from petaudit.tables.joint import duck_coding, spark_pair
from petaudit.tables.table_counts import TableCounts

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
ODD = "a `dotted`.name"


def people(rows: int, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table(
        {
            "id": chance.integers(0, 150, rows),
            ODD: pa.array([" 臺北", "Bonn", "", None, "Kiel "]).take(
                pa.array(chance.integers(0, 5, rows))
            ),
            "share": pa.array(np.where(chance.random(rows) < 0.1, np.nan, rows % 7 / 4)),
            "day": pa.array(chance.integers(0, 20, rows).astype("datetime64[D]")),
        }
    )


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of everything that came to the driver."""
    rows: list[int] = []
    collected = TableCounts.collected

    def noted(self: TableCounts, lazy: Any) -> pa.Table:
        result = collected(self, lazy)
        rows.append(result.num_rows)
        return result

    monkeypatch.setattr(TableCounts, "collected", noted)
    return rows


def assert_same(result: Any, expected: Any) -> None:
    assert result.figures == expected.figures
    assert result.findings.tree_columns() == expected.findings.tree_columns()
    for name in ("columns", "precision", "combinations", "complete", "removed_synthetic"):
        assert getattr(result, name) == getattr(expected, name), name
    assert result.search["engine"] == "Spark"


def test_the_same_answer_from_counts(
    spark: Any, fetched: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of files, one of them a folder: Spark counts them where it is asked for."""
    synthetic = people(300, 2)
    original, synthetic = people(400, 1), pa.concat_tables([synthetic, synthetic.slice(0, 9)])
    before = set(private_folder().iterdir())
    # Codes of ids are hashes, and combinations come in several batches.
    monkeypatch.setattr(duck_coding, "MANY_VALUES", 100)
    monkeypatch.setattr(spark_pair, "_AT_ONCE", 4)
    folder, file = tmp_path / "original", tmp_path / "synthetic.parquet"
    folder.mkdir()
    parquet.write_table(original.slice(0, 150), folder / "1.parquet")
    parquet.write_table(original.slice(150), folder / "2.parquet")
    parquet.write_table(synthetic, file)
    result = petaudit.mpuccs(folder, file, max_baseline_cols=2, engine="spark", search="engine")
    # The largest result: the distinct days, and histograms of four combinations.
    assert max(fetched) < 100
    assert_same(result, petaudit.mpuccs(original, synthetic, max_baseline_cols=2))
    assert result.figures["total_identified"] > 50
    assert set(private_folder().iterdir()) == before
    with pytest.raises(NotMeasurableError, match="no list of the rows"):
        _ = result.details


def test_a_table_from_here_and_duplicates_that_stay(spark: Any) -> None:
    original, synthetic, control = people(200, 1), people(150, 2), people(50, 3)
    settings: dict[str, Any] = {
        "n_cols": [2],
        "deduplicate": False,
        "min_entropy_delta": 0.05,
        "renyi_alpha": 1.0,
    }
    result = petaudit.mpuccs(
        original, spark.createDataFrame(synthetic), control, search="engine", **settings
    )
    expected = petaudit.mpuccs(original, synthetic, **settings)
    assert result.findings.tree_columns() == expected.findings.tree_columns()
    assert result.figures["total_identified"] == expected.figures["total_identified"]
    assert result.figures["excess_risk"] is None
    assert any("rows on a cluster have none" in text for text in result.warnings)


def test_small_tables_are_searched_here_in_codes(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many times as fast; the figures are those of tables that are here."""
    original, synthetic, control = people(400, 1), people(300, 2), people(50, 3)
    monkeypatch.setattr(duck_coding, "MANY_VALUES", 100)
    tables = [spark.createDataFrame(table) for table in (original, synthetic, control)]
    result = petaudit.mpuccs(*tables, max_baseline_cols=2)
    expected = petaudit.mpuccs(original, synthetic, control, max_baseline_cols=2)
    of_control = {name for name in expected.figures if name.startswith(("excess", "control"))}
    assert len(of_control) < len(expected.figures) - 5
    expected_figures = expected.figures | dict.fromkeys(of_control)
    assert result.figures == expected_figures
    assert result.findings.tree_columns() == expected.findings.tree_columns()
    assert result.search["way"] == "memory"
    assert "came from Spark as codes" in result.search["reason"]
    assert any("rows on a cluster have none" in text for text in result.warnings)
    with pytest.raises(NotMeasurableError, match="there is no list of the rows"):
        _ = result.details


def test_what_does_not_fit_here_is_counted_there(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strategy, "MOST_ROWS", 4)
    tables = [open_source(spark.createDataFrame(people(5, 1)))] * 2
    assert strategy.choose_strategy(tables, "auto", None).place == "engine"
    with pytest.raises(OptionError, match="too many to be fetched as codes: at most 4 of a table"):
        strategy.choose_strategy(tables, "memory", None)
    monkeypatch.setattr(strategy, "MOST_ROWS", 5)
    assert strategy.choose_strategy(tables, "auto", None).place == "memory"
    assert strategy.choose_strategy(tables, "engine", None).place == "engine"
    assert strategy.choose_strategy(tables, "auto", None, with_people=True).place == "engine"


def test_an_engine_or_a_master_that_cannot_be() -> None:
    table = people(5, 1)
    with pytest.raises(OptionError, match="the engine must be 'duckdb' or 'spark', got 'sparc'"):
        petaudit.mpuccs(table, table, engine="sparc")
    with pytest.raises(OptionError, match="the engine is 'spark', but the original is counted by"):
        petaudit.mpuccs(table, table, engine="spark")
    with pytest.raises(OptionError, match="a Spark master is given, but the engine is not Spark"):
        petaudit.mpuccs(table, table, spark_master="yarn")
