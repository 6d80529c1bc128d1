"""A report is as small for many rows as for few, and never sees the table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import petaudit


def page(rows: int) -> str:
    chance = np.random.default_rng(1)
    table = pa.table(
        {
            "zip": chance.integers(0, 60, rows),
            "age": chance.integers(18, 90, rows),
            "pay": chance.integers(0, rows, rows),
            "disease": chance.integers(0, 12, rows).astype(str),
        }
    )
    result = petaudit.audit(
        table,
        quasi_identifiers=["zip", "age"],
        sensitive=["pay", "disease"],
        original=table,
        options={"k-anonymity": {"limit": 5}},
    )
    return petaudit.report(result.to_dict())


def test_many_rows_take_no_more_room() -> None:
    few, many = (len(page(rows).encode()) for rows in (5_000, 200_000))
    assert many < 1.5 * few
    assert many < 400_000
