"""What is wrong with settings, and how messages quote them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from petaudit.errors import ManyProblemsError, PetauditError, Phrase, phrase, shortened

KeyPath: TypeAlias = tuple[Hashable, ...]


@dataclass
class Problems:
    """What is wrong with settings: all of it, each with the place where it stands."""

    found: list[tuple[KeyPath, str]] = field(default_factory=list)

    def add(self, at: KeyPath, message: str, **fields: Any) -> None:
        """Note one more: a phrase, or the template of one and its fields."""
        text = message if isinstance(message, Phrase) else phrase(message, **fields)
        self.found.append((at, text))

    @contextmanager
    def noted(self, at: KeyPath) -> Iterator[None]:
        """Note what is raised inside, which is no reason to stop."""
        try:
            yield
        except ManyProblemsError as problem:
            self.found += [(at, message) for message in problem.messages]
        except PetauditError as problem:
            self.add(at, problem.text)

    def __iter__(self) -> Iterator[tuple[KeyPath, str]]:
        return iter(self.found)

    def __bool__(self) -> bool:
        return bool(self.found)


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
        return phrase("a mapping") if value else phrase("empty")
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


def not_expected(at: KeyPath, value: Any, expected: str, near: str = "") -> str:
    """That a setting is not what was expected."""
    return phrase(
        "{setting} is {value}{near}; {expected} was expected",
        setting=setting_name(at),
        value=shown(value),
        near=near,
        expected=expected,
    )
