"""Columns whose values lie on a line: numbers, dates and times. All others are columns of labels.

A label such as ``2024-03-09`` has a place among other dates, and two of them a distance. Whoever
compares distributions or looks for correlations needs to know that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.numbers import LabelNumbers, Reader, read_numbers
from petaudit.tables.results import ValueCounts

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
    rf"(?P<date>[0-9]{{4}}(?:-[0-9]{{2}}-|/[0-9]{{2}}/)[0-9]{{2}})(?:[ T]{_CLOCK}{_OFFSET}?)?"
)
_TIME: Final = rf"(?:(?P<days>-?[0-9]{{1,7}}) days?, )?{_CLOCK}"
_FORMS: Final = {DATES: re.compile(_DATE, re.ASCII), TIMES: re.compile(_TIME, re.ASCII)}
_MICROSECONDS: Final = 6
_EPOCH: Final = date(1970, 1, 1).toordinal()


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
        if form.fullmatch(meaningful[0] or "") is None:
            continue
        before, after = (
            [_moment(label, form) for label in counts.labels] for counts in (original, released)
        )
        if any(before[original.index[label]] is None for label in meaningful):
            return None
        instants = all(moment is None or moment.offset is not None for moment in (*before, *after))
        read = partial(_read, form=form, instants=instants)
        return Scale(kind, read, _DAY if kind == DATES else 1)
    return None


class _Moment(NamedTuple):
    """A point in time by the clock on the wall."""

    seconds: int
    fraction: str
    """The digits of a second."""
    offset: int | None
    """By how many seconds the clock is ahead of UTC, where the label says so."""


def _moment(label: str | None, form: re.Pattern[str]) -> _Moment | None:
    match = form.fullmatch(label or "")
    if match is None:
        return None
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        return None
    offset = None
    if "date" in form.groupindex:
        day = _day(match["date"])
        if day is None:
            return None
        if match["utc"]:
            offset = 0
        elif match["sign"]:
            ahead = (int(match["hours"]) * 60 + int(match["minutes"])) * 60
            offset = -ahead if match["sign"] == "-" else ahead
    else:
        day = int(match["days"] or 0)
    return _Moment(((day * 24 + hour) * 60 + minute) * 60 + second, match["fraction"] or "", offset)


def _day(text: str) -> int | None:
    """Days since 1970; None for what is not a date, such as the thirtieth of February."""
    text = text.replace("/", "-")
    try:
        return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        pass
    try:
        # The year 0, which NumPy has.
        return int(np.datetime64(text, "D").astype(np.int64))
    except ValueError:
        return None


def _read(labels: Sequence[str | None], form: re.Pattern[str], *, instants: bool) -> LabelNumbers:
    """Numbers of seconds: of UTC for instants, else as the clock on the wall shows them."""
    moments = [_moment(label, form) for label in labels]
    places = _MICROSECONDS if any(moment and moment.fraction for moment in moments) else 0
    mantissas = np.zeros(len(moments), dtype=np.int64)
    finer: dict[int, Fraction | None] = {}
    for place, moment in enumerate(moments):
        if moment is None:
            continue
        seconds = moment.seconds - (moment.offset or 0 if instants else 0)
        if len(moment.fraction) > _MICROSECONDS:
            finer[place] = seconds + Fraction(f"0.{moment.fraction}")
        else:
            mantissas[place] = seconds * 10**places + int(f"{moment.fraction:0<6}")
    numbers = LabelNumbers(
        np.array([moment is not None for moment in moments], dtype=bool),
        mantissas,
        np.full(len(moments), places, dtype=np.int64),
        {},
    )
    return numbers.with_others(finer) if finer else numbers
