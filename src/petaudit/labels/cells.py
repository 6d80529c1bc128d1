"""How a cell value is written as a label, the same on every engine."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

SUPPRESSED: Final = "*"
"""The label of a cell that says nothing any more."""

BLANKS: Final = " \t\n\r\f\v\u00a0\u3000\ufeff"
"""What is trimmed from cells and headers; named one by one because engines differ on "blank"."""


def trim(text: str) -> str:
    """Remove blanks around a cell or header, the ideographic space included.

    >>> trim(" zip\u3000")
    'zip'
    """
    return text.strip(BLANKS)


def label_of(value: object) -> str | None:
    """Write a cell as hierarchies and people write it; a null or a blank is None.

    >>> label_of(39), label_of(39.0), label_of(" 197* "), label_of(None), label_of(" ")
    ('39', '39', '197*', None, None)
    """
    match value:
        case None:
            return None
        case str():
            return trim(value) or None
        case bool() | int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
        case Decimal():
            plain = format(value, "f")
            return plain.rstrip("0").rstrip(".") if "." in plain else plain
        case datetime():
            midnight = value.time() == time()
            return value.date().isoformat() if midnight else value.isoformat(sep=" ")
        case date() | time() | timedelta():
            return str(value)
    return trim(str(value)) or None
