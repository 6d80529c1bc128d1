"""Only aggregates leave Spark: every query of a complete audit, and the size of every answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import EngineError, NotMeasurableError
from petaudit.tables import TableCounts, open_source
from petaudit.tables.engines import remote as _remote_results
from spark.plans import rows_without_aggregate

pytestmark = pytest.mark.spark

CITIES, AGES, WORKS = 20, 10, 5
CLASSES = CITIES * AGES * WORKS
ROWS = 4 * CLASSES
FEW_VALUES, MANY_VALUES = 4, 750
LIMITS: dict[str, dict[str, Any]] = {
    "k-anonymity": {"limit": 5},
    "t-closeness": {"limit": "0.7"},
    "profitability": {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200},
}


@dataclass(frozen=True)
class Query:
    """What was asked, and how many rows came back."""

    frame: Any
    size: int

    @property
    def plan(self) -> str:
        return str(self.frame._jdf.queryExecution().analyzed())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Query]:
    """Every query that goes to Spark."""
    result: list[Query] = []
    collected = TableCounts.collected

    def noted(own: TableCounts, lazy: nw.LazyFrame[Any]) -> pa.Table:
        answer = collected(own, lazy)
        result.append(Query(lazy.to_native(), answer.num_rows))
        return answer

    monkeypatch.setattr(TableCounts, "collected", noted)
    return result


def table_of(spark: Any, *more: str) -> Any:
    """Four rows in every class, and sensitive attributes with few and with many values."""
    return spark.range(ROWS).selectExpr(
        "cast(id as string) as key",
        f"concat('z', cast(id % {CITIES} as string)) as zip",
        f"cast(floor(id / {CITIES}) % {AGES} as string) as age",
        f"concat('w', cast(floor(id / {CITIES * AGES}) % {WORKS} as string)) as work",
        f"cast(id * 7 % {FEW_VALUES} as string) as disease",
        f"cast(id * 7 % {MANY_VALUES} as string) as pay",
        *more,
    )


@pytest.mark.parametrize("person", [None, "person"])
def test_every_query_of_an_audit_counts_before_it_answers(
    person: str | None, spark: Any, asked: list[Query]
) -> None:
    visits = [] if person is None else [f"cast(floor(id / 2) as string) as {person}"]
    table = table_of(spark, *visits)
    result = petaudit.audit(
        table,
        # Measures of utility do not know people.
        original=table if person is None else None,
        population=table,
        key="key",
        person=person,
        quasi_identifiers=["zip", "age", "work"],
        sensitive=["disease", "pay"],
        hierarchies={
            "zip": {f"z{city}": ["*"] for city in range(CITIES)},
            "work": {f"w{work}": ["*"] for work in range(WORKS)},
            "age": {str(age): ["*"] for age in range(AGES)},
        },
        options=LIMITS,
    )
    document = result.to_dict()
    refused = {entry.measure: entry.reason for entry in result.not_measured if entry.asked_for}
    assert refused == {}
    assert document["exit_code"] == 1
    assert len(asked) > 20
    for query in asked:
        assert rows_without_aggregate(query.frame) == [], query.plan
    # So many values has a column, and fewer has a pair of quasi-identifiers, of which associations
    # are measured. Nothing grows with rows, and with classes but one query: their hashes, unless
    # people are told apart.
    large = [entry for entry in asked if entry.size > MANY_VALUES + 10]
    assert [entry.size for entry in large] == ([CLASSES] if person is None else [])
    for entry in large:
        assert {kind for _, kind in entry.frame.dtypes} == {"bigint"}


def test_too_large_an_answer_is_refused_before_it_is_fetched(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_remote_results, "MOST_ROWS", 500)
    counts = open_source(table_of(spark)).counts
    assert len(counts.value_counts("age").labels) == AGES
    with pytest.raises(EngineError, match="more than 500 values, too many to fetch"):
        counts.value_counts("pay")
    with pytest.raises(NotMeasurableError, match="individual rows, which stay in pyspark"):
        open_source(table_of(spark)).to_arrow()
