"""No levels keep the limits: which limit is to blame, and what would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from petaudit.errors import NotMeasurableError, counted, joined, phrase

if TYPE_CHECKING:
    from petaudit.anonymizing.node import Judge


@dataclass(frozen=True)
class Nearest:
    """What a limit could be so that the coarsest levels keep it."""

    measure: str
    rows_breaking: int
    """The rows at the coarsest levels in classes that break the limit."""
    possible: float | None
    """The figure of the coarsest levels, which a limit of this value would allow."""


class InfeasibleError(NotMeasurableError):
    """No combination of levels keeps the limits within the rows that may be suppressed."""

    limits: tuple[Nearest, ...] = ()
    """The limits that break at the coarsest levels."""
    suppression_needed: int | None = None
    """So many suppressed rows would do; None where no number of them would, or nobody knows."""


def infeasible(judge: Judge, is_certain: bool) -> InfeasibleError:
    """Say why nothing is left."""
    from petaudit.anonymizing.search import candidate  # noqa: PLC0415 (both need each other)

    problem = judge.problem
    coarsest = candidate(judge, problem.top)
    problem_text = phrase(
        "no levels keep the limits: even at the coarsest ones, {limits}",
        limits=joined(
            [
                phrase(
                    "{measure} breaks for {rows}",
                    measure=measure,
                    rows=counted(rows, "row", of=problem.total),
                )
                for measure, rows in coarsest.breaking.items()
            ]
        ),
    )
    error = InfeasibleError(problem_text)
    error.limits = tuple(
        Nearest(measure, rows, None) for measure, rows in coarsest.breaking.items()
    )
    return error
