"""Columns of text: labels, identifiers, and the numbers and dates of files without types."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from petaudit.synthesizing.exchange_numbers import (
    Column,
    Flags,
    ToArrow,
    buffer_of,
    from_whole,
    number_of_decimals,
    rounded,
    whole_of,
    with_scale,
)
from petaudit.synthesizing.marginal import Numbers
from petaudit.synthesizing.slices import Whole

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
    spelled = _spelled(coded.dictionary) if is_untyped else None
    if spelled is not None:
        values, spell = spelled
        return Column(values[codes], is_null, lambda own, nulls, _: spell(own, nulls).cast(kind))
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
    return (
        _text_numbers(values)
        or _text_floats(values)
        or _text_dates(values)
        or _text_moments(values)
    )


def _text_numbers(values: pa.Array) -> Spelled:
    """Numbers in a file without types, all spelled in one way."""
    if not _all_match(values, _NUMBER):
        return None
    texts = values.to_pylist()
    lengths = {len(text.partition(".")[2]) for text in texts}
    decimals = max(lengths)
    whole = [int(Decimal(text).scaleb(decimals)) for text in texts]

    def spell(numbers: Whole, nulls: Flags) -> pa.Array:
        cells = pa.array(numbers, mask=nulls)
        if not decimals:
            return cells.cast(pa.string())
        spelled = with_scale(cells.cast(pa.decimal256(19, 0)), decimals).cast(pa.string())
        if len(lengths) == 1:
            return spelled
        return pc.utf8_rtrim(pc.utf8_rtrim(spelled, "0"), ".")

    return np.array(whole, np.int64), spell


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
        days = whole_of(values.cast(pa.date32()))
    except pa.ArrowInvalid:
        return None  # the thirtieth of February, for example
    return days, lambda own, nulls: from_whole(own, nulls, pa.date32()).cast(pa.string())


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
        numbers = whole_of(local.cast(pa.timestamp(unit)))
    except pa.ArrowInvalid:
        return None

    def spell(drawn: Whole, nulls: Flags) -> pa.Array:
        texts = from_whole(drawn, nulls, pa.timestamp(unit)).cast(pa.string())
        cut = pc.utf8_slice_codeunits(texts, 0, length)
        cut = pc.utf8_replace_slice(cut, 10, 11, separator)
        return pc.binary_join_element_wise(cut, zone, "") if zone else cut

    return numbers, spell


def _all_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())
