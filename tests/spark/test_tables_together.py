"""Two tables that Spark brings together, or one of them from here: the figures of local tables."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import InputError
from petaudit.inputs import gather
from petaudit.tables import open_source
from petaudit.tables.sums import sum_of_products

pytestmark = pytest.mark.spark

TABLE = pa.table(
    {
        "key": ["1", "2", "3", "4", "5", "6"],
        "zip, `code`": ["a", "a ", "b", None, "*", "*"],
        "age": ["20-29", "20-29", "31", "31", "*", "*"],
        "day": pa.array([date(2020, 1, 1), None] * 3, pa.date32()),
        "wage": pa.array([Decimal("1.50"), Decimal("2.25"), None] * 2, pa.decimal128(9, 2)),
    }
)
PEOPLE = pa.table(
    {
        "key": list(range(1, 10)),
        "zip, `code`": ["a", "a", "b", None, "b", "", "a", "臺北", "a"],
        "age": [21.0, 25.0, 31.0, 31.0, 31.0, 31.0, 22.0, None, float("nan")],
        "day": pa.array([date(2020, 1, 1), None] * 4 + [None], pa.date32()),
        "wage": pa.array([Decimal("1.50"), Decimal("2.25"), None] * 3, pa.decimal128(9, 2)),
    }
)
QUASI_IDENTIFIERS = ["zip, `code`", "age"]
AGES = {str(age): ["20-29" if age < 30 else "30-39", "*"] for age in (21, 22, 25, 31)} | {
    "": ["*", "*"]
}
GIVEN: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "hierarchies": {"age": AGES}}


@pytest.fixture(scope="module")
def there(spark: Any) -> dict[str, Any]:
    """Both tables in Spark, and the first rows of the population by the same keys."""
    tables = {"table": TABLE, "people": PEOPLE, "original": PEOPLE.slice(0, 6)}
    return {name: spark.createDataFrame(table).repartition(3) for name, table in tables.items()}


def test_a_population_is_met_there(there: dict[str, Any]) -> None:
    """Ages are numbers in the population and ranges in the table; nulls are labels."""
    local = gather(TABLE, population=PEOPLE, **GIVEN).population_classes
    for table in (there["table"], TABLE):
        people = there["people"]
        result = gather(table, population=people, **GIVEN).population_classes
        assert vars(result).keys() == vars(local).keys()
        for name, figure in vars(local).items():
            assert getattr(result, name) == pytest.approx(figure), name


def test_people_who_are_not_in_the_population_are_missed(there: dict[str, Any]) -> None:
    messages = []
    for table, people in ((TABLE, PEOPLE), (there["table"], there["people"])):
        with pytest.raises(InputError, match="1 class of the table with 2 rows has") as caught:
            petaudit.k_map(table, population=people, quasi_identifiers=QUASI_IDENTIFIERS)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("name", ["day", "wage"])
def test_dates_and_decimals_are_compared_by_their_cells(there: dict[str, Any], name: str) -> None:
    given = {"quasi_identifiers": [name]}
    local = petaudit.k_map(TABLE, population=PEOPLE, **given)
    assert petaudit.k_map(there["table"], population=there["people"], **given) == local


def test_rows_are_met_by_their_keys(there: dict[str, Any]) -> None:
    """Keys are numbers in one table and texts in the other."""
    original = PEOPLE.slice(0, 6)
    given = {"key": "key", "unknown": "maximal", **GIVEN}
    local = petaudit.record_squared_error(original, TABLE, **given)
    for released in (there["table"], TABLE):
        result = petaudit.record_squared_error(there["original"], released, **given)
        assert result.value == pytest.approx(local.value, abs=1e-12)
        assert result.columns == local.columns
    with pytest.raises(InputError, match="key column 'age' is of kind Float64 in one table"):
        petaudit.record_squared_error(there["original"], there["table"], key="age", **GIVEN)
    with pytest.raises(InputError, match="key column 'zip, `code`' of the frame holds a null"):
        petaudit.record_squared_error(
            there["original"], there["table"], key=QUASI_IDENTIFIERS[0], **GIVEN
        )


def test_pairs_of_columns_and_products(there: dict[str, Any]) -> None:
    columns = [*QUASI_IDENTIFIERS, "wage"]
    # Of labels with one row each nothing can be told.
    here = [pa.concat_tables([entry] * 4) for entry in (PEOPLE, TABLE)]
    away = [there[name].union(there[name]) for name in ("people", "table")]
    local = petaudit.association_change(*here, columns=columns)
    result = petaudit.association_change(*(entry.union(entry) for entry in away), columns=columns)
    for entry, expected in zip(result.pairs, local.pairs, strict=True):
        assert entry.coefficient == expected.coefficient
        assert entry.original == pytest.approx(expected.original, abs=1e-9)
        assert entry.released == pytest.approx(expected.released, abs=1e-9)
    sums = []
    for table in (TABLE, there["table"]):
        counts = open_source(table).counts
        labels = {name: len(counts.value_counts(name).labels) for name in TABLE.column_names}
        factors = {name: 3 ** (20 + np.arange(many)) for name, many in labels.items()}
        sums.append(sum_of_products(counts, factors))
    assert sums[0] == sums[1] > 3**100
