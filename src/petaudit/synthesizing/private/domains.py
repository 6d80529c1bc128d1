"""What the cells of a column may be: said by somebody who need not look at the table.

A domain gives every cell a number by a rule that does not depend on other rows, and turns drawn
numbers into cells. A cell that does not fit gets the number `OUTSIDE`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from petaudit.errors import OptionError, phrase, shortened, suggestion
from petaudit.synthesizing.exchange import PLACEHOLDER, from_integers, is_text, with_scale
from petaudit.synthesizing.normal import Integers, Real

OUTSIDE: Final = -1
FROM_DATA: Final = "from-data"
IDENTIFIER: Final = "identifier"
WORDS: Final = (FROM_DATA, IDENTIFIER)
RANGE_KEYS: Final = ("from", "to", "bins", "cuts", "decimals", "nulls")
MOST_BINS: Final = 32
"""Spans that a range is cut into, if nothing else is said."""
MOST_CELLS: Final = 10_000
MOST_DECIMALS: Final = 9
_LARGEST: Final = 2**61
_EPOCH: Final = datetime(1970, 1, 1)

Unit: TypeAlias = Literal["number", "day", "second"]


@dataclass(frozen=True)
class Identifiers:
    """A column that is not looked at: every row gets a text of its own."""

    size = 0

    def encode(self, cells: pa.Array) -> Integers:
        """Every cell fits, and none is told from another."""
        return np.zeros(len(cells), np.int64)

    def decode(self, numbers: Integers, within: Real, kind: pa.DataType) -> pa.Array:
        """Texts, or numbers where the column holds numbers."""
        count = np.arange(1, len(numbers) + 1)
        if is_text(kind):
            return pa.array([f"{PLACEHOLDER} {number}" for number in count], kind)
        return (
            pa.array(count).cast(kind) if pa.types.is_integer(kind) else pa.nulls(len(count), kind)
        )


@dataclass(frozen=True)
class Labels:
    """Values that are listed; None among them stands for null."""

    values: tuple[Any, ...]

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.values)

    def encode(self, cells: pa.Array) -> Integers:
        """The place of each cell in the list."""
        places = {_comparable(value, cells.type): place for place, value in enumerate(self.values)}
        return _by_value(cells, lambda value: places.get(_comparable(value, cells.type), OUTSIDE))

    def decode(self, numbers: Integers, within: Real, kind: pa.DataType) -> pa.Array:
        """The listed values at these places."""
        listed = [_comparable(value, kind) for value in self.values]
        return pa.array(listed).take(pa.array(numbers)).cast(kind)


@dataclass(frozen=True)
class Span:
    """Numbers or days from one to another, cut into spans; what is beyond counts as the end."""

    starts: tuple[int, ...]
    """The first unit of each span."""
    last: int
    unit: Unit = "number"
    decimals: int = 0
    has_null: bool = False

    @property
    def size(self) -> int:
        """The number of cells: null is the last one."""
        return len(self.starts) + self.has_null

    def encode(self, cells: pa.Array) -> Integers:
        """The span of each cell."""
        starts = np.array(self.starts)
        null = len(self.starts) if self.has_null else OUTSIDE

        def place(value: Any) -> int:
            if _is_null(value):
                return null
            units = in_units(value, self.unit, self.decimals)
            if units is None:
                return OUTSIDE
            return max(0, int(np.searchsorted(starts, units, side="right")) - 1)

        return _by_value(cells, place)

    def decode(self, numbers: Integers, within: Real, kind: pa.DataType) -> pa.Array:
        """Values of the spans, all equally likely inside one; ``within`` is uniform in 0 to 1."""
        starts = np.array([*self.starts, 0] if self.has_null else self.starts)
        ends = np.array([*self.starts[1:], self.last + 1])
        widths = np.append(ends, 1) - starts if self.has_null else ends - starts
        width = widths[numbers]
        units = starts[numbers] + np.minimum((within * width).astype(np.int64), width - 1)
        is_null = numbers == len(self.starts)
        if self.unit != "number":
            days = self.unit == "day"
            cells = from_integers(units, is_null, pa.date32() if days else pa.timestamp("s"))
            return cells.cast(kind)
        cells = pa.array(units, mask=is_null)
        if self.decimals and pa.types.is_floating(kind):
            return pa.array(units / 10.0**self.decimals, mask=is_null).cast(kind)
        if self.decimals:
            cells = with_scale(cells.cast(pa.decimal256(19, 0)), self.decimals)
        return cells.cast(kind)


Domain: TypeAlias = Identifiers | Labels | Span


def domain_of(spec: Any, column: str) -> Domain:
    """Read what a user says about a column.

    >>> domain_of(["yes", "no", None], "insured").size
    3
    >>> domain_of({"from": 0, "to": 99, "bins": 10}, "age").starts[:3]
    (0, 10, 20)
    >>> domain_of({"from": 0, "to": 10, "cuts": [1, 5]}, "gain").starts
    (0, 1, 5)
    """
    if spec == IDENTIFIER:
        return Identifiers()
    if isinstance(spec, Mapping):
        return _span(spec, column)
    if isinstance(spec, Sequence) and not isinstance(spec, str) and spec:
        return _labels(spec, column)
    raise _wrong(
        column,
        phrase(
            "expected a list of values, a range {{from: 0, to: 99}} or one of the words "
            "{words}{near}",
            words=", ".join(WORDS),
            near=suggestion(spec, WORDS) if isinstance(spec, str) else "",
        ),
    )


def _labels(spec: Sequence[Any], column: str) -> Labels:
    if any(isinstance(value, Mapping | list | tuple | set) for value in spec):
        raise _wrong(column, phrase("its list of values has a list or a mapping in it"))
    if len({str(value) for value in spec}) < len(spec):
        raise _wrong(column, phrase("its list of values has one of them twice"))
    if len(spec) > MOST_CELLS:
        raise _too_many(column)
    return Labels(tuple(spec))


def _span(spec: Mapping[str, Any], column: str) -> Span:
    for key in spec:
        if key not in RANGE_KEYS:
            raise _wrong(
                column,
                phrase(
                    "unknown key {key}{near}; keys are {keys}",
                    key=shortened(repr(key)),
                    near=suggestion(str(key), RANGE_KEYS),
                    keys=", ".join(RANGE_KEYS),
                ),
            )
    ends = [spec.get("from"), spec.get("to")]
    cuts = spec.get("cuts") or ()
    if not isinstance(cuts, list | tuple):
        raise _wrong(column, phrase("cuts must be ascending, greater than from and at most to"))
    unit = unit_of(ends[0])
    decimals = spec.get("decimals", max(map(decimals_of, [*ends, *cuts])))
    if not _is_integer(decimals, 0, MOST_DECIMALS):
        raise _wrong(
            column, phrase("decimals must be an integer from 0 to {most}", most=MOST_DECIMALS)
        )
    if not isinstance(spec.get("nulls", False), bool):
        raise _wrong(column, phrase("nulls must be true or false"))
    points = [in_units(value, unit, decimals) for value in (*ends, *cuts)]
    known = [point for point in points if point is not None and abs(point) < _LARGEST]
    if len(known) < len(points) or not known[0] <= known[1]:
        raise _wrong(
            column, phrase("from and to must be two numbers or two dates, and from the smaller one")
        )
    first, last, *inner = known
    width = last - first + 1
    bins = spec.get("bins", min(width, MOST_BINS))
    if cuts and "bins" in spec:
        raise _wrong(column, phrase("give bins or cuts, not both"))
    if not _is_integer(bins, 1, MOST_CELLS):
        raise _wrong(column, phrase("bins must be an integer from 1 to {most:,}", most=MOST_CELLS))
    if cuts:
        starts = [first, *inner]
        if any(b <= a for a, b in zip(starts, [*inner, last + 1], strict=True)):
            raise _wrong(column, phrase("cuts must be ascending, greater than from and at most to"))
    else:
        starts = [first + width * i // bins for i in range(min(bins, width))]
    if len(starts) > MOST_CELLS:
        raise _too_many(column)
    return Span(tuple(starts), last, unit, decimals, spec.get("nulls", False))


def _wrong(column: str, problem: str) -> OptionError:
    return OptionError("domain of column {column!r}: {problem}", column=column, problem=problem)


def _too_many(column: str) -> OptionError:
    return _wrong(column, phrase("it has more than {most:,} cells", most=MOST_CELLS))


def _is_integer(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def unit_of(value: Any) -> Unit:
    """What a range counts in, by its first end."""
    if isinstance(value, str) and in_units(value, "number", 0) is None:
        value = _moment(value) if len(value) > len("2020-01-31") else _moment(value, date)
    if isinstance(value, datetime):
        return "second"
    return "day" if isinstance(value, date) else "number"


def decimals_of(value: Any) -> int:
    """The digits that a number has behind its point.

    >>> decimals_of("1.50"), decimals_of(3)
    (1, 0)
    """
    number = None if isinstance(value, bool) else _number(value)
    if number is None or not number.is_finite():
        return 0
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def in_units(value: Any, unit: Unit, decimals: int) -> int | None:
    """A value as a number of units; None if it is not of that kind.

    >>> in_units("1.25", "number", 1), in_units("1970-01-03", "day", 0), in_units("x", "day", 0)
    (12, 2, None)
    """
    if unit == "number":
        number = None if isinstance(value, bool) else _number(value)
        if number is None or number.is_nan():
            return None
        # What is far away counts as an end of the range in any case.
        limit = Decimal(_LARGEST)
        near = min(max(number, -limit), limit).scaleb(decimals)
        return int(min(max(near, -limit), limit).to_integral_value())
    moment = _moment(value) if isinstance(value, str) else value
    if not isinstance(moment, date):
        return None
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    since = moment - _EPOCH.replace(tzinfo=UTC if moment.tzinfo else None)
    return since // (timedelta(days=1) if unit == "day" else timedelta(seconds=1))


def _number(value: Any) -> Decimal | None:
    if not isinstance(value, int | float | Decimal | str):
        return None
    try:
        return Decimal(str(value).strip())
    except InvalidOperation:
        return None


def _moment(text: str, kind: type[date] = datetime) -> date | None:
    try:
        return kind.fromisoformat(text.strip())
    except ValueError:
        return None


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _comparable(value: Any, kind: pa.DataType) -> Any:
    """A listed value as the column would hold it: text where that is text."""
    if _is_null(value):
        return None
    if not is_text(kind) or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def countable(cells: pa.Array) -> pa.Array:
    """The same cells in a type that Arrow can count and Python can hold."""
    kind = cells.type
    # Python knows nothing shorter than a microsecond.
    if pa.types.is_timestamp(kind):
        return cells.cast(pa.timestamp("us", kind.tz), safe=False)
    if pa.types.is_time64(kind) or pa.types.is_duration(kind):
        shorter = pa.time64("us") if pa.types.is_time64(kind) else pa.duration("us")
        return cells.cast(shorter, safe=False)
    if pa.types.is_decimal(kind):
        return cells.cast(pa.decimal256(76, kind.scale))
    return cells.cast(pa.float32()) if pa.types.is_float16(kind) else cells


def _by_value(cells: pa.Array, place: Any) -> Integers:
    """The number that a rule gives each cell, asked once for each value."""
    cells = countable(cells)
    coded = cells.dictionary_encode(null_encoding="encode")
    places = np.array([place(value) for value in coded.dictionary.to_pylist()], np.int64)
    return places[coded.indices.to_numpy(zero_copy_only=False)] if len(cells) else places
