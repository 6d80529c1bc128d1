"""How much must be lost for how much privacy: many limits, one count of the data.

Where limits only become tighter from one point to the next, every bound of the one before stands:
what could not hold, or lost so much, cannot hold now, or loses no less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from petaudit.anonymizing.conditions import conditions_of
from petaudit.anonymizing.infeasible import InfeasibleError, infeasible
from petaudit.anonymizing.local import recode_locally
from petaudit.anonymizing.node import Judge
from petaudit.anonymizing.problem import Problem, rows_allowed
from petaudit.anonymizing.search import (
    LARGEST_LATTICE,
    Lattice,
    Progress,
    search,
    search_lattice,
    solution_of,
)
from petaudit.anonymizing.solution import Solution
from petaudit.auditing.dropping import Settings
from petaudit.exact.fractions import exact
from petaudit.measures import find_measure
from petaudit.measures.base import Better


@dataclass(frozen=True)
class Point:
    """Limits, and what they cost."""

    settings: Settings
    max_suppressed: int
    solution: Solution | None
    """The best global recoding; None where nothing keeps the limits."""
    local: Solution | None = None
    """The local recoding, where it was asked for."""
    problem: InfeasibleError | None = None
    """Why nothing keeps the limits."""


def frontier(
    problem: Problem,
    points: Iterable[tuple[Settings, int | float | str | Fraction]],
    *,
    with_local: bool = False,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> tuple[Point, ...]:
    """The best recoding for each of several limits; a time limit is for each of them."""
    assert problem.inputs is not None  # noqa: S101 (problems of tables have them)
    reached: list[Point] = []
    problems: list[Problem] = []
    before: Lattice | None = None
    counts = Judge(problem).counts
    for settings, suppression in points:
        asked = replace(
            problem,
            settings=settings,
            conditions=conditions_of(problem.inputs, settings),
            max_suppressed=rows_allowed(suppression, problem.total),
        )
        judge = Judge(asked, counts)
        solution = local = problem_of_point = None
        if problem.nodes > LARGEST_LATTICE:
            try:
                solution = search(asked, time_limit=time_limit, progress=progress, judge=judge)
            except InfeasibleError as error:
                problem_of_point = error
        else:
            if before is not None and is_tighter(asked, before.problem):
                lattice = before.tightened(judge)
            else:
                lattice = Lattice(judge, None if before is None else before.shelf)
            best, bound, checked, valid = search_lattice(judge, time_limit, progress, lattice)
            before = lattice
            if best is None:
                problem_of_point = infeasible(judge)
            else:
                solution = solution_of(judge, best, bound, checked, valid)
        if with_local and solution is not None:
            local = recode_locally(asked, solution, judge=judge)
        reached.append(Point(settings, asked.max_suppressed, solution, local, problem_of_point))
        problems.append(asked)
    return tuple(
        _never_worse(point, asked, reached) for point, asked in zip(reached, problems, strict=True)
    )


def _never_worse(point: Point, asked: Problem, points: Sequence[Point]) -> Point:
    """The point with the best local recoding of those whose limits are no looser.

    Local recoding is not the best that there is, so looser limits could seem to cost more.
    """
    held = [
        other.local
        for other in points
        if other.local is not None and is_tighter(other.local.problem, asked)
    ]
    return replace(point, local=min(held, key=lambda one: one.value)) if point.local else point


def _grows(measure: str) -> bool:
    """Whether a larger limit is a tighter one."""
    return find_measure(measure).better is Better.HIGHER


def is_tighter(one: Problem, other: Problem) -> bool:
    """Whether a problem has no limit that is looser than that of another one."""
    if set(one.settings) != set(other.settings) or one.max_suppressed > other.max_suppressed:
        return False
    for name, options in one.settings.items():
        before = other.settings[name]
        rest = {key: value for key, value in options.items() if key != "limit"}
        if rest != {key: value for key, value in before.items() if key != "limit"}:
            return False
        if "limit" in options:
            new, old = (exact(given["limit"], name) for given in (options, before))
            if new != old and (new > old) != _grows(name):
                return False
    return True
