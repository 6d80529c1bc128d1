"""Utility: how much of its use a released table keeps, column by column."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from petaudit.errors import InputError, NotMeasurableError, counted, joined, numbered, phrase
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED, trim
from petaudit.labels.hierarchy import NULL_LABEL, Hierarchy
from petaudit.measures.base import Better, Columns, Family, Measure, Result
from petaudit.roles import Role
from petaudit.system import kinds
from petaudit.tables import ClassHistogram, ValueCounts
from petaudit.tables.headers import check_column
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

    def explain(self, result: Result) -> tuple[str, ...]:
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


def share_kept(figure: Fraction | int, best: Fraction | int, worst: Fraction | int) -> Fraction:
    """Place a figure between its worst value, 0, and its best, 1; 1 where nothing can be lost.

    >>> share_kept(3, 2, 6), share_kept(1, 2, 6), share_kept(2, 2, 2)
    (Fraction(3, 4), Fraction(1, 1), Fraction(1, 1))
    """
    if best == worst:
        return Fraction(1)
    lost = Fraction(figure - best) / Fraction(worst - best)
    return 1 - min(max(lost, Fraction(0)), Fraction(1))


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


@dataclass(frozen=True)
class Leaves:
    """How many leaves of its hierarchy each label of a column may stand for."""

    numbers: Sequence[int]
    domain: int
    rows: int
    total: int
    """The sum over all rows."""
    warnings: tuple[str, ...]

    @property
    def kept(self) -> Fraction:
        """1 where every cell is a leaf, 0 where every cell may be any."""
        return share_kept(self.total, self.rows, self.rows * self.domain)

    @classmethod
    def of(cls, inputs: Inputs, column: str, unknown: str) -> Leaves:
        """Count the leaves whose path holds a label at any level."""
        hierarchy = inputs.hierarchy(column)
        return cls.under(hierarchy, inputs.table.counts.value_counts(column), unknown)

    @classmethod
    def under(cls, hierarchy: Hierarchy, values: ValueCounts, unknown: str = "error") -> Leaves:
        """Count the leaves under each label.

        >>> import numpy as np
        >>> age = Hierarchy("age", [["49", "49-50", "50"], ["50", "49-50", "50"]])
        >>> Leaves.under(age, ValueCounts(("49", "50", "*"), np.array([1, 1, 1]))).numbers
        [1, 2, 2]
        """
        missing = [label for label in values.labels if not hierarchy.holds(label)]
        if missing and unknown == "error":
            raise hierarchy.unknown_labels(missing)
        under: Counter[str] = Counter()
        at_lowest_level: Counter[str] = Counter()
        for leaf in hierarchy.leaves:
            path = hierarchy.path_of(leaf)
            under.update(set(path))
            at_lowest_level.update(
                label for level, label in enumerate(path) if level == hierarchy.level_of(label)
            )
        domain, anything = len(hierarchy.leaves), {SUPPRESSED, *missing}
        numbers = [
            domain if label in anything else under[label or NULL_LABEL] for label in values.labels
        ]
        unclear = sum(
            label is not None and label != SUPPRESSED and under[label] != at_lowest_level[label]
            for label in values.labels
        )
        warnings: tuple[str, ...] = ()
        if unclear:
            warnings = (
                phrase(
                    "column {column!r}: {labels_occur}; each counts as all leaves that it may "
                    "stand for",
                    column=hierarchy.attribute,
                    labels_occur=_occur_twice(unclear),
                ),
            )
        total = sum(map(int.__mul__, numbers, values.counts.tolist()))
        return cls(numbers, domain, values.rows, total, warnings)


def ambiguous_level_warnings(inputs: Inputs, hierarchies: Mapping[str, Hierarchy]) -> list[str]:
    """Say which columns hold labels that occur at several levels of their hierarchy."""
    warnings: list[str] = []
    for column, hierarchy in hierarchies.items():
        present = inputs.table.counts.value_counts(column).index
        ambiguous = sum(label in present for label in hierarchy.ambiguous_labels)
        if ambiguous:
            warnings.append(
                phrase(
                    "column {column!r}: {labels_occur}; each counts at its lowest level",
                    column=column,
                    labels_occur=_occur_twice(ambiguous),
                )
            )
    return warnings


def _occur_twice(labels: int) -> str:
    number = counted(labels, "label")
    if labels == 1:
        return phrase("{labels} occurs at more than one level of the hierarchy", labels=number)
    return phrase("{labels} occur at more than one level of the hierarchy", labels=number)


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
    Sequence[str] | str | None, kinds.COLUMNS, "which columns; all but identifiers if not given"
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
