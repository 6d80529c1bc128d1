"""Counts of people in sentences, exact or as the zone (:mod:`petaudit.i18n.zones`) that is shown.

Whatever would give a count away depends on its zone, too: its share, and the verb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final, Self

from petaudit.i18n.catalogue import ENGLISH, translation
from petaudit.i18n.phrases import (
    Joined,
    Phrase,
    fill,
    joined,
    phrase,
    plain_part,
    render,
    shorten_value,
)
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
    noun: str
    plural: str
    of: int | None

    def __new__(cls, number: int, noun: str, plural: str, of: int | None = None) -> Self:
        """Write the number; ``noun`` is for one."""
        text = f"{number:,} {noun if number == 1 else plural}"
        return cls._with_text(text, number=number, noun=noun, plural=plural, of=of)

    def render(self, language: str, hide_below: int) -> str:
        """Return the number, or its zone, with the noun."""
        below = hide_below if self.noun in PEOPLE else 0
        if self.noun == "class":
            number = classes_zone(self.number, below).text
        else:
            number = zone(self.number, below, self.of).text
        if language == ENGLISH:
            return f"{number} {self.noun if number == '1' else self.plural}"
        # The noun alone may be a heading elsewhere, and other languages count with other words.
        return fill(translation(f"{{number}} {self.plural}", language), {"number": number})

    def to_plain(self) -> Any:
        """Return the number and its nouns."""
        return {"number": self.number, "nouns": [self.noun, self.plural]} | _plain_total(self.of)


class Tally(Phrase):
    """A number of people without a noun; see :func:`tally`."""

    number: int
    of: int | None

    def __new__(cls, number: int, of: int | None = None) -> Self:
        """Write the number."""
        return cls._with_text(f"{number:,}", number=number, of=of)

    def render(self, language: str, hide_below: int) -> str:
        """Return the number, or its zone."""
        return zone(self.number, hide_below, self.of).text

    def to_plain(self) -> Any:
        """Return the number."""
        return {"tally": self.number} | _plain_total(self.of)


class Share(Phrase):
    """How many of how many, in percent; see :func:`share`."""

    part: int
    whole: int
    decimals: int | None

    def __new__(cls, part: int, whole: int, decimals: int | None) -> Self:
        """Write the percentage."""
        text = zone(part, 0).percent(whole, decimals)
        return cls._with_text(text, part=part, whole=whole, decimals=decimals)

    def render(self, language: str, hide_below: int) -> str:
        """Return the percentage, or that of both ends of the zone."""
        return zone(self.part, hide_below, self.whole).percent(self.whole, self.decimals)

    def to_plain(self) -> Any:
        """Return both numbers."""
        return {"part": self.part, "whole": self.whole, "decimals": self.decimals}


class Exact(Phrase):
    """A text that is left out where counts are hidden; see :func:`exactly`."""

    text: str
    otherwise: str

    def __new__(cls, text: str, otherwise: str = "") -> Self:
        """Have the text itself."""
        return cls._with_text(text, text=text, otherwise=otherwise)

    def render(self, language: str, hide_below: int) -> str:
        """Return the text, or what stands in for it."""
        return render(self.otherwise if hide_below > 1 else self.text, language, hide_below)

    def to_plain(self) -> Any:
        """Return both texts."""
        return {"exact": plain_part(self.text), "otherwise": plain_part(self.otherwise)}


class Numbered(Phrase):
    """A sentence that differs for one and for many; see :func:`numbered`."""

    number: int
    one: str
    many: str

    def __new__(cls, number: int, one: str, many: str) -> Self:
        """Choose the sentence."""
        text = one if number == 1 else many
        return cls._with_text(text, number=number, one=one, many=many)

    def render(self, language: str, hide_below: int) -> str:
        """Return the sentence for many also where one is too few to be told."""
        is_one = self.number == 1 and hide_below <= 1
        return render(self.one if is_one else self.many, language, hide_below)

    def to_plain(self) -> Any:
        """Return the number and both sentences."""
        one, many = plain_part(self.one), plain_part(self.many)
        return {"number": self.number, "one": one, "many": many}


class Foreign(Phrase):
    """A sentence that was not made by petaudit; see :func:`foreign`."""

    def __new__(cls, text: str) -> Self:
        """Have the text itself."""
        return cls._with_text(text, text=text)

    def render(self, language: str, hide_below: int) -> str:
        """Return the sentence, unless a number in it may count few people."""
        if any(0 < int(number) < hide_below for number in _NUMBER.findall(self)):
            return phrase("(a sentence with small numbers is not shown)").render(
                language, hide_below
            )
        return shorten_value(str(self))

    def to_plain(self) -> Any:
        """Return the text."""
        return {"foreign": str(self)}


def _plain_total(of: int | None) -> dict[str, int]:
    return {} if of is None else {"of": of}


def foreign(text: str) -> str:
    """Make a phrase of a text by others, whose numbers may count anything.

    >>> render(foreign("2 of them"), hide_below=5), render(foreign("12 of them"), hide_below=5)
    ('(a sentence with small numbers is not shown)', '12 of them')
    """
    return text if isinstance(text, Phrase) else Foreign(text)


def counted(number: int, noun: str, plural: str | None = None, *, of: int | None = None) -> Counted:
    """Write a number with its noun.

    ``of`` is the public total: a number of people is shown exactly where it is all of them, and
    else by its zone.

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
    """Write a number of people whose noun stands elsewhere, as in "3 of 12 rows"; ``of`` is 12.

    >>> tally(1200), render(tally(3), hide_below=5)
    ('1,200', '<5')
    """
    return Tally(number, of)


def share(part: int, whole: int, decimals: int | None = None) -> Share:
    """Write a share of a public total in percent; with three digits unless ``decimals`` is given.

    >>> share(3, 60), share(1, 3, 2), render(share(3, 60), "en", hide_below=5)
    ('5 %', '33.33%', '<8.33 %')
    """
    return Share(part, whole, decimals)


def exactly(text: str, otherwise: str = "") -> Exact:
    """Mark figures from which counts of people would follow.

    >>> more = exactly(phrase(", lowest {figure}", figure=0.04))
    >>> more, render(more, hide_below=5)
    (', lowest 0.04', '')
    """
    return Exact(text, otherwise)


def numbered(number: int, one: str, many: str) -> Numbered:
    """Choose the sentence for one or for many people: the verb must not give a count away.

    >>> render(numbered(1, phrase("one breaks it"), phrase("some break it")), hide_below=5)
    'some break it'
    """
    return Numbered(number, one, many)


def steps(points: Sequence[tuple[int, int]], whole: int) -> Joined:
    """Write shares of rows in classes below growing sizes.

    A class of a quarter of the table would tell how many rows the others have.

    >>> grown = steps([(2, 0), (3, 2), (5, 20), (25, 20)], 40)
    >>> grown, render(grown, hide_below=5)
    ('2: 0 %, 3: 5 %, 5: 50 %, 25: 50 %', '2: 0 %, 3: <12.5 %, 5: 50–60 %')
    """
    shown = [(at, phrase("{k}: {share}", k=at, share=share(part, whole))) for at, part in points]
    return joined([text if 4 * at <= max(whole, 8) else exactly(text) for at, text in shown])


class Unit(StrEnum):
    """What the sizes of classes count: rows, or people where a column tells them apart.

    >>> Unit.ROW.counted(2), Unit.PERSON.counted(2), Unit.PERSON.counted(1)
    ('2 rows', '2 people', '1 person')
    """

    ROW = "rows"
    PERSON = "people"

    def counted(self, number: int, *, of: int | None = None) -> Phrase:
        """Write a number with this noun.

        The total of rows is public; a person counts once in each class, and the total of that is
        not.
        """
        if self is Unit.PERSON:
            return counted(number, "person", "people")
        return counted(number, "row", of=of)

    def choose(self, of_rows: Phrase, of_people: Phrase) -> Phrase:
        """Return the sentence for this unit."""
        return of_people if self is Unit.PERSON else of_rows
