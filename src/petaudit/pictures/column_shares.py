"""How much of each column is kept, or how far each column moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from petaudit.pictures._words import check, finite, kept_name
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.measures.result import Result

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


def column_shares(
    measure: str, figures: Mapping[str, float | None], overall: float, *, is_kept: bool
) -> ColumnShares:
    """The worst columns; those without a figure are among the ones that are not shown.

    >>> found = column_shares("precision", {"zip": 0.5, "age": 0.25}, 0.375, is_kept=True)
    >>> [own.column for own in found.columns]
    ['age', 'zip']
    """
    known = [(name, number) for name, own in figures.items() if (number := finite(own)) is not None]
    known.sort(key=lambda own: own[1] if is_kept else -own[1])
    shown = tuple(ColumnShare(kept_name(name), number) for name, number in known[:MOST_COLUMNS])
    return ColumnShares(measure, is_kept, shown, len(figures) - len(shown), finite(overall))


def column_shares_of(_: Inputs | None, result: Result) -> tuple[Picture, ...]:
    """What each column keeps."""
    return (column_shares(result.measure, result.columns, result.value, is_kept=True),)


def column_distances_of(_: Inputs | None, result: Result) -> tuple[Picture, ...]:
    """How far each column moved, by the distance that was asked for."""
    figures = {own.column: own.distance for own in result.columns}
    return (column_shares(result.measure, figures, result.value, is_kept=False),)
