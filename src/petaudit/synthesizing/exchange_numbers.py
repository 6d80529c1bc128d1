"""Columns of numbers, dates and times as arrays, and the way back to their types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import localcontext
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from petaudit.synthesizing.marginal import Numbers
from petaudit.synthesizing.normal import Real
from petaudit.synthesizing.slices import Whole

Flags: TypeAlias = NDArray[np.bool_]
ToArrow: TypeAlias = Callable[[Numbers, Flags, int], pa.Array]
"""Makes cells from drawn numbers, from flags that say which are null, and the first row's place."""

MOST_DECIMALS: Final = 15
_LARGEST_EXACT: Final = 2.0**53
_SIGN: Final = np.uint64(1 << 63)


@dataclass(frozen=True)
class Column:
    """The cells of a column that are not null, as numbers that keep their order, and a way back."""

    numbers: Numbers
    is_null: Flags
    to_arrow: ToArrow
    is_nominal: bool = False
    """Whether the numbers are those of labels."""


def buffer_of(cells: pa.Array, dtype: Any) -> NDArray[Any]:
    """The numbers of an array without nulls."""
    size = np.dtype(dtype).itemsize
    if not len(cells):
        return np.zeros(0, dtype)
    return np.frombuffer(cells.buffers()[1], dtype, len(cells), size * cells.offset)


def whole_of(cells: pa.Array) -> Whole:
    """Whole numbers, booleans, dates or times as whole numbers in the same order."""
    kind = cells.type
    if pa.types.is_uint64(kind):
        # The order of unsigned numbers is that of signed ones, moved by half the range.
        return (buffer_of(cells, np.uint64) ^ _SIGN).view(np.int64)
    if not (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        cells = cells.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    return buffer_of(cells.cast(pa.int64()), np.int64)


def from_whole(numbers: Whole, is_null: Flags, kind: pa.DataType) -> pa.Array:
    """The way back."""
    if pa.types.is_uint64(kind):
        return pa.array(numbers.view(np.uint64) ^ _SIGN, mask=is_null)
    cells = pa.array(numbers, mask=is_null)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return cells.cast(kind)
    return (cells.cast(pa.int32()) if kind.bit_width == 32 else cells).view(kind)


def float_column(cells: pa.Array, is_null: Flags, kind: pa.DataType) -> Column:
    """Floats, drawn with the decimals that they have."""
    dtype = {16: np.float16, 32: np.float32, 64: np.float64}[kind.bit_width]
    own = buffer_of(cells, dtype)
    # Adding zero turns -0.0 into 0.0.
    numbers = own.astype(np.float64) + 0.0
    decimals = number_of_decimals(numbers[np.isfinite(numbers)], dtype)

    def to_arrow(drawn: Numbers, nulls: Flags, _: int) -> pa.Array:
        return pa.array(rounded(drawn, decimals).astype(dtype), mask=nulls)

    return Column(numbers, is_null, to_arrow)


def number_of_decimals(numbers: Numbers, dtype: Any) -> int | None:
    """The decimals that all numbers have at most; None if they have too many to tell."""
    exact = numbers.astype(dtype)
    largest = float(np.abs(numbers).max(initial=0.0))
    for decimals in range(MOST_DECIMALS + 1):
        if largest * 10.0**decimals >= _LARGEST_EXACT:
            return None
        for part in (slice(1000), slice(None)):  # mostly, a few numbers tell
            if not (rounded(numbers[part], decimals).astype(dtype) == exact[part]).all():
                break
        else:
            return decimals
    return None


def rounded(numbers: Real, decimals: int | None) -> Real:
    """Numbers with so many decimals; as they are if it is not known how many."""
    if decimals is None:
        return numbers
    # Adding zero turns -0.0 into 0.0.
    return np.asarray(np.rint(numbers * 10.0**decimals) / 10.0**decimals + 0.0)


def decimal_column(cells: pa.Array, is_null: Flags, kind: pa.DataType) -> Column:
    """Decimals as whole numbers of their last digit."""
    if kind.bit_width < 128:
        cells = cells.cast(pa.decimal128(38, kind.scale))  # few of Arrow's functions know the type
    coded = cells.dictionary_encode()
    with localcontext(prec=100):
        scaled = [int(value.scaleb(kind.scale)) for value in coded.dictionary.to_pylist()]
    # Digits that do not fit into 64 bits are dropped.
    spare = max(0, len(str(max(map(abs, scaled)))) - 18)
    values = np.array([abs(v) // 10**spare * (1 if v > 0 else -1) for v in scaled], np.int64)

    def to_arrow(drawn: Numbers, nulls: Flags, _: int) -> pa.Array:
        whole = pa.array(drawn, mask=nulls).cast(pa.decimal256(19, 0))
        return with_scale(whole, kind.scale - spare).cast(kind)

    return Column(values[buffer_of(coded.indices, np.int32)], is_null, to_arrow)


def with_scale(whole: pa.Array, scale: int) -> pa.Array:
    """Whole decimals, divided by a power of ten."""
    return pa.Array.from_buffers(pa.decimal256(76, scale), len(whole), whole.buffers())
