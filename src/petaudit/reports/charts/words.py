"""Names and numbers as they fit into a drawing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.i18n.numbers import counted
from petaudit.i18n.phrases import phrase, render
from petaudit.i18n.text import printable
from petaudit.i18n.zones import Zone, parts, zone

LONGEST: Final = 24
LONGEST_IN_TABLES: Final = 80
_WIDE: Final = 1.02
_NARROW: Final = 0.58


@dataclass(frozen=True)
class Speaker:
    """Says texts in a language, and hides small numbers of people."""

    language: str
    hide_below: int

    def say(self, text: str) -> str:
        """A text; hidden characters are written out."""
        return printable(render(text, self.language, self.hide_below))

    def is_small(self, number: float) -> bool:
        """Whether a number of people may not be told."""
        return 0 < number < self.hide_below

    def zone(self, number: int, of: int | None = None) -> Zone:
        """What may be told of a number of people."""
        return zone(number, self.hide_below, of)

    def parts(self, counts: Sequence[int], of: int | None = None) -> list[Zone]:
        """What may be told of numbers that add up."""
        return parts(counts, self.hide_below, of)

    def notes(self, zones: Iterable[Zone]) -> tuple[str, ...]:
        """How to read zones, where there are any."""
        told = [own for own in zones if not own.is_exact]
        if not told:
            return ()
        note = phrase(
            "Numbers of people are shown as ranges, and bars end in the middle of them, so they "
            "need not add up."
        )
        stripes = phrase("Stripes stand for very few people or nobody: their length says nothing.")
        small = [self.say(stripes)] if any(own.is_small for own in told) else []
        return (self.say(note), *small)

    def more_columns(self, number: int) -> tuple[str, ...]:
        """Say that columns are left out, where any are."""
        if not number:
            return ()
        return (self.say(phrase("Not shown: {columns}.", columns=counted(number, "column"))),)


def fitted(text: str, width: float, size: float = 12, longest: int = LONGEST) -> str:
    """As much of a text as fits, in about 24 characters at most; hidden ones are written out.

    >>> fitted("education", 200), fitted("x" * 10_000, 400), fitted("education", 40)
    ('education', 'xxxxxxxxxxxxxxxxxxxxxxx…', 'educ…')
    """
    shown = printable(text[: 10 * longest])
    if len(shown) <= longest and width_of(shown, size) <= width:
        return shown
    kept = shown[: longest - 1]
    while kept and width_of(kept + "…", size) > width:
        kept = kept[:-1]
    return kept + "…"


def name_in_table(name: str) -> str:
    """A name where there is room."""
    shown = printable(name[: 10 * LONGEST_IN_TABLES])
    return shown if len(shown) <= LONGEST_IN_TABLES else shown[: LONGEST_IN_TABLES - 1] + "…"


def width_of(text: str, size: float = 12) -> float:
    """About how wide a text is; no font is asked."""
    return size * sum(
        _WIDE if unicodedata.east_asian_width(mark) in "WF" else _NARROW for mark in text
    )


def percent(part: float, whole: float) -> str:
    """A share in percent.

    >>> percent(1, 3), percent(0, 0)
    ('33.3 %', '0 %')
    """
    return f"{100 * part / whole if whole else 0:.3g} %"


def figure(number: float) -> str:
    """A figure with four digits, or all digits of a large one.

    >>> figure(0.123456), figure(2), figure(1_234_567.8)
    ('0.1235', '2', '1,234,568')
    """
    return f"{number:,.0f}" if 10**4 <= abs(number) < 10**12 else f"{number:.4g}"
