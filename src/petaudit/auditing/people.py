"""Rows and people: what is said where a person may have several rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petaudit.errors import Phrase, counted, phrase, tally
from petaudit.inputs import Inputs


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
    column = max(repeating, key=lambda own: repeating[own])
    smallest = []
    for own in (counts, counts.by_person(names, column)):
        found = own.class_histogram(names)
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
