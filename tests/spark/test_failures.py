"""What is said of Spark's failures: their name, or words for it, and nothing of the data."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from petaudit.tables.engines.spark_jobs import spark_failure
from spark.processes import petaudit

SAID = "pyspark failed while counting (the workers' Python failed: every worker needs this version"


class Named(Exception):  # noqa: N818 (as PySpark calls its own)
    """A failure as PySpark passes it on."""

    def __init__(self, condition: str | None) -> None:
        self.condition = condition

    def getCondition(self) -> str | None:
        return self.condition


class PythonException(Exception):  # noqa: N818 (the name is what counts)
    """PySpark's own, where Spark has no name for what happened."""


def test_failures_have_names() -> None:
    assert spark_failure(Named("DIVIDE_BY_ZERO")) == "DIVIDE_BY_ZERO"
    assert spark_failure(Named("a cell")) is None
    assert spark_failure(ValueError("a cell")) is None
    for problem in (Named("PYTHON_EXCEPTION"), PythonException("a cell")):
        assert str(spark_failure(problem)).startswith("the workers' Python failed: every worker")


@pytest.mark.spark
@pytest.mark.parametrize("python", ["without petaudit", "not there", "ends at once"])
def test_a_python_of_the_workers_that_cannot_count(python: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    rows = 3_000
    columns = {"zip": draw.integers(0, 300, rows), "age": draw.integers(0, 9, rows)}
    columns |= {"sick": draw.integers(0, 5, rows), "pay": draw.integers(0, 900, rows)}
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table(columns), path)
    other = tmp_path / "python"
    if python != "not there":
        # Without the folder of installed packages.
        run = "exit 1" if python == "ends at once" else f'exec "{sys.executable}" -S "$@"'
        other.write_text(f"#!/bin/sh\n{run}\n", encoding="utf-8")
        other.chmod(0o755)
    running = petaudit(
        *(tmp_path, "check", path, "--qi", "zip,age", "--sensitive", "sick,pay"),
        *("--measures", "t-closeness", "--engine", "spark", "--spark-master", "local[1]"),
        PYSPARK_PYTHON=str(other),
    )
    complained = running.communicate(timeout=120)[1]
    assert running.returncode == 2
    assert SAID in complained
    assert "(see 'What the cluster needs' in the documentation)" in complained
