"""Numbers of one column in several tables: rounded, and in a form that compares by value."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.tables._encoding import floats, whole_numbers
from petaudit.tables._rounding import (
    decimals_of,
    decimals_of_decimals,
    plain_decimal,
    rounded,
    rounded_decimal,
)

Numbers: TypeAlias = npt.NDArray[Any] | list[Any]


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
    if isinstance(numbers, list):
        return decimals_of_decimals([Decimal(number) for number in numbers])
    if numbers.dtype == np.float64:
        return decimals_of(numbers)
    return 0 if numbers.size else None


def rounded_numbers(numbers: Numbers, decimals: int) -> Numbers:
    if isinstance(numbers, list):
        return [
            rounded_decimal(number, decimals) if isinstance(number, Decimal) else number
            for number in numbers
        ]
    return rounded(numbers, decimals) if numbers.dtype == np.float64 else numbers


def alike(numbers: Sequence[Numbers]) -> list[Numbers]:
    """Bring numbers of all tables into one form in which they compare by value."""
    arrays = [own for own in numbers if not isinstance(own, list)]
    if len(arrays) == len(numbers):
        if len({own.dtype for own in arrays if own.size}) <= 1:
            return [own for own in arrays if True]
        if all(_is_whole(own) for own in arrays):
            return [own.astype(np.int64) for own in arrays]
        if all(own.dtype == np.float64 or _fits_floats(own) for own in arrays):
            return [own.astype(np.float64) for own in arrays]
    if all(isinstance(number, Decimal) for own in numbers for number in own):
        return [list(own) for own in numbers]
    return [[_comparable(number) for number in _listed(own)] for own in numbers]


def _listed(numbers: Numbers) -> list[Any]:
    return numbers if isinstance(numbers, list) else numbers.tolist()


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
    return number.item() if isinstance(number, np.generic) else number
