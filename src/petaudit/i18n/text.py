"""Text that is safe to show: control and hidden characters are written out."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

_USER_AND_PASSWORD: Final = re.compile(
    r"""
    [^\s'"@:]*:/[^\s'"@:]*:[^\s'"]*@        # scheme://user:password@
    | [^\s'"@:/]+:(?!/)[^\s'"]*@            # user:password@
    | [^\s'"@:]*:/[^\s'"@:]*:[^\s'"@]*(?=…)  # as much as is left of a text that was cut
    """,
    re.VERBOSE,
)


def printable(text: str) -> str:
    r"""Show control characters instead of obeying them: names come from the data's owner.

    >>> print(printable("a\nb\x1b[31m"))
    a\nb\x1b[31m
    """
    return "".join(
        mark.encode("unicode_escape").decode() if _is_hidden(mark) else mark for mark in text
    )


def without_passwords(text: str) -> str:
    """A text in which an address may stand where nobody expects one, without what opens a door.

    >>> without_passwords("file 'postgresql:/eve:secret@host/db' does not exist")
    "file '***@host/db' does not exist"
    >>> without_passwords("'postgresql://eve:sec…' is no engine")
    "'***@…' is no engine"
    >>> without_passwords("it is written postgresql://user@host:5432/database")
    'it is written postgresql://user@host:5432/database'
    """
    return _USER_AND_PASSWORD.sub("***@", text)


def _is_hidden(mark: str) -> bool:
    """Control, format and private characters, and those that begin a line or paragraph."""
    category = unicodedata.category(mark)
    return category[0] == "C" or category in ("Zl", "Zp")


def json_text(document: object, *, ascii_only: bool = False) -> str:
    """A document as text; hidden and control characters are escaped, which JSON allows anywhere."""
    text = json.dumps(document, ensure_ascii=ascii_only, indent=2, allow_nan=False)
    return "".join(
        mark if mark == "\n" or unicodedata.category(mark)[0] != "C" else json.dumps(mark)[1:-1]
        for mark in text
    )
