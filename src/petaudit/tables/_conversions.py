"""How the cells of a column become those of a declared type, in DuckDB's SQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias

import narwhals.stable.v2 as nw

from petaudit.errors import phrase, term
from petaudit.tables.engines.duckdb import quote_text

TypeName: TypeAlias = Literal["int", "float", "str", "date", "datetime", "bool"]
Sql: TypeAlias = Callable[[str], str]
"""Makes an expression from the one of a cell."""

_WHOLE: Final = r"[+-]?[0-9]+(\.0*)?"
_NUMBER: Final = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?"
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MIDNIGHT: Final = r"[ T]00:00(:00(\.0{1,9})?)?"
_HOUR: Final = "([01][0-9]|2[0-3])"
_ZONE: Final = f"(Z|[+-]{_HOUR}(:?[0-5][0-9])?)"
# A day less on either side: the zone of whoever looks at it must not lead out of the calendar.
_AWARE_BOUNDS: Final = "TIMESTAMPTZ '0001-01-02 00:00:00Z' AND TIMESTAMPTZ '9999-12-30 00:00:00Z'"

_MOST_DIGITS: Final = 800
"""No double has more than 767 of them, written out in full."""


class Kind(StrEnum):
    """What the cells of a column are before they are converted."""

    TEXT = term("text")
    INTEGER = term("integers")
    HUGE = term("integers of 128 bits")
    FLOAT = term("floats")
    SHORT_FLOAT = term("floats of 32 bits")
    DECIMAL = term("decimal numbers")
    BOOLEAN = term("booleans")
    DATE = term("dates")
    DATETIME = term("date-times")
    FINE_DATETIME = term("date-times in nanoseconds")
    AWARE_DATETIME = term("date-times with a time zone")
    OTHER = term("values of another kind")

    @classmethod
    def of(cls, dtype: Any) -> Kind:
        """The kind by the column's type."""
        match dtype:
            case nw.Datetime():
                if dtype.time_zone is not None:
                    return cls.AWARE_DATETIME
                return cls.FINE_DATETIME if dtype.time_unit == "ns" else cls.DATETIME
            case nw.Int128() | nw.UInt128():
                return cls.HUGE
            case nw.Float32():
                return cls.SHORT_FLOAT
            case nw.String():
                return cls.TEXT
            case nw.Decimal():
                return cls.DECIMAL
            case nw.Boolean():
                return cls.BOOLEAN
            case nw.Date():
                return cls.DATE
        if dtype.is_integer():
            return cls.INTEGER
        return cls.FLOAT if dtype.is_float() else cls.OTHER


@dataclass(frozen=True)
class Conversion:
    """One way to a type; ``sql`` gives null for a cell that cannot go it, None changes nothing."""

    expected: str
    sql: Sql | None = None


def conversions(wanted: TypeName | None, kind: Kind, format_: str | None) -> tuple[Conversion, ...]:
    """The ways from a kind of cells to a type; the one that most cells can go is taken.

    >>> [way.expected for way in conversions("int", Kind.TEXT, None)]
    ['int']
    >>> conversions("bool", Kind.FLOAT, None)
    ()
    """
    if wanted is None or kind in _AS_THEY_ARE[wanted]:
        return (Conversion(wanted or "value"),)
    if kind is Kind.TEXT and wanted == "datetime" and format_ is None:
        return _text_to_datetime()
    if kind is Kind.TEXT and wanted in ("date", "datetime") and format_ is not None:
        expected = phrase("{type} of the format {format!r}", type=wanted, format=format_)
        return (Conversion(expected, _by_format(wanted, format_)),)
    sql = _CONVERTED[wanted].get(kind)
    return () if sql is None else (Conversion(wanted, sql),)


def too_fine(kind: Kind, precision: int) -> Sql | None:
    """Whether a number has more decimals, in its shortest form, than it may have."""
    match kind:
        case Kind.INTEGER | Kind.HUGE:
            return None
        case Kind.DECIMAL:
            return lambda cell: f"round({cell}, {precision}) <> {cell}"
        case Kind.SHORT_FLOAT:
            # Its shortest form is the nearest short decimal that still is the same float.
            return lambda cell: (
                f"CAST(round(CAST({cell} AS DOUBLE), {precision}) AS FLOAT) <> {cell}"
            )
    return lambda cell: _has_more_decimals(cell, precision)


def _has_more_decimals(cell: str, precision: int) -> str:
    # Rounding decides most cells at once, and what it leaves alone is short enough. It is not exact
    # for large numbers, so the others are written out.
    text = f"CAST({cell} AS VARCHAR)"
    decimals = f"length(rtrim(split_part(split_part({text}, 'e', 1), '.', 2), '0'))"
    exponent = f"coalesce(TRY_CAST(split_part({text}, 'e', 2) AS INTEGER), 0)"
    return (
        f"CASE WHEN round({cell}, {precision}) = {cell} THEN false "
        f"ELSE {decimals} - {exponent} > {precision} END"
    )


def lost_digits(kind: Kind) -> tuple[Callable[[str, str], str], ...]:
    """Whether a cell loses digits as a float, by each of the two forms a column may be written in.

    A column keeps its digits if all of its cells are written in one form: in the shortest one that
    is read as the same float (0.1), as most programs write; or rounded from the exact value of the
    float to the digits that are written, 17 or more (0.10000000000000001), as ``%.17g``, ``%.18e``
    and integers are. Zeros at the end and exponents make no difference. In either form a float has
    one spelling, so two numbers become one only if both are that float, rounded to a different
    number of digits beyond 16. A column that mixes the forms loses digits: 0.1 and
    0.10000000000000001 are two numbers there, and one float. Likewise for integers and decimals.

    The expressions take the cell and the double it becomes, null if it becomes none.
    """

    def is_not_shortest(cell: str, number: str) -> str:
        written, shortest = _written(cell, kind), f"CAST({number} AS VARCHAR)"
        # Most cells are decided before digits are compared. Numbers of up to 15 digits are their
        # own shortest form, but for those next to zero, which take six characters: 1e-324.
        size = f"strlen({written})"
        is_short = f"{size} <= 5 OR ({size} <= 15 AND abs({number}) > 1e-300)"
        if kind in (Kind.INTEGER, Kind.HUGE):
            is_short = f"abs({number}) < 9007199254740992"
        return (
            f"CASE WHEN {number} IS NULL OR {is_short} THEN false "
            f"WHEN {shortest} = {written} THEN false "
            f"ELSE trim({_digits(written)}, '0') <> trim({_digits(shortest)}, '0') END"
        )

    def is_not_rounded(cell: str, number: str) -> str:
        written = f"ltrim({_digits(_written(cell, kind))}, '0')"
        places = f"CAST(least(greatest(strlen({written}), 17), {_MOST_DIGITS}) - 1 AS INTEGER)"
        rounded = _digits(f"format('{{:.{{}}e}}', {number}, {places})")
        return (
            f"CASE WHEN {number} IS NULL THEN false "
            f"ELSE rtrim({written}, '0') <> trim({rounded}, '0') END"
        )

    return is_not_shortest, is_not_rounded


def _written(cell: str, kind: Kind) -> str:
    return cell if kind is Kind.TEXT else f"CAST({cell} AS VARCHAR)"


def _digits(written: str) -> str:
    # Those of two numbers that become the same double are enough to tell the numbers apart.
    return f"translate(split_part(lower({written}), 'e', 1), '+-.', '')"


def has_zone(format_: str) -> bool:
    """Whether a format reads a time zone.

    >>> has_zone("%H:%M %z"), has_zone("%H%%z")
    (True, False)
    """
    return re.search("%[zZ]", format_.replace("%%", "")) is not None


def _matching(pattern: str, result: Sql) -> Sql:
    return lambda cell: (
        f"CASE WHEN regexp_full_match({cell}, {quote_text(pattern)}) THEN {result(cell)} END"
    )


def _cast(target: str) -> Sql:
    return lambda cell: f"TRY_CAST({cell} AS {target})"


def _cast_aware(cell: str) -> str:
    # DuckDB 1 wants seconds before a time zone.
    with_seconds = f"regexp_replace({cell}, '^(.{{16}})([Z+-])', '\\1:00\\2')"
    return f"TRY_CAST({with_seconds} AS TIMESTAMPTZ)"


def _to_integer(cell: str) -> str:
    return f"CASE WHEN {cell} = trunc({cell}) THEN TRY_CAST({cell} AS BIGINT) END"


def _text_to_int(cell: str) -> str:
    # DuckDB alone would take 5.5, 1_000 and 0x10. Most integers are spelled as it spells them, and
    # looking for that is faster than matching a pattern.
    number = f"TRY_CAST({cell} AS BIGINT)"
    pattern = quote_text(_WHOLE)
    return (
        f"CASE WHEN CAST({number} AS VARCHAR) = {cell} THEN {number} "
        f"WHEN regexp_full_match({cell}, {pattern}) THEN {number} END"
    )


def _nearest(cell: str) -> str:
    # DuckDB rounds twice on its way from an integer of 128 bits or a decimal number; text, once.
    return f"TRY_CAST(CAST({cell} AS VARCHAR) AS DOUBLE)"


def _finite(cell: str) -> str:
    number = f"TRY_CAST({cell} AS DOUBLE)"
    return f"CASE WHEN isfinite({number}) THEN {number} + 0.0 END"


def _midnight(unit: str) -> Sql:
    return lambda cell: (
        f"CASE WHEN CAST(CAST({cell} AS DATE) AS {unit}) = {cell} THEN CAST({cell} AS DATE) END"
    )


def _in_calendar(result: Sql, *, is_aware: bool) -> Sql:
    """Leave out what Python has no date for."""
    if is_aware:
        return lambda cell: (
            f"CASE WHEN {result(cell)} BETWEEN {_AWARE_BOUNDS} THEN {result(cell)} END"
        )
    return lambda cell: f"CASE WHEN year({result(cell)}) BETWEEN 1 AND 9999 THEN {result(cell)} END"


def _iso_datetime(target: str, fraction: str, *, is_aware: bool = False) -> Sql:
    clock = rf"[ T]{_HOUR}:[0-9]{{2}}(:[0-9]{{2}}(\.{fraction})?)?"
    # A day alone has no zone.
    rest = f"{clock}{_ZONE}" if is_aware else f"({clock})?"
    read = _cast_aware if is_aware else _cast(target)
    return _matching(f"{_DAY}{rest}", _in_calendar(read, is_aware=is_aware))


def _text_to_datetime() -> tuple[Conversion, ...]:
    micro, nano = "[0-9]{1,6}0{0,3}", "[0-9]{1,9}"
    aware = phrase("{type} with a time zone", type="datetime")
    return (
        Conversion("datetime", _iso_datetime("TIMESTAMP", micro)),
        Conversion("datetime", _iso_datetime("TIMESTAMP_NS", nano)),
        Conversion(aware, _iso_datetime("TIMESTAMPTZ", micro, is_aware=True)),
    )


def _by_format(wanted: TypeName, format_: str) -> Sql:
    parsed = _in_calendar(
        lambda cell: f"try_strptime({cell}, {quote_text(format_)})", is_aware=has_zone(format_)
    )
    if wanted == "datetime":
        return parsed
    return lambda cell: _midnight("TIMESTAMP")(f"({parsed(cell)})")


_AS_THEY_ARE: Final[dict[TypeName, tuple[Kind, ...]]] = {
    "int": (Kind.INTEGER,),
    "float": (Kind.FLOAT, Kind.SHORT_FLOAT),
    "str": (Kind.TEXT,),
    "date": (Kind.DATE,),
    "datetime": (Kind.DATETIME, Kind.FINE_DATETIME, Kind.AWARE_DATETIME),
    "bool": (Kind.BOOLEAN,),
}
_TRUTH: Final[Sql] = lambda cell: f"CASE {cell} WHEN 0 THEN false WHEN 1 THEN true END"  # noqa: E731
_CONVERTED: Final[dict[TypeName, dict[Kind, Sql]]] = {
    "int": {
        Kind.TEXT: _text_to_int,
        Kind.HUGE: _cast("BIGINT"),
        Kind.FLOAT: _to_integer,
        Kind.SHORT_FLOAT: _to_integer,
        Kind.DECIMAL: _to_integer,
    },
    "float": {
        Kind.TEXT: _matching(_NUMBER, _finite),
        Kind.INTEGER: _cast("DOUBLE"),
        Kind.HUGE: _nearest,
        Kind.DECIMAL: _nearest,
    },
    "str": {Kind.INTEGER: _cast("VARCHAR"), Kind.HUGE: _cast("VARCHAR")},
    "date": {
        Kind.TEXT: _matching(
            f"{_DAY}({_MIDNIGHT})?",
            lambda cell: f"CASE WHEN {cell} >= '0001' THEN TRY_CAST(left({cell}, 10) AS DATE) END",
        ),
        Kind.DATETIME: _midnight("TIMESTAMP"),
        Kind.FINE_DATETIME: _midnight("TIMESTAMP_NS"),
    },
    "datetime": {Kind.DATE: _cast("TIMESTAMP")},
    "bool": {
        Kind.TEXT: lambda cell: (
            f"CASE lower({cell}) WHEN 'true' THEN true WHEN '1' THEN true "
            "WHEN 'false' THEN false WHEN '0' THEN false END"
        ),
        Kind.INTEGER: _TRUTH,
        Kind.HUGE: _TRUTH,
    },
}
