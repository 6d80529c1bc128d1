"""Every column of a table is accounted for: by its role, or by what it looks like without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from petaudit.auditing.people import rows_per_person
from petaudit.errors import Phrase, joined, listing, phrase, term
from petaudit.inputs import Inputs
from petaudit.roles import Role
from petaudit.starter import Guess, guesses_from
from petaudit.tables.column_facts import ColumnFacts, column_facts
from petaudit.tables.headers import shown_names

IDENTIFIER: Final = Role.IDENTIFIER.value
POSSIBLE_IDENTIFIER: Final = "possible_identifier"
"""Nearly every value is different, but neither name nor form says that it names a person."""
_GUESSES: Final = {
    IDENTIFIER: term("identifier?"),
    POSSIBLE_IDENTIFIER: term("nearly every value differs"),
    Role.QUASI_IDENTIFIER.value: term("quasi-identifier?"),
    Role.SENSITIVE.value: term("sensitive?"),
    Role.INSENSITIVE.value: None,
}
_MOST_NAMED: Final = 20


@dataclass(frozen=True)
class ColumnReview:
    """Columns that still name people, and columns that no measure looked at.

    >>> review = ColumnReview(("ssn",), {"email": IDENTIFIER, "town": "quasi_identifier"})
    >>> review.names_people
    ('ssn', 'email')
    >>> for sentence in review.problems: print(sentence)
    the table still names people: ssn is an identifier and still holds values; remove it
    the table still names people: email looks like an identifier; remove it, or give it the role \
insensitive if it identifies nobody
    """

    identifiers: tuple[str, ...] = ()
    """Identifiers by their role that still hold values."""
    without_role: Mapping[str, str] = field(default_factory=dict)
    """What each column without a role looks like: a role, or :data:`POSSIBLE_IDENTIFIER`."""
    people: str | None = None
    """That rows may not be people, with the figures, where an identifier repeats."""

    @property
    def names_people(self) -> tuple[str, ...]:
        """The columns that break a release."""
        return (*self.identifiers, *self.looking_like(IDENTIFIER))

    def looking_like(self, role: str) -> tuple[str, ...]:
        """The columns without a role that look like one."""
        return tuple(name for name, guess in self.without_role.items() if guess == role)

    @property
    def problems(self) -> tuple[Phrase, ...]:
        """Why the table must not be released, whatever the figures say."""
        found = []
        if len(self.identifiers) == 1:
            found.append(
                phrase(
                    "the table still names people: {columns} is an identifier and still holds "
                    "values; remove it",
                    columns=listing(self.identifiers),
                )
            )
        elif self.identifiers:
            found.append(
                phrase(
                    "the table still names people: {columns} are identifiers and still hold "
                    "values; remove them",
                    columns=listing(self.identifiers, _MOST_NAMED),
                )
            )
        guessed = self.looking_like(IDENTIFIER)
        if len(guessed) == 1:
            found.append(
                phrase(
                    "the table still names people: {columns} looks like an identifier; remove it, "
                    "or give it the role insensitive if it identifies nobody",
                    columns=listing(guessed),
                )
            )
        elif guessed:
            found.append(
                phrase(
                    "the table still names people: {columns} look like identifiers; remove them, "
                    "or give them the role insensitive if they identify nobody",
                    columns=listing(guessed, _MOST_NAMED),
                )
            )
        return tuple(found)

    @property
    def summary(self) -> Phrase | None:
        """The columns without a role, those first that look like more than they should."""
        return self._listed(_GUESSES)

    @property
    def question(self) -> Phrase | None:
        """The same without those that break the release by themselves."""
        return self._listed([role for role in _GUESSES if role != IDENTIFIER])

    def _listed(self, guesses: Iterable[str]) -> Phrase | None:
        parts: list[str] = []
        for guess in guesses:
            columns, words = self.looking_like(guess), _GUESSES[guess]
            if columns and words is None:
                parts.append(listing(columns, _MOST_NAMED))
            elif columns:
                named = listing(columns, _MOST_NAMED)
                parts.append(phrase("{columns} ({guess})", columns=named, guess=words))
        return joined(parts, "; ") if parts else None

    def to_dict(self) -> dict[str, Any]:
        """The review as plain data."""
        return {
            "identifiers": list(self.identifiers),
            "without_role": dict(self.without_role),
            "people": self.people,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ColumnReview:
        """The review that :meth:`to_dict` took apart."""
        guesses = {str(name): str(guess) for name, guess in dict(data["without_role"]).items()}
        people = data.get("people")
        return cls(tuple(map(str, data["identifiers"])), guesses, people and str(people))


def review_columns(inputs: Inputs) -> ColumnReview:
    """Look at the identifiers and at the columns without a role; others cost nothing.

    The columns that join the table and its original, or tell people apart, are there for that, and
    not to be released.
    """
    roles, table = inputs.roles, inputs.table
    for_counting = (inputs.key, inputs.person)
    declared = [name for name in roles.columns(Role.IDENTIFIER) if name not in for_counting]
    unlabelled = [name for name in table.columns if name not in {*roles.by_column, *for_counting}]
    if not declared and not unlabelled:
        return ColumnReview()
    facts = {own.name: own for own in column_facts(table, [*declared, *unlabelled])}
    before: dict[str, ColumnFacts] = {}
    if inputs.original is not None:
        shared = [name for name in unlabelled if name in inputs.original.columns]
        before = {own.name: own for own in column_facts(inputs.original, shared)}
    guesses = guesses_from([facts[name] for name in unlabelled], before)
    found = ColumnReview(
        tuple(name for name in declared if facts[name].suppressed < facts[name].values),
        {guess.column: _look_of(guess) for guess in guesses},
    )
    repeated = rows_per_person(inputs, found.names_people)
    shown = {name: name for name in table.columns}
    if not inputs.reveal_values:
        # Those that somebody gave a role are known by name.
        shown |= {name: shown_names(table.columns)[name] for name in unlabelled}
    return ColumnReview(
        found.identifiers,
        {shown[name]: guess for name, guess in found.without_role.items()},
        None if repeated is None else replace(repeated, column=shown[repeated.column]).sentence,
    )


def _look_of(guess: Guess) -> str:
    if guess.role is Role.IDENTIFIER and not guess.is_certain:
        return POSSIBLE_IDENTIFIER
    return guess.role.value
