"""What models of sensitive attributes share: each attribute is judged alone, the worst counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Final, Protocol, Self

from petaudit.errors import NotMeasurableError, OptionError, counted, phrase
from petaudit.exact.class_figures import ClassFigures, Exact, Truths
from petaudit.i18n.units import Unit
from petaudit.inputs import Inputs
from petaudit.measures import kinds
from petaudit.measures._attribute_figures import AttributeFigure
from petaudit.measures._class_question import Answer, Question
from petaudit.measures._suppressed import left_out
from petaudit.measures._tables import COLUMNWISE, DETAILS, no_such_table
from petaudit.measures.base import GLOBAL, Better, Option, Remedy, Result
from petaudit.tables import ClassTable
from petaudit.tables.result_frames import Kind, ResultColumn

TABLES: Final = (GLOBAL, COLUMNWISE, DETAILS)
WORST_OPTION: Final = Option(
    "worst", "how many of the worst classes to show", kind=kinds.Integer(0), shows_in_figure=False
)
_COLUMNWISE: Final[Mapping[str, Kind]] = {
    "attribute": "text",
    "value": "number",
    "classes": "integer",
    # Without a limit they are null, which whole numbers of pandas cannot be.
    "classes_breaking": "integer",
    "rows_breaking": "integer",
}


class Shown(Protocol):
    """Classes as they are shown, under whatever name their figure has."""

    @property
    def rows(self) -> int:
        """Rows of each of the classes."""

    @property
    def figure(self) -> float:
        """What the model says about them."""

    @property
    def classes(self) -> int:
        """How many there are."""

    @property
    def labels(self) -> Mapping[str, str | None] | None:
        """Their quasi-identifiers, where values may be shown."""


class Attribute(Protocol):
    """A sensitive attribute with its worst classes."""

    @property
    def attribute(self) -> str:
        """Its name."""

    @property
    def worst_classes(self) -> Sequence[Shown]:
        """The worst first."""


@dataclass(frozen=True)
class Judged:
    """What a model says about the classes of a table."""

    attributes: tuple[AttributeFigure, ...]
    exact_value: Exact
    has_limit: bool
    answer: Answer


@dataclass(frozen=True)
class SensitiveResult(Result):
    """The worst figure over classes and sensitive attributes."""

    compares_with_table: ClassVar[bool] = False
    """Whether classes are compared with the whole table, which changes when rows are dropped."""

    exact_value: Exact
    attributes: tuple[AttributeFigure, ...]
    remedy: Remedy | None = field()

    @classmethod
    def judged(
        cls,
        inputs: Inputs,
        judged: Judged,
        limit: Fraction | None,
        warnings: tuple[str, ...] = (),
        **own: Any,
    ) -> Self:
        """The result of a model; ``own`` are the fields that only this model has."""
        unit = own.get("unit", Unit.ROW)
        return cls(
            value=float(judged.exact_value),
            limit=None if limit is None else float(limit),
            passed=not judged.answer.rows_breaking if judged.has_limit else None,
            warnings=(
                *warnings,
                *inputs.spellings_warning,
                *suppressed_values(judged, unit),
                *rows_left_out(inputs, judged.answer, unit),
            ),
            exact_value=judged.exact_value,
            attributes=judged.attributes,
            remedy=(
                remedy(inputs, judged.answer, unit, compares=cls.compares_with_table)
                if judged.has_limit
                else None
            ),
            **own,
        )

    @property
    def why_infinite(self) -> str:
        """What is said of classes whose figure is infinite, after their number."""
        return phrase("for which no limit would do")

    @property
    def notes(self) -> tuple[str, ...]:
        """What only this model has to say."""
        return ()

    @property
    def explanation(self) -> tuple[str, ...]:
        """The figure of each attribute with its worst classes, and what the limit would take."""
        takes = () if self.remedy is None else (self.remedy.text,)
        rows = None if self.remedy is None else self.remedy.of_rows
        lines = (own.line(self.why_infinite, self.unit, rows) for own in self.attributes)
        return (*lines, *self.notes, *takes)

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
            return worst_class_columns(self.attributes, "value", with_values=with_values)
        if granularity == GLOBAL:
            return super().table(granularity)
        raise no_such_table(self.measure, granularity, TABLES)


def worst_class_columns(
    attributes: Sequence[Attribute], called: str, *, with_values: bool
) -> dict[str, ResultColumn]:
    """The worst classes of all attributes as a table; the figure is called as the model has it."""
    rows = [(own.attribute, worst) for own in attributes for worst in own.worst_classes]
    labels = [worst.labels if with_values else None for _, worst in rows]
    return {
        "attribute": ResultColumn("text", [attribute for attribute, _ in rows]),
        "rows": ResultColumn("integer", [worst.rows for _, worst in rows]),
        called: ResultColumn("number", [worst.figure for _, worst in rows]),
        "classes": ResultColumn("integer", [worst.classes for _, worst in rows]),
        "quasi_identifiers": ResultColumn("tuple", [own and tuple(own) for own in labels]),
        "labels": ResultColumn("tuple", [own and tuple(own.values()) for own in labels]),
    }


def suppressed_values(judged: Judged, unit: Unit = Unit.ROW) -> tuple[str, ...]:
    """Say where sensitive cells of classes are suppressed: behind the mark may be any value."""
    return tuple(
        phrase(
            "column {column!r} has {cells} with the mark '*', which counts as a value of "
            "its own, though it may hide any of the others",
            column=figure.attribute,
            cells=(
                counted(own.marked_cells, "cell")
                if unit is Unit.ROW
                else unit.counted(own.marked_cells)
            ),
        )
        for figure, own in zip(judged.attributes, judged.answer.attributes, strict=True)
        if own.marked_cells
    )


def always_holds(limit: Fraction | None, measure: str) -> tuple[str, ...]:
    """Say that a limit of 1 or less holds for every table.

    >>> always_holds(Fraction(1), "l-diversity")
    ('the limit of l-diversity is 1; it is never below 1, so every table holds it',)
    """
    if limit is None or limit > 1:
        return ()
    return (
        phrase(
            "the limit of {measure} is {limit:g}; it is never below 1, so every table holds it",
            measure=measure,
            limit=float(limit),
        ),
    )


def check_option(option: Option, value: Any) -> None:
    """Refuse what the kind of an option refuses, in its words.

    >>> check_option(WORST_OPTION, -1)
    Traceback (most recent call last):
    petaudit.errors.OptionError: worst is -1; a whole number from 0 was expected
    """
    problems = kinds.Problems()
    option.kind.check(value, (option.name,), problems)
    for _, message in problems:
        raise OptionError(message)


def judge(
    inputs: Inputs,
    figures: Callable[[str, ClassTable], ClassFigures],
    *,
    better: Better,
    breaks: Callable[[ClassFigures], Truths] | None,
    worst: int,
    also_breaks: Callable[[ClassTable], Truths] | None = None,
    tells_apart: Sequence[Callable[[ClassTable], Truths]] = (),
    of_people: bool = False,
) -> Judged:
    """Judge every sensitive attribute in the classes of the quasi-identifiers alone.

    ``breaks`` says which entries break the limit; None without a limit. ``also_breaks`` are those
    that do so whatever their values are. Of the classes that ``tells_apart`` tells apart, the
    answer has the number and the rows. ``of_people``: where a column tells people apart, classes
    have people instead of rows, and the model asks for no more than the commonest value.
    """
    check_option(WORST_OPTION, worst)
    question = Question(
        inputs.quasi_identifiers,
        inputs.sensitive,
        figures,
        better is Better.LOWER,
        breaks,
        worst,
        also_breaks,
        tuple(tells_apart),
    )
    answers = (inputs.ask_people if of_people else inputs.ask_classes)(question)
    if not answers:
        raise NotMeasurableError("every row is suppressed: there is no class to measure")
    answer = question.together(answers)
    has_limit = breaks is not None
    found = [
        AttributeFigure(
            attribute,
            float(own.extreme),
            own.extreme,
            own.classes,
            own.classes_breaking if has_limit else None,
            own.rows_breaking if has_limit else None,
            own.worst,
            own.infinite,
        )
        for attribute, own in zip(inputs.sensitive, answer.attributes, strict=True)
    ]
    values = [own.exact_value for own in found]
    value = max(values) if better is Better.LOWER else min(values)
    return Judged(tuple(found), value, has_limit, answer)


def rows_left_out(inputs: Inputs, answer: Answer, unit: Unit) -> tuple[str, ...]:
    """Say that suppressed rows were left out."""
    if inputs.suppressed != "exclude":
        return ()
    return left_out(_total(inputs, unit) - answer.rows, unit)


def _total(inputs: Inputs, unit: Unit) -> int:
    return inputs.table.rows if unit is Unit.ROW else inputs.counted.rows


def remedy(inputs: Inputs, answer: Answer, unit: Unit, *, compares: bool) -> Remedy:
    """What the limit would take: removing whole classes changes no other class.

    Where suppressed rows are in no class, suppressing is enough: the whole table, suppressed rows
    included, is what classes are compared with. Where they are a class, more of them change that
    class, and dropping them changes the whole table.
    """
    return Remedy.by_suppressing(
        answer.rows_breaking,
        answer.rows,
        _total(inputs, unit),
        can=inputs.suppressed == "exclude",
        can_drop=not compares,
        unit=unit,
    )
