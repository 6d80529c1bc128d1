"""What a setting may be: checked, described and turned into JSON Schema from one definition."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from petaudit.errors import joined, phrase, suggestion
from petaudit.exact.fractions import quotient
from petaudit.system.problems import KeyPath, Problems, key_text, not_expected, shown

__all__ = [
    "COLUMN",
    "COLUMNS",
    "Anything",
    "Boolean",
    "Choice",
    "Either",
    "Integer",
    "JsonSchema",
    "KeyPath",
    "Kind",
    "Limit",
    "ListOf",
    "MapOf",
    "Number",
    "Problems",
    "PythonFunction",
    "TableFile",
    "Text",
    "key_text",
    "shown",
]

JsonSchema: TypeAlias = dict[str, Any]


_LARGEST: Final = 2**63 - 1
"""No count and no seed is larger, and engines take no larger ones."""


class Kind(ABC):
    """A kind of value; ``expected`` says in words what it takes."""

    @property
    @abstractmethod
    def expected(self) -> str:
        """What is taken, as in ``a whole number from 1``."""

    @abstractmethod
    def takes(self, value: Any) -> bool:
        """Whether a value is of this kind, all the way down."""

    @abstractmethod
    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Note what is wrong about a value."""
        if not self.takes(value):
            problems.add(at, not_expected(at, value, self.expected))


@dataclass(frozen=True)
class Anything(Kind):
    """Whatever YAML can say: the measure itself decides."""

    expected = phrase("any value")

    def takes(self, value: Any) -> bool:
        """Everything is taken."""
        return True

    def schema(self) -> JsonSchema:
        """No restriction."""
        return {}


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number.

    >>> Integer(1).expected, Integer(1).takes(2), Integer(1).takes("2"), Integer(1).takes(True)
    ('a whole number from 1', True, False, False)
    """

    least: int = 0
    most: int | None = None

    @property
    def expected(self) -> str:
        """What is taken."""
        if self.most is None:
            return phrase("a whole number from {least}", least=self.least)
        return phrase("a whole number from {least} to {most:,}", least=self.least, most=self.most)

    def takes(self, value: Any) -> bool:
        """Whole numbers within the bounds; true and false are none."""
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return self.least <= value <= self._most

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        return {"type": "integer", "minimum": self.least, "maximum": self._most}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Name the largest number where a value is beyond it."""
        is_large = isinstance(value, int) and not isinstance(value, bool) and value > self._most
        kind = replace(self, most=self._most) if is_large else self
        if not self.takes(value):
            problems.add(at, not_expected(at, value, kind.expected))

    @property
    def _most(self) -> int:
        return _LARGEST if self.most is None else self.most


@dataclass(frozen=True)
class Number(Kind):
    """A number from 0, or within bounds of its own."""

    least: float = 0.0
    most: float | None = None
    may_be_infinite: bool = False
    excludes_bounds: bool = False

    @property
    def expected(self) -> str:
        """What is taken."""
        least, most = self.least, self.most
        if self.excludes_bounds:
            if most is None:
                return phrase("a number above {least:g}", least=least)
            return phrase("a number above {least:g} and below {most:g}", least=least, most=most)
        if most is None:
            return phrase("a number from {least:g}", least=least)
        return phrase("a number from {least:g} to {most:g}", least=least, most=most)

    def takes(self, value: Any) -> bool:
        """Numbers within the bounds; NaN, true and false are none."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        if math.isnan(number) or (math.isinf(number) and not self.may_be_infinite):
            return False
        return self.has_within(number)

    def has_within(self, number: Fraction | float) -> bool:
        """Whether a number is within the bounds."""
        if self.excludes_bounds:
            return number > self.least and (self.most is None or number < self.most)
        return number >= self.least and (self.most is None or number <= self.most)

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        prefix = "exclusiveM" if self.excludes_bounds else "m"
        found: JsonSchema = {"type": "number", f"{prefix}inimum": self.least}
        if self.most is not None:
            found[f"{prefix}aximum"] = self.most
        return found


@dataclass(frozen=True)
class Limit(Number):
    """A limit: a number, or a quotient of whole numbers as text.

    >>> Limit().takes("1/11"), Limit().takes("0.1"), Limit().takes("1/0")
    (True, False, False)
    >>> Limit(1).takes("3/2"), Limit(1).takes("1/3"), Limit(1).expected
    (True, False, 'a number from 1')
    """

    @property
    def expected(self) -> str:
        """What is taken; the example of a fraction is told where it is taken."""
        if not self.takes("1/11"):
            return super().expected
        return phrase("{number}, or a fraction such as 1/11", number=super().expected)

    def takes(self, value: Any) -> bool:
        """Numbers, and quotients within the same bounds."""
        if isinstance(value, str):
            number = quotient(value)
            return number is not None and self.has_within(number)
        return super().takes(value)

    def schema(self) -> JsonSchema:
        """The same as JSON Schema, which cannot tell how large a quotient is."""
        return {
            "anyOf": [super().schema(), {"type": "string", "pattern": r"^[0-9]+/0*[1-9][0-9]*$"}]
        }


@dataclass(frozen=True)
class Boolean(Kind):
    """Yes or no."""

    expected = phrase("true or false")

    def takes(self, value: Any) -> bool:
        """YAML's own true and false."""
        return isinstance(value, bool)

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text(Kind):
    """A text that says something."""

    what: str = phrase("text")

    @property
    def expected(self) -> str:
        """What is taken."""
        return self.what

    def takes(self, value: Any) -> bool:
        """Text that is more than blanks and has no NUL, which no file name may have."""
        return isinstance(value, str) and bool(value.strip()) and "\0" not in value

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        return {"type": "string", "pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"}


@dataclass(frozen=True)
class TableFile(Text):
    """A table by its address, which whoever reads the settings opens."""

    what: str = phrase("a file, or benchmark://NAME")


@dataclass(frozen=True)
class PythonFunction(Kind):
    """Code of the caller's own; a file of settings cannot hold any.

    >>> PythonFunction().takes(len), PythonFunction().takes("len")
    (True, False)
    """

    expected = phrase("a function (only from Python: a YAML file names no code)")

    def takes(self, value: Any) -> bool:
        """Whatever can be called."""
        return callable(value)

    def schema(self) -> JsonSchema:
        """Nothing that JSON can say is a function."""
        return {"not": {}}


@dataclass(frozen=True)
class Choice(Kind):
    """One of several words."""

    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        """What is taken."""
        if len(self.words) == 1:
            return self.words[0]
        return joined([joined(self.words[:-1]), self.words[-1]], " or ")

    def takes(self, value: Any) -> bool:
        """Exactly these words."""
        return isinstance(value, str) and value in self.words

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        return {"enum": list(self.words)}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Name the nearest word."""
        if not self.takes(value):
            near = suggestion(value, self.words) if isinstance(value, str) else ""
            problems.add(at, not_expected(at, value, self.expected, near))


@dataclass(frozen=True)
class ListOf(Kind):
    """A list with at least one item."""

    item: Kind

    @property
    def expected(self) -> str:
        """What is taken."""
        return phrase("a list (each: {item})", item=self.item.expected)

    def takes(self, value: Any) -> bool:
        """Lists, or tuples of Python callers, whose every item is of the kind."""
        return isinstance(value, list | tuple) and bool(value) and all(map(self.item.takes, value))

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        return {"type": "array", "items": self.item.schema(), "minItems": 1}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Name every item that is wrong."""
        if not isinstance(value, list | tuple) or not value:
            super().check(value, at, problems)
            return
        for index, item in enumerate(value):
            self.item.check(item, (*at, index), problems)


@dataclass(frozen=True)
class MapOf(Kind):
    """Values under names that the user chooses, or under given ones."""

    item: Kind
    names: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """What is taken."""
        if self.names:
            return phrase("entries for {names}", names=joined(self.names))
        return phrase("entries NAME: VALUE (each: {item})", item=self.item.expected)

    def takes(self, value: Any) -> bool:
        """Mappings with names of text whose every value is of the kind."""
        problems = Problems()
        self.check(value, (), problems)
        return not problems

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        if self.names:
            own = {name: self.item.schema() for name in self.names}
            found: JsonSchema = {"properties": own, "additionalProperties": False}
        else:
            found = {"additionalProperties": self.item.schema()}
        return {"type": "object", **found, "minProperties": 1}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Name every entry that is wrong."""
        if not isinstance(value, Mapping) or not value:
            problems.add(at, not_expected(at, value, self.expected))
            return
        for name, item in value.items():
            if not isinstance(name, str):
                said = phrase("the name {name} is no text; put it in quotes", name=shown(name))
                problems.add((*at, name), said)
            elif self.names and name not in self.names:
                said = phrase(
                    "unknown key {key}{near}; {expected}",
                    key=shown(name),
                    near=suggestion(name, self.names),
                    expected=self.expected,
                )
                problems.add((*at, name), said)
            else:
                self.item.check(item, (*at, name), problems)


@dataclass(frozen=True)
class Either(Kind):
    """One of several kinds."""

    kinds: tuple[Kind, ...]

    @property
    def expected(self) -> str:
        """What is taken."""
        return joined([kind.expected for kind in self.kinds], " or ")

    def takes(self, value: Any) -> bool:
        """Whatever one of them takes."""
        return any(kind.takes(value) for kind in self.kinds)

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""
        return {"anyOf": [kind.schema() for kind in self.kinds]}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Say what is wrong inside a list or mapping if only one kind is such a thing."""
        if self.takes(value):
            return
        compound: Sequence[Kind] = [
            kind
            for kind in self.kinds
            if (isinstance(value, list | tuple) and isinstance(kind, ListOf))
            or (isinstance(value, Mapping) and isinstance(kind, MapOf))
        ]
        if len(compound) == 1 and value:
            compound[0].check(value, at, problems)
            return
        words = [word for kind in self.kinds if isinstance(kind, Choice) for word in kind.words]
        near = suggestion(value, words) if isinstance(value, str) else ""
        problems.add(at, not_expected(at, value, self.expected, near))


COLUMN: Final = Text(phrase("the name of a column (numbers, yes and no in quotes)"))
COLUMNS: Final = Either((COLUMN, ListOf(COLUMN)))
