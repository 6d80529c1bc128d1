"""Changing what stands in a message without losing what the message is made of."""

from __future__ import annotations

from collections.abc import Callable

from petaudit.errors import Phrase
from petaudit.i18n.phrases import Joined


def replaced(text: str, change: Callable[[str], str]) -> str:
    """A text with a change to it; a phrase stays one, with the change to its values.

    Where that is not the same, as what changes is spread over several values, the text is plain.

    >>> said = Phrase("{file} is empty", {"file": "/a/b.csv"})
    >>> found = replaced(said, lambda own: own.replace("/a/", ""))
    >>> found, found.template
    ('b.csv is empty', '{file} is empty')
    """
    wanted = change(str(text))
    found = _inside(text, change)
    return found if found == wanted else wanted


def _inside(text: str, change: Callable[[str], str]) -> str:
    match text:
        case Joined():
            return Joined([_inside(own, change) for own in text.parts], text.separator)
        case Phrase() if text.values:
            own = {name: _inside(value, change) for name, value in text.values.items()}
            return Phrase(text.template, own)
        case Phrase():
            return text
    return change(text)
