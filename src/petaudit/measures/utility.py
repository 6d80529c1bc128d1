"""Utility: how much of its use a released table keeps, column by column."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from petaudit.errors import InputError, NotMeasurableError, counted, joined, numbered, phrase
from petaudit.inputs import Inputs
from petaudit.labels.cells import trim
from petaudit.measures.base import Better, Columns, Family, Measure, Result
from petaudit.roles import Role
from petaudit.system import kinds
from petaudit.tables import ClassHistogram
from petaudit.tables.headers import check_column
from petaudit.tables.losses import Leaves
from petaudit.tables.result_frames import ResultColumn

ROUNDING: Final = Fraction(1, 10**12)
"""Where roots and logarithms come in, equality with a limit is only meant up to rounding."""
UNKNOWN: Final = kinds.Choice(("error", "maximal"))
UnknownLabels: TypeAlias = Annotated[
    str, UNKNOWN, "labels in no hierarchy: error, or maximal (as if it were any value)"
]
_MOST_COLUMNS_SHOWN = 12


class UtilityMeasure(Measure):
    """A share of the use of the original that is kept: 1 is all of it."""

    family = Family.UTILITY
    better = Better.HIGHER
    range = (0.0, 1.0)


class ColumnsMeasure(UtilityMeasure):
    """A figure of the table and of each column, which the breakdown has as ``columns``."""

    def explain(self, result: Result) -> Iterable[str]:
        """Name the figure of each column, the worst first."""
        ordered = sorted(
            result.columns.items(), key=lambda item: item[1], reverse=self.better is Better.LOWER
        )
        shown = [
            phrase("{column} {figure:.4g}", column=column, figure=value)
            for column, value in ordered[:_MOST_COLUMNS_SHOWN]
        ]
        more = len(ordered) - len(shown)
        if more:
            shown.append(phrase("and {number} more columns", number=more))
        return (joined(shown, "; "),)

    def columnwise(self, result: Result) -> Columns:
        """Lay out the figure of each column."""
        return {
            "attribute": ResultColumn("text", list(result.columns)),
            "value": ResultColumn("number", list(result.columns.values())),
        }


def suppressed_text(rows: int) -> tuple[str, ...]:
    """Say how many rows are suppressed, where any are.

    >>> suppressed_text(1), suppressed_text(0)
    (('1 row is suppressed',), ())
    """
    if not rows:
        return ()
    number = counted(rows, "row")
    return (
        numbered(
            rows,
            phrase("{rows} is suppressed", rows=number),
            phrase("{rows} are suppressed", rows=number),
        ),
    )


def classes_of_both(inputs: Inputs) -> tuple[ClassHistogram, ClassHistogram]:
    """Count the classes of the released table and of the original; suppressed rows are lost."""
    original, table = inputs.needed_original, inputs.table
    if original.rows != table.rows:
        raise InputError(
            "the tables have different numbers of rows: {before:,} in {original} and {after:,} "
            "in {table}; suppress rows instead of dropping them",
            before=original.rows,
            original=original.name,
            after=table.rows,
            table=table.name,
        )
    before = original.counts.class_histogram(inputs.quasi_identifiers)
    return table.counts.class_histogram(inputs.quasi_identifiers), before


def leaves_of_columns(inputs: Inputs, unknown: str) -> dict[str, Leaves]:
    """Count the leaves that each label of the generalised columns may stand for."""
    counts = inputs.table.counts
    return {
        name: Leaves.under(inputs.hierarchy(name), counts.value_counts(name), unknown)
        for name in inputs.generalized_columns
    }


def shared_columns(inputs: Inputs) -> tuple[str, ...]:
    """The columns of both tables that say something about people, in the table's order."""
    original = inputs.needed_original
    unwanted = {*inputs.roles.columns(Role.IDENTIFIER), inputs.key, inputs.person}
    shared = tuple(
        name for name in inputs.table.columns if name in original.columns and name not in unwanted
    )
    if not shared:
        raise NotMeasurableError(
            "{table} and {original} share no column (identifiers and the key do not count)",
            table=inputs.table.name,
            original=original.name,
        )
    return shared


ChosenColumns: TypeAlias = Annotated[
    Sequence[str] | str | None, kinds.COLUMNS, "which columns; default: all but identifiers"
]


def chosen_columns(inputs: Inputs, given: Sequence[str] | str | None) -> tuple[str, ...]:
    """The columns that an option names, each in both tables; all shared ones if it is not given."""
    if given is None:
        return shared_columns(inputs)
    names = column_names(given, inputs.table.columns)
    for table in (inputs.table, inputs.needed_original):
        for name in names:
            check_column(name, table.columns, table.name)
    return names


def column_names(given: Sequence[str] | str, known: Sequence[str] = ()) -> tuple[str, ...]:
    """One name, several in a list, or several with commas as the shell passes them.

    >>> column_names("zip,age"), column_names("a,b", known=["a,b"])
    (('zip', 'age'), ('a,b',))
    """
    names = [trim(name) for name in ([given] if isinstance(given, str) else given)]
    if isinstance(given, str) and names[0] not in known:
        [row] = csv.reader(io.StringIO(" ".join(given.splitlines())), skipinitialspace=True)
        names = [trim(name) for name in row if trim(name)] or names
    return tuple(dict.fromkeys(names))
