"""What a search came to: levels, what is suppressed, how good it is and can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from petaudit.anonymizing.problem import Problem
from petaudit.exact.class_figures import Integers, Truths
from petaudit.tables import class_indices

Levels = tuple[int, ...]
"""The level of every quasi-identifier, in the order of the columns."""


@dataclass(frozen=True)
class Candidate:
    """Levels that were looked at, and what would come of them."""

    levels: Levels
    is_valid: bool
    """Whether every limit holds there within the rows that may be suppressed."""
    value: float
    """The objective, from 0 (nothing lost) to 1; infinite where a limit breaks."""
    suppressed_rows: int
    """The rows that break a limit and would be suppressed."""
    breaking: Mapping[str, int] = field(default_factory=dict)
    """By measure: the rows in classes that break its limit."""
    smallest_class: int = 0
    """The rows of the smallest class, those that break a limit included."""


@dataclass(frozen=True)
class WhyNotFiner:
    """What stands against one more level of detail of a column."""

    column: str
    level: int
    finer: Candidate | None
    """What would come of it; None where the column has no finer level, or may not have it."""


@dataclass(frozen=True)
class Solution:
    """The best de-identification that was reached, and how much better another could be.

    ``level_of`` and ``is_suppressed`` are all that is needed to release the table: the label of a
    row in column c is ``columns[c].labels[level][columns[c].codes[level][leaf]]``, and ``*`` in
    every column where its combination is suppressed (or the row is dropped).
    """

    problem: Problem = field(repr=False)
    recoding: Literal["global", "local"]
    levels: Levels | None
    """The level of every column, the same for all rows; None with local recoding."""
    level_of: npt.NDArray[np.int8] = field(repr=False)
    """By combination and column: the level of the cell."""
    is_suppressed: Truths = field(repr=False)
    """By combination: whether its rows are suppressed."""
    value: float
    """The objective: the share of detail that is lost, from 0 to 1. Dropped rows are lost rows."""
    bound: float
    """No global recoding that keeps the limits loses less than this."""
    is_optimal: bool
    """Whether no other global recoding is better; unknown where memory had no room for finer
    levels."""
    nodes: int
    """How many combinations of levels there are."""
    checked: int
    """How many of them were looked at."""
    alternatives: tuple[Candidate, ...] = ()
    """Other levels that hold, the best first, among those that were looked at."""
    searched_bound: float = 0.0
    """The same as ``bound`` for the levels that were searched, where these are not all."""
    look: Callable[[Levels], Candidate] | None = field(default=None, repr=False, compare=False)
    """Looks at other levels of the same problem."""

    @property
    def gap(self) -> float:
        """How much less could be lost at most, as a share of what is lost."""
        return 0.0 if self.value <= 0 else max(self.value - self.bound, 0.0) / self.value

    @property
    def figure(self) -> float:
        """What the objective's measure says of the release: 1 is all detail kept."""
        return 1 - self.value

    @cached_property
    def finer(self) -> tuple[WhyNotFiner, ...]:
        """For every column, what one more level of detail would break; nothing if it is local."""
        if self.levels is None or self.look is None:
            return ()
        reasons = []
        for place, (column, level) in enumerate(
            zip(self.problem.columns, self.levels, strict=True)
        ):
            finer = None
            if level > column.lowest:
                finer = self.look((*self.levels[:place], level - 1, *self.levels[place + 1 :]))
            reasons.append(WhyNotFiner(column.name, level, finer))
        return tuple(reasons)

    @cached_property
    def suppressed_rows(self) -> int:
        """How many rows are suppressed."""
        return int(self.problem.rows[self.is_suppressed].sum())

    @cached_property
    def classes(self) -> Integers:
        """Which class of the release each combination is in; -1 where it is suppressed."""
        keys = []
        for place, column in enumerate(self.problem.columns):
            level = self.level_of[:, place].astype(np.int64)
            label = column.codes[level, self.problem.codes[place]]
            # Labels that are spelled alike are one label, whatever their level.
            texts = {text: code for code, text in enumerate(dict.fromkeys(sum(column.labels, ())))}
            width = max(len(labels) for labels in column.labels)
            spelled = np.zeros((column.levels, width), dtype=np.int64)
            for at, labels in enumerate(column.labels):
                spelled[at, : len(labels)] = [texts[text] for text in labels]
            keys.append(spelled[level, label])
        index = class_indices(keys, self.problem.number)
        return np.where(self.is_suppressed, -1, index)

    def labels(self, column: int) -> list[str | None]:
        """The released label of every combination in a column, ``*`` where it is suppressed."""
        given, levels = self.problem.columns[column], self.level_of[:, column].tolist()
        leaves = self.problem.codes[column].tolist()
        return [
            "*" if gone else given.labels[level][given.codes[level, leaf]]
            for level, leaf, gone in zip(levels, leaves, self.is_suppressed.tolist(), strict=True)
        ]
