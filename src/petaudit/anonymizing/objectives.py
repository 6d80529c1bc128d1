"""What a release loses, from 0 to 1, as the measures of petaudit count it: 1 minus their figure.

What columns lose at their levels is known from their own distributions, before anything is grouped.
Suppressed rows lose more, and never less at finer levels: there they are at least as many, and each
has more to lose. Both together bound all levels below those that were looked at.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from petaudit.anonymizing.groups import Groups, Levels
from petaudit.anonymizing.kernels import penalties
from petaudit.anonymizing.problem import Problem
from petaudit.exact.class_figures import Floats, Integers, Truths


class Objective(ABC):
    """What is to be as small as possible."""

    by_column = True
    """Whether it is known from the levels alone, as long as nothing is suppressed."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @abstractmethod
    def value(self, groups: Groups, suppressed: Truths) -> float:
        """What is lost at some levels, with some classes suppressed."""

    @abstractmethod
    def penalty(self, groups: Groups, least: Integers, certain: Truths) -> Floats:
        """What is lost, by column, at these and all finer levels because rows are suppressed.

        Of every class at least so many rows are; of some it is certain that all are.
        """

    @abstractmethod
    def lattice(self, part: tuple[slice, ...], penalty: Floats | None = None) -> Floats:
        """What is lost at the least at all levels of a part of the lattice."""

    def more(self, penalty: Floats) -> float | None:
        """What a penalty adds to all levels alike; None where that depends on the levels."""
        return None

    def unsuppressed(self, groups: Groups) -> float:
        """What is lost at the least at these levels and at all coarser ones."""
        return 0.0


class ColumnObjective(Objective):
    """A mean over columns of what their cells lose."""

    def __init__(self, problem: Problem, costs: list[Floats], weights: Floats) -> None:
        super().__init__(problem)
        total = float(weights.sum())
        self.weights = weights / total if total else weights
        leaves = max(cost.shape[1] for cost in costs)
        levels = max(cost.shape[0] for cost in costs)
        self.costs = np.zeros((len(costs), levels, leaves))
        for place, cost in enumerate(costs):
            self.costs[place, : cost.shape[0], : cost.shape[1]] = cost
        # A label of several levels may cost less at a coarser one; a bound must not rely on it.
        self.most = np.maximum.accumulate(self.costs, axis=1)
        self.rows = problem.total
        self.amounts = []
        for place in range(len(problem.columns)):
            self.amounts.append(costs[place] @ problem.leaf_rows(place) / self.rows)
        self._codes = np.ascontiguousarray(problem.codes, dtype=np.int32)

    def value(self, groups: Groups, suppressed: Truths) -> float:
        """The mean loss of a cell."""
        lost = self._penalty(groups, np.where(suppressed, groups.rows, 0), self.costs)
        return self.combined(self.at(groups.levels) + lost)

    def at(self, levels: Levels) -> Floats:
        """What each column loses at its level."""
        return np.array([self.amounts[place][level] for place, level in enumerate(levels)])

    def penalty(self, groups: Groups, least: Integers, certain: Truths) -> Floats:
        """Suppressed cells lose all, so that each loses what its label had left."""
        return self._penalty(groups, least, self.most)

    def _penalty(self, groups: Groups, rows: Integers, costs: Floats) -> Floats:
        levels = np.array(groups.levels, dtype=np.int64)
        lost: Floats = penalties(self._codes, groups.first, rows, costs, levels)
        return lost / self.rows

    def more(self, penalty: Floats) -> float | None:
        """The same for all levels, in a sum."""
        return float(self.weights @ penalty)

    def combined(self, lost: Floats) -> float:
        """The weighted mean of the columns."""
        return min(float(self.weights @ lost), 1.0)

    def lattice(self, part: tuple[slice, ...], penalty: Floats | None = None) -> Floats:
        """The same for all levels at once."""
        total = np.zeros(())
        for place, (column, chosen) in enumerate(zip(self.problem.columns, part, strict=True)):
            amounts = self.amounts[place][column.lowest : column.highest + 1][chosen]
            more = 0.0 if penalty is None else penalty[place]
            total = total[..., None] + self.weights[place] * (amounts + more)
        return total


class GeometricObjective(ColumnObjective):
    """ARX's default: the geometric mean of 1 and what a column loses, less 1."""

    def more(self, penalty: Floats) -> float | None:
        """In a product it depends on the levels."""
        return None

    def combined(self, lost: Floats) -> float:
        """The weighted geometric mean."""
        return float(np.prod((1 + lost) ** self.weights)) - 1

    def lattice(self, part: tuple[slice, ...], penalty: Floats | None = None) -> Floats:
        """The same for all levels at once."""
        product = np.ones(())
        for place, (column, chosen) in enumerate(zip(self.problem.columns, part, strict=True)):
            amounts = self.amounts[place][column.lowest : column.highest + 1][chosen]
            more = 0.0 if penalty is None else penalty[place]
            product = product[..., None] * (1 + amounts + more) ** self.weights[place]
        return product - 1


class EntropyObjective(ColumnObjective):
    """Bits lost, as Non-Uniform Entropy has them, by all that could be lost."""

    def __init__(self, problem: Problem) -> None:
        weights = np.array([column.weight for column in problem.columns], dtype=np.float64)
        super().__init__(problem, [column.loss for column in problem.columns], weights)
        self.amounts, most = [], []
        for place, column in enumerate(problem.columns):
            counts = problem.leaf_rows(place)
            before = bits(counts)
            at = [
                bits(np.bincount(column.codes[level], weights=counts))
                for level in range(column.levels)
            ]
            self.amounts.append(np.array(at) - before)
            most.append(bits(np.array([problem.total])) - before)
        total = float(weights @ np.array(most))
        self.weights = weights / total if total > 0 else np.zeros_like(weights)

    def penalty(self, groups: Groups, least: Integers, certain: Truths) -> Floats:
        """Only rows that are certainly suppressed: what others add depends on their labels."""
        return self._penalty(groups, np.where(certain, groups.rows, 0), self.costs)

    def _penalty(self, groups: Groups, rows: Integers, costs: Floats) -> Floats:
        combinations, rows = groups.first[rows > 0], rows[rows > 0]
        everything = bits(np.array([rows.sum()]))
        lost = np.zeros(len(self.weights))
        for place, column in enumerate(self.problem.columns):
            level = groups.levels[place]
            if level < column.levels - 1 and rows.size:
                labels = column.codes[level][self.problem.codes[place][combinations]]
                lost[place] = everything - bits(np.bincount(labels, weights=rows))
        return lost


class DiscernibilityObjective(Objective):
    """The squares of the sizes of classes; a suppressed row counts like the whole table."""

    by_column = False

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.rows = problem.total
        given = problem.coarsened
        of_classes = (size * size for size in problem.rows.tolist())
        self.before = sum(of_classes) if given is None else given.squares
        self.span = self.rows**2 - self.before

    def value(self, groups: Groups, suppressed: Truths) -> float:
        """The penalty, between that of the original and the largest one."""
        kept = groups.rows[~suppressed].astype(np.float64)
        gone = float(groups.rows[suppressed].sum())
        return self._scaled(float(kept @ kept) + gone * self.rows)

    def _scaled(self, squares: float) -> float:
        return min(max((squares - self.before) / self.span, 0.0), 1.0) if self.span else 0.0

    def unsuppressed(self, groups: Groups) -> float:
        """Squares only grow where classes become one."""
        sizes = groups.rows.astype(np.float64)
        return self._scaled(float(sizes @ sizes))

    def penalty(self, groups: Groups, least: Integers, certain: Truths) -> Floats:
        """What a row of a class of c adds is n - c, and in a part of the class more."""
        lost = float(least.astype(np.float64) @ (self.rows - groups.rows))
        return np.array([lost / self.span if self.span else 0.0])

    def lattice(self, part: tuple[slice, ...], penalty: Floats | None = None) -> Floats:
        """Nothing is known before classes are counted."""
        return np.array(0.0 if penalty is None else float(penalty[0]))


class ClassSizeObjective(Objective):
    """The mean size of the classes of rows that are not suppressed."""

    by_column = False

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.rows = problem.total
        given = problem.coarsened
        self.before = self.rows / max(problem.number if given is None else given.combinations, 1)

    def value(self, groups: Groups, suppressed: Truths) -> float:
        """The mean, between that of the original and all rows."""
        classes = int((~suppressed).sum())
        rows = int(groups.rows[~suppressed].sum())
        return self._scaled(rows / classes if classes else self.rows)

    def _scaled(self, mean: float) -> float:
        span = self.rows - self.before
        return min(max((mean - self.before) / span, 0.0), 1.0) if span > 0 else 0.0

    def unsuppressed(self, groups: Groups) -> float:
        """No coarser levels have more classes, and no more rows than allowed are suppressed."""
        kept = self.rows - self.problem.max_suppressed
        return self._scaled(kept / max(groups.number, 1))

    def penalty(self, groups: Groups, least: Integers, certain: Truths) -> Floats:
        """Suppressing rows never makes this figure worse."""
        return np.zeros(1)

    def lattice(self, part: tuple[slice, ...], penalty: Floats | None = None) -> Floats:
        """Nothing is known before classes are counted."""
        return np.zeros(())


def objective_of(problem: Problem) -> Objective:
    """The objective of a problem."""
    weights = np.array([column.weight for column in problem.columns], dtype=np.float64)
    losses = [column.loss for column in problem.columns]
    parts = np.array([1 - 1 / column.domain for column in problem.columns])
    match problem.objective:
        case "loss":
            return ColumnObjective(problem, losses, weights * (parts > 0))
        case "loss-geometric":
            return GeometricObjective(problem, losses, weights * (parts > 0))
        case "granularity":
            return ColumnObjective(problem, losses, weights * parts)
        case "precision":
            return ColumnObjective(problem, [column.height for column in problem.columns], weights)
        case "entropy":
            return EntropyObjective(problem)
        case "discernibility":
            return DiscernibilityObjective(problem)
        case "class-size":
            return ClassSizeObjective(problem)


def bits(counts: npt.NDArray[Any]) -> float:
    """The sum of n log2 n: what is lost where so many rows become alike."""
    sizes = counts[counts > 0].astype(np.float64)
    return float((sizes * np.log2(sizes)).sum())
