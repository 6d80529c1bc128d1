"""Domains that are read from the table: convenient, and told without any protection."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from petaudit.synthesizing.exchange import is_text
from petaudit.synthesizing.private.domains import (
    MOST_BINS,
    MOST_CELLS,
    Domain,
    Identifiers,
    Labels,
    Span,
    Unit,
    countable,
    decimals_of,
    in_units,
    unit_of,
)

MOST_DECIMALS: Final = 6


def observed_domain(cells: pa.Array, kind: pa.DataType, *, is_untyped: bool) -> Domain:
    """The domain that the cells of a column suggest.

    A few values are listed; many numbers or moments are cut into spans of about equally many rows,
    and a value that many rows have is a span by itself. Texts that mostly differ are identifiers.

    >>> observed_domain(pa.array(["b", "a", None, "b", "b"]), pa.string(), is_untyped=True).values
    ('a', 'b', None)
    """
    known = countable(cells.drop_null())
    values = pc.unique(known).to_pylist()
    nulls = [None] if cells.null_count else []
    unit = _unit(values, kind, is_untyped=is_untyped)
    if unit is not None and len(values) > MOST_BINS:
        decimals = min(max(map(decimals_of, values)), MOST_DECIMALS) if unit == "number" else 0
        units = {value: in_units(value, unit, decimals) for value in values}
        return _cut(
            np.sort([units[v] or 0 for v in known.to_pylist()]), unit, decimals, bool(nulls)
        )
    is_identifier = is_text(kind) and 2 * len(values) > len(known)
    if is_identifier or not values or len(values) > MOST_CELLS:
        return Identifiers()
    return Labels((*sorted(values), *nulls))


def _unit(values: list[Any], kind: pa.DataType, *, is_untyped: bool) -> Unit | None:
    """What a column counts in; None if it holds labels."""
    if pa.types.is_boolean(kind) or not values or (is_text(kind) and not is_untyped):
        return None
    unit = unit_of(values[0])
    return unit if all(in_units(value, unit, 0) is not None for value in values) else None


def _cut(units: Any, unit: Unit, decimals: int, has_null: bool) -> Span:
    places = np.arange(MOST_BINS) * len(units) // MOST_BINS
    starts = np.unique(units[places])
    heavy = np.unique(units[places[1:]][units[places[1:]] == units[places[:-1]]])
    starts = np.unique([*starts, *(value + 1 for value in heavy if value < units[-1])])
    return Span(tuple(starts.tolist()), int(units[-1]), unit, decimals, has_null)
