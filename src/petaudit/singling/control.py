"""Is it more than coincidence? The same search for a control: holdout records not trained on.

A synthetic row singles out somebody of any large enough table now and then. So the search is run
for samples of the original that are as large as the control, and for the people of the control, and
people are counted: who is singled out by some synthetic row, with some combination. (Counting
synthetic rows would clear copies: a copied row keeps rows like it from being unique.) With ``t``
and ``c``, the shares of the original's and the control's people, the excess is
e = 1 - (1 - t) / (1 - c); see :mod:`petaudit.exact.excess` for its interval.

Alone among whom? Everybody among the same people, those of the sample: a person of the control is
looked at as if they, and nobody else, were there in addition. Would the control's people be looked
at among themselves, a copied row, whose owner is not there, would point at somebody else alone,
and in the original at its owner and them both: copies would be played down (0.25 for 30 % of
Adult's people).

Variance. Beside a given sample, people of the control are singled out independently of each other.
Those of the sample compete: whether somebody is alone depends on who else was drawn. If ``p`` is
the share of people who are not alone, but would be without one other person, the difference of
``t`` and the probability that somebody else is alone beside the sample has a variance of
(t (1 - t) + p) / people: W. W. Esty: A normal limit law for a nonparametric estimator of the
coverage of a random sample. Annals of Statistics 11(3), 1983. The share ``p`` is that of the sample
or that of the control, whichever is larger: where many are alone by chance, few are in pairs. It
counts half as much again, which only matters where few people are singled out. Tests check by
simulation that the interval covers the true excess as often as it should.

A control must be other people: how many of its rows are rows of the original? In a table of few
values strangers have equal rows, too. So rows are looked at that two people have in all: if the
tables were cut at random out of one, with shares ``f`` and ``1 - f`` of the people, two such people
would be in different tables with probability ``q = 2 f (1 - f)``. Let ``b`` be the rows that two
people of the same table have: ``b q / (1 - q)`` more are expected with one person in either table.
What there are beyond that are people who are in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from petaudit.errors import InputError, Phrase, counted, phrase
from petaudit.exact.excess import Excess, Successes, excess

if TYPE_CHECKING:
    from petaudit.singling.kernels import Indices, Rows
    from petaudit.tables.joint.store import Exposed

SYNTHETIC, ORIGINAL, CONTROL = range(3)
"""The place of each table among the encoded ones."""
SAME_TABLE: Final = phrase("the control is the training table itself; it must be of other people")
_FEW: Final = 3
_ERRORS: Final = 2.5
"""Standard errors that chance may add."""
_MOST_SAMPLES: Final = 5
_FOR_FEW: Final = 1.5
"""A share of few people is skewed, because pairs part and meet: by simulation, false alarms of 4 %
become 3 %."""
_STREAM: Final = 0x9E7A0D17
"""Somebody may have drawn the rows that they copied with the same seed."""


def compare(
    entries: Sequence[int], exposed: Callable[[Indices], Exposed | None], seed: int
) -> Excess | None:
    """Compare the original with the control; None if there is nobody, or a search was stopped.

    ``entries`` are how many people each table has. ``exposed`` counts who of a sample of the
    original's is singled out, and who of the control beside it.
    """
    if not all(entries):
        return None
    samples = samples_of(entries[ORIGINAL], entries[CONTROL], seed)
    counts = []
    for sample in samples:
        count = exposed(sample)
        if count is None:
            return None
        counts.append(count)
    people, nearly, control, nearly_control = (sum(each) for each in zip(*counts, strict=True))
    drawn = sum(map(len, samples))
    competing = max(nearly / drawn, nearly_control / (entries[CONTROL] * len(samples)))
    # Who is alone is in no pair.
    competing = min(_FOR_FEW * competing, 1 - people / drawn)
    return excess(
        Successes(drawn, people, competing),
        # They are the same people beside every sample.
        Successes(entries[CONTROL], control / len(samples)),
    )


def samples_of(people: int, most: int, seed: int) -> list[Indices]:
    """A few disjoint samples, at least one, of at most ``most`` people each, sorted.

    >>> [sample.tolist() for sample in samples_of(5, 2, seed=1)]
    [[1, 4], [0, 3]]
    """
    size = min(people, most)
    shuffled = np.random.default_rng([seed, _STREAM]).permutation(people)
    number = min(people // size, _MOST_SAMPLES)
    return [np.sort(shuffled[place * size : (place + 1) * size]) for place in range(number)]


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
    def _people(self) -> tuple[int, int]:
        one, other = (sum(pair[side] * many for pair, many in self.rows.items()) for side in (0, 1))
        return one, other

    @property
    def by_chance(self) -> tuple[float, float]:
        """How many of them strangers would share, and the standard error of more than that."""
        people = self._people
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
    def copied_people(self) -> int:
        """The same where the first table is synthetic; 0 if its repeated rows were taken out.

        Drawn from whatever distribution, it shares no more rows than strangers of the same one; but
        without the rows that it should have twice, these look like shared ones.
        """
        one, other = self._people
        expected = self.rows.get((0, 2), 0) * (one / max(other, 1)) ** 2
        is_thinned = expected > _FEW and not any(times > 1 for times, _ in self.rows)
        return 0 if is_thinned else self.known_people

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
    return Overlap(dict(zip(zip(*pairs.tolist(), strict=True), rows.tolist(), strict=True)))


def checked_control(overlap: Overlap) -> tuple[Phrase, ...]:
    """Refuse a control that is the original or mostly is; a warning where some people are."""
    if overlap.is_same:
        raise InputError(SAME_TABLE)
    known = overlap.known_people
    if not known:
        return ()
    if overlap.is_most:
        raise InputError(
            "most rows of the control are rows of the original ({rows}); the control must be of "
            "other people",
            rows=counted(known, "row"),
        )
    return (
        phrase(
            "{rows} of the control are rows of the original, more than chance explains: the "
            "control must be of other people, and the excess is too low",
            rows=counted(known, "row"),
        ),
    )
