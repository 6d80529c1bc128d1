"""When two labels of a sensitive attribute are the same value.

A class whose cells are ``flu``, ``Flu`` and ``flu`` with a zero-width space tells as much as one
with three times ``flu``. So numbers are compared by value, and texts by NFKC without invisible
characters, surplus blanks, case and width. Quasi-identifiers are not compared this way: there it is
the cautious reading that takes two spellings for two cells.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final

from petaudit.exact.fractions import parse_number

_FIRST_OF_NUMBERS: Final = frozenset("+-.0123456789")
_UNICODE_MINUS: Final = "\u2212"
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that show nothing although Unicode calls them letters, marks or symbols."""
_SELECTORS: Final = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000))


def value_keys(labels: Sequence[str | None]) -> list[Hashable]:
    """A key per label that equals another's where both are the same value; None for no value.

    >>> keys = value_keys(["5", "5.0", "05", "5e0", "Flu", "FLU", "fl\u200bu", "\u200b", None])
    >>> keys[0] == keys[1] == keys[2] == keys[3], keys[4] == keys[5] == keys[6], keys[7:]
    (True, True, [None, None])
    >>> one, other = value_keys(["9007199254740992", "9007199254740993"])
    >>> one == other
    False
    """
    texts = visible_texts(labels)
    keys: list[Hashable] = [None if text is None else _float_or_text(text) for text in texts]
    # Equal numbers have equal floats, and only where floats are equal the exact ones are asked.
    times = Counter(keys)
    if len(times) == len(keys):
        return keys
    for place, (key, text) in enumerate(zip(keys, texts, strict=True)):
        if text is not None and isinstance(key, float) and times[key] > 1:
            number = parse_number(text)
            # A fraction equals the float of its value, and texts equal neither.
            keys[place] = _folded(text) if number is None else ("number", number)
    return keys


def visible_texts(labels: Sequence[str | None]) -> list[str | None]:
    """What each label shows; None where that is nothing."""
    if _is_plain("".join(label for label in labels if label is not None)):
        return list(labels)
    return [None if label is None else visible_text(label) or None for label in labels]


def visible_text(label: str) -> str:
    """A label by NFKC, without invisible characters and with single blanks.

    >>> visible_text("\uff21\u00ad  b\u200b"), visible_text("\u0661\u0662"), visible_text("\u2060")
    ('A b', '12', '')
    """
    if _is_plain(label):
        return label
    text = unicodedata.normalize("NFKC", label)
    shown = "".join(_plain(char) for char in text if not _is_invisible(char))
    return " ".join(unicodedata.normalize("NFKC", shown).split())


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and "  " not in text


def _plain(char: str) -> str:
    """Digits of every script and the minus sign as a number is written with them."""
    return "-" if char == _UNICODE_MINUS else str(unicodedata.decimal(char, char))


def _is_invisible(char: str) -> bool:
    if char.isspace():
        return False
    return (
        unicodedata.category(char) in {"Cf", "Cc"}
        or char in _FILLERS
        or any(ord(char) in own for own in _SELECTORS)
    )


def _float_or_text(text: str) -> float | str:
    if text[0] in _FIRST_OF_NUMBERS:
        try:
            number = float(text)
        except ValueError:
            return _folded(text)
        if number == number:  # noqa: PLR0124 (not NaN, which equals nothing)
            return number
    return _folded(text)


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.casefold())
