"""What every picture is."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from petaudit.i18n.numbers import Unit


@dataclass(frozen=True)
class Picture:
    """One picture; ``kind`` says which, and thereby how it is drawn."""

    kind: ClassVar[str]

    def without_values(self) -> Picture:
        """The picture without any value of the data; most have none."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The picture as plain data, ready for JSON."""
        found = {item.name: _plain(getattr(self, item.name)) for item in fields(self)}
        if found.get("counts") == Unit.ROW.value:
            # What is counted is said only where it is something else.
            del found["counts"]
        return {"kind": self.kind} | found


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    return value
