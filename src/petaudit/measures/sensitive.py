"""Models of sensitive attributes: a figure per class and attribute, of which the worst counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from petaudit.errors import NotMeasurableError, Phrase, counted, exactly, joined, numbered, phrase
from petaudit.exact.class_figures import ClassFigures, Exact, Truths
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures._class_question import Answer, Question, WorstClass
from petaudit.measures.base import Better, Columns, Family, Measure, Need, Remedy, Result, left_out
from petaudit.measures.limits import rounded_texts
from petaudit.measures.result import columns_of
from petaudit.system import kinds
from petaudit.tables import ClassTable
from petaudit.tables.result_frames import ResultColumn

Worst: TypeAlias = Annotated[int, kinds.Integer(0), "how many of the worst classes to show"]
OfClasses: TypeAlias = Callable[[ClassTable], Truths]
"""Selects some classes of a block."""


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
    """How many classes have an infinite figure, so that no limit holds for them."""

    def explain(
        self, why_infinite: str, unit: Unit, of_rows: int | None, limit: float | None
    ) -> Phrase:
        """The figure with its worst classes, the infinite ones, and those that break the limit."""
        parts = [
            phrase(
                "{attribute}: {figure} ({classes})",
                attribute=self.attribute,
                figure=rounded_texts(self.value, limit)[0],
                classes=counted(self.classes, "class", "classes"),
            )
        ]
        for worst in self.worst_classes[:1]:
            rows, classes = unit.counted(worst.rows), counted(worst.classes, "class", "classes")
            text = numbered(
                worst.classes,
                phrase("worst: a class of {rows}", rows=rows),
                phrase("worst: {classes} of {rows}", classes=classes, rows=rows),
            )
            # With an exact figure, the rows of its class would tell how many have which value.
            parts.append(exactly(text))
        if self.classes_infinite:
            infinite = counted(self.classes_infinite, "class", "classes")
            parts.append(phrase("{classes} {why}", classes=infinite, why=why_infinite))
        if self.classes_breaking:
            classes = counted(self.classes_breaking, "class", "classes")
            rows = unit.counted(self.rows_breaking or 0, of=of_rows)
            text = numbered(
                self.classes_breaking,
                phrase("{classes} with {rows} breaks the limit", classes=classes, rows=rows),
                phrase("{classes} with {rows} break the limit", classes=classes, rows=rows),
            )
            parts.append(text)
        return joined(parts, "; ")


class SensitiveMeasure(Measure):
    """A measure whose ``figures`` are those of the classes of a block, for one attribute."""

    family = Family.PRIVACY
    better = Better.LOWER
    range = (0.0, float("inf"))
    needs = (Need.QUASI_IDENTIFIERS, Need.SENSITIVE)
    figure_ignores: tuple[str, ...] = ("worst",)
    compares_with_table = False
    """Whether classes are compared with the whole table, which changes when rows are dropped."""
    counts_people = False
    """Whether classes have people instead of rows, where a column tells people apart.

    Such a model asks for no more than the commonest value of a class.
    """

    def figures(self, attribute: str, classes: ClassTable) -> ClassFigures:
        """Return the figure of each class of a block."""
        raise NotImplementedError

    def compute(self, inputs: Inputs, limit: Fraction | None, *, worst: Worst = 5) -> Result:
        """Measure opened inputs."""
        return self.judge(inputs, limit, self.ask(inputs, limit, worst, self.figures))

    def ask(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        worst: int,
        figures: Callable[[str, ClassTable], ClassFigures],
        *,
        tells_apart: Sequence[OfClasses] = (),
        told_break: bool = False,
        with_far: bool = False,
    ) -> Answer:
        """Compute the figures of every sensitive attribute for the classes of the table.

        The answer has the number and the rows of the classes that each of ``tells_apart`` selects;
        with ``told_break`` they break the limit whatever their values are.
        """
        question = Question(
            inputs.quasi_identifiers,
            inputs.sensitive,
            figures,
            self.better is Better.LOWER,
            None if limit is None else self._breaks(limit),
            worst,
            tuple(tells_apart),
            told_break,
            with_far,
        )
        answers = (inputs.ask_people if self.counts_people else inputs.ask_classes)(question)
        if not answers:
            raise NotMeasurableError("every row is suppressed: there is no class to measure")
        return question.together(answers)

    def _breaks(self, limit: Fraction) -> Callable[[ClassFigures], Truths]:
        if self.better is Better.HIGHER:
            return lambda figures: figures.below(limit)
        if self.strict:
            return lambda figures: ~figures.below(limit)
        return lambda figures: figures.above(limit)

    def judge(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        answer: Answer,
        breakdown: Mapping[str, Any] | None = None,
        **internal: Any,
    ) -> Result:
        """Judge what was answered; ``breakdown`` has the figures that only this model has."""
        unit = inputs.unit if self.counts_people else Unit.ROW
        attributes = tuple(
            AttributeFigure(
                name,
                float(attribute.extreme),
                attribute.extreme,
                attribute.classes,
                None if limit is None else attribute.classes_breaking,
                None if limit is None else attribute.rows_breaking,
                attribute.worst,
                attribute.infinite,
            )
            for name, attribute in zip(inputs.sensitive, answer.attributes, strict=True)
        )
        value = self.worst_of(answer)
        common = {
            "exact_value": value,
            "attributes": attributes,
            "remedy": None if limit is None else self.remedy(inputs, answer, unit),
        }
        return self.result(
            value,
            limit,
            passed=None if limit is None else not answer.rows_breaking,
            warnings=(
                *inputs.spellings_warning,
                *_suppressed_values(inputs, answer, unit),
                *rows_left_out(inputs, answer, unit),
            ),
            breakdown=common | dict(breakdown or {}),
            unit=unit,
            **internal,
        )

    def worst_of(self, answer: Answer) -> Exact:
        """Return the worst figure of all attributes."""
        extremes = [attribute.extreme for attribute in answer.attributes]
        return max(extremes) if self.better is Better.LOWER else min(extremes)

    def remedy(self, inputs: Inputs, answer: Answer, unit: Unit) -> Remedy:
        """Return what the limit would take: removing whole classes changes no other class.

        Where suppressed rows are in no class, suppressing is enough: the whole table, suppressed
        rows included, is what classes are compared with. Where they are a class, more of them
        change that class, and dropping them changes the whole table.
        """
        return Remedy.by_suppressing(
            answer.rows_breaking,
            answer.rows,
            _total(inputs, unit),
            can=inputs.suppressed == "exclude",
            can_drop=not self.compares_with_table,
            unit=unit,
        )

    def notes(self, result: Result) -> tuple[str, ...]:
        """Say what only this model has to say."""
        return ()

    def explain(self, result: Result) -> Iterable[str]:
        """The figure of each attribute with its worst classes, and what the limit would take."""
        remedies = () if result.remedy is None else (result.remedy.text,)
        rows = None if result.remedy is None else result.remedy.of_rows
        why = self.why_infinite(result)
        limit = result.limit
        lines = (figure.explain(why, result.unit, rows, limit) for figure in result.attributes)
        return (*lines, *self.notes(result), *remedies)

    def why_infinite(self, result: Result) -> Phrase:
        """Say what is wrong with classes whose figure is infinite, after their number."""
        return phrase("for which no limit suffices")

    def columnwise(self, result: Result) -> Columns:
        """Lay out the sensitive attributes."""
        return columns_of(
            result.attributes,
            attribute="text",
            value="number",
            classes="integer",
            # Without a limit they are null, which integer columns of pandas cannot hold.
            classes_breaking="integer",
            rows_breaking="integer",
        )

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out the worst classes of all attributes."""
        return worst_class_columns(result.attributes, "value", with_values=with_values)


def worst_class_columns(attributes: Sequence[Any], called: str, *, with_values: bool) -> Columns:
    """Lay out the worst classes of all attributes; the figure is called as the model has it."""
    rows = [(figure.attribute, worst) for figure in attributes for worst in figure.worst_classes]
    labels_of_classes = [worst.labels if with_values else None for _, worst in rows]
    return {
        "attribute": ResultColumn("text", [attribute for attribute, _ in rows]),
        "rows": ResultColumn("integer", [worst.rows for _, worst in rows]),
        called: ResultColumn("number", [worst.figure for _, worst in rows]),
        "classes": ResultColumn("integer", [worst.classes for _, worst in rows]),
        "quasi_identifiers": ResultColumn(
            "tuple", [labels and tuple(labels) for labels in labels_of_classes]
        ),
        "labels": ResultColumn(
            "tuple", [labels and tuple(labels.values()) for labels in labels_of_classes]
        ),
    }


def _suppressed_values(inputs: Inputs, answer: Answer, unit: Unit) -> tuple[str, ...]:
    """Say where sensitive cells of classes are suppressed: behind the mark may be any value."""
    return tuple(
        phrase(
            "column {column!r} has {cells} with '*', which counts as a separate value, though it "
            "may stand for any of the others",
            column=column,
            cells=(
                counted(attribute.marked_cells, "cell")
                if unit is Unit.ROW
                else unit.counted(attribute.marked_cells)
            ),
        )
        for column, attribute in zip(inputs.sensitive, answer.attributes, strict=True)
        if attribute.marked_cells
    )


def rows_left_out(inputs: Inputs, answer: Answer, unit: Unit = Unit.ROW) -> tuple[str, ...]:
    """Say that suppressed rows were left out."""
    if inputs.suppressed != "exclude":
        return ()
    return left_out(_total(inputs, unit) - answer.rows, unit)


def _total(inputs: Inputs, unit: Unit) -> int:
    return inputs.table.rows if unit is Unit.ROW else inputs.counted.rows
