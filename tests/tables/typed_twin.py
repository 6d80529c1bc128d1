"""What a cell becomes under a declared type, in pure Python and from the rules alone."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from petaudit.labels.cells import trim

WRONG = object()


def at_midnight(value: datetime) -> Any:
    return value.date() if value == datetime(value.year, value.month, value.day) else WRONG


def iso(text: str) -> Any:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return WRONG


def twin_of_text(text: str, wanted: str) -> Any:
    match wanted:
        case "int":
            whole = re.fullmatch(r"([+-]?[0-9]+)(\.0*)?", text)
            return int(whole[1]) if whole and -(2**63) <= int(whole[1]) < 2**63 else WRONG
        case "float":
            number = re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", text)
            return float(text) if number and math.isfinite(float(text)) else WRONG
        case "bool":
            return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), WRONG)
        case "date":
            if not re.fullmatch(r"\d{4}-\d\d-\d\d([ T]00:00(:00(\.0{1,9})?)?)?", text, re.ASCII):
                return WRONG
            result = iso(text[:10])
            return result if result is WRONG else result.date()
    return text


def twin(cell: Any, wanted: str) -> Any:
    """What a cell becomes, from the rules alone."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    match cell, wanted:
        case str(), _:
            return twin_of_text(trim(cell), wanted) if trim(cell) else None
        case (bool(), "bool") | (datetime(), "datetime") | (date(), "date" | "datetime"):
            if isinstance(cell, datetime) and wanted == "date":
                return at_midnight(cell)
            is_day = wanted == "datetime" and not isinstance(cell, datetime)
            return datetime(cell.year, cell.month, cell.day) if is_day else cell
        case bool(), _:
            return WRONG
        case int(), "bool":
            return {0: False, 1: True}.get(cell, WRONG)
        case int(), "str":
            return str(cell)
        case ((int() | float() | Decimal()), "float"):
            return float(cell)
        case ((int() | float() | Decimal()), "int"):
            fits = math.isfinite(cell) and cell == int(cell) and -(2**63) <= int(cell) < 2**63
            return int(cell) if fits else WRONG
    return WRONG


def written(cell: Any) -> str:
    return trim(cell) if isinstance(cell, str) else format(Decimal(cell), "f")


def lost(cells: list[Any]) -> int:
    """How many cells lose digits as floats, in the form of two that more of them are in."""
    texts = [written(cell) for cell in cells if isinstance(twin(cell, "float"), float)]
    texts = [] if any(isinstance(cell, float) for cell in cells) else texts
    shortest = sum(Decimal(text) != Decimal(repr(float(text))) for text in texts)
    return min(shortest, sum(Decimal(text) != as_rounded(text) for text in texts))


def as_rounded(text: str) -> Decimal:
    """The exact value of the float, with as many digits as the text has, or 17."""
    digits = re.sub("[^0-9]", "", re.split("[eE]", text)[0]).lstrip("0")
    return Decimal(f"{float(text):.{max(17, len(digits)) - 1}e}")


def decimals(number: float) -> int:
    if not math.isfinite(number):
        return 0
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -int(exponent))
