"""The nearest rows of one table for every row of another: exactly, with all ties.

Rows that are equal in the columns looked at are searched once and count several times. A tree skips
what is too far away; where that does not pay, because there are few rows or they are all alike, all
rows are looked at. Which of the two is tried out on a few rows, and the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.attacks.kernels import LEAF, count_within, enclose, first_equal, grow
from petaudit.attacks.kernels import nearest as nearest_rows
from petaudit.attacks.mixed_rows import MixedRows, Steps, Weights
from petaudit.errors import phrase
from petaudit.singling.kernels import Indices
from petaudit.system.progress import advance
from petaudit.system.threads import available_threads

Search: TypeAlias = Literal["auto", "tree", "all"]
_TRIED: Final = 64
"""Rows that the tree is tried out on."""
_AT_ONCE: Final = 4096
"""Rows of a block: threads take one after the other."""
_COST: Final = 2
"""A row that a tree leads to costs about so much more than the next one of all."""


@dataclass(frozen=True)
class Neighbours:
    """What is nearest to each row."""

    distance: Weights
    """A whole number; the unit of :class:`MixedRows` is what two different categories differ by."""
    second: Weights
    """The distance of the second nearest row; infinite where there is none, or nobody asked."""
    ties: Indices
    """How many rows are as near as the nearest."""
    hits: Indices
    """How many of these have the secret of the row."""

    def among_more(self, other: Neighbours) -> Neighbours:
        """What is nearest to the same rows where further ones are searched, too.

        >>> one = Neighbours(*map(np.array, ([3.0, 1.0], [4.0, 1.0], [1, 2], [1, 0])))
        >>> other = Neighbours(*map(np.array, ([3.0, 5.0], [9.0, 6.0], [1, 1], [0, 1])))
        >>> more = one.among_more(other)
        >>> [part.tolist() for part in (more.distance, more.second, more.ties, more.hits)]
        [[3.0, 1.0], [3.0, 1.0], [2, 2], [1, 0]]
        """
        distance = np.minimum(self.distance, other.distance)
        # The second of all is that of one side, or the nearest of the side that is farther.
        second = np.minimum(
            np.minimum(self.second, other.second), np.maximum(self.distance, other.distance)
        )
        is_own, is_other = self.distance == distance, other.distance == distance
        ties = self.ties * is_own + other.ties * is_other
        hits = self.hits * is_own + other.hits * is_other
        return Neighbours(distance, second, ties, hits)

    @classmethod
    def of_all(cls, parts: Sequence[Neighbours]) -> Neighbours:
        """What is nearest to the rows of several blocks, one block after the other."""
        if len(parts) == 1:
            return parts[0]
        names = [each.name for each in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class Secret:
    """A column that is guessed from the nearest rows."""

    column: str
    tolerance: float = 0.0
    """What a number may be off, as a share of it."""


class Tree:
    """The different ones of some rows in some columns, sorted so that near ones are together."""

    def __init__(
        self, rows: MixedRows, part: slice, columns: Sequence[int], secret: Secret | None = None
    ) -> None:
        self.columns, self.secret = [*columns], secret
        points, secrets, _ = _points(rows, part, self.columns, secret)
        # Rows with different secrets are different.
        which, _, counts = different_rows(_with_secret(points, secrets, secret))
        points = points[which] if len(which) < len(points) else points
        self.weights, self.unit = rows.weights[self.columns], rows.unit
        self.is_category = rows.is_category[self.columns].astype(np.uint8)
        self.nulls = rows.nulls[self.columns]
        order = np.arange(len(which))
        nodes = [np.empty(2 * len(which) + 1, np.int64) for _ in range(3)]
        many = grow(points, self.weights, self.unit, self.is_category, order, *nodes)
        self.nodes: list[Any] = [part[:many].copy() for part in nodes]
        shape = (many, len(self.columns))
        self.nodes += [np.empty(shape, kind) for kind in (np.int32, np.int32, np.uint64)]
        points = points[order]
        enclose(points, self.is_category, self.nulls, *self.nodes)
        self.cells: Steps = np.ascontiguousarray(points.T)
        self.counts, self.secrets = counts[order], secrets[which][order]

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return (
            self.cells, self.counts, *self.nodes, self.weights, self.unit, self.is_category,
            self.nulls,
        )  # fmt: skip

    def nearest(
        self,
        rows: MixedRows,
        part: slice,
        *,
        second: bool = False,
        search: Search = "auto",
        threads: int | None = None,
    ) -> Neighbours:
        """Find the rows that are nearest to those of a part."""
        points, wanted, tolerances = _points(rows, part, self.columns, self.secret)
        which, places, _ = different_rows(_with_secret(points, wanted, self.secret))
        if len(which) < len(points):
            points, wanted, tolerances = points[which], wanted[which], tolerances[which]
        many = len(points)
        kinds = (np.float64, np.float64, np.int64, np.int64)
        results: list[Any] = [np.empty(many, kind) for kind in kinds]

        def look(some: slice, by_tree: bool) -> int:
            given = (self.secrets, wanted[some], tolerances[some], second, by_tree)
            arguments = [points[some], *self._arrays, *given, *(each[some] for each in results)]
            return nearest_rows(*arguments)

        by_tree = search == "tree"
        if search == "auto" and len(self.counts) > LEAF:
            tried = slice(0, None, max(many // _TRIED, 1))
            looked_at = look(tried, True)
            by_tree = looked_at * _COST < len(range(many)[tried]) * len(self.counts)
        in_blocks(many, lambda some: look(some, by_tree), threads)
        return Neighbours(*(each[places] for each in results))

    def within(
        self, rows: MixedRows, part: slice, radii: Weights, *, threads: int | None = None
    ) -> tuple[Indices, Indices]:
        """Count the rows that are nearer to those of a part than a radius, and those at it."""
        points, _, _ = _points(rows, part, self.columns, None)
        nearer, level = np.empty(len(points), np.int64), np.empty(len(points), np.int64)

        def look(some: slice) -> None:
            given = [points[some], *self._arrays, radii[some], nearer[some], level[some]]
            count_within(*given)

        in_blocks(len(points), look, threads)
        return nearer, level


def _points(
    rows: MixedRows, part: slice, columns: Sequence[int], secret: Secret | None
) -> tuple[Steps, Steps, Weights]:
    """Some rows in some columns, their secrets, and what a guess of these may be off."""
    points = np.ascontiguousarray(rows.steps[[*columns], part].T)
    secrets, tolerances = np.zeros(len(points), np.int32), np.zeros(len(points))
    if secret is not None:
        place = rows.columns.index(secret.column)
        secrets = rows.steps[place, part]
        if secret.tolerance and not rows.is_category[place]:
            smallest, size = rows.scales[place]
            is_null = secrets == rows.nulls[place]
            allowed = np.abs(smallest / size + secrets) * secret.tolerance
            # What is exactly as far off as it may be must not fail by rounding.
            tolerances = np.where(is_null, 0.0, allowed * (1 + 1e-12))
    return points, secrets, tolerances


def _with_secret(points: Steps, secrets: Steps, secret: Secret | None) -> Steps:
    """What rows are told apart by: their columns, and their secrets where one is guessed."""
    return points if secret is None else np.column_stack([points, secrets])


def different_rows(rows: npt.NDArray[Any]) -> tuple[Indices, Indices, Indices]:
    """The first of each group of equal rows, the place of each row's group, and their sizes.

    >>> [part.tolist() for part in different_rows(np.array([[1, 5], [2, 5], [1, 5]]))]
    [[0, 1], [0, 1, 0], [2, 1]]
    """
    first = np.empty(len(rows), np.int64)
    first_equal(rows, np.full(2 * len(rows) + 1, -1, np.int64), first)
    is_first = first == np.arange(len(rows))
    places = (np.cumsum(is_first) - 1)[first]
    which = np.flatnonzero(is_first)
    return which, places, np.bincount(places, minlength=len(which))


def in_blocks(many: int, look: Callable[[slice], object], threads: int | None) -> None:
    """Look at rows block by block, in threads: each writes what belongs to its own rows."""
    starts = range(0, many, _AT_ONCE)
    what = phrase("the nearest rows")
    with ThreadPoolExecutor(threads or available_threads()) as pool:
        blocks = pool.map(lambda start: look(slice(start, start + _AT_ONCE)), starts)
        for done, _ in enumerate(blocks, 1):
            advance(what, done, len(starts))
