"""Combinations rolled up to levels: classes of combinations, or of smaller groups of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from petaudit.anonymizing.conditions import Classes
from petaudit.anonymizing.kernels import group_keys, row_sums, sums
from petaudit.anonymizing.problem import Pairs, PopulationCounts, Problem
from petaudit.exact.class_figures import Integers, Truths
from petaudit.tables import ValueCounts, folded_pairs
from petaudit.tables.results import summed

Levels = tuple[int, ...]
_MOST_CELLS = 1 << 22
"""Values per group are a matrix as long as it has no more cells than this."""
_LARGEST_KEY = 1 << 61


@dataclass(frozen=True)
class Encoding:
    """The labels of all columns and levels as numbers that add up to the key of a class."""

    codes: npt.NDArray[np.uint32]
    """By column and combination; numbers without a sign are looked up twice as fast."""
    keyed: Integers
    """By column, level and leaf."""
    parts: tuple[tuple[int, int], ...]
    """Columns from and to, whose keys fit into an integer."""
    alike: tuple[frozenset[int], ...]
    """By column: the levels that have one label only."""

    @classmethod
    def of(cls, problem: Problem, codes: Integers | None = None) -> Encoding:
        """Number the labels of a problem."""
        columns = problem.columns
        levels = max((column.levels for column in columns), default=0)
        leaves = max((len(column.leaves) for column in columns), default=0)
        keyed = np.zeros((len(columns), levels, leaves), dtype=np.int64)
        parts, start, span, most = [], 0, 1, _LARGEST_KEY
        for place, column in enumerate(columns):
            width = max(len(labels) for labels in column.labels)
            if span * width > most:
                parts.append((start, place))
                # The groups so far come first in the key of the next part.
                start, span, most = place, 1, _LARGEST_KEY // max(problem.number, 1)
            keyed[place, : column.levels, : len(column.leaves)] = column.codes * span
            span *= width
        parts.append((start, len(columns)))
        given = problem.codes if codes is None else codes
        alike = tuple(
            frozenset(level for level, labels in enumerate(column.labels) if len(labels) == 1)
            for column in columns
        )
        return cls(np.ascontiguousarray(given, dtype=np.uint32), keyed, tuple(parts), alike)

    def grouped(
        self, first: npt.NDArray[np.int32], levels: Levels, most: int
    ) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Group entries that stand for combinations; see :func:`group_keys`."""
        at = np.array(levels, dtype=np.int64)
        before = np.zeros(0, dtype=np.int64)
        width = 1
        for start, stop in self.parts:
            is_last = stop == len(at)
            # Where all labels are alike, they tell nothing apart.
            apart = [
                place for place in range(start, stop) if levels[place] not in self.alike[place]
            ]
            groups, ids, firsts = group_keys(
                self.codes,
                first,
                self.keyed,
                np.array(apart, dtype=np.int64),
                at,
                before,
                width,
                most if is_last else len(first),
            )
            if not is_last:
                before, width = ids.astype(np.int64), max(groups, 1)
        return groups, ids, firsts


@dataclass(frozen=True)
class Groups:
    """Classes at some levels."""

    counts: Counts
    levels: Levels
    first: npt.NDArray[np.int32]
    """A combination of each class."""
    rows: Integers
    below: Groups | None = None
    """What was rolled up."""
    ids: npt.NDArray[np.int32] | None = None
    """The class of each group of ``below``."""

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.rows)

    def rolled_up(self, levels: Levels, most: int | None = None) -> Groups | None:
        """The classes at coarser levels; None where there are more than ``most``."""
        limit = self.number if most is None else min(most, self.number)
        groups, ids, firsts = self.counts.encoding.grouped(self.first, levels, limit)
        if groups < 0:
            return None
        rows = sums(ids, self.rows, groups)
        return Groups(self.counts, levels, self.first[firsts], rows, self, ids)

    @cached_property
    def of_combinations(self) -> npt.NDArray[np.int32]:
        """The class of every combination."""
        if self.below is None or self.ids is None:
            return np.arange(self.number, dtype=np.int32)
        return self.ids[self.below.of_combinations]

    @cached_property
    def _values(self) -> dict[str, Pairs | Integers]:
        return {}

    def values(self, attribute: str) -> Pairs | Integers:
        """The rows of each class and value, as a matrix unless it would be large."""
        if attribute not in self._values:
            if self.below is None or self.ids is None:
                self._values[attribute] = self.counts.base_values(attribute)
            else:
                under = self.below.values(attribute)
                self._values[attribute] = (
                    row_sums(self.ids, under, self.number)
                    if isinstance(under, np.ndarray)
                    else _rolled(under, self.ids, self.number)
                )
        return self._values[attribute]

    @cached_property
    def people(self) -> Integers:
        """The people of each class; its rows where no column tells people apart."""
        pairs = self.person_pairs
        return self.rows if pairs is None else np.bincount(pairs[0], minlength=self.number)

    @cached_property
    def person_pairs(self) -> tuple[Integers, Integers] | None:
        """Class and person, each once."""
        people = self.counts.problem.people
        if people is None:
            return None
        if self.below is None or self.ids is None:
            return people.combination, people.other
        under = self.below.person_pairs
        assert under is not None  # noqa: S101 (the same column everywhere)
        return _distinct(self.ids[under[0]].astype(np.int64), under[1])

    def value_people(self, attribute: str) -> tuple[Integers, Integers, Integers]:
        """Class, value and person of every such triple; a triple may be there twice."""
        combination, value, who = self.counts.problem.sensitive_people[attribute]
        return self.of_combinations[combination].astype(np.int64), value, who

    @cached_property
    def population(self) -> tuple[Integers, int, int] | None:
        """The people of each class in the population, and classes and people without a row."""
        counts = self.counts.population
        return None if counts is None else counts.matched(self)

    def classes(self, kept: Truths | None = None, whole: Whole | None = None) -> Classes:
        """Some of the classes, as limits look at them."""
        chosen = slice(None) if kept is None else np.flatnonzero(kept)
        known = self.population

        def pairs(attribute: str) -> tuple[Integers, Integers, Integers]:
            values = self.values(attribute)
            if isinstance(values, np.ndarray):
                return _present(values[chosen])
            if kept is None:
                return values.combination, values.other, values.counts
            place = np.cumsum(kept) - 1
            inside = kept[values.combination]
            return place[values.combination[inside]], values.other[inside], values.counts[inside]

        def commonest(attribute: str) -> Integers:
            group, value, who = self.value_people(attribute)
            return self.counts.commonest(attribute, group, value, who, self.people)[chosen]

        everything = self.counts.whole if whole is None else whole
        return Classes(
            self.rows[chosen],
            self.people[chosen],
            pairs if whole is None else lambda name: everything.reduced(name, pairs(name)),
            everything.values,
            commonest,
            None if known is None else known[0][chosen],
        )


@dataclass(frozen=True)
class Whole:
    """The sensitive values of a whole table, or of what is left of it."""

    values: Mapping[str, ValueCounts]
    places: Mapping[str, Integers] | None = None
    """Where values went to because others are gone."""

    def reduced(
        self, attribute: str, pairs: tuple[Integers, Integers, Integers]
    ) -> tuple[Integers, Integers, Integers]:
        """The same pairs with the values that are left."""
        if self.places is None:
            return pairs
        return pairs[0], self.places[attribute][pairs[1]], pairs[2]

    def without(self, gone: Mapping[str, Integers]) -> Whole:
        """What is left if so many rows of each value go."""
        values, places = {}, {}
        for name, before in self.values.items():
            left = before.counts - gone[name]
            values[name] = before.present(left)
            places[name] = np.cumsum(left > 0) - 1
        return Whole(values, places)


class Counts:
    """The counts of a problem, ready to be rolled up."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.encoding = Encoding.of(problem)
        values = {name: pairs.values for name, pairs in problem.sensitive.items()}
        self.whole = Whole({name: given for name, given in values.items() if given is not None})
        given = problem.population
        self.population = None if given is None else PopulationGroups(self, given)

    @cached_property
    def base(self) -> Groups:
        """Every combination as a class."""
        problem = self.problem
        first = np.arange(problem.number, dtype=np.int32)
        return Groups(self, (0,) * len(problem.columns), first, problem.rows)

    def base_values(self, attribute: str) -> Pairs | Integers:
        """The rows by combination and value."""
        pairs = self.problem.sensitive[attribute]
        number, width = self.problem.number, len(self.whole.values[attribute].labels)
        if number * width > _MOST_CELLS:
            return pairs
        matrix = np.zeros((number, width), dtype=np.int64)
        matrix[pairs.combination, pairs.other] = pairs.counts
        return matrix

    def commonest(
        self, attribute: str, group: Integers, value: Integers, who: Integers, people: Integers
    ) -> Integers:
        """The most people who may share a value, as :func:`people_class_table` has it."""
        null = self.whole.values[attribute].index.get(None, -1)
        width = len(self.whole.values[attribute].labels)
        known = value != null
        pair, _ = _distinct(group[known] * width + value[known], who[known])
        numbers = np.bincount(pair, minlength=len(people) * width)
        most: Integers = numbers.reshape(len(people), width).max(axis=1, initial=0)
        nulls, _ = _distinct(group[~known], who[~known])
        together: Integers = np.minimum(most + np.bincount(nulls, minlength=len(people)), people)
        return together


@dataclass(frozen=True)
class PopulationGroups:
    """A population that is rolled up along with the table."""

    counts: Counts
    given: PopulationCounts

    @cached_property
    def _both(self) -> tuple[Encoding, npt.NDArray[np.int32]]:
        codes = np.concatenate([self.counts.problem.codes, self.given.codes], axis=1)
        encoding = Encoding.of(self.counts.problem, codes)
        return encoding, np.arange(codes.shape[1], dtype=np.int32)

    def matched(self, groups: Groups) -> tuple[Integers, int, int]:
        """The people of each class, and how many classes, with people, the table lacks."""
        encoding, everything = self._both
        inside = self.counts.problem.number
        entries = np.concatenate([groups.first, everything[inside:]])
        number, ids, _ = encoding.grouped(entries, groups.levels, len(entries))
        place = ids[groups.number :].astype(np.int64)
        if self.given.person is None:
            people = summed(place, self.given.people, number)
        else:
            people = np.bincount(_distinct(place, self.given.person)[0], minlength=number)
        of_classes = people[ids[: groups.number]]
        others = np.ones(number, dtype=bool)
        others[ids[: groups.number]] = False
        others &= people > 0
        return of_classes, int(others.sum()), int(people[others].sum())


def union_classes(
    groups: Groups, start: Truths, order: Integers, whole: Whole | None = None
) -> Classes:
    """The classes that come of joining some, and then one more of ``order`` at a time.

    The first is that of ``start`` alone, the last that with all of ``order``.
    """
    steps = len(order) + 1
    step_of = np.full(groups.number, steps, dtype=np.int64)
    step_of[start] = 0
    step_of[order] = np.arange(1, steps)
    inside = np.flatnonzero(step_of < steps)
    rows = np.cumsum(summed(step_of[inside], groups.rows[inside], steps))
    everything = groups.counts.whole if whole is None else whole
    pairs_of_people = groups.person_pairs
    people = rows
    if pairs_of_people is not None:
        people = _cumulated_people(step_of[pairs_of_people[0]], pairs_of_people[1], steps)

    def pairs(attribute: str) -> tuple[Integers, Integers, Integers]:
        width = len(groups.counts.whole.values[attribute].labels)
        matrix = np.zeros((steps, width), dtype=np.int64)
        values = groups.values(attribute)
        if isinstance(values, np.ndarray):
            np.add.at(matrix, step_of[inside], values[inside])
        else:
            taken = step_of[values.combination] < steps
            at = (step_of[values.combination[taken]], values.other[taken])
            np.add.at(matrix, at, values.counts[taken])
        return everything.reduced(attribute, _present(np.cumsum(matrix, axis=0)))

    def commonest(attribute: str) -> Integers:
        group, value, who = groups.value_people(attribute)
        step, result = step_of[group], []
        for at in range(steps):
            taken = step <= at
            zero = np.zeros(int(taken.sum()), dtype=np.int64)
            both = value[taken], who[taken], people[at : at + 1]
            result.append(groups.counts.commonest(attribute, zero, *both)[0])
        return np.array(result, dtype=np.int64)

    return Classes(rows, people, pairs, everything.values, commonest, None)


def _cumulated_people(step: Integers, who: Integers, steps: int) -> Integers:
    """How many different people there are up to every step."""
    inside = step < steps
    order = np.lexsort((step[inside], who[inside]))
    person, at = who[inside][order], step[inside][order]
    is_first = np.ones(len(person), dtype=bool)
    is_first[1:] = person[1:] != person[:-1]
    return np.cumsum(np.bincount(at[is_first], minlength=steps))


def _present(matrix: Integers) -> tuple[Integers, Integers, Integers]:
    """The cells of a matrix that are not 0."""
    row, column = np.nonzero(matrix)
    return row.astype(np.int64), column.astype(np.int64), matrix[row, column]


def _rolled(pairs: Pairs, ids: npt.NDArray[np.int32], groups: int) -> Pairs | Integers:
    assert pairs.values is not None  # noqa: S101 (pairs of values)
    group = ids[pairs.combination].astype(np.int64)
    width = len(pairs.values.labels)
    if groups * width <= _MOST_CELLS:
        cells = summed(group * width + pairs.other, pairs.counts, groups * width)
        return cells.reshape(groups, width)
    return Pairs(*folded_pairs(group, pairs.other, pairs.counts), pairs.values)


def _distinct(one: Integers, other: Integers) -> tuple[Integers, Integers]:
    """Pairs, each once."""
    width = int(other.max(initial=0)) + 1
    pairs = np.unique(one * width + other)
    return pairs // width, pairs % width
