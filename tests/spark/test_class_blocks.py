"""Classes on a cluster: workers answer what one process would, and tell no more than answers."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from petaudit.errors import EngineError
from petaudit.inputs import Inputs, gather
from petaudit.measures import find_measure
from petaudit.tables import open_source
from petaudit.tables.classes import packed as _packed
from petaudit.tables.classes.remote_blocks import SparkBlocks

pytestmark = pytest.mark.spark

ROWS = 3_000
MODELS: dict[str, dict[str, Any]] = {
    "t-closeness": {"limit": 0.5},
    "l-diversity": {"limit": 3},
    "entropy-l-diversity": {"limit": 2},
    "recursive-l-diversity": {},
    "alpha-k-anonymity": {"limit": 0.5, "k": 3},
    "beta-likeness": {"limit": 2},
    "enhanced-beta-likeness": {"limit": 2},
    "delta-disclosure": {"limit": 1},
}


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Half of the rows are in one class; some are suppressed; some labels have blanks around."""
    draw = np.random.default_rng(7)
    zips = [f"{code:03d} " if code % 7 else None for code in draw.integers(0, 150, ROWS)]
    ages = [str(age) for age in draw.integers(20, 26, ROWS)]
    for row in range(0, ROWS, 2):
        zips[row], ages[row] = "999", "20"
    for row in range(0, ROWS, 50):
        zips[row] = ages[row] = "*"
    return pa.table(
        {
            "zip.code": zips,
            "年齡 `x`": ages,
            "sick": [
                ["flu", "cancer", "ulcer", "*", None][entry] for entry in draw.integers(0, 5, ROWS)
            ],
            "pay": draw.integers(0, 900, ROWS).astype(float),
        }
    )


def opened(table: Any, **given: Any) -> Inputs:
    columns = ["zip.code", "年齡 `x`"]
    return gather(table, quasi_identifiers=columns, sensitive=["sick", "pay"], **given)


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
def test_workers_see_what_one_process_sees(spark: Any, table: pa.Table, suppressed: str) -> None:
    here, there = (
        opened(entry, suppressed=suppressed) for entry in (table, spark.createDataFrame(table))
    )
    assert isinstance(there.class_blocks, SparkBlocks)
    # How rows are suppressed is not the business of any one model.
    for name in MODELS if suppressed == "exclude" else ("t-closeness", "alpha-k-anonymity"):
        entry = MODELS[name]
        measure = find_measure(name)
        assert measure.run(there, entry).to_dict() == measure.run(here, entry).to_dict(), name


def test_few_different_classes_need_no_worker_of_ours(spark: Any) -> None:
    small = pa.table({"a": list("xxyy*"), "s": list("pqppp")})
    blocks = open_source(spark.createDataFrame(small)).counts.class_blocks(["a"], ["s"])
    assert not isinstance(blocks, SparkBlocks)


def test_labels_come_for_the_worst_classes(spark: Any, table: pa.Table) -> None:
    inputs = opened(spark.createDataFrame(table), reveal_values=True)
    result = find_measure("l-diversity").run(inputs, {"worst": 2}).to_dict()["attributes"][0]
    assert len(result["worst_classes"]) == 2
    wanted = {("zip.code", "年齡 `x`")}
    assert {tuple(entry["labels"]) for entry in result["worst_classes"]} == wanted


def test_answers_are_as_many_as_partitions(spark: Any, table: pa.Table) -> None:
    inputs = opened(spark.createDataFrame(table))
    counts = inputs.table.counts
    rows: list[int] = []
    collected = counts.collected

    def noted(lazy: Any) -> pa.Table:
        result = collected(lazy)
        rows.append(result.num_rows)
        return result

    with patch.object(_packed, "MOST_FETCHED", 10), patch.object(counts, "collected", noted):
        find_measure("t-closeness").run(inputs, {})
    partitions = int(spark.conf.get("spark.sql.shuffle.partitions"))
    # The last question went to the workers; the values of "pay" are the longest that came back.
    # A worker tells how many rows it saw, and answers.
    assert rows[-1] <= 2 * partitions
    assert max(rows) == len(set(table.column("pay").to_pylist()))


@pytest.mark.parametrize("column", ["sick", "pay"])
def test_other_rows_than_before_are_an_error(spark: Any, table: pa.Table, column: str) -> None:
    """By packed counters and by workers: another number of rows, and a value that was not there."""
    frame = spark.createDataFrame(table)
    known = open_source(frame).counts.values(column)
    for is_value in (False, True):
        inputs = gather(frame, quasi_identifiers="zip.code", sensitive=column)
        counts = inputs.table.counts
        counts._rows = ROWS if is_value else ROWS - 1
        if is_value:
            times = known.counts.counts[known.positions][1:]
            counts._keep_values(column, known.cells.slice(1), times)
        with pytest.raises(EngineError, match="one query counted"):
            find_measure("l-diversity").run(inputs, {"limit": 2})
