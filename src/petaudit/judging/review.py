"""What an audit says about a table beside figures: columns without a role, rows and people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from petaudit.errors import Phrase, counted, joined, listing, phrase, tally, term
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
        names = listing(self.identifiers, _MOST_NAMED)
        if len(self.identifiers) == 1:
            found.append(
                phrase(
                    "the table still names people: {columns} is an identifier and still holds "
                    "values; remove it",
                    columns=names,
                )
            )
        elif self.identifiers:
            found.append(
                phrase(
                    "the table still names people: {columns} are identifiers and still hold "
                    "values; remove them",
                    columns=names,
                )
            )
        guessed = self.looking_like(IDENTIFIER)
        names = listing(guessed, _MOST_NAMED)
        if len(guessed) == 1:
            found.append(
                phrase(
                    "the table still names people: {columns} looks like an identifier; remove it, "
                    "or give it the role insensitive if it identifies nobody",
                    columns=names,
                )
            )
        elif guessed:
            found.append(
                phrase(
                    "the table still names people: {columns} look like identifiers; remove them, "
                    "or give them the role insensitive if they identify nobody",
                    columns=names,
                )
            )
        return tuple(found)

    @property
    def open_questions(self) -> Iterator[str]:
        """What somebody should ask before the table is released."""
        # Those that look like identifiers break the release by themselves.
        columns = self._listed([role for role in _GUESSES if role != IDENTIFIER])
        if columns is not None:
            yield phrase(
                "columns without a role, which no measure looked at: {columns}", columns=columns
            )
        if self.people is not None:
            yield self.people

    @property
    def summary(self) -> Phrase | None:
        """The columns without a role, those first that look like more than they should."""
        return self._listed(_GUESSES)

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
    facts = {column.name: column for column in column_facts(table, [*declared, *unlabelled])}
    before: dict[str, ColumnFacts] = {}
    if inputs.original is not None:
        shared = [name for name in unlabelled if name in inputs.original.columns]
        before = {column.name: column for column in column_facts(inputs.original, shared)}
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


@dataclass(frozen=True)
class RowsPerPerson:
    """What would be another figure if a column that repeats told people apart."""

    column: str
    rows: int
    people: int
    k_rows: int | None
    """The smallest class in rows; None where every row is suppressed."""
    k_people: int | None

    @property
    def sentence(self) -> Phrase:
        """The figures, and what to do.

        >>> RowsPerPerson("patient", 1858, 929, 2, 1).sentence
        "1,858 rows of 929 people (column 'patient'): k would be 1, not 2, if people were counted; \
name the column to count them (person)"
        """
        said = {
            "rows": counted(self.rows, "row", of=self.rows),
            "people": counted(self.people, "person", "people", of=self.people),
            "column": self.column,
        }
        if self.k_people == self.k_rows or self.k_people is None or self.k_rows is None:
            return phrase(
                "{rows} of {people} (column {column!r}): rows were counted, not people; name the "
                "column to count them (person)",
                **said,
            )
        return phrase(
            "{rows} of {people} (column {column!r}): k would be {k_people:,}, not {k_rows:,}, if "
            "people were counted; name the column to count them (person)",
            k_people=self.k_people,
            k_rows=self.k_rows,
            **said,
        )


def rows_per_person(inputs: Inputs, candidates: Sequence[str]) -> RowsPerPerson | None:
    """The figures for the candidate that tells most people apart among those that repeat.

    None where a person is named already, and where no candidate repeats. A column that is empty or
    suppressed in half of the rows or more tells nobody apart.
    """
    if inputs.person is not None or not inputs.roles.quasi_identifiers:
        return None
    counts, names = inputs.table.counts, inputs.quasi_identifiers
    repeating = {
        column: people
        for column in candidates
        if column not in names
        for people in [counts.different(column)]
        if 1 < people < counts.rows and 2 * counts.nameless_rows(column) < counts.rows
    }
    if not repeating:
        return None
    column = max(repeating, key=lambda name: repeating[name])
    smallest = []
    for unit in (counts, counts.by_person(names, column)):
        found = unit.class_histogram(names)
        if inputs.suppressed == "class":
            found = found.with_suppressed_as_class()
        smallest.append(int(found.sizes[0]) if found.sizes.size else None)
    return RowsPerPerson(column, counts.rows, repeating[column], *smallest)


def people_notes(inputs: Inputs) -> tuple[Phrase, ...]:
    """What a result says about the person column, if one is named."""
    if inputs.person is None:
        return ()
    counts, people = inputs.table.counts, inputs.individuals
    said = {
        "people": counted(people, "person", "people", of=people),
        "rows": counted(counts.rows, "row", of=counts.rows),
        "column": inputs.person,
    }
    if inputs.person_is_pseudonym:
        notes = [
            phrase(
                "{people} in {rows} are told apart by column {column!r}, a pseudonym as was said: "
                "whoever can trace it back to people must not get the table",
                **said,
            )
        ]
    else:
        notes = [
            phrase(
                "{people} in {rows} are told apart by column {column!r}, which is there for "
                "counting: it must not be released",
                **said,
            )
        ]
    again = inputs.counted.rows - people if inputs.roles.quasi_identifiers else 0
    if again:
        notes.append(
            phrase(
                "some people are in several classes, and count in each of them: {number} in all",
                number=tally(inputs.counted.rows),
            )
        )
    if counts.is_text(counts.position(inputs.person)):
        alike = people - counts.different_but_for_case(inputs.person)
        if alike:
            notes.append(
                phrase(
                    "column {column!r}: {people} would be somebody else's if upper and lower case "
                    "were the same; if they are, classes are smaller than they look",
                    column=inputs.person,
                    people=counted(alike, "spelling"),
                )
            )
    nameless = counts.nameless_rows(inputs.person)
    if nameless:
        notes.append(
            phrase(
                "column {column!r} names nobody in {rows}: those of a class count as one person",
                column=inputs.person,
                rows=counted(nameless, "row", of=counts.rows),
            )
        )
    if inputs.population is not None and inputs.population_person is None:
        notes.append(
            phrase(
                "the population has no column {column!r}, so every row of it counts as a person",
                column=inputs.person,
            )
        )
    return tuple(notes)
