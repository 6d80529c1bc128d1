"""What is counted in classes: rows, or people where a column tells them apart."""

from __future__ import annotations

from enum import StrEnum

from petaudit.errors import Phrase, counted


class Unit(StrEnum):
    """What the sizes of classes are numbers of.

    >>> Unit.ROW.counted(2), Unit.PERSON.counted(2), Unit.PERSON.counted(1)
    ('2 rows', '2 people', '1 person')
    """

    ROW = "rows"
    PERSON = "people"

    def counted(self, number: int, *, beside: int = 0) -> Phrase:
        """A number of them, with its noun."""
        if self is Unit.PERSON:
            return counted(number, "person", "people", beside=beside)
        return counted(number, "row", beside=beside)

    def choose(self, of_rows: Phrase, of_people: Phrase) -> Phrase:
        """The sentence that says what was counted."""
        return of_people if self is Unit.PERSON else of_rows
