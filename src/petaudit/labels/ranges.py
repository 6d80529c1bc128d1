"""The numbers that a generalised label stands for, read from the label itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from petaudit.exact.fractions import NUMBER, parse_number
from petaudit.labels.cells import SUPPRESSED, trim
from petaudit.labels.numbers import Bools, LabelNumbers, in_common_units, read_numbers

Range: TypeAlias = tuple[Fraction | None, Fraction | None]
"""Lower and upper bound; None where there is none."""

_NUMBER: Final = NUMBER.pattern
_BRACKETED: Final = re.compile(rf"[\[\](){{]\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*[\[\])}}]", re.ASCII)
_DASHED: Final = re.compile(rf"{_NUMBER}\s*(?:-|–|~|\.\.)\s*{_NUMBER}", re.ASCII)
_BELOW: Final = re.compile(rf"(?:<=?|≤)\s*{_NUMBER}", re.ASCII)
_ABOVE: Final = re.compile(rf"(?:>=?|≥)\s*{_NUMBER}", re.ASCII)
_MASKED: Final = re.compile(r"([+-]?)(\d[\d*]*)", re.ASCII)


def range_of(label: str | None) -> Range | None:
    """The range of numbers that a label spells, bounds as they stand; None where it spells none.

    >>> [str(end) for end in range_of("[20,30[")], range_of("30-20"), range_of("Europe")
    (['20', '30'], None, None)
    >>> range_of("<=40"), range_of("197*")
    ((None, Fraction(40, 1)), (Fraction(1970, 1), Fraction(1979, 1)))
    """
    if label is None:
        return None
    text = trim(label)
    number = parse_number(text)
    if number is not None:
        return number, number
    if found := _two_bounds(text):
        low, high = (parse_number(bound) for bound in found.groups())
        return (low, high) if low is not None and high is not None and low <= high else None
    if found := _BELOW.fullmatch(text):
        high = parse_number(found[1])
        return None if high is None else (None, high)
    if found := _ABOVE.fullmatch(text):
        low = parse_number(found[1])
        return None if low is None else (low, None)
    return _masked(text)


@dataclass(frozen=True)
class Ranges:
    """A range per label. A bound that is no number is open, where the label spells a range."""

    is_range: Bools
    low: LabelNumbers
    high: LabelNumbers


def ranges_of(labels: Sequence[str], known: Mapping[str, Range] | None = None) -> Ranges:
    """What is known of each label, and else what :func:`range_of` says of it.

    >>> found = ranges_of(["[20,30[", "30-20", "<=40"])
    >>> found.is_range.tolist(), found.low.is_number.tolist(), found.high.is_number.tolist()
    ([True, False, True], [True, True, False], [True, True, True])
    """
    known = known or {}
    spelled = [None if label in known else _two_bounds(trim(label)) for label in labels]
    low, high = (
        read_numbers([None if found is None else found[bound] for found in spelled])
        for bound in (1, 2)
    )
    [lowest, highest], _ = in_common_units(low, high)
    is_range = low.is_number & high.is_number & (lowest <= highest).astype(bool)
    rest = {
        place: known.get(labels[place]) or range_of(labels[place])
        for place, own in enumerate(spelled)
        if own is None
    }
    is_range[[place for place, own in rest.items() if own is not None]] = True
    ends = [{place: own[side] for place, own in rest.items() if own is not None} for side in (0, 1)]
    return Ranges(is_range, low.with_others(ends[0]), high.with_others(ends[1]))


def _two_bounds(text: str) -> re.Match[str] | None:
    return _BRACKETED.fullmatch(text) or _DASHED.fullmatch(text)


def _masked(text: str) -> Range | None:
    """Every hidden digit may be any digit."""
    found = _MASKED.fullmatch(text)
    if found is None:
        return None
    sign, digits = found.groups()
    ends = [parse_number(sign + digits.replace(SUPPRESSED, digit)) for digit in "09"]
    low, high = ends if sign != "-" else reversed(ends)
    return None if low is None or high is None else (low, high)


def middle_of(
    label: str | None, lowest: Fraction | None = None, highest: Fraction | None = None
) -> Fraction | None:
    """The middle of a label's range; an open end is the lowest or highest number there is.

    >>> str(middle_of("[20,30[")), middle_of(">50"), str(middle_of(">50", highest=Fraction(90)))
    ('25', None, '70')
    """
    found = range_of(label)
    if found is None:
        return None
    low, high = found[0], found[1]
    if low is None:
        low = lowest if lowest is None or high is None else min(lowest, high)
    if high is None:
        high = highest if highest is None or low is None else max(highest, low)
    return None if low is None or high is None else (low + high) / 2
