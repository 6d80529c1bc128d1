"""Local recoding: every class as fine as its limits allow, from the best levels and from the root.

Parts of the table are split, each by the column that gains most, until no split keeps the limits.
Rows that are equal go the same way, so that they are equal in the release. Parts are judged with a
little to spare, and what comes of it is judged once more, exactly, by the arithmetic of the
measures: what does not hold there is not used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from petaudit.anonymizing import local_kernels as kernels
from petaudit.anonymizing.conditions import RiskCondition, SensitiveCondition, SizeCondition
from petaudit.anonymizing.forest import Forest, Parts
from petaudit.anonymizing.groups import Counts, Groups
from petaudit.anonymizing.node import Judge
from petaudit.anonymizing.objectives import ColumnObjective, EntropyObjective, bits, objective_of
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.solution import Solution
from petaudit.exact.class_figures import Floats, Integers, Truths
from petaudit.tables.emd import Ground

RULES: Final = ((0.5, False), (0.75, False), (1.0, True), (1.0, False), (0.75, True))
"""How splits are chosen: the power of bits that a gain is divided by, and whether levels may be
skipped."""
SHARES: Final = (20, 100, 500)
"""Parts of these shares of all items are recoded in all ways, one after the other."""
_MOST_ITEMS: Final = 400_000
"""Of so many combinations one way is tried, of half as many two, and so on."""


def recode_locally(problem: Problem, start: Solution, *, judge: Judge | None = None) -> Solution:
    """The best local recoding of several ways to choose; never worse than ``start``.

    Limits that compare with a population need classes that do not overlap, and keep ``start``.

    >>> import pyarrow as pa
    >>> from petaudit.anonymizing.search import search
    >>> from petaudit.inputs import gather
    >>> table = pa.table({"age": ["23", "23", "61", "62"], "sex": ["f", "f", "m", "m"]})
    >>> inputs = gather(table, quasi_identifiers=["age", "sex"])
    >>> problem = Problem.of(inputs, {"k-anonymity": {"limit": 2}})
    >>> best = search(problem)
    >>> best.labels(0), recode_locally(problem, best).labels(0)
    (['*', '*', '*'], ['23', '*', '*'])
    """
    looking = judge or Judge(problem)
    limits = _Limits.of(problem, looking.counts)
    if limits is None:
        return start
    recoding = _Recoding(problem, looking, limits)
    effort = max(_MOST_ITEMS // max(problem.number, 1), 1)
    starts = recoding.starts(start)[:effort]
    tried = [
        recoding.forest(parts, *rule)
        for parts in starts
        for rule in RULES[: max(effort // len(starts), 1)]
    ]
    made = [recoding.solution(forest, start) for forest in tried]
    if effort > len(RULES) and any(made):
        best = min(
            (forest for forest, one in zip(tried, made, strict=True) if one is not None),
            key=lambda forest: forest.total,
        )
        for share in SHARES:
            best = recoding.improved(best, share)
        made.append(recoding.solution(best, start))
    for one in sorted(filter(None, made), key=lambda one: one.value):
        if one.value < start.value - 1e-12 and holds(looking, one):
            return one
    return start


@dataclass(frozen=True)
class _Limits:
    """The limits as the loops look at them."""

    smallest: int
    arrays: tuple[Any, ...]
    attributes: tuple[str, ...]

    @classmethod
    def of(cls, problem: Problem, counts: Counts) -> _Limits | None:
        """Those of a problem; None where one of them is not a matter of the values of a class."""
        smallest, kinds, numbers, grounds = 1, [], [], []
        values = counts.whole.values
        attributes = tuple(values)
        first = dict(
            zip(
                attributes,
                np.cumsum([0, *(len(values[a].labels) for a in attributes)]).tolist(),
                strict=False,
            )
        )
        places: list[str] = []
        for condition in problem.conditions:
            match condition:
                case SizeCondition():
                    smallest = max(smallest, condition.size)
                case RiskCondition(in_population=False):
                    smallest = max(smallest, _enough(condition))
                case SensitiveCondition():
                    for name in condition.attributes:
                        kind, given, ground = _kind(problem, condition, name, values[name])
                        kinds.append(kind)
                        numbers.append(given)
                        grounds.append(ground)
                        places.append(name)
                case _:
                    return None
        width = sum(len(counts.labels) for counts in values.values())
        starts = np.array([first[name] for name in places], dtype=np.int64)
        lengths = np.array([len(values[name].labels) for name in places], dtype=np.int64)
        nulls = np.array(
            [
                first[name] + values[name].index[None] if None in values[name].index else -1
                for name in places
            ],
            dtype=np.int64,
        )
        whole = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(one.counts for one in values.values())]
        )
        array = np.zeros((len(kinds), 4))
        levels: list[tuple[int, tuple[int, ...], Integers]] = []
        for place, (given, ground) in enumerate(zip(numbers, grounds, strict=True)):
            array[place, : len(given)] = given
            if ground is not None:
                array[place, 1:] = ground.divisor, len(ground.nodes), len(levels)
                for nodes in ground.nodes:
                    levels.append((int(starts[place]), nodes, values[places[place]].counts))
        node_of = np.zeros((max(len(levels), 1), max(width, 1)), dtype=np.int64)
        totals = np.zeros((max(len(levels), 1), max(width, 1)), dtype=np.int64)
        for place, (start, given_nodes, rows) in enumerate(levels):
            node_of[place, start : start + len(given_nodes)] = given_nodes
            np.add.at(totals[place], np.array(given_nodes, dtype=np.int64), rows)
        scratch = np.zeros(max(width, 1), dtype=np.int64)
        arrays = (
            np.array(kinds, dtype=np.int64), array, starts, starts + lengths, nulls, whole, node_of,
            totals, scratch,
        )  # fmt: skip
        return cls(smallest, arrays, attributes)


def _enough(condition: RiskCondition) -> int:
    """The people of a class that keep the risk of all its rows within the limit."""
    if condition.figure == "at-risk":
        return math.ceil(1 / condition.threshold) if condition.threshold else 1
    return math.ceil(1 / condition.limit) if condition.limit else 2**62


def _kind(
    problem: Problem, condition: SensitiveCondition, name: str, values: Any
) -> tuple[int, tuple[float, ...], Ground | None]:
    """A limit by its kind and numbers."""
    limit = float(condition.limit)
    options = problem.settings[condition.measure]
    match condition.measure:
        case "l-diversity":
            return kernels.DISTINCT, (float(math.ceil(condition.limit)),), None
        case "entropy-l-diversity":
            return kernels.ENTROPY, (limit,), None
        case "recursive-l-diversity":
            return kernels.RECURSIVE, (limit, float(options["l"])), None
        case "alpha-k-anonymity":
            return kernels.SHARE, (limit,), None
        case "beta-likeness":
            return kernels.GAIN, (limit,), None
        case "enhanced-beta-likeness":
            return kernels.LOG_GAIN, (limit,), None
        case "delta-disclosure":
            scale = math.log(2) if str(options.get("base", "e")) == "2" else 1.0
            absent = options.get("absent", "ignore") == "infinite"
            return kernels.LOG, (limit * scale, float(absent)), None
    assert condition.ground is not None  # noqa: S101 (of all others it is a distance)
    ground = condition.ground(name, values)
    kind = kernels.ORDERED if ground.distance == "ordered" else kernels.CLOSENESS
    return kind, (limit,), ground


class _Recoding:
    """A problem, ready to be recoded in several ways."""

    def __init__(self, problem: Problem, judge: Judge, limits: _Limits) -> None:
        self.problem, self.judge, self.limits = problem, judge, limits
        columns = problem.columns
        self.tops = np.array([column.levels - 1 for column in columns], dtype=np.int8)
        self.highest = np.array(problem.top, dtype=np.int8)
        self.lowest = np.array(problem.bottom, dtype=np.int64)
        objective = judge.objective
        if not isinstance(objective, ColumnObjective) or isinstance(objective, EntropyObjective):
            # What a column loses is no sum over cells there: the shares of domains guide instead.
            objective = objective_of(replace(problem, objective="granularity"))
        assert isinstance(objective, ColumnObjective)  # noqa: S101
        costs = objective.costs * objective.weights[:, None, None]
        labels = np.zeros(costs.shape, dtype=np.int64)
        for place, column in enumerate(columns):
            labels[place, : column.levels, : len(column.leaves)] = column.codes
        self.data = (*self._items(), labels, costs)
        most = int(labels.max(initial=0)) + 1
        width = len(limits.arrays[5])
        self.work = (
            np.zeros(most, dtype=np.int64),
            np.zeros(most, dtype=np.int64),
            np.zeros(most, dtype=np.int64),
            np.zeros((most, width), dtype=np.int64),
            np.zeros(most, dtype=np.bool_),
            np.zeros(most, dtype=np.int64),
            np.zeros(width, dtype=np.int64),
        )

    def _items(self) -> tuple[Any, ...]:
        """Combinations, or those of a person, with rows and values; people come in order."""
        problem, values = self.problem, self.judge.counts.whole.values
        codes = np.ascontiguousarray(problem.codes, dtype=np.int64)
        number = problem.number
        if problem.people is None:
            combos, rows = np.arange(number), problem.rows
            persons = np.full(number, -1, dtype=np.int64)
        else:
            order = np.lexsort((problem.people.combination, problem.people.other))
            combos = problem.people.combination[order]
            persons, rows = problem.people.other[order], problem.people.counts[order]
        # Values of a combination stand with its first item: which one of a class makes no
        # difference to it, and items of a combination stay together.
        first = np.full(number, -1, dtype=np.int64)
        first[combos[::-1]] = np.arange(len(combos) - 1, -1, -1)
        item, value, count, offset = [], [], [], 0
        for name, counts in values.items():
            pairs = problem.sensitive[name]
            item.append(first[pairs.combination])
            value.append(pairs.other + offset)
            count.append(pairs.counts)
            offset += len(counts.labels)
        none = np.zeros(0, dtype=np.int64)
        items, all_values = np.concatenate([none, *item]), np.concatenate([none, *value])
        by_item = np.argsort(items, kind="stable")
        starts = np.searchsorted(items[by_item], np.arange(len(combos) + 1))
        counts_of = np.concatenate([none, *count])[by_item]
        return (
            codes, combos.astype(np.int64), rows.astype(np.int64), persons.astype(np.int64),
            starts.astype(np.int64), all_values[by_item], counts_of,
        )  # fmt: skip

    def starts(self, start: Solution) -> list[Parts]:
        """The classes of a solution, and the root alone."""
        combos = self.data[1]
        number = len(combos)
        everything = np.arange(number, dtype=np.int64)
        root = Parts(
            everything,
            np.array([0]),
            np.array([number]),
            self.highest[None, :].copy(),
            np.array([False]),
        )
        is_bounded = bool((self.highest != self.tops).any())
        if start.levels is None or (is_bounded and start.is_suppressed.any()):
            return [root]
        classes = start.classes[combos]
        order = np.argsort(classes, kind="stable")
        _, begins = np.unique(classes[order], return_index=True)
        stops = np.append(begins[1:], number)
        levels = np.repeat(np.array(start.levels, dtype=np.int8)[None, :], len(begins), axis=0)
        is_free = np.zeros(len(begins), dtype=bool)
        if start.is_suppressed.any():
            levels[0] = self.tops
            is_free[0] = self.problem.suppressed != "class"
        return [Parts(order, begins, stops, levels, is_free), root]

    def forest(self, parts: Parts, power: float, is_deep: bool, forced: int = -1) -> Forest:
        """Split parts as far as they go."""
        order = parts.order.copy()
        nodes = kernels.refine(
            self.data, order, parts.starts.astype(np.int64), parts.stops.astype(np.int64),
            parts.levels, parts.is_free, self.lowest, self.limits.smallest, self.limits.arrays,
            self.work, power, is_deep, forced,
        )  # fmt: skip
        return Forest(order, *nodes)

    def improved(self, forest: Forest, share: int) -> Forest:
        """Try all ways on parts of so many of all items, and keep the best of each part."""
        nodes = forest.cut(max(len(forest.order) // share, 1))
        # Only what stays behind at the top may be free, and that is left alone here.
        tops = (forest.came[nodes] == self.tops).all(axis=1)
        nodes = nodes[~tops]
        if not nodes.size:
            return forest
        parts = forest.parts(nodes)
        ways = [self.forest(parts, *rule) for rule in RULES]
        ways += [self.forest(parts, *RULES[0], column) for column in range(len(self.tops))]
        return forest.grafted(nodes, ways)

    def solution(self, forest: Forest, start: Solution) -> Solution | None:
        """What a forest comes to; None where too many rows would be suppressed."""
        level_of = np.zeros((self.problem.number, len(self.tops)), dtype=np.int8)
        level_of[self.data[1]] = forest.levels()
        made = replace(
            start,
            recoding="local",
            levels=None,
            level_of=level_of,
            is_suppressed=self._suppressed(level_of),
            alternatives=(),
        )
        if made.suppressed_rows > self.problem.max_suppressed + self._suppressed_before:
            return None
        return replace(made, value=local_value(self.judge, made))

    @cached_property
    def _suppressed_before(self) -> int:
        """The rows that say nothing to begin with; where rows are dropped, they count, too."""
        if self.problem.suppressed == "drop":
            return 0
        raw = np.zeros((self.problem.number, len(self.tops)), dtype=np.int8)
        return int(self.problem.rows[self._suppressed(raw)].sum())

    def _suppressed(self, level_of: Any) -> Truths:
        """Combinations whose every label is the suppression mark."""
        marked = np.ones(self.problem.number, dtype=bool)
        for place, column in enumerate(self.problem.columns):
            level = level_of[:, place].astype(np.int64)
            marked &= column.codes[level, self.problem.codes[place]] == column.marks[level]
        return marked


def holds(judge: Judge, solution: Solution) -> bool:
    """Whether a recoding keeps all limits, exactly."""
    groups, suppressed = groups_of(judge.counts, solution)
    breaking, _, _ = judge.breaking(groups)
    if (breaking & ~suppressed).any():
        return False
    return judge.accepts(groups, suppressed)


def groups_of(counts: Counts, solution: Solution) -> tuple[Groups, Truths]:
    """The classes of a recoding, and which of them is suppressed."""
    classes = solution.classes
    gone = classes < 0
    index = np.where(gone, classes.max(initial=-1) + 1, classes)
    ids, positions = np.unique(index, return_inverse=True)
    dense: Any = positions.reshape(-1).astype(np.int32)
    first = np.zeros(len(ids), dtype=np.int32)
    first[dense[::-1]] = np.arange(len(dense) - 1, -1, -1, dtype=np.int32)
    rows = np.bincount(dense, weights=solution.problem.rows).astype(np.int64)
    suppressed = np.zeros(len(ids), dtype=bool)
    suppressed[dense[gone]] = True
    # A population is looked up at the levels of classes, which only global recoding has in common.
    tops = tuple(column.levels - 1 for column in solution.problem.columns)
    levels = solution.levels or tops
    return Groups(counts, levels, first, rows, counts.base, dense), suppressed


def local_value(judge: Judge, solution: Solution) -> float:
    """What a local recoding loses, as the measure of the objective counts it."""
    objective, problem = judge.objective, solution.problem
    if isinstance(objective, EntropyObjective):
        return _bits_lost(objective, solution)
    if isinstance(objective, ColumnObjective):
        lost = np.zeros(len(problem.columns))
        for place in range(len(problem.columns)):
            level = solution.level_of[:, place].astype(np.int64)
            cost = objective.costs[place, level, problem.codes[place]]
            lost[place] = np.where(solution.is_suppressed, 1.0, cost) @ problem.rows
        return objective.combined(lost / problem.total)
    groups, suppressed = groups_of(judge.counts, solution)
    return objective.value(groups, suppressed)


def _bits_lost(objective: EntropyObjective, solution: Solution) -> float:
    """Level by level, as Non-Uniform Entropy is measured; labels count at their lowest level."""
    problem = solution.problem
    total: Floats = np.zeros(len(problem.columns))
    for place, column in enumerate(problem.columns):
        leaf, rows = problem.codes[place], problem.rows.astype(np.float64)
        top = column.levels - 1
        # Combinations that were counted at coarser levels lost bits before.
        total[place] = bits(np.bincount(leaf, rows)) - bits(problem.leaf_rows(place))
        lowest = np.array(
            [
                [column.hierarchy.level_of(column.labels[at][code]) for code in column.codes[at]]
                for at in range(column.levels)
            ]
        )
        level = lowest[solution.level_of[:, place].astype(np.int64), leaf]
        level = np.where(solution.is_suppressed, top, level)
        before = None
        for at in np.unique(level).tolist():
            inside = level >= at
            earlier = leaf if before is None else column.codes[before][leaf]
            now = column.codes[at][leaf]
            sizes = np.bincount(now[inside], weights=rows[inside])
            old = np.bincount(earlier[inside], weights=rows[inside])
            total[place] += float(
                rows[inside] @ (np.log2(sizes[now[inside]]) - np.log2(old[earlier[inside]]))
            )
            before = at
    return float(objective.weights @ total)
