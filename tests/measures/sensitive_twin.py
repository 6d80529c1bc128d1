"""The models of sensitive attributes once more, straight from their definitions: slow, and exact.

Figures are fractions, infinity, or floats; verdicts are taken with whole numbers, or with
logarithms of 60 digits. What a null hides is tried out: of all tables that it could have been, the
least diverse one counts.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

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


def meant(cell: str | None) -> str | None:
    """What a sensitive cell says: a number by its value, a text as it reads aloud."""
    if cell is None:
        return None
    decomposed = unicodedata.normalize("NFKD", cell.casefold())
    letters = [each for each in decomposed if unicodedata.category(each) != "Cf"]
    text = re.sub(r"\s+", " ", "".join(letters)).strip()
    if re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", text):
        return f"number {Fraction(text)}"
    return text or None


def classes(
    rows: Sequence[Row],
    names: Sequence[str],
    sensitive: str,
    suppressed: str,
    every: Sequence[str] = (),
) -> list[TwinClass]:
    """The classes; suppressed rows are none where ``every`` sensitive cell of theirs is null."""
    table = tuple(meant(row[sensitive]) for row in rows)
    members: dict[tuple[str | None, ...], list[Row]] = {}
    for row in rows:
        members.setdefault(tuple(row[name] for name in names), []).append(row)
    hidden = members.get((STAR,) * len(names), [])
    tell = any(meant(row[name]) is not None for row in hidden for name in {*every, sensitive})
    if suppressed == "exclude" or not tell:
        members.pop((STAR,) * len(names), None)
    return [
        TwinClass(tuple(meant(row[sensitive]) for row in own), table) for own in members.values()
    ]


@cache
def completions(own: tuple[str | None, ...]) -> tuple[tuple[int, ...], ...]:
    """The counts of the values of a class, whatever its nulls are: its other values or a new one.

    Several new ones would be more diverse than one.
    """
    known = Counter(value for value in own if value is not None)
    nulls = own.count(None)
    result = {
        tuple(sorted((known + Counter(filled)).values()))
        for filled in combinations_with_replacement([*known, "a new one"], nulls)
    }
    return tuple(result)


def alpha(own: TwinClass) -> Fraction:
    return max(Fraction(counts[-1], own.rows) for counts in completions(own.own))


def distinct(own: TwinClass) -> Fraction:
    return Fraction(min(map(len, completions(own.own))))


def entropy(own: TwinClass) -> float:
    def of(counts: Sequence[int]) -> float:
        return -math.fsum(n / own.rows * math.log(n / own.rows) for n in counts)

    return math.exp(min(map(of, completions(own.own))))


def entropy_is_below(own: TwinClass, limit: Fraction) -> bool:
    """n^n / product of c^c < l^n, in whole numbers."""
    return any(
        Fraction(own.rows**own.rows, math.prod(count**count for count in counts)) < limit**own.rows
        for counts in completions(own.own)
    )


def recursive(own: TwinClass, least: int) -> Fraction | float:
    def of(counts: Sequence[int]) -> Fraction | float:
        rare = sum(counts[: max(len(counts) - least + 1, 0)])
        return Fraction(counts[-1], rare) if rare else math.inf

    return max(map(of, completions(own.own)))


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
