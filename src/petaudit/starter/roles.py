"""Guessing roles: the name of a column first, then its counts; in doubt, what is safer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.errors import counted, joined, phrase
from petaudit.roles import Role
from petaudit.starter.names import sense_of
from petaudit.starter.words import Meaning
from petaudit.tables.column_facts import ColumnFacts, Kind


@dataclass(frozen=True)
class Guess:
    """The role that a column probably has, and why; holds no value of the data."""

    column: str
    role: Role
    why: str
    is_certain: bool = False
    """Whether an identifier names people by its name or the form of its values, not only by
    having a different value in nearly every row."""


_FEW_ROWS: Final = 20
"""In so few rows it means nothing that every value occurs once."""
_FEW_VALUES: Final = 100
_MANY_NUMBERS: Final = 50
_PERCENT_UNIQUE: Final = 95
_PERCENT_FINE: Final = 50
_MOMENTS: Final = (Kind.DATE, Kind.DATETIME)
_SAID: Final = {
    Kind.WHOLE: phrase("whole numbers"),
    Kind.DECIMAL: phrase("decimal numbers"),
    Kind.DATE: phrase("dates"),
    Kind.DATETIME: phrase("date-times"),
    Kind.TIME: phrase("times of day"),
}
_BY_MEANING: Final = {
    Meaning.KNOWN: Role.QUASI_IDENTIFIER,
    Meaning.SENSITIVE: Role.SENSITIVE,
    Meaning.HARMLESS: Role.INSENSITIVE,
}


def guess_roles(
    facts: Sequence[ColumnFacts], original: Mapping[str, ColumnFacts] | None = None
) -> tuple[Guess, ...]:
    """Guess a role for every column; the original shows which columns were generalised.

    >>> facts = [ColumnFacts("病歷號", 500, Kind.TEXT, 0, 500, 500)]
    >>> [(guess.role.value, guess.why) for guess in guess_roles(facts)]
    [('identifier', 'the name says patient number; every one of 500 values occurs once')]
    """
    before = original or {}
    return tuple(_guess(own, before.get(own.name)) for own in facts)


def _guess(own: ColumnFacts, before: ColumnFacts | None) -> Guess:
    empty = _empty(own, before)
    told = None if empty else _by_form(own) or _by_name(own)
    role, why = empty or told or _by_counts(own, before)
    is_certain = told is not None and role is Role.IDENTIFIER and own.suppressed < own.values
    return Guess(own.name, role, why, is_certain)


_Decision = tuple[Role, str]


def _empty(own: ColumnFacts, before: ColumnFacts | None) -> _Decision | None:
    """Columns that tell nothing."""
    if own.kind is Kind.NOTHING:
        return Role.INSENSITIVE, phrase("every value is missing")
    if own.kind is Kind.OTHER:
        return Role.INSENSITIVE, phrase(
            "holds lists, records or bytes, which cannot be counted: look yourself"
        )
    if own.suppressed == own.values or own.distinct > 1 or own.nulls or own.rows == 1:
        return None
    if before is not None and before.distinct > 1:
        # It was generalised until nothing was left, which Precision must know.
        return None
    rows = counted(own.rows, "row")
    return Role.INSENSITIVE, phrase("the same value in all {rows} tells nobody apart", rows=rows)


def _by_form(own: ColumnFacts) -> _Decision | None:
    """Values that are written as only numbers and addresses of persons are."""
    if own.personal * 2 <= own.values:
        return None
    return Role.IDENTIFIER, phrase(
        "holds e-mail addresses, mobile numbers or identity numbers; {counts}", counts=_once(own)
    )


def _by_name(own: ColumnFacts) -> _Decision | None:
    sense = sense_of(own.name)
    if sense is None:
        return None
    named = phrase("the name says {meaning}", meaning=sense.says)
    if own.suppressed == own.values:
        return _suppressed(sense.meaning, named)
    match sense.meaning:
        case Meaning.IDENTIFIER | Meaning.LIKELY_IDENTIFIER | Meaning.RECORD_NUMBER:
            return _identifier(own, sense.meaning, named)
        case Meaning.SENSITIVE if own.kind in _MOMENTS:
            return Role.QUASI_IDENTIFIER, phrase(
                "{named}, but it holds {kind}, which others may know",
                named=named,
                kind=_SAID[own.kind],
            )
        case Meaning.KNOWN if _percent_once(own) >= _PERCENT_FINE and own.values >= _FEW_ROWS:
            return Role.QUASI_IDENTIFIER, phrase(
                "{named}; {counts}: make it coarser", named=named, counts=_once(own)
            )
    return _BY_MEANING[sense.meaning], joined([named, _counted(own)], "; ")


def _identifier(own: ColumnFacts, meaning: Meaning, named: str) -> _Decision | None:
    """What is called an identifier may still be a code that many people share."""
    if own.kind is Kind.BOOLEAN or (own.distinct <= 2 and own.values >= _FEW_ROWS):
        return Role.QUASI_IDENTIFIER, phrase(
            "{named}, but it has only {counts}", named=named, counts=_counted(own)
        )
    repeats = own.distinct * 2 < own.values
    is_shared = meaning is Meaning.RECORD_NUMBER or (
        meaning is Meaning.LIKELY_IDENTIFIER and own.distinct < _FEW_VALUES
    )
    if repeats and is_shared:
        return Role.QUASI_IDENTIFIER, phrase(
            "{named}, but {rows} share {counts}",
            named=named,
            rows=counted(own.values, "row"),
            counts=_counted(own),
        )
    return Role.IDENTIFIER, joined([named, _once(own)], "; ")


def _suppressed(meaning: Meaning, named: str) -> _Decision:
    if meaning in _BY_MEANING and meaning is not Meaning.KNOWN:
        return Role.INSENSITIVE, phrase(
            "{named}, but every value is suppressed (*): nothing is left", named=named
        )
    why = phrase("{named}; every value is suppressed (*)", named=named)
    return (Role.QUASI_IDENTIFIER if meaning is Meaning.KNOWN else Role.IDENTIFIER), why


def _by_counts(own: ColumnFacts, before: ColumnFacts | None) -> _Decision:
    if own.suppressed == own.values:
        return Role.INSENSITIVE, phrase("every value is suppressed (*): nothing is left")
    if before is not None and own.distinct < before.distinct:
        return Role.QUASI_IDENTIFIER, phrase(
            "{counts}, {number:,} in the original: it was generalised",
            counts=_counted(own),
            number=before.distinct,
        )
    if own.generalized or own.suppressed:
        return Role.QUASI_IDENTIFIER, phrase(
            "generalised labels (ranges, masks or *); {counts}", counts=_counted(own)
        )
    if own.kind in _MOMENTS:
        return Role.QUASI_IDENTIFIER, phrase(
            "{kind}, which others may know; {counts}", kind=_SAID[own.kind], counts=_counted(own)
        )
    if (
        own.kind in (Kind.TEXT, Kind.WHOLE)
        and own.values >= _FEW_ROWS
        and _percent_once(own) >= _PERCENT_UNIQUE
    ):
        return Role.IDENTIFIER, phrase("{counts}, as numbers of persons do", counts=_once(own))
    if own.kind is Kind.DECIMAL and own.distinct > _MANY_NUMBERS:
        return Role.SENSITIVE, phrase(
            "{counts}: too fine for others to know, so better kept safe", counts=_counted(own)
        )
    return Role.QUASI_IDENTIFIER, phrase(
        "{counts}; in doubt a column counts as known to others", counts=_counted(own)
    )


def _percent_once(own: ColumnFacts) -> int:
    return own.once * 100 // own.values if own.values else 0


def _once(own: ColumnFacts) -> str:
    if own.once == own.values:
        return phrase("every one of {values:,} values occurs once", values=own.values)
    if not own.once:
        rows = counted(own.values, "row")
        return phrase("{rows} hold {counts}", rows=rows, counts=_counted(own))
    return phrase(
        "{percent} % of {values:,} values occur once", percent=_percent_once(own), values=own.values
    )


def _counted(own: ColumnFacts) -> str:
    if own.distinct == 1:
        return phrase("1 value")
    what = _SAID.get(own.kind, phrase("values"))
    return phrase("{number:,} different {what}", number=own.distinct, what=what)
