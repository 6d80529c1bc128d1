"""Lattices with more combinations of levels than can have a bound each.

A good combination is looked for from the top down, column by column, and then by exchanging levels
of columns. How good the best can be is bounded by parts of the problem: what some of the columns
must lose on their own, the others being as coarse as can be for the limits and as fine as can be
for the loss, is lost in any case. The more columns, the better the bound; that of each set of
columns is searched for like the best levels of a small lattice.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from petaudit.anonymizing.groups import Groups, Levels
from petaudit.anonymizing.node import Judge, Node
from petaudit.anonymizing.objectives import ColumnObjective, GeometricObjective
from petaudit.anonymizing.search import LARGEST_LATTICE, Lattice, Progress, Searched

_SIZES: Final = (1 << 10, 1 << 13, 1 << 16, 1 << 18, LARGEST_LATTICE)
"""How many combinations of levels the parts have that are looked at one after the other."""
_SHARE_OF_TIME: Final = 0.3
"""The part of the time that is left which goes to a bound."""
_TURNS: Final = 40
_SHAKEN: Final = 4
_TIE: Final = 1e-12


class RelaxedJudge(Judge):
    """Says of levels what is lost at the least, there and at all finer ones."""

    def judged(self, groups: Groups) -> Node:
        """Only what is certain counts."""
        _, least, certain = self.breaking(groups)
        objective = self.objective
        assert isinstance(objective, ColumnObjective)  # noqa: S101 (only such have parts)
        if int(least.sum()) > self.most:
            return Node(groups.levels, np.inf, True, None, groups)
        penalty = objective.penalty(groups, least, certain)
        value = objective.combined(objective.at(groups.levels) + penalty)
        nothing = np.zeros(groups.number, dtype=bool)
        return Node(groups.levels, value, False, penalty, groups, nothing)


class _Clock:
    """When to stop: at a time, or never."""

    def __init__(self, seconds: float | None) -> None:
        self.end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.end

    @property
    def left(self) -> float | None:
        return None if self.end == math.inf else max(self.end - time.monotonic(), 0.0)


class _Climber:
    """Looks for good levels, one step after the other."""

    def __init__(self, judge: Judge, clock: _Clock) -> None:
        self.judge, self.clock = judge, clock
        self.seen: dict[Levels, tuple[float, bool, int]] = {}
        self.best: Node | None = None
        self.valid: list[tuple[float, Levels, int]] = []

    def value(self, levels: Levels) -> float:
        """What is lost at some levels; infinite where limits do not hold."""
        if levels not in self.seen:
            node = self.judge.look(levels, self.judge.counts.base)
            classes = 0 if node.groups is None else node.groups.number
            self.seen[levels] = node.value, node.condemned, classes
            if node.groups is not None and node.suppressed is not None:
                gone = int(node.groups.rows[node.suppressed].sum())
                self.valid.append((node.value, levels, gone))
                if self.best is None or node.value < self.best.value - _TIE:
                    self.best = node
        return self.seen[levels][0]

    def descend(self, levels: Levels, *, by_bits: bool = False) -> Levels:
        """Make columns finer, each time the one that gains most, as long as limits hold.

        ``by_bits``: what a column gains counts by how many more classes it makes.
        """
        bottom = self.judge.problem.bottom
        now = self.value(levels)
        fixed: set[int] = set()
        while not self.clock.is_over:
            tried = []
            for place, level in enumerate(levels):
                if level <= bottom[place] or place in fixed:
                    continue
                finer = (*levels[:place], level - 1, *levels[place + 1 :])
                value = self.value(finer)
                if self.seen[finer][1]:
                    fixed.add(place)  # nothing below it can hold, from here on down
                elif value < now - _TIE:
                    ratio = self.seen[finer][2] / max(self.seen[levels][2], 1)
                    rank = (value - now) / max(math.log(ratio), 1e-3) if by_bits else value
                    tried.append((rank, place, finer))
                if self.clock.is_over:
                    break
            if not tried:
                break
            levels = min(tried)[2]
            now = self.value(levels)
        return levels

    def exchange(self, levels: Levels) -> Levels | None:
        """Make one column coarser and others finer, if that gains anything."""
        top, now = self.judge.problem.top, self.value(levels)
        for place, level in enumerate(levels):
            for coarser in range(level + 1, top[place] + 1):
                for by_bits in (False, True):
                    if self.clock.is_over:
                        return None
                    begin = (*levels[:place], coarser, *levels[place + 1 :])
                    after = self.descend(begin, by_bits=by_bits)
                    if self.value(after) < now - _TIE:
                        return after
        return None

    def improve(self, levels: Levels) -> Levels:
        """Exchange levels until nothing is gained any more."""
        while (after := self.exchange(levels)) is not None:
            levels = after
        return levels

    def shaken(self, levels: Levels, rng: random.Random) -> Levels:
        """The same with a few columns as coarse as can be."""
        changed = list(levels)
        for place in rng.sample(range(len(levels)), min(_SHAKEN, len(levels))):
            changed[place] = rng.randint(changed[place], self.judge.problem.top[place])
        return tuple(changed)


def search_large(judge: Judge, time_limit: float | None, progress: Progress | None) -> Searched:
    """The best levels that were reached, and a bound for all others."""
    clock = _Clock(time_limit)
    climber = _Climber(judge, clock)
    bound, checked = 0.0, 0
    rng = random.Random(0)  # noqa: S311 (the same steps every time)
    try:
        ways = [climber.descend(judge.problem.top, by_bits=by_bits) for by_bits in (False, True)]
        if climber.best is None:
            top = judge.look(judge.problem.top, judge.counts.base)
            return None, math.inf if top.condemned else 0.0, len(climber.seen), []
        levels = min(ways, key=climber.value)
        sizes = list(_SIZES)
        for turn in range(_TURNS):
            _say(progress, climber, bound)
            if clock.is_over:
                break
            if sizes:
                left = clock.left
                share = None if left is None else left * _SHARE_OF_TIME
                part, looked_at = part_bound(judge, sizes.pop(0), share)
                bound, checked = max(bound, part), checked + looked_at
            begin = climber.shaken(levels, rng) if turn else levels
            after = climber.improve(climber.descend(begin, by_bits=turn % 2 == 1))
            if climber.value(after) < climber.value(levels):
                levels = after
    except KeyboardInterrupt:
        if climber.best is None:
            raise
    assert climber.best is not None  # noqa: S101 (returned above)
    bound = min(bound, climber.best.value)
    return climber.best, bound, checked + len(climber.seen), climber.valid


def _say(progress: Progress | None, climber: _Climber, bound: float) -> None:
    if progress is not None:
        progress(math.inf if climber.best is None else climber.best.value, bound)


def part_bound(judge: Judge, size: int, seconds: float | None) -> tuple[float, int]:
    """What is lost in any case, from the columns that tell most rows apart, and nodes looked at."""
    objective, problem = judge.objective, judge.problem
    if not isinstance(objective, ColumnObjective):
        return 0.0, 0
    chosen = _chosen(judge, size)
    columns = tuple(
        column if place in chosen else replace(column, lowest=column.highest)
        for place, column in enumerate(problem.columns)
    )
    part = RelaxedJudge(replace(problem, columns=columns), judge.counts)
    part.objective = objective_with(objective, part)
    lattice = Lattice(part)
    clock, bound = _Clock(seconds), 0.0
    while not clock.is_over:
        bound, levels = lattice.smallest()
        if bound >= lattice.value - _TIE:
            bound = lattice.value
            break
        lattice.rule_out(levels)
    return _as_fine_as_can_be(judge, objective, chosen, bound), lattice.checked


def objective_with(objective: ColumnObjective, part: Judge) -> ColumnObjective:
    """The same objective for columns with other bounds of levels."""
    same: Any = object.__new__(type(objective))
    same.__dict__.update(objective.__dict__)
    same.problem = part.problem
    made: ColumnObjective = same
    return made


def _chosen(judge: Judge, size: int) -> set[int]:
    """As many columns as a part may have, those with the most labels first."""
    problem = judge.problem
    distinct = [len(column.leaves) for column in problem.columns]
    order: Sequence[int] = np.argsort(-np.array(distinct), kind="stable").tolist()
    chosen: set[int] = set()
    nodes = 1
    for place in order:
        column = problem.columns[place]
        levels = column.highest - column.lowest + 1
        if nodes * levels <= size:
            chosen.add(place)
            nodes *= levels
    return chosen


def _as_fine_as_can_be(
    judge: Judge, objective: ColumnObjective, chosen: set[int], bound: float
) -> float:
    """A bound that counts the other columns at their finest levels instead of their coarsest."""
    if bound == math.inf:
        return bound
    for place, column in enumerate(judge.problem.columns):
        if place in chosen:
            continue
        amounts, weight = objective.amounts[place], objective.weights[place]
        fine, coarse = amounts[column.lowest], amounts[column.highest]
        if isinstance(objective, GeometricObjective):
            bound = (1 + bound) * ((1 + fine) / (1 + coarse)) ** weight - 1
        else:
            bound -= weight * (coarse - fine)
    return max(bound, 0.0)
