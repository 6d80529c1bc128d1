"""Sentences that know what they were made of, so that they can be said in another language.

A phrase *is* its English text; everything that takes a ``str`` takes it. Beside that it keeps its
template and its values, from which :func:`said` makes the same sentence in another language, and
with small counts hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from petaudit.languages.catalogue import ENGLISH, translation
from petaudit.languages.templates import filled, parsed

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


class Phrase(str):
    """A sentence with its template and values.

    >>> found = phrase("column {name!r} has {number:,} labels", name="age", number=1200)
    >>> found
    "column 'age' has 1,200 labels"
    >>> found.template, dict(found.values)
    ('column {name} has {number} labels', {'name': "'age'", 'number': '1,200'})
    """

    template: str
    values: Mapping[str, str]

    def __new__(cls, template: str, values: Mapping[str, str]) -> Phrase:
        """The English sentence; ``template`` has plain names in braces."""
        made = super().__new__(cls, filled(template, values))
        made.template, made.values = template, values
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.template, dict(self.values)

    def said(self, language: str, hide_below: int) -> str:
        """The sentence in a language."""
        own = {name: said(value, language, hide_below) for name, value in self.values.items()}
        return filled(translation(self.template, language), own)

    def to_plain(self) -> dict[str, Any]:
        """What the sentence is made of, ready for JSON."""
        own = {name: _plain(value) for name, value in self.values.items()}
        return {"template": self.template, "values": own}


class Counted(Phrase):
    """A number with its noun; see :func:`counted`."""

    number: int
    nouns: tuple[str, str]

    def __new__(cls, number: int, noun: str, plural: str) -> Counted:
        """The English words; ``noun`` is for one."""
        shown = f"{number:,} {noun if number == 1 else plural}"
        made = str.__new__(cls, shown)
        made.template, made.values = shown, {}
        made.number, made.nouns = number, (noun, plural)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.number, *self.nouns

    def said(self, language: str, hide_below: int) -> str:
        """The number, or that it is too small to tell, with the noun."""
        one, many = self.nouns
        is_hidden = one in PEOPLE and 0 < self.number < hide_below
        shown = f"<{hide_below}" if is_hidden else f"{self.number:,}"
        if language == ENGLISH:
            return f"{shown} {one if self.number == 1 and not is_hidden else many}"
        # The noun alone may be a heading elsewhere, and other languages count with other words.
        return filled(translation(f"{{number}} {many}", language), {"number": shown})

    def to_plain(self) -> dict[str, Any]:
        """The number and its nouns."""
        return {"number": self.number, "nouns": list(self.nouns)}


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


class Joined(Phrase):
    """Parts with the same words between them; see :func:`joined`."""

    parts: tuple[str, ...]
    separator: str

    def __new__(cls, parts: Sequence[str], separator: str) -> Joined:
        """The English words."""
        made = str.__new__(cls, separator.join(parts))
        made.template, made.values = str(made), {}
        made.parts, made.separator = tuple(parts), separator
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.parts, self.separator

    def said(self, language: str, hide_below: int) -> str:
        """The parts in a language."""
        between = translation(self.separator, language)
        return between.join(said(part, language, hide_below) for part in self.parts)

    def to_plain(self) -> dict[str, Any]:
        """The parts and what stands between them."""
        return {"parts": [_plain(part) for part in self.parts], "separator": self.separator}


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


def phrase(template: str, /, **values: object) -> Phrase:
    """A sentence; the template is written out where it is used, so that it can be translated.

    Fields may have a conversion or a format, as in ``str.format``.

    >>> phrase("{rows} in the file", rows=counted(1, "row"))
    '1 row in the file'
    """
    plain_template, fields = parsed(template)
    made: dict[str, str] = {}
    for name, conversion, spec in fields:
        value = values[name]
        if isinstance(value, str) and not (conversion or spec):
            made[name] = value
        else:
            made[name] = format(repr(value) if conversion == "r" else value, spec)
    return Phrase(plain_template, made)


def term(text: str) -> Phrase:
    """A text that was written elsewhere, such as the title of a measure, to be said as it is.

    >>> term("{0, 1}")
    '{0, 1}'
    """
    return Phrase(text.replace("{", "{{").replace("}", "}}"), {})


def counted(number: int, noun: str, plural: str | None = None) -> Counted:
    """Write a number with its noun.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return Counted(number, noun, plural or f"{noun}s")


def tally(number: int) -> Tally:
    """A number of people whose noun stands elsewhere, as in "3 of 12 rows".

    >>> tally(1200), said(tally(3), hide_below=5)
    ('1,200', '<5')
    """
    return Tally(number)


def joined(parts: Sequence[str], separator: str = ", ") -> Joined:
    """Parts with the same words between them.

    >>> joined(["zip", "age"]), joined(["a", "b"], " and ")
    ('zip, age', 'a and b')
    """
    return Joined(parts, separator)


def share(part: int, whole: int, decimals: int | None = None) -> Share:
    """How many of how many, in percent; it is hidden with the count that it would tell.

    Without ``decimals`` it has three digits.

    >>> share(3, 12), share(1, 3, 2), said(share(3, 12), "en", hide_below=5)
    ('25 %', '33.33%', '<41.7 %')
    """
    return Share(part, whole, decimals)


def said(text: str, language: str = ENGLISH, hide_below: int = 0) -> str:
    """A text in a language; what is no phrase stays as it is.

    Counts of people that are above 0 and below ``hide_below`` are hidden.

    >>> said(counted(3, "row"), hide_below=5), said(counted(3, "column"), hide_below=5)
    ('<5 rows', '3 columns')
    """
    return text.said(language, hide_below) if isinstance(text, Phrase) else str(text)


def _plain(value: str) -> Any:
    return value.to_plain() if isinstance(value, Phrase) else str(value)
