"""What was generalised how far and why, what it costs, and what else there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from petaudit.anonymizing.local import groups_of
from petaudit.anonymizing.node import Judge
from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.solution import Solution, WhyNotFiner
from petaudit.errors import Phrase, counted, joined, phrase, share, term
from petaudit.reports.terminal import indented
from petaudit.reports.view import Section

if TYPE_CHECKING:
    from petaudit.anonymizing.making import Anonymized

_MOST_ALTERNATIVES: Final = 5
_MOST_LEVELS: Final = 2
_TO_COMPARE: Final = 4
"""Digits of figures that are close to each other."""


def sections(made: Anonymized) -> tuple[Section, ...]:
    """Everything there is to say, for a report."""
    solution, total = made.solution, made.solution.problem.total
    parts = (
        (term("How the table was made"), [*how_good(made)]),
        (term("What was generalised"), [*column_lines(solution)]),
        (term("Why not finer?"), [*_why_not_finer(solution, total)]),
        (term("Other levels that hold"), [*_alternatives(solution)]),
    )
    return tuple(Section(title, tuple(lines)) for title, lines in parts if lines)


def how_good(made: Anonymized) -> Iterator[Phrase]:
    """How much is lost, how much less could be, and which rows are suppressed."""
    solution = made.solution
    lost = percent(solution.value)
    if made.transformation.recoding == "local":
        yield phrase(
            "Local recoding: every class has levels of its own, and {lost} of the detail is lost "
            "({objective})",
            lost=lost,
            objective=solution.problem.objective,
        )
    else:
        yield phrase(
            "Global recoding: every column has one level, and {lost} of the detail is lost "
            "({objective})",
            lost=lost,
            objective=solution.problem.objective,
        )
    if solution.problem.coarsened is not None:
        yield phrase(
            "Memory has no room for the {combinations:,} combinations of the quasi-identifiers: "
            "the search began at {levels}, and finer levels, which may lose less, were not looked "
            "at",
            combinations=solution.problem.coarsened.combinations,
            levels=joined(
                [f"{name} {at}" for name, at in solution.problem.coarsened.levels.items()]
            ),
        )
    yield _bound(solution, is_local=made.transformation.recoding == "local")
    yield _suppressed(made)
    yield phrase(
        "{checked:,} of {nodes:,} combinations of levels were looked at",
        checked=solution.checked,
        nodes=solution.nodes,
    )


def _bound(solution: Solution, *, is_local: bool) -> Phrase:
    if solution.problem.coarsened is not None:
        return phrase(
            "A table in which every column has one of the levels that were looked at would lose "
            "at least {bound}",
            bound=percent(solution.searched_bound),
        )
    if is_local:
        return phrase(
            "A table in which every column has one level would lose at least {bound}",
            bound=percent(solution.bound),
        )
    if solution.is_optimal:
        return phrase(
            "This is the best: no other choice of levels that keeps the limits loses less"
        )
    return phrase(
        "The search stopped early: at most {gap} better is possible", gap=percent(solution.gap)
    )


def _suppressed(made: Anonymized) -> Phrase:
    rows, total = made.rows_suppressed, made.transformation.rows
    if not rows:
        return phrase("No row is suppressed")
    fields = {"rows": counted(rows, "row", of=total), "share": share(rows, total)}
    if rows == total:
        return phrase("Every row is suppressed, with '*' in every quasi-identifier")
    if made.transformation.drop_suppressed:
        return phrase(
            "Left out of the table, because no class takes them: {rows} ({share})", **fields
        )
    if made.solution.problem.suppressed == "exclude":
        return phrase(
            "{rows} ({share}) with '*' in every quasi-identifier; whether they keep the limits was "
            "not judged",
            **fields,
        )
    return phrase(
        "{rows} ({share}) with '*' in every quasi-identifier, which are a class and keep the "
        "limits as well",
        **fields,
    )


def column_lines(solution: Solution) -> Iterator[Phrase]:
    """For every column the levels of its rows, and what that costs."""
    problem = solution.problem
    for place, (column, cost) in enumerate(zip(problem.columns, costs(solution), strict=True)):
        yield phrase(
            "{column}: {levels}; {cost} of its detail is lost",
            column=column.name,
            levels=levels_text(solution, place),
            cost=percent(cost),
        )


def levels_text(solution: Solution, place: int, *, in_full: bool = True) -> Phrase:
    """At which levels the rows of a column are released, the commonest first."""
    problem = solution.problem
    kept = ~solution.is_suppressed
    levels = solution.level_of[kept, place]
    rows = np.bincount(
        levels, weights=problem.rows[kept], minlength=problem.columns[place].levels
    ).astype(np.int64)
    order = sorted(np.flatnonzero(rows).tolist(), key=lambda level: -rows[level])
    top = problem.columns[place].levels - 1
    if not order:
        return phrase("suppressed in all rows")
    if len(order) == 1:
        return phrase("level {level} of {top}", level=order[0], top=top)
    parts = [
        phrase("{level} in {share}", level=level, share=share(int(rows[level]), problem.total))
        for level in (order if in_full else order[:_MOST_LEVELS])
    ]
    fields = {"lowest": min(order), "highest": max(order), "top": top, "parts": joined(parts)}
    if in_full or len(order) <= _MOST_LEVELS:
        return phrase("levels {lowest} to {highest} of {top}: {parts}", **fields)
    return phrase("levels {lowest} to {highest} of {top}, mostly {parts}", **fields)


def costs(solution: Solution) -> list[float]:
    """What part of its detail every column loses: the mean loss of its cells."""
    problem: Problem = solution.problem
    lost = []
    for place, column in enumerate(problem.columns):
        loss = column.loss[solution.level_of[:, place], problem.codes[place]]
        loss = np.where(solution.is_suppressed, 1.0, loss)
        lost.append(float((loss * problem.rows).sum() / max(problem.total, 1)))
    return lost


def _why_not_finer(solution: Solution, total: int) -> Iterator[Phrase]:
    if solution.levels is None:
        yield phrase(
            "Every class was split by the column that gains most, until no split keeps the limits"
        )
        yield from _finer_everywhere(solution, total)
    for each in solution.finer:
        if each.finer is not None:
            yield _finer(each, total)
    coarsened = solution.problem.coarsened
    for name, level in ({} if coarsened is None else coarsened.levels).items():
        yield phrase(
            "{column} at level {level}: not looked at, memory has no room for it",
            column=name,
            level=level - 1,
        )


def _finer_everywhere(solution: Solution, total: int) -> Iterator[Phrase]:
    """Which limits stop the rows of every column that are not at its finest level."""
    judge = Judge(solution.problem)
    for place, column in enumerate(solution.problem.columns):
        levels = solution.level_of.copy()
        can_be_finer = (levels[:, place] > column.lowest) & ~solution.is_suppressed
        if not can_be_finer.any():
            continue
        levels[can_be_finer, place] -= 1
        groups, suppressed = groups_of(judge.counts, replace(solution, level_of=levels))
        classes = groups.classes()
        changed = np.zeros(groups.number, dtype=bool)
        changed[groups.of_combinations[can_be_finer]] = True
        breaking: dict[str, int] = {}
        for condition in judge.of_classes:
            fails = condition.breaking(classes) & changed & ~suppressed
            rows = int(groups.rows[fails].sum())
            breaking[condition.measure] = max(breaking.get(condition.measure, 0), rows)
        yield phrase(
            "{column} one level finer in {rows}, each class by itself: would break {breaking}",
            column=column.name,
            rows=counted(int(solution.problem.rows[can_be_finer].sum()), "row", of=total),
            breaking=_broken(breaking, total),
        )


def _broken(breaking: Mapping[str, int], total: int) -> Phrase:
    """The limits that would break, each with the rows of the classes that do."""
    parts = [
        phrase("{measure} in {rows}", measure=measure, rows=counted(rows, "row", of=total))
        for measure, rows in breaking.items()
        if rows
    ]
    return joined(parts) if parts else phrase("a limit")


def _finer(why: WhyNotFiner, total: int) -> Phrase:
    candidate = why.finer
    assert candidate is not None  # noqa: S101 (only those with a reason are told)
    fields = {"column": why.column, "level": why.level - 1}
    if candidate.is_valid:
        return phrase(
            "{column} at level {level}: the limits would hold, but {lost} of the detail would be "
            "lost, with {rows} suppressed",
            lost=percent(candidate.value, _TO_COMPARE),
            rows=counted(candidate.suppressed_rows, "row", of=total),
            **fields,
        )
    return phrase(
        "{column} at level {level}: would break {breaking}",
        breaking=_broken(candidate.breaking, total),
        **fields,
    )


def _alternatives(solution: Solution) -> Iterator[Phrase]:
    names = solution.problem.names
    for candidate in solution.alternatives[:_MOST_ALTERNATIVES]:
        yield phrase(
            "{levels}: {lost} of the detail would be lost, with {rows} suppressed",
            levels=joined(
                [f"{name} {level}" for name, level in zip(names, candidate.levels, strict=True)]
            ),
            lost=percent(candidate.value, _TO_COMPARE),
            rows=counted(candidate.suppressed_rows, "row", of=solution.problem.total),
        )


def percent(value: float, digits: int = 3) -> str:
    """A share for people; what is small is not rounded to nothing.

    >>> percent(0.0683), percent(0.00004), percent(0), percent(0.25471, 4)
    ('6.83 %', '0.004 %', '0 %', '25.47 %')
    """
    return f"{100 * value:.{digits}g} %"


def explanation(made: Anonymized) -> Iterator[str]:
    """The same as lines of text."""
    for part in sections(made):
        yield part.title
        yield from map(indented, part.lines)
        yield ""
