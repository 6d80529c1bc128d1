"""Which classes to drop from a table until its limits hold.

A limit that every class must keep takes the classes that break it, no fewer and no more. Where
a figure is of all classes (a mean risk), or compares a class with the whole table, which changes
with every class that goes, the worst classes go first, until the measure itself says that its limit
holds. That need not be the fewest rows possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from petaudit.auditing.outcome import Audit
from petaudit.auditing.runner import run_measure
from petaudit.exact.class_figures import Integers, Truths
from petaudit.inputs import Inputs
from petaudit.measures import Family, Measure, Need, Result, find_measure
from petaudit.measures._class_question import Question
from petaudit.measures.base import Riskiest
from petaudit.roles import Roles
from petaudit.tables.row_classes import KeptCounts, RowClasses

Settings = Mapping[str, Mapping[str, Any]]
"""The limit and the options of measures, by name."""


def is_of_classes(measure: Measure) -> bool:
    """Whether a figure is one of classes, so that another one comes of dropping some of them.

    >>> is_of_classes(find_measure("t-closeness")), is_of_classes(find_measure("precision"))
    (True, False)
    """
    return (
        measure.family is not Family.UTILITY
        and Need.QUASI_IDENTIFIERS in measure.needs
        and Need.ORIGINAL not in measure.needs
    )


def settings_of(audit: Audit) -> dict[str, Mapping[str, Any]]:
    """The limits of an audit that dropping rows may reach, with the options of each measure."""
    given = audit.options["options"]
    return {
        result.measure: given.get(result.measure, {})
        for result in audit.results
        if result.passed is not None and is_of_classes(find_measure(result.measure))
    }


@dataclass(frozen=True)
class Dropping:
    """Classes that are kept so that limits hold, or the measure whose limit is out of reach."""

    classes: RowClasses
    kept: Truths
    """Which classes are kept."""
    out_of_reach: str | None = None

    @property
    def rows_kept(self) -> Truths:
        """Which rows are kept."""
        return self.kept[self.classes.of_rows]

    @property
    def rows_dropped(self) -> int:
        """How many rows go."""
        return int(self.classes.sizes[~self.kept].sum())


@dataclass(frozen=True)
class ClassLevel:
    """A table as its classes, to try what becomes of figures when some go or become one."""

    inputs: Inputs
    classes: RowClasses

    @classmethod
    def of(cls, inputs: Inputs) -> ClassLevel:
        """Look at the rows of a table."""
        names, sensitive = inputs.quasi_identifiers, inputs.roles.sensitive
        return cls(inputs, RowClasses.of(inputs.table, names, sensitive, inputs.person))

    @property
    def everything(self) -> Truths:
        """All classes."""
        return np.ones(self.classes.number, dtype=bool)

    def counting(self, kept: Truths) -> tuple[Inputs, KeptCounts]:
        """The inputs of measures if only some classes were in the table."""
        counts = KeptCounts(self.classes, kept)
        inputs = replace(
            self.inputs,
            table=replace(self.inputs.table, counts=counts),
            roles=self._roles,
            reveal_values=False,
            _pairs={},
            _in_population={},
        )
        return inputs, counts

    @property
    def _roles(self) -> Roles:
        """The roles without the quasi-identifiers that are none any more."""
        before, names = self.inputs.roles, self.classes.names
        if before.quasi_identifiers == names:
            return before
        gone = set(before.quasi_identifiers) - set(names)
        return Roles({name: role for name, role in before.by_column.items() if name not in gone})

    def result(
        self, measure: Measure, options: Mapping[str, Any], kept: Truths | None = None
    ) -> Result | None:
        """What a measure says of some classes; None where it cannot say anything."""
        inputs, _ = self.counting(self.everything if kept is None else kept)
        outcome = run_measure(measure, inputs, options)
        return outcome.result if outcome.problem is None else None

    def holds(
        self, measure: Measure, options: Mapping[str, Any], kept: Truths | None = None
    ) -> bool:
        """Whether a limit holds for some classes."""
        result = self.result(measure, options, kept)
        return result is not None and result.passed is True

    def looks_at_rows(self, measure: Measure, options: Mapping[str, Any]) -> bool:
        """Whether a measure asks for more than classes, so that every trial takes as long as it."""
        inputs, counts = self.counting(self.everything)
        run_measure(measure, inputs, options)
        return counts.is_opened

    def dropped_for(self, settings: Settings) -> Dropping:
        """Drop classes until all limits hold."""
        kept = self.everything
        while True:
            before = kept
            for name, options in settings.items():
                fewer = self._dropped(find_measure(name), options, kept)
                if fewer is None:
                    return Dropping(self.classes, kept, name)
                kept = fewer
            if kept is before:
                return Dropping(self.classes, kept)

    def breaking(self, measure: Measure, options: Mapping[str, Any]) -> Truths | None:
        """Which classes break a limit; None where it is not a matter of single classes."""
        kept = self.everything
        inputs, counts = self.counting(kept)
        result = run_measure(measure, inputs, options).result
        if result is None or result.passed is not False:
            return np.zeros_like(kept)
        order, first = self._order(measure, result, inputs, counts)
        if first is None:
            return None
        breaking = np.zeros_like(kept)
        breaking[order[:first]] = True
        return breaking

    def _dropped(self, measure: Measure, options: Mapping[str, Any], kept: Truths) -> Truths | None:
        """Drop the worst classes until one limit holds; None where no class would be left."""
        inputs, counts = self.counting(kept)
        outcome = run_measure(measure, inputs, options)
        if outcome.result is None or outcome.problem is not None:
            return None
        if outcome.result.passed:
            return kept
        order, first = self._order(measure, outcome.result, inputs, counts)

        def without(number: int) -> Truths:
            fewer = kept.copy()
            fewer[order[:number]] = False
            return fewer

        number = fewest(
            lambda number: self.holds(measure, options, without(number)), len(order) - 1, first
        )
        return None if number is None else without(number)

    def _order(
        self, measure: Measure, result: Result, inputs: Inputs, counts: KeptCounts
    ) -> tuple[Integers, int | None]:
        """Classes in the order in which they could go, and how many of them break the limit.

        By the figures of classes where a measure has some, else by the people of each.
        """
        kept, marked = counts.kept.copy(), self.classes.marked
        if marked is not None and inputs.suppressed == "exclude":
            kept[marked] = False
        question, table = counts.asked or (None, None)
        if isinstance(question, Question) and table is not None:
            if marked is not None and table.marked is None:
                kept[marked] = False
            bad, breaking = question.worst_first(table)
            order = np.lexsort((table.sizes, -bad, ~breaking))
            return np.flatnonzero(kept)[order], int(breaking.sum())
        sizes = counts.sizes if inputs.person is None else self.classes.people_table.sizes
        key: npt.NDArray[Any] = sizes
        if inputs.population is not None and measure.riskiest is not Riskiest.SMALLEST:
            people = np.zeros_like(sizes)
            people[counts.kept] = inputs.people_of_classes
            if marked is not None:
                # Whoever fits no other class.
                people[marked] = max(inputs.population_individuals - int(people.sum()), 0)
            is_share = measure.riskiest is Riskiest.LARGEST_SHARE
            key = -sizes / np.maximum(people, 1) if is_share else people
        places = np.flatnonzero(kept)
        places = places[np.lexsort((sizes[places], key[places]))]
        return places, _as_many_as_break(result, sizes[places], key[places])


def fewest(holds: Callable[[int], bool], most: int, first: int | None = None) -> int | None:
    """The fewest, from 1 to ``most``, for which something holds, where it goes on to hold.

    ``first`` is a number to begin with. Where it does not go on to hold, it is a number for which
    it holds and for the one before it does not.

    >>> fewest(lambda number: number >= 6, 100), fewest(lambda number: number >= 6, 5)
    (6, None)
    """
    low, step = 0, first or 1
    while True:
        high = min(low + step, most)
        if high <= low:
            return None
        if holds(high):
            break
        low, step = high, 2 * step
    if low == 0 and high == first and high > 1:
        # Where every class keeps a limit by itself, not one of those that break it can stay.
        if not holds(high - 1):
            return high
        high -= 1
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _as_many_as_break(result: Result, sizes: Integers, keys: npt.NDArray[Any]) -> int | None:
    """How many of the classes, from the first on, are those that break the limit, if it is known.

    They are those with as many rows or people as the remedy says, and the next one is another case.
    """
    remedy = result.remedy
    if remedy is None or not remedy.rows_breaking:
        return None
    rows = np.cumsum(sizes)
    number = int(np.searchsorted(rows, remedy.rows_breaking)) + 1
    if number > len(rows) or rows[number - 1] != remedy.rows_breaking:
        return None
    if number == len(rows):
        return number
    is_reached = remedy.rows_to_suppress is not None or remedy.rows_to_drop is not None
    return number if is_reached and keys[number] != keys[number - 1] else None
