"""What the tables of results share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from petaudit.errors import OptionError, listing, suggestion
from petaudit.tables.result_frames import ResultColumn

COLUMNWISE: Final = "columnwise"
"""A row per attribute, in the order of the roles."""
DETAILS: Final = "details"
"""A row per thing that the figure comes from."""


def no_such_table(measure: str, granularity: str, known: Sequence[str]) -> OptionError:
    """The error for a granularity that a measure does not have.

    >>> str(no_such_table("precision", "column-wise", ("global", "columnwise")))
    "precision has no table 'column-wise' (did you mean 'columnwise'?); it has global, columnwise"
    """
    return OptionError(
        "{measure} has no table {table!r}{near}; it has {known}",
        measure=measure,
        table=granularity,
        near=suggestion(str(granularity), known),
        known=listing(known),
    )


def figures_by_attribute(figures: Mapping[str, float]) -> dict[str, ResultColumn]:
    """One figure per attribute.

    >>> figures_by_attribute({"born": 0.5})["value"]
    ResultColumn(kind='number', values=[0.5])
    """
    return {
        "attribute": ResultColumn("text", list(figures)),
        "value": ResultColumn("number", list(figures.values())),
    }
