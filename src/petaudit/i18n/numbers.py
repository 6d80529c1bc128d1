"""Numbers of people in sentences, as they are or as the zone that a page may tell.

Whatever would tell a number is made of its zone, too: its share, and the verb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from petaudit.i18n.catalogue import ENGLISH, translation
from petaudit.i18n.phrases import (
    Joined,
    Phrase,
    joined,
    phrase,
    plain_part,
    render,
    shortened_value,
)
from petaudit.i18n.templates import filled
from petaudit.i18n.zones import classes_zone, zone

PEOPLE: Final = frozenset(
    {
        "row",
        "class",
        "cell",
        "synthetic row",
        "original row",
        "released row",
        "identified row",
        "person",
        "record",
    }
)
"""Nouns whose small counts point at somebody."""
_NUMBER: Final = re.compile(r"(?<![\w.,])\d{1,4}(?![\d.,]*\d)")


class Counted(Phrase):
    """A number with its noun; see :func:`counted`."""

    number: int
    nouns: tuple[str, str]
    of: int | None

    def __new__(cls, number: int, noun: str, plural: str, of: int | None = None) -> Counted:
        """The English words; ``noun`` is for one."""
        shown = f"{number:,} {noun if number == 1 else plural}"
        made = str.__new__(cls, shown)
        made.template, made.values = shown, {}
        made.number, made.nouns, made.of = number, (noun, plural), of
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.number, *self.nouns, self.of

    def render(self, language: str, hide_below: int) -> str:
        """The number, or its zone, with the noun."""
        one, many = self.nouns
        below = hide_below if one in PEOPLE else 0
        is_class = one == "class"
        told = classes_zone(self.number, below) if is_class else zone(self.number, below, self.of)
        shown = told.text
        if language == ENGLISH:
            return f"{shown} {one if shown == '1' else many}"
        # The noun alone may be a heading elsewhere, and other languages count with other words.
        return filled(translation(f"{{number}} {many}", language), {"number": shown})

    def to_plain(self) -> dict[str, Any]:
        """The number and its nouns."""
        return {"number": self.number, "nouns": list(self.nouns)} | _of(self.of)


class Tally(Phrase):
    """A number of people without a noun; see :func:`tally`."""

    number: int
    of: int | None

    def __new__(cls, number: int, of: int | None = None) -> Tally:
        """The number as people write it."""
        made = str.__new__(cls, f"{number:,}")
        made.template, made.values = str(made), {}
        made.number, made.of = number, of
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.number, self.of

    def render(self, language: str, hide_below: int) -> str:
        """The number, or its zone."""
        return zone(self.number, hide_below, self.of).text

    def to_plain(self) -> dict[str, Any]:
        """The number."""
        return {"tally": self.number} | _of(self.of)


class Share(Phrase):
    """How many of how many, in percent; see :func:`share`."""

    part: int
    whole: int
    decimals: int | None

    def __new__(cls, part: int, whole: int, decimals: int | None) -> Share:
        """The English words."""
        shown = zone(part, 0).percent(whole, decimals)
        made = str.__new__(cls, shown)
        made.template, made.values = shown, {}
        made.part, made.whole, made.decimals = part, whole, decimals
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.part, self.whole, self.decimals

    def render(self, language: str, hide_below: int) -> str:
        """The percentage, or that of both ends of the zone."""
        return zone(self.part, hide_below, self.whole).percent(self.whole, self.decimals)

    def to_plain(self) -> dict[str, Any]:
        """Both numbers."""
        return {"part": self.part, "whole": self.whole, "decimals": self.decimals}


class Exact(Phrase):
    """What is left out where numbers of people are not exact; see :func:`exactly`."""

    text: str
    otherwise: str

    def __new__(cls, text: str, otherwise: str = "") -> Exact:
        """The English words."""
        made = str.__new__(cls, text)
        made.template, made.values = str(text), {}
        made.text, made.otherwise = text, otherwise
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.text, self.otherwise

    def render(self, language: str, hide_below: int) -> str:
        """The text, or what stands in for it."""
        return render(self.otherwise if hide_below > 1 else self.text, language, hide_below)

    def to_plain(self) -> dict[str, Any]:
        """The text."""
        return {"exact": plain_part(self.text), "otherwise": plain_part(self.otherwise)}


def _of(number: int | None) -> dict[str, int]:
    return {} if number is None else {"of": number}


class Numbered(Phrase):
    """A sentence that differs for one and for many; see :func:`numbered`."""

    number: int
    forms: tuple[str, str]

    def __new__(cls, number: int, one: str, many: str) -> Numbered:
        """The English words."""
        made = str.__new__(cls, one if number == 1 else many)
        made.template, made.values = str(made), {}
        made.number, made.forms = number, (one, many)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.number, *self.forms

    def render(self, language: str, hide_below: int) -> str:
        """The sentence for many also where it must not be told that there is one."""
        one, many = self.forms
        is_one = self.number == 1 and hide_below <= 1
        return render(one if is_one else many, language, hide_below)

    def to_plain(self) -> dict[str, Any]:
        """The number and both sentences."""
        one, many = map(plain_part, self.forms)
        return {"number": self.number, "one": one, "many": many}


class Foreign(Phrase):
    """A sentence that is no phrase of ours; see :func:`foreign`."""

    def __new__(cls, text: str) -> Foreign:
        """The sentence as it is."""
        made = str.__new__(cls, text)
        made.template, made.values = text, {}
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (str(self),)

    def render(self, language: str, hide_below: int) -> str:
        """The sentence, unless a number in it may count few people."""
        if any(0 < int(number) < hide_below for number in _NUMBER.findall(self)):
            hidden = phrase("(a sentence with small numbers is not shown)")
            return hidden.render(language, hide_below)
        return shortened_value(str(self))

    def to_plain(self) -> dict[str, Any]:
        """There is nothing to take apart."""
        return {"foreign": str(self)}


def foreign(text: str) -> str:
    """A sentence of somebody else's, of whose numbers nobody knows what they count.

    >>> render(foreign("2 of them"), hide_below=5), render(foreign("12 of them"), hide_below=5)
    ('(a sentence with small numbers is not shown)', '12 of them')
    """
    return text if isinstance(text, Phrase) else Foreign(text)


def counted(number: int, noun: str, plural: str | None = None, *, of: int | None = None) -> Counted:
    """Write a number with its noun.

    ``of`` is how many there are in all, which every reader may know: a number of people is told as
    it is where it is all of them, and else by its zone (:mod:`petaudit.i18n.zones`).

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    >>> render(counted(3, "row"), hide_below=5), render(counted(3, "column"), hide_below=5)
    ('<5 rows', '3 columns')
    >>> render(counted(3, "class", "classes"), hide_below=5)
    '<20 classes'
    >>> [render(counted(97, "row", of=of), hide_below=5) for of in (97, 100, 300, None)]
    ['97 rows', '≥96 rows', '95–99 rows', '95–99 rows']
    """
    return Counted(number, noun, plural or f"{noun}s", of)


def tally(number: int, *, of: int | None = None) -> Tally:
    """A number of people whose noun stands elsewhere, as in "3 of 12 rows".

    ``of`` is as with :func:`counted`: the twelve.

    >>> tally(1200), render(tally(3), hide_below=5)
    ('1,200', '<5')
    """
    return Tally(number, of)


def share(part: int, whole: int, decimals: int | None = None) -> Share:
    """How many of how many, in percent; every reader may know how many there are in all.

    Without ``decimals`` it has three digits.

    >>> share(3, 60), share(1, 3, 2), render(share(3, 60), "en", hide_below=5)
    ('5 %', '33.33%', '<8.33 %')
    """
    return Share(part, whole, decimals)


def exactly(text: str, otherwise: str = "") -> Exact:
    """Figures beside the one that was asked for, from which numbers of people would follow.

    >>> more = exactly(phrase(", lowest {figure}", figure=0.04))
    >>> more, render(more, hide_below=5)
    (', lowest 0.04', '')
    """
    return Exact(text, otherwise)


def numbered(number: int, one: str, many: str) -> Numbered:
    """A sentence for one or for many people: the verb must not tell what a count hides.

    >>> render(numbered(1, phrase("one breaks it"), phrase("some break it")), hide_below=5)
    'some break it'
    """
    return Numbered(number, one, many)


def steps(points: Sequence[tuple[int, int]], whole: int) -> Joined:
    """Shares that grow from step to step, each with what it is the share for: smaller classes.

    A class of a quarter of the table would tell how many rows the others have.

    >>> grown = steps([(2, 0), (3, 2), (5, 20), (25, 20)], 40)
    >>> grown, render(grown, hide_below=5)
    ('2: 0 %, 3: 5 %, 5: 50 %, 25: 50 %', '2: 0 %, 3: <12.5 %, 5: 50–60 %')
    """
    shown = [(at, phrase("{k}: {share}", k=at, share=share(part, whole))) for at, part in points]
    return joined([text if 4 * at <= max(whole, 8) else exactly(text) for at, text in shown])
