"""Signs that a file was not read as it was meant; the names are counted and never quoted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from petaudit.errors import phrase
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
    "\uff0c": phrase("full-width comma"),
    "\uff1b": phrase("full-width semicolon"),
    "\uff5c": phrase("full-width bar"),
    "\u3001": phrase("ideographic comma"),
    ",": phrase("comma"),
    ";": phrase("semicolon"),
    "\t": phrase("tab"),
    "|": phrase("bar"),
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
    names = phrase("1 name")
    if len(columns) > 1:
        names = phrase("{number:,} names", number=len(columns))
    if not values:
        if unnamed == 1:
            return phrase("1 of {names} is empty", names=names)
        return phrase("{number:,} of {names} are empty", number=unnamed, names=names)
    said = phrase("1 of {names} looks like a number, a date or another value", names=names)
    if values > 1:
        said = phrase(
            "{number:,} of {names} look like numbers, dates or other values",
            number=values,
            names=names,
        )
    if not unnamed:
        return said
    if unnamed == 1:
        return phrase("{said}, 1 is empty", said=said)
    return phrase("{said}, {number:,} are empty", said=said, number=unnamed)


def reading_doubts(file: str, columns: Sequence[str]) -> list[str]:
    """What is odd about a text file that was read with these names.

    >>> reading_doubts("people.csv", ["zip", "age"])
    []
    """
    doubts: list[str] = []
    named = remark(file)
    if file.lower().endswith(_SPREADSHEETS):
        doubts.append(
            phrase(
                "{file} is called like a spreadsheet, but it holds text and was read as CSV. If "
                "that is right, rename it to .csv",
                file=named,
            )
        )
    mark = next((mark for mark in _MARKS if mark in columns[0]), None)
    if len(columns) == 1 and mark is not None:
        given = "tab" if mark == "\t" else f"'{mark}'"
        doubts.append(
            phrase(
                "{file} was read as a single column, but there is a {mark} in its name. If that "
                "stands between columns, start again with --delimiter {given}",
                file=named,
                mark=_MARKS[mark],
                given=given,
            )
        )
    why = header_doubt(columns)
    if why is not None:
        doubts.append(
            phrase(
                "the first line of {file} may be data and no header: {why}. If there is no "
                "header, the first person is missing from every figure and is quoted wherever "
                "columns are named: put a line of names above the data, and start again",
                file=named,
                why=why,
            )
        )
    return doubts
