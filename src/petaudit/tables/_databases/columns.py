"""How the columns of a PostgreSQL table are read, so that they count as those of a file do.

Every column gets a plain type here: text is compared by its characters alone, whatever the
collation of the column says, blanks around it are cut off, and what is no number is a null.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from petaudit.tables._database import quote_identifier, quote_text

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt

_MOST_DIGITS: Final = 38
_WHOLE: Final = {"int2": "int16", "int4": "int32", "int8": "int64", "oid": "int64"}
_AS_THEY_ARE: Final = {"bool": "boolean", "date": "date", "time": "time"}
_MOMENTS: Final = {"timestamp": None, "timestamptz": "UTC"}
_NUMBERS: Final = frozenset({"numeric", "money"})
_TEXT_CATEGORIES: Final = frozenset("SEI")
"""Strings, enumerations and network addresses."""
_AS_TEXT: Final = frozenset({"uuid", "char", "timetz", "macaddr", "macaddr8"})
_NAN: Final = "CAST('NaN' AS DOUBLE PRECISION)"


@dataclass(frozen=True)
class Column:
    """A column as the catalogue describes it; a domain counts as the type below it."""

    name: str
    base: str
    """The name of the type, empty if it is not one of PostgreSQL's own."""
    category: str
    written: str
    """The type as people write it."""


def read_column(column: Column, blanks: str) -> tuple[str, dt.DataType]:
    """How a column is read, and the type that it then has."""
    import ibis.expr.datatypes as dt  # noqa: PLC0415 (slow to load)

    cell = quote_identifier(column.name)
    if column.base in _WHOLE:
        return f"CAST({cell} AS BIGINT)", dt.int64
    if column.base in _AS_THEY_ARE:
        return f"CAST({cell} AS {column.base.upper()})", dt.dtype(_AS_THEY_ARE[column.base])
    if column.base in _MOMENTS:
        kind = dt.Timestamp(timezone=_MOMENTS[column.base], scale=6)
        return f"CAST({cell} AS {column.base.upper()})", kind
    if column.base == "float8":
        return _number(cell), dt.float64
    if column.base == "float4":
        # Through its text: widened, 0.1 would become 0.10000000149.
        return _number(f"CAST({cell} AS TEXT)"), dt.float64
    if column.base in _NUMBERS:
        return _decimal(column, cell, dt)
    if column.category in _TEXT_CATEGORIES or column.base in _AS_TEXT:
        return as_text(cell, blanks), dt.string
    if column.base == "bytea":
        return cell, dt.binary
    if column.category == "A":
        return cell, dt.Array(dt.string)
    # Nobody can count these; the type's name comes along for whoever tries.
    return cell, dt.Struct({column.written: dt.string})


def as_text(cell: str, blanks: str) -> str:
    """Text without the blanks around it, told apart by its characters alone.

    Of a ``char(n)`` the cast removes the padding.
    """
    exact = f'CAST({cell} AS TEXT) COLLATE "C"'
    return f"NULLIF(BTRIM({exact}, {quote_text(blanks)}), '')"


def _number(cell: str) -> str:
    # Adding zero turns -0.0 into 0.0: they are one number.
    wide = f"CAST({cell} AS DOUBLE PRECISION)"
    return f"NULLIF({wide}, {_NAN}) + CAST(0 AS DOUBLE PRECISION)"


def _decimal(column: Column, cell: str, dt: Any) -> tuple[str, dt.DataType]:
    exact = f"NULLIF(CAST({cell} AS NUMERIC), CAST('NaN' AS NUMERIC))"
    size = re.search(r"\((\d+),(-?\d+)\)$", column.written)
    if size and int(size[1]) <= _MOST_DIGITS and 0 <= int(size[2]) <= int(size[1]):
        return exact, dt.Decimal(int(size[1]), int(size[2]))
    # Digits without end have no type outside the database, but a text.
    return f"CAST(TRIM_SCALE({exact}) AS TEXT)", dt.string
