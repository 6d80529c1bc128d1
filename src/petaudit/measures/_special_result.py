"""What special uniques say: how many rows, with how few columns, and which columns matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Final

from petaudit.errors import Phrase, counted, joined, phrase, tally
from petaudit.measures._risk import remedy_lines
from petaudit.measures._tables import COLUMNWISE, DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Remedy, Result
from petaudit.tables.result_frames import ResultColumn

TABLES: Final = (GLOBAL, COLUMNWISE, DETAILS)
_MOST_SHOWN: Final = 5


@dataclass(frozen=True)
class MinimalSets:
    """How many minimal unique sets have one size, how many rows have one, and their score."""

    columns: int
    sets: int
    """Sets of columns; each may be minimal for many rows."""
    minimal_uniques: int
    """Pairs of a row and a minimal set of it."""
    score: int
    """What one of them adds to the score of its row."""


@dataclass(frozen=True)
class ColumnPart:
    """The part of a column in the minimal unique sets."""

    attribute: str
    minimal_uniques: int
    contribution: float
    """The share of the total score that is due to sets with the column; 0 where there is none."""


@dataclass(frozen=True)
class SpecialUniquesResult(Result):
    """The share of special uniques, and how special they are."""

    measure: ClassVar[str] = "special-uniques"
    better: ClassVar[Better] = Better.LOWER

    exact_value: Fraction = field(repr=False)
    special_rows: int
    unique_rows: int
    rows: int
    suppressed_rows: int
    max_columns: int
    is_capped: bool
    """Whether larger minimal sets were not looked for: all but the value may be too low."""
    sizes: tuple[MinimalSets, ...]
    columns: tuple[ColumnPart, ...]
    highest_score: float
    mean_score: float
    """The mean over all rows."""
    highest_dis: float | None
    """The highest estimated chance that a match with a row is correct; None without a population
    size."""
    mean_dis: float | None
    """The mean over the rows that have a score."""
    remedy: Remedy | None = field()

    @property
    def explanation(self) -> tuple[str, ...]:
        """How many rows are unique, by how many columns, and which columns matter."""
        total = self.rows + self.suppressed_rows
        alone = phrase(
            "{unique} of {rows} unique, {special} of them on fewer than all {columns}",
            unique=tally(self.unique_rows, of=total),
            rows=self.unit.counted(self.rows, of=total),
            special=tally(self.special_rows, of=total),
            columns=counted(len(self.columns), "quasi-identifier"),
        )
        return (alone, *self._minimal_sets(), *self._parts(), *remedy_lines(self.remedy))

    def _minimal_sets(self) -> tuple[str, ...]:
        most = self.max_columns
        numbers = joined(
            [
                phrase(
                    "{columns}: {number}", columns=own.columns, number=tally(own.minimal_uniques)
                )
                for own in self.sizes
            ]
        )
        if self.sizes and not self.is_capped:
            return (
                phrase("minimal unique sets, by number of columns: {numbers}", numbers=numbers),
            )
        if self.sizes:
            return (
                phrase(
                    "minimal unique sets of up to {most} columns only, by number of columns: "
                    "{numbers}",
                    most=most,
                    numbers=numbers,
                ),
            )
        if self.is_capped:
            return (phrase("no minimal unique set of up to {most} columns only", most=most),)
        return ()

    def _parts(self) -> tuple[str, ...]:
        if not self.sizes:
            return ()
        ordered = sorted(self.columns, key=lambda own: -own.contribution)
        parts: Phrase = joined(
            [f"{own.attribute} {own.contribution:.3g}" for own in ordered[:_MOST_SHOWN]]
        )
        if len(ordered) > _MOST_SHOWN:
            more = len(ordered) - _MOST_SHOWN
            parts = phrase("{shown} and {number} more", shown=parts, number=more)
        return (phrase("part in the scores: {parts}", parts=parts),)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``columnwise`` has the part of each column, ``details`` the minimal sets by size."""
        if granularity == COLUMNWISE:
            return {
                "attribute": ResultColumn("text", [own.attribute for own in self.columns]),
                "value": ResultColumn("number", [own.contribution for own in self.columns]),
                "minimal_uniques": ResultColumn(
                    "integer", [own.minimal_uniques for own in self.columns]
                ),
            }
        if granularity == DETAILS:
            return {
                "columns": ResultColumn("integer", [own.columns for own in self.sizes]),
                "sets": ResultColumn("integer", [own.sets for own in self.sizes]),
                "minimal_uniques": ResultColumn(
                    "integer", [own.minimal_uniques for own in self.sizes]
                ),
                # A product may be larger than any integer of a file.
                "score": ResultColumn("number", [float(own.score) for own in self.sizes]),
            }
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, TABLES)
