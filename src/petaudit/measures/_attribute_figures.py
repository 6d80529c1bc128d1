"""The figure of a sensitive attribute, and what is said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from petaudit.errors import Phrase, counted, exactly, joined, numbered, phrase
from petaudit.exact.class_figures import Exact
from petaudit.i18n.numbers import Unit


@dataclass(frozen=True)
class WorstClass:
    """Classes of one size with one figure; labels only when values may be shown."""

    rows: int
    figure: float
    classes: int
    labels: Mapping[str, str | None] | None = None


@dataclass(frozen=True)
class AttributeFigure:
    """The figure of one sensitive attribute: that of its worst class."""

    attribute: str
    value: float
    exact_value: Exact = field(repr=False)
    classes: int
    classes_breaking: int | None
    rows_breaking: int | None
    worst_classes: tuple[WorstClass, ...]
    classes_infinite: int = 0
    """How many classes no limit would suit."""

    def line(self, why_infinite: str, unit: Unit = Unit.ROW, of_rows: int | None = None) -> Phrase:
        """The figure with its worst classes, those that no limit suits, and those that break it."""
        parts = [
            phrase(
                "{attribute}: {figure:.6g} ({classes})",
                attribute=self.attribute,
                figure=self.value,
                classes=counted(self.classes, "class", "classes"),
            )
        ]
        if self.worst_classes:
            # With an exact figure, the rows of its class would tell how many have which value.
            parts.append(exactly(_worst(self.worst_classes[0], unit)))
        if self.classes_infinite:
            infinite = counted(self.classes_infinite, "class", "classes")
            parts.append(phrase("{classes} {why}", classes=infinite, why=why_infinite))
        if self.classes_breaking:
            classes = counted(self.classes_breaking, "class", "classes")
            rows = unit.counted(self.rows_breaking or 0, of=of_rows)
            parts.append(_breaking(self.classes_breaking, classes, rows))
        return joined(parts, "; ")


def _worst(worst: WorstClass, unit: Unit = Unit.ROW) -> Phrase:
    rows = unit.counted(worst.rows)
    classes = counted(worst.classes, "class", "classes")
    return numbered(
        worst.classes,
        phrase("worst: a class of {rows}", rows=rows),
        phrase("worst: {classes} of {rows}", classes=classes, rows=rows),
    )


def _breaking(number: int, classes: Phrase, rows: Phrase) -> Phrase:
    return numbered(
        number,
        phrase("{classes} with {rows} breaks the limit", classes=classes, rows=rows),
        phrase("{classes} with {rows} break the limit", classes=classes, rows=rows),
    )
