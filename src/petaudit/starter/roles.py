"""Guessing roles: the name of a column first, then its counts; in doubt, what is safer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from petaudit.errors import counted, joined, phrase
from petaudit.roles import Role
from petaudit.starter.names import Meaning, Sense, sense_of, words
from petaudit.starter.subject import holds_health_data
from petaudit.tables import open_source
from petaudit.tables.column_facts import ColumnFacts, Kind, column_facts


@dataclass(frozen=True)
class Guess:
    """The role that a column probably has, and the reason; holds no value of the data."""

    column: str
    role: Role
    """Where nobody can be sure, the one that is safer to assume."""
    reason: str
    is_certain: bool = False
    """Whether an identifier names people by its name or the form of its values, not only by
    having a different value in nearly every row."""
    is_sure: bool = True
    """False where neither the name nor the values say: somebody has to decide."""


_FEW_ROWS: Final = 20
"""In so few rows it means nothing that every value occurs once."""
_FEW_VALUES: Final = 100
_FEW_PEOPLE: Final = 10
"""So few values are kinds of people, not people."""
_ROWS_OF_A_PERSON: Final = 10
_YES_NO_UNKNOWN: Final = 3
_MANY_NUMBERS: Final = 50
_PERCENT_UNIQUE: Final = 95
_PERCENT_FINE: Final = 50
_MOMENTS: Final = (Kind.DATE, Kind.DATETIME)
_NUMBERS: Final = (Kind.WHOLE, Kind.DECIMAL)
_DURATION: Final = "length of time"
_TIME: Final = "time"
_PERSON_NUMBER: Final = "number of a person"
_KIND_NAMES: Final = {
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


def guess_roles(table: Any, *, original: Any = None) -> tuple[Guess, ...]:
    """Guess the role of every column of a table, with the reason; nothing is final.

    Tables are frames or paths. The original, if given, shows which columns were generalised.

    >>> import polars as pl
    >>> [guess] = guess_roles(pl.DataFrame({"zip": ["10115", "10115", "20095"]}))
    >>> guess.column, guess.role.value, guess.reason
    ('zip', 'quasi_identifier', 'the name says postcode; 2 different whole numbers')
    """
    facts = column_facts(open_source(table))
    before = () if original is None else column_facts(open_source(original))
    return guesses_from(facts, {column.name: column for column in before})


def guesses_from(
    facts: Sequence[ColumnFacts], original: Mapping[str, ColumnFacts] | None = None
) -> tuple[Guess, ...]:
    """Guess the roles of columns whose facts are known.

    >>> facts = [ColumnFacts("病歷號", 500, Kind.TEXT, 0, 500, 500)]
    >>> [(guess.role.value, guess.reason) for guess in guesses_from(facts)]
    [('identifier', 'the name says patient number; each of 500 values occurs once')]
    """
    before = original or {}
    is_health = holds_health_data(facts)
    return tuple(_guess(column, before.get(column.name), is_health) for column in facts)


def _guess(column: ColumnFacts, before: ColumnFacts | None, is_health: bool) -> Guess:
    empty = _empty(column, before)
    evident = None if empty else _by_form(column) or _by_name(column)
    decision = empty or evident or _by_counts(column, before, is_health)
    if decision is None:
        doubt = phrase("neither the name nor the values say; {counts}", counts=_counted(column))
        return Guess(column.name, Role.QUASI_IDENTIFIER, doubt, is_sure=False)
    is_certain = decision.is_certain and column.suppressed < column.values
    return Guess(column.name, decision.role, decision.reason, is_certain, decision.is_sure)


class _Decision(NamedTuple):
    role: Role
    reason: str
    is_certain: bool = False
    is_sure: bool = True


def _empty(column: ColumnFacts, before: ColumnFacts | None) -> _Decision | None:
    """Columns that tell nothing."""
    if column.kind is Kind.NOTHING:
        return _Decision(Role.INSENSITIVE, phrase("every value is missing"))
    if column.kind is Kind.OTHER:
        return _Decision(
            Role.INSENSITIVE,
            phrase("holds lists, records or bytes, which cannot be counted: check it yourself"),
            is_sure=False,
        )
    if (
        column.suppressed == column.values
        or column.distinct > 1
        or column.nulls
        or column.rows == 1
    ):
        return None
    if before is not None and before.distinct > 1:
        # It was generalised until nothing was left, which Precision must know.
        return None
    rows = counted(column.rows, "row")
    return _Decision(
        Role.INSENSITIVE, phrase("the same value in all {rows} tells nobody apart", rows=rows)
    )


def _by_form(column: ColumnFacts) -> _Decision | None:
    """Values that are written as only numbers and addresses of persons are."""
    if column.personal * 2 <= column.values:
        return None
    return _Decision(
        Role.IDENTIFIER,
        phrase(
            "holds e-mail addresses, mobile numbers or identity numbers; {counts}",
            counts=_once(column),
        ),
        is_certain=True,
    )


def _by_name(column: ColumnFacts) -> _Decision | None:
    sense = sense_of(column.name)
    if sense is None or _is_duration(sense, column.kind):
        return None
    named = phrase("the name says {meaning}", meaning=sense.says)
    if column.suppressed == column.values:
        return _suppressed(sense.meaning, named)
    match sense.meaning:
        case Meaning.IDENTIFIER | Meaning.LIKELY_IDENTIFIER | Meaning.RECORD_NUMBER:
            return _identifier(column, sense, named)
        case Meaning.SENSITIVE if column.kind in _MOMENTS:
            return _Decision(
                Role.QUASI_IDENTIFIER,
                phrase(
                    "{named}, but it holds {kind}, which others may know",
                    named=named,
                    kind=_KIND_NAMES[column.kind],
                ),
            )
        case Meaning.KNOWN if _percent_once(column) >= _PERCENT_FINE and column.values >= _FEW_ROWS:
            return _Decision(
                Role.QUASI_IDENTIFIER,
                phrase("{named}; {counts}: make it coarser", named=named, counts=_once(column)),
            )
    return _Decision(_BY_MEANING[sense.meaning], joined([named, _counted(column)], "; "))


def _identifier(column: ColumnFacts, sense: Sense, named: str) -> _Decision:
    """What is called an identifier may still be a code that many people share."""
    meaning, says_person = sense.meaning, sense.says == _PERSON_NUMBER
    if column.kind is Kind.BOOLEAN or (column.distinct <= 2 and column.values >= _FEW_ROWS):
        return _Decision(
            Role.QUASI_IDENTIFIER,
            phrase("{named}, but it has only {counts}", named=named, counts=_counted(column)),
        )
    repeats = column.distinct * 2 < column.values
    is_record = meaning is Meaning.RECORD_NUMBER
    if repeats and is_record and _is_like_people(column):
        return _Decision(
            Role.IDENTIFIER,
            phrase(
                "{named}; {rows} hold {counts}, as several rows of a person do",
                named=named,
                rows=counted(column.values, "row"),
                counts=_counted(column),
            ),
        )
    few = _FEW_PEOPLE if says_person else _FEW_VALUES
    if repeats and (is_record or (meaning is not Meaning.IDENTIFIER and column.distinct < few)):
        return _Decision(
            Role.QUASI_IDENTIFIER,
            phrase(
                "{named}, but {rows} share {counts}",
                named=named,
                rows=counted(column.values, "row"),
                counts=_counted(column),
            ),
        )
    is_certain = meaning is Meaning.IDENTIFIER or sense.says not in words()["doubtful"]
    return _Decision(Role.IDENTIFIER, joined([named, _once(column)], "; "), is_certain)


def _is_like_people(column: ColumnFacts) -> bool:
    """Many values, and few rows each."""
    return column.distinct >= _FEW_VALUES and column.values <= column.distinct * _ROWS_OF_A_PERSON


def _is_duration(sense: Sense, kind: Kind) -> bool:
    """How long something took is nothing that others know; a year has no decimals."""
    return (sense.says == _DURATION and kind in _NUMBERS) or (
        sense.says == _TIME and kind is Kind.DECIMAL
    )


def _suppressed(meaning: Meaning, named: str) -> _Decision:
    if meaning in _BY_MEANING and meaning is not Meaning.KNOWN:
        return _Decision(
            Role.INSENSITIVE,
            phrase("{named}, but every value is suppressed (*): nothing is left", named=named),
        )
    role = Role.QUASI_IDENTIFIER if meaning is Meaning.KNOWN else Role.IDENTIFIER
    return _Decision(role, phrase("{named}; every value is suppressed (*)", named=named))


def _by_counts(
    column: ColumnFacts, before: ColumnFacts | None, is_health: bool
) -> _Decision | None:
    if column.suppressed == column.values:
        return _Decision(Role.INSENSITIVE, phrase("every value is suppressed (*): nothing is left"))
    if before is not None and column.distinct < before.distinct:
        return _Decision(
            Role.QUASI_IDENTIFIER,
            phrase(
                "{counts}, {number:,} in the original: it was generalised",
                counts=_counted(column),
                number=before.distinct,
            ),
        )
    if column.generalized or column.suppressed:
        return _Decision(
            Role.QUASI_IDENTIFIER,
            phrase("generalised labels (ranges, masks or *); {counts}", counts=_counted(column)),
        )
    if column.kind in _MOMENTS:
        return _Decision(
            Role.QUASI_IDENTIFIER,
            phrase(
                "{kind}, which others may know; {counts}",
                kind=_KIND_NAMES[column.kind],
                counts=_counted(column),
            ),
        )
    if column.kind in (Kind.TEXT, Kind.WHOLE) and nearly_unique(column):
        return _Decision(
            Role.IDENTIFIER, phrase("{counts}, like personal ID numbers", counts=_once(column))
        )
    if column.kind in _NUMBERS and column.distinct > _MANY_NUMBERS:
        return _Decision(
            Role.SENSITIVE,
            phrase(
                "{counts}: too detailed for others to know, so better protected",
                counts=_counted(column),
            ),
        )
    is_flag = column.kind is Kind.BOOLEAN or column.distinct <= _YES_NO_UNKNOWN
    if is_health and (column.kind in _NUMBERS or is_flag):
        return _Decision(
            Role.SENSITIVE,
            phrase("{counts} in a table that holds health data", counts=_counted(column)),
        )
    return None


def nearly_unique(column: ColumnFacts) -> bool:
    """Return whether so many rows have a value of their own that it may be an identifier."""
    return column.values >= _FEW_ROWS and _percent_once(column) >= _PERCENT_UNIQUE


def _percent_once(column: ColumnFacts) -> int:
    return column.once * 100 // column.values if column.values else 0


def _once(column: ColumnFacts) -> str:
    if column.once == column.values:
        return phrase("each of {values:,} values occurs once", values=column.values)
    if not column.once:
        rows = counted(column.values, "row")
        return phrase("{rows} hold {counts}", rows=rows, counts=_counted(column))
    return phrase(
        "{percent} % of {values:,} values occur once",
        percent=_percent_once(column),
        values=column.values,
    )


def _counted(column: ColumnFacts) -> str:
    if column.distinct == 1:
        return phrase("1 value")
    what = _KIND_NAMES.get(column.kind, phrase("values"))
    return phrase("{number:,} different {what}", number=column.distinct, what=what)
