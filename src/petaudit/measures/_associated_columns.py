"""The columns of two tables as associations are measured between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from petaudit.association import Floats
from petaudit.counts import TableCounts, ValueCounts
from petaudit.counts.column_codes import Codes, column_codes
from petaudit.inputs import Inputs
from petaudit.label_numbers import Bools
from petaudit.labels import SUPPRESSED
from petaudit.measures._comparison import leaves_under, the_original
from petaudit.released_labels import LeavesUnder, decimal_of


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

    @property
    def is_constant(self) -> bool:
        """Whether all rows that count have the same value."""
        if self.numbers is None:
            return int(np.count_nonzero(self.known)) < 2
        return len(np.unique(self.numbers[self.known])) < 2


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
        # The original decides; only the released table has labels that stand for several.
        numbers = [
            _numbers(own, its_known, its_under)
            for own, its_known, its_under in zip(values, known, (None, under), strict=True)
        ]
        if numbers[0] is None or numbers[1] is None or np.isnan(numbers[0]).all():
            numbers = [None, None]
        sides = [
            AssociatedColumn(
                name,
                tables[side].counts,
                codes[side].get(name),
                known[side] if own is None else known[side] & ~np.isnan(own),
                own,
            )
            for side, own in enumerate(numbers)
        ]
        found[name] = (sides[0], sides[1])
    return found


def _known(values: ValueCounts, under: LeavesUnder | None) -> Bools:
    """Which labels say something."""
    silent = {SUPPRESSED}
    if under is not None and under.says_nothing(under.hierarchy.top):
        silent.add(under.hierarchy.top)
    found = np.ones(len(values.labels), dtype=bool)
    found[[values.index[label] for label in silent if label in values.index]] = False
    return found


def _numbers(values: ValueCounts, known: Bools, under: LeavesUnder | None) -> Floats | None:
    """The number of each label, NaN where it says nothing; None where one cannot be read."""
    labels = values.labels
    plain = values.plain_numbers.is_number
    found = np.full(len(labels), math.nan)
    for place in np.flatnonzero(known & ~plain).tolist():
        label = labels[place]
        if label is None:
            continue
        number: Decimal | Fraction | None = decimal_of(label)
        if number is None:
            number = None if under is None else under.middle(label)
        if number is None:
            return None
        try:
            found[place] = float(number)
        except OverflowError:
            return None
    plainly = known & plain
    # A label is rounded to the nearest float just as the decimal number is that it spells.
    found[plainly] = [float(labels[place] or "") for place in np.flatnonzero(plainly).tolist()]
    # A decimal number that is too large for a float becomes infinite instead.
    return None if np.isinf(found).any() else found
