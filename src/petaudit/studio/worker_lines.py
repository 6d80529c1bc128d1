"""Sentences as they pass between the studio and its worker: in every language."""

from __future__ import annotations

from typing import TypeAlias

from petaudit.i18n.catalogue import LANGUAGES
from petaudit.i18n.phrases import render

Said: TypeAlias = dict[str, str]


def said(text: str) -> Said:
    """A sentence in every language.

    >>> said("a")
    {'en': 'a', 'zh-TW': 'a'}
    """
    return {language: render(text, language) for language in LANGUAGES}
