"""A frame of Spark is de-identified where it is: combinations come here, and labels go back."""

from __future__ import annotations

import json
import stat
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa
import pytest
from pyarrow import parquet

import petaudit
from in_process import run
from petaudit.anonymizing import making
from petaudit.errors import (
    ColumnError,
    InputError,
    NotMeasurableError,
    OptionError,
    PetauditError,
    UndecidedError,
)

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning"),
]

TABLE = pa.table(
    {
        "zip, `code`": ["a", "a ", "b", None, "c", "b", "a", "臺北"] * 3,
        "age": pa.array([21, 22, 31, 31, None, 35, 62, 63] * 3, pa.int64()),
        "day": pa.array([date(2020, 1, 1), None] * 12, pa.date32()),
        "illness": ["flu", "cold", "gout"] * 8,
        "who": [str(number // 2) for number in range(24)],
    }
)
GIVEN: dict[str, Any] = {
    "quasi_identifiers": ["zip, `code`", "age"],
    "sensitive": "illness",
    "hierarchies": {"age": petaudit.ranges(10, 20)},
}
CASES: dict[str, dict[str, Any]] = {
    "local": {"limits": {"k-anonymity": 4, "l-diversity": 2}},
    "people": {"limits": {"k-anonymity": 4}, "person": "who"},
    "dropped": {
        "limits": {"k-anonymity": 4},
        "recoding": "global",
        "levels": {"age": 0},
        "max_suppression": "90%",
        "drop_suppressed": True,
    },
}


@pytest.mark.parametrize("name", CASES)
def test_the_frame_that_is_made_is_the_table_made_here(name: str, spark: Any) -> None:
    there = spark.createDataFrame(TABLE).repartition(3)
    local = petaudit.anonymize(TABLE, **GIVEN, **CASES[name])
    made = petaudit.anonymize(there, **GIVEN, **CASES[name])
    assert made.transformation.steps == local.transformation.steps
    for result in made.audit.results:
        assert result.value == local.audit[result.measure].value
    frame = made.table
    assert type(frame) is type(there)
    assert frame.columns == local.table.column_names
    rows = Counter(map(tuple, frame.collect()))
    assert rows == Counter(tuple(row.values()) for row in local.table.to_pylist())
    assert made.rows_released == sum(rows.values())
    # What needs a database or the rows is refused.
    with pytest.raises(InputError, match="postgresql://"):
        made.make_table("released")
    with pytest.raises(NotMeasurableError, match="stay in pyspark"):
        _ = made.released


# --- the folder that Spark writes -----------------------------------------------------------------


@pytest.fixture
def people(tmp_path: Path) -> Path:
    parquet.write_table(TABLE, tmp_path / "people.parquet")
    return tmp_path


COMMAND = [
    *("anonymize", "people.parquet", "--qi", '"zip, `code`",age', "--sensitive", "illness"),
    *("--k", "4", "--engine", "spark"),
]


def test_the_command_writes_the_table_that_is_made_here(spark: Any, people: Path) -> None:
    done = run([*COMMAND, "--out", "臺 北.parquet"], people, {})
    assert done.returncode == 0, done.stderr
    document = people / "臺 北.transformation.json"
    assert {path.name for path in people.iterdir()} == {
        *("people.parquet", "臺 北.parquet", document.name)
    }
    assert stat.S_IMODE(document.stat().st_mode) == 0o600
    for cell in ("gout", "flu", "臺北"):
        assert cell not in done.stdout + done.stderr
    written = parquet.read_table(people / "臺 北.parquet")
    given = {name: GIVEN[name] for name in ("quasi_identifiers", "sensitive")}
    local = petaudit.anonymize(TABLE, **given, limits={"k-anonymity": 4})
    assert written.column_names == local.table.column_names
    rows = [Counter(map(str, table.to_pylist())) for table in (written, local.table)]
    assert rows[0] == rows[1]


def without_some(rows: Any) -> Any:
    return rows.filter(nw.col("c3") != "flu")


def with_finer_cells(rows: Any) -> Any:
    day, illness = nw.col("c2").cast(nw.String), nw.col("c3")
    return rows.with_columns(day.alias("c0"), illness.alias("c1"))


def interrupted(*_: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("person", "said"), [(None, "limit of k-anonymity"), ("who", "has other classes")]
)
def test_what_breaks_a_limit_or_is_interrupted_leaves_nothing(
    person: str | None, said: str, spark: Any, people: Path
) -> None:
    """Of the search's own figures nothing is believed: what Spark wrote is measured again."""
    path, target = people / "people.parquet", people / "released.parquet"
    given = {**GIVEN, "person": person, "engine": "spark"}
    made = petaudit.anonymize(path, **given, limits={"k-anonymity": 6})
    frame = making.ReleasedElsewhere.frame

    def refused(error: type[BaseException], said: str, name: str, other: Any) -> None:
        own = making.ReleasedElsewhere if name == "frame" else making
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(own, name, other)
            with pytest.raises(error, match=said):
                made.make_folder(target)
        assert [*people.iterdir()] == [path]

    refused(UndecidedError, said, "frame", lambda self: with_finer_cells(frame(self)))
    if person is None:
        few = "16 rows where 24 rows"
        refused(UndecidedError, few, "frame", lambda self: without_some(frame(self)))
        refused(KeyboardInterrupt, "", "refuse_written", interrupted)
        parquet.write_table(TABLE.take([*range(23, -1, -1)]), path)
        # The same rows in another order: no figure tells, but the file is another.
        refused(PetauditError, "people.parquet", "frame", frame)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("hdfs://eve:secret@host/x.parquet", r"hdfs://host/x\.parquet: petaudit has Spark write"),
        ("released.csv", "ends in .parquet"),
        ("people.parquet", "replaces nothing"),
    ],
)
def test_no_other_place_is_written_to(out: str, said: str, people: Path) -> None:
    done = run([*COMMAND, "--out", out], people, {})
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr
    with pytest.raises(PetauditError, match=said):
        making.new_folder(people / out if "//" not in out else out)


def test_cells_that_spark_does_not_read_are_not_released_as_nulls(spark: Any, people: Path) -> None:
    moments = pa.array([*range(TABLE.num_rows)], pa.timestamp("ns"))
    parquet.write_table(TABLE.append_column("seen", moments), people / "people.parquet")
    given = {**GIVEN, "limits": {"k-anonymity": 4}, "engine": "spark"}
    with pytest.raises(ColumnError, match="'seen' is of kind timestamp"):
        petaudit.anonymize(people / "people.parquet", **given)
    local = petaudit.anonymize(TABLE, **GIVEN, limits={"k-anonymity": 4})
    with pytest.raises(OptionError, match="not on Spark"):
        local.make_folder(people / "released.parquet")


def test_an_anonymizer_of_a_pipeline_runs_on_spark(spark: Any, people: Path) -> None:
    (people / "audit.yaml").write_text(
        """
Loader:
  people:
    filepath: people.parquet
    hierarchies: {age: {ranges: [10, 20]}}
    roles: {identifier: [who], quasi_identifier: [age], sensitive_attribute: [illness]}
Anonymizer:
  released: {limits: {k-anonymity: 6}, recoding: global}
Evaluator:
  k: {method: k-anonymity, limit: 6}
"""
    )
    done = run(["run", "audit.yaml", "--engine", "spark", "--out", "out"], people, {})
    assert done.returncode == 0, done.stderr
    document = json.loads((people / "out" / "result.json").read_text())
    [result] = document["results"]
    ages = petaudit.anonymize(
        TABLE,
        quasi_identifiers="age",
        hierarchies=GIVEN["hierarchies"],
        limits={"k-anonymity": 6},
        recoding="global",
    )
    assert (result["status"], result["value"]) == ("passed", ages.audit["k-anonymity"].value)
