"""Dates and times as whole numbers: units, the finest unit in use, and flooring."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa

from petaudit.errors import OptionError, listing, suggestion
from petaudit.tables._encoding import whole_numbers
from petaudit.tables.results import Integers

UNITS: Final = {
    "D": 86_400_000_000_000,
    "H": 3_600_000_000_000,
    "T": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
"""The length of each unit in nanoseconds, the longest first."""

_OTHER_NAMES: Final = {
    "d": "D", "day": "D", "days": "D",
    "h": "H", "hour": "H", "hours": "H",
    "t": "T", "min": "T", "minute": "T", "minutes": "T",
    "s": "s", "sec": "s", "second": "s", "seconds": "s",
    "ms": "ms", "l": "ms", "milli": "ms", "millisecond": "ms", "milliseconds": "ms",
    "us": "us", "u": "us", "micro": "us", "microsecond": "us", "microseconds": "us",
    "ns": "ns", "n": "ns", "nano": "ns", "nanosecond": "ns", "nanoseconds": "ns",
}  # fmt: skip
_LARGEST = 1 << 62
_QUARTER = 900_000_000_000


def unit_named(name: object) -> str:
    """The unit that a name in any case stands for.

    >>> unit_named("d"), unit_named("MIN"), unit_named("S")
    ('D', 'T', 's')
    """
    if isinstance(name, str) and name.strip().lower() in _OTHER_NAMES:
        return _OTHER_NAMES[name.strip().lower()]
    raise OptionError(
        "datetime_precision is {name!r}{near}; it is one of {units}, or None to find it out",
        name=name,
        near=suggestion(str(name), _OTHER_NAMES),
        units=listing(list(UNITS)),
    )


@dataclass(frozen=True)
class Moments:
    """Points in time as ticks since 1970; with a time zone, ``offsets`` leads to local time."""

    ticks: Integers
    tick: int
    """The length of a tick in nanoseconds."""
    zone: str | None = None
    offsets: Integers | None = None

    @classmethod
    def of(cls, values: pa.Array, zone: str | None = None) -> Moments:
        """Read dates or timestamps without nulls; aware ones are seen from the given zone."""
        kind = values.type
        if pa.types.is_date(kind):
            days = values.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
            return cls(_integers(days), UNITS["D"])
        ticks = _integers(values.cast(pa.int64()))
        if kind.tz is None:
            return cls(ticks, UNITS[kind.unit])
        seen_from = zone or str(kind.tz)
        return cls(ticks, UNITS[kind.unit], seen_from, _offsets(ticks, UNITS[kind.unit], seen_from))

    def finest_unit(self) -> str | None:
        """The longest unit that divides every value."""
        if not self.ticks.size:
            return None
        local = self._local
        for name, length in UNITS.items():
            if length <= self.tick or not (local % (length // self.tick)).any():
                return name
        raise AssertionError("every tick is a whole number of nanoseconds")

    def floored(self, unit: str) -> Moments:
        """Floor to a unit, in local time where there is a time zone."""
        length = UNITS[unit]
        if length <= self.tick:
            return self
        factor = length // self.tick
        local = self._local // factor
        if self.offsets is None or unit == "D":
            # A day is told by its date alone, although clocks may be put forward in it.
            return replace(self, ticks=local, tick=length, offsets=None)
        return replace(self, ticks=local * factor - self.offsets)

    def keys(self, tick: int) -> Integers | list[int]:
        """The values in ticks of another, shorter or equal length; as objects if they are huge."""
        factor = self.tick // tick
        if factor == 1:
            return self.ticks
        largest = int(np.abs(self.ticks).max(initial=0))
        if largest * factor < _LARGEST:
            return self.ticks * factor
        return [value * factor for value in self.ticks.tolist()]

    @property
    def _local(self) -> Integers:
        return self.ticks if self.offsets is None else self.ticks + self.offsets


def moment(key: int, tick: int, zone: str | None, *, only_dates: bool) -> object:
    """The point in time that a key stands for, as Python has it; else in words.

    >>> moment(1, UNITS["D"], None, only_dates=True)
    datetime.date(1970, 1, 2)
    """
    nanoseconds = key * tick
    try:
        if only_dates:
            return date(1970, 1, 1) + timedelta(days=nanoseconds // UNITS["D"])
        naive = datetime(1970, 1, 1) + timedelta(microseconds=nanoseconds // 1_000)
    except OverflowError:
        return f"{nanoseconds} ns since 1970"
    if nanoseconds % 1_000:
        return f"{naive:%Y-%m-%d %H:%M:%S}.{nanoseconds % UNITS['s']:09d}"
    if zone is None:
        return naive
    if tick == UNITS["D"]:
        return naive.replace(tzinfo=_zone(zone))
    return naive.replace(tzinfo=UTC).astimezone(_zone(zone))


def _integers(values: pa.Array) -> Integers:
    return whole_numbers(pa.chunked_array([values]))


def _zone(name: str) -> tzinfo:
    """A zone by its name or as a fixed offset such as +08:00; UTC where it is not known."""
    if re.fullmatch(r"[+-]\d\d:?\d\d", name):
        size = timedelta(hours=int(name[1:3]), minutes=int(name[-2:]))
        return timezone(-size if name[0] == "-" else size)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def _offsets(ticks: Integers, tick: int, zone: str) -> Integers:
    """What local time is ahead of UTC, in ticks; clocks change on full quarters of an hour."""
    place = _zone(zone)
    quarters, inverse = np.unique(ticks // (_QUARTER // tick), return_inverse=True)
    ahead = [_ahead(place, int(quarter)) * UNITS["s"] // tick for quarter in quarters]
    return np.array(ahead, np.int64)[inverse]


def _ahead(place: tzinfo, quarter: int) -> int:
    try:
        when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=15 * quarter)
        offset = when.astimezone(place).utcoffset()
    except OverflowError:
        offset = None
    return 0 if offset is None else int(offset.total_seconds())
