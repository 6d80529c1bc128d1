"""Sentences that know what they were made of, so that they can be said in another language.

A phrase *is* its English text; everything that takes a ``str`` takes it. Beside that it keeps its
template and its values, from which :func:`render` makes the same sentence in another language, and
with small counts hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from petaudit.i18n.catalogue import ENGLISH, translation
from petaudit.i18n.templates import filled, parsed

_LONGEST: Final = 2000


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

    def render(self, language: str, hide_below: int) -> str:
        """The sentence in a language."""
        own = {
            name: _render_part(value, language, hide_below) for name, value in self.values.items()
        }
        return filled(translation(self.template, language), own)

    def to_plain(self) -> dict[str, Any]:
        """What the sentence is made of, ready for JSON."""
        own = {name: plain_part(value) for name, value in self.values.items()}
        return {"template": self.template, "values": own}


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

    def render(self, language: str, hide_below: int) -> str:
        """The parts in a language."""
        between = translation(self.separator, language)
        parts = [render(part, language, hide_below) for part in self.parts]
        # What is left out of a report leaves no gap.
        return between.join(
            text for text, part in zip(parts, self.parts, strict=True) if text or not part
        )

    def to_plain(self) -> dict[str, Any]:
        """The parts and what stands between them."""
        return {"parts": [plain_part(part) for part in self.parts], "separator": self.separator}


class Translated(Phrase):
    """A text that brings its translations along; see :func:`translated`."""

    by_language: Mapping[str, str]

    def __new__(cls, by_language: Mapping[str, str]) -> Translated:
        """The English text, or whichever there is."""
        text = by_language.get(ENGLISH) or next(iter(by_language.values()))
        made = str.__new__(cls, text)
        made.template, made.values = text, {}
        made.by_language = dict(by_language)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.by_language,)

    def render(self, language: str, hide_below: int) -> str:
        """The text in a language."""
        return shortened_value(self.by_language.get(language, str(self)))

    def to_plain(self) -> dict[str, Any]:
        """The text in every language."""
        return {"translated": dict(self.by_language)}


class Cells(Phrase):
    """Values of the data in a message; see :func:`cells`."""

    shown: str
    instead: str

    def __new__(cls, shown: str, instead: str) -> Cells:
        """What is said instead of the values."""
        made = str.__new__(cls, instead)
        made.template, made.values = instead, {}
        made.shown, made.instead = shown, instead
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.shown, self.instead

    def render(self, language: str, hide_below: int) -> str:
        """What is said instead of the values."""
        return render(self.instead, language, hide_below)

    def to_plain(self) -> Any:
        """What is said instead of the values: no document holds them."""
        return plain_part(self.instead)


class RowNumbers(Phrase):
    """Which rows a message is about; see :func:`row_numbers`."""

    text: str

    def __new__(cls, text: str) -> RowNumbers:
        """The English words."""
        made = str.__new__(cls, text)
        made.template, made.values, made.text = str(text), {}, text
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.text,)

    def render(self, language: str, hide_below: int) -> str:
        """The words; nothing where small numbers are hidden."""
        return "" if hide_below else render(self.text, language)

    def to_plain(self) -> Any:
        """Nothing: no document holds them."""
        return ""


def _render_part(value: str, language: str, hide_below: int) -> str:
    if isinstance(value, Phrase):
        return value.render(language, hide_below)
    return shortened_value(value)


def shortened_value(value: str) -> str:
    """A name from a file may be as long as a book."""
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def phrase(template: str, /, **values: object) -> Phrase:
    """A sentence; the template is written out where it is used, so that it can be translated.

    Fields may have a conversion or a format, as in ``str.format``.

    >>> phrase("{rows} in the file", rows=12)
    '12 in the file'
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


def joined(parts: Sequence[str], separator: str = ", ") -> Joined:
    """Parts with the same words between them.

    >>> joined(["zip", "age"]), joined(["a", "b"], " and ")
    ('zip, age', 'a and b')
    """
    return Joined(parts, separator)


def translated(by_language: Mapping[str, str]) -> Translated:
    """A text from a file that has its translations beside it.

    >>> render(translated({"en": "people", "zh-TW": "人"}), "zh-TW")
    '人'
    """
    return Translated(by_language)


def cells(shown: str, instead: str = "") -> Cells:
    """Values of the data in a message: only :func:`revealed` shows them.

    Everything else, the text itself included, has what is said instead.

    >>> found = phrase("1 unknown label{values}", values=cells(": 'Ann'"))
    >>> found, revealed(found)
    ('1 unknown label', "1 unknown label: 'Ann'")
    """
    return Cells(shown, instead)


def row_numbers(text: str) -> RowNumbers:
    """Which rows a message is about: for whoever has the table, and in no document.

    >>> found = phrase("1 unknown label{rows}", rows=row_numbers(" (row 7)"))
    >>> found, without_row_numbers(found)
    ('1 unknown label (row 7)', '1 unknown label')
    """
    return RowNumbers(text)


def without_row_numbers(text: str) -> str:
    """A message as documents hold it."""
    return _rewritten(text, lambda part: "" if isinstance(part, RowNumbers) else part)


def revealed(text: str) -> str:
    """A message with the values of the data in it, for whoever asks for them."""
    return _rewritten(text, lambda part: part.shown if isinstance(part, Cells) else part)


def _rewritten(text: str, change: Callable[[str], str]) -> str:
    """A message with a change to the parts that it is made of."""
    if isinstance(text, Joined):
        return joined([_rewritten(part, change) for part in text.parts], text.separator)
    if isinstance(text, Phrase) and text.values:
        parts = {name: _rewritten(part, change) for name, part in text.values.items()}
        return Phrase(text.template, parts)
    return change(text)


def render(text: str, language: str = ENGLISH, hide_below: int = 0) -> str:
    """A text in a language; what is no phrase stays as it is.

    Counts of people that are above 0 and below ``hide_below`` are hidden.

    >>> render("a column name")
    'a column name'
    """
    return text.render(language, hide_below) if isinstance(text, Phrase) else str(text)


def plain_part(value: str) -> Any:
    """A text or phrase, ready for JSON."""
    return value.to_plain() if isinstance(value, Phrase) else str(value)
