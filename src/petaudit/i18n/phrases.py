"""Sentences that keep their template and values, so that they can be rendered in any language.

A phrase *is* its English text; everything that takes a ``str`` takes it. From the template and the
values :func:`render` makes the same sentence in another language, and with small counts hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from types import MappingProxyType
from typing import Any, Final, Self

from petaudit.i18n.catalogue import ENGLISH, language, translation
from petaudit.i18n.text import shortened

_FORMATTER: Final = Formatter()
LONGEST_VALUE: Final = 2000
"""A value from a file may be as long as a book."""


class Phrase(str):
    """A sentence with what it is made of: a template and values, or the parts of a subclass.

    >>> sentence = phrase("column {name!r} has {number:,} labels", name="age", number=1200)
    >>> sentence
    "column 'age' has 1,200 labels"
    >>> sentence.template, dict(sentence.values)
    ('column {name} has {number} labels', {'name': "'age'", 'number': '1,200'})
    """

    template: str = ""
    values: Mapping[str, str] = MappingProxyType({})

    def __new__(cls, text: str, /, **parts: Any) -> Self:
        """Take the English text and its parts, which become attributes, by their names in JSON."""
        self = str.__new__(cls, text)
        vars(self).update(parts)
        return self

    @staticmethod
    def filled(template: str, values: Mapping[str, str]) -> Phrase:
        """Fill in ``template``, which has plain names in braces."""
        return Phrase(fill(template, values), template=template, values=values)

    def render(self, language: str, hide_below: int) -> str:
        """Return the sentence in a language, with counts below ``hide_below`` hidden."""
        values = {
            name: value.render(language, hide_below)
            if isinstance(value, Phrase)
            else shortened(value, LONGEST_VALUE)
            for name, value in self.values.items()
        }
        return fill(translation(self.template, language), values)

    def to_plain(self) -> Any:
        """Return what the sentence is made of, ready for JSON."""
        return _plain(vars(self))


class Joined(Phrase):
    """Parts with a separator; see :func:`joined`."""

    parts: tuple[str, ...]
    separator: str

    def render(self, language: str, hide_below: int) -> str:
        """Join the parts in a language; parts that are left out leave no gap."""
        rendered = [(part, render(part, language, hide_below)) for part in self.parts]
        texts = [text for part, text in rendered if text or not part]
        return translation(self.separator, language).join(texts)


class Translated(Phrase):
    """A text that brings its translations along; see :func:`translated`."""

    translated: Mapping[str, str]

    def render(self, language: str, hide_below: int) -> str:
        """Return the text in a language."""
        return shortened(self.translated.get(language, str(self)), LONGEST_VALUE)


class Cells(Phrase):
    """Values of the data in a message; see :func:`cells`."""

    shown: str
    instead: str

    def render(self, language: str, hide_below: int) -> str:
        """Return what stands in for the values."""
        return render(self.instead, language, hide_below)

    def to_plain(self) -> Any:
        """Return what stands in for the values: no document holds them."""
        return _plain(self.instead)


class RowNumbers(Phrase):
    """The rows that a message is about; see :func:`row_numbers`."""

    text: str

    def render(self, language: str, hide_below: int) -> str:
        """Return the text; nothing where small counts are hidden."""
        return "" if hide_below else render(self.text, language)

    def to_plain(self) -> Any:
        """Return nothing: no document holds row numbers."""
        return ""


def phrase(template: str, /, **values: object) -> Phrase:
    """Make a sentence; templates are literals, so that a test can find them for the catalogue.

    Fields may have a conversion or a format, as in ``str.format``.

    >>> phrase("{rows} in the file", rows=12)
    '12 in the file'
    """
    plain_template, fields = parse_template(template)
    texts: dict[str, str] = {}
    for name, conversion, spec in fields:
        value = values[name]
        if isinstance(value, str) and not (conversion or spec):
            texts[name] = value
        else:
            texts[name] = format(repr(value) if conversion == "r" else value, spec)
    return Phrase.filled(plain_template, texts)


def term(text: str) -> Phrase:
    """Make a phrase of a text without fields, such as the title of a measure.

    >>> term("{0, 1}")
    '{0, 1}'
    """
    return Phrase.filled(text.replace("{", "{{").replace("}", "}}"), {})


def joined(parts: Sequence[str], separator: str = ", ") -> Joined:
    """Join texts and phrases.

    >>> joined(["zip", "age"]), joined(["a", "b"], " and ")
    ('zip, age', 'a and b')
    """
    return Joined(separator.join(parts), parts=tuple(parts), separator=separator)


def translated(by_language: Mapping[str, str]) -> Translated:
    """Make a phrase of a text that has its translations beside it; English, or else the first.

    >>> render(translated({"en": "people", "zh-TW": "人"}), "zh-TW")
    '人'
    """
    text = by_language.get(ENGLISH) or next(iter(by_language.values()))
    return Translated(text, translated=dict(by_language))


def cells(shown: str, instead: str = "") -> Cells:
    """Put values of the data into a message: only :func:`revealed` shows them.

    Everywhere else, the text itself included, ``instead`` stands for them.

    >>> message = phrase("1 unknown label{values}", values=cells(": 'Ann'"))
    >>> message, revealed(message)
    ('1 unknown label', "1 unknown label: 'Ann'")
    """
    return Cells(instead, shown=shown, instead=instead)


def row_numbers(text: str) -> RowNumbers:
    """Put the rows that a message is about into it; they are shown, but stored in no document.

    >>> message = phrase("1 unknown label{rows}", rows=row_numbers(" (row 7)"))
    >>> message, without_row_numbers(message)
    ('1 unknown label (row 7)', '1 unknown label')
    """
    return RowNumbers(text, text=text)


def without_row_numbers(text: str) -> str:
    """Return a message as documents hold it."""
    return map_parts(text, lambda part: "" if isinstance(part, RowNumbers) else part)


def revealed(text: str) -> str:
    """Return a message with the values of the data in it."""
    return map_parts(text, lambda part: part.shown if isinstance(part, Cells) else part)


def map_parts(text: str, change: Callable[[str], str]) -> str:
    """Return a text with a change to the texts that it is made of."""
    if isinstance(text, Joined):
        return joined([map_parts(part, change) for part in text.parts], text.separator)
    if isinstance(text, Phrase) and text.values:
        values = {name: map_parts(part, change) for name, part in text.values.items()}
        return Phrase.filled(text.template, values)
    return change(text)


def render(text: str, language: str = ENGLISH, hide_below: int = 0) -> str:
    """Return a text in a language; anything but a phrase stays as it is.

    Counts of people that are above 0 and below ``hide_below`` are hidden.

    >>> render("a column name")
    'a column name'
    """
    return text.render(language, hide_below) if isinstance(text, Phrase) else str(text)


def translate(text: str) -> str:
    """Return a text in the current language.

    >>> translate("a column name")
    'a column name'
    """
    return render(text, language())


def _plain(part: Any) -> Any:
    """Return a part of a phrase, ready for JSON."""
    match part:
        case Phrase():
            return part.to_plain()
        case Mapping():
            return {name: _plain(value) for name, value in part.items()}
        case tuple():
            return [_plain(value) for value in part]
    return part


def fill(template: str, values: Mapping[str, str]) -> str:
    """Fill in the plain fields of a template; any other field is a ValueError.

    Templates may come from a file: ``str.format`` would let them look into objects, or ask for a
    field a gigabyte wide.

    >>> fill("{a} {{b}}", {"a": "1"})
    '1 {b}'
    """
    return "".join(
        literal if name is None else literal + values[name]
        for literal, name in plain_fields(template)
    )


@lru_cache(maxsize=4096)
def plain_fields(template: str) -> tuple[tuple[str, str | None], ...]:
    """Return each literal text of a template with the name of the field after it."""
    fields = []
    for literal, name, spec, conversion in _FORMATTER.parse(template):
        if name is not None and (spec or conversion or not name.isidentifier()):
            raise ValueError("a field of a phrase is a plain name")
        fields.append((literal, name))
    return tuple(fields)


@lru_cache(maxsize=4096)
def parse_template(template: str) -> tuple[str, tuple[tuple[str, str | None, str], ...]]:
    """Return the template with plain names, and name, conversion and format of each field.

    >>> parse_template("t = {t:.6g} of {name!r}")
    ('t = {t} of {name}', (('t', None, '.6g'), ('name', 'r', '')))
    """
    text, fields = "", []
    for literal, name, spec, conversion in _FORMATTER.parse(template):
        text += literal.replace("{", "{{").replace("}", "}}")
        if name is not None:
            text += f"{{{name}}}"
            fields.append((name, conversion, spec or ""))
    return text, tuple(fields)
