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

    def counted(self, number: int, *, of: int | None = None) -> Phrase:
        """A number of them, with its noun.

        How many rows a table has is known. People count once in each class that they are in: how
        many that makes is known to nobody.
        """
        if self is Unit.PERSON:
            return counted(number, "person", "people")
        return counted(number, "row", of=of)

    def choose(self, of_rows: Phrase, of_people: Phrase) -> Phrase:
        """The sentence that says what was counted."""
        return of_people if self is Unit.PERSON else of_rows
