"""Signs that a file was not read as it was meant; the names are counted and never quoted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from petaudit.errors import phrase
from petaudit.starter.yaml_text import remark
from petaudit.tables.headers import header_note

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
    note = header_note(named, columns)
    return doubts if note is None else [*doubts, note]
