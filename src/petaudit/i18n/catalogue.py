"""The languages that petaudit speaks, and the one catalogue of what it says in them."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final

ENGLISH: Final = "en"
CHINESE: Final = "zh-TW"
LANGUAGES: Final = (ENGLISH, CHINESE)


@cache
def catalogue(language: str) -> dict[str, str]:
    """Every English text with its translation; English itself needs none."""
    if language == ENGLISH:
        return {}
    file = files("petaudit.i18n") / f"{language}.json"
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def translation(text: str, language: str) -> str:
    """A text or template in a language; an unknown text stays English.

    A test fails for every text of petaudit that the catalogue lacks; texts of other packages'
    measures may lack.

    >>> translation("row", "en")
    'row'
    """
    return catalogue(language).get(text, text)
