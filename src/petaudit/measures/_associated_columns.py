"""The columns of two tables as associations are measured between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from petaudit.exact.association import Floats, WholeColumn, doubled_ranks
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import LeavesUnder
from petaudit.labels.numbers import Bools, Integers, Whole, decimal_of, in_common_units
from petaudit.measures._comparison import leaves_under, the_original
from petaudit.tables import TableCounts, ValueCounts
from petaudit.tables.column_values import Codes, column_codes
from petaudit.tables.scales import NUMBERS, Scale, scale_of

NumbersAndRanks: TypeAlias = tuple[WholeColumn, WholeColumn]

_EXACT_FLOAT: Final = 1 << 53
_EXACT_POWER: Final = 22
"""Ten to the power of this is exact as a float."""
_MOST_ROWS_HELD: Final = 100_000
_LARGEST: Final = 1 << 31
"""Products of larger numbers are too large to be added up in 64 bits."""


@dataclass(frozen=True)
class AssociatedColumn:
    """A column of one table, and what is known of each label."""

    name: str
    counts: TableCounts
    codes: Codes | None
    """The label of each row; None where rows live elsewhere."""
    known: Bools
    """Whether a label says anything: ``*`` does not, nor does a null among numbers."""
    numbers: Floats | None
    whole: Integers | None = None
    """The same as whole numbers of some unit from 0 on, where 64 bits hold them."""

    @property
    def is_constant(self) -> bool:
        """Whether all rows that count have the same value."""
        if self.numbers is None:
            return int(np.count_nonzero(self.known)) < 2
        return len(np.unique(self.numbers[self.known])) < 2

    def numbers_and_ranks(self, chosen: Bools | None = None) -> NumbersAndRanks:
        """The numbers of all rows or of some, and twice their ranks."""
        assert self.codes is not None  # noqa: S101 (asked only of tables that are here)
        if chosen is None and len(self.codes) <= _MOST_ROWS_HELD:
            return self._held
        return self._numbers_and_ranks(self.codes if chosen is None else self.codes[chosen])

    @cached_property
    def _held(self) -> NumbersAndRanks:
        """Held for small tables, where every other column asks for the same."""
        assert self.codes is not None  # noqa: S101
        return self._numbers_and_ranks(self.codes)

    def _numbers_and_ranks(self, codes: Codes) -> NumbersAndRanks:
        assert self.whole is not None  # noqa: S101
        ranks = doubled_ranks(self.whole, codes)
        return WholeColumn.of(self.whole[codes]), WholeColumn.of(ranks[codes])


Sides: TypeAlias = tuple[AssociatedColumn, AssociatedColumn]
"""A column of the original and of the table."""


def both_sides(inputs: Inputs, names: Sequence[str]) -> dict[str, Sides]:
    """The columns of the original and of the table; numbers only where both can be read so."""
    original = the_original(inputs)
    tables = (original, inputs.table)
    codes = [{} if own.counts.is_remote else column_codes(own, names) for own in tables]
    found: dict[str, Sides] = {}
    for name in names:
        under = leaves_under(inputs, name)
        values = [table.counts.value_counts(name) for table in tables]
        known = [_known(own, under) for own in values]
        numbers = _numbers_of_both(values, known, under)
        sides = [
            AssociatedColumn(name, table.counts, own.get(name), *read)
            for table, own, read in zip(tables, codes, numbers, strict=True)
        ]
        found[name] = (sides[0], sides[1])
    return found


def _known(values: ValueCounts, under: LeavesUnder | None) -> Bools:
    """Which labels say something."""
    silent = (SUPPRESSED, *(() if under is None else under.silent))
    found = np.ones(len(values.labels), dtype=bool)
    for label in silent:
        if label in values.labels:
            found[values.labels.index(label)] = False
    return found


def _numbers_of_both(
    values: Sequence[ValueCounts], known: Sequence[Bools], under: LeavesUnder | None
) -> list[tuple[Bools, Floats | None, Integers | None]]:
    """Which labels count in each table, and as which numbers; no numbers where one has none."""
    as_labels: list[tuple[Bools, Floats | None, Integers | None]] = [
        (own, None, None) for own in known
    ]
    # The original decides; only the released table has labels that stand for several.
    scale = scale_of(values[0], values[1], decimal_of, () if under is None else under.silent)
    if scale is None:
        return as_labels
    middles = None if under is None else _Middles(under, scale)
    found: list[tuple[Bools, Floats | None, Integers | None]] = []
    for own, said in zip(values, known, strict=True):
        numbers = own.numbers(decimal_of) if scale.kind == NUMBERS else scale.read(own.labels)
        if middles is not None:
            numbers = numbers.with_others(middles.above(own.labels, said))
        unread = np.flatnonzero(said & ~numbers.is_number).tolist()
        if any(own.labels[place] is not None for place in unread):
            return as_labels
        counting = said & numbers.is_number
        [whole], places = in_common_units(numbers)
        floats = _as_floats(whole, places, counting)
        if floats is None:
            return as_labels
        found.append((counting, floats, _from_zero(whole, counting)))
    return found


class _Middles:
    """What labels above the leaves count as: half-way between the lowest and the highest leaf."""

    def __init__(self, under: LeavesUnder, scale: Scale) -> None:
        self._under = under
        [numbers], places = in_common_units(read := scale.read(under.all))
        self._numbers = {
            leaf: Fraction(number, 10**places) if is_number else None
            for leaf, number, is_number in zip(
                under.all, numbers.tolist(), read.is_number.tolist(), strict=True
            )
        }

    def above(self, labels: Sequence[str | None], known: Bools) -> dict[int, Fraction | None]:
        """The number of each such label, by its place; none where a leaf under it has none."""
        found: dict[int, Fraction | None] = {}
        for place in np.flatnonzero(known).tolist():
            leaves = self._under.leaves(labels[place])
            if leaves is None or leaves == (labels[place],):
                continue
            numbers = [self._numbers[leaf] for leaf in leaves if leaf is not None]
            read = [number for number in numbers if number is not None]
            is_read = bool(read) and len(read) == len(numbers)
            found[place] = (min(read) + max(read)) / 2 if is_read else None
        return found


def _as_floats(whole: Whole, places: int, counting: Bools) -> Floats | None:
    """The nearest float of each number, NaN where it does not count; None where one has none."""
    found = np.full(len(whole), math.nan)
    chosen = whole[counting]
    unit = 10**places
    if whole.dtype != object and places <= _EXACT_POWER and (np.abs(chosen) < _EXACT_FLOAT).all():
        # Both are exact as floats, so that their quotient is rounded once.
        found[counting] = chosen / unit
        return found
    try:
        found[counting] = [number / unit for number in chosen.tolist()]
    except OverflowError:
        return None
    return found


def _from_zero(whole: Whole, counting: Bools) -> Integers | None:
    chosen = whole[counting]
    if not chosen.size:
        return np.zeros(len(whole), dtype=np.int64)
    low = chosen.min()
    if chosen.max() - low >= _LARGEST:
        return None
    above = np.where(counting, whole - low, 0).astype(np.int64)
    step = int(np.gcd.reduce(above))
    return above // step if step > 1 else above
