"""Text that is shown: without hidden characters, and in lines as wide as a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import unicodedata
from collections.abc import Sequence
from typing import Final

from petaudit.i18n.catalogue import ENGLISH, language

LONGEST_NAME: Final = 60
_USER_AND_PASSWORD: Final = re.compile(
    r"""
    [^\s'"@:]*:/[^\s'"@:]*:[^\s'"]*@        # scheme://user:password@
    | [^\s'"@:/]+:(?!/)[^\s'"]*@            # user:password@
    | [^\s'"@:]*:/[^\s'"@:]*:[^\s'"@]*(?=…)  # as much as is left of a text that was cut
    """,
    re.VERBOSE,
)
_WIDEST: Final = 100
_NARROWEST: Final = 40
_OPENING: Final = "（「『《〈【"
_CLOSING: Final = "，。；：、）」』》〉】？！…％"
_WIDE: Final = "\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
_NARROW: Final = rf"[^ {_WIDE}]+"
_WORDS: Final = re.compile(r" *[^ ]+(?: %(?!\w)[^ ]*)?")
_CHINESE_WORDS: Final = re.compile(
    # A mark that closes stays with what is before it; "k-" stays with the ideograph behind it; what
    # is to be typed between quotes stays in one piece.
    rf" *(?:'[^' ]*'[{_CLOSING}]*"
    rf"|[{_OPENING}]*(?:{_NARROW}(?<=-)[{_WIDE}]|{_NARROW}(?: %(?!\w))?|[{_WIDE}])[{_CLOSING}]*"
    rf"|[{_OPENING}]+)"
)
_CHINESE_MARKS: Final = re.compile(rf".[{_CLOSING}]{{0,4}}", re.DOTALL)


def printable(text: str) -> str:
    r"""Show control characters instead of obeying them: names come from the data's owner.

    >>> print(printable("a\nb\x1b[31m"))
    a\nb\x1b[31m
    """
    return "".join(
        mark.encode("unicode_escape").decode() if _is_hidden(mark) else mark for mark in text
    )


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """Cut a text that would drown a message.

    >>> shortened("zip"), shortened("a very long name", 6)
    ('zip', 'a very…')
    """
    return text if len(text) <= longest else f"{text[:longest]}…"


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


def terminal_width() -> int:
    """The columns that text may take."""
    return max(min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST), _NARROWEST)


def width_of(text: str) -> int:
    """Columns on a terminal: ideographs take two.

    >>> width_of("zip"), width_of("年齡")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in text)


def folded(text: str, first: int, later: int) -> list[str]:
    """Break by columns on a terminal; a word that is too long is cut.

    English breaks at blanks, Chinese between ideographs, too, but never before a mark that closes.

    >>> folded("one two three", 7, 5), folded("年齡 郵遞區號", 4, 4)
    (['one two', 'three'], ['年齡', '郵遞', '區號'])
    >>> folded("all of 100 %, or", 12, 12)
    ['all of', '100 %, or']
    """
    is_english = language() == ENGLISH
    lines, line, used, room = [], "", 0, first
    for part in (_WORDS if is_english else _CHINESE_WORDS).findall(text):
        word, width = part, width_of(part)
        if line and used + width > room:
            lines.append(line)
            line, used, room = "", 0, later
        if not line:
            word = word.lstrip(" ")
            width = width_of(word)
        if width <= room:
            line, used = line + word, used + width
            continue
        for mark in word if is_english else _CHINESE_MARKS.findall(word):
            if used + width_of(mark) > room:
                lines.append(line)
                line, used, room = "", 0, later
            line, used = line + mark, used + width_of(mark)
    return [*lines, line]


def joined_names(names: Sequence[str]) -> str:
    """Names as an option of the command line has them.

    >>> joined_names(["zip", "a, b"])
    'zip,"a, b"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()
