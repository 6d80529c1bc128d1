"""What a setting may be, said once for checks, messages and JSON Schema; what is wrong with one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from petaudit.errors import (
    ManyProblemsError,
    PetauditError,
    Phrase,
    joined,
    phrase,
    shortened,
    suggestion,
)
from petaudit.exact.fractions import quotient

JsonSchema: TypeAlias = dict[str, Any]
KeyPath: TypeAlias = tuple[Hashable, ...]

_LARGEST: Final = 2**63 - 1
"""No count and no seed is larger, and engines take no larger ones."""


@dataclass
class Problems:
    """What is wrong with settings: all of it, each with its location."""

    entries: list[tuple[KeyPath, str]] = field(default_factory=list)

    def add(self, at: KeyPath, message: str, **fields: Any) -> None:
        """Note one more: a phrase, or the template of one and its fields."""
        text = message if isinstance(message, Phrase) else phrase(message, **fields)
        self.entries.append((at, text))

    @contextmanager
    def noted(self, at: KeyPath) -> Iterator[None]:
        """Note what is raised inside, which is no reason to stop."""
        try:
            yield
        except ManyProblemsError as problem:
            self.entries += [(at, message) for message in problem.messages]
        except PetauditError as problem:
            self.add(at, problem.text)

    def __iter__(self) -> Iterator[tuple[KeyPath, str]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def shown(value: Any) -> str:
    """A setting as a message quotes it: short, and the word that YAML has for it.

    >>> shown(None), shown(True), shown("a" * 99)[:6], shown([1, 2])
    ('null', 'true', "'aaaaa", 'a list')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return repr(shortened(value))
    if isinstance(value, Mapping):
        return phrase("a mapping") if value else phrase("an empty mapping")
    if isinstance(value, list):
        return phrase("a list") if value else phrase("an empty list")
    try:
        return shortened(str(value))
    except ValueError:
        # Python refuses to write thousands of digits.
        return phrase("a very large number")


def key_text(key: Hashable) -> str:
    """A key as part of a path in a message.

    >>> key_text("Loader"), key_text(None), key_text(5)
    ('Loader', 'null', '5')
    """
    return shortened(key) if isinstance(key, str) else shown(key)


def setting_name(at: KeyPath) -> str:
    """The setting that a path leads to; an item is named by its place.

    >>> setting_name(("Loader", "roles")), setting_name(("roles", 1))
    ('roles', 'item 2 of roles')
    """
    if not at:
        return phrase("it")
    last = at[-1]
    if isinstance(last, int) and not isinstance(last, bool) and len(at) > 1:
        return phrase("item {number} of {setting}", number=last + 1, setting=setting_name(at[:-1]))
    return key_text(last)


class Kind(ABC):
    """A kind of value; ``expected`` says in words what it takes."""

    @property
    @abstractmethod
    def expected(self) -> str:
        """What is taken, as in ``an integer >= 1``."""

    @abstractmethod
    def takes(self, value: Any) -> bool:
        """Whether a value is of this kind, all the way down."""

    @abstractmethod
    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""

    def _words(self) -> tuple[str, ...]:
        """The words that are taken, if they are but a few."""
        return ()

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Note what is wrong about a value."""
        if not self.takes(value):
            problems.add(
                at,
                "{setting} must be {expected}, got {value}{near}",
                setting=setting_name(at),
                value=shown(value),
                near=suggestion(value, self._words()) if isinstance(value, str) else "",
                expected=self.expected,
            )


@dataclass(frozen=True)
class Anything(Kind):
    """Whatever YAML can say: the measure itself decides."""

    expected = phrase("any value")

    def takes(self, value: Any) -> bool:
        return True

    def schema(self) -> JsonSchema:
        return {}


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number; true and false are none.

    >>> Integer(1).expected, Integer(1).takes(2), Integer(1).takes("2"), Integer(1).takes(True)
    ('an integer >= 1', True, False, False)
    """

    least: int = 0
    most: int | None = None

    @property
    def expected(self) -> str:
        if self.most is None:
            return phrase("an integer >= {least}", least=self.least)
        return phrase("an integer from {least} to {most:,}", least=self.least, most=self.most)

    @property
    def _most(self) -> int:
        return _LARGEST if self.most is None else self.most

    def takes(self, value: Any) -> bool:
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        return is_integer and self.least <= value <= self._most

    def schema(self) -> JsonSchema:
        return {"type": "integer", "minimum": self.least, "maximum": self._most}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Name the largest number where a value is beyond it."""
        is_large = isinstance(value, int) and value > self._most
        Kind.check(replace(self, most=self._most) if is_large else self, value, at, problems)


@dataclass(frozen=True)
class Number(Kind):
    """A number from 0, or within bounds of its own; NaN, true and false are none."""

    least: float = 0.0
    most: float | None = None
    may_be_infinite: bool = False
    excludes_bounds: bool = False

    @property
    def expected(self) -> str:
        least, most = self.least, self.most
        if self.excludes_bounds:
            if most is None:
                return phrase("a number > {least:g}", least=least)
            return phrase("a number > {least:g} and < {most:g}", least=least, most=most)
        if most is None:
            return phrase("a number >= {least:g}", least=least)
        return phrase("a number from {least:g} to {most:g}", least=least, most=most)

    def takes(self, value: Any) -> bool:
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
        prefix = "exclusiveM" if self.excludes_bounds else "m"
        bounds = {f"{prefix}inimum": self.least, f"{prefix}aximum": self.most}
        return {"type": "number"} | {name: at for name, at in bounds.items() if at is not None}


@dataclass(frozen=True)
class Limit(Number):
    """A limit: a number, or a quotient of whole numbers as text, within the same bounds.

    >>> Limit().takes("1/11"), Limit().takes("0.1"), Limit().takes("1/0")
    (True, False, False)
    >>> Limit(1).takes("3/2"), Limit(1).takes("1/3"), Limit(1).expected
    (True, False, 'a number >= 1')
    """

    @property
    def expected(self) -> str:
        # The example of a fraction is told where it is taken.
        if not self.takes("1/11"):
            return super().expected
        return phrase("{number} or a fraction such as 1/11", number=super().expected)

    def takes(self, value: Any) -> bool:
        if isinstance(value, str):
            number = quotient(value)
            return number is not None and self.has_within(number)
        return super().takes(value)

    def schema(self) -> JsonSchema:
        # JSON Schema cannot tell how large a quotient is.
        fraction = {"type": "string", "pattern": r"^[0-9]+/0*[1-9][0-9]*$"}
        return {"anyOf": [super().schema(), fraction]}


@dataclass(frozen=True)
class Boolean(Kind):
    """YAML's own true and false."""

    expected = phrase("true or false")

    def takes(self, value: Any) -> bool:
        return isinstance(value, bool)

    def schema(self) -> JsonSchema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text(Kind):
    """A text that is more than blanks and has no NUL, which no file name may have."""

    expected: str = phrase("text")

    def takes(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value.strip()) and "\0" not in value

    def schema(self) -> JsonSchema:
        return {"type": "string", "pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"}


@dataclass(frozen=True)
class TableFile(Text):
    """A table by its address, which whoever reads the settings opens."""

    expected: str = phrase("a file or benchmark://NAME")


@dataclass(frozen=True)
class PythonFunction(Kind):
    """Code of the caller's own; a file of settings cannot hold any.

    >>> PythonFunction().takes(len), PythonFunction().takes("len")
    (True, False)
    """

    expected = phrase("a function (Python only: a YAML file cannot name code)")

    def takes(self, value: Any) -> bool:
        return callable(value)

    def schema(self) -> JsonSchema:
        # Nothing that JSON can say is a function.
        return {"not": {}}


@dataclass(frozen=True)
class Choice(Kind):
    """One of several words."""

    words: tuple[str, ...]

    def _words(self) -> tuple[str, ...]:
        return self.words

    @property
    def expected(self) -> str:
        if len(self.words) == 1:
            return self.words[0]
        return joined([joined(self.words[:-1]), self.words[-1]], " or ")

    def takes(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.words

    def schema(self) -> JsonSchema:
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class ListOf(Kind):
    """A list, or a tuple of a Python caller, with at least one item."""

    item: Kind

    @property
    def expected(self) -> str:
        return phrase("a list (each: {item})", item=self.item.expected)

    def takes(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and bool(value) and all(map(self.item.takes, value))

    def schema(self) -> JsonSchema:
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
        if self.names:
            return phrase("a mapping with the keys {names}", names=joined(self.names))
        return phrase("a mapping NAME: VALUE (each: {item})", item=self.item.expected)

    def _has_name(self, name: object) -> bool:
        return isinstance(name, str) and (not self.names or name in self.names)

    def takes(self, value: Any) -> bool:
        if not isinstance(value, Mapping) or not value:
            return False
        return all(self._has_name(name) and self.item.takes(value[name]) for name in value)

    def schema(self) -> JsonSchema:
        item = self.item.schema()
        entries: JsonSchema = {"additionalProperties": item}
        if self.names:
            entries = {"properties": dict.fromkeys(self.names, item), "additionalProperties": False}
        return {"type": "object", **entries, "minProperties": 1}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Name every entry that is wrong."""
        if not isinstance(value, Mapping) or not value:
            super().check(value, at, problems)
            return
        for name, item in value.items():
            if self._has_name(name):
                self.item.check(item, (*at, name), problems)
            elif isinstance(name, str):
                problems.add(
                    (*at, name),
                    "unknown key {key}{near}; expected {expected}",
                    key=shown(name),
                    near=suggestion(name, self.names),
                    expected=self.expected,
                )
            else:
                problems.add((*at, name), "the name {name} is not text; quote it", name=shown(name))


@dataclass(frozen=True)
class Either(Kind):
    """One of several kinds."""

    kinds: tuple[Kind, ...]

    @property
    def expected(self) -> str:
        return joined([kind.expected for kind in self.kinds], " or ")

    def _words(self) -> tuple[str, ...]:
        return tuple(word for kind in self.kinds for word in kind._words())

    def takes(self, value: Any) -> bool:
        return any(kind.takes(value) for kind in self.kinds)

    def schema(self) -> JsonSchema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}

    def check(self, value: Any, at: KeyPath, problems: Problems) -> None:
        """Say what is wrong inside a list or mapping if only one kind is such a thing."""
        is_list, is_mapping = isinstance(value, list | tuple), isinstance(value, Mapping)
        compound = [
            kind
            for kind in self.kinds
            if (is_list and isinstance(kind, ListOf)) or (is_mapping and isinstance(kind, MapOf))
        ]
        if len(compound) == 1 and value and not self.takes(value):
            compound[0].check(value, at, problems)
        else:
            super().check(value, at, problems)


COLUMN: Final = Text(phrase("the name of a column (quote numbers, yes and no)"))
COLUMNS: Final = Either((COLUMN, ListOf(COLUMN)))
