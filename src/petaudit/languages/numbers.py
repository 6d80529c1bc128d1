"""Numbers of people in sentences: shown, or hidden where they are small.

Whatever would tell a small number is hidden with it: its share, the verb, and the number that makes
up a known sum with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from petaudit.languages.catalogue import ENGLISH, translation
from petaudit.languages.phrases import Phrase, joined, phrase, plain_part, said, shortened_value
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
_NUMBER: Final = re.compile(r"(?<![\w.,])\d{1,4}(?![\d.,]*\d)")


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
        shown = _shown(self.number, self.beside, hide_below if one in PEOPLE else 0)
        if language == ENGLISH:
            return f"{shown} {one if shown == '1' else many}"
        # The noun alone may be a heading elsewhere, and other languages count with other words.
        return filled(translation(f"{{number}} {many}", language), {"number": shown})

    def to_plain(self) -> dict[str, Any]:
        """The number and its nouns."""
        return {"number": self.number, "nouns": list(self.nouns)} | _beside(self.beside)


class Tally(Phrase):
    """A number of people without a noun; see :func:`tally`."""

    number: int
    beside: int

    def __new__(cls, number: int, beside: int = 0) -> Tally:
        """The number as people write it."""
        made = str.__new__(cls, f"{number:,}")
        made.template, made.values = str(made), {}
        made.number, made.beside = number, beside
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.number, self.beside

    def said(self, language: str, hide_below: int) -> str:
        """The number, or that it is too small to tell."""
        return _shown(self.number, self.beside, hide_below)

    def to_plain(self) -> dict[str, Any]:
        """The number."""
        return {"tally": self.number} | _beside(self.beside)


class Share(Phrase):
    """How many of how many, in percent; see :func:`share`."""

    part: int
    whole: int
    decimals: int | None
    beside: int

    def __new__(cls, part: int, whole: int, decimals: int | None, beside: int = 0) -> Share:
        """The English words."""
        shown = _percent(part / max(whole, 1), decimals)
        made = str.__new__(cls, shown)
        made.template, made.values = shown, {}
        made.part, made.whole, made.decimals, made.beside = part, whole, decimals, beside
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.part, self.whole, self.decimals, self.beside

    def said(self, language: str, hide_below: int) -> str:
        """The percentage, or what it is less than where it would tell a small count."""
        if 0 < self.part < hide_below:
            return f"<{_percent(min(hide_below / max(self.whole, 1), 1), self.decimals)}"
        if 0 < self.beside < hide_below:
            least = max(self.part + self.beside - hide_below + 1, 0)
            return f"≥{_percent(least / max(self.whole, 1), self.decimals)}"
        return str(self)

    def to_plain(self) -> dict[str, Any]:
        """Both numbers."""
        own = {"part": self.part, "whole": self.whole, "decimals": self.decimals}
        return own | _beside(self.beside)


def _percent(value: float, decimals: int | None) -> str:
    return f"{100 * value:.3g} %" if decimals is None else f"{value:.{decimals}%}"


def _shown(number: int, beside: int, hide_below: int) -> str:
    """A number of people, or what may be told of it.

    ``beside`` is what is left of a known sum: if that is small, only what follows from the sum is
    told.
    """
    if 0 < number < hide_below:
        return f"<{hide_below}"
    if 0 < beside < hide_below:
        return f"≥{max(number + beside - hide_below + 1, 0):,}"
    return f"{number:,}"


def _beside(number: int) -> dict[str, int]:
    return {"beside": number} if number else {}


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
    told: tuple[int, ...]

    def __new__(
        cls, points: Sequence[tuple[int, int]], whole: int, told: Sequence[int] = ()
    ) -> Steps:
        """The English words."""
        made = str.__new__(cls, ", ".join(f"{at}: {share(part, whole)}" for at, part in points))
        made.template, made.values = str(made), {}
        made.points, made.whole, made.told = tuple(points), whole, tuple(told)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.points, self.whole, self.told

    def said(self, language: str, hide_below: int) -> str:
        """The steps from which no small number follows."""
        shown = []
        known = {0, self.whole, *(own for own in self.told if own >= hide_below)}
        for at, part in self.points:
            if any(0 < abs(part - own) < hide_below for own in known):
                continue
            known.add(part)
            shown.append(phrase("{k}: {share}", k=at, share=share(part, self.whole)))
        return joined(shown).said(language, hide_below) if shown else "-"

    def to_plain(self) -> dict[str, Any]:
        """The steps."""
        own = [list(point) for point in self.points]
        return {"steps": own, "whole": self.whole, "told": list(self.told)}


class Foreign(Phrase):
    """A sentence that is no phrase of ours; see :func:`foreign`."""

    def __new__(cls, text: str) -> Foreign:
        """The sentence as it is."""
        made = str.__new__(cls, text)
        made.template, made.values = text, {}
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (str(self),)

    def said(self, language: str, hide_below: int) -> str:
        """The sentence, unless a number in it may count few people."""
        if any(0 < int(number) < hide_below for number in _NUMBER.findall(self)):
            hidden = phrase("(a sentence with small numbers is not shown)")
            return hidden.said(language, hide_below)
        return shortened_value(str(self))

    def to_plain(self) -> dict[str, Any]:
        """There is nothing to take apart."""
        return {"foreign": str(self)}


def foreign(text: str) -> str:
    """A sentence of somebody else's, of whose numbers nobody knows what they count.

    >>> said(foreign("2 of them"), hide_below=5), said(foreign("12 of them"), hide_below=5)
    ('(a sentence with small numbers is not shown)', '12 of them')
    """
    return text if isinstance(text, Phrase) else Foreign(text)


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


def tally(number: int, *, beside: int = 0) -> Tally:
    """A number of people whose noun stands elsewhere, as in "3 of 12 rows".

    ``beside`` is as with :func:`counted`: the other nine.

    >>> tally(1200), said(tally(3), hide_below=5)
    ('1,200', '<5')
    """
    return Tally(number, beside)


def share(part: int, whole: int, decimals: int | None = None, *, beside: int = 0) -> Share:
    """How many of how many, in percent; it is hidden with the count that it would tell.

    Without ``decimals`` it has three digits.

    >>> share(3, 12), share(1, 3, 2), said(share(3, 12), "en", hide_below=5)
    ('25 %', '33.33%', '<41.7 %')
    """
    return Share(part, whole, decimals, beside)


def numbered(number: int, one: str, many: str) -> Numbered:
    """A sentence for one or for many people: the verb must not tell what a count hides.

    >>> said(numbered(1, phrase("one breaks it"), phrase("some break it")), hide_below=5)
    'some break it'
    """
    return Numbered(number, one, many)


def steps(points: Sequence[tuple[int, int]], whole: int, told: Sequence[int] = ()) -> Steps:
    """Shares that grow from step to step, each with what it is the share for.

    ``told`` are numbers that stand elsewhere: a step that differs from one by few is left out.

    >>> grown = steps([(2, 0), (3, 2), (5, 20)], 40)
    >>> grown, said(grown, hide_below=5)
    ('2: 0 %, 3: 5 %, 5: 50 %', '2: 0 %, 5: 50 %')
    """
    return Steps(points, whole, told)
