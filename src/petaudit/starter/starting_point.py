"""What a pipeline file to start from says, and what its reader must not overlook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from petaudit.errors import Phrase, counted, listing, phrase
from petaudit.starter.identifying import Identifying
from petaudit.starter.roles import Guess
from petaudit.starter.yaml_text import remark


@dataclass(frozen=True)
class Starter:
    """Everything that the file says; paths are written as they stand here."""

    table: str
    rows: int
    columns: int
    guesses: Sequence[Guess] = ()
    """Empty where a side-car gives the roles."""
    quasi_identifiers: int = 0
    sensitive: int = 0
    synthetic: str | None = None
    original: str | None = None
    original_problem: str | None = None
    """Why the original cannot be compared row by row, if so."""
    side_car: str | None = None
    has_hierarchies: bool = False
    identifiers: Sequence[str] = ()
    """Columns that seem to name people and still hold something."""
    doubts: Sequence[str] = ()
    """Signs that a file was not read as it was meant."""
    quotes_names: bool = True
    """False where the names of columns may be values."""
    uncountable: Sequence[str] = ()
    delimiter: str | None = None
    encoding: str | None = None
    identifying: Identifying = field(default_factory=Identifying)
    file: str | None = None
    """Where the text will stand; None if it is printed."""

    @property
    def to_fill_in(self) -> tuple[str, ...]:
        """What is missing before anything at all can be measured."""
        if self.synthetic is not None:
            return tuple(
                phrase(
                    "column {column} holds what cannot be compared: leave it out of both tables",
                    column=remark(name),
                )
                for name in self.uncountable
            )
        if self.quasi_identifiers:
            return ()
        return (phrase("no quasi-identifier is known: name the columns that others may know"),)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What must not be overlooked, in sentences."""
        found = [phrase("{doubt}.", doubt=doubt) for doubt in self.doubts]
        if self.identifiers:
            said, advice = self._identifiers(), self._advice()
            found.append(phrase("{said}. {advice}.", said=said, advice=advice))
        return tuple(found)

    def _identifiers(self) -> Phrase:
        columns = counted(len(self.identifiers), "column")
        is_one = len(self.identifiers) == 1
        if not self.guesses:
            # A side-car knows.
            said = phrase("{columns} are identifiers", columns=columns)
            if is_one:
                said = phrase("{columns} is an identifier", columns=columns)
        else:
            said = phrase("{columns} look like identifiers", columns=columns)
            if is_one:
                said = phrase("{columns} looks like an identifier", columns=columns)
        if not self.quotes_names:
            return said
        no_name = phrase("(no name)")
        names = listing([remark(name.strip()) or no_name for name in self.identifiers])
        return phrase("{said}: {names}", said=said, names=names)

    def _advice(self) -> Phrase:
        is_one = len(self.identifiers) == 1
        if self.synthetic is None and is_one:
            return phrase(
                "Leave it out of the table before it is released; the measures do not look at it"
            )
        if self.synthetic is None:
            return phrase(
                "Leave them out of the table before it is released; the measures do not look at "
                "them"
            )
        if is_one:
            return phrase(
                "Identifiers should not be in a synthetic table at all: real ones name people, "
                "and invented ones only blur what is measured. Leave it out of both tables"
            )
        return phrase(
            "Identifiers should not be in a synthetic table at all: real ones name people, and "
            "invented ones only blur what is measured. Leave them out of both tables"
        )

    @property
    def measures_utility(self) -> bool:
        """Whether Precision and Non-Uniform Entropy can run."""
        return (
            self.synthetic is None
            and self.has_hierarchies
            and self.original is not None
            and self.original_problem is None
            and self.quasi_identifiers > 0
        )
