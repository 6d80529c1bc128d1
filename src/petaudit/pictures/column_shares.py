"""How much of each column is kept, or how far each column moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from petaudit.errors import counted, phrase
from petaudit.i18n.voice import Voice
from petaudit.pictures.base import Chart, Picture, check, finite, kept_name, more_columns
from petaudit.pictures.svg import Bar, bar_list, figure, name_in_table

MOST_COLUMNS: Final = 15


@dataclass(frozen=True)
class ColumnShare:
    """The figure of one column."""

    column: str
    value: float


@dataclass(frozen=True)
class ColumnShares(Picture):
    """Figures from 0 to 1, the worst column first; ``is_kept`` where 1 is good."""

    kind: ClassVar[str] = "column-shares"

    measure: str
    is_kept: bool
    columns: tuple[ColumnShare, ...]
    more: int
    overall: float | None

    def __post_init__(self) -> None:
        check(len(self.columns) <= MOST_COLUMNS, f"there are at most {MOST_COLUMNS} columns")

    def draw(self, voice: Voice) -> Chart | None:
        """Draw a bar for each column, the worst first, with the figure of all."""
        if not self.columns:
            return None
        table = [(name_in_table(item.column), figure(item.value)) for item in self.columns]
        bars = [
            Bar(item.column, _length(item.value), value, f"{name}: {value}")
            for item, (name, value) in zip(self.columns, table, strict=True)
        ]
        mark = None
        if self.overall is not None:
            text = phrase("all columns: {value}", value=figure(self.overall))
            mark = (_length(self.overall), text)
        title = phrase("How far each column moved")
        bars_are = phrase("0: the same as in the original, 1: nothing in common")
        if self.is_kept:
            title = phrase("What each column keeps")
            bars_are = phrase("0: nothing is kept, 1: everything")
        worst, value = table[0]
        return Chart.of(
            voice,
            bar_list(bars, phrase("column name"), bars_are, say=voice.say, mark=mark),
            title=title,
            words=phrase(
                "{columns}; the worst is {column} with {value}.",
                columns=counted(len(self.columns) + self.more, "column"),
                column=worst,
                value=value,
            ),
            header=(phrase("column name"), phrase("figure of the column")),
            rows=table,
            notes=more_columns(self.more),
        )


def _length(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def column_shares(
    measure: str, figures: Mapping[str, float | None], overall: float, *, is_kept: bool
) -> ColumnShares:
    """Return the worst columns; those without a figure are among the ones that are not shown.

    >>> picture = column_shares("precision", {"zip": 0.5, "age": 0.25}, 0.375, is_kept=True)
    >>> [item.column for item in picture.columns]
    ['age', 'zip']
    """
    numbers = {name: finite(value) for name, value in figures.items()}
    known = [(name, number) for name, number in numbers.items() if number is not None]
    known.sort(key=lambda item: item[1] if is_kept else -item[1])
    shown = tuple(ColumnShare(kept_name(name), number) for name, number in known[:MOST_COLUMNS])
    return ColumnShares(measure, is_kept, shown, len(figures) - len(shown), finite(overall))


def column_shares_of(inputs: object, result: Any) -> tuple[Picture, ...]:
    """Return what each column keeps."""
    return (column_shares(result.measure, result.columns, result.value, is_kept=True),)


def column_distances_of(inputs: object, result: Any) -> tuple[Picture, ...]:
    """Return how far each column moved, by the distance that was asked for."""
    figures = {item.column: item.distance for item in result.columns}
    return (column_shares(result.measure, figures, result.value, is_kept=False),)
