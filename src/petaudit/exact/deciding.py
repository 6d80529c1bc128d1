"""Whether excess risks keep a limit: passed, breached, or neither.

A limit is kept where the upper end of every 95 % interval keeps it: to pass wrongly, one of them
has to be wrong, so several attacks need no correction for that. It is broken where a lower end is
above it; of several attacks one will be by chance, so those are corrected after Holm (S. Holm: A
simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979).
Otherwise nothing is decided, and more people of the control may decide it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

from petaudit.exact.excess import Excess, Successes, excess

_ERROR: Final = 0.025
"""The probability of a false alarm."""
_SURE: Final = 3.290526731491926
"""Standard errors: a control exposed more than the original by as much is of other people."""
_MOST: Final = 10**9


def breaches(attacks: Sequence[Excess], limit: float) -> list[bool]:
    """Which attacks break a limit, corrected for how many there are.

    >>> def attack(exposed): return excess(Successes(1000, exposed), Successes(1000, 100))
    >>> breaches([attack(140)], 0.01), breaches([attack(140), attack(100), attack(100)], 0.01)
    ([True], [False, False, False])
    """
    order = sorted(range(len(attacks)), key=lambda place: -_evidence(attacks[place], limit))
    broken = [False] * len(attacks)
    for step, place in enumerate(order):
        z = NormalDist().inv_cdf(1 - _ERROR / (len(attacks) - step))
        attack = attacks[place]
        if attack.has_few_people or excess(attack.original, attack.control, z).lower <= limit:
            break
        broken[place] = True
    return broken


def keeps(attack: Excess, limit: float) -> bool:
    """Whether an interval shows that a limit is kept, by a control that can be compared with.

    >>> keeps(excess(Successes(1000, 100), Successes(1000, 100)), 0.09)
    True
    >>> keeps(excess(Successes(1000, 100), Successes(1000, 300)), 0.09)
    False
    """
    if limit >= 1:
        # No share of people is larger.
        return True
    return attack.upper <= limit and not attack.has_few_people and is_comparable(attack)


def is_comparable(attack: Excess) -> bool:
    """Whether the control is not exposed more than the original beyond all doubt."""
    return excess(attack.original, attack.control, _SURE).upper >= 0


def people_needed(attack: Excess, limit: float) -> int | None:
    """How many people of the control would decide, if rates stay; None if no number would.

    >>> people_needed(excess(Successes(5000, 500), Successes(100, 10)), 0.05)
    111
    """
    control = attack.control

    def decides(people: int) -> bool:
        more = Successes(people, control.share * people)
        tried = excess(attack.original, more)
        return tried.upper <= limit or tried.lower > limit

    if control.share >= 1 or not control.people or not decides(_MOST):
        return None
    low, high = control.people, _MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle + 1, high)
    return low


def _evidence(attack: Excess, limit: float) -> float:
    """How many standard errors, about, an excess is above a limit."""
    if not math.isfinite(attack.lower) or math.isnan(attack.value):
        return -math.inf
    return (attack.value - limit) / max(attack.value - attack.lower, 1e-300)
