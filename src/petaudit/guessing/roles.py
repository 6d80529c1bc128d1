"""Guessing roles: the name of a column first, then its counts; in doubt, what is safer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.counts.column_facts import ColumnFacts, Kind
from petaudit.guessing.names import sense_of
from petaudit.guessing.words import Meaning
from petaudit.roles import Role


@dataclass(frozen=True)
class Guess:
    """The role that a column probably has, and why; holds no value of the data."""

    column: str
    role: Role
    why: str


_FEW_ROWS: Final = 20
"""In so few rows it means nothing that every value occurs once."""
_FEW_VALUES: Final = 100
_MANY_NUMBERS: Final = 50
_PERCENT_UNIQUE: Final = 95
_PERCENT_FINE: Final = 50
_MOMENTS: Final = (Kind.DATE, Kind.DATETIME)
_NUMBERS: Final = (Kind.WHOLE, Kind.DECIMAL)
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
    role, why = _empty(own, before) or _by_name(own) or _by_counts(own, before)
    return Guess(own.name, role, why)


_Decision = tuple[Role, str]


def _empty(own: ColumnFacts, before: ColumnFacts | None) -> _Decision | None:
    """Columns that tell nothing."""
    if own.kind is Kind.NOTHING:
        return Role.INSENSITIVE, "every value is missing"
    if own.kind is Kind.OTHER:
        return Role.INSENSITIVE, f"holds {own.kind.value}, which cannot be counted: look yourself"
    if own.suppressed == own.values or own.distinct > 1 or own.nulls or own.rows == 1:
        return None
    if before is not None and before.distinct > 1:
        # It was generalised until nothing was left, which Precision must know.
        return None
    return Role.INSENSITIVE, f"the same value in all {own.rows:,} rows tells nobody apart"


def _by_name(own: ColumnFacts) -> _Decision | None:
    sense = sense_of(own.name)
    if sense is None:
        return None
    named = f"the name says {sense.says}"
    if own.suppressed == own.values:
        return _suppressed(sense.meaning, named)
    match sense.meaning:
        case Meaning.IDENTIFIER | Meaning.LIKELY_IDENTIFIER | Meaning.RECORD_NUMBER:
            return _identifier(own, sense.meaning, named)
        case Meaning.SENSITIVE if own.kind in _MOMENTS:
            why = f"{named}, but it holds {own.kind.value}, which others may know"
            return Role.QUASI_IDENTIFIER, why
        case Meaning.KNOWN if _percent_once(own) >= _PERCENT_FINE and own.values >= _FEW_ROWS:
            return Role.QUASI_IDENTIFIER, f"{named}; {_once(own)}: make it coarser"
    return _BY_MEANING[sense.meaning], f"{named}; {_counted(own)}"


def _identifier(own: ColumnFacts, meaning: Meaning, named: str) -> _Decision | None:
    """What is called an identifier may still be a code that many people share."""
    if own.kind is Kind.BOOLEAN or (own.distinct <= 2 and own.values >= _FEW_ROWS):
        return Role.QUASI_IDENTIFIER, f"{named}, but it has only {_counted(own)}"
    repeats = own.distinct * 2 < own.values
    if meaning is Meaning.LIKELY_IDENTIFIER and repeats and own.distinct < _FEW_VALUES:
        return Role.QUASI_IDENTIFIER, f"{named}, but {own.values:,} rows share {_counted(own)}"
    if meaning is Meaning.RECORD_NUMBER and repeats:
        return Role.QUASI_IDENTIFIER, f"{named}, but {own.values:,} rows share {_counted(own)}"
    return Role.IDENTIFIER, f"{named}; {_once(own)}"


def _suppressed(meaning: Meaning, named: str) -> _Decision:
    if meaning is Meaning.KNOWN:
        return Role.QUASI_IDENTIFIER, f"{named}; every value is suppressed (*)"
    if meaning in _BY_MEANING:
        return Role.INSENSITIVE, f"{named}, but every value is suppressed (*): nothing is left"
    return Role.IDENTIFIER, f"{named}; every value is suppressed (*)"


def _by_counts(own: ColumnFacts, before: ColumnFacts | None) -> _Decision:
    if own.suppressed == own.values:
        return Role.INSENSITIVE, "every value is suppressed (*): nothing is left"
    if before is not None and own.distinct < before.distinct:
        why = f"{_counted(own)}, {before.distinct:,} in the original: it was generalised"
        return Role.QUASI_IDENTIFIER, why
    if own.generalized or own.suppressed:
        return Role.QUASI_IDENTIFIER, f"generalised labels (ranges, masks or *); {_counted(own)}"
    if own.kind in _MOMENTS:
        return Role.QUASI_IDENTIFIER, f"{own.kind.value}, which others may know; {_counted(own)}"
    if (
        own.kind in (Kind.TEXT, Kind.WHOLE)
        and own.values >= _FEW_ROWS
        and _percent_once(own) >= _PERCENT_UNIQUE
    ):
        return Role.IDENTIFIER, f"{_once(own)}, as numbers of persons do"
    if own.kind is Kind.DECIMAL and own.distinct > _MANY_NUMBERS:
        return Role.SENSITIVE, f"{_counted(own)}: too fine for others to know, so better kept safe"
    return Role.QUASI_IDENTIFIER, f"{_counted(own)}; in doubt a column counts as known to others"


def _percent_once(own: ColumnFacts) -> int:
    return own.once * 100 // own.values if own.values else 0


def _once(own: ColumnFacts) -> str:
    if own.once == own.values:
        return f"every one of {own.values:,} values occurs once"
    if not own.once:
        return f"{own.values:,} rows hold {_counted(own)}"
    return f"{_percent_once(own)} % of {own.values:,} values occur once"


def _counted(own: ColumnFacts) -> str:
    what = own.kind.value if own.kind in (*_NUMBERS, *_MOMENTS, Kind.TIME) else "values"
    if own.distinct == 1:
        return "1 value"
    return f"{own.distinct:,} different {what}"
