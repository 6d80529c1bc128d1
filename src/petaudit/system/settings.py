"""Settings as fields of a dataclass: each says what it takes and what it is for."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from petaudit.errors import term
from petaudit.system.kinds import Kind


@dataclass(frozen=True)
class Setting:
    """What a field of a model takes, and what it is for."""

    kind: Kind
    help: str


def setting(kind: Kind, help_text: str, default: Any = None) -> Any:
    """A field of a model that may be left out."""
    return field(default=default, metadata={"setting": Setting(kind, term(help_text))})


def required(kind: Kind, help_text: str) -> Any:
    """A field of a model that must be given."""
    return setting(kind, help_text, MISSING)


def settings_of(model: type) -> dict[str, Setting]:
    """The settings of a model by name.

    >>> from petaudit.system.reading import Reading
    >>> settings_of(Reading)["blank_rows"].kind.expected
    'drop or keep'
    """
    return {
        attribute.name: attribute.metadata["setting"]
        for attribute in fields(model)
        if "setting" in attribute.metadata
    }


def required_of(model: type) -> tuple[str, ...]:
    """The settings that have no default."""
    return tuple(
        attribute.name
        for attribute in fields(model)
        if "setting" in attribute.metadata and attribute.default is MISSING
    )
