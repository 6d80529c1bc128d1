"""Phrases in documents: taken apart for JSON, and put together again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petaudit.languages.phrases import Counted, Joined, Phrase, Share, Tally


def from_plain(made_of: Mapping[str, Any] | str) -> str:
    """The phrase that :meth:`Phrase.to_plain` took apart.

    >>> from petaudit.languages.phrases import counted
    >>> from_plain(counted(3, "row").to_plain())
    '3 rows'
    """
    match made_of:
        case str():
            return made_of
        case {"template": str(template), "values": Mapping() as values}:
            return Phrase(template, {name: from_plain(value) for name, value in values.items()})
        case {"number": int(number), "nouns": [str(noun), str(plural)]}:
            return Counted(number, noun, plural)
        case {"tally": int(number)}:
            return Tally(number)
        case {"parts": [*parts], "separator": str(separator)}:
            return Joined([from_plain(part) for part in parts], separator)
        case {"part": int(part), "whole": int(whole), "decimals": None | int() as decimals}:
            return Share(part, whole, decimals)
    raise ValueError("this is no phrase")


def texts_of(document: object) -> dict[str, Any]:
    """What the phrases of a document are made of, by their English text.

    >>> from petaudit.languages.phrases import counted
    >>> texts_of({"a": [counted(3, "row")], "b": "plain"})
    {'3 rows': {'number': 3, 'nouns': ['row', 'rows']}}
    """
    found: dict[str, Any] = {}
    match document:
        case Phrase():
            found[str(document)] = document.to_plain()
        case Mapping():
            for value in document.values():
                found |= texts_of(value)
        case list() | tuple():
            for value in document:
                found |= texts_of(value)
    return found


def with_phrases(document: Any, texts: Mapping[str, Any]) -> Any:
    """A document from JSON with its phrases again, where the texts still fit together.

    >>> from petaudit.languages.phrases import counted, said
    >>> found = with_phrases({"a": ["3 rows", "x"]}, {"3 rows": counted(3, "row").to_plain()})
    >>> said(found["a"][0], hide_below=5)
    '<5 rows'
    """
    match document:
        case str() if document in texts:
            try:
                found = from_plain(texts[document])
            except (ValueError, KeyError, TypeError, IndexError, AttributeError):
                return document
            return found if found == document else document
        case Mapping():
            return {name: with_phrases(value, texts) for name, value in document.items()}
        case list():
            return [with_phrases(value, texts) for value in document]
    return document
