"""A control must be other people: how many of its rows are rows of the original?

In a table of few values strangers have equal rows, too. So rows are looked at that two people have
in all: if the tables were cut at random out of one, with shares ``f`` and ``1 - f`` of the people,
two such people would be in different tables with probability ``q = 2 f (1 - f)``. Let ``b`` be the
rows that two people of the same table have: ``b q / (1 - q)`` more are expected with one person in
either table. What there are beyond that are people who are in both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from petaudit.errors import InputError, Phrase, counted, phrase
from petaudit.singling._arrays import Rows

SAME_TABLE: Final = phrase(
    "the control is the very table that was learned from; it must be other people"
)
_FEW: Final = 3
_ERRORS: Final = 2.5
"""Standard errors that chance may add."""


@dataclass(frozen=True)
class Overlap:
    """How many different rows occur how often in the original, and in the control."""

    rows: Mapping[tuple[int, int], int]

    @property
    def is_same(self) -> bool:
        """Whether the control has the very rows of the original, in whatever order."""
        return bool(self.rows) and all(one == other for one, other in self.rows)

    @property
    def shared(self) -> int:
        """Rows that one person has in either table."""
        return self.rows.get((1, 1), 0)

    @property
    def by_chance(self) -> tuple[float, float]:
        """How many of them strangers would share, and the standard error of more than that."""
        people = [sum(pair[side] * many for pair, many in self.rows.items()) for side in (0, 1)]
        total = sum(people)
        apart = 2 * people[0] * people[1] / max(total * (total - 1), 1)
        odds = apart / (1 - apart) if apart < 1 else 1.0
        expected = odds * (self.rows.get((2, 0), 0) + self.rows.get((0, 2), 0))
        return expected, math.sqrt(expected * (1 + odds))

    @property
    def known_people(self) -> int:
        """How many people of the control are in the original beyond what chance explains."""
        expected, error = self.by_chance
        extra = self.shared - expected
        return round(extra) if extra > _FEW + _ERRORS * error else 0

    @property
    def is_most(self) -> bool:
        """Whether these are most of those in the control who could be told apart."""
        alone = self.rows.get((1, 1), 0) + self.rows.get((0, 1), 0)
        return 2 * self.known_people > alone


def overlap_of(first: Rows, original: int) -> Overlap:
    """The overlap of two tables, from the first row that is equal to each, in both together.

    >>> overlap_of(np.array([0, 1, 1, 0, 4], np.uint32), original=3).rows
    {(0, 1): 1, (1, 1): 1, (2, 0): 1}
    """
    many = len(first)
    counts = [np.bincount(part, minlength=many) for part in (first[:original], first[original:])]
    is_there = (counts[0] + counts[1]) > 0
    pairs, rows = np.unique(np.stack(counts)[:, is_there], axis=1, return_counts=True)
    return Overlap(
        {(one, other): own for one, other, own in zip(*pairs.tolist(), rows.tolist(), strict=True)}
    )


def checked_control(overlap: Overlap) -> tuple[Phrase, ...]:
    """Refuse a control that is the original or mostly is; a warning where some people are."""
    if overlap.is_same:
        raise InputError(SAME_TABLE)
    known = overlap.known_people
    if not known:
        return ()
    if overlap.is_most:
        raise InputError(
            "most rows of the control are rows of the original ({rows}); it must be other people",
            rows=counted(known, "row"),
        )
    return (
        phrase(
            "{rows} of the control are rows of the original, more than chance explains: the "
            "control must be other people, and the excess is too low",
            rows=counted(known, "row"),
        ),
    )
