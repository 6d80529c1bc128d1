"""Squared errors: how far released labels lie from the numbers that they were, at the worst."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypeAlias

import numpy as np

from petaudit.errors import DataValues, NotMeasurableError, counted, listing, phrase
from petaudit.exact.fractions import parse_number
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import leaf_intervals, numbers_above
from petaudit.labels.numbers import LabelNumbers, ranges_of
from petaudit.measures.base import Need, Result
from petaudit.measures.utility import UNKNOWN, ColumnsMeasure
from petaudit.tables.number_columns import NumberColumn

_UNKNOWN_HELP = "labels that are not ranges of numbers: error, or maximal (any number)"
Unknown: TypeAlias = Annotated[str, UNKNOWN, _UNKNOWN_HELP]


class SquaredErrorMeasure(ColumnsMeasure):
    """How close the quasi-identifiers that hold numbers stayed to their original values."""

    needs = (Need.QUASI_IDENTIFIERS, Need.ORIGINAL)

    def number_columns(
        self, inputs: Inputs, unknown: str
    ) -> tuple[dict[str, NumberColumn], tuple[str, ...]]:
        """Read the quasi-identifiers whose original values are numbers; name those left out."""
        original, names = inputs.needed_original, inputs.quasi_identifiers
        numeric: dict[str, LabelNumbers] = {}
        for name in names:
            values = original.counts.value_counts(name)
            numbers = values.numbers(parse_number)
            nulls = sum(label is None for label in values.labels[-1:])
            if len(values.labels) - nulls == int(np.count_nonzero(numbers.is_number)) > 0:
                numeric[name] = numbers
        if not numeric:
            raise NotMeasurableError(
                "no quasi-identifier of {table} holds numbers only: {names}",
                table=original.name,
                names=listing(names),
            )
        columns = {
            name: _number_column(inputs, name, numbers, unknown)
            for name, numbers in numeric.items()
        }
        return columns, tuple(name for name in names if name not in numeric)

    def explain(self, result: Result) -> Iterable[str]:
        """Name the figure of each column, and the columns that are not in it."""
        yield from super().explain(result)
        names = listing(result.left_out)
        if len(result.left_out) == 1:
            yield phrase("left out because it is not purely numeric: {name}", name=names)
        elif result.left_out:
            yield phrase("left out because they are not purely numeric: {names}", names=names)


def _number_column(
    inputs: Inputs, column: str, numbers: LabelNumbers, unknown: str
) -> NumberColumn:
    """Read what each released label of a column may stand for."""
    values = inputs.table.counts.value_counts(column)
    released = values.numbers(parse_number)
    spelled = [
        place
        for place in np.flatnonzero(~released.is_number).tolist()
        if (values.labels[place] or "").strip(SUPPRESSED)
    ]
    places = sorted(spelled + _places_of_numbers_above(inputs, column, released))
    labels = [values.labels[place] or "" for place in places]
    hierarchy = inputs.hierarchy(column) if labels and column in inputs.hierarchies else None
    # Whether the end of a range belongs to it makes no difference to how far away it can be.
    ranges = ranges_of(labels, {} if hierarchy is None else leaf_intervals(hierarchy, labels))
    unread = [labels[place] for place in np.flatnonzero(~ranges.is_range).tolist()]
    if unread and unknown == "error":
        raise NotMeasurableError(
            _holds_other_labels(column, len(unread)), data=DataValues(unread, column)
        ).in_rows(inputs.rows_of)
    return NumberColumn(numbers, values, places, ranges)


def _places_of_numbers_above(inputs: Inputs, column: str, released: LabelNumbers) -> list[int]:
    """Where the numbers stand that are read as ranges: labels above the leaves of the hierarchy.

    ``50`` may be an age and the label of all ages. A reader of the table cannot tell one from the
    other: it is the age only if every row that has it had it before.
    """
    if column not in inputs.hierarchies or not released.is_number.any():
        return []
    hierarchy = inputs.hierarchy(column)
    labels = inputs.table.counts.value_counts(column).labels
    above = numbers_above(hierarchy)
    candidates = {
        place: number
        for place in np.flatnonzero(released.is_number).tolist()
        if (number := parse_number(labels[place] or "")) in above
    }
    if not candidates:
        return []
    originals = inputs.aligned_original.counts.value_counts(column).labels
    pairs = inputs.pair_codes(column)
    asked = np.isin(pairs.released, list(candidates))
    met = zip(pairs.original[asked].tolist(), pairs.released[asked].tolist(), strict=True)
    return sorted(
        {new for old, new in met if parse_number(originals[old] or "") != candidates[new]}
    )


def _holds_other_labels(column: str, number: int) -> str:
    labels = counted(number, "label")
    if number == 1:
        return phrase(
            "column {column!r} holds {labels} that is not a number, not a range like [20,30[, and "
            "not in a hierarchy of numbers (unknown: maximal counts such a label as any number)",
            column=column,
            labels=labels,
        )
    return phrase(
        "column {column!r} holds {labels} that are not numbers, not ranges like [20,30[, and not "
        "in a hierarchy of numbers (unknown: maximal counts such a label as any number)",
        column=column,
        labels=labels,
    )
