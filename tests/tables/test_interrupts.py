"""Ctrl-C ends a count; an error that only quotes the word does not."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pytest

from petaudit.errors import EngineError
from petaudit.tables import TableCounts, open_source
from petaudit.tables.engines.duckdb import is_interrupt


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (RuntimeError("Query interrupted"), True),
        (duckdb.InterruptException("INTERRUPT Error: Interrupted!"), True),
        (duckdb.ConversionException("cannot convert 'interrupted' to INT32"), False),
        (ValueError("interrupted"), False),
        (RuntimeError("something else"), False),
    ],
)
def test_only_the_engine_s_own_interrupt_counts(problem: Exception, expected: bool) -> None:
    assert is_interrupt(problem) is expected


def test_a_quoted_cell_is_no_interrupt() -> None:
    counts: TableCounts = open_source(pa.table({"a": ["x"]})).counts

    class Failing:
        implementation: Any = None

        def collect(self) -> None:
            raise ValueError("cell 'interrupted' is odd")

    with pytest.raises(EngineError, match="failed while counting"):
        counts.collected(Failing())  # type: ignore[arg-type]
