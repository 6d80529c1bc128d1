"""A table as columns of numbers, and drawn numbers as a table of the same types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from petaudit.synthesizing.copula import Numbers
from petaudit.synthesizing.normal import Integers, Real
from petaudit.tables import Source, open_source

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


def to_integers(cells: pa.Array) -> Integers:
    """Integers, booleans, dates or times as integers in the same order."""
    kind = cells.type
    if pa.types.is_uint64(kind):
        # The order of unsigned numbers is that of signed ones, moved by half the range.
        return (buffer_of(cells, np.uint64) ^ _SIGN).view(np.int64)
    if not (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        cells = cells.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    return buffer_of(cells.cast(pa.int64()), np.int64)


def from_integers(numbers: Integers, is_null: Flags, kind: pa.DataType) -> pa.Array:
    """Return integers as cells of a type: the inverse of :func:`to_integers`."""
    if pa.types.is_uint64(kind):
        return pa.array(numbers.view(np.uint64) ^ _SIGN, mask=is_null)
    cells = pa.array(numbers, mask=is_null)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return cells.cast(kind)
    return (cells.cast(pa.int32()) if kind.bit_width == 32 else cells).view(kind)


def float_column(cells: pa.Array, is_null: Flags, kind: pa.DataType) -> Column:
    """Floats, drawn with the decimals that they have."""
    dtype = {16: np.float16, 32: np.float32, 64: np.float64}[kind.bit_width]
    # Adding zero turns -0.0 into 0.0.
    numbers = buffer_of(cells, dtype).astype(np.float64) + 0.0
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
    """Numbers rounded to ``decimals``; unchanged if that is None."""
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
        integers = pa.array(drawn, mask=nulls).cast(pa.decimal256(19, 0))
        return with_scale(integers, kind.scale - spare).cast(kind)

    return Column(values[buffer_of(coded.indices, np.int32)], is_null, to_arrow)


def with_scale(integers: pa.Array, scale: int) -> pa.Array:
    """Whole decimals, divided by a power of ten."""
    return pa.Array.from_buffers(pa.decimal256(76, scale), len(integers), integers.buffers())


PLACEHOLDER: Final = "text"
_NUMBER: Final = r"^(0|-?[1-9][0-9]{0,11}|-?(0|[1-9][0-9]{0,11})\.[0-9]{1,6})$"
_FLOAT: Final = r"^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$"
_DATE: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT: Final = (
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?$"
)
_UNITS: Final = ((19, "s"), (23, "ms"), (26, "us"), (29, "ns"))
"""The unit of moments by the length of their text, as in 2020-01-31 23:59:59.999."""


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of those for text."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def text_column(cells: pa.Array, is_null: Flags, kind: pa.DataType, *, is_untyped: bool) -> Column:
    """Labels by number; identifiers by nothing; numbers and dates in text by what they mean."""
    coded = cells.dictionary_encode()
    codes = buffer_of(coded.indices, np.int32)
    if is_untyped and (spelled := _spelled(coded.dictionary)) is not None:
        values, spell = spelled
        return Column(
            values[codes], is_null, lambda drawn, nulls, _: spell(drawn, nulls).cast(kind)
        )
    if 2 * len(coded.dictionary) > len(cells):
        return Column(
            np.zeros(len(cells), np.int64), is_null, _placeholders(coded.dictionary, kind)
        )
    labels = coded.dictionary
    order = np.array(sorted(range(len(labels)), key=labels.to_pylist().__getitem__))
    places = np.empty_like(order)
    places[order] = np.arange(len(order))

    def to_arrow(drawn: Numbers, nulls: Flags, _: int) -> pa.Array:
        return labels.take(pa.array(order[drawn], mask=nulls)).cast(kind)

    return Column(places[codes], is_null, to_arrow, is_nominal=True)


def _placeholders(values: pa.Array, kind: pa.DataType) -> ToArrow:
    """Texts that tell rows apart and are not in the table."""
    prefix = PLACEHOLDER
    while pc.any(pc.starts_with(values, prefix)).as_py():
        prefix = f"synthetic {prefix}"

    def to_arrow(drawn: Numbers, nulls: Flags, first: int) -> pa.Array:
        texts = [f"{prefix} {first + i + 1}" for i in range(len(drawn))]
        return pa.array(texts, kind, mask=nulls)

    return to_arrow


Spelled: TypeAlias = "tuple[Numbers, Callable[[Numbers, Flags], pa.Array]] | None"
"""What texts mean as numbers, and how to write such numbers."""


def _spelled(values: pa.Array) -> Spelled:
    readers = (_text_numbers, _text_floats, _text_dates, _text_moments)
    return next(filter(None, (read(values) for read in readers)), None)


def _text_numbers(values: pa.Array) -> Spelled:
    """Numbers in a file without types, all spelled in one way."""
    if not _all_match(values, _NUMBER):
        return None
    texts = values.to_pylist()
    lengths = {len(text.partition(".")[2]) for text in texts}
    decimals = max(lengths)
    integers = [int(Decimal(text).scaleb(decimals)) for text in texts]

    def spell(numbers: Integers, nulls: Flags) -> pa.Array:
        cells = pa.array(numbers, mask=nulls)
        if not decimals:
            return cells.cast(pa.string())
        spelled = with_scale(cells.cast(pa.decimal256(19, 0)), decimals).cast(pa.string())
        if len(lengths) == 1:
            return spelled
        return pc.utf8_rtrim(pc.utf8_rtrim(spelled, "0"), ".")

    return np.array(integers, np.int64), spell


def _text_floats(values: pa.Array) -> Spelled:
    """Numbers with many digits or with exponents, as programs write floats."""
    if not _all_match(values, _FLOAT):
        return None
    numbers = buffer_of(values.cast(pa.float64()), np.float64) + 0.0
    if not np.isfinite(numbers).all():
        return None
    decimals = number_of_decimals(numbers, np.float64)
    has_points = _all_match(values, "[.eE]")

    def spell(drawn: Numbers, nulls: Flags) -> pa.Array:
        texts = pa.array(rounded(drawn, decimals), mask=nulls).cast(pa.string())
        return pc.replace_substring_regex(texts, "^(-?[0-9]+)$", r"\1.0") if has_points else texts

    return numbers, spell


def _text_dates(values: pa.Array) -> Spelled:
    if not _all_match(values, _DATE):
        return None
    try:
        days = to_integers(values.cast(pa.date32()))
    except pa.ArrowInvalid:
        return None  # the thirtieth of February, for example
    return days, lambda drawn, nulls: from_integers(drawn, nulls, pa.date32()).cast(pa.string())


def _text_moments(values: pa.Array) -> Spelled:
    """Moments that are all spelled alike, with a fraction of the second and a zone or without."""
    if not _all_match(values, _MOMENT):
        return None
    zones = pc.unique(pc.replace_substring_regex(values, _MOMENT, r"\4"))
    if len(zones) != 1:
        return None
    zone = zones[0].as_py()
    local = pc.utf8_slice_codeunits(values, 0, -len(zone)) if zone else values
    lengths = pc.unique(pc.utf8_length(local))
    separators = pc.unique(pc.utf8_slice_codeunits(local, 10, 11))
    if len(lengths) != 1 or len(separators) != 1:
        return None
    length, separator = lengths[0].as_py(), separators[0].as_py()
    unit = next(unit for most, unit in _UNITS if length <= most)
    try:
        numbers = to_integers(local.cast(pa.timestamp(unit)))
    except pa.ArrowInvalid:
        return None

    def spell(drawn: Integers, nulls: Flags) -> pa.Array:
        texts = from_integers(drawn, nulls, pa.timestamp(unit)).cast(pa.string())
        cut = pc.utf8_slice_codeunits(texts, 0, length)
        cut = pc.utf8_replace_slice(cut, 10, 11, separator)
        return pc.binary_join_element_wise(cut, zone, "") if zone else cut

    return numbers, spell


def _all_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


def read_columns(table: object) -> tuple[Source, list[Column]]:
    """Open a table and read all its columns as numbers."""
    source, columns = read_cells(table)
    return source, [read_column(*column, is_untyped=source.is_untyped) for column in columns]


def read_cells(table: object) -> tuple[Source, list[tuple[pa.Array, pa.DataType]]]:
    """Open a table and read the cells of all its columns, with the types they come back in."""
    source = table if isinstance(table, Source) else open_source(table)
    given = table if isinstance(table, pa.Table) else None
    if given is None and source is not table:
        given = _parquet(source)
    if given is not None and given is not table:
        # DuckDB has fewer types than Arrow.
        source = open_source(given, called=source.name)
    # One query: rows without an order of their own must stay together.
    arrays = source.counts.columns_values(source.columns)
    kinds = [array.type for array in arrays]
    if given is not None:
        kinds = [
            _plain(kind, opened) for kind, opened in zip(given.schema.types, kinds, strict=True)
        ]
        # Opening made some types plainer; text it trimmed, and NaN it made null.
        arrays = [
            opened if opened.type == kind or is_text(kind) or pa.types.is_floating(kind) else stored
            for opened, kind, stored in zip(arrays, kinds, given.columns, strict=True)
        ]
    return source, [(_joined(array, kind), kind) for array, kind in zip(arrays, kinds, strict=True)]


def read_column(cells: pa.Array, kind: pa.DataType, *, is_untyped: bool = False) -> Column:
    """Turn the cells of one column into numbers.

    >>> from datetime import date
    >>> column = read_column(pa.array([date(1970, 1, 2), None]), pa.date32())
    >>> column.numbers.tolist(), column.is_null.tolist()
    ([1], [False, True])
    """
    is_null = buffer_of(cells.is_null().cast(pa.uint8()), np.uint8).astype(np.bool_)
    known = cells.drop_null()
    if pa.types.is_null(kind) or not len(known):
        empty = np.zeros(0, np.int64)
        return Column(empty, is_null, lambda numbers, _, __: pa.nulls(len(numbers), kind))
    if is_text(kind):
        return text_column(known, is_null, kind, is_untyped=is_untyped)
    if pa.types.is_floating(kind):
        return float_column(known, is_null, kind)
    if pa.types.is_decimal(kind):
        return decimal_column(known, is_null, kind)
    return Column(
        to_integers(known), is_null, lambda drawn, nulls, _: from_integers(drawn, nulls, kind)
    )


def _parquet(source: Source) -> pa.Table | None:
    if not source.paths or source.is_untyped or source.partitions is not None:
        return None
    try:
        tables = [pq.ParquetFile(path).read() for path in source.paths]
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowException, OSError):
        return None  # a compressed file, for example, which DuckDB was given unpacked


def _plain(kind: pa.DataType, opened: pa.DataType) -> pa.DataType:
    """The type that a column comes back in: its own, unless nothing can be drawn in it."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type, opened)
    is_number = pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind)
    return kind if is_number or is_text(kind) else opened


def _joined(cells: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if pa.types.is_string(cells.type) or pa.types.is_string_view(cells.type):
        cells = cells.cast(pa.large_string())
    elif cells.type != kind and not is_text(kind):
        cells = cells.cast(kind)
    joined = cells.combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined
