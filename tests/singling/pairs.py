"""Random pairs of small tables, full of what is hard to tell apart.

Hypothesis draws few and large numbers here, read digit by digit: drawing every cell would take more
time than all searches together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from singling.cases import Cells
from tables.engines import Column, Table

NAN = float("nan")
NAMES = ("a", 'b, "c"', "年齡", "[d](e)", "{f}'")


@dataclass(frozen=True)
class Family:
    """What a column can hold in the original and in the synthetic table."""

    original: tuple[str, tuple[Any, ...]]
    synthetic: tuple[str, tuple[Any, ...]]


def _times(*moments: tuple[int, ...]) -> tuple[datetime, ...]:
    return tuple(datetime(*moment) for moment in moments)  # type: ignore[arg-type]


_DAYS = (date(2020, 1, 1), date(2020, 1, 2), date(1969, 12, 31))
_MIDNIGHTS = _times((2020, 1, 1), (2020, 1, 2), (1969, 12, 31))
_CLOCK = _times((2020, 1, 1), (2020, 1, 1, 5), (2020, 1, 1, 5, 30), (1969, 12, 31, 23, 59, 59))
_FINE = _times(
    (2020, 1, 1), (2020, 1, 1, 0, 0, 0, 5000), (2020, 1, 1, 0, 0, 0, 5), (2020, 1, 1, 5, 30, 1)
)
_WHOLE = (0.0, 1.0, 2.0, -0.0)
_NEAR_WHOLE = (0.0, 1.0, 0.5, 1.4, -0.3, 2.5, 1.5)
_WORDS = ("a", "A", "b", "é")
_NEAR_WORDS = ("a", " a", "b\u3000", "A", "", "e\u0301", "é")
_LARGE = (2**53, 2**53 + 1, -(2**53) - 1)

FAMILIES = (
    Family(("integer", (0, 1, 2, 3)), ("integer", (0, 1, 2, 9))),
    Family(("text", _WORDS), ("text", _NEAR_WORDS)),
    Family(("float", _WHOLE), ("float", _NEAR_WHOLE)),
    Family(("float", (0.1, 0.25, 1.0, NAN)), ("float", (0.1, 0.12, 0.125, 0.25, 0.3, NAN, 1.0))),
    Family(("float", (2.67, 1.0, 1.01)), ("float", (2.675, 1.005, 1.015, 2.67, 1.0, 1.01))),
    Family(("float", (0.001, 1.0)), ("float", (0.0005, 0.0015, 0.001, 1.0, 1.0004, 0.0))),
    Family(("integer", (0, 1, 2)), ("float", _NEAR_WHOLE)),
    Family(("float", (0.0, 1.0, 2.5)), ("integer", (0, 1, 2))),
    Family(("integer", _LARGE), ("integer", (*_LARGE, 2**53 + 2))),
    Family(("integer", _LARGE), ("float", (2.0**53, -(2.0**53), 1.0))),
    Family(("boolean", (True, False)), ("boolean", (True, False))),
    Family(("boolean", (True, False)), ("integer", (0, 1, 2))),
    Family(("integer", (0, 1, 2)), ("boolean", (True, False))),
    Family(("boolean", (True, False)), ("float", _NEAR_WHOLE)),
    Family(("date", _DAYS), ("date", _DAYS)),
    Family(("date", _DAYS), ("datetime", (*_CLOCK, *_MIDNIGHTS))),
    Family(("datetime", _CLOCK), ("date", _DAYS)),
    Family(("datetime", _MIDNIGHTS), ("datetime", (*_CLOCK, *_FINE))),
    Family(("datetime", _CLOCK), ("datetime", (*_CLOCK, *_FINE))),
    Family(("datetime", _FINE), ("datetime", _FINE)),
    Family(("category", _WORDS), ("text", _NEAR_WORDS)),
    Family(("enum", ("a", "b", "c")), ("category", ("c", "b", "a", "d"))),
    Family(("decimal", (Decimal("0.1"), Decimal(2))), ("decimal", (Decimal("0.12"), Decimal(2)))),
    Family(("null", (None,)), ("float", (0.5, 1.25))),
    Family(("text", _WORDS), ("null", (None,))),
    Family(("null", (None,)), ("null", (None,))),
)


@dataclass(frozen=True)
class Pair:
    """Two tables, and how petaudit is asked about them."""

    original: Table
    synthetic: Table
    options: dict[str, Any]

    @property
    def cells(self) -> tuple[Cells, Cells]:
        """Both as the twin takes them."""
        return cells_of(self.original), cells_of(self.synthetic)

    @property
    def fits_csv(self) -> bool:
        """A CSV file has no truth values, and its numbers are no decimals."""
        kinds = {
            column.kind for table in (self.original, self.synthetic) for column in table.values()
        }
        return not kinds & {"boolean", "decimal"}


def cells_of(table: Table) -> Cells:
    return {name: column.cells for name, column in table.items()}


class _Digits:
    """A large number, read from its end."""

    def __init__(self, number: int) -> None:
        self.number = number

    def below(self, base: int) -> int:
        self.number, digit = divmod(self.number, base)
        return digit

    def of(self, *choices: Any) -> Any:
        return choices[self.below(len(choices))]


def _as_kind(value: Any, kind: str, otherwise: Any) -> Any:
    """A value of the original in a synthetic column; another one where it cannot be held."""
    if value is None or value != value:
        return None
    match kind:
        case "integer" if value == int(value):
            return int(value)
        case "float" if abs(value) < 2**53:
            return float(value)
        case "boolean" if value in (0, 1):
            return bool(value)
        case "date":
            return date(value.year, value.month, value.day)
        case "datetime":
            return datetime(*value.timetuple()[:6], getattr(value, "microsecond", 0))
        case "text" | "category" | "enum" | "decimal":
            return value
    return otherwise


def options_from(number: int) -> dict[str, Any]:
    """Options of all sorts, mostly the defaults; 0 is all defaults."""
    digits = _Digits(number)
    options: dict[str, Any] = {}
    sizes = ({}, {"max_baseline_cols": 1}, {"max_baseline_cols": 2}, {"max_baseline_cols": 6})
    # Without the small sizes, large ones identify many rows, at all levels of risk.
    older = (2, [2], [3, 1], [2, 3, 2], [3], [5, 4])
    options |= digits.of(*sizes, {}, {}, {}, *({"n_cols": sizes} for sizes in older))
    options |= digits.of({}, {"deduplicate": False}, {})
    options |= digits.of({}, {"calculate_baseline": False}, {}, {"calculate_baseline": True})
    technical = digits.below(3)
    if technical:
        options["renyi_alpha"] = digits.of(2.0, 0, 0.5, 1, 3, float("inf"), 2)
        options["field_decay_factor"] = digits.of(0.5, 0.25, 1, 0)
    if technical == 2:
        options["min_entropy_delta"] = digits.of(0.0, 0.05, 0.2, 0.5, 1)
    options |= digits.of(*({} for _ in range(4)), *({"numeric_precision": n} for n in range(4)))
    units = ("D", "h", "min", "S", "ms", "NS")
    options |= digits.of(*({} for _ in range(5)), *({"datetime_precision": u} for u in units))
    return options


_BIG = st.integers(0, 2**64 - 1)
_SIZES = (6, 9, 4, 12, 3, 14, 2, 7, 1, 8, 5, 10, 13, 11, 12, 6, 0)
# Multiplying by it spreads a small number, such as Hypothesis prefers, over all digits.
_SPREAD = 0x9E3779B97F4A7C15


@st.composite
def pairs(draw: st.DrawFn, *, options: bool = True) -> Pair:
    """Draw 1 to 5 columns, 0 to 14 rows; synthetic rows are near copies, or of their own."""
    width = draw(st.sampled_from((3, 2, 4, 1, 5)))
    names = NAMES[:width]
    families: list[Family] = []
    shapes: list[tuple[int, int, bool, bool]] = []
    original: Table = {}
    synthetic: Table = {}
    for name, number in zip(names, draw(_lists(width)), strict=True):
        digits = _Digits(number)
        # The families at the start are the plain ones.
        family = FAMILIES[digits.below(digits.of(len(FAMILIES), 3, len(FAMILIES)))]
        families.append(family)
        original[name] = Column(family.original[0], [])
        synthetic[name] = Column(family.synthetic[0], [])
        # How many values, from which on, and whether there are nulls.
        shapes.append(
            (digits.below(5), digits.below(7), digits.below(3) == 2, digits.below(3) == 2)
        )
    rows, more_rows = draw(st.sampled_from(_SIZES)), draw(st.sampled_from(_SIZES))

    def fresh(digits: _Digits, place: int, side: int) -> Any:
        values = (families[place].original, families[place].synthetic)[side][1]
        most, first, *nulls = shapes[place]
        cell = values[(first + digits.below(most + 1)) % len(values)]
        return None if nulls[side] and digits.below(5) == 4 else cell

    # Rows that differ in one column each can only be told apart by many.
    close = draw(st.sampled_from((False, True, False)))
    for row, number in enumerate(draw(_lists(rows))):
        digits = _Digits(number)
        changed = 1 << digits.below(width)
        for place, name in enumerate(names):
            copied = close and row > 0 and not changed >> place & 1
            cell = original[name].cells[0] if copied else fresh(digits, place, 0)
            original[name].cells.append(cell)
    for row, number in enumerate(draw(_lists(more_rows))):
        digits = _Digits(number)
        mode = digits.below(4)
        changed = 1 << digits.below(width) if close else digits.below(2**width)
        for place, name in enumerate(names):
            cell = fresh(digits, place, 1)
            copied = not changed >> place & 1
            if rows and ((mode <= 1 and copied) or (close and row == 0)):
                source = 0 if close else number % rows
                cell = _as_kind(original[name].cells[source], synthetic[name].kind, cell)
            elif row and mode == 2 and copied:
                cell = synthetic[name].cells[number % row]
            synthetic[name].cells.append(cell)
    if draw(st.booleans()):
        synthetic = dict(reversed(synthetic.items()))
    return Pair(original, synthetic, options_from(draw(_BIG)) if options else {})


def _lists(size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(_BIG, min_size=size, max_size=size).map(
        lambda numbers: [
            (number + index) * _SPREAD % 2**64 >> 3 for index, number in enumerate(numbers)
        ]
    )
