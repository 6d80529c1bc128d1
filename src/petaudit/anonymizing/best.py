"""The best recoding of a problem, global or local, as far as time and patience allow."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from petaudit.anonymizing.columns import Column
from petaudit.anonymizing.explaining import percent
from petaudit.anonymizing.local import recode_locally
from petaudit.anonymizing.node import Judge
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.search import search
from petaudit.anonymizing.solution import Solution
from petaudit.errors import PetauditWarning, phrase
from petaudit.system.progress import advance, stage


def best_release(problem: Problem, recoding: str, time_limit: float | None) -> Solution:
    """The solution with the smallest loss, or with a time limit the best so far."""
    judge = Judge(problem)
    with stage(phrase("searching for the best levels")), _interrupts():
        best = search(problem, time_limit=time_limit, progress=say_progress, judge=judge)
        best = _spelled_finest(best)
    if recoding == "global":
        return best
    try:
        with stage(phrase("giving every class levels of its own")), _interrupts():
            return recode_locally(problem, best, judge=judge)
    except KeyboardInterrupt:
        # What is there keeps the limits; a second one ends the command.
        text = phrase("interrupted: this is the best so far, in which every column has one level")
        warnings.warn(text, PetauditWarning, stacklevel=2)
        return best


@contextmanager
def _interrupts() -> Iterator[None]:
    """Let Ctrl-C be one where a compiled loop makes an error of its own of it."""
    try:
        yield
    except SystemError as problem:
        # One may come of another, as where a compiled loop is being loaded.
        reason: BaseException | None = problem
        while isinstance(reason, SystemError):
            reason = reason.__cause__ or reason.__context__
        if isinstance(reason, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def _spelled_finest(solution: Solution) -> Solution:
    """The same classes with the finest labels that say so: where all of 101** is 1011*, 1011*."""
    if solution.levels is None:
        return solution
    problem = solution.problem
    levels = tuple(
        _finest(column, level)
        for column, level in zip(problem.columns, solution.levels, strict=True)
    )
    if levels == solution.levels:
        return solution
    return replace(
        solution,
        levels=levels,
        level_of=np.broadcast_to(np.array(levels, dtype=np.int8), solution.level_of.shape).copy(),
    )


def _finest(column: Column, level: int) -> int:
    """The lowest level at which the values of a column are told apart as little as at this one."""
    while level > column.lowest:
        pairs = {*zip(column.codes[level - 1].tolist(), column.codes[level].tolist(), strict=True)}
        if len(pairs) > len({above for _, above in pairs}):
            break
        level -= 1
    return level


def say_progress(value: float, bound: float) -> None:
    """Say how good the best release so far is, and how good one could be."""
    if math.isinf(value):
        advance(phrase("searching for the best levels: none that holds so far"))
    else:
        advance(
            phrase(
                "searching for the best levels: {lost} of the detail lost so far, at least {bound}",
                lost=percent(value),
                bound=percent(bound),
            )
        )
