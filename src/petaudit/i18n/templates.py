"""Templates of sentences: English text with names in braces."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from string import Formatter
from typing import Final

_FORMATTER: Final = Formatter()


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its plain fields filled in; any other field is a ValueError.

    Templates may come from a file: ``str.format`` would let them look into objects, or ask for a
    field a gigabyte wide.

    >>> filled("{a} {{b}}", {"a": "1"})
    '1 {b}'
    """
    text = ""
    for literal, name in _fields(template):
        text += literal if name is None else literal + values[name]
    return text


def length_filled(template: str, values: Mapping[str, str]) -> int:
    """How long a template would be with its fields filled in.

    >>> length_filled("{a} {a}", {"a": "12"})
    5
    """
    return sum(
        len(literal) + (0 if name is None else len(values[name]))
        for literal, name in _fields(template)
    )


def normalised(template: str) -> str:
    """A template as it stands in the catalogue: without conversions and formats.

    >>> normalised("t = {t:.6g} of {name!r}")
    't = {t} of {name}'
    """
    return parsed(template)[0]


@lru_cache(maxsize=4096)
def parsed(template: str) -> tuple[str, tuple[tuple[str, str | None, str], ...]]:
    """The template with plain names, and name, conversion and format of each field."""
    text, fields = "", []
    for literal, name, spec, conversion in _FORMATTER.parse(template):
        text += literal.replace("{", "{{").replace("}", "}}")
        if name is not None:
            text += f"{{{name}}}"
            fields.append((name, conversion, spec or ""))
    return text, tuple(fields)


@lru_cache(maxsize=4096)
def _fields(template: str) -> tuple[tuple[str, str | None], ...]:
    found = []
    for literal, name, spec, conversion in _FORMATTER.parse(template):
        if name is not None and (spec or conversion or not name.isidentifier()):
            raise ValueError("a field of a phrase is a plain name")
        found.append((literal, name))
    return tuple(found)
