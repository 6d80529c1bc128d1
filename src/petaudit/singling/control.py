"""Is it more than coincidence? The same search for people whom the synthesizer never saw.

A synthetic row singles out somebody of any large enough table now and then. So the search is run
for samples of the original that are as large as the control, and for the people of the control, and
people are counted: who is singled out by some synthetic row, with some combination. (Counting
synthetic rows would clear copies: a copied row keeps rows like it from being unique.) With ``t``
and ``c``, the shares of the original's and the control's people, the excess is
e = 1 - (1 - t) / (1 - c); see :mod:`petaudit.exact.excess` for its interval.

Alone among whom? Everybody among the same people, those of the sample: a person of the control is
looked at as if they, and nobody else, were there in addition. Would the control's people be looked
at among themselves, a copied row, whose owner is not there, would point at a stranger alone, and in
the original at its owner and the stranger both: copies would be played down (0.25 for 30 % of
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
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from petaudit.exact.excess import Excess, Successes, excess
from petaudit.singling._arrays import Indices
from petaudit.singling._prepare import CONTROL, ORIGINAL
from petaudit.tables.joint.store import Exposed

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
    found = []
    for sample in samples:
        own = exposed(sample)
        if own is None:
            return None
        found.append(own)
    people, nearly, strangers, nearly_strangers = (sum(own) for own in zip(*found, strict=True))
    drawn = sum(map(len, samples))
    competing = max(nearly / drawn, nearly_strangers / (entries[CONTROL] * len(samples)))
    # Who is alone is in no pair.
    competing = min(_FOR_FEW * competing, 1 - people / drawn)
    return excess(
        Successes(drawn, people, competing),
        # They are the same people beside every sample.
        Successes(entries[CONTROL], strangers / len(samples)),
    )


def samples_of(people: int, most: int, seed: int) -> list[Indices]:
    """Disjoint samples of so many people at the most, each sorted; a few, and one at least.

    >>> [own.tolist() for own in samples_of(5, 2, seed=1)]
    [[1, 4], [0, 3]]
    """
    size = min(people, most)
    shuffled = np.random.default_rng([seed, _STREAM]).permutation(people)
    number = min(people // size, _MOST_SAMPLES)
    return [np.sort(shuffled[place * size : (place + 1) * size]) for place in range(number)]
