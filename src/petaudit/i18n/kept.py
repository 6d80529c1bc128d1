"""Phrases in documents: taken apart for JSON, and put together again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from petaudit.i18n.numbers import Counted, Exact, Foreign, Numbered, Share, Tally, steps
from petaudit.i18n.phrases import Joined, Phrase, Translated
from petaudit.i18n.templates import length_filled

_LARGEST: Final = 10**15
_MOST_DECIMALS: Final = 20
_MOST_LEVELS: Final = 50


def from_plain(made_of: Mapping[str, Any] | str, longest: int = 100_000) -> str:
    """The phrase that :meth:`Phrase.to_plain` took apart; no part may be longer than ``longest``.

    A file may say anything: a few lines could ask for a gigabyte of text.

    >>> from petaudit.i18n.numbers import counted
    >>> from_plain(counted(3, "row").to_plain())
    '3 rows'
    """

    def part(own: Any) -> str:
        return from_plain(own, longest)

    found: str
    of = None if isinstance(made_of, str) or "of" not in made_of else _whole(made_of["of"])
    match made_of:
        case str():
            found = made_of
        case {"template": str(template), "values": Mapping() as values}:
            own = {name: part(value) for name, value in values.items()}
            _check(length_filled(template, own) <= longest)
            found = Phrase(template, own)
        case {"number": int(number), "nouns": [str(noun), str(plural)]}:
            found = Counted(_whole(number), noun, plural, of)
        case {"number": int(number), "one": one, "many": many}:
            found = Numbered(_whole(number), part(one), part(many))
        case {"tally": int(number)}:
            found = Tally(_whole(number), of)
        case {"parts": [*parts], "separator": str(separator)}:
            texts = [part(own) for own in parts]
            _check(sum(map(len, texts)) + len(separator) * len(texts) <= longest + len(separator))
            found = Joined(texts, separator)
        case {"part": int(some), "whole": int(whole), "decimals": None | int() as decimals}:
            _check(decimals is None or 0 <= decimals <= _MOST_DECIMALS)
            found = Share(_whole(some), _whole(whole), decimals)
        case {"translated": Mapping() as by_language}:
            _check(bool(by_language) and all(isinstance(own, str) for own in by_language.values()))
            _check(sum(map(len, by_language.values())) <= longest)
            found = Translated(by_language)
        case {"exact": text, "otherwise": otherwise}:
            found = Exact(part(text), part(otherwise))
        case {"foreign": str(text)}:
            found = Foreign(text)
        case {"steps": [*points], "whole": int(whole)}:
            # Documents before 0.8.0 have it.
            found = steps([(_whole(at), _whole(rows)) for at, rows in points], _whole(whole))
        case _:
            raise ValueError("this is no phrase")
    _check(len(found) <= longest)
    return found


def _check(holds: bool) -> None:
    if not holds:
        raise ValueError("this is no phrase of ours")


def _whole(number: object) -> int:
    _check(isinstance(number, int) and not isinstance(number, bool))
    assert isinstance(number, int)  # noqa: S101 (just checked)
    _check(-_LARGEST <= number <= _LARGEST)
    return number


def texts_of(document: object) -> dict[str, Any]:
    """What the phrases of a document are made of, by their English text.

    >>> from petaudit.i18n.numbers import counted
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


def with_phrases(document: Any, texts: Mapping[str, Any], levels: int = _MOST_LEVELS) -> Any:
    """A document from JSON with its phrases again, where the texts still fit together.

    What is nested deeper than any document of ours is left as it is.

    >>> from petaudit.i18n.numbers import counted
    >>> from petaudit.i18n.phrases import render
    >>> found = with_phrases({"a": ["3 rows", "x"]}, {"3 rows": counted(3, "row").to_plain()})
    >>> render(found["a"][0], hide_below=5)
    '<5 rows'
    """
    match document:
        case _ if levels == 0:
            return document
        case str() if document in texts:
            try:
                # The words for many may be longer than those for one, but not by much.
                found = from_plain(texts[document], 1000 + 4 * len(document))
            except (
                ValueError,
                LookupError,
                TypeError,
                AttributeError,
                ArithmeticError,
                RecursionError,
            ):
                return document
            return found if found == document else document
        case Mapping():
            return {
                name: with_phrases(value, texts, levels - 1) for name, value in document.items()
            }
        case list():
            return [with_phrases(value, texts, levels - 1) for value in document]
    return document
