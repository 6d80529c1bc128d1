"""Opening a table, and correcting how its file is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from petaudit.datasets import catalogue
from petaudit.errors import phrase, term
from petaudit.studio import document, trio
from petaudit.system.reading import Reading

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Table")
PARTS: Final = {
    "original": term("Original: what it was learned from"),
    "synthetic": term("Synthetic table"),
    "control": term("Control: people that it was not learned from"),
}
_PAIR: Final = {
    "original": "adult-income_ori",
    "synthetic": "adult-income_syn",
    "control": "adult-income_control",
}
_DELIMITERS: Final = {
    "": term("recognised"),
    ",": term("comma"),
    ";": term("semicolon"),
    "tab": term("tab"),
    "|": term("bar"),
}
_ENCODINGS: Final = ("", "utf-8", "big5", "cp950", "utf-16", "cp1252", "gb18030", "shift_jis")


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """The table with its first rows, or what can be opened."""
    entry = document.table(studio.content)
    look = studio.look
    null = entry.get("null", ())
    return {
        "entry": entry,
        "parts": trio.parts(studio.content),
        "part_names": PARTS,
        "pair": {part: f"benchmark://{each}" for part, each in _PAIR.items()},
        "look": look,
        "facts": None if look is None else look.done,
        "reading": {name: entry.get(name, "") for name in document.READING}
        | {"null": null if isinstance(null, str) else ", ".join(map(str, null))},
        "delimiters": _DELIMITERS,
        "encodings": _ENCODINGS,
        "bundled": catalogue(),
    }


def open_table(studio: Studio, form: Mapping[str, str]) -> None:
    """Open what is named."""
    studio.open(form["address"])


def open_trio(studio: Studio, form: Mapping[str, str]) -> None:
    """Open a synthetic table with its original, and a control if there is one."""
    studio.open_trio(form["original"], form["synthetic"], form.get("control", ""))


def read(studio: Studio, form: Mapping[str, str]) -> None:
    """Read the file in another way."""
    header = form.get("header_row", "").strip()
    sheet = form.get("sheet", "").strip()
    given: dict[str, Any] = {
        "delimiter": form.get("delimiter") or None,
        "encoding": form.get("encoding") or None,
        "sheet": int(sheet) if sheet.isdecimal() else sheet or None,
        "header_row": int(header) if header else None,
        "null": [mark.strip() for mark in form.get("null", "").split(",") if mark.strip()] or None,
        "blank_rows": form.get("blank_rows") or None,
    }
    Reading.checked(**given)
    studio.edit(
        phrase("changed how the file is read"), lambda content: document.set_reading(content, given)
    )


def choose_sheet(studio: Studio, form: Mapping[str, str]) -> None:
    """Read another sheet of a workbook, by its name."""
    entry = document.table(studio.content)
    given = {name: entry[name] for name in document.READING if name in entry}
    given["sheet"] = form["sheet"]
    studio.edit(
        phrase("sheet: {sheet}", sheet=form["sheet"]),
        lambda content: document.set_reading(content, given),
    )


ACTIONS: Final = {"open": open_table, "open-trio": open_trio, "read": read, "sheet": choose_sheet}
