"""Levels that are looked at: what is suppressed there, whether limits hold, what is lost.

At given levels, the classes that break a limit are suppressed. Where that is not enough, because a
limit of all classes together fails or because suppressed rows are a class that breaks a limit
itself, the smallest of the other classes follow, one by one, until all limits hold. Where rows are
dropped, classes are compared with what is left of the table, and further classes go until all keep
the limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from petaudit.anonymizing.conditions import (
    Classes,
    Condition,
    EveryoneCondition,
    SizeCondition,
    TableCondition,
)
from petaudit.anonymizing.groups import Counts, Groups, Levels, Whole, union_classes
from petaudit.anonymizing.objectives import objective_of
from petaudit.anonymizing.problem import Problem
from petaudit.exact.class_figures import Floats, Integers, Truths

_TRIED_TOGETHER = 32
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Node:
    """What came of some levels."""

    levels: Levels
    value: float
    """What is lost; infinite where limits do not hold."""
    condemned: bool
    """Whether no finer levels can keep the limits."""
    penalty: Floats | None
    """What suppressed rows add at these and all finer levels."""
    groups: Groups | None = field(repr=False)
    """The classes; None where counting stopped because there were too many."""
    suppressed: Truths | None = field(default=None, repr=False)
    """Which classes are suppressed; None where limits do not hold."""

    @property
    def is_valid(self) -> bool:
        """Whether all limits hold."""
        return self.suppressed is not None


class Judge:
    """Looks at levels."""

    def __init__(self, problem: Problem, counts: Counts | None = None) -> None:
        self.problem = problem
        self.counts = Counts(problem) if counts is None else counts
        self.objective = objective_of(problem)
        conditions = problem.conditions
        self.of_classes = [one for one in conditions if isinstance(one, Condition)]
        self.of_table = [one for one in conditions if isinstance(one, TableCondition)]
        self.needs_everyone = any(isinstance(one, EveryoneCondition) for one in conditions)
        self.most = 0 if self.needs_everyone else problem.max_suppressed
        """How many rows may be suppressed."""
        dropping = problem.suppressed == "drop" and self.most > 0
        self.moving = [one for one in self.of_classes if dropping and one.compares_with_table]
        """Limits that compare with a table that changes."""
        size = max((one.size for one in self.of_classes), default=0)
        kept = problem.total - self.most
        # Rows that were suppressed to begin with may be a small class of their own.
        marked = any(column.marks[0] >= 0 for column in problem.columns)
        self.most_classes = self.most + kept // size + marked if size > 1 else problem.number
        """With more classes, too many rows are in small ones."""
        self._size = size
        self._is_sizes = problem.people is None and all(
            isinstance(one, SizeCondition) for one in conditions
        )

    def look(self, levels: Levels, below: Groups, *, stops: bool = True) -> Node:
        """Look at levels, rolled up from classes at finer ones."""
        groups = below.rolled_up(levels, self.most_classes if stops else None)
        if groups is None:
            return Node(levels, np.inf, True, None, None)
        return self.judged(groups)

    def judged(self, groups: Groups) -> Node:
        """Say what is suppressed of some classes and what that comes to."""
        breaking, least, certain = self.breaking(groups)
        levels, most = groups.levels, self.most
        marked = self._marked(groups)
        fewest = int(least.sum())
        is_free = groups.number > 1 or self._has_marks
        if marked is not None and is_free and self.problem.suppressed != "drop":
            # Rows that were suppressed to begin with; at the top all others are among them.
            fewest -= int(least[marked])
        if fewest > most:
            return Node(levels, np.inf, True, None, groups)
        if self.needs_everyone and groups.population is not None and groups.population[1]:
            # A class of the population without any row; finer levels have a part of it.
            return Node(levels, np.inf, True, None, groups)
        penalty = self.objective.penalty(groups, least, certain)
        suppressed = self._suppressed(groups, breaking, marked)
        if suppressed is None:
            fails = most == 0 and not breaking.any() and not self.needs_everyone
            condemned = fails and all(one.is_monotone for one in self.of_table)
            return Node(levels, np.inf, condemned, penalty, groups)
        value = self.objective.value(groups, suppressed)
        return Node(levels, value, False, penalty, groups, suppressed)

    def breaking(self, groups: Groups) -> tuple[Truths, Integers, Truths]:
        """Which classes break a limit, how many rows of each go in any case, and of which all."""
        breaking = np.zeros(groups.number, dtype=bool)
        least = np.zeros(groups.number, dtype=np.int64)
        everything = groups.classes()
        for condition in self._by_cost:
            # What is suppressed anyway need not be looked at again.
            left = ~breaking if condition.attributes else None
            classes = everything if left is None else groups.classes(left)
            if not classes.rows.size:
                break
            fails = condition.breaking(classes)
            if condition in self.moving:
                fewest = np.zeros_like(classes.rows)
            else:
                fewest = condition.least(classes, fails)
            if left is None:
                breaking |= fails
                least = np.maximum(least, fewest)
            else:
                places = np.flatnonzero(left)
                breaking[places] |= fails
                least[places] = np.maximum(least[places], fewest)
        return breaking, least, least == groups.rows

    @cached_property
    def _marks(self) -> list[list[int]]:
        return [column.marks.tolist() for column in self.problem.columns]

    @cached_property
    def _has_marks(self) -> bool:
        """Whether rows may say nothing at finer levels than the top."""
        return any(mark >= 0 for marks in self._marks for mark in marks[:-1])

    @cached_property
    def _by_cost(self) -> list[Condition]:
        return sorted(self.of_classes, key=lambda one: bool(one.attributes))

    def _suppressed(self, groups: Groups, breaking: Truths, marked: int | None) -> Truths | None:
        """The classes that are suppressed so that all limits hold; None where they do not."""
        problem, most = self.problem, self.most
        if marked is not None and self.needs_everyone:
            return None  # suppressed rows are nobody's share
        gone = breaking.copy()
        if marked is not None and problem.suppressed != "drop":
            gone[marked] = True
        if self.moving:
            gone = self._left_over(groups, gone)
        counted = groups.rows.copy()
        if marked is not None and problem.suppressed != "drop":
            counted[marked] = 0  # these rows say nothing to begin with
        rows = int(counted[gone].sum())
        if rows > most:
            return None
        if marked is not None and groups.number == 1 and problem.suppressed != "drop":
            return self._if_holds(groups)
        if (
            self._is_sizes
            and problem.suppressed == "class"
            and int(groups.rows[gone].sum()) >= self._size
        ):
            return gone  # all that is asked of suppressed rows is that they are enough
        order = self._smallest_first(groups, ~gone)
        sizes = np.cumsum(counted[order])
        longest = int(np.searchsorted(sizes, most - rows, side="right"))
        if not self.of_table and (problem.suppressed != "class" or not gone.any()):
            return gone if self._whole_holds(groups, gone) else None
        # Most often nothing more has to go.
        tried, until = 0, 0
        while tried <= longest:
            step = self._first_that_holds(groups, gone, order[: min(until, longest)], tried)
            if step is not None:
                gone[order[:step]] = True
                return gone
            tried, until = until + 1, until + _TRIED_TOGETHER
        return None

    def _if_holds(self, groups: Groups) -> Truths | None:
        """Judge the only class that there is, at the top."""
        classes = groups.classes()
        holds = not any(one.breaking(classes).any() for one in self.of_classes)
        holds &= all(one.holds(classes, self.individuals) for one in self.of_table)
        return np.zeros(1, dtype=bool) if holds else None

    @cached_property
    def individuals(self) -> int:
        """How many people the table has."""
        people = self.problem.people
        return self.problem.total if people is None else len(np.unique(people.other))

    def _marked(self, groups: Groups) -> int | None:
        """The class of rows whose every label is the suppression mark, if there is one."""
        marks = [marks[level] for marks, level in zip(self._marks, groups.levels, strict=True)]
        if min(marks) < 0:
            return None
        marked = np.ones(groups.number, dtype=bool)
        for place, (column, level) in enumerate(
            zip(self.problem.columns, groups.levels, strict=True)
        ):
            labels = column.codes[level][self.problem.codes[place][groups.first]]
            marked &= labels == marks[place]
        classes = np.flatnonzero(marked)
        return int(classes[0]) if classes.size else None

    def _smallest_first(self, groups: Groups, left: Truths) -> Integers:
        """Classes in the order in which they could go."""
        places = np.flatnonzero(left)
        return places[
            np.lexsort((groups.first[places], groups.rows[places], groups.people[places]))
        ]

    def _left_over(self, groups: Groups, gone: Truths) -> Truths:
        """Drop classes that break a limit of what is left, until none does."""
        gone = gone.copy()
        while not gone.all():
            classes = groups.classes(~gone, self._whole(groups, gone))
            fails = np.zeros(len(classes.rows), dtype=bool)
            for condition in self.moving:
                fails |= condition.breaking(classes)
            if not fails.any():
                break
            gone[np.flatnonzero(~gone)[fails]] = True
        return gone

    def _whole(self, groups: Groups, gone: Truths) -> Whole:
        """What is left of the table without some classes."""
        lost = {}
        for name, values in self.counts.whole.values.items():
            counts = groups.values(name)
            if isinstance(counts, np.ndarray):
                lost[name] = counts[gone].sum(axis=0)
            else:
                taken = gone[counts.combination]
                lost[name] = np.bincount(
                    counts.other[taken], weights=counts.counts[taken], minlength=len(values.labels)
                ).astype(np.int64)
        return self.counts.whole.without(lost)

    def _whole_holds(self, groups: Groups, gone: Truths) -> bool:
        """Whether anything is left to be judged."""
        return self.problem.suppressed == "class" or not gone.all()

    def _first_that_holds(
        self, groups: Groups, gone: Truths, order: Integers, start: int
    ) -> int | None:
        """How many more classes must go until all limits hold, from ``start`` on."""
        problem = self.problem
        steps = len(order) + 1
        holds = np.ones(steps, dtype=bool)
        # Without any suppressed row, the first class would be of nobody.
        skip = 0 if gone.any() else 1
        if problem.suppressed == "class" and steps > skip:
            begin, rest = gone.copy(), order[skip:]
            begin[order[:skip]] = True
            joined = self._with_population(groups, begin, rest, union_classes(groups, begin, rest))
            blank = self._is_blank(joined)
            for condition in self.of_classes:
                fails = condition.breaking(joined)
                if condition.attributes:
                    fails &= ~blank
                holds[skip:] &= ~fails
        for step in np.flatnonzero(holds).tolist():
            if step < start:
                continue
            if self._table_holds(groups, gone, order[:step]):
                return int(step)
        return None

    def accepts(self, groups: Groups, suppressed: Truths) -> bool:
        """Whether limits hold where these classes are suppressed and others keep theirs."""
        if self.moving and (self._left_over(groups, suppressed) & ~suppressed).any():
            return False
        return self._first_that_holds(groups, suppressed, _NONE, 0) is not None

    def _is_blank(self, joined: Classes) -> Truths:
        """Where every sensitive value of the suppressed rows is a null, they tell nothing.

        Unless they are the whole table: then an audit has nothing else to judge, and judges them.
        """
        blank = joined.rows < self.problem.total
        looked_at = {name for one in self.of_classes for name in one.attributes}
        if not looked_at:
            return np.zeros_like(blank)
        for name in looked_at:
            step, value, _ = joined.pairs(name)
            null = joined.whole[name].index.get(None, -1)
            blank[step[value != null]] = False
        return blank

    def _table_holds(self, groups: Groups, gone: Truths, more: Integers) -> bool:
        """Whether limits of all classes hold, and those of what is left."""
        problem = self.problem
        away = gone.copy()
        away[more] = True
        if not self._whole_holds(groups, away):
            return False
        if len(more) and self.moving and self._left_over(groups, away).sum() > away.sum():
            return False
        if not self.of_table:
            return True
        classes = groups.classes(~away)
        individuals = self.individuals
        if problem.suppressed == "class" and away.any():
            joined = self._with_population(groups, away, _NONE, union_classes(groups, away, _NONE))
            classes = _together(classes, joined)
        elif problem.suppressed == "drop" and problem.people is not None:
            pairs = groups.person_pairs
            assert pairs is not None  # noqa: S101 (there are people)
            individuals = len(np.unique(pairs[1][~away[pairs[0]]]))
        elif problem.suppressed == "drop":
            individuals = int(groups.rows[~away].sum())
        return all(one.holds(classes, individuals) for one in self.of_table)

    def _with_population(
        self, groups: Groups, gone: Truths, order: Integers, joined: Classes
    ) -> Classes:
        """Add whom suppressed rows could be: whoever fits no class that is left."""
        if groups.population is None or self.problem.population is None:
            return joined
        inside, away = groups.population[0], gone.copy()
        people = []
        for step in range(len(joined.rows)):
            if step:
                away[order[step - 1]] = True
            left = ~away
            others = self.problem.population.everybody - int(inside[left].sum())
            if others < joined.people[step]:
                others += int(inside[left & (inside > groups.people)].sum())
            people.append(others)
        return Classes(
            joined.rows,
            joined.people,
            joined.pairs,
            joined.whole,
            joined.commonest,
            np.array(people, dtype=np.int64),
        )


def _together(one: Classes, other: Classes) -> Classes:
    """Classes of which only the numbers of people are asked."""
    people = None
    if one.population is not None and other.population is not None:
        people = np.concatenate([one.population, other.population])
    return Classes(
        np.concatenate([one.rows, other.rows]),
        np.concatenate([one.people, other.people]),
        one.pairs,
        one.whole,
        one.commonest,
        people,
    )
