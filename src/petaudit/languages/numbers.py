"""Numbers of people in sentences: shown, or hidden where they are small.

Whatever would tell a small number is hidden with it: its share, the verb, and the number that makes
up a known sum with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from petaudit.languages.catalogue import ENGLISH, translation
from petaudit.languages.phrases import Phrase, joined, phrase, plain_part, said
from petaudit.languages.templates import filled

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


class Counted(Phrase):
    """A number with its noun; see :func:`counted`."""

    number: int
    nouns: tuple[str, str]
    beside: int

    def __new__(cls, number: int, noun: str, plural: str, beside: int = 0) -> Counted:
        """The English words; ``noun`` is for one."""
        shown = f"{number:,} {noun if number == 1 else plural}"
        made = str.__new__(cls, shown)
        made.template, made.values = shown, {}
        made.number, made.nouns, made.beside = number, (noun, plural), beside
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.number, *self.nouns, self.beside

    def said(self, language: str, hide_below: int) -> str:
        """The number, or that it is too small to tell, with the noun."""
        one, many = self.nouns
        is_hidden = one in PEOPLE and 0 < self.number < hide_below
        shown = f"<{hide_below}" if is_hidden else f"{self.number:,}"
        if 0 < self.beside < hide_below and not is_hidden:
            # The sum of both may be known, so only what follows from the sum is told.
            is_hidden = True
            shown = f"≥{max(self.number + self.beside - hide_below + 1, 0):,}"
        if language == ENGLISH:
            return f"{shown} {one if self.number == 1 and not is_hidden else many}"
        # The noun alone may be a heading elsewhere, and other languages count with other words.
        return filled(translation(f"{{number}} {many}", language), {"number": shown})

    def to_plain(self) -> dict[str, Any]:
        """The number and its nouns."""
        own = {"number": self.number, "nouns": list(self.nouns)}
        return own | ({"beside": self.beside} if self.beside else {})


class Tally(Phrase):
    """A number of people without a noun; see :func:`tally`."""

    number: int

    def __new__(cls, number: int) -> Tally:
        """The number as people write it."""
        made = str.__new__(cls, f"{number:,}")
        made.template, made.values = str(made), {}
        made.number = number
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.number,)

    def said(self, language: str, hide_below: int) -> str:
        """The number, or that it is too small to tell."""
        return f"<{hide_below}" if 0 < self.number < hide_below else str(self)

    def to_plain(self) -> dict[str, Any]:
        """The number."""
        return {"tally": self.number}


class Share(Phrase):
    """How many of how many, in percent; see :func:`share`."""

    part: int
    whole: int
    decimals: int | None

    def __new__(cls, part: int, whole: int, decimals: int | None) -> Share:
        """The English words."""
        shown = _percent(part / max(whole, 1), decimals)
        made = str.__new__(cls, shown)
        made.template, made.values = shown, {}
        made.part, made.whole, made.decimals = part, whole, decimals
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.part, self.whole, self.decimals

    def said(self, language: str, hide_below: int) -> str:
        """The percentage, or what it is less than where it would tell a small count."""
        if 0 < self.part < hide_below:
            return f"<{_percent(min(hide_below / max(self.whole, 1), 1), self.decimals)}"
        return str(self)

    def to_plain(self) -> dict[str, Any]:
        """Both numbers."""
        return {"part": self.part, "whole": self.whole, "decimals": self.decimals}


def _percent(value: float, decimals: int | None) -> str:
    return f"{100 * value:.3g} %" if decimals is None else f"{value:.{decimals}%}"


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

    def said(self, language: str, hide_below: int) -> str:
        """The sentence for many also where it must not be told that there is one."""
        one, many = self.forms
        is_one = self.number == 1 and hide_below <= 1
        return said(one if is_one else many, language, hide_below)

    def to_plain(self) -> dict[str, Any]:
        """The number and both sentences."""
        one, many = map(plain_part, self.forms)
        return {"number": self.number, "one": one, "many": many}


class Steps(Phrase):
    """Shares that grow from step to step; see :func:`steps`."""

    points: tuple[tuple[int, int], ...]
    whole: int

    def __new__(cls, points: Sequence[tuple[int, int]], whole: int) -> Steps:
        """The English words."""
        made = str.__new__(cls, ", ".join(f"{at}: {share(part, whole)}" for at, part in points))
        made.template, made.values = str(made), {}
        made.points, made.whole = tuple(points), whole
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.points, self.whole

    def said(self, language: str, hide_below: int) -> str:
        """The steps from which no small number follows."""
        shown, last = [], 0
        for at, part in self.points:
            if 0 < part - last < hide_below or 0 < self.whole - part < hide_below:
                continue
            last = part
            shown.append(phrase("{k}: {share}", k=at, share=share(part, self.whole)))
        return joined(shown).said(language, hide_below) if shown else "-"

    def to_plain(self) -> dict[str, Any]:
        """The steps."""
        return {"steps": [list(own) for own in self.points], "whole": self.whole}


def counted(number: int, noun: str, plural: str | None = None, *, beside: int = 0) -> Counted:
    """Write a number with its noun.

    ``beside`` is a number that would follow from this one and a known sum: if it is too small to be
    told, this one is told roughly.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    >>> said(counted(3, "row"), hide_below=5), said(counted(3, "column"), hide_below=5)
    ('<5 rows', '3 columns')
    >>> said(counted(97, "row", beside=3), hide_below=5)
    '≥96 rows'
    """
    return Counted(number, noun, plural or f"{noun}s", beside)


def tally(number: int) -> Tally:
    """A number of people whose noun stands elsewhere, as in "3 of 12 rows".

    >>> tally(1200), said(tally(3), hide_below=5)
    ('1,200', '<5')
    """
    return Tally(number)


def share(part: int, whole: int, decimals: int | None = None) -> Share:
    """How many of how many, in percent; it is hidden with the count that it would tell.

    Without ``decimals`` it has three digits.

    >>> share(3, 12), share(1, 3, 2), said(share(3, 12), "en", hide_below=5)
    ('25 %', '33.33%', '<41.7 %')
    """
    return Share(part, whole, decimals)


def numbered(number: int, one: str, many: str) -> Numbered:
    """A sentence for one or for many people: the verb must not tell what a count hides.

    >>> said(numbered(1, phrase("one breaks it"), phrase("some break it")), hide_below=5)
    'some break it'
    """
    return Numbered(number, one, many)


def steps(points: Sequence[tuple[int, int]], whole: int) -> Steps:
    """Shares that grow from step to step, each with what it is the share for.

    >>> grown = steps([(2, 0), (3, 2), (5, 20)], 40)
    >>> grown, said(grown, hide_below=5)
    ('2: 0 %, 3: 5 %, 5: 50 %', '2: 0 %, 5: 50 %')
    """
    return Steps(points, whole)
