"""What comes back from an engine elsewhere: aggregates, and never more than a bounded number."""

from __future__ import annotations

from typing import Any, Final

import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.errors import EngineError
from petaudit.tables._spark.jobs import spark_result

MOST_ROWS: Final = 1_000_000
"""More rows than this are no aggregate that a person or a figure needs."""


def fetched(lazy: nw.LazyFrame[Any], table: str) -> pa.Table:
    """Run a query where its rows live; an answer that is too large is refused, not fetched."""
    bounded = lazy.head(MOST_ROWS + 1)
    if lazy.implementation.is_pyspark():
        found = spark_result(bounded.to_native())
    else:
        found = bounded.collect().to_arrow()
    if found.num_rows > MOST_ROWS:
        raise EngineError(
            "{table}: a count has more than {most:,} values, which are not fetched from "
            "elsewhere; a column with so many different values is an identifier, or needs "
            "coarser values",
            table=table,
            most=MOST_ROWS,
        )
    return found
