"""What the utility measures share: limits from below, figures per column, warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Self

from petaudit.errors import InputError, OptionError, counted, joined, numbered, phrase, suggestion
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import NULL_LABEL, Hierarchy
from petaudit.measures._tables import COLUMNWISE, figures_by_attribute, no_such_table
from petaudit.measures.base import GLOBAL, Better, Option, Result
from petaudit.measures.kinds import Choice
from petaudit.tables import ClassHistogram, Source
from petaudit.tables.result_frames import ResultColumn

COLUMN_TABLES: Final = (GLOBAL, COLUMNWISE)
ROUNDING: Final = Fraction(1, 10**12)
"""Where roots and logarithms come in, equality with a limit is only meant up to rounding."""
_MOST_COLUMNS_SHOWN = 12
_UNKNOWN: Final = ("error", "maximal")


@dataclass(frozen=True)
class UtilityResult(Result):
    """A figure between 0 and 1 against a limit."""

    @classmethod
    def of(
        cls,
        value: Fraction,
        limit: Fraction | None,
        warnings: Iterable[str] = (),
        *,
        rounding: Fraction = Fraction(0),
        **own: Any,
    ) -> Self:
        """Judge a figure, which may be off by ``rounding`` in favour of the limit."""
        passed = None
        if limit is not None:
            higher = cls.better is Better.HIGHER  # type: ignore[comparison-overlap]
            passed = value + rounding >= limit if higher else value - rounding <= limit
        bound = None if limit is None else float(limit)
        return cls(float(value), bound, passed, tuple(warnings), **own)


@dataclass(frozen=True)
class ColumnsResult(UtilityResult):
    """A figure of the table and of each column alone."""

    columns: Mapping[str, float]

    @property
    def explanation(self) -> tuple[str, ...]:
        """The figure per column, the worst first."""
        return column_explanation(self.columns, self.better)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``columnwise`` has the figure of each column."""
        if granularity == COLUMNWISE:
            return figures_by_attribute(self.columns)
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, COLUMN_TABLES)


def utility_limit(limit: Number | None, measure: str) -> Fraction | None:
    """Read a lower limit."""
    name = phrase("the limit of {measure}", measure=measure)
    return None if limit is None else exact_nonnegative(limit, name)


def warn_if_limit_is_out_of_range(limit: Fraction | None, measure: str) -> list[str]:
    """Say that a limit above 1 can never hold."""
    if limit is None or limit <= 1:
        return []
    return [
        phrase(
            "the limit of {measure} is {limit:g}; it never exceeds 1, so no table holds it",
            measure=measure,
            limit=float(limit),
        )
    ]


def ambiguous_level_warnings(inputs: Inputs, hierarchies: Mapping[str, Hierarchy]) -> list[str]:
    """Say which columns hold labels that occur at several levels of their hierarchy."""
    found: list[str] = []
    for column, hierarchy in hierarchies.items():
        present = inputs.table.counts.value_counts(column).index
        ambiguous = [label for label in hierarchy.ambiguous_labels if label in present]
        if ambiguous:
            found.append(
                phrase(
                    "column {column!r}: {labels_occur}; each counts at its lowest level",
                    column=column,
                    labels_occur=_occur_twice(len(ambiguous)),
                )
            )
    return found


def column_explanation(
    columns: Mapping[str, float], better: Better = Better.HIGHER
) -> tuple[str, ...]:
    """The figure per column, the worst first."""
    ordered = sorted(columns.items(), key=lambda item: item[1], reverse=better is Better.LOWER)
    shown = [
        phrase("{column} {figure:.4g}", column=column, figure=value)
        for column, value in ordered[:_MOST_COLUMNS_SHOWN]
    ]
    more = len(ordered) - len(shown)
    if more:
        shown.append(phrase("and {number} more columns", number=more))
    return (joined(shown, "; "),)


def share_kept(figure: Fraction | int, best: Fraction | int, worst: Fraction | int) -> Fraction:
    """Where a figure lies between its worst value, 0, and its best, 1; 1 where nothing can be lost.

    >>> share_kept(3, 2, 6), share_kept(1, 2, 6), share_kept(2, 2, 2)
    (Fraction(3, 4), Fraction(1, 1), Fraction(1, 1))
    """
    if best == worst:
        return Fraction(1)
    lost = Fraction(figure - best) / Fraction(worst - best)
    return 1 - min(max(lost, Fraction(0)), Fraction(1))


def unknown_option(what: str) -> Option:
    """The option that says what labels cost of which nothing is known."""
    return Option("unknown", what, kind=Choice(_UNKNOWN))


def check_unknown(unknown: object) -> None:
    """Raise unless the option is one of its words."""
    if unknown not in _UNKNOWN:
        raise OptionError(
            "unknown is {value!r}{near}; it is 'error' or 'maximal'",
            value=unknown,
            near=suggestion(str(unknown), _UNKNOWN),
        )


class LeafNumbers:
    """How many leaves of a hierarchy a label may stand for: all whose path holds it at any level.

    >>> age = LeafNumbers(Hierarchy("age", [["49", "49-50", "50"], ["50", "49-50", "50"]]))
    >>> age.of(["49", "50", "*"], "error")
    [1, 2, 2]
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.domain = len(hierarchy.leaves)
        self._under: Counter[str] = Counter()
        at_lowest_level: Counter[str] = Counter()
        for leaf in hierarchy.leaves:
            path = hierarchy.path_of(leaf)
            self._under.update(set(path))
            at_lowest_level.update(
                label for level, label in enumerate(path) if level == hierarchy.level_of(label)
            )
        self._unclear = {
            label for label, number in self._under.items() if number != at_lowest_level[label]
        }

    def of(self, labels: Sequence[str | None], unknown: str) -> list[int]:
        """The number of leaves under each label."""
        missing = [label for label in labels if not self.hierarchy.holds(label)]
        if missing and unknown == "error":
            raise self.hierarchy.unknown_labels(missing)
        strange = set(missing)
        return [
            self.domain
            if label == SUPPRESSED or label in strange
            else self._under[NULL_LABEL if label is None else label]
            for label in labels
        ]

    def warnings(self, labels: Sequence[str | None]) -> list[str]:
        """Say that labels could stand for fewer leaves than are counted."""
        unclear = sum(label in self._unclear and label != SUPPRESSED for label in labels)
        if not unclear:
            return []
        return [
            phrase(
                "column {column!r}: {labels_occur}; each counts as all leaves that it may stand "
                "for",
                column=self.hierarchy.attribute,
                labels_occur=_occur_twice(unclear),
            )
        ]


@dataclass(frozen=True)
class BothTables:
    """The classes of the released table and of the original, which have equally many rows."""

    rows: int
    released: ClassHistogram
    original: ClassHistogram


def needed_original(inputs: Inputs) -> Source:
    """The original table; an error without one."""
    if inputs.original is None:
        raise InputError("the original table is needed and was not given")
    return inputs.original


def both_tables(inputs: Inputs) -> BothTables:
    """Count the classes of both tables; a suppressed row is lost, whoever it may be found among."""
    original = needed_original(inputs)
    if original.rows != inputs.table.rows:
        raise InputError(
            "the tables have different numbers of rows: {before:,} in {original} and {after:,} "
            "in {table}; suppress rows instead of dropping them",
            before=original.rows,
            original=original.name,
            after=inputs.table.rows,
            table=inputs.table.name,
        )
    before = original.counts.class_histogram(inputs.quasi_identifiers)
    released = inputs.table.counts.class_histogram(inputs.quasi_identifiers)
    return BothTables(original.rows, released, before)


def suppressed_text(rows: int) -> tuple[str, ...]:
    """Say how many rows are suppressed, where any are.

    >>> suppressed_text(1), suppressed_text(0)
    (('1 row is suppressed',), ())
    """
    if not rows:
        return ()
    number = counted(rows, "row")
    one, many = (
        phrase("{rows} is suppressed", rows=number),
        phrase("{rows} are suppressed", rows=number),
    )
    return (numbered(rows, one, many),)


def _occur_twice(labels: int) -> str:
    number = counted(labels, "label")
    if labels == 1:
        return phrase("{labels} occurs at more than one level of the hierarchy", labels=number)
    return phrase("{labels} occur at more than one level of the hierarchy", labels=number)
