"""What t-closeness says: t per attribute, the worst classes, and both as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Final

from petaudit.errors import counted, exactly, joined, numbered, phrase, term
from petaudit.exact.emd import Distance
from petaudit.measures._sensitive import worst_class_columns
from petaudit.measures._tables import COLUMNWISE, DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Remedy, Result
from petaudit.pictures.distributions import FarValues
from petaudit.tables.result_frames import Kind, ResultColumn

TABLES: Final = (GLOBAL, COLUMNWISE, DETAILS)
_COLUMNWISE: Final[Mapping[str, Kind]] = {
    "attribute": "text",
    "distance": "text",
    "t": "number",
    "classes": "integer",
    # Without a limit they are null, which whole numbers of pandas cannot be.
    "classes_above_limit": "integer",
    "rows_above_limit": "integer",
}


@dataclass(frozen=True)
class FarClass:
    """Classes of one size at one distance; labels only when values may be shown."""

    rows: int
    distance: float
    classes: int
    labels: Mapping[str, str | None] | None = None

    @property
    def figure(self) -> float:
        """The distance, by the name that it has in other models."""
        return self.distance


@dataclass(frozen=True)
class AttributeCloseness:
    """t of one sensitive attribute."""

    attribute: str
    distance: Distance
    t: float
    exact_t: Fraction
    classes: int
    classes_above_limit: int | None
    rows_above_limit: int | None
    worst_classes: tuple[FarClass, ...]


@dataclass(frozen=True)
class TClosenessResult(Result):
    """t of the table: the largest over classes and sensitive attributes."""

    measure: ClassVar[str] = "t-closeness"
    better: ClassVar[Better] = Better.LOWER

    exact_value: Fraction
    attributes: tuple[AttributeCloseness, ...]
    remedy: Remedy | None = field()
    far: Mapping[str, FarValues] = field(default_factory=dict, repr=False, compare=False)
    """What a picture of the worst classes needs, by attribute."""

    @property
    def explanation(self) -> tuple[str, ...]:
        """The reason for the verdict, attribute by attribute."""
        takes = () if self.remedy is None else (self.remedy.text,)
        rows = None if self.remedy is None else self.remedy.of_rows
        return (*(joined([*_reasons(own, rows)], "; ") for own in self.attributes), *takes)

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """``columnwise`` has the sensitive attributes, ``details`` their worst classes.

        Labels are known only where values were revealed (``reveal_values``), and shown only where
        they are asked for.
        """
        if granularity == COLUMNWISE:
            return {
                name: ResultColumn(kind, [getattr(own, name) for own in self.attributes])
                for name, kind in _COLUMNWISE.items()
            }
        if granularity == DETAILS:
            return worst_class_columns(self.attributes, "distance", with_values=with_values)
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, TABLES)


_DISTANCES: Final[Mapping[Distance, str]] = {
    "ordered": term("ordered"),
    "hierarchical": term("hierarchical"),
    "equal": term("equal"),
}


def _reasons(found: AttributeCloseness, of_rows: int | None) -> Iterator[str]:
    """How far the classes are, where the farthest are, and what is above the limit."""
    yield phrase(
        "{attribute}: t = {t:.6g} ({distance} distance, {classes})",
        attribute=found.attribute,
        t=found.t,
        distance=_DISTANCES[found.distance],
        classes=counted(found.classes, "class", "classes"),
    )
    if found.worst_classes:
        worst = found.worst_classes[0]
        rows = counted(worst.rows, "row")
        classes = counted(worst.classes, "class", "classes")
        farthest = numbered(
            worst.classes,
            phrase("farthest: a class of {rows}", rows=rows),
            phrase("farthest: {classes} of {rows}", classes=classes, rows=rows),
        )
        # With an exact t, the rows of the class would tell how many have which value.
        yield exactly(farthest)
    if found.classes_above_limit and found.rows_above_limit:
        above = counted(found.classes_above_limit, "class", "classes")
        rows = counted(found.rows_above_limit, "row", of=of_rows)
        yield numbered(
            found.classes_above_limit,
            phrase("{classes} with {rows} is above the limit", classes=above, rows=rows),
            phrase("{classes} with {rows} are above the limit", classes=above, rows=rows),
        )
