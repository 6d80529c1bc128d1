"""Counts of columns, the same for text and for types."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from petaudit.tables import column_facts as module
from petaudit.tables import open_source
from petaudit.tables.column_facts import ColumnFacts, Kind, column_facts


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "007"], Kind.WHOLE),
        (["1", "2.5", "1e3"], Kind.DECIMAL),
        (["2024-02-29", "2024/1/3"], Kind.DATE),
        (["113/02/29", "99/1/3"], Kind.DATE),
        (["民國", "113年2月3日"], Kind.TEXT),
        (["113年2月3日"], Kind.DATE),
        (["2024-02-29 12:30", "2024-02-29"], Kind.DATETIME),
        (["2024-02-29T12:30:00Z"], Kind.DATETIME),
        (["12:30", "1:00:05"], Kind.TIME),
        (["true", "False"], Kind.BOOLEAN),
        (["是", "否"], Kind.BOOLEAN),
        (["1", "x"], Kind.TEXT),
        (["1.2.3.4"], Kind.TEXT),
        ([None, " "], Kind.NOTHING),
    ],
)
def test_what_text_is(cells: list[str | None], kind: Kind) -> None:
    assert one(pa.array(cells, pa.string())).kind is kind


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2], Kind.WHOLE),
        ([1.0, None], Kind.WHOLE),
        ([1.5, 2.0], Kind.DECIMAL),
        ([Decimal("1.00")], Kind.WHOLE),
        ([Decimal("1.01")], Kind.DECIMAL),
        ([True], Kind.BOOLEAN),
        ([date(2024, 2, 29)], Kind.DATE),
        ([datetime(2024, 2, 29)], Kind.DATETIME),
        ([time(12)], Kind.TIME),
        ([[1]], Kind.OTHER),
        ([b"x"], Kind.OTHER),
    ],
)
def test_what_types_are(cells: list[Any], kind: Kind, tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(cells)})
    pq.write_table(table, tmp_path / "t.parquet")
    for entry in (table, tmp_path / "t.parquet"):
        assert column_facts(open_source(entry))[0].kind is kind


CELLS = ["a", " a", "b", None, "", "*", "197*", "[20,30[", ">=40", "20-29", "*", "a*b"]
FACTS = ColumnFacts("x", 12, Kind.TEXT, 2, 8, 6, suppressed=2, generalized=4)


def test_counts_do_not_depend_on_the_engine(tmp_path: Path) -> None:
    table = pa.table({"x": CELLS})
    pq.write_table(table, tmp_path / "t.parquet")
    lines = "\n".join(f'"{cell or ""}";1' for cell in CELLS)
    (tmp_path / "t.csv").write_text(f"x;y\n{lines}\n", encoding="utf-8")
    for entry in (table, tmp_path / "t.parquet", tmp_path / "t.csv", pl.DataFrame({"x": CELLS})):
        assert column_facts(open_source(entry))[0] == FACTS


def test_many_columns_are_fetched_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns: dict[str, Any] = {f"n{number}": CELLS for number in range(5)}
    columns["list"] = [[1]] * len(CELLS)
    columns["mail"] = ["a@b.org", "A123456789", "0912-345-678", "+886 912 345 678", *CELLS[:8]]
    columns["whole"] = [*range(10), None, 3]
    columns["gaps"] = [1.0, None, *map(float, range(10))]
    columns["decimal"] = [Decimal(number) / 4 for number in range(12)]
    columns["day"] = [date(2020, 1, 1 + number // 2) for number in range(12)]
    columns["yes"] = [True, None] * 6
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    few = column_facts(open_source(tmp_path / "t.parquet"))
    monkeypatch.setattr(module, "_MANY_COLUMNS", 2)
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 25)
    assert column_facts(open_source(tmp_path / "t.parquet")) == few


def one(cells: pa.Array) -> ColumnFacts:
    return column_facts(open_source(pa.table({"a": cells})))[0]
