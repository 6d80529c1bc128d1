"""What a drawn picture is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Chart:
    """A drawing that needs nothing else, and the same in words and as a table."""

    svg: str
    title: str
    text_alternative: str
    table: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
    """The header, and the rows."""
    notes: tuple[str, ...] = ()
