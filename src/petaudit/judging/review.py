"""What an audit says about a table beside figures: columns without a role, rows and people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from petaudit.errors import Phrase, counted, joined, listing, phrase, tally, term
from petaudit.inputs import Inputs
from petaudit.roles import Role
from petaudit.starter import Guess, guesses_from, nearly_unique
from petaudit.tables.column_facts import ColumnFacts, column_facts
from petaudit.tables.headers import shown_names
from petaudit.tables.odd_values import odd_values_note

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
    def problems(self) -> Iterator[Phrase]:
        """Why the table must not be released, whatever the figures say."""
        names = listing(self.identifiers, _MOST_NAMED)
        if len(self.identifiers) == 1:
            yield phrase(
                "the table still names people: {columns} is an identifier and still holds values; "
                "remove it",
                columns=names,
            )
        elif self.identifiers:
            yield phrase(
                "the table still names people: {columns} are identifiers and still hold values; "
                "remove them",
                columns=names,
            )
        guessed = self.looking_like(IDENTIFIER)
        names = listing(guessed, _MOST_NAMED)
        if len(guessed) == 1:
            yield phrase(
                "the table still names people: {columns} looks like an identifier; remove it, or "
                "give it the role insensitive if it identifies nobody",
                columns=names,
            )
        elif guessed:
            yield phrase(
                "the table still names people: {columns} look like identifiers; remove them, or "
                "give them the role insensitive if they identify nobody",
                columns=names,
            )

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
        # A phrase stays one, so that it can be translated.
        people = people if isinstance(people, str) else None
        return cls(tuple(map(str, data["identifiers"])), guesses, people)


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
    guesses = {
        guess.column: _looks_like(guess, facts[guess.column])
        for guess in guesses_from([facts[name] for name in unlabelled], before)
    }
    identifiers = tuple(name for name in declared if facts[name].suppressed < facts[name].values)
    shown = {name: name for name in table.columns}
    if not inputs.reveal_values:
        # Those that somebody gave a role are known by name.
        shown |= {name: shown_names(table.columns)[name] for name in unlabelled}
    naming = (*identifiers, *(name for name, guess in guesses.items() if guess == IDENTIFIER))
    return ColumnReview(
        identifiers,
        {shown[name]: guess for name, guess in guesses.items()},
        rows_per_person(inputs, {name: shown[name] for name in naming}),
    )


def _looks_like(guess: Guess, column: ColumnFacts) -> str:
    """Only what is certain to name people breaks a release."""
    if guess.role is not Role.IDENTIFIER or guess.is_certain:
        return guess.role.value
    return POSSIBLE_IDENTIFIER if nearly_unique(column) else Role.QUASI_IDENTIFIER.value


def rows_per_person(inputs: Inputs, candidates: Mapping[str, str]) -> Phrase | None:
    """What would be another figure if a column told people apart, and what to do.

    It is the candidate that tells most people apart among those that repeat, called as it may be
    shown. None where a person is named already, and where no candidate repeats. A column that is
    empty or suppressed in half of the rows or more tells nobody apart.
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
        classes = unit.class_histogram(names)
        if inputs.suppressed == "class":
            classes = classes.with_suppressed_as_class()
        # There is no class where every row is suppressed.
        smallest.append(int(classes.sizes[0]) if classes.sizes.size else None)
    fields = {
        "rows": counted(counts.rows, "row", of=counts.rows),
        "people": counted(repeating[column], "person", "people", of=repeating[column]),
        "column": candidates[column],
    }
    k_rows, k_people = smallest
    if k_people == k_rows or k_people is None or k_rows is None:
        return phrase(
            "{rows} of {people} (column {column!r}): rows were counted, not people; name the "
            "column to count them (person)",
            **fields,
        )
    return phrase(
        "{rows} of {people} (column {column!r}): k would be {k_people:,}, not {k_rows:,}, if "
        "people were counted; name the column to count them (person)",
        k_people=k_people,
        k_rows=k_rows,
        **fields,
    )


def table_notes(inputs: Inputs) -> tuple[Phrase, ...]:
    """What a result says about odd values, and about the person column if one is named."""
    roles, table = inputs.roles, inputs.table
    columns = [
        name
        for name in (*roles.quasi_identifiers, *roles.sensitive)
        if table.counts.is_countable(name)
    ]
    # Of sensitive attributes, models say by themselves which spellings they take for one value.
    odd = odd_values_note(table, columns, roles.quasi_identifiers)
    return (*(() if odd is None else (odd,)), *people_notes(inputs))


def people_notes(inputs: Inputs) -> Iterator[Phrase]:
    """What a result says about the person column, if one is named."""
    if inputs.person is None:
        return
    counts, people = inputs.table.counts, inputs.individuals
    fields = {
        "people": counted(people, "person", "people", of=people),
        "rows": counted(counts.rows, "row", of=counts.rows),
        "column": inputs.person,
    }
    if inputs.person_is_pseudonym:
        yield phrase(
            "{people} in {rows} are told apart by column {column!r}, which was declared a "
            "pseudonym: whoever can trace it back to people must not get the table",
            **fields,
        )
    else:
        yield phrase(
            "{people} in {rows} are told apart by column {column!r}, which is there for counting: "
            "it must not be released",
            **fields,
        )
    again = inputs.counted.rows - people if inputs.roles.quasi_identifiers else 0
    if again:
        yield phrase(
            "some people are in several classes, and count in each of them: {number} in all",
            number=tally(inputs.counted.rows),
        )
    if counts.is_text(counts.position(inputs.person)):
        alike = people - counts.different_but_for_case(inputs.person)
        if alike:
            yield phrase(
                "column {column!r} has {spellings} more than if case were ignored; if case has no "
                "meaning there, classes have fewer people than counted",
                column=inputs.person,
                spellings=counted(alike, "spelling"),
            )
    nameless = counts.nameless_rows(inputs.person)
    if nameless:
        yield phrase(
            "column {column!r} names no person in {rows}: those of a class count as one person",
            column=inputs.person,
            rows=counted(nameless, "row", of=counts.rows),
        )
    if inputs.population is not None and inputs.population_person is None:
        yield phrase(
            "the population has no column {column!r}, so every row of it counts as a person",
            column=inputs.person,
        )
