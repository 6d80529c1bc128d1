"""How many columns it takes to single people out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from petaudit.pictures._words import check
from petaudit.pictures.base import Picture

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings

MOST_SIZES: Final = 12


@dataclass(frozen=True)
class SizeCount:
    """The rows that combinations of so many columns identify, and no smaller ones."""

    fewest: int
    most: int
    rows: int
    combinations: int
    pruned: int


@dataclass(frozen=True)
class IdentifiedBySize(Picture):
    """Rows by the fewest columns that identify them; the last entry may stand for many sizes."""

    kind: ClassVar[str] = "identified-by-size"

    sizes: tuple[SizeCount, ...]
    rows: int
    complete: bool

    def __post_init__(self) -> None:
        check(sum(own.rows for own in self.sizes) <= self.rows, "more rows than there are")
        check(all(own.fewest <= own.most for own in self.sizes), "sizes ascend")
        check(
            all(own.pruned <= own.combinations for own in self.sizes), "more pruned than there are"
        )


def identified_by_size(found: Findings, *, complete: bool) -> IdentifiedBySize:
    """Size by size; the largest sizes as one where there are many."""
    counts = [
        SizeCount(
            own.size, own.size, own.identified, len(own.repeated), int((own.repeated < 0).sum())
        )
        for own in found.sizes
    ]
    shown, rest = counts[:MOST_SIZES], counts[MOST_SIZES:]
    if rest:
        shown.append(
            SizeCount(
                rest[0].fewest,
                rest[-1].most,
                sum(own.rows for own in rest),
                sum(own.combinations for own in rest),
                sum(own.pruned for own in rest),
            )
        )
    return IdentifiedBySize(tuple(shown), found.rows, complete)
