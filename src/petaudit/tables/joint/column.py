"""One column of several tables, encoded together: equal values have equal codes in all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from petaudit.errors import term
from petaudit.labels.cells import BLANKS
from petaudit.tables._encoding import combined, is_text, whole_numbers
from petaudit.tables.joint.text_kinds import (
    are_alike,
    are_spelled_differently,
    as_booleans,
    as_moments,
    as_numbers,
    can_be_text,
    text_kind,
)
from petaudit.tables.joint.values import (
    Moments,
    alike,
    moment,
    most_decimals,
    numbers_of,
    plain_number,
    rounded_numbers,
)

SYNTHETIC, ORIGINAL, CONTROL = range(3)
"""The place of each table among all."""

Codes: TypeAlias = npt.NDArray[np.uint32]
Precision: TypeAlias = int | str | None
Keys: TypeAlias = npt.NDArray[Any] | pa.Array | Sequence[Any]
_LARGEST = 1 << 62
_FORMS = 10_000
"""So many texts are tried in other spellings."""


class Kind(StrEnum):
    """What the values of a column are, as far as comparing them goes."""

    NOTHING = term("only nulls")
    BOOLEAN = term("booleans")
    NUMBER = term("numbers")
    TEXT = term("text")
    MOMENT = term("dates")
    AWARE = term("date-times with a time zone")
    TIME = term("times of day")
    DURATION = term("durations")


class KindsDifferError(Exception):
    """The same column holds values that cannot be compared."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        super().__init__()
        self.kinds = kinds


class SpellingsDifferError(Exception):
    """Files without types write the same values in different ways."""


@dataclass(frozen=True)
class Cells:
    """A column of one table: a place per row, and the distinct values that places lead to."""

    places: Codes
    """One past the last value for a null."""
    values: pa.Array
    is_untyped: bool
    """Whether the column is text because its file has no types."""

    @classmethod
    def of(cls, column: pa.ChunkedArray, *, is_untyped: bool) -> Cells:
        """Encode a column; blanks around text are trimmed, blank text is null."""
        coded = combined(column)
        if not pa.types.is_dictionary(coded.type):
            coded = coded.dictionary_encode()
        values = coded.dictionary
        places = _places(coded.indices, len(values))
        if is_text(values.type):
            places, values = _trimmed(places, values.cast(pa.string()))
        elif pa.types.is_floating(values.type):
            places, values = _without_nan(places, values)
        return cls(places, values, is_untyped and is_text(values.type))

    @property
    def kind(self) -> Kind:
        """The kind by the column's type."""
        return Kind.NOTHING if not len(self.values) else _kind(self.values.type)


@dataclass(frozen=True)
class JointColumn:
    """A column of all tables in common codes."""

    codes: list[Codes]
    size: int
    """How many codes there are, the one of null included."""
    precision: Precision
    kind: Kind
    keys: Keys
    read: Callable[[Any], object]
    """The prepared value of a key."""
    is_spelled_differently: bool = False
    """Whether no text is in two tables, but most of it but for how it is written."""

    def value(self, code: int) -> object:
        """The prepared value of a code."""
        return self.read(self.keys[code])

    @property
    def null(self) -> int:
        """The code of a null; no row has it where there are none."""
        return self.size - 1


def join_cells(tables: Sequence[Cells], decimals: int | None, unit: str | None) -> JointColumn:
    """Encode a column of all tables; precision is given or found in the original table."""
    typed = _typed(tables)
    kinds = [cells.kind for cells in typed]
    kind = _common_kind(kinds)
    match kind:
        case Kind.NUMBER | Kind.BOOLEAN:
            return _join_numbers(typed, decimals, kind)
        case Kind.MOMENT | Kind.AWARE | Kind.TIME | Kind.DURATION:
            return _join_moments(typed, unit, kind)
    texts = [cells.values.cast(pa.string()) for cells in typed]
    codes, keys = _joined_text(typed, texts)
    is_alike = _is_spelled_differently(codes, keys)
    return JointColumn(codes, len(keys) + 1, None, kind, keys, lambda key: key.as_py(), is_alike)


def _is_spelled_differently(codes: Sequence[Codes], keys: pa.Array) -> bool:
    """Whether the synthetic and the original table have no text in common, but spellings of it."""
    used = [np.unique(codes[table]) for table in (SYNTHETIC, ORIGINAL)]
    first, known = (codes_in_use[codes_in_use < len(keys)] for codes_in_use in used)
    if not len(first) or not len(known) or np.intersect1d(first, known).size:
        return False
    texts = (
        keys.take(pa.array(codes_in_use[:_FORMS])).to_pylist() for codes_in_use in (first, known)
    )
    return are_alike(*texts)


def _typed(tables: Sequence[Cells]) -> list[Cells]:
    """Read the text of files without types as what it is in all of them."""
    wanted = {cells.kind for cells in tables if not cells.is_untyped} - {Kind.NOTHING}
    untyped = [cells for cells in tables if cells.is_untyped and len(cells.values)]
    if not untyped:
        return _checked_text(tables) if wanted == {Kind.TEXT} else list(tables)
    if wanted == {Kind.TEXT} or (not wanted and can_be_text([cells.values for cells in untyped])):
        if are_spelled_differently([cells.values.cast(pa.string()) for cells in tables]):
            raise SpellingsDifferError
        return list(tables)
    if not wanted:
        # What looks different in the tables becomes different kinds, which is an error.
        wanted = {Kind.BOOLEAN, Kind.NUMBER, Kind.MOMENT, Kind.AWARE}
    return [_reread(cells, wanted) if cells.is_untyped else cells for cells in tables]


def _checked_text(tables: Sequence[Cells]) -> list[Cells]:
    """Text of frames: what looks different in them cannot be compared, as in files."""
    texts = [cells.values.cast(pa.string()) for cells in tables if len(cells.values)]
    if len({text_kind(values) for values in texts}) > 1 and not can_be_text(texts):
        every = {Kind.BOOLEAN, Kind.NUMBER, Kind.MOMENT, Kind.AWARE}
        return [_reread(cells, every) for cells in tables]
    if are_spelled_differently(texts):
        raise SpellingsDifferError
    return list(tables)


def _reread(cells: Cells, wanted: set[Kind]) -> Cells:
    readers: dict[Kind, Callable[[pa.Array], Any]] = {
        Kind.BOOLEAN: as_booleans,
        Kind.NUMBER: as_numbers,
        Kind.MOMENT: as_moments,
        Kind.AWARE: partial(as_moments, is_aware=True),
    }
    for kind, read in readers.items():
        if kind in wanted and len(cells.values):
            values = read(cells.values)
            if values is not None:
                return Cells(cells.places, values, is_untyped=False)
    return cells


def _common_kind(kinds: Sequence[Kind]) -> Kind:
    known = set(kinds) - {Kind.NOTHING}
    if known == {Kind.NUMBER, Kind.BOOLEAN}:
        return Kind.NUMBER
    if len(known) > 1:
        raise KindsDifferError(kinds)
    return next(iter(known), Kind.NOTHING)


def _join_numbers(tables: Sequence[Cells], decimals: int | None, kind: Kind) -> JointColumn:
    numbers = [numbers_of(cells.values) for cells in tables]
    if decimals is None:
        decimals = most_decimals(numbers[ORIGINAL])
    if decimals is not None:
        numbers = [rounded_numbers(column, decimals) for column in numbers]
    codes, keys = _joined(tables, alike(numbers))
    read = bool if kind is Kind.BOOLEAN else plain_number
    return JointColumn(codes, len(keys) + 1, decimals, kind, keys, read)


def _join_moments(tables: Sequence[Cells], unit: str | None, kind: Kind) -> JointColumn:
    """Dates and times, in the unit that all have in common; times of day and durations as they are.

    Ticks are those of the finest table; what is seen from a zone is seen from that of the original.
    """
    present = [cells for cells in tables if len(cells.values)]
    zones = [getattr(cells.values.type, "tz", None) for cells in (tables[ORIGINAL], *present)]
    zone = next(filter(None, zones), None)
    moments = [Moments.of(cells.values, zone) if len(cells.values) else None for cells in tables]
    original, is_span = moments[ORIGINAL], kind in (Kind.TIME, Kind.DURATION)
    if is_span:
        unit = None
    elif unit is None and original is not None:
        unit = original.finest_unit()
    if unit is not None:
        moments = [None if of_table is None else of_table.floored(unit) for of_table in moments]
    tick = min(of_table.tick for of_table in moments if of_table is not None)
    keys_of = [[] if of_table is None else of_table.keys(tick) for of_table in moments]
    only_dates = all(pa.types.is_date(cells.values.type) for cells in present)

    def read(key: Any) -> object:
        if not is_span:
            return moment(int(key) // tick, tick, zone, only_dates=only_dates)
        span = timedelta(microseconds=int(key) / 1_000)
        return span if kind is Kind.DURATION else (datetime.min + span).time()

    codes, keys = _joined(tables, keys_of)
    return JointColumn(codes, len(keys) + 1, unit, kind, _in_nanoseconds(keys, tick), read)


def _in_nanoseconds(keys: Any, tick: int) -> Keys:
    """Ticks in nanoseconds; an array of them takes a fifth of the memory of Python's own."""
    if isinstance(keys, np.ndarray) and int(np.abs(keys).max(initial=0)) * tick < _LARGEST:
        return keys.astype(np.int64) * tick
    return [int(key) * tick for key in keys]


def _joined(tables: Sequence[Cells], keys_of: Sequence[Keys]) -> tuple[list[Codes], Any]:
    """Give equal keys equal codes, in all tables; null comes after the last."""
    used = [keys for keys in keys_of if len(keys)]
    if all(isinstance(keys, np.ndarray) for keys in used):
        joint = np.concatenate(used) if used else np.zeros(0, np.int64)
        distinct, codes = np.unique(joint, return_inverse=True)
        return _recoded(tables, [len(keys) for keys in keys_of], codes, len(distinct)), distinct
    position: dict[Any, int] = {}
    listed: Iterable[Any] = (
        key for keys in keys_of for key in (keys.tolist() if isinstance(keys, np.ndarray) else keys)
    )
    codes = np.array([position.setdefault(key, len(position)) for key in listed], np.int64)
    return _recoded(tables, [len(keys) for keys in keys_of], codes, len(position)), list(position)


def _joined_text(
    tables: Sequence[Cells], texts: Sequence[pa.Array]
) -> tuple[list[Codes], pa.Array]:
    encoded = pa.concat_arrays(list(texts)).dictionary_encode()
    codes = whole_numbers(pa.chunked_array([encoded.indices]))
    lengths = [len(text) for text in texts]
    return _recoded(tables, lengths, codes, len(encoded.dictionary)), encoded.dictionary


def _recoded(
    tables: Sequence[Cells], lengths: Sequence[int], codes: npt.NDArray[Any], null: int
) -> list[Codes]:
    ends = np.cumsum(lengths)
    recodes = (codes[end - length : end] for end, length in zip(ends, lengths, strict=True))
    return [
        np.append(recode, null).astype(np.uint32)[cells.places]
        for cells, recode in zip(tables, recodes, strict=True)
    ]


def _places(indices: pa.Array, null: int) -> Codes:
    filled = indices.cast(pa.int64()).fill_null(null) if indices.null_count else indices
    return whole_numbers(pa.chunked_array([filled])).astype(np.uint32)


def _trimmed(places: Codes, values: pa.Array) -> tuple[Codes, pa.Array]:
    trimmed = pc.utf8_trim(values, BLANKS)
    is_blank = pc.equal(trimmed, "")
    if trimmed.equals(values) and not pc.any(is_blank).as_py():
        # By far the most frequent case.
        return places, values
    return _reencoded(places, pc.if_else(is_blank, None, trimmed))


def _without_nan(places: Codes, values: pa.Array) -> tuple[Codes, pa.Array]:
    """Make NaN a null here as well: DuckDB's own test misses it in some files."""
    is_nan = pc.is_nan(values.cast(pa.float64()))
    if not pc.any(is_nan).as_py():
        return places, values
    return _reencoded(places, pc.if_else(is_nan, None, values))


def _reencoded(places: Codes, values: pa.Array) -> tuple[Codes, pa.Array]:
    """Make equal values one; those that are null now have the place of a null."""
    coded = values.dictionary_encode()
    null = len(coded.dictionary)
    return np.append(_places(coded.indices, null), np.uint32(null))[places], coded.dictionary


def _kind(kind: pa.DataType) -> Kind:
    if pa.types.is_boolean(kind):
        return Kind.BOOLEAN
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Kind.NUMBER
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return Kind.AWARE
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return Kind.MOMENT
    if pa.types.is_time(kind):
        return Kind.TIME
    if pa.types.is_duration(kind):
        return Kind.DURATION
    return Kind.TEXT
