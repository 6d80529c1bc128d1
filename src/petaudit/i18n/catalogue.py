"""The languages of petaudit, the current one, and the catalogue of translations."""

from __future__ import annotations

import json
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Final

ENGLISH: Final = "en"
CHINESE: Final = "zh-TW"
LANGUAGES: Final = (ENGLISH, CHINESE)
_current: Final[ContextVar[str]] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """Return the language in which errors and texts are shown; English is the default.

    >>> language()
    'en'
    """
    return _current.get()


def use_language(name: str) -> None:
    """Set the current language; the name must be one of ``LANGUAGES``."""
    _current.set(name)


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return the translation of every English text; empty for English itself."""
    if language == ENGLISH:
        return {}
    file = files("petaudit.i18n") / f"{language}.json"
    translations: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return translations


def translation(text: str, language: str) -> str:
    """Return a text or template in a language; an unknown text stays English.

    A test checks that the catalogue has every text of petaudit; measures of other packages may
    have texts that it lacks.

    >>> translation("row", "en")
    'row'
    """
    return catalogue(language).get(text, text)
