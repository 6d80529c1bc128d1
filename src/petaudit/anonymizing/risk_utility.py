"""Risk against utility: the best release for each of several limits, from one count of a table."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from petaudit._version import __version__
from petaudit.anonymizing.asking import (
    COMPARED,
    LevelSpec,
    Recoding,
    read_bounds,
    wanted_limits,
    with_hierarchies,
)
from petaudit.anonymizing.best import say_progress
from petaudit.anonymizing.coarse import searched_from
from petaudit.anonymizing.frontier import Point as SearchedPoint
from petaudit.anonymizing.frontier import frontier as best_at_points
from petaudit.anonymizing.problem import Objective, Problem
from petaudit.anonymizing.solution import Solution
from petaudit.errors import (
    OptionError,
    PetauditWarning,
    Phrase,
    counted,
    joined,
    phrase,
    tally,
    term,
)
from petaudit.exact.class_figures import Integers
from petaudit.generalizing import check_choice
from petaudit.i18n.catalogue import language
from petaudit.i18n.voice import Voice
from petaudit.inputs import gather
from petaudit.measures.base import refuse_unknown, spelled_out
from petaudit.measures.limits import short
from petaudit.pictures.frontier import FrontierPoint, draw_frontier
from petaudit.reports.frontier import frontier_page
from petaudit.reports.reading import title_of
from petaudit.reports.terminal import format_table
from petaudit.system.files import unchanged
from petaudit.system.output import write_whole
from petaudit.system.progress import stage

DOCUMENT = "petaudit.frontier/1"
_MOST_POINTS = 1_000


@dataclass(frozen=True)
class Point:
    """The best release for some limits, or that there is none."""

    limits: Mapping[str, Any]
    max_suppression: str
    rows_suppressed: int | None = None
    loss: float | None = None
    """What is lost by the objective, from 0 to 1; None where no release keeps the limits."""
    bound: float | None = None
    optimal: bool = False
    highest_risk: float | None = None
    """One person of the smallest class: who knows the quasi-identifiers of somebody in it is right
    with this chance."""
    average_risk: float | None = None
    """The same for everybody on average: classes per person."""

    @property
    def name(self) -> Phrase:
        """The limits in words."""
        return joined([f"{name} {limit}" for name, limit in self.limits.items()])


@dataclass(frozen=True, repr=False)
class Frontier:
    """Points of risk and utility, in the order of the limits that were given."""

    table: str
    rows: int
    recoding: str
    objective: str
    points: tuple[Point, ...]
    files: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        points = counted(len(self.points), "point")
        return f"<Frontier of {self.table}: {points}, {self.recoding} recoding>"

    def to_dict(self) -> dict[str, Any]:
        """The points as plain data."""
        return {
            "document": DOCUMENT,
            "petaudit": __version__,
            "table": self.table,
            "rows": self.rows,
            "recoding": self.recoding,
            "objective": self.objective,
            "points": [dict(vars(point)) for point in self.points],
        }

    @property
    def header(self) -> list[str]:
        """The titles of the columns of :attr:`cells`."""
        names = [*self.points[0].limits]
        others = [term("allowed"), term("suppressed"), term("detail lost"), term("highest risk")]
        return [*names, *others, term("average risk")]

    @property
    def cells(self) -> Iterator[list[str]]:
        """A row of texts for every point."""
        for point in self.points:
            shown = [
                term("no release")
                if point.rows_suppressed is None
                else tally(point.rows_suppressed, of=self.rows),
                *map(_percent, (point.loss, point.highest_risk, point.average_risk)),
            ]
            yield [*map(str, point.limits.values()), point.max_suppression, *shown]

    def __str__(self) -> str:
        return "\n".join(format_table(self.header, [*self.cells]))

    def report(self, path: str | Path, *, lang: str | None = None, hide_below: int = 5) -> None:
        """Write a page with the picture and the table."""
        page = self.page(Voice(lang or language(), hide_below=hide_below))
        write_whole(Path(path), lambda file: file.write(page.encode()))

    def page(self, voice: Voice) -> str:
        """The page in a voice."""
        drawn = [
            FrontierPoint(str(point.name), point.max_suppression, point.highest_risk, point.loss)
            for point in self.points
        ]
        facts = [
            phrase(
                "{table}: {rows}",
                table=title_of(self.table),
                rows=counted(self.rows, "row", of=self.rows),
            ),
            phrase(
                "Recoding: {recoding}; objective: {objective}",
                recoding=self.recoding,
                objective=self.objective,
            ),
        ]
        chart = draw_frontier(drawn, self.header, [*self.cells], voice)
        return frontier_page(chart, facts, voice)


def frontier(
    table: object,
    *,
    limits: Mapping[str, Sequence[Any] | Any],
    options: Mapping[str, Mapping[str, Any]] | None = None,
    max_suppression: Sequence[int | float | str] | int | float | str = 0,
    objective: Objective = "loss",
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, LevelSpec] | None = None,
    recoding: Recoding = "local",
    drop_suppressed: bool = False,
    time_limit: float | None = None,
    population_size: Any = None,
    **inputs: Any,
) -> Frontier:
    """Find the best release for every combination of several limits: risk against utility.

    ``limits`` has one or several limits by the name of a measure, ``max_suppression`` one or
    several shares or numbers of rows; the rest is as in :func:`petaudit.anonymize`, and
    ``time_limit`` is for each point. The table is counted once. Nothing is released.

    >>> import petaudit, pyarrow as pa
    >>> people = pa.table({"age": [str(age) for age in range(20, 60)]})
    >>> found = frontier(people, quasi_identifiers="age", limits={"k-anonymity": [2, 10, 50]},
    ...                  hierarchies={"age": petaudit.ranges(5, 10)})
    >>> [(point.limits["k-anonymity"], point.highest_risk) for point in found.points]
    [(2, 0.2), (10, 0.1), (50, None)]
    """
    refuse_unknown(inputs, "frontier", frontier.__signature__)  # type: ignore[attr-defined]
    check_choice("recoding", recoding, get_args(Recoding))
    grid = {name: _listed(values) for name, values in limits.items()}
    allowed = _listed(max_suppression)
    choices = [dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*grid.values())]
    if len(choices) * len(allowed) > _MOST_POINTS:
        raise OptionError(
            "these limits are {number:,} points; at most {most:,} are allowed",
            number=len(choices) * len(allowed),
            most=_MOST_POINTS,
        )
    # Mistakes in any of them are found before the first search.
    asked = [wanted_limits(chosen, options, None, population_size)[1] for chosen in choices]
    bounds = {name: read_bounds(name, level) for name, level in (levels or {}).items()}
    with unchanged():
        source = gather(table, announce_notes=False, **inputs)
        known, _ = with_hierarchies(source)
        base = Problem.of(
            known,
            asked[0],
            objective=objective,
            weights=weights,
            levels=bounds,
            suppressed="drop" if drop_suppressed else None,
        )
        if base.coarsened is not None:
            text = searched_from(base.coarsened.levels)
            warnings.warn(text, PetauditWarning, stacklevel=2)
        # Limits that become tighter from one point to the next share what was found out before.
        order = [*itertools.product(range(len(allowed)), range(len(asked)))]
        with stage(phrase("searching for the best levels")):
            at_points = dict(
                zip(
                    order,
                    best_at_points(
                        base,
                        [(asked[each], allowed[most]) for most, each in order],
                        with_local=recoding == "local",
                        time_limit=time_limit,
                        progress=say_progress,
                    ),
                    strict=True,
                )
            )
    points = [
        _point(chosen, str(most), at_points[place, each])
        for each, chosen in enumerate(choices)
        for place, most in enumerate(allowed)
    ]
    return Frontier(source.table.name, base.total, recoding, objective, tuple(points), source.files)


frontier.__signature__ = spelled_out(frontier, COMPARED)  # type: ignore[attr-defined]


def _point(limits: Mapping[str, Any], most: str, searched: SearchedPoint) -> Point:
    solution = searched.local or searched.solution
    if solution is None:
        return Point(limits, most)
    sizes = _people(solution)
    return Point(
        limits,
        most,
        solution.suppressed_rows,
        solution.value,
        solution.bound,
        solution.recoding == "global" and solution.is_optimal,
        float(1 / sizes.min()),
        float(len(sizes) / sizes.sum()),
    )


def _people(solution: Solution) -> Integers:
    """The people of every class that is released, or its rows where nobody tells people apart."""
    problem, classes = solution.problem, solution.classes
    if problem.suppressed == "class" and solution.is_suppressed.any():
        classes = np.where(solution.is_suppressed, classes.max() + 1, classes)
    if problem.people is None:
        kept = classes >= 0
        sizes = np.bincount(classes[kept], weights=problem.rows[kept]).astype(np.int64)
    else:
        pairs = np.stack([classes[problem.people.combination], problem.people.other])
        of_people = np.unique(pairs[:, pairs[0] >= 0], axis=1)[0]
        sizes = np.bincount(of_people).astype(np.int64)
    found: Integers = sizes[sizes > 0]
    return found


def _listed(values: Any) -> list[Any]:
    several = [*values] if isinstance(values, list | tuple | range) else [values]
    if not several:
        raise OptionError("a list of limits is empty")
    return several


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{short(100 * float(f'{value:.3g}'))} %"
