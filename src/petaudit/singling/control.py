"""Is it more than coincidence? The same search against people whom the synthesizer never saw.

A synthetic row singles out somebody of any large enough table now and then. So the search is run
against a control table, and against samples of the original that are as large as the control. If
``o`` and ``c`` are the shares of synthetic rows that single out somebody, the excess is

    e = (o - c) / (1 - c) = 1 - (1 - o) / (1 - c),

the share of those rows that would be safe by coincidence but are not: 0 if the original is exposed
no more than strangers are, 1 if every row points at a person of the original.

The interval. Each share gets a Wilson interval with an effective number of rows: several synthetic
rows may point at the same person, and such rows stand or fall together. If row ``i`` is identified
in a share ``a_i`` of the ``K`` samples and ``m_j`` rows point at person ``j`` of a sample, the
variance of the mean is estimated as

    V = (sum_i (a_i - o)^2 + sum_j m_j (m_j - 1) / K^2) / n^2,

and the effective number is o (1 - o) / V, at most ``n``. The limits of the ratio follow from those
of the two shares by the method of variance estimates recovery (Donner and Zou 2012), which keeps
its coverage where counts are small or zero and a normal approximation would claim certainty. That
both shares come from the same synthetic rows makes them vary together, which is left out of
account: the interval is rather too wide than too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from petaudit.singling._arrays import Rows
from petaudit.singling._partition import Pair
from petaudit.singling._prepare import CONTROL, ORIGINAL, Prepared, samples_of

MOST_SAMPLES = 5
_Z = 1.959963984540054


@dataclass(frozen=True)
class Share:
    """A share of synthetic rows that single out somebody, with its effective number of rows."""

    value: float
    effective_rows: float

    def interval(self) -> tuple[float, float]:
        """The Wilson interval of 95 %.

        >>> low, high = Share(0.0, 100).interval()
        >>> low, round(high, 3)
        (0.0, 0.037)
        """
        n, p = self.effective_rows, self.value
        if n <= 0:
            return 0.0, 1.0
        middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
        return max(0.0, middle - half) if p > 0 else 0.0, min(1.0, middle + half) if p < 1 else 1.0


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


def compare(
    prepared: Prepared,
    identify: Callable[[Pair], tuple[Rows, Rows] | None],
    seed: int,
) -> Excess | None:
    """Search the control and samples of the original; None if a search was stopped.

    ``identify`` gives the identified synthetic rows of a pair and the target rows they point at.
    """
    rows = prepared.tables.rows
    size = min(rows[ORIGINAL], rows[CONTROL])
    synthetic = len(prepared.kept[0])
    if not size or not synthetic:
        return None
    shares, many = [], 0
    for table in (ORIGINAL, CONTROL):
        found = []
        for sample in samples_of(rows[table], size, MOST_SAMPLES, seed):
            own = identify(prepared.pair(table, sample))
            if own is None:
                return None
            found.append(own)
        shares.append(share_of(found, synthetic))
        many = many or len(found)
    return excess(shares[0], shares[1], many, size)


def share_of(found: Sequence[tuple[Rows, Rows]], rows: int) -> Share:
    """The mean share over samples, given the rows identified in each and whom they point at."""
    per_row = np.zeros(rows)
    shared = 0.0
    for identified, targets in found:
        per_row[identified] += 1 / len(found)
        pointed_at: npt.NDArray[np.float64] = np.bincount(targets).astype(float)
        shared += float((pointed_at * (pointed_at - 1)).sum()) / len(found) ** 2
    value = min(float(per_row.mean()), 1.0)
    spread = float(((per_row - value) ** 2).sum()) + shared
    if spread <= 0:
        return Share(value, rows)
    return Share(value, min(value * (1 - value) * rows**2 / spread, rows) or float(rows))


def excess(original: Share, control: Share, samples: int, sample_rows: int) -> Excess:
    """The excess and its 95 % interval.

    >>> round(excess(Share(0.3, 1000), Share(0.1, 1000), 1, 500).value, 4)
    0.2222
    """
    safe, safe_by_chance = 1 - original.value, 1 - control.value
    if safe_by_chance <= 0:
        # Everybody is singled out by coincidence: there is nothing that could be exceeded.
        return Excess(original.value, control.value, 0.0, 0.0, 1.0, samples, sample_rows)
    low, high = _ratio_interval(safe, _complement(original), safe_by_chance, _complement(control))
    value = 1 - safe / safe_by_chance
    return Excess(
        original.value,
        control.value,
        min(max(value, 0.0), 1.0),
        min(max(1 - high, 0.0), 1.0),
        min(max(1 - low, 0.0), 1.0),
        samples,
        sample_rows,
    )


def _complement(share: Share) -> tuple[float, float]:
    low, high = share.interval()
    return 1 - high, 1 - low


def _ratio_interval(
    up: float, up_limits: tuple[float, float], down: float, down_limits: tuple[float, float]
) -> tuple[float, float]:
    """Limits of a ratio from those of its parts (Donner and Zou 2012, equation 9)."""
    up_low, up_high = up_limits
    down_low, down_high = down_limits
    product = up * down

    def limit(own: float, other: float, sign: int) -> float:
        bottom = other * (2 * down - other)
        root = max(product**2 - own * other * (2 * up - own) * (2 * down - other), 0.0)
        return (product + sign * math.sqrt(root)) / bottom if bottom > 0 else math.inf

    low = limit(up_low, down_high, -1)
    return max(low, 0.0) if math.isfinite(low) else 0.0, limit(up_high, down_low, 1)
