"""What would remain if a column were left out or made coarser: counted anew by the twin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import mpuccs_twin as twin
import petaudit
from singling.frames import rows_of
from singling.pairs import Pair, pairs
from singling.test_properties import asked

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


def coarser(change: str) -> Callable[[Any], Any] | None:
    """What a change makes of a value, where its name says so exactly."""
    if change == "floored to the month":
        return lambda moment: (moment.year, moment.month)
    if change.startswith("rounded to "):
        step = Fraction(change.removeprefix("rounded to "))
        return lambda number: round(Fraction(number) / step)
    return None


@settings(max_examples=200)
@given(pair=pairs())
def test_what_would_remain(pair: Pair) -> None:
    result = asked(pair)
    details = rows_of(result.details)
    data = twin.evaluate(*pair.cells, **pair.options).prepared
    for row in rows_of(result.exposure):
        column, most = row["column"], row["up_to_columns"]
        assert row["rows_helped"] == sum(column in detail["field_combo"] for detail in details)
        assert row["rows_before"] == len(twin.identified_rows(data, most))
        if row["change"] == "left out":
            changed = twin.left_out(data, column)
        else:
            change = coarser(row["change"])
            if change is None:
                continue
            place = data.columns.index(column)
            values = {line[place] for line in (*data.original, *data.synthetic)}
            steps = {value: None if value is None else change(value) for value in values}
            changed = twin.coarsened(data, column, steps)
        assert row["rows_after"] == len(twin.identified_rows(changed, most)), row


def test_a_coarser_column_can_expose_others() -> None:
    # In January, the first synthetic row is like one person, and before nobody was born that day.
    original = pa.table({"born": [datetime(2020, 1, 1), datetime(1969, 12, 31)], "b": [0, 0]})
    synthetic = pa.table({"born": [datetime(2020, 1, 2), datetime(2020, 1, 1)], "b": [0, 2]})
    result = petaudit.mpuccs(original, synthetic)
    remaining = {
        row["change"]: row["rows_after"]
        for row in rows_of(result.exposure)
        if row["column"] == "born"
    }
    assert remaining == {"left out": 0, "floored to the month": 1}
