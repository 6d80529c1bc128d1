"""What a model asks of classes, answered a block of classes at a time wherever they are.

Only answers travel: the worst figure, a few of the worst classes, and sums.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from petaudit.exact.class_figures import ClassFigures, Exact, Floats, Truths
from petaudit.labels.cells import SUPPRESSED
from petaudit.pictures import if_possible
from petaudit.pictures.distributions import FarClassValues, far_classes, farthest
from petaudit.tables import ClassTable, ClassValueCounts


@dataclass(frozen=True)
class WorstClass:
    """Classes of one size with one figure; labels only when values may be shown."""

    rows: int
    figure: float
    classes: int
    labels: Mapping[str, str | None] | None = None


@dataclass(frozen=True)
class AttributeAnswer:
    """What is known of the classes of a block, for one sensitive attribute."""

    extreme: Exact = Fraction(0)
    """The worst figure; meaningless without a class."""
    classes: int = 0
    classes_breaking: int = 0
    rows_breaking: int = 0
    infinite: int = 0
    """Classes whose figure is infinite, so that no limit holds for them."""
    marked_cells: int = 0
    """Cells of classes that are the suppression mark."""
    worst: tuple[WorstClass, ...] = ()
    far: tuple[FarClassValues, ...] | None = ()
    """For a picture; None where they could not be computed, which does not affect the figures."""


@dataclass(frozen=True)
class Answer:
    """What is known of the classes of a block."""

    attributes: tuple[AttributeAnswer, ...]
    rows: int = 0
    rows_breaking: int = 0
    """Rows of classes that break the limit for any attribute."""
    smallest: int = 0
    """Rows of the smallest class; 0 without a class."""
    classes_told: tuple[int, ...] = ()
    """Of the classes that the question tells apart: how many there are, and their rows."""
    rows_told: tuple[int, ...] = ()


@dataclass(frozen=True)
class Question:
    """What is asked of every class; it holds no table, so that it can go where the classes are."""

    names: tuple[str, ...]
    """The quasi-identifiers, for the labels of classes."""
    attributes: tuple[str, ...]
    figures: Callable[[str, ClassTable], ClassFigures]
    largest_is_worst: bool
    breaks: Callable[[ClassFigures], Truths] | None
    """Which classes break the limit; None without one."""
    worst: int
    tells_apart: tuple[Callable[[ClassTable], Truths], ...] = ()
    told_break: bool = False
    """Whether the classes that are told apart break the limit, whatever their values are."""
    with_far: bool = False
    """Whether values of the worst classes are kept for a picture."""

    def __call__(self, table: ClassTable) -> Answer:
        """Answer for a block of classes."""
        in_classes = table.sizes * table.classes
        any_breaking = np.zeros(len(table.sizes), dtype=bool)
        attributes = []
        for attribute in self.attributes:
            figures, pairs = self.figures(attribute, table), table.columns[attribute]
            breaking = np.zeros_like(any_breaking) if self.breaks is None else self.breaks(figures)
            any_breaking |= breaking
            attributes.append(
                AttributeAnswer(
                    figures.largest if self.largest_is_worst else figures.smallest,
                    int(figures.classes.sum()),
                    figures.count(breaking),
                    figures.rows(breaking),
                    figures.count(np.isinf(figures.values)),
                    _marked_cells(table, pairs),
                    self._worst_classes(table, figures),
                    if_possible(far_classes, figures, pairs)[0] if self.with_far else (),
                )
            )
        told = [tells(table) for tells in self.tells_apart]
        for mask in told if self.told_break else ():
            any_breaking |= mask
        return Answer(
            tuple(attributes),
            int(in_classes.sum()),
            int(in_classes[any_breaking].sum()),
            int(table.sizes.min()) if table.sizes.size else 0,
            tuple(int(table.classes[mask].sum()) for mask in told),
            tuple(int(in_classes[mask].sum()) for mask in told),
        )

    def worst_first(self, table: ClassTable) -> tuple[Floats, Truths]:
        """How bad each class of a block is, the worst the most, and whether it breaks the limit."""
        bad = np.full(len(table.sizes), -np.inf)
        breaking = np.zeros(len(table.sizes), dtype=bool)
        for attribute in self.attributes:
            figures = self.figures(attribute, table)
            bad = np.maximum(bad, figures.values if self.largest_is_worst else -figures.values)
            if self.breaks is not None:
                breaking |= self.breaks(figures)
        for tells in self.tells_apart if self.told_break else ():
            breaking |= tells(table)
        return bad, breaking

    def _worst_classes(self, table: ClassTable, figures: ClassFigures) -> tuple[WorstClass, ...]:
        """The worst classes, each with its labels; without labels, equal ones are merged."""
        if table.labels is None:
            folded = figures.folded(self.worst, largest_first=self.largest_is_worst)
            return tuple(WorstClass(size, value, number) for size, value, number in folded)
        order = figures.order(largest_first=self.largest_is_worst)
        if not self.worst or not order.size:
            return ()
        last = order[: self.worst][-1]
        tied = (figures.values == figures.values[last]) & (figures.sizes == figures.sizes[last])
        candidates = np.union1d(order[: self.worst], np.flatnonzero(tied))
        classes = (
            WorstClass(
                int(figures.sizes[entry]),
                figures.shown(entry),
                int(figures.classes[entry]),
                dict(zip(self.names, table.labels[entry], strict=True)),
            )
            for entry in candidates.tolist()
        )
        return tuple(heapq.nsmallest(self.worst, classes, key=self._rank))

    def _rank(self, worst: WorstClass) -> tuple[Any, ...]:
        """Return the place of a class: engines give equal ones in any order, so labels decide."""
        sign = -1 if self.largest_is_worst else 1
        labels = (worst.labels or {}).values()
        return sign * worst.figure, -worst.rows, [(label is None, label or "") for label in labels]

    def together(self, answers: Sequence[Answer]) -> Answer:
        """Combine the answers of blocks, each of which has at least one class."""
        if len(answers) == 1:
            return answers[0]
        by_attribute = zip(*(answer.attributes for answer in answers), strict=True)
        return Answer(
            tuple(map(self._joined, by_attribute)),
            sum(answer.rows for answer in answers),
            sum(answer.rows_breaking for answer in answers),
            min(answer.smallest for answer in answers),
            tuple(map(sum, zip(*(answer.classes_told for answer in answers), strict=True))),
            tuple(map(sum, zip(*(answer.rows_told for answer in answers), strict=True))),
        )

    def _joined(self, answers: Sequence[AttributeAnswer]) -> AttributeAnswer:
        extremes = [answer.extreme for answer in answers]
        far = [answer.far for answer in answers if answer.far is not None]
        is_told = len(far) == len(answers)
        return AttributeAnswer(
            max(extremes) if self.largest_is_worst else min(extremes),
            sum(answer.classes for answer in answers),
            sum(answer.classes_breaking for answer in answers),
            sum(answer.rows_breaking for answer in answers),
            sum(answer.infinite for answer in answers),
            sum(answer.marked_cells for answer in answers),
            self._worst_of([worst for answer in answers for worst in answer.worst]),
            if_possible(farthest, list(itertools.chain(*far)))[0] if is_told else None,
        )

    def _worst_of(self, classes: Sequence[WorstClass]) -> tuple[WorstClass, ...]:
        """Return the worst classes overall, which are among the worst of each block."""
        kept: list[WorstClass] = []
        for worst in sorted(classes, key=self._rank):
            last = kept[-1] if kept else None
            if (
                last
                and last.labels is None
                and (last.rows, last.figure) == (worst.rows, worst.figure)
            ):
                kept[-1] = WorstClass(worst.rows, worst.figure, last.classes + worst.classes)
            else:
                kept.append(worst)
        return tuple(kept[: self.worst])

    def from_plain(self, given: Mapping[str, Any]) -> Answer:
        """Return the answer from its fields in JSON, which has neither fractions nor tuples."""
        attributes = []
        for entry in given["attributes"]:
            fields = dict(entry)
            if isinstance(fields["extreme"], str):
                fields["extreme"] = Fraction(fields["extreme"])
            fields["worst"] = tuple(WorstClass(**worst) for worst in fields["worst"])
            if fields["far"] is not None:
                fields["far"] = tuple(map(FarClassValues.from_plain, fields["far"]))
            attributes.append(AttributeAnswer(**fields))
        told = {name: tuple(given[name]) for name in ("classes_told", "rows_told")}
        return Answer(**dict(given) | told | {"attributes": tuple(attributes)})


def _marked_cells(table: ClassTable, pairs: ClassValueCounts) -> int:
    mark = pairs.values.index.get(SUPPRESSED)
    if mark is None:
        return 0
    marked = pairs.value_index == mark
    return int((pairs.counts * table.classes[pairs.class_index])[marked].sum())
