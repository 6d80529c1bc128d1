"""The language that is spoken now."""

from __future__ import annotations

from contextvars import ContextVar

from petaudit.i18n.catalogue import ENGLISH
from petaudit.i18n.phrases import render

_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """The language in which errors and texts are shown; English until somebody chooses.

    >>> language()
    'en'
    """
    return _current.get()


def use_language(name: str) -> None:
    """Speak a language whose name was checked."""
    _current.set(name)


def translate(text: str) -> str:
    """A text in the chosen language.

    >>> translate("a column name")
    'a column name'
    """
    return render(text, language())
