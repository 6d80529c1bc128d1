"""The rule that suits a column, from its name and its counts, in the form that YAML has.

Numbers get round cuts, dates steps of the calendar, codes masks from the right; of categories the
common values are kept. A rule depends on counts only here: other tables get the same labels by it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeVar

from petaudit.errors import HierarchyError, phrase, term
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.grouping import cuts, quantile_cuts
from petaudit.labels.hierarchy import OTHER
from petaudit.labels.notation import (
    DAY_FIRST,
    DECIMAL_COMMA,
    DECIMAL_POINT,
    MONTH_FIRST,
    ROC,
    Reading,
    date_reading,
    number_reading,
)
from petaudit.starter.names import sense_of

Value = TypeVar("Value")

NUMBERS: Final = term("numbers")
DATES: Final = term("dates")
CODES: Final = term("codes")
CATEGORIES: Final = term("categories")

_MOST_MISFITS: Final = Fraction(1, 5)
"""A column of numbers or dates may have so many cells that are none: they become ``other``."""
_LEAST_KEPT: Final = 5
"""No value that fewer rows have becomes part of a rule."""
_MOST_KEPT: Final = 16
_MOST_RANGES: Final = 15
_QUANTILES: Final = (16, 8, 4, 2)
_TWICE: Final = 2
_FEW_CUTS: Final = 4
_TAIL: Final = Fraction(1, 100)
_UNEVEN: Final = Fraction(2, 5)
"""If one range has a larger share of the rows, ranges of equal width do not suit a column."""
_LEAST_LENGTH: Final = 3
_LONG_CODE: Final = 5
_POSTCODE: Final = "postcode"
_STEPS: Final[dict[str, Callable[[date], object]]] = {
    "month": lambda day: (day.year, day.month),
    "quarter": lambda day: (day.year, (day.month + 2) // 3),
    "year": lambda day: day.year,
    "decade": lambda day: day.year // 10,
}
_OTHERS: Final = (OTHER, "other values", "all other values")


class Form(NamedTuple):
    """What a column holds, and the rule for it."""

    kind: str
    rule: dict[str, Any]
    notes: tuple[str, ...] = ()
    """What was assumed because the values do not show it."""


def form_for(column: str, counts: Mapping[str | None, int]) -> Form:
    """The rule for a column with these values; what is suppressed or missing does not matter.

    >>> form_for("age", {str(age): 3 for age in range(20, 80)}).rule["cuts"][1:]
    [[30, 40, 50, 60, 70], [40, 60], [40]]
    >>> form_for("zip", {"10115": 4, "10117": 2, "20095": 7, "80331": 1}).rule
    {'mask': 'right', 'levels': 4}
    >>> form_for("ward", {"surgery": 9, "eyes": 6, "skin": 2, "teeth": 1}).rule
    {'keep': [['surgery', 'eyes'], ['surgery']]}
    """
    values = {
        value: rows for value, rows in counts.items() if value is not None and value != SUPPRESSED
    }
    is_code = _is_code(column, values)
    form = None if is_code else _dates(values)
    if form is None and not is_code:
        form = _numbers(values)
    if form is not None:
        return form
    return _code(values) if is_code else _categories(values)


def _other(values: Collection[str]) -> str:
    """A label of other values that is no value itself."""
    return next(label for label in _OTHERS if label not in values)


# Dates and numbers -------------------------------------------------------------------------------


def _read(
    values: Mapping[str, int],
    reading_of: Callable[[Collection[str], str | None], Reading[Value]],
    forms: Sequence[str],
) -> tuple[dict[Value, int], str | None, int] | None:
    """What most cells spell, with the way of writing if the values do not show it; else None.

    Also how many cells are something else.
    """
    try:
        readings: list[tuple[str | None, Reading[Value]]] = [(None, reading_of(values, None))]
    except HierarchyError:
        readings = [(form, reading_of(values, form)) for form in forms]
    best: tuple[dict[Value, int], str | None, int] | None = None
    total = sum(values.values())
    for form, reading in readings:
        rows: dict[Value, int] = {}
        for label, times in values.items():
            value = reading.read(label)
            if value is not None:
                rows[value] = rows.get(value, 0) + times
        misfits = total - sum(rows.values())
        if rows and misfits <= _MOST_MISFITS * total and (best is None or misfits < best[2]):
            best = rows, form, misfits
    return best


def _with_options(
    rule: dict[str, Any], values: Collection[str], written: str | None, misfits: int
) -> dict[str, Any]:
    if written is not None:
        rule["written"] = written
    if misfits:
        label = _other(values)
        rule["other"] = True if label == OTHER else label
    return rule


def _dates(values: Mapping[str, int]) -> Form | None:
    # Digits alone may be a date, but rarely are where nothing else says so.
    if all(value.isdecimal() for value in values):
        return None
    read = _read(values, date_reading, (DAY_FIRST, MONTH_FIRST, ROC))
    if read is None:
        return None
    rows, written, misfits = read
    steps = ["day"] if len(rows) < len(values) - bool(misfits) and _have_times(values) else []
    before = len(rows) if steps else len(rows) + 1
    for step, group in _STEPS.items():
        groups = len({group(day) for day in rows})
        if groups < before:
            steps.append(step)
            before = groups
    rule = _with_options({"dates": steps or ["month"]}, values, written, misfits)
    return Form(DATES, rule, _assumed(written))


def _have_times(values: Collection[str]) -> bool:
    return any(":" in value for value in values)


def _assumed(written: str | None) -> tuple[str, ...]:
    if written is None:
        return ()
    return (
        phrase(
            "the values do not show how they are written: {form} is assumed (written in the rule)",
            form=written,
        ),
    )


def _numbers(values: Mapping[str, int]) -> Form | None:
    read = _read(values, number_reading, (DECIMAL_POINT, DECIMAL_COMMA))
    if read is None:
        return None
    rows, written, misfits = read
    if len(rows) <= _TWICE:
        return None
    levels = [*_round_cuts(rows)]
    total = sum(rows.values())
    if not levels or _largest_range(rows, levels[0]) > _UNEVEN * total:
        groups = [number for number in _QUANTILES if number <= _most_ranges(rows)]
        levels = quantile_cuts(rows, groups) or levels
    if not levels:
        return None
    rule = {"cuts": (cuts(*levels).form or {})["cuts"]}
    return Form(NUMBERS, _with_options(rule, values, written, misfits), _assumed(written))


def _round_cuts(rows: Mapping[Fraction, int]) -> Iterator[list[Fraction]]:
    """Cuts at multiples of round widths, every level coarser; tails are never nearly empty."""
    numbers = sorted(rows)
    total = sum(rows.values())
    tail = max(_TAIL * total, min(Fraction(_LEAST_KEPT), Fraction(total, 10)))
    low, high = (
        _outer(numbers, rows, tail),
        -_outer([-n for n in reversed(numbers)], rows, tail, -1),
    )
    span = high - low
    if span <= 0:
        return
    is_whole = all(number.denominator == 1 for number in numbers)
    width = _round_width(span / _MOST_RANGES)
    if is_whole:
        width = max(width, Fraction(2))
    points = _multiples(width, low, high)
    while len(_ranges(rows, points)) > _most_ranges(rows):
        width = _wider(width, span)
        points = _multiples(width, low, high)
    while points:
        yield points
        if len(points) <= _FEW_CUTS:
            break
        width = _wider(width, span)
        points = [point for point in points if point % width == 0]
    if len(points) > 1:
        # One cut of the last level, as near to the middle of the rows as can be.
        yield [min(points, key=lambda point: _largest_range(rows, [point]))]


def _most_ranges(numbers: Collection[Fraction]) -> int:
    """So many ranges at most: ranges of one number each say as much as the numbers."""
    return max(2 * len(numbers) // 3, _TWICE)


def _wider(width: Fraction, span: Fraction) -> Fraction:
    """A multiple of a width that is round again."""
    return width * (5 if str(width.numerator)[0] == "2" and span >= _FEW_CUTS * 5 * width else 2)


def _outer(
    numbers: Sequence[Fraction], rows: Mapping[Fraction, int], tail: Fraction, sign: int = 1
) -> Fraction:
    """The smallest number with so many rows up to it."""
    seen = 0
    for number in numbers:
        seen += rows[sign * number]
        if seen >= tail:
            return number
    return numbers[-1]


def _round_width(least: Fraction) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten that is as large.

    >>> [str(_round_width(Fraction(n))) for n in ("3", "0.3", "11", "1")]
    ['5', '1/2', '20', '1']
    """
    power = Fraction(1)
    while power > least:
        power /= 10
    while power * 10 <= least:
        power *= 10
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)


def _multiples(width: Fraction, low: Fraction, high: Fraction) -> list[Fraction]:
    """The multiples of a width above a number and up to another one."""
    first, last = low // width + 1, high // width
    return [number * width for number in range(first, last + 1)]


def _ranges(rows: Mapping[Fraction, int], points: Sequence[Fraction]) -> Counter[int]:
    """The rows of every range between cuts that has some."""
    in_ranges = Counter[int]()
    for number, times in rows.items():
        in_ranges[bisect_right(points, number)] += times
    return in_ranges


def _largest_range(rows: Mapping[Fraction, int], points: Sequence[Fraction]) -> int:
    return max(_ranges(rows, points).values())


# Codes and categories ----------------------------------------------------------------------------


def _is_code(column: str, values: Mapping[str, int]) -> bool:
    """Whether most values are codes of one length; digits without a meaning may be numbers."""
    lengths = Counter[int]()
    for value, rows in values.items():
        lengths[len(value)] += rows
    if not lengths:
        return False
    length, rows = lengths.most_common(1)[0]
    sense = sense_of(column)
    is_postcode = sense is not None and sense.says == _POSTCODE
    if (length < _LEAST_LENGTH and not is_postcode) or length == 1:
        return False
    total = sum(values.values())
    if rows < (1 - _MOST_MISFITS) * total:
        return False
    alike = [value for value in values if len(value) == length]
    if not all(value.isascii() and _is_word(value) for value in alike):
        return False
    if not all(value.isdecimal() for value in alike):
        # At least one digit each, or words of one length would be codes; 1.5 and 2-3 are none.
        has_letters = any(mark.isalpha() for value in alike for mark in value)
        return has_letters and all(any(map(str.isdecimal, value)) for value in alike)
    is_padded = any(value.startswith("0") for value in alike)
    is_even = rows >= (1 - _TAIL) * total
    return is_padded or is_postcode or (is_even and length >= _LONG_CODE)


def _is_word(value: str) -> bool:
    return all(mark.isalnum() or mark in "-." for mark in value)


def _code(values: Mapping[str, int]) -> Form:
    length = Counter(map(len, values)).most_common(1)[0][0]
    rule: dict[str, Any] = {"mask": "right", "levels": length - 1}
    return Form(
        CODES, rule if not any("*" in value for value in values) else {**rule, "other": True}
    )


def _categories(values: Mapping[str, int]) -> Form:
    """Keep half as many values at every level; what is merged must be two values at least."""
    common = [
        value
        for value in sorted(values, key=lambda value: (-values[value], value))
        if values[value] >= _LEAST_KEPT
    ]
    most = min(len(common), len(values) - 2, _MOST_KEPT)
    levels = []
    while most > 0:
        levels.append(common[:most])
        most //= 2
    rule: dict[str, Any] = {"keep": levels}
    label = _other(values)
    if levels and label != OTHER:
        rule["other"] = label
    return Form(CATEGORIES, rule)
