"""Columns whose values lie on a line: numbers, dates and times. All others are columns of labels.

A label such as ``2024-03-09`` has a place among other dates, and two of them a distance. Whoever
compares distributions or looks for correlations needs to know that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.numbers import Bools, LabelNumbers, Reader, read_numbers
from petaudit.tables.results import Integers, ValueCounts

Read: TypeAlias = Callable[[Sequence[str | None]], LabelNumbers]

NUMBERS: Final = "numbers"
DATES: Final = "dates"
TIMES: Final = "times"
LABELS: Final = "labels"
"""What a column is called that is on no scale."""

_DAY: Final = 86_400
_CLOCK: Final = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?)?"
)
_OFFSET: Final = r"(?:(?P<utc>Z)|(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2}))"
# The year first, so that nobody has to guess which number is the month.
_DATE: Final = (
    rf"^(?P<date>[0-9]{{4}}(?:-[0-9]{{2}}-|/[0-9]{{2}}/)[0-9]{{2}})(?:[ T]{_CLOCK}{_OFFSET}?)?$"
)
_TIME: Final = rf"^(?:(?P<days>-?[0-9]{{1,7}}) days?, )?{_CLOCK}$"
_FORMS: Final = {DATES: _DATE, TIMES: _TIME}
_MICROSECONDS: Final = 6
_NO_DAY: Final = np.iinfo(np.int64).min
"""What NumPy makes of a date that is none."""


@dataclass(frozen=True)
class Scale:
    """How the labels of a column become numbers: seconds for dates and times."""

    kind: str
    read: Read
    """The number of each label; none where a label is not on the scale."""
    unit: int = 1
    """By how much the numbers are divided for people: they count dates in days."""


def scale_of(
    original: ValueCounts, released: ValueCounts, reader: Reader, silent: Collection[str] = ()
) -> Scale | None:
    """The scale that every value of the original is on; None for labels.

    Nulls, ``*`` and other silent labels do not matter. Numbers with leading zeros are codes, and
    so labels. Dates are seen as instants where all labels of both tables say how far they are from
    UTC, and as clocks on the wall show them elsewhere.

    >>> import numpy as np
    >>> days = ValueCounts(("2024-02-28", "2024/03/01", None), np.array([1, 1, 1]))
    >>> scale = scale_of(days, days, lambda label: None)
    >>> numbers = scale.read(days.labels)
    >>> scale.kind, (numbers.mantissas[1] - numbers.mantissas[0]).item() / scale.unit
    ('dates', 2.0)
    >>> codes = ValueCounts(("02139", "94103"), np.array([1, 1]))
    >>> scale_of(codes, codes, lambda label: None)
    """
    nothing = {None, SUPPRESSED, *silent}
    numbers = original.numbers(reader)
    others = [original.labels[place] for place in np.flatnonzero(~numbers.is_number).tolist()]
    meaningful = [label for label in others if label not in nothing]
    if not meaningful:
        if original.plain_numbers.is_padded or not numbers.is_number.any():
            return None
        return Scale(NUMBERS, partial(read_numbers, reader=reader))
    if numbers.is_number.any():
        return None
    for kind, form in _FORMS.items():
        if re.match(form, meaningful[0] or "", re.ASCII) is None:
            continue
        before, after = (_moments(counts.labels, form) for counts in (original, released))
        places = [original.index[label] for label in meaningful]
        if not before.is_moment[places].all():
            return None
        instants = all(counts.has_offset[counts.is_moment].all() for counts in (before, after))
        read = partial(_read, form=form, instants=instants)
        return Scale(kind, read, _DAY if kind == DATES else 1)
    return None


@dataclass(frozen=True)
class _Moments:
    """Points in time by the clock on the wall, in seconds and millionths of them."""

    is_moment: Bools
    seconds: Integers
    fractions: Sequence[str]
    has_offset: Bools
    offsets: Integers

    def numbers(self, *, instants: bool) -> LabelNumbers:
        seconds = self.seconds - self.offsets if instants else self.seconds
        fine = {
            place: Fraction(int(seconds[place])) + Fraction(f"0.{digits}")
            for place, digits in enumerate(self.fractions)
            if len(digits) > _MICROSECONDS and self.is_moment[place]
        }
        parts = [
            0 if place in fine else int(digits.ljust(_MICROSECONDS, "0"))
            for place, digits in enumerate(self.fractions)
        ]
        places = _MICROSECONDS if any(self.fractions) else 0
        mantissas = seconds * 10**places + np.array(parts, dtype=np.int64)
        plain = LabelNumbers(
            self.is_moment,
            np.where(self.is_moment, mantissas, 0),
            np.full(len(parts), places, dtype=np.int64),
            {},
        )
        return plain.with_others(fine) if fine else plain


def _read(labels: Sequence[str | None], form: str, *, instants: bool) -> LabelNumbers:
    return _moments(labels, form).numbers(instants=instants)


def _moments(labels: Sequence[str | None], form: str) -> _Moments:
    from pyarrow import compute as pc  # noqa: PLC0415 (slow to load, and few columns are dates)

    parts = pc.extract_regex(pa.array(labels, pa.string()), form)
    matched = np.array(parts.is_valid().to_pylist(), dtype=bool)
    names = {field.name for field in parts.type}

    def texts(name: str) -> list[str]:
        if name not in names:
            return [""] * len(matched)
        return [text or "" for text in pc.struct_field(parts, name).to_pylist()]

    def whole(name: str) -> Integers:
        return np.array([int(text or 0) for text in texts(name)], dtype=np.int64)

    hour, minute, second = whole("hour"), whole("minute"), whole("second")
    is_moment = matched & (hour < 24) & (minute < 60) & (second < 60)
    if "date" in names:
        day = _days([text.replace("/", "-") or "NaT" for text in texts("date")])
        is_moment &= day != _NO_DAY
        day = np.where(is_moment, day, 0)
    else:
        day = whole("days")
    signs, utc = texts("sign"), texts("utc")
    ahead = np.array([-1 if sign == "-" else 1 for sign in signs], dtype=np.int64)
    has_offset = np.array([bool(sign) for sign in map(str.__add__, signs, utc)], dtype=bool)
    return _Moments(
        is_moment,
        ((day * 24 + hour) * 60 + minute) * 60 + second,
        texts("fraction"),
        has_offset,
        ahead * (whole("hours") * 60 + whole("minutes")) * 60,
    )


def _days(stamps: Sequence[str]) -> Integers:
    """Days since 1970; what is no date, as the thirtieth of February, has none."""
    try:
        return np.array(stamps, dtype="datetime64[D]").astype(np.int64)
    except ValueError:
        return np.concatenate([_day(stamp) for stamp in stamps])


def _day(stamp: str) -> Integers:
    try:
        return np.array([stamp], dtype="datetime64[D]").astype(np.int64)
    except ValueError:
        return np.array([_NO_DAY], dtype=np.int64)
