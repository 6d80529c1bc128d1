"""Phrases in JSON documents: stored with their parts, and restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from petaudit.i18n.numbers import counted, exactly, foreign, numbered, share, steps, tally
from petaudit.i18n.phrases import Phrase, joined, plain_fields, translated

_LARGEST: Final = 10**15
_MOST_DECIMALS: Final = 20
_MOST_LEVELS: Final = 50


def from_plain(parts: Mapping[str, Any] | str, longest: int = 100_000) -> str:
    """Return the phrase of :meth:`Phrase.to_plain`; no part may be longer than ``longest``.

    A file may say anything: a few lines could ask for a gigabyte of text.

    >>> from petaudit.i18n.numbers import counted
    >>> from_plain(counted(3, "row").to_plain())
    '3 rows'
    """

    def inner(part: Any) -> str:
        return from_plain(part, longest)

    text: str
    of = None if isinstance(parts, str) or "of" not in parts else _integer(parts["of"])
    match parts:
        case str():
            text = parts
        case {"template": str(template), "values": Mapping() as values}:
            filled = {name: inner(value) for name, value in values.items()}
            length = sum(
                len(literal) + len(filled[name] if name else "")
                for literal, name in plain_fields(template)
            )
            _check(length <= longest)
            text = Phrase.filled(template, filled)
        case {"number": int(number), "nouns": [str(noun), str(plural)]}:
            text = counted(_integer(number), noun, plural, of=of)
        case {"number": int(number), "one": one, "many": many}:
            text = numbered(_integer(number), inner(one), inner(many))
        case {"tally": int(number)}:
            text = tally(_integer(number), of=of)
        case {"parts": [*items], "separator": str(separator)}:
            texts = [inner(item) for item in items]
            _check(sum(map(len, texts)) + len(separator) * (len(texts) - 1) <= longest)
            text = joined(texts, separator)
        case {"part": int(part), "whole": int(whole), "decimals": None | int() as decimals}:
            _check(decimals is None or 0 <= decimals <= _MOST_DECIMALS)
            text = share(_integer(part), _integer(whole), decimals)
        case {"translated": Mapping() as by_language}:
            _check(bool(by_language) and all(isinstance(one, str) for one in by_language.values()))
            _check(sum(map(len, by_language.values())) <= longest)
            text = translated(by_language)
        case {"exact": exact, "otherwise": otherwise}:
            text = exactly(inner(exact), inner(otherwise))
        case {"foreign": str(sentence)}:
            text = foreign(sentence)
        case {"steps": [*points], "whole": int(whole)}:
            # Documents before 0.8.0 have it.
            text = steps([(_integer(at), _integer(rows)) for at, rows in points], _integer(whole))
        case _:
            raise ValueError("not a phrase")
    _check(len(text) <= longest)
    return text


def _check(holds: bool) -> None:
    if not holds:
        raise ValueError("malformed phrase")


def _integer(number: int) -> int:
    _check(isinstance(number, int) and not isinstance(number, bool) and abs(number) <= _LARGEST)
    return number


def phrases_in(document: object) -> dict[str, Any]:
    """Return the parts of each phrase of a document, by its English text.

    >>> from petaudit.i18n.numbers import counted
    >>> phrases_in({"a": [counted(3, "row")], "b": "plain"})
    {'3 rows': {'number': 3, 'nouns': ['row', 'rows']}}
    """
    match document:
        case Phrase():
            return {str(document): document.to_plain()}
        case Mapping():
            children = list(document.values())
        case list() | tuple():
            children = list(document)
        case _:
            return {}
    phrases: dict[str, Any] = {}
    for child in children:
        phrases |= phrases_in(child)
    return phrases


def restore_phrases(document: Any, texts: Mapping[str, Any], levels: int = _MOST_LEVELS) -> Any:
    """Return a document from JSON with its phrases, as far as text and parts agree.

    What is nested deeper than any document of petaudit is left as it is.

    >>> from petaudit.i18n.numbers import counted
    >>> from petaudit.i18n.phrases import render
    >>> restored = restore_phrases({"a": ["3 rows"]}, {"3 rows": counted(3, "row").to_plain()})
    >>> render(restored["a"][0], hide_below=5)
    '<5 rows'
    """
    match document:
        case _ if levels == 0:
            return document
        case str() if document in texts:
            try:
                # The words for many may be longer than those for one, but not by much.
                restored = from_plain(texts[document], 1000 + 4 * len(document))
            except (
                ValueError,
                LookupError,
                TypeError,
                AttributeError,
                ArithmeticError,
                RecursionError,
            ):
                return document
            return restored if restored == document else document
        case Mapping():
            return {
                name: restore_phrases(value, texts, levels - 1) for name, value in document.items()
            }
        case list():
            return [restore_phrases(value, texts, levels - 1) for value in document]
    return document
