"""How a report speaks: in which language, and how much it tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.i18n.catalogue import ENGLISH
from petaudit.i18n.phrases import phrase, render
from petaudit.i18n.text import printable, shortened
from petaudit.i18n.zones import Zone, parts, zone

HIDE_BELOW: Final = 5
"""Numbers of people from 1 to one less are not told in reports."""
_LONGEST_NAME: Final = 200


@dataclass(frozen=True)
class Voice:
    """The language of a report, and below which number people are not counted.

    >>> from petaudit.errors import counted
    >>> Voice().say(counted(3, "row")), Voice(revealed=True).say(counted(3, "row"))
    ('<5 rows', '3 rows')
    """

    language: str = ENGLISH
    revealed: bool = False
    """Whether values of the data and small counts are shown."""
    hide_below: int = HIDE_BELOW

    @property
    def threshold(self) -> int:
        """Counts of people below this are hidden; 0 where everything is shown."""
        return 0 if self.revealed else self.hide_below

    @property
    def is_exact(self) -> bool:
        """Whether numbers of people are told as they are."""
        return self.threshold <= 1

    @property
    def mark(self) -> str:
        """What stands at the top of a report, and at the foot of every printed page."""
        if self.revealed:
            return self.say(phrase("Contains values of the data"))
        return self.say(phrase("Values hidden"))

    @property
    def mode(self) -> str:
        """How much a report tells, in a sentence or two."""
        if self.revealed:
            return self.say(
                phrase(
                    "It was made with --reveal-values: it may quote people's data and shows small "
                    "counts. Do not share it."
                )
            )
        if self.is_exact:
            return self.say(phrase("The report contains no value of the data. Counts are exact."))
        return self.say(
            phrase(
                "The report contains no value of the data. Numbers of people are shown as ranges: "
                "1 to {most} as <{threshold}, others in steps of {threshold}. Figures of measures "
                "are exact, except where they are said to be rounded.",
                most=self.threshold - 1,
                threshold=self.threshold,
            )
        )

    def say(self, text: str) -> str:
        """Return a text in the language; nothing in it is invisible or changes the direction."""
        return printable(render(text, self.language, self.threshold))

    def say_all(self, texts: Iterable[str]) -> list[str]:
        """Return several texts in the language."""
        return [self.say(text) for text in texts]

    def zone(self, number: int, of: int | None = None) -> Zone:
        """Return what may be told of a number of people."""
        return zone(number, self.threshold, of)

    def parts(self, counts: Sequence[int], of: int | None = None) -> list[Zone]:
        """Return what may be told of numbers of people that add up."""
        return parts(counts, self.threshold, of)

    def count(self, number: int | None, of: int | None = None) -> str:
        """Return a number of people, of so many, as text.

        >>> Voice().count(3), Voice().count(0), Voice().count(1200, of=1200), Voice().count(12)
        ('<5', '0', '1,200', '10–14')
        """
        return "-" if number is None else self.zone(number, of).text

    def name(self, text: str) -> str:
        """Return a name that comes from the data's owner: as it is, but not at any length.

        >>> len(Voice().name("x" * 10_000))
        201
        """
        return shortened(self.say(text), _LONGEST_NAME)
