"""Numbers of one column in several tables: rounded, and in a form that compares by value."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._encoding import floats, whole_numbers

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[Any] | list[Any]

_EXACT_POWERS = 22
"""10**22 is the largest power of ten that a float holds exactly."""
_EXACT_WHOLE = 2.0**53
_MOST_DIGITS = 16
_DOUBT = 2.0**-48
_WIDE = Context(prec=400)


def numbers_of(values: pa.Array) -> Numbers:
    """Numbers as an array; as Python's own where no array holds them exactly."""
    kind = values.type
    if pa.types.is_float64(kind):
        return floats(pa.chunked_array([values]))
    if pa.types.is_floating(kind):
        # Told by their own shortest form: 0.1 has one decimal in any width.
        return np.array([float(str(np.float32(value))) for value in values.to_pylist()], np.float64)
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
        if all(column.dtype == np.float64 or _fits_floats(column) for column in arrays):
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


def _fits_floats(numbers: npt.NDArray[Any]) -> bool:
    return bool((np.abs(numbers) <= 1 << 53).all())


def plain_number(number: Any) -> object:
    """Return a number as one of Python's own."""
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
        whole = np.rint(scaled)
        # Where the product is exact enough, dividing a whole number by an exact power rounds
        # right; near a half Python has to decide.
        doubtful = np.abs(np.abs(scaled - np.floor(scaled)) - 0.5) <= np.abs(scaled) * _DOUBT
        # Where neighbouring floats are further apart than the decimals, nothing changes.
        is_coarse = ~(np.abs(scaled) < _EXACT_WHOLE)
        found: Floats = np.where(is_coarse, values, whole / power)
        doubtful &= ~is_coarse
    for index in np.flatnonzero(doubtful & np.isfinite(values)):
        found[index] = round(float(values[index]), decimals)
    found[~np.isfinite(values)] = values[~np.isfinite(values)]
    return found + 0.0


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
