"""The numbers and the ranges of numbers that labels spell, read all at once and exactly.

A fraction per label takes minutes where a column has a million numbers. Here a number is an
integer and how many of its digits are decimal places; columns that are computed with together
become integers of one small unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from petaudit.exact.fractions import NUMBER, parse_number
from petaudit.labels.cells import SUPPRESSED, trim

IntegerArray: TypeAlias = npt.NDArray[Any]
"""Integers: int64 where they fit, Python's unbounded ones elsewhere."""
Bools: TypeAlias = npt.NDArray[np.bool_]
Integers: TypeAlias = npt.NDArray[np.int64]
Reader: TypeAlias = Callable[[str], Fraction | Decimal | None]
ValueKey: TypeAlias = Decimal | str | None
Range: TypeAlias = tuple[Fraction | None, Fraction | None]
"""Lower and upper bound; None where there is none."""

_LONGEST_LABEL: Final = 4_000
"""Longer labels are not read as numbers."""
_LONGEST: Final = 24
_MOST_DIGITS: Final = 18
_BLOCK: Final = 1 << 15
_LARGEST: Final = 1 << 60
"""Sums and differences of two numbers below this fit into 64 bits."""
_WITH_EXPONENT: Final = re.compile(r"([^eE]+)[eE]([+-]?\d{1,4})", re.ASCII)
_NUMBER: Final = NUMBER.pattern
_BRACKETED: Final = re.compile(rf"[\[\](){{]\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*[\[\])}}]", re.ASCII)
_DASHED: Final = re.compile(rf"{_NUMBER}\s*(?:-|–|~|\.\.)\s*{_NUMBER}", re.ASCII)
_OPEN: Final = re.compile(rf"(<=?|≤|>=?|≥)\s*{_NUMBER}", re.ASCII)
_MASKED: Final = re.compile(r"([+-]?)(\d[\d*]*)", re.ASCII)


@dataclass(frozen=True)
class LabelNumbers:
    """A number per label, or none: ``mantissas`` times ten to the power of minus ``places``."""

    is_number: Bools
    mantissas: Integers
    places: Integers
    others: Mapping[int, Fraction] = field(default_factory=dict)
    """Numbers of too many digits, by their place among the labels."""
    is_padded: bool = False
    """Whether one of them has leading zeros, as codes have."""

    @classmethod
    def plain(cls, labels: Sequence[str | None]) -> LabelNumbers:
        """Read those labels that spell a number plainly: in few digits, without blanks."""
        numbers = _read(labels)
        others = (
            (place, labels[place] or "") for place in np.flatnonzero(~numbers.is_number).tolist()
        )
        with_exponent = [
            (place, match.groups())
            for place, label in others
            if ("e" in label or "E" in label) and (match := _WITH_EXPONENT.fullmatch(label))
        ]
        if not with_exponent:
            return numbers
        heads = _read([head for _, (head, _) in with_exponent])
        exponents = np.array([int(exponent) for _, (_, exponent) in with_exponent])
        where = np.array([place for place, _ in with_exponent])
        numbers.is_number[where] = heads.is_number
        numbers.mantissas[where] = heads.mantissas
        numbers.places[where] = np.where(heads.mantissas == 0, 0, heads.places - exponents)
        return numbers

    def completed(self, labels: Sequence[str | None], reader: Reader) -> LabelNumbers:
        """The same with what a reader makes of all other labels."""
        others: dict[int, Fraction | None] = {}
        for place in np.flatnonzero(~self.is_number).tolist():
            label = labels[place]
            if label is not None:
                number = reader(label)
                others[place] = None if number is None else Fraction(number)
        return self.with_others(others)

    @cached_property
    def most_places(self) -> int:
        """Decimal places that write all the numbers."""
        others = (_decimal_places(number) for number in self.others.values())
        return max(int(self.places.max(initial=0)), *others, 0)

    def with_others(self, others: Mapping[int, Fraction | None]) -> LabelNumbers:
        """The same with numbers, or none, at some other places."""
        numbers = {place: number for place, number in others.items() if number is not None}
        is_number = self.is_number.copy()
        is_number[list(others)] = False
        is_number[list(numbers)] = True
        return replace(self, is_number=is_number, others={**self.others, **numbers})

    def fit(self, places: int) -> bool:
        """Whether every number, scaled by 10**places, fits into 64 bits."""
        # What is larger than this does not fit anyway, unless it is zero times as much.
        shifts = np.minimum(places - self.places, 2 * _MOST_DIGITS)
        sizes = np.abs(self.mantissas) * 10.0**shifts
        return not self.others and float(sizes.max(initial=0)) < _LARGEST

    def in_units(self, places: int, *, fits: bool) -> IntegerArray:
        """The numbers as integers, scaled by 10**places; 0 where there is no number."""
        shifts = np.where(self.mantissas == 0, 0, places - self.places)
        if fits:
            fitting: Integers = self.mantissas * 10**shifts
            return fitting
        different, which = np.unique(shifts, return_inverse=True)
        powers = np.array([10**shift for shift in different.tolist()], dtype=object)
        units: IntegerArray = self.mantissas.astype(object) * powers[which]
        for place, number in self.others.items():
            units[place] = number.numerator * (10**places // number.denominator)
        return units


def in_common_units(*columns: LabelNumbers) -> tuple[list[IntegerArray], int]:
    """The numbers of several columns in one unit, and how many decimal places that unit has.

    >>> [one, other], places = in_common_units(read_numbers(["1.5", "2"]), read_numbers(["0.25"]))
    >>> one.tolist(), other.tolist(), places
    ([150, 200], [25], 2)
    """
    places = max(column.most_places for column in columns)
    fits = all(column.fit(places) for column in columns)
    return [column.in_units(places, fits=fits) for column in columns], places


def read_numbers(labels: Sequence[str | None], reader: Reader = parse_number) -> LabelNumbers:
    """The numbers of labels; ``reader`` reads what is not written plainly.

    >>> numbers = read_numbers(["-1.50", "2e3", "a", None])
    >>> numbers.is_number.tolist(), numbers.mantissas.tolist(), numbers.places.tolist()
    ([True, True, False, False], [-150, 2, 0, 0], [2, -3, 0, 0])
    """
    return LabelNumbers.plain(labels).completed(labels, reader)


def _read(labels: Sequence[str | None]) -> LabelNumbers:
    """Read labels in blocks that fit into the processor's cache."""
    is_number, is_padded = (np.zeros(len(labels), dtype=bool) for _ in range(2))
    mantissas, places = (np.zeros(len(labels), dtype=np.int64) for _ in range(2))
    for start in range(0, len(labels), _BLOCK):
        block = slice(start, start + _BLOCK)
        texts = [
            label if label is not None and len(label) <= _LONGEST else "" for label in labels[block]
        ]
        is_number[block], mantissas[block], places[block], is_padded[block] = _read_block(texts)
    return LabelNumbers(is_number, mantissas, places, is_padded=bool(is_padded.any()))


def _read_block(texts: Sequence[str]) -> tuple[Bools, Integers, Integers, Bools]:
    """Go through all texts at once, character by character."""
    lengths = np.array([len(text) for text in texts])
    width = int(lengths.max(initial=0)) or 1
    letters = np.array(texts, dtype=f"U{width}").view(np.uint32).reshape(len(texts), width).T
    letters = np.ascontiguousarray(letters)
    negative = letters[0] == ord("-")
    read = (negative | (letters[0] == ord("+"))).astype(np.int64)
    dot = np.zeros(len(texts), dtype=bool)
    is_padded = np.zeros(len(texts), dtype=bool)
    mantissas, places, digits, significant = (np.zeros(len(texts), np.int64) for _ in range(4))
    for letter in letters:
        digit = letter.astype(np.int64) - ord("0")
        is_digit = (digit >= 0) & (digit <= 9)
        is_padded |= is_digit & (digits == 1) & (mantissas == 0) & ~dot
        mantissas = np.where(is_digit, mantissas * 10 + digit, mantissas)
        significant += is_digit & (mantissas != 0)
        digits += is_digit
        places += is_digit & dot
        first_dot = (letter == ord(".")) & ~dot
        read += first_dot
        dot |= first_dot
    # Whatever is neither sign, digit nor dot was not read, and is missing from the length.
    is_number = (digits > 0) & (read + digits == lengths) & (significant <= _MOST_DIGITS)
    mantissas = np.where(is_number, np.where(negative, -mantissas, mantissas), 0)
    return is_number, mantissas, np.where(mantissas == 0, 0, places), is_padded & is_number


def _decimal_places(number: Fraction) -> int:
    """Decimal places of a number that has an end: its denominator is 2s and 5s multiplied."""
    denominator = number.denominator
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest > 1:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives)


def decimal_of(label: str) -> Decimal | None:
    """The number that a label spells: many times faster to compare than a fraction, and as exact.

    >>> decimal_of(" 1.50"), decimal_of("1.5") == decimal_of("15e-1"), decimal_of("nan")
    (Decimal('1.50'), True, None)
    """
    text = trim(label)
    return Decimal(text) if len(text) < _LONGEST_LABEL and NUMBER.fullmatch(text) else None


def value_key(label: str | None) -> ValueKey:
    """What labels are compared by: numbers by their value, all else by its text.

    >>> value_key("5") == value_key("5.0"), value_key("a"), value_key(None)
    (True, 'a', None)
    """
    if label is None:
        return None
    number = decimal_of(label)
    return label if number is None else number


def numbers_among(labels: Iterable[str | None]) -> list[Fraction] | None:
    """The numbers that labels spell, without nulls; None if one is not a number, or all are null.

    >>> [str(number) for number in numbers_among(["2.5", None])], numbers_among(["1", "a"])
    (['5/2'], None)
    """
    spelled = [parse_number(label) for label in labels if label is not None]
    numbers = [number for number in spelled if number is not None]
    return numbers if spelled and len(numbers) == len(spelled) else None


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
    if match := _two_bounds(text):
        low, high = map(parse_number, match.groups())
        return (low, high) if low is not None and high is not None and low <= high else None
    if match := _OPEN.fullmatch(text):
        bound = parse_number(match[2])
        if bound is None:
            return None
        return (None, bound) if match[1][0] in "<≤" else (bound, None)
    return _masked(text)


@dataclass(frozen=True)
class Ranges:
    """A range per label. A bound that is not a number is open, where the label spells a range."""

    is_range: Bools
    low: LabelNumbers
    high: LabelNumbers


def ranges_of(labels: Sequence[str], known: Mapping[str, Range] | None = None) -> Ranges:
    """What is known of each label, and else what :func:`range_of` says of it.

    >>> ranges = ranges_of(["[20,30[", "30-20", "<=40"])
    >>> ranges.is_range.tolist(), ranges.low.is_number.tolist(), ranges.high.is_number.tolist()
    ([True, False, True], [True, True, False], [True, True, True])
    """
    known = known or {}
    spelled = [None if label in known else _two_bounds(trim(label)) for label in labels]
    low, high = (
        read_numbers([None if match is None else match[bound] for match in spelled])
        for bound in (1, 2)
    )
    [lowest, highest], _ = in_common_units(low, high)
    is_range = low.is_number & high.is_number & (lowest <= highest).astype(bool)
    rest = {
        place: bounds
        for place, match in enumerate(spelled)
        if match is None and (bounds := known.get(labels[place]) or range_of(labels[place]))
    }
    is_range[list(rest)] = True
    lows, highs = ({place: bounds[side] for place, bounds in rest.items()} for side in (0, 1))
    return Ranges(is_range, low.with_others(lows), high.with_others(highs))


def _two_bounds(text: str) -> re.Match[str] | None:
    return _BRACKETED.fullmatch(text) or _DASHED.fullmatch(text)


def _masked(text: str) -> Range | None:
    """Every hidden digit may be any digit."""
    match = _MASKED.fullmatch(text)
    if match is None:
        return None
    sign, digits = match.groups()
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
    bounds = range_of(label)
    if bounds is None:
        return None
    low, high = bounds
    if low is None:
        low = lowest if lowest is None or high is None else min(lowest, high)
    if high is None:
        high = highest if highest is None or low is None else max(highest, low)
    return None if low is None or high is None else (low + high) / 2
