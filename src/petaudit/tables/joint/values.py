"""Numbers, dates and times of one column in several tables, in a form that compares by value.

Numbers are rounded, dates and times floored to a unit; without one, to the finest in use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.errors import OptionError, listing, suggestion
from petaudit.tables._encoding import floats, shortest_decimals, whole_numbers
from petaudit.tables.results import Integers

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[Any] | list[Any]

_EXACT_POWERS = 22
"""10**22 is the largest power of ten that a float holds exactly."""
_EXACT_WHOLE = 2.0**53
_MOST_DIGITS = 16
_DOUBT = 2.0**-48
_WIDE = Context(prec=400)

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


def numbers_of(values: pa.Array) -> Numbers:
    """Numbers as an array; as a list where no array holds them exactly."""
    values = shortest_decimals(values)
    kind = values.type
    if pa.types.is_floating(kind):
        return floats(pa.chunked_array([values]))
    if pa.types.is_decimal(kind):
        return [plain_decimal(value) for value in values.to_pylist()]
    if pa.types.is_uint64(kind) and max(values.to_pylist(), default=0) >= 1 << 63:
        return values.to_pylist()  # type: ignore[no-any-return]
    if pa.types.is_null(kind) or not (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return np.zeros(0, np.int64)
    return whole_numbers(pa.chunked_array([values.cast(pa.int64())]))


def most_decimals(numbers: Numbers) -> int | None:
    """The most decimals that any number has; None if there is no number."""
    if isinstance(numbers, list):
        return max((_written_decimals(Decimal(number)) for number in numbers), default=None)
    if numbers.dtype == np.float64:
        return decimals_of(numbers)
    return 0 if numbers.size else None


def rounded_numbers(numbers: Numbers, decimals: int) -> Numbers:
    """Round half to even, as Python does."""
    if isinstance(numbers, list):
        return [
            rounded_decimal(number, decimals) if isinstance(number, Decimal) else number
            for number in numbers
        ]
    return rounded(numbers, decimals) if numbers.dtype == np.float64 else numbers


def alike(numbers: Sequence[Numbers]) -> list[Numbers]:
    """Bring numbers of all tables into one form in which they compare by value."""
    arrays = [column for column in numbers if not isinstance(column, list)]
    if len(arrays) == len(numbers):
        if len({column.dtype for column in arrays if column.size}) <= 1:
            return list(numbers)
        if all(_is_whole(column) for column in arrays):
            return [column.astype(np.int64) for column in arrays]
        if all(
            column.dtype == np.float64 or (np.abs(column) <= 1 << 53).all() for column in arrays
        ):
            return [column.astype(np.float64) for column in arrays]
    if all(isinstance(number, Decimal) for column in numbers for number in column):
        return [list(column) for column in numbers]
    lists = (column if isinstance(column, list) else column.tolist() for column in numbers)
    return [[_comparable(number) for number in column] for column in lists]


def _comparable(number: Any) -> int | float:
    """A number that Python compares by value: 0.1 in decimal form is the float 0.1."""
    if isinstance(number, Decimal):
        return int(number) if number == number.to_integral_value() else float(number)
    return number  # type: ignore[no-any-return]


def _is_whole(numbers: npt.NDArray[Any]) -> bool:
    if numbers.dtype != np.float64:
        return True
    return bool((np.abs(numbers) < 2.0**63).all() and (np.rint(numbers) == numbers).all())


def plain_number(number: Any) -> object:
    """Return a number as a Python object instead of a numpy scalar."""
    return number.item() if isinstance(number, np.generic) else number


def decimals_of(values: Floats) -> int | None:
    """The most decimals that any value has when it is written as briefly as possible.

    >>> decimals_of(np.array([10.0, 0.25])), decimals_of(np.array([]))
    (2, None)
    """
    rest = values[np.isfinite(values)]
    if not rest.size:
        return None
    for decimals in range(_MOST_DIGITS):
        rest = rest[rounded(rest, decimals) != rest]
        if not rest.size:
            return decimals
    return max(_written_decimals(Decimal(repr(value))) for value in rest.tolist())


def rounded(values: Floats, decimals: int) -> Floats:
    """Round half to even on the exact binary value, as ``round`` does.

    >>> rounded(np.array([2.5, 2.675, 10.2]), 0).tolist(), round(2.675, 2)
    ([2.0, 3.0, 10.0], 2.67)
    >>> rounded(np.array([2.675]), 2).tolist()
    [2.67]
    """
    if decimals > _EXACT_POWERS:
        return np.array([round(value, decimals) for value in values.tolist()], np.float64)
    power = 10.0**decimals
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = values * power
        nearest = np.rint(scaled)
        # Where the product is exact enough, dividing an integer by an exact power rounds
        # correctly; near a half Python has to decide.
        doubtful = np.abs(np.abs(scaled - np.floor(scaled)) - 0.5) <= np.abs(scaled) * _DOUBT
        # Where neighbouring floats are further apart than the decimals, nothing changes.
        is_coarse = ~(np.abs(scaled) < _EXACT_WHOLE)
        result: Floats = np.where(is_coarse, values, nearest / power)
        doubtful &= ~is_coarse
    for index in np.flatnonzero(doubtful & np.isfinite(values)):
        result[index] = round(float(values[index]), decimals)
    result[~np.isfinite(values)] = values[~np.isfinite(values)]
    return result + 0.0


def rounded_decimal(value: Decimal, decimals: int) -> Decimal:
    """Round a decimal number half to even.

    >>> rounded_decimal(Decimal("2.665"), 2)
    Decimal('2.66')
    """
    if _written_decimals(value) <= decimals:
        return value
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN, _WIDE)


def plain_decimal(value: Decimal) -> Decimal:
    """A decimal number without trailing zeros, however many digits it has.

    >>> plain_decimal(Decimal("1.500"))
    Decimal('1.5')
    """
    return value.normalize(_WIDE) if value else Decimal(0)


def _written_decimals(value: Decimal) -> int:
    exponent = value.normalize(_WIDE).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def unit_named(name: object) -> str:
    """The unit that a name in any case stands for.

    >>> unit_named("d"), unit_named("MIN"), unit_named("S")
    ('D', 'T', 's')
    """
    if isinstance(name, str) and name.strip().lower() in _OTHER_NAMES:
        return _OTHER_NAMES[name.strip().lower()]
    raise OptionError(
        "datetime_precision must be one of {units} or None (auto-detect), got {name!r}{near}",
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
        """Read dates or times without nulls; aware ones are seen from the given zone."""
        kind = values.type
        if pa.types.is_date(kind):
            days = values.cast(pa.date32()).cast(pa.int32())
            return cls(_integers(days), UNITS["D"])
        ticks = _integers(values.cast(pa.int32() if kind.bit_width == 32 else pa.int64()))
        if getattr(kind, "tz", None) is None:
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
