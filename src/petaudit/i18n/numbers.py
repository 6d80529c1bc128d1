"""Counts of people in sentences, exact or as the zone (:mod:`petaudit.i18n.zones`) that is shown.

Whatever would give a count away depends on its zone, too: its share, and the verb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from petaudit.i18n.catalogue import ENGLISH, translation
from petaudit.i18n.phrases import LONGEST_VALUE, Joined, Phrase, fill, joined, phrase, render
from petaudit.i18n.text import shortened
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
    of: int | None = None

    def render(self, language: str, hide_below: int) -> str:
        """Return the number, or its zone, with the noun."""
        noun, plural = self.nouns
        below = hide_below if noun in PEOPLE else 0
        if noun == "class":
            number = classes_zone(self.number, below).text
        else:
            number = zone(self.number, below, self.of).text
        if language == ENGLISH:
            return f"{number} {noun if number == '1' else plural}"
        # The noun alone may be a heading elsewhere, and other languages count with other words.
        return fill(translation(f"{{number}} {plural}", language), {"number": number})


class Tally(Phrase):
    """A number of people without a noun; see :func:`tally`."""

    tally: int
    of: int | None = None

    def render(self, language: str, hide_below: int) -> str:
        """Return the number, or its zone."""
        return zone(self.tally, hide_below, self.of).text


class Share(Phrase):
    """How many of how many, in percent; see :func:`share`."""

    part: int
    whole: int
    decimals: int | None

    def render(self, language: str, hide_below: int) -> str:
        """Return the percentage, or that of both ends of the zone."""
        return zone(self.part, hide_below, self.whole).percent(self.whole, self.decimals)


class Exact(Phrase):
    """A text that is left out where counts are hidden; see :func:`exactly`."""

    exact: str
    otherwise: str

    def render(self, language: str, hide_below: int) -> str:
        """Return the text, or what stands in for it."""
        return render(self.otherwise if hide_below > 1 else self.exact, language, hide_below)


class Numbered(Phrase):
    """A sentence that differs for one and for many; see :func:`numbered`."""

    number: int
    one: str
    many: str

    def render(self, language: str, hide_below: int) -> str:
        """Return the sentence for many also where one is too few to be told."""
        is_one = self.number == 1 and hide_below <= 1
        return render(self.one if is_one else self.many, language, hide_below)


class Foreign(Phrase):
    """A sentence that was not made by petaudit; see :func:`foreign`."""

    def render(self, language: str, hide_below: int) -> str:
        """Return the sentence, unless a number in it may count few people."""
        if any(0 < int(number) < hide_below for number in _NUMBER.findall(self)):
            return phrase("(a sentence with small numbers is not shown)").render(language, 0)
        return shortened(str(self), LONGEST_VALUE)


def foreign(text: str) -> str:
    """Make a phrase of a text by others, whose numbers may count anything.

    >>> render(foreign("2 of them"), hide_below=5), render(foreign("12 of them"), hide_below=5)
    ('(a sentence with small numbers is not shown)', '12 of them')
    """
    return text if isinstance(text, Phrase) else Foreign(text, foreign=text)


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
    plural = plural or f"{noun}s"
    text = f"{number:,} {noun if number == 1 else plural}"
    return Counted(text, number=number, nouns=(noun, plural), **_total(of))


def _total(of: int | None) -> dict[str, int]:
    """Return the total as a part of a phrase, where there is one."""
    return {} if of is None else {"of": of}


def tally(number: int, *, of: int | None = None) -> Tally:
    """Write a number of people whose noun stands elsewhere, as in "3 of 12 rows"; ``of`` is 12.

    >>> tally(1200), render(tally(3), hide_below=5)
    ('1,200', '<5')
    """
    return Tally(f"{number:,}", tally=number, **_total(of))


def share(part: int, whole: int, decimals: int | None = None) -> Share:
    """Write a share of a public total in percent; with three digits unless ``decimals`` is given.

    >>> share(3, 60), share(1, 3, 2), render(share(3, 60), "en", hide_below=5)
    ('5 %', '33.33%', '<8.33 %')
    """
    text = zone(part, 0).percent(whole, decimals)
    return Share(text, part=part, whole=whole, decimals=decimals)


def exactly(text: str, otherwise: str = "") -> Exact:
    """Mark figures from which counts of people would follow.

    >>> more = exactly(phrase(", lowest {figure}", figure=0.04))
    >>> more, render(more, hide_below=5)
    (', lowest 0.04', '')
    """
    return Exact(text, exact=text, otherwise=otherwise)


def numbered(number: int, one: str, many: str) -> Numbered:
    """Choose the sentence for one or for many people: the verb must not give a count away.

    >>> render(numbered(1, phrase("one breaks it"), phrase("some break it")), hide_below=5)
    'some break it'
    """
    return Numbered(one if number == 1 else many, number=number, one=one, many=many)


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
