"""Attribute-level squared error: how close the cells of each column stayed to their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._number_columns import (
    NumberColumn,
    exact_sum,
    left_out_text,
    number_columns,
    share_kept_of,
)
from petaudit.measures._old import OldMeasure
from petaudit.measures._utility import (
    COLUMN_TABLES,
    ColumnsResult,
    check_unknown,
    unknown_option,
    utility_limit,
    warn_if_limit_is_out_of_range,
)
from petaudit.measures.base import Better, Family, Need, announce


@dataclass(frozen=True)
class AttributeSquaredErrorResult(ColumnsResult):
    """Closeness of the numbers, on average and per column."""

    measure: ClassVar[str] = "attribute-squared-error"
    better: ClassVar[Better] = Better.HIGHER

    left_out: tuple[str, ...]
    """Quasi-identifiers that hold more than numbers."""

    @property
    def explanation(self) -> tuple[str, ...]:
        """The figure per column, the worst first, and what is not in it."""
        return (*super().explanation, *left_out_text(self.left_out))


def attribute_squared_error(
    original: object,
    table: object,
    *,
    limit: Number | None = None,
    unknown: str = "error",
    **given: Any,
) -> AttributeSquaredErrorResult:
    """Measure how close numbers stayed to what they were, column by column.

    A released label is taken at its worst: at the end of its range that is farther away. A number
    that the hierarchy has above its leaves is such a label, unless every row that has it had it
    before.

    >>> import pyarrow as pa
    >>> original = pa.table({"age": [20, 24, 40]})
    >>> released = pa.table({"age": ["[20,30[", "[20,30[", "40"]})
    >>> found = attribute_squared_error(original, released, quasi_identifiers="age")
    >>> found.value  # 1 - (10^2 + 6^2 + 0) / (20^2 + 16^2 + 20^2)
    0.8712121212121212
    >>> ages = {"age": {"20": "50", "24": "50", "50": "50"}}
    >>> original, released = pa.table({"age": [20, 24]}), pa.table({"age": [50, 50]})
    >>> attribute_squared_error(original, released, quasi_identifiers="age", hierarchies=ages).value
    0.0
    """
    inputs = gather(table, original=original, **given)
    result = compute(inputs, limit=limit, unknown=unknown)
    announce(result)
    return result


def compute(
    inputs: Inputs, limit: Number | None = None, unknown: str = "error"
) -> AttributeSquaredErrorResult:
    """Measure the attribute-level squared error from opened inputs."""
    bound = utility_limit(limit, "attribute-squared-error")
    check_unknown(unknown)
    numeric, left_out = number_columns(inputs)
    columns = {
        name: _share_kept(inputs, name, NumberColumn(inputs, name, numbers, unknown=unknown))
        for name, numbers in numeric.items()
    }
    return AttributeSquaredErrorResult.of(
        sum(columns.values(), start=Fraction(0)) / len(columns),
        bound,
        warn_if_limit_is_out_of_range(bound, "attribute-squared-error"),
        columns={name: float(value) for name, value in columns.items()},
        left_out=left_out,
    )


def _share_kept(inputs: Inputs, name: str, column: NumberColumn) -> Fraction:
    pairs = inputs.pair_codes(name)
    distances, largest = column.distances(pairs.original, pairs.released)
    capped = np.minimum(distances, largest)
    lost = exact_sum(pairs.counts, capped, capped)
    most = exact_sum(pairs.counts, largest, largest)
    return share_kept_of(lost, most, moved=bool(distances.any()))


MEASURE = OldMeasure(
    name="attribute-squared-error",
    title="Attribute-level squared error",
    family=Family.UTILITY,
    question="How close did the numbers of each column stay to what they were?",
    better=Better.HIGHER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.ORIGINAL),
    formula=(
        "mean over numeric columns of 1 - sum of squared distances to the farther end of the "
        "label's range / sum of the largest possible squared distances"
    ),
    reference=(
        "J. Domingo-Ferrer, J. M. Mateo-Sanz: Practical Data-Oriented Microaggregation for "
        "Statistical Disclosure Control. IEEE TKDE 14(1), 2002, doi 10.1109/69.979982; distances "
        "as in ARX"
    ),
    compute=compute,
    limit_help="the attribute-level squared error must score at least this (1: no error)",
    options=(
        unknown_option("labels that are no range of numbers: error, or maximal (any number)"),
    ),
    granularities=COLUMN_TABLES,
    meaning=(
        "How close the numbers of the columns stayed to what they were. With 1, every number is "
        "unchanged; with 0, every cell is as wrong as it can be."
    ),
    does_not_say=(
        "It is a bound and not the error of a careful analyst: every range is taken at its worse "
        "end. One extreme value makes the errors of all others look small, and columns that hold "
        "more than numbers are not in it."
    ),
)
