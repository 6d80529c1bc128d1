"""Is it more than coincidence? The same search against people whom the synthesizer never saw.

A synthetic row singles out somebody of any large enough table now and then. So the search is run
against a control table, and against samples of the original that are as large as the control. If
``o`` and ``c`` are the shares of synthetic rows that single out somebody, the excess is

    e = (o - c) / (1 - c) = 1 - (1 - o) / (1 - c),

the share of the rows that are safe among strangers and yet point at a person of the original: 0 if
the original is exposed no more than strangers are.

The interval. The synthetic table and the original are what they are; chance chose the people of
the control, and which rows of the original are in a sample. For a table of ``n`` people, the
variance of the share over that choice is estimated by a jackknife: the table is cut into parts at
random, and the share is found without each of them. Let ``V_c`` be the variance for the control,
and ``V_o`` the mean of those for the ``K`` disjoint samples out of ``N`` original rows. A sample
without replacement varies less the more of its table it holds, and a mean of ``K`` samples less by
that number, so

    Var(o) = V_o (1 - n / N) / K,    Var(c) = V_c,

and by the delta method Var(e) = (Var(o) + (1 - e)^2 Var(c)) / (1 - c)^2. (A control that is larger
than the original is sampled, too, and its variance divided by the number of samples.) To each
variance that of one row more or less is added, so that finding nobody at all does not count as
certainty. The interval is e plus and minus Student's quantile times the root, cut to 0..1; the
tests check by simulation that it covers the true excess as often as it should.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from petaudit.singling._arrays import Indices, Rows
from petaudit.singling._prepare import CONTROL, ORIGINAL, SYNTHETIC, samples_of
from petaudit.singling._replicates import MOST_PARTS, jackknife_variance

MOST_SAMPLES = 5
_Z = 1.959963984540054
_FEWEST_DEGREES = 5
"""With fewer, the variance is anybody's guess."""


@dataclass(frozen=True)
class Share:
    """A share of synthetic rows that single out somebody, and the variance of its estimate."""

    value: float
    variance: float
    degrees: int
    """Of freedom: how well the variance is known."""


@dataclass(frozen=True)
class Excess:
    """How much more the original is exposed than the control."""

    rate: float
    """Rows that single out a person of an equally large sample of the original, as a share."""
    control_rate: float
    value: float
    lower: float
    upper: float
    samples: int
    sample_rows: int
    is_known: bool = True
    """Whether there were people enough to tell anything."""


def compare(
    people: Sequence[int], replicate: Callable[[int, Rows, Rows], Indices | None], seed: int
) -> Excess | None:
    """Search the control and samples of the original; None if a search was stopped.

    ``people`` are the rows of each table without duplicates. ``replicate`` takes a table, a sample
    of these rows and a part for each, and gives the rows identified without each part, and with
    all of them, last.
    """
    size = min(people[ORIGINAL], people[CONTROL])
    if not size or not people[SYNTHETIC]:
        return None
    shares: list[Share] = []
    samples = 0
    for table in (ORIGINAL, CONTROL):
        found = []
        for sample in samples_of(people[table], size, MOST_SAMPLES, seed):
            counts = replicate(table, sample, parts_of(len(sample), seed))
            if counts is None:
                return None
            found.append(counts)
        # The control's own people are a choice as well, however many of them there are.
        population = people[table] if table == ORIGINAL else math.inf
        shares.append(share_of(found, people[SYNTHETIC], size, population))
        samples = samples or len(found)
    return excess(shares[0], shares[1], samples, size)


def parts_of(rows: int, seed: int) -> Rows:
    """A part for each target row, at random and as even as possible."""
    parts = np.arange(rows, dtype=np.uint32) % max(1, min(MOST_PARTS, rows))
    return np.random.default_rng(seed).permutation(parts)


def share_of(found: Sequence[Indices], rows: int, size: int, population: float) -> Share:
    """The mean share over samples of a size out of a population, from their replicates."""
    shares = [counts[-1] / rows for counts in found]
    spread = float(np.mean([jackknife_variance(counts[:-1] / rows) for counts in found]))
    variance = (spread + 1 / rows**2) * max(1 - size / population, 0.0) / len(found)
    return Share(float(np.mean(shares)), variance, min(len(counts) for counts in found) - 2)


def excess(original: Share, control: Share, samples: int, sample_rows: int) -> Excess:
    """The excess and its 95 % interval.

    >>> found = excess(Share(0.3, 0.0001, 49), Share(0.1, 0.0001, 49), 1, 500)
    >>> [round(figure, 4) for figure in (found.value, found.lower, found.upper)]
    [0.2222, 0.1939, 0.2505]
    """
    safe, safe_by_chance = 1 - original.value, 1 - control.value
    degrees = min(original.degrees, control.degrees)
    if safe_by_chance <= 0 or degrees < _FEWEST_DEGREES:
        # Everybody is singled out by coincidence, or there is next to nobody to compare with.
        guess = _share(1 - safe / safe_by_chance) if safe_by_chance > 0 else 0.0
        return Excess(
            original.value, control.value, guess, 0.0, 1.0, samples, sample_rows, is_known=False
        )
    value = 1 - safe / safe_by_chance
    variance = (original.variance + (1 - value) ** 2 * control.variance) / safe_by_chance**2
    half = students_quantile(degrees) * math.sqrt(variance)
    return Excess(
        original.value,
        control.value,
        _share(value),
        _share(value - half),
        _share(value + half),
        samples,
        sample_rows,
    )


def _share(figure: float) -> float:
    return min(max(figure, 0.0), 1.0)


def students_quantile(degrees: int) -> float:
    """The quantile of 97.5 % of Student's distribution, by its expansion around the normal one.

    >>> round(students_quantile(10), 2), round(students_quantile(49), 2)
    (2.23, 2.01)
    """
    z, n = _Z, degrees
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
