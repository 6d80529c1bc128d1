"""What every picture is."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar


@dataclass(frozen=True)
class Picture:
    """One picture; ``kind`` says which, and thereby how it is drawn."""

    kind: ClassVar[str]

    def without_values(self) -> Picture:
        """The picture without any value of the data; most have none."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The picture as plain data, ready for JSON."""
        return {"kind": self.kind} | {
            item.name: _plain(getattr(self, item.name)) for item in fields(self)
        }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    return value
