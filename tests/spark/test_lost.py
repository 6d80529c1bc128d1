"""What happens to a run when parts of Spark die: nothing, or a clear error in a bounded time."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from in_process import run
from petaudit.errors import EngineLostError, OptionError
from petaudit.tables import open_source
from petaudit.tables.engines import spark_jobs as _spark_jobs
from spark.processes import (
    PATIENCE,
    Cluster,
    descendants,
    executors_under,
    java_under,
    petaudit,
    until,
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    zips = [f"z{row % 7}" for row in range(500)]
    parquet.write_table(
        pa.table({"zip": zips, "sick": [f"s{row % 3}" for row in range(500)]}), path
    )
    return path


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    started = Cluster(tmp_path)
    yield started
    started.stop()


CHECK = (
    *("--qi", "zip", "--sensitive", "sick", "--measures", "k-anonymity,t-closeness,suppression"),
    *("--format", "json", "--engine", "spark"),
)


def test_killing_an_executor_changes_nothing(spark: Any) -> None:
    def slowly(batches: Any) -> Any:
        import time  # noqa: PLC0415 (goes to another process)

        for batch in batches:
            time.sleep(0.5)
            yield batch

    rows = spark.range(800, numPartitions=8).selectExpr("cast(id % 9 as string) as a")
    frame = rows.mapInArrow(slowly, "a string")
    answers: list[Any] = []
    counting = threading.Thread(
        target=lambda: answers.append(open_source(frame).counts.class_histogram(["a"]))
    )
    java = spark.sparkContext._gateway.proc.pid
    before = executors_under(java)
    assert len(before) == 2
    counting.start()
    tracker = spark.sparkContext.statusTracker()
    until(tracker.getActiveStageIds)
    time.sleep(0.5)
    os.kill(before[0], signal.SIGKILL)
    counting.join()
    assert answers[0].sizes.tolist() == [88, 89]
    assert answers[0].classes.tolist() == [1, 8]
    # The cluster starts another one in its place.
    until(lambda: len(executors_under(java)) == 2)
    assert before[0] not in executors_under(java)


@pytest.mark.spark
def test_a_cluster_without_executors_or_that_loses_its_master(
    table: Path, cluster: Cluster
) -> None:
    cluster.start_master()
    asked = (table.parent, "check", table, *CHECK, "--spark-master", cluster.url)
    running = petaudit(*asked, PETAUDIT_SPARK_WAIT="3")
    said, complained = running.communicate(timeout=PATIENCE)
    assert (running.returncode, said) == (2, "")
    assert "has had no executor for 3 seconds; the run was aborted" in complained
    assert complained.count("\n") == 1
    cluster.start_worker()
    running = petaudit(*asked)
    [master, worker] = cluster.processes
    until(lambda: executors_under(worker.pid) or running.poll() is not None)
    master.kill()
    said, complained = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2, said
    assert said == ""
    assert complained == (
        f"petaudit: error: the Spark master {cluster.url} no longer answers; the run was aborted\n"
    )
    left = [path.name for path in (table.parent / "temporary").iterdir()]
    assert not any(name.startswith("petaudit-") for name in left)


@pytest.mark.spark
def test_an_interrupted_run_leaves_nothing_behind(table: Path) -> None:
    running = petaudit(table.parent, "check", table, *CHECK, "--spark-master", "local[2]")
    until(lambda: list((table.parent / "temporary").glob("petaudit-*/petaudit_*/blockmgr-*")))
    java = java_under(running.pid)
    running.send_signal(signal.SIGINT)
    said, complained = running.communicate(timeout=PATIENCE)
    assert (running.returncode, said, complained) == (130, "", "petaudit: interrupted\n")
    assert not any(Path(f"/proc/{entry}").exists() for entry in java)
    assert list((table.parent / "temporary").iterdir()) == []


@pytest.mark.spark
def test_losing_java_is_an_error(table: Path) -> None:
    running = petaudit(table.parent, "check", table, *CHECK, "--spark-master", "local[2]")
    until(lambda: list((table.parent / "temporary").glob("petaudit-*/petaudit_*/blockmgr-*")))
    for entry in java_under(running.pid):
        os.kill(entry, signal.SIGKILL)
    said, complained = running.communicate(timeout=PATIENCE)
    assert (running.returncode, said) == (2, ""), complained
    assert complained.startswith("petaudit: error: Spark ")
    assert complained.count("\n") == 1
    assert list((table.parent / "temporary").iterdir()) == []


@pytest.mark.spark
def test_a_master_that_is_not_there_is_an_error(table: Path) -> None:
    master = "spark://127.0.0.1:1"
    running = petaudit(table.parent, "check", table, *CHECK, "--spark-master", master)
    said, complained = running.communicate(timeout=PATIENCE)
    assert (running.returncode, said) == (2, "")
    assert complained == f"petaudit: error: no answer from the Spark master {master}\n"


class FakeContext:
    """A cluster of which the test says how many executors it has."""

    master = "yarn"

    def __init__(self, executors: list[int]) -> None:
        self.executors = executors

    @property
    def _jsc(self) -> FakeContext:
        return self

    def sc(self) -> FakeContext:
        return self

    def getExecutorMemoryStatus(self) -> FakeContext:
        return self

    def size(self) -> int:
        # The driver is among them.
        return self.executors.pop(0) + 1 if self.executors else 1


def test_executors_may_be_away_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.delenv("PETAUDIT_SPARK_WAIT", raising=False)
    monkeypatch.setattr(_spark_jobs.time, "monotonic", lambda: now[0])
    watch = _spark_jobs._Watch(FakeContext([1, 0, 0, 1, 0]))
    for second in (30, 60, 85, 110, 165):
        now[0] = second
        watch.look()
    now[0] = 171
    with pytest.raises(EngineLostError, match="yarn has had no executor for 60 seconds"):
        watch.look()


@pytest.mark.parametrize("given", ["soon", "-1", "1.5"])
def test_the_patience_is_a_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PETAUDIT_SPARK_WAIT", given)
    with pytest.raises(
        OptionError,
        match=f"PETAUDIT_SPARK_WAIT must be an integer number of seconds, got '{given}'",
    ):
        _spark_jobs._Watch(FakeContext([]))


@pytest.mark.spark
def test_the_result_is_that_of_duckdb(table: Path) -> None:
    """The whole way: one's own session, a clean terminal, and nothing left behind."""
    spark = petaudit(table.parent, "check", table, *CHECK, "--spark-master", "local[2]")
    said, complained = spark.communicate(timeout=PATIENCE)
    assert (spark.returncode, complained) == (0, "")
    duckdb = run(["check", str(table), *CHECK[:-2]], table.parent, {})
    assert (duckdb.returncode, duckdb.stderr) == (0, "")
    told = [json.loads(said), json.loads(duckdb.stdout)]
    assert told[0]["inputs"]["table"].pop("engine") == "pyspark"
    assert told[1]["inputs"]["table"].pop("engine") == "duckdb"
    assert (told[0]["options"].pop("engine"), told[1]["options"].pop("engine")) == ("spark", None)
    assert told[0]["options"].pop("spark_master") == "local[2]"
    assert told[1]["options"].pop("spark_master") is None
    assert told[0] == told[1]
    assert list((table.parent / "temporary").iterdir()) == []
    assert sorted(path.name for path in table.parent.iterdir()) == [
        *("settings", "table.parquet", "temporary")
    ]


@pytest.mark.spark
def test_java_does_not_outlive_the_program(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("zip;sick\n1;a\n2;b\n")
    process = petaudit(tmp_path, "check", table, "--qi", "zip", "--engine", "spark")
    # The private folder is made for Spark's own files, right before Java is started.
    until(lambda: list(tmp_path.glob("temporary/petaudit-*/petaudit_*")))
    until(lambda: list(descendants(process.pid)))
    java = list(descendants(process.pid))
    process.send_signal(signal.SIGTERM)
    out, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, said) == (143, "", "petaudit: interrupted\n")
    until(lambda: not any(Path(f"/proc/{entry}").exists() for entry in java))
    assert list(tmp_path.glob("temporary/*")) == []
