"""The best levels that keep the limits, for certain: best first, with bounds.

Every combination of levels has a lower bound: what its columns lose at their levels, and what the
rows lose that are certainly suppressed there, as is known from coarser levels that were looked at.
The combination with the smallest bound is asked about next. Not it, but the coarsest levels above
it that rule it out are worth counting, since they rule out everything below them as well; they are
looked for by halving a way from it up to the top. When the smallest bound is no better than the
best that was reached, that one is the best of all.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from functools import cached_property, partial
from typing import Final

import numpy as np

from petaudit.anonymizing.groups import Groups, Levels
from petaudit.anonymizing.infeasible import infeasible
from petaudit.anonymizing.kernels import raise_below, smallest_below
from petaudit.anonymizing.node import Judge, Node
from petaudit.anonymizing.objectives import ColumnObjective
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.solution import Candidate, Solution
from petaudit.exact.class_figures import Floats

Progress = Callable[[float, float], object]
"""Called with the best value so far, infinite without one, and the bound."""
LARGEST_LATTICE: Final = 1 << 21
"""Up to so many combinations of levels, all of them have a bound at hand."""
_TIE: Final = 1e-12
_MOST_KEPT: Final = 1 << 24
"""How many classes are kept at most to roll up others from."""
_BITS: Final = 62
_EVERY_SECONDS: Final = 0.1
_ALTERNATIVES: Final = 10
_TRIED_AGAIN: Final = 4
"""How many of the best of looser limits are looked at first."""


def search(
    problem: Problem,
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
    judge: Judge | None = None,
) -> Solution:
    """The best global recoding, or with a time limit (in seconds) the best so far and a bound.

    Where no levels keep the limits, an ``InfeasibleError`` says why. The time limit counts from
    when there is something that keeps the limits, which is at once where the coarsest levels do.
    Ctrl-C ends a search like it, once there is something.

    >>> import pyarrow as pa
    >>> from petaudit.inputs import gather
    >>> table = pa.table({"age": ["23", "24", "61", "62"], "sex": ["f", "f", "m", "m"]})
    >>> ages = {"23": "young", "24": "young", "61": "old", "62": "old"}
    >>> inputs = gather(table, quasi_identifiers=["age", "sex"], hierarchies={"age": ages})
    >>> best = search(Problem.of(inputs, {"k-anonymity": {"limit": 2}}))
    >>> best.levels, best.is_optimal, best.labels(0)
    ((1, 0), True, ['young', 'young', 'old', 'old'])
    """
    from petaudit.anonymizing.large import search_large  # noqa: PLC0415 (it searches parts by this)

    looking = judge or Judge(problem)
    find = search_lattice if problem.nodes <= LARGEST_LATTICE else search_large
    best, bound, checked, others = find(looking, time_limit, progress)
    if best is None:
        raise infeasible(looking)
    return solution_of(looking, best, bound, checked, others)


class Shelf:
    """Classes that were counted, to roll up others from the fewest that are at hand."""

    def __init__(self, base: Groups, tops: Levels) -> None:
        self._groups = [base]
        self._by_levels: dict[Levels, Groups] = {}
        # The levels of all columns in one number, with a bit above each that a subtraction
        # borrows where a level is larger; more columns than fit are only partly compared so.
        self._shifts = []
        at = 0
        for top in tops:
            width = max(top, 1).bit_length() + 1
            if at + width > _BITS:
                break
            self._shifts.append(at)
            at += width
        self._guards = 0
        for place, shift in enumerate(self._shifts):
            self._guards |= 1 << (shift + max(tops[place], 1).bit_length())
        self._packed = np.zeros(64, dtype=np.int64)
        self._sizes = np.full(64, base.number, dtype=np.int64)
        self._kept = 0

    def add(self, groups: Groups) -> None:
        """Keep classes, as long as there is room."""
        number = len(self._groups)
        if self._kept + groups.number > _MOST_KEPT or groups.levels in self._by_levels:
            return
        if number == len(self._sizes):
            self._packed = np.concatenate([self._packed, self._packed])
            self._sizes = np.concatenate([self._sizes, self._sizes])
        self._packed[number], self._sizes[number] = self._pack(groups.levels), groups.number
        self._groups.append(groups)
        self._by_levels[groups.levels] = groups
        self._kept += groups.number

    def at(self, levels: Levels) -> Groups | None:
        """The classes at some levels, if they were counted before."""
        return self._by_levels.get(levels)

    def smallest(self, levels: Levels) -> Groups:
        """The fewest classes at levels that are nowhere coarser."""
        number, packed = len(self._groups), self._pack(levels)
        if len(self._shifts) == len(levels):
            sizes = self._sizes[:number]
            return self._groups[smallest_below(self._packed[:number], sizes, packed, self._guards)]
        free = ((packed | self._guards) - self._packed[:number]) & self._guards
        places = np.flatnonzero(free == self._guards)
        for place in places[np.argsort(self._sizes[places], kind="stable")].tolist():
            groups: Groups = self._groups[place]
            if all(one <= other for one, other in zip(groups.levels, levels, strict=True)):
                return groups
        return self._groups[0]

    def _pack(self, levels: Levels) -> int:
        packed = 0
        for level, shift in zip(levels, self._shifts, strict=False):
            packed |= level << shift
        return packed


class Lattice:
    """A bound for every combination of levels."""

    def __init__(self, judge: Judge, shelf: Shelf | None = None) -> None:
        self.judge, self.problem = judge, judge.problem
        self.objective = judge.objective
        self.lowest = self.problem.bottom
        self.shape = tuple(column.highest - column.lowest + 1 for column in self.problem.columns)
        everything = tuple(slice(0, size) for size in self.shape)
        self.bounds: Floats = np.array(
            np.broadcast_to(self.objective.lattice(everything), self.shape), order="C"
        )
        self.costs = self.bounds.copy()
        self.at_least = np.zeros(self.shape) if not self.objective.by_column else None
        self.extra = np.zeros(self.shape) if not self.objective.by_column else None
        self.shelf = shelf or Shelf(judge.counts.base, self.problem.top)
        self.looked_at: dict[tuple[int, ...], float] = {}
        """The bounds of what was looked at."""
        self.best: Node | None = None
        self.checked = 0
        self.valid: list[tuple[float, Levels, int]] = []

    @property
    def value(self) -> float:
        """What the best so far loses."""
        return np.inf if self.best is None else self.best.value

    def index(self, levels: Levels) -> tuple[int, ...]:
        """Where levels are in the arrays."""
        return tuple(map(int.__sub__, levels, self.lowest))

    def look(self, levels: Levels) -> Node:
        """Count classes at some levels, and draw the conclusions for all others."""
        known = self.shelf.at(levels)
        if known is None:
            node = self.judge.look(levels, self.shelf.smallest(levels))
        else:
            node = self.judge.judged(known)
        self.checked += 1
        place = self.index(levels)
        if node.groups is not None:
            self.shelf.add(node.groups)
        if node.is_valid:
            gone = int(node.groups.rows[node.suppressed].sum()) if node.groups is not None else 0
            self.valid.append((node.value, levels, gone))
            if self.best is None or node.value < self.best.value - _TIE:
                self.best = node
        if node.condemned:
            self._raise_by(place, np.inf)
        elif node.penalty is not None and node.penalty.any():
            self._raise(place, node.penalty)
        if node.groups is not None and self.at_least is not None:
            above = tuple(slice(at, None) for at in place)
            least = self.objective.unsuppressed(node.groups)
            np.maximum(self.at_least[above], least, out=self.at_least[above])
            self._add_up(above)
        self.looked_at[place] = float(self.bounds[place])
        self.bounds[place] = np.inf
        return node

    def tightened(self, judge: Judge) -> Lattice:
        """The same for limits that are nowhere looser: all bounds stand, and nothing holds yet."""
        other = Lattice(judge, self.shelf)
        other.bounds[:] = self.bounds
        if self.extra is not None and self.at_least is not None:
            other.extra, other.at_least = self.extra.copy(), self.at_least.copy()
        for place, bound in self.looked_at.items():
            other.bounds[place] = bound
        if self.best is not None:
            for _, levels, _ in sorted(self.valid)[:_TRIED_AGAIN]:
                other.look(levels)
        return other

    def _raise(self, place: tuple[int, ...], penalty: Floats) -> None:
        """What is suppressed here is suppressed everywhere below."""
        more = self.objective.more(penalty)
        if more is not None and self.extra is None:
            self._raise_by(place, more)
            return
        below = tuple(slice(0, at + 1) for at in place)
        if self.extra is not None:
            np.maximum(self.extra[below], float(penalty.sum()), out=self.extra[below])
            self._add_up(below)
            return
        part = self.bounds[below]
        np.maximum(part, self.objective.lattice(below, penalty), out=part)

    def _raise_by(self, place: tuple[int, ...], more: float) -> None:
        """The same where it adds as much to all levels."""
        shape, at = np.array(self.shape), np.array(place)
        raise_below(self.bounds.reshape(-1), self.costs.reshape(-1), shape, at, more)

    def _add_up(self, part: tuple[slice, ...]) -> None:
        if self.at_least is not None and self.extra is not None:
            bounds = self.bounds[part]
            np.maximum(bounds, self.at_least[part] + self.extra[part], out=bounds)

    def smallest(self) -> tuple[float, Levels]:
        """The smallest bound of levels that are still open, and the levels."""
        place = int(np.argmin(self.bounds))
        at = np.unravel_index(place, self.shape)
        return float(self.bounds[at]), tuple(map(int.__add__, map(int, at), self.lowest))

    def way_up(self, levels: Levels) -> list[Levels]:
        """Levels from some up to the top, each time the column that loses the least by it."""
        way, now = [levels], list(levels)
        steps = [
            (self._steps[place][level], place)
            for place, level in enumerate(levels)
            if level < self.problem.top[place]
        ]
        heapq.heapify(steps)
        while steps:
            place = steps[0][1]
            now[place] += 1
            way.append(tuple(now))
            if now[place] < self.problem.top[place]:
                heapq.heapreplace(steps, (self._steps[place][now[place]], place))
            else:
                heapq.heappop(steps)
        return way

    @cached_property
    def _steps(self) -> list[list[float]]:
        """What a column loses by one more level; without a price, all columns take turns."""
        if not isinstance(self.objective, ColumnObjective):
            return [list(map(float, range(column.levels))) for column in self.problem.columns]
        return [
            (np.diff(amounts) * weight).tolist()
            for amounts, weight in zip(self.objective.amounts, self.objective.weights, strict=True)
        ]

    def rule_out(self, levels: Levels) -> None:
        """Look for the coarsest levels above some that rule these out."""
        way = self.way_up(levels)
        place = self.index(levels)
        low, high = 0, len(way) - 1
        while low <= high:
            middle = (low + high + 1) // 2 if low else (low + high) // 2
            node = way[middle]
            if middle and np.isinf(self.bounds[self.index(node)]):
                # It was looked at before, or ruled out itself, and did not rule these out.
                high = middle - 1
                continue
            self.look(node)
            if self.bounds[place] >= self.value - _TIE:
                low = middle + 1
            else:
                high = middle - 1


Searched = tuple[Node | None, float, int, list[tuple[float, Levels, int]]]


def search_lattice(
    judge: Judge,
    time_limit: float | None,
    progress: Progress | None,
    lattice: Lattice | None = None,
) -> Searched:
    """The best node, a bound for all others, how many were looked at, and which others hold."""
    lattice = lattice or Lattice(judge)
    started = said = time.monotonic()
    bound = 0.0
    try:
        if lattice.best is None:
            lattice.look(judge.problem.top)
        while True:
            bound, levels = lattice.smallest()
            if bound >= lattice.value - _TIE or bound == np.inf:
                return lattice.best, lattice.value, lattice.checked, lattice.valid
            now = time.monotonic()
            if time_limit is not None and now - started > time_limit and lattice.best is not None:
                break
            if progress is not None and now - said > _EVERY_SECONDS:
                progress(lattice.value, bound)
                said = now
            lattice.rule_out(levels)
    except KeyboardInterrupt:
        if lattice.best is None:
            raise
    return lattice.best, min(bound, lattice.value), lattice.checked, lattice.valid


def solution_of(
    judge: Judge, best: Node, bound: float, checked: int, valid: list[tuple[float, Levels, int]]
) -> Solution:
    """A node as a solution, with what others would come to."""
    problem = judge.problem
    groups = best.groups
    assert groups is not None  # noqa: S101 (limits hold, so classes were counted)
    assert best.suppressed is not None  # noqa: S101
    levels = np.broadcast_to(
        np.array(best.levels, dtype=np.int8), (problem.number, len(best.levels))
    )
    others = sorted({entry for entry in valid if entry[1] != best.levels})[:_ALTERNATIVES]
    return Solution(
        problem,
        "global",
        best.levels,
        np.array(levels),
        best.suppressed[groups.of_combinations],
        best.value,
        bound if problem.coarsened is None else 0.0,
        bound >= best.value - _TIE and problem.coarsened is None,
        problem.nodes,
        checked,
        tuple(Candidate(levels, True, value, rows) for value, levels, rows in others),
        bound,
        partial(candidate, judge),
    )


def candidate(judge: Judge, levels: Levels) -> Candidate:
    """What would come of some levels, whether or not limits hold."""
    node = judge.look(levels, judge.counts.base, stops=False)
    groups = node.groups
    assert groups is not None  # noqa: S101 (nothing stops it)
    breaking: dict[str, int] = {}
    gone = np.zeros(groups.number, dtype=bool)
    classes = groups.classes()
    for condition in judge.of_classes:
        fails = condition.breaking(classes)
        gone |= fails
        rows = int(groups.rows[fails].sum())
        breaking[condition.measure] = max(breaking.get(condition.measure, 0), rows)
    for table in judge.of_table:
        if not table.holds(classes, judge.individuals):
            breaking[table.measure] = max(breaking.get(table.measure, 0), int(groups.rows.sum()))
    if node.suppressed is not None:
        gone = node.suppressed
    return Candidate(
        levels,
        node.is_valid,
        node.value,
        int(groups.rows[gone].sum()),
        {name: rows for name, rows in breaking.items() if rows},
        int(groups.people.min(initial=judge.problem.total)),
    )
