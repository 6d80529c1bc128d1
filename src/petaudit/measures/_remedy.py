"""What it would take to keep a limit, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from petaudit.errors import Phrase, numbered, phrase, share
from petaudit.units import Unit


@dataclass(frozen=True)
class Remedy:
    """What it would take to keep a limit.

    ``rows_to_suppress`` is enough to reach it, on top of what is suppressed already; None where
    suppressing rows does not help or was not worked out.
    """

    rows_breaking: int
    rows_to_suppress: int | None
    share_to_suppress: float | None
    rows_keeping: int | None = field(default=None, repr=False, compare=False)
    """The rows that break no limit, where that is known."""
    unit: ClassVar[Unit] = Unit.ROW
    """What all of them are numbers of."""

    @classmethod
    def by_suppressing(
        cls, breaking: int, in_classes: int, rows: int, *, can: bool, unit: Unit = Unit.ROW
    ) -> Remedy:
        """Where suppressing the rows that break a limit is enough, unless that is all of them.

        ``can``: whether suppressed rows are in no class, so that all others stay as they are.

        >>> Remedy.by_suppressing(3, 3, 12, can=True).rows_to_suppress
        """
        helps = not breaking or (can and breaking < in_classes)
        found = cls.of(breaking, breaking if helps else None, rows, unit)
        return replace(found, rows_keeping=in_classes - breaking)

    @classmethod
    def of(cls, breaking: int, to_suppress: int | None, rows: int, unit: Unit = Unit.ROW) -> Remedy:
        """From numbers of rows; the share is of all rows of the table.

        >>> Remedy.of(3, 3, 12)
        Remedy(rows_breaking=3, rows_to_suppress=3, share_to_suppress=0.25)
        """
        part = None if to_suppress is None else to_suppress / max(rows, 1)
        made = PeopleRemedy if unit is Unit.PERSON else Remedy
        return made(breaking, to_suppress, part)

    @property
    def shown_share(self) -> Phrase:
        """The share to suppress, as it stands in sentences.

        >>> Remedy.of(3, 3, 12).shown_share
        '25 %'
        """
        part = self.rows_to_suppress or 0
        # Only the quotient is kept, and it has the number of all rows in it.
        whole = round(part / self.share_to_suppress) if self.share_to_suppress else 0
        return share(part, whole, beside=self.rows_keeping or 0)

    @property
    def breaks(self) -> Phrase:
        """How many rows break the limit, as a sentence.

        >>> Remedy.of(1, None, 12).breaks
        '1 row breaks the limit'
        """
        rows = self.unit.counted(self.rows_breaking, beside=self.rows_keeping or 0)
        return numbered(
            self.rows_breaking,
            phrase("{rows} breaks the limit", rows=rows),
            phrase("{rows} break the limit", rows=rows),
        )

    @property
    def to_suppress(self) -> Phrase:
        """How many rows, or the rows of how many people, are to be suppressed.

        >>> Remedy.of(3, 3, 12, Unit.PERSON).to_suppress
        'the rows of 3 people in these classes'
        """
        number = self.unit.counted(self.rows_to_suppress or 0, beside=self.rows_keeping or 0)
        return self.unit.choose(
            number, phrase("the rows of {people} in these classes", people=number)
        )

    @property
    def text(self) -> Phrase:
        """The answer in a sentence.

        >>> Remedy.of(3, 3, 12).text
        '3 rows break the limit; suppressing 3 rows (25 %) reaches it'
        """
        if not self.rows_breaking:
            if self.rows_to_suppress is None:
                return phrase("suppressing rows would not help")
            return self.unit.choose(
                phrase("no row breaks the limit"), phrase("nobody breaks the limit")
            )
        if self.rows_to_suppress is None:
            return self.breaks
        return phrase(
            "{breaks}; suppressing {rows} ({share}) reaches it",
            breaks=self.breaks,
            rows=self.to_suppress,
            share=self.shown_share,
        )


@dataclass(frozen=True)
class PeopleRemedy(Remedy):
    """The same where people are counted: its numbers of rows are numbers of people."""

    unit: ClassVar[Unit] = Unit.PERSON
