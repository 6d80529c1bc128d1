"""No levels keep the limits: which limit is to blame, and what would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from petaudit.anonymizing.conditions import SensitiveCondition, SizeCondition
from petaudit.anonymizing.node import Judge, Node
from petaudit.errors import NotMeasurableError, Phrase, counted, joined, phrase
from petaudit.measures import find_measure
from petaudit.measures.base import Better

if TYPE_CHECKING:
    from petaudit.anonymizing.conditions import Classes, Condition

_FEW_LEVELS: Final = 1 << 14
"""Up to so many combinations of levels, finer ones are searched as well for what would do."""


@dataclass(frozen=True)
class Nearest:
    """A limit that breaks even at the coarsest levels."""

    measure: str
    rows_breaking: int
    """The rows in classes that break it."""
    possible: float | None
    """The figure there: the nearest limit that is possible. None where it is not known."""


class InfeasibleError(NotMeasurableError):
    """No combination of levels keeps the limits within the rows that may be suppressed."""

    limits: tuple[Nearest, ...] = ()
    """The limits that break at the coarsest levels."""
    suppression_needed: int | None = None
    """So many suppressed rows would do; None where none would, as far as that was looked at."""


def infeasible(judge: Judge) -> InfeasibleError:
    """Say why nothing is left."""
    problem = judge.problem
    groups = judge.counts.base.rolled_up(problem.top)
    assert groups is not None  # noqa: S101 (nothing stops it)
    classes = groups.classes()
    limits: dict[str, Nearest] = {}
    for condition in judge.of_classes:
        rows = int(groups.rows[condition.breaking(classes)].sum())
        if rows:
            figure = _figure(condition, classes)
            limits[condition.measure] = Nearest(condition.measure, rows, figure)
    for table in judge.of_table:
        if not table.holds(classes, judge.individuals):
            limits.setdefault(table.measure, Nearest(table.measure, problem.total, None))
    generous = Judge(replace(problem, max_suppressed=problem.total), judge.counts)
    needed = _rows_suppressed(generous.judged(groups))
    if needed is None and problem.nodes <= _FEW_LEVELS:
        from petaudit.anonymizing.search import search_lattice  # noqa: PLC0415 (it asks this)

        needed = _rows_suppressed(search_lattice(generous, None, None)[0])
    error = InfeasibleError(
        phrase(
            "no levels keep the limits: {reasons}",
            reasons=joined([*_reasons(list(limits.values()), problem.total, needed)], "; "),
        )
    )
    error.limits, error.suppression_needed = tuple(limits.values()), needed
    return error


def _rows_suppressed(node: Node | None) -> int | None:
    if node is None or node.suppressed is None or node.suppressed.all():
        return None
    assert node.groups is not None  # noqa: S101 (limits hold, so classes were counted)
    return int(node.groups.rows[node.suppressed].sum())


def _reasons(limits: list[Nearest], total: int, needed: int | None) -> list[Phrase]:
    said = []
    for limit in limits:
        rows = counted(limit.rows_breaking, "row", of=total)
        text = phrase(
            "even at the coarsest levels {measure} breaks for {rows}",
            measure=limit.measure,
            rows=rows,
        )
        if limit.possible is not None:
            text = phrase("{text} (possible there: {figure:.6g})", text=text, figure=limit.possible)
        said.append(text)
    if not limits:
        said.append(phrase("no single limit rules everything out, but all of them together do"))
    if needed:
        rows = counted(needed, "row", of=total)
        said.append(phrase("they would hold with {rows} suppressed", rows=rows))
    return said


def _figure(condition: Condition, classes: Classes) -> float | None:
    """The worst figure of the classes, where the limit is a limit of it."""
    is_higher = find_measure(condition.measure).better is Better.HIGHER
    if isinstance(condition, SizeCondition):
        if condition.measure == "k-anonymity":
            return float(classes.people.min())
        return 1 / float(classes.people.min()) if condition.measure == "prosecutor-risk" else None
    if not isinstance(condition, SensitiveCondition):
        return None
    values = [condition.figures(name, classes.table(name)).values for name in condition.attributes]
    worst = np.min(values) if is_higher else np.max(values)
    return float(worst) if np.isfinite(worst) else None
