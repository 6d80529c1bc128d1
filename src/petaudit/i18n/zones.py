"""The one rule for hiding: of a number of people, a page tells the zone that it is in.

Every number of people on a page is a place on a scale from nobody to everybody (``of``). Both ends
are told. In between there are only zones: "<5" for 1 to 4, "≥196" for all of 200 but 1 to 4, and
else five numbers at a time. Whatever is told, drawn or worked out of a number, such as a percentage
or the length of a bar, is made of its zone. So two numbers of which one holds the other (rows of
small classes, rows of all classes) never tell their difference, and nobody has to know what else
is on the page. Figures of measures are exact: docs/threat-model.md says what follows from them.

>>> [zone(number, 5, 200).text for number in (0, 3, 12, 197, 200)]
['0', '<5', '10–14', '≥196', '200']
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 4
"""A table smaller than this many times the threshold has one zone: from nobody to everybody."""


@dataclass(frozen=True)
class Zone:
    """What may be told of a number: it is not below the one and not above the other."""

    lowest: int
    highest: int
    is_top: bool = False
    """Whether it is all but a few."""
    is_all: bool = False
    """Whether nothing is told."""

    @property
    def is_exact(self) -> bool:
        """Whether the number itself is told."""
        return self.lowest == self.highest

    @property
    def is_small(self) -> bool:
        """Whether it may be next to nobody."""
        return self.lowest <= 1 and not self.is_exact

    @property
    def middle(self) -> float:
        """What is drawn."""
        return (self.lowest + self.highest) / 2

    @property
    def text(self) -> str:
        """The zone as it stands in sentences."""
        if self.is_exact:
            return f"{self.lowest:,}"
        if self.is_small:
            return f"<{self.highest + 1:,}" if not self.is_all else f"≤{self.highest:,}"
        return f"≥{self.lowest:,}" if self.is_top else f"{self.lowest:,}–{self.highest:,}"

    def percent(self, total: int, decimals: int | None = None) -> str:
        """The zone as a share of a public total, with three digits unless ``decimals`` is given.

        >>> zone(3, 5, 200).percent(200), zone(62, 5, 200).percent(200), zone(1, 5, 1).percent(1)
        ('<2.5 %', '30–32 %', '≤100 %')
        """

        def shown(number: int) -> str:
            part = number / max(total, 1)
            return f"{100 * part:.3g}" if decimals is None else f"{100 * part:.{decimals}f}"

        sign = " %" if decimals is None else "%"
        if self.is_small:
            says_nothing = self.is_all or self.highest >= total
            return f"≤{shown(total)}{sign}" if says_nothing else f"<{shown(self.highest + 1)}{sign}"
        if self.is_top and not self.is_exact:
            return f"≥{shown(self.lowest)}{sign}"
        ends = dict.fromkeys([shown(self.lowest), shown(self.highest)])
        return "–".join(ends) + sign


def zone(number: int, below: int, of: int | None = None) -> Zone:
    """The zone of a number of people of ``of`` people, a number that everybody knows.

    Small numbers are those below ``below``; up to 1 everything is told. Without ``of`` nobody knows
    how many there are in all. Of a table of next to nobody nothing is told.

    >>> zone(3, 5).text, zone(8, 5).text, zone(8, 0).text, zone(8, 5, 12).text
    ('<5', '5–9', '8', '≤12')
    """
    if below <= 1:
        return Zone(number, number)
    if of is not None and number < of < SHORTEST * below:
        return Zone(0, of, is_all=True)
    if number <= 0 or (number == of and number >= below):
        return Zone(number, number)
    if of is None or number >= of:
        first = number // below * below
        return Zone(max(first, 1), first + below - 1)
    if number < below:
        return Zone(1, below - 1)
    if number > of - below:
        return Zone(of - below + 1, of - 1, is_top=True)
    # The last zone may be nearly twice as long: a short one would tell too much.
    last = (of - 2 * below + 1) // below
    place = min(number // below, last)
    return Zone(place * below, of - below if place == last else (place + 1) * below - 1)


def classes_zone(number: int, below: int) -> Zone:
    """The zone of a number of classes: of few classes, one more tells who is in none of the others.

    >>> classes_zone(3, 5).text, classes_zone(62, 5).text, classes_zone(3, 0).text
    ('<20', '60–64', '3')
    """
    short = SHORTEST * below
    return Zone(1, short - 1) if 0 < number < short else zone(number, below)


def parts(counts: Sequence[int], below: int, of: int | None = None) -> list[Zone]:
    """What is told of numbers that stand in a row and have nobody in common.

    The zones of their running sums are told, and what follows from those: numbers of people that
    add up would tell each other if each of them had a zone of its own.

    >>> [each.text for each in parts([3, 54, 2, 141], 5, 200)]
    ['<5', '51–58', '<5', '141–145']
    """
    sums = [zone(number, below, of) for number in itertools.accumulate(counts, initial=0)]
    return [
        Zone(max(end.lowest - start.highest, 0), end.highest - start.lowest, is_all=end.is_all)
        for start, end in itertools.pairwise(sums)
    ]
