"""Dataclasses from plain data, such as JSON, that anybody may have written.

The fields of a dataclass and their types are the schema: what does not fit is a ValueError, and
nothing is taken on trust.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

_LARGEST: Final = 2**63
_Record = TypeVar("_Record")


@dataclass(frozen=True)
class Reader:
    """Reads dataclasses whose fields are text, numbers, lists, mappings or dataclasses again.

    ``Annotated[type, function]`` has the function read the value, ``Any`` takes it as it is. A
    field with a default may be absent or null.

    >>> @dataclass
    ... class Point:
    ...     x: float
    ...     label: str | None = None
    >>> Reader().read(Point, {"x": 1})
    Point(x=1.0, label=None)
    >>> Reader().read(Point, {"x": "one"})
    Traceback (most recent call last):
    ValueError: x is not a valid float
    """

    most_items: int | None = None
    longest_text: int | None = None
    ignores_others: bool = False
    """Whether keys that are no fields are left alone, or an error."""

    def read(self, cls: type[_Record], plain: object) -> _Record:
        """Return the dataclass of a mapping."""
        if not isinstance(plain, Mapping):
            raise ValueError(f"{cls.__name__} is a mapping")
        hints, required = _schema(cls)  # type: ignore[arg-type]
        if not required <= set(plain) or not (self.ignores_others or set(plain) <= set(hints)):
            raise ValueError(f"{cls.__name__} has the fields {', '.join(hints)}")
        given = {
            key: hint
            for key, hint in hints.items()
            if key in required or plain.get(key) is not None
        }
        return cls(**{key: self._value(hint, plain[key], key) for key, hint in given.items()})

    def _value(self, hint: Any, plain: Any, name: str) -> Any:
        origin, arguments = get_origin(hint), get_args(hint)
        if hint is Any:
            return plain
        if origin is Annotated:
            return arguments[1](plain)
        if origin in (Union, types.UnionType):
            [kind] = [kind for kind in arguments if kind is not types.NoneType]
            return None if plain is None else self._value(kind, plain, name)
        if origin is tuple and isinstance(plain, list | tuple):
            if self.most_items is None or len(plain) <= self.most_items:
                return tuple(self._value(arguments[0], item, name) for item in plain)
        elif origin is Mapping and isinstance(plain, Mapping):
            return {str(key): self._value(arguments[1], plain[key], name) for key in plain}
        elif isinstance(hint, type) and isinstance(plain, hint) and is_dataclass(hint):
            return plain
        elif is_dataclass(hint):
            return self.read(hint, plain)  # type: ignore[arg-type]
        elif isinstance(hint, type) and issubclass(hint, Enum):
            return hint(plain)
        elif self._fits(hint, plain):
            return float(plain) if hint is float else plain
        raise ValueError(f"{name} is not a valid {getattr(hint, '__name__', hint)}")

    def _fits(self, hint: Any, plain: Any) -> bool:
        """Whether a value is text, a truth value or a number as a field of that type has it."""
        if hint is str and isinstance(plain, str):
            return self.longest_text is None or len(plain) <= self.longest_text
        if hint is bool or isinstance(plain, bool):
            return hint is bool and isinstance(plain, bool)
        if hint is int:
            return isinstance(plain, int) and 0 <= plain < _LARGEST
        return hint is float and isinstance(plain, int | float) and is_finite(plain)


def is_finite(number: int | float) -> bool:
    """Whether a number is a finite float; an integer may be too large for one."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


@cache
def _schema(cls: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the types of the fields by name, and the fields without a default."""
    hints = get_type_hints(cls, include_extras=True)
    given = [item for item in fields(cls) if item.init]
    required = (item.name for item in given if item.default is item.default_factory is MISSING)
    return {item.name: hints[item.name] for item in given}, frozenset(required)
