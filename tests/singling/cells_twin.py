"""How the twin of mpuccs prepares its tables: nulls, precision, duplicates, order of columns.

A table is a dict from column name to its cells, plain Python values.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

Number = int | float | Decimal
Cell = Number | str | date | None
Columns = Mapping[str, Sequence[Cell]]
Line = tuple[Cell, ...]
Precision = dict[str, int | str | None]

BLANKS = " \t\n\r\f\v\u00a0\u3000\ufeff"
UNITS = ("D", "H", "T", "s", "ms", "us", "ns")
_SPELLINGS = {"min": "T"} | {unit.lower(): unit for unit in UNITS}
# What a unit leaves of a time of day; a Python date-time has nothing below the microsecond.
_FIELDS = {"D": 0, "H": 1, "T": 2, "s": 3}


@dataclass(frozen=True)
class Prepared:
    """Both tables, rounded, floored and without duplicates, columns in the order of the search."""

    columns: tuple[str, ...]
    original: list[Line]
    synthetic: list[Line]
    original_rows: list[int]
    synthetic_rows: list[int]
    precision: Precision
    removed_original: int
    removed_synthetic: int


# --- cells ----------------------------------------------------------------------------------


def plain(cell: Cell) -> Cell:
    """Return the cell with blanks trimmed, and None for a null, a NaN or a blank text."""
    if isinstance(cell, str):
        return cell.strip(BLANKS) or None
    if cell is None or (isinstance(cell, float | Decimal) and math.isnan(cell)):
        return None
    return cell


def kind_of(cells: Sequence[Cell]) -> str | None:
    """Return what a column of plain cells holds, None when it holds nulls only."""
    kinds = {
        "text" if isinstance(cell, str) else "time" if isinstance(cell, date) else "number"
        for cell in cells
        if cell is not None
    }
    if len(kinds) > 1:
        raise ValueError("a column holds one kind of value")
    return kinds.pop() if kinds else None


def decimals_of(number: Number) -> int:
    """Return how many decimals the number has when it is written as short as possible."""
    if isinstance(number, int):
        return 0
    written = Decimal(repr(number)) if isinstance(number, float) else number
    exponent = written.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def unit_of(moment: date) -> str:
    """Return the coarsest unit that loses nothing of this moment."""
    return next(unit for unit in UNITS if floored(moment, unit) == at_midnight(moment))


def at_midnight(moment: date) -> datetime:
    """Return a date as the date-time at which it begins."""
    if isinstance(moment, datetime):
        return moment
    return datetime(moment.year, moment.month, moment.day)


def floored(moment: date, unit: str) -> datetime:
    """Return the moment with everything below the unit set to zero."""
    moment = at_midnight(moment)
    if unit in {"us", "ns"}:
        return moment
    if unit == "ms":
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    names = ("hour", "minute", "second")[_FIELDS[unit] :]
    return moment.replace(**dict.fromkeys((*names, "microsecond"), 0))  # type: ignore[arg-type]


def rounded(number: Number, decimals: int | None) -> Number:
    """Return what Python's round makes of it; there is no minus zero."""
    if decimals is None or isinstance(number, int) or not math.isfinite(number):
        return number
    if isinstance(number, float):
        return round(number, decimals) + 0.0
    return round(number, decimals) + Decimal(0)


def applied(cells: Sequence[Cell], precision: int | str | None) -> list[Cell]:
    """Return the column with numbers rounded or times floored."""
    done: list[Cell] = []
    for cell in cells:
        if isinstance(cell, date):
            done.append(floored(cell, str(precision or "ns")))
        elif cell is None or isinstance(cell, str):
            done.append(cell)
        else:
            done.append(rounded(cell, None if precision is None else int(precision)))
    return done


# --- preparation ----------------------------------------------------------------------------


def distinct(table: Sequence[Line], place: int) -> int:
    """Return how many values a column has, a null being one."""
    return len({line[place] for line in table})


def without_copies(lines: Sequence[Line], deduplicate: bool) -> tuple[list[Line], list[int]]:
    """Return the lines whose like has not come before, and where they stood."""
    kept = [row for row, line in enumerate(lines) if not deduplicate or line not in lines[:row]]
    return [lines[row] for row in kept], kept


def detected(
    original: Sequence[Cell], kind: str | None, decimals: int | None, unit: str | None
) -> int | str | None:
    """Return the precision of a column: the one given, else the finest of any original value."""
    values = [cell for cell in original if cell is not None]
    if kind == "number":
        result = [decimals_of(cell) for cell in values if not isinstance(cell, str | date)]
        return decimals if decimals is not None else max(result, default=None)
    if kind == "time":
        units = [UNITS.index(unit_of(cell)) for cell in values if isinstance(cell, date)]
        if unit is not None:
            return _SPELLINGS[unit.lower()]
        return UNITS[max(units)] if units else None
    return None


def prepare(
    original: Columns,
    synthetic: Columns,
    *,
    numeric_precision: int | None = None,
    datetime_precision: str | None = None,
    deduplicate: bool = True,
) -> Prepared:
    """Round, floor, remove full duplicates and sort the columns."""
    if set(original) != set(synthetic) or not original:
        raise ValueError("both tables have the same columns, at least one")
    names = list(synthetic)
    precision: Precision = {}
    tables: tuple[dict[str, list[Cell]], dict[str, list[Cell]]] = ({}, {})
    for name in names:
        pair = [[plain(cell) for cell in table[name]] for table in (original, synthetic)]
        kinds = {kind_of(cells) for cells in pair} - {None}
        if len(kinds) > 1:
            raise ValueError("a column holds the same kind of value in both tables")
        kind = kinds.pop() if kinds else None
        precision[name] = detected(pair[0], kind, numeric_precision, datetime_precision)
        # Booleans among themselves stay booleans; beside other numbers they are 0 and 1.
        if not all(isinstance(cell, bool) for cells in pair for cell in cells if cell is not None):
            pair = [[int(c) if isinstance(c, bool) else c for c in cells] for cells in pair]
        for table, cells in zip(tables, pair, strict=True):
            table[name] = applied(cells, precision[name])
    lines = [list(zip(*(table[name] for name in names), strict=True)) for table in tables]
    places = sorted(range(len(names)), key=lambda place: -distinct(lines[1], place))
    lines = [[tuple(line[place] for place in places) for line in table] for table in lines]
    (kept_original, original_rows), (kept_synthetic, synthetic_rows) = (
        without_copies(table, deduplicate) for table in lines
    )
    return Prepared(
        columns=tuple(names[place] for place in places),
        original=kept_original,
        synthetic=kept_synthetic,
        original_rows=original_rows,
        synthetic_rows=synthetic_rows,
        precision=precision,
        removed_original=len(lines[0]) - len(kept_original),
        removed_synthetic=len(lines[1]) - len(kept_synthetic),
    )
