"""Signs that a file was not read as it was meant; the names are counted and never quoted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from petaudit.errors import counted
from petaudit.guessing.yaml_text import remark

_LONGEST_READ: Final = 100
_VALUE: Final = re.compile(
    # Numbers, also with a currency, thousands or per cent.
    r"[+-]?[$€£¥]? ?([0-9]+([.,][0-9]+)*|\.[0-9]+)([eE][+-]?[0-9]{1,3})? ?%?"
    # Dates and times.
    r"|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([ T].*)?|[0-9]{1,2}:[0-9]{2}(:[0-9]{2}.*)?"
    r"|(民國)? ?[0-9]{2,4} ?年 ?[0-9]{1,2} ?月( ?[0-9]{1,2} ?日)?"
    # Suppressed, masked and generalised cells.
    r"|\*+|[0-9]+\*+|[\[\](][0-9. ]+[,;~-][0-9. ]+[\[\])]|[<>≤≥]=? ?[0-9.]+|[0-9]+ ?[-~] ?[0-9]+"
    # Taiwanese identity numbers, and e-mail addresses.
    r"|[A-Z][A-D0-9][0-9]{8}|[^@\s]+@[^@\s]+\.[a-zA-Z]+"
)
_SPREADSHEETS: Final = (".xlsx", ".xls", ".xlsm", ".ods")
_MARKS: Final = {
    "\uff0c": "full-width comma",
    "\uff1b": "full-width semicolon",
    "\uff5c": "full-width bar",
    "\u3001": "ideographic comma",
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "bar",
}


def looks_like_a_value(name: str) -> bool:
    """Whether a cell of data rather than a name stands there.

    >>> [looks_like_a_value(name) for name in ("33", "2024-01-02", "4767*", "zip", "Q1", "2*x")]
    [True, True, True, False, False, False]
    """
    text = unicodedata.normalize("NFKC", name[:_LONGEST_READ]).strip()
    return _VALUE.fullmatch(text) is not None


def header_doubt(columns: Sequence[str]) -> str | None:
    """Why the names may be the first row of a file without a header.

    >>> header_doubt(["zip", "33", "2024-01-02"])
    '2 of 3 names look like numbers, dates or other values'
    """
    values = sum(map(looks_like_a_value, columns))
    # Programs that number their rows leave the first name empty.
    unnamed = sum(not name.strip() for name in columns[1:])
    if not values and not unnamed:
        return None
    if not values:
        return f"{unnamed:,} of {counted(len(columns), 'name')} {_is(unnamed)} empty"
    look = "looks like a number, a date or another value"
    if values > 1:
        look = "look like numbers, dates or other values"
    more = f", {unnamed:,} {_is(unnamed)} empty" if unnamed else ""
    return f"{values:,} of {counted(len(columns), 'name')} {look}{more}"


def reading_doubts(file: str, columns: Sequence[str]) -> list[str]:
    """What is odd about a text file that was read with these names.

    >>> reading_doubts("people.csv", ["zip", "age"])
    []
    """
    doubts = []
    named = remark(file)
    if file.lower().endswith(_SPREADSHEETS):
        doubts.append(
            f"{named} is called like a spreadsheet, but it holds text and was read as CSV. If that "
            "is right, rename it to .csv"
        )
    mark = next((mark for mark in _MARKS if mark in columns[0]), None)
    if len(columns) == 1 and mark is not None:
        given = "tab" if mark == "\t" else f"'{mark}'"
        doubts.append(
            f"{named} was read as a single column, but there is a {_MARKS[mark]} in its name. If "
            f"that stands between columns, start again with --delimiter {given}"
        )
    why = header_doubt(columns)
    if why is not None:
        doubts.append(
            f"the first line of {named} may be data and no header: {why}. If there is no header, "
            "the first person is missing from every figure and is quoted wherever columns are "
            "named: put a line of names above the data, and start again"
        )
    return doubts


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
