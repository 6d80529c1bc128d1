"""A frame of Spark is de-identified where it is: combinations come here, and labels go back."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import InputError, NotMeasurableError

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


def test_what_needs_rows_or_a_database_is_refused(spark: Any) -> None:
    made = petaudit.anonymize(spark.createDataFrame(TABLE), **GIVEN, limits={"k-anonymity": 4})
    with pytest.raises(InputError, match="postgresql://"):
        made.make_table("released")
    with pytest.raises(NotMeasurableError, match="stay in pyspark"):
        _ = made.released
