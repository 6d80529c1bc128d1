"""What is said of Spark's failures: their name, or words for it, and nothing of the data."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from petaudit.cli import main
from petaudit.tables.engines.spark_jobs import spark_failure
from spark.processes import PATIENCE, own_environment

WITHOUT_PACKAGES = f'exec "{sys.executable}" -S "$@"'
"""A Python that does not look into the folder of installed packages."""

SAID = {
    "without petaudit": "the workers' Python lacks (petaudit|numpy|pyarrow)",
    "not there": "the workers have no such Python, or may not run it",
    "ends at once": "the workers' Python failed",
}
"""By what is wrong with the workers' Python."""


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ModuleNotFoundError: No module named 'petaudit'", "the workers' Python lacks petaudit: "),
        ("No module named 'numba.core'", "the workers' Python lacks numba: "),
        ("No module named 'Wang Mei'", "the workers' Python failed: "),
        ("PyArrow >= 18.0.0 must be installed", "the workers' Python lacks pyarrow: "),
        ("[PYTHON_VERSION_MISMATCH] a cell", "the workers' Python has another version than this"),
        ('Cannot run program "/a": error=2, No such file', "the workers have no such Python"),
    ],
)
def test_what_is_wrong_with_the_workers_python_is_told_apart(text: str, said: str) -> None:
    told = str(spark_failure(PythonException(f"{text} 'a cell'")))
    assert told.startswith(said)
    assert "a cell" not in told


def _python(path: Path, what: str) -> str:
    """A Python for the workers in which something is wrong."""
    if what != "not there":
        command = "exit 1" if what == "ends at once" else WITHOUT_PACKAGES
        path.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
        path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("python", SAID)
def test_a_python_of_the_workers_that_cannot_count(
    python: str,
    spark: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    draw = np.random.default_rng(1)
    rows = 3_000
    columns = {"zip": draw.integers(0, 300, rows), "age": draw.integers(0, 9, rows)}
    columns |= {"sick": draw.integers(0, 5, rows), "pay": draw.integers(0, 900, rows)}
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table(columns), path)
    # What PYSPARK_PYTHON named when the session began.
    monkeypatch.setattr(spark.sparkContext, "pythonExec", _python(tmp_path / "python", python))
    asked = ["check", str(path), "--qi", "zip,age", "--sensitive", "sick,pay"]
    assert main([*asked, "--measures", "t-closeness", "--engine", "spark"]) == 2
    complained = capsys.readouterr().err
    assert re.search(
        rf"pyspark failed while counting \({SAID[python]}: every worker needs this version",
        complained,
    )
    assert "(see 'What the cluster needs' in the documentation)" in complained


def test_the_doctor_looks_at_a_worker(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    master = spark.sparkContext.master
    asked = ["doctor", "--spark-master", master, "--format", "json"]
    assert main(asked) == 0
    facts = json.loads(capsys.readouterr().out)
    [worker] = facts["spark"]["workers"]
    assert (facts["problems"], facts["spark"]["master"]) == ([], master)
    assert (worker["python"], worker["packages"]["petaudit"]) == (
        facts["python"],
        facts["petaudit"],
    )
    lacking = _python(tmp_path / "python", "without petaudit")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", lacking)
    assert main(asked) == 2
    facts = json.loads(capsys.readouterr().out)
    assert any("has no numpy in" in problem for problem in facts["problems"])


@pytest.mark.spark
def test_a_program_that_spark_submit_starts(tmp_path: Path) -> None:
    """It counts where spark-submit was told to, and ends without a traceback."""
    import pyspark  # noqa: PLC0415 (an extra)

    table = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"zip": ["1", "1", "2"]}), table)
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        "from petaudit.cli import main\n"
        "code = main(sys.argv[1:])\n"
        "from pyspark import SparkContext\n"
        "print(SparkContext._active_spark_context.master)\n"
        "sys.exit(code)\n"
    )
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    check = ("check", table, "--qi", "zip", "--k", "1", "--engine", "spark", "--quiet")
    done = subprocess.run(
        [str(submit), "--master", "local[1,3]", str(program), *map(str, check)],
        cwd=tmp_path,
        env=own_environment(tmp_path, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "local[1,3]"
    assert "Traceback" not in done.stderr
