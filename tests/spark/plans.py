"""What a Spark query does with the rows of a table, read from its plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

AGGREGATES = {"Aggregate", "Distinct", "Deduplicate"}


def children(plan: Any) -> Iterator[Any]:
    entry = plan.children()
    for place in range(entry.size()):
        yield entry.apply(place)


def rows_without_aggregate(frame: Any) -> list[str]:
    """The scans whose rows come out of the query without having been counted."""
    plan = frame._jdf.queryExecution().analyzed()
    return list(_bare_scans(plan, is_counted=False))


def _bare_scans(plan: Any, *, is_counted: bool) -> Iterator[str]:
    name = str(plan.nodeName())
    is_counted = is_counted or name in AGGREGATES
    below = list(children(plan))
    if not below and not is_counted:
        yield name
    for child in below:
        yield from _bare_scans(child, is_counted=is_counted)
