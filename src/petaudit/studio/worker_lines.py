"""Sentences as they pass between the studio and its worker: in every language."""

from __future__ import annotations

from typing import Final, TypeAlias

from petaudit.i18n.catalogue import LANGUAGES
from petaudit.i18n.phrases import render
from petaudit.i18n.voice import HIDE_BELOW, Voice

Said: TypeAlias = dict[str, str]
TRANSFORMATION: Final = "released.transformation.json"
"""What was done to the table, for ``petaudit apply``; beside the results of a run."""


def said(text: str) -> Said:
    """A sentence in every language, with small counts and without.

    >>> said("a")
    {'en': 'a', 'en hidden': 'a', 'zh-TW': 'a', 'zh-TW hidden': 'a'}
    """
    return {
        spoken(voice): render(text, voice.language, voice.threshold)
        for language in LANGUAGES
        for voice in (Voice(language, revealed=True), Voice(language, hide_below=HIDE_BELOW))
    }


def spoken(voice: Voice) -> str:
    """Which of the sentences a voice says."""
    return voice.language if voice.revealed else f"{voice.language} hidden"
