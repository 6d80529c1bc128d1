"""What the utility measures share: limits from below, figures per column, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from petaudit.errors import counted
from petaudit.exact import Number, exact_nonnegative
from petaudit.hierarchies import Hierarchy
from petaudit.inputs import Inputs

_MOST_COLUMNS_SHOWN = 12


def utility_limit(limit: Number | None, measure: str) -> Fraction | None:
    """Read a lower limit."""
    return None if limit is None else exact_nonnegative(limit, f"the limit of {measure}")


def warn_if_limit_is_out_of_range(limit: Fraction | None, measure: str) -> list[str]:
    """Say that a limit above 1 can never hold."""
    if limit is None or limit <= 1:
        return []
    return [f"the limit of {measure} is {float(limit):g}; it never exceeds 1, so no table holds it"]


def ambiguous_level_warnings(inputs: Inputs, hierarchies: Mapping[str, Hierarchy]) -> list[str]:
    """Say which columns hold labels that occur at several levels of their hierarchy."""
    found = []
    for column, hierarchy in hierarchies.items():
        present = inputs.table.counts.value_counts(column).index
        ambiguous = [label for label in hierarchy.ambiguous_labels if label in present]
        if ambiguous:
            occur = "occurs" if len(ambiguous) == 1 else "occur"
            found.append(
                f"column {column!r}: {counted(len(ambiguous), 'label')} {occur} at more than one "
                "level of the hierarchy; each counts at its lowest level"
            )
    return found


def column_explanation(columns: Mapping[str, float]) -> tuple[str, ...]:
    """The figure per column, lowest first."""
    ordered = sorted(columns.items(), key=lambda item: item[1])
    shown = [f"{column} {value:.4g}" for column, value in ordered[:_MOST_COLUMNS_SHOWN]]
    more = len(ordered) - len(shown)
    return ("; ".join(shown) + (f"; and {more} more columns" if more else ""),)
