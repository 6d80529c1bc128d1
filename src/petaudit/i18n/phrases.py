"""Sentences that keep their template and values, so that they can be rendered in any language.

A phrase *is* its English text; everything that takes a ``str`` takes it. From the template and the
values :func:`render` makes the same sentence in another language, and with small counts hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from typing import Any, Final, Self

from petaudit.i18n.catalogue import ENGLISH, language, translation

_FORMATTER: Final = Formatter()
_LONGEST_VALUE: Final = 2000


class Phrase(str):
    """A sentence with its template and values.

    >>> sentence = phrase("column {name!r} has {number:,} labels", name="age", number=1200)
    >>> sentence
    "column 'age' has 1,200 labels"
    >>> sentence.template, dict(sentence.values)
    ('column {name} has {number} labels', {'name': "'age'", 'number': '1,200'})
    """

    template: str
    values: Mapping[str, str]
    _arguments: tuple[Any, ...]

    def __new__(cls, template: str, values: Mapping[str, str]) -> Self:
        """Fill in ``template``, which has plain names in braces."""
        return cls._with_text(fill(template, values), template=template, values=values)

    @classmethod
    def _with_text(cls, text: str, /, **attributes: Any) -> Self:
        """Return the phrase with this English text; the attributes are the arguments of a copy."""
        made = str.__new__(cls, text)
        made.template, made.values, made._arguments = str(text), {}, tuple(attributes.values())
        vars(made).update(attributes)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self._arguments

    def render(self, language: str, hide_below: int) -> str:
        """Return the sentence in a language, with counts below ``hide_below`` hidden."""
        values = {
            name: value.render(language, hide_below)
            if isinstance(value, Phrase)
            else shorten_value(value)
            for name, value in self.values.items()
        }
        return fill(translation(self.template, language), values)

    def to_plain(self) -> Any:
        """Return what the sentence is made of, ready for JSON."""
        values = {name: plain_part(value) for name, value in self.values.items()}
        return {"template": self.template, "values": values}


class Joined(Phrase):
    """Parts with a separator; see :func:`joined`."""

    parts: tuple[str, ...]
    separator: str

    def __new__(cls, parts: Sequence[str], separator: str) -> Self:
        """Join the English parts."""
        return cls._with_text(separator.join(parts), parts=tuple(parts), separator=separator)

    def render(self, language: str, hide_below: int) -> str:
        """Join the parts in a language; parts that are left out leave no gap."""
        rendered = [(part, render(part, language, hide_below)) for part in self.parts]
        texts = [text for part, text in rendered if text or not part]
        return translation(self.separator, language).join(texts)

    def to_plain(self) -> Any:
        """Return the parts and the separator."""
        return {"parts": [plain_part(part) for part in self.parts], "separator": self.separator}


class Translated(Phrase):
    """A text that brings its translations along; see :func:`translated`."""

    by_language: Mapping[str, str]

    def __new__(cls, by_language: Mapping[str, str]) -> Self:
        """Take the English text, or else the first."""
        text = by_language.get(ENGLISH) or next(iter(by_language.values()))
        return cls._with_text(text, by_language=dict(by_language))

    def render(self, language: str, hide_below: int) -> str:
        """Return the text in a language."""
        return shorten_value(self.by_language.get(language, str(self)))

    def to_plain(self) -> Any:
        """Return the text in every language."""
        return {"translated": dict(self.by_language)}


class Cells(Phrase):
    """Values of the data in a message; see :func:`cells`."""

    shown: str
    instead: str

    def __new__(cls, shown: str, instead: str) -> Self:
        """Have the text of ``instead``."""
        return cls._with_text(instead, shown=shown, instead=instead)

    def render(self, language: str, hide_below: int) -> str:
        """Return what stands in for the values."""
        return render(self.instead, language, hide_below)

    def to_plain(self) -> Any:
        """Return what stands in for the values: no document holds them."""
        return plain_part(self.instead)


class RowNumbers(Phrase):
    """The rows that a message is about; see :func:`row_numbers`."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Have the text itself."""
        return cls._with_text(text, text=text)

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
    return Phrase(plain_template, texts)


def term(text: str) -> Phrase:
    """Make a phrase of a text without fields, such as the title of a measure.

    >>> term("{0, 1}")
    '{0, 1}'
    """
    return Phrase(text.replace("{", "{{").replace("}", "}}"), {})


def joined(parts: Sequence[str], separator: str = ", ") -> Joined:
    """Join texts and phrases.

    >>> joined(["zip", "age"]), joined(["a", "b"], " and ")
    ('zip, age', 'a and b')
    """
    return Joined(parts, separator)


def translated(by_language: Mapping[str, str]) -> Translated:
    """Make a phrase of a text from a file that has its translations beside it.

    >>> render(translated({"en": "people", "zh-TW": "人"}), "zh-TW")
    '人'
    """
    return Translated(by_language)


def cells(shown: str, instead: str = "") -> Cells:
    """Put values of the data into a message: only :func:`revealed` shows them.

    Everywhere else, the text itself included, ``instead`` stands for them.

    >>> message = phrase("1 unknown label{values}", values=cells(": 'Ann'"))
    >>> message, revealed(message)
    ('1 unknown label', "1 unknown label: 'Ann'")
    """
    return Cells(shown, instead)


def row_numbers(text: str) -> RowNumbers:
    """Put the rows that a message is about into it; they are shown, but stored in no document.

    >>> message = phrase("1 unknown label{rows}", rows=row_numbers(" (row 7)"))
    >>> message, without_row_numbers(message)
    ('1 unknown label (row 7)', '1 unknown label')
    """
    return RowNumbers(text)


def without_row_numbers(text: str) -> str:
    """Return a message as documents hold it."""
    return _map_parts(text, lambda part: "" if isinstance(part, RowNumbers) else part)


def revealed(text: str) -> str:
    """Return a message with the values of the data in it."""
    return _map_parts(text, lambda part: part.shown if isinstance(part, Cells) else part)


def _map_parts(text: str, change: Callable[[str], str]) -> str:
    if isinstance(text, Joined):
        return joined([_map_parts(part, change) for part in text.parts], text.separator)
    if isinstance(text, Phrase) and text.values:
        values = {name: _map_parts(part, change) for name, part in text.values.items()}
        return Phrase(text.template, values)
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


def plain_part(value: str) -> Any:
    """Return a text or phrase, ready for JSON."""
    return value.to_plain() if isinstance(value, Phrase) else str(value)


def shorten_value(value: str) -> str:
    """Cut a value from a file, which may be as long as a book."""
    return value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}…"


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
