"""Which columns help to single people out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from petaudit.pictures._combinations import Identifying
from petaudit.pictures._words import check, kept_name
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_COLUMNS: Final = 15


@dataclass(frozen=True)
class ExposedColumn:
    """A column and the identified rows whose combination holds it."""

    column: str
    rows: int


@dataclass(frozen=True)
class ColumnExposure(Picture):
    """The columns that help most, of those that help at all."""

    kind: ClassVar[str] = "column-exposure"

    columns: tuple[ExposedColumn, ...]
    identified: int
    more: int
    smallest: int | None = None
    """The fewest rows, above none, that one combination identifies; None where nobody said so."""

    def __post_init__(self) -> None:
        check(len(self.columns) <= MOST_COLUMNS, f"there are at most {MOST_COLUMNS} columns")
        check(all(own.rows <= self.identified for own in self.columns), "more rows than there are")


def column_exposure(names: Sequence[str], found: Sequence[Identifying]) -> ColumnExposure:
    """Add up the rows of all combinations that hold a column."""
    helped = np.zeros(len(names), np.int64)
    for own in found:
        np.add.at(helped, own.combinations, own.rows[:, np.newaxis])
    order = np.argsort(-helped, kind="stable")[: np.count_nonzero(helped)].tolist()
    shown = order[:MOST_COLUMNS]
    return ColumnExposure(
        tuple(ExposedColumn(kept_name(names[place]), int(helped[place])) for place in shown),
        sum(int(own.rows.sum()) for own in found),
        len(order) - len(shown),
        min((int(own.rows.min()) for own in found if own.rows.size), default=None),
    )
