"""The models of sensitive attributes once more, straight from their definitions: slow, and exact.

Figures are fractions, infinity, or floats; verdicts are taken with whole numbers, or with
logarithms of 60 digits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

Row = Mapping[str, str | None]
STAR = "*"


@dataclass(frozen=True)
class TwinClass:
    """The sensitive values of a class, beside those of the whole table."""

    own: tuple[str | None, ...]
    table: tuple[str | None, ...]

    @property
    def rows(self) -> int:
        return len(self.own)

    def p(self, value: str | None) -> Fraction:
        return Fraction(self.own.count(value), len(self.own))

    def q(self, value: str | None) -> Fraction:
        return Fraction(self.table.count(value), len(self.table))


def classes(
    rows: Sequence[Row], names: Sequence[str], sensitive: str, suppressed: str
) -> list[TwinClass]:
    table = tuple(row[sensitive] for row in rows)
    members: dict[tuple[str | None, ...], list[str | None]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        if suppressed == "class" or any(label != STAR for label in key):
            members.setdefault(key, []).append(row[sensitive])
    return [TwinClass(tuple(own), table) for own in members.values()]


def alpha(own: TwinClass) -> Fraction:
    return max(own.p(value) for value in own.own)


def distinct(own: TwinClass) -> Fraction:
    return Fraction(len(set(own.own)))


def entropy(own: TwinClass) -> float:
    return math.exp(-math.fsum(float(p) * math.log(p) for p in map(own.p, set(own.own))))


def entropy_is_below(own: TwinClass, limit: Fraction) -> bool:
    """n^n / product of c^c < l^n, in whole numbers."""
    counts = Counter(own.own).values()
    values = Fraction(own.rows**own.rows, math.prod(count**count for count in counts))
    return values < limit**own.rows


def recursive(own: TwinClass, least: int) -> Fraction | float:
    counts = sorted(Counter(own.own).values(), reverse=True)
    rare = sum(counts[least - 1 :])
    return Fraction(counts[0], rare) if rare else math.inf


def gains(own: TwinClass) -> dict[str | None, Fraction]:
    return {v: (own.p(v) - own.q(v)) / own.q(v) for v in set(own.table) if own.p(v) > own.q(v)}


def beta(own: TwinClass) -> Fraction:
    return max(gains(own).values(), default=Fraction(0))


def enhanced_beta(own: TwinClass) -> Fraction | float:
    holds = all(to_decimal(gain) <= -natural_log(own.q(v)) for v, gain in gains(own).items())
    return beta(own) if holds else math.inf


def delta_ratio(own: TwinClass, absent: str) -> Fraction | float:
    """The ratio whose logarithm is delta."""
    if absent == "infinite" and set(own.table) != set(own.own):
        return math.inf
    ratios = [own.p(value) / own.q(value) for value in set(own.own)]
    return max(max(ratio, 1 / ratio) for ratio in ratios)


def delta(own: TwinClass, base: str, absent: str) -> float:
    ratio = delta_ratio(own, absent)
    if isinstance(ratio, float):
        return ratio
    # The exact cases are exact: log2 of a power of two.
    return math.log2(ratio) if base == "2" else math.log(ratio)


_SHORT = 1000


def delta_is_below(own: TwinClass, limit: Fraction, base: str, absent: str) -> bool:
    ratio = delta_ratio(own, absent)
    if isinstance(ratio, float):
        return False
    if base == "2" and limit.denominator <= _SHORT:
        return bool(ratio**limit.denominator < Fraction(2) ** limit.numerator)
    # A long fraction is never the logarithm itself, and 60 digits tell them apart.
    times = natural_log(Fraction(2)) if base == "2" else Decimal(1)
    return natural_log(ratio) < to_decimal(limit) * times


def natural_log(ratio: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()


def to_decimal(ratio: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(ratio.numerator) / Decimal(ratio.denominator)
