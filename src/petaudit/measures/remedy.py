"""What it would take to keep a limit, and warnings about suppressed rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from petaudit.errors import Phrase, exactly, numbered, phrase, share
from petaudit.i18n.numbers import Unit


@dataclass(frozen=True)
class Remedy:
    """What it would take to keep a limit.

    ``rows_to_suppress`` is enough to reach it, on top of what is suppressed already; None where
    suppressing rows does not help or was not worked out. Where suppressed rows are a class, more
    of them may break the limit there: then ``rows_to_drop`` is how many to leave out of the table.
    """

    rows_breaking: int
    rows_to_suppress: int | None
    share_to_suppress: float | None
    rows_to_drop: int | None = None
    share_to_drop: float | None = None
    rows_keeping: int | None = field(default=None, repr=False, compare=False)
    """The rows that break no limit, where that is known."""
    of_rows: int | None = field(default=None, repr=False, compare=False)
    """All rows of the table, where any breaks the limit."""
    unit: ClassVar[Unit] = Unit.ROW
    """What all of them are numbers of."""

    @classmethod
    def by_suppressing(
        cls,
        breaking: int,
        in_classes: int,
        rows: int,
        *,
        can: bool,
        can_drop: bool = False,
        unit: Unit = Unit.ROW,
    ) -> Remedy:
        """Where removing the rows that break a limit is enough, unless that is all of them.

        ``can``: whether suppressing them leaves all other classes as they are, and makes none that
        breaks the limit. ``can_drop``: else whether leaving them out of the table does.

        >>> Remedy.by_suppressing(3, 3, 12, can=True).rows_to_suppress
        >>> Remedy.by_suppressing(3, 12, 12, can=False, can_drop=True).rows_to_drop
        3
        """
        enough = breaking if breaking < in_classes and (can or can_drop) else None
        remedy = cls.of(breaking, enough if breaking else 0, rows, unit, by_dropping=not can)
        return replace(remedy, rows_keeping=in_classes - breaking)

    @classmethod
    def of(
        cls,
        breaking: int,
        enough: int | None,
        rows: int,
        unit: Unit = Unit.ROW,
        *,
        by_dropping: bool = False,
    ) -> Remedy:
        """From numbers of rows; the share is of all rows of the table.

        >>> Remedy.of(3, 3, 12).share_to_suppress
        0.25
        """
        part = None if enough is None else enough / max(rows, 1)
        kind = PeopleRemedy if unit is Unit.PERSON else Remedy
        of_rows = rows if breaking else None
        if by_dropping and enough:
            return kind(breaking, None, None, enough, part, of_rows=of_rows)
        return kind(breaking, enough, part, of_rows=of_rows)

    @property
    def shown_share(self) -> Phrase:
        """The share to suppress or to drop, as it stands in sentences.

        >>> Remedy.of(3, 3, 12).shown_share
        '25 %'
        """
        part = self.rows_to_suppress if self.rows_to_drop is None else self.rows_to_drop
        of_all = share(self.rows_breaking, self.of_rows or 0)
        return exactly(share(part or 0, self.of_rows or 0), of_all)

    @property
    def breaks(self) -> Phrase:
        """How many rows break the limit, as a sentence.

        >>> Remedy.of(1, None, 12).breaks
        '1 row breaks the limit'
        """
        rows = self.unit.counted(self.rows_breaking, of=self.of_rows)
        return numbered(
            self.rows_breaking,
            phrase("{rows} breaks the limit", rows=rows),
            phrase("{rows} break the limit", rows=rows),
        )

    @property
    def to_remove(self) -> Phrase:
        """How many rows, or the rows of how many people, are to be suppressed or dropped.

        >>> Remedy.of(3, 3, 12, Unit.PERSON).to_remove
        'the rows of 3 people in these classes'
        """
        rows = self.rows_to_suppress if self.rows_to_drop is None else self.rows_to_drop
        # Both numbers would tell how many rows are suppressed already, and all of them are enough.
        number = exactly(
            self.unit.counted(rows or 0, of=self.of_rows),
            self.unit.counted(self.rows_breaking, of=self.of_rows),
        )
        return self.unit.choose(
            number, phrase("the rows of {people} in these classes", people=number)
        )

    @property
    def text(self) -> Phrase:
        """The answer in a sentence.

        >>> Remedy.of(3, 3, 12).text
        '3 rows break the limit; suppressing 3 rows (25 %) reaches it'
        >>> Remedy.of(3, 3, 12, by_dropping=True).text
        '3 rows break the limit; dropping 3 rows (25 %) from the table reaches it'
        """
        if self.rows_to_drop is not None:
            return phrase(
                "{breaks}; dropping {rows} ({share}) from the table reaches it", **self._fields
            )
        if not self.rows_breaking:
            if self.rows_to_suppress is None:
                return phrase("suppressing rows would not help")
            return self.unit.choose(
                phrase("no row breaks the limit"), phrase("nobody breaks the limit")
            )
        if self.rows_to_suppress is None:
            return self.breaks
        return phrase("{breaks}; suppressing {rows} ({share}) reaches it", **self._fields)

    @property
    def text_of_risk(self) -> Phrase:
        """The same of the riskiest classes, so that nobody takes it for the fewest rows possible.

        >>> Remedy.of(3, 2, 12).text_of_risk
        '3 rows break the limit; suppressing 2 rows (16.7 %), riskiest classes first, is enough'
        """
        if self.rows_to_drop:
            return phrase(
                "{breaks}; dropping {rows} ({share}) from the table, riskiest classes first, is "
                "enough",
                **self._fields,
            )
        if self.rows_to_suppress:
            return phrase(
                "{breaks}; suppressing {rows} ({share}), riskiest classes first, is enough",
                **self._fields,
            )
        return self.text

    @property
    def _fields(self) -> dict[str, Phrase]:
        return {"breaks": self.breaks, "rows": self.to_remove, "share": self.shown_share}


@dataclass(frozen=True)
class PeopleRemedy(Remedy):
    """The same where people are counted: its numbers of rows are numbers of people."""

    unit: ClassVar[Unit] = Unit.PERSON


def left_out(rows: int, unit: Unit = Unit.ROW) -> tuple[str, ...]:
    """Say that rows with the mark in every quasi-identifier are in no class, where there are any.

    >>> left_out(0)
    ()
    """
    if not rows:
        return ()
    return (
        phrase(
            "left out (suppressed: exclude): {rows} with '*' in every quasi-identifier, though "
            "anyone who fits no other class is known to be among them",
            rows=unit.counted(rows),
        ),
    )
