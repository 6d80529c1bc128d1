"""The text of a pipeline file to start from: whatever stands there uncommented can run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from petaudit.errors import counted, listing
from petaudit.guessing.roles import Guess
from petaudit.guessing.yaml_text import comment, commented, entry, remark, scalar, width
from petaudit.roles import Role

_LONGEST_NAME: Final = 40
_REASONS_FROM: Final = 34
_ROLE_HELP: Final = {
    Role.IDENTIFIER: "Names a person directly: should be left out of what is released.",
    Role.QUASI_IDENTIFIER: "Others may know these; together they may identify a person.",
    Role.SENSITIVE: "Must not become known about a person.",
    Role.INSENSITIVE: "Takes no part.",
}


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
    file: str | None = None
    """Where the text will stand; None if it is printed."""

    @property
    def to_fill_in(self) -> tuple[str, ...]:
        """What is missing before anything at all can be measured."""
        if self.synthetic is not None:
            return tuple(
                f"column {remark(name)} holds what cannot be compared: leave it out of both tables"
                for name in self.uncountable
            )
        if self.quasi_identifiers:
            return ()
        return ("no quasi-identifier is known: name the columns that others may know",)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What must not be overlooked, in sentences."""
        found = [f"{doubt}." for doubt in self.doubts]
        if self.identifiers:
            found.append(f"{self._identifiers()}. {self._advice()}.")
        return tuple(found)

    def _identifiers(self) -> str:
        number = len(self.identifiers)
        # A side-car knows.
        verb = ("looks like", "look like") if self.guesses else ("is", "are")
        said = f"{verb[0]} an identifier" if number == 1 else f"{verb[1]} identifiers"
        names = listing([remark(name.strip()) or "(no name)" for name in self.identifiers])
        return f"{counted(number, 'column')} {said}" + (f": {names}" if self.quotes_names else "")

    def _advice(self) -> str:
        them = "it" if len(self.identifiers) == 1 else "them"
        if self.synthetic is None:
            return (
                f"Leave {them} out of the table before it is released; the measures do not look "
                f"at {them}"
            )
        return (
            "Identifiers should not be in a synthetic table at all: real ones name people, and "
            f"invented ones only blur what is measured. Leave {them} out of both tables"
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


def starter_text(own: Starter, *, with_reasons: bool = True) -> str:
    """Write the file.

    >>> print(starter_text(Starter("people.csv", 9, 2, file="audit.yaml")).splitlines()[0])
    # yaml-language-server: $schema=./petaudit.schema.json
    """
    parts = [_header(own), _loader(own, with_reasons)]
    parts += [_synthesizer(own)] if own.synthetic is not None else []
    if own.to_fill_in:
        parts.append(_not_yet(own))
    else:
        parts += [_evaluator(own), _REPORTER]
    return "\n".join("\n".join(part) + "\n" for part in parts)


def _header(own: Starter) -> list[str]:
    rows, columns = counted(own.rows, "row"), counted(own.columns, "column")
    lines = []
    if own.file is not None:
        lines = ["# yaml-language-server: $schema=./petaudit.schema.json", "#"]
    lines += comment(f"An audit of {remark(own.table)} ({rows}, {columns}).")
    if own.synthetic is not None:
        lines += comment(
            "mpuccs looks at all columns, whatever their role, so none is named here. Identifiers, "
            "such as names and numbers of people, should not be in a synthetic table at all."
        )
    elif own.guesses:
        lines += comment(
            "The roles are guessed from the names of the columns and from counts. Check each "
            "of them, and move a column to another list where the guess is wrong."
        )
    for caution in own.cautions:
        lines += ["#", *comment(f"CAUTION: {caution}")]
    file = remark(own.file or "audit.yaml")
    return [*lines, "#", f"#   petaudit validate {file}", f"#   petaudit run {file}"]


def _loader(own: Starter, with_reasons: bool) -> list[str]:
    what = "the original table" if own.synthetic is not None else "the table to be released"
    lines = ["Loader:", f"  {scalar(experiment_name(own.table))}:"]
    lines += entry(f"    filepath: {scalar(own.table)}", what, _REASONS_FROM)
    lines += _reading(own)
    if own.synthetic is not None:
        return lines
    lines += _original(own)
    if own.side_car is not None:
        said = "Roles" if not own.guesses else "Hierarchies"
        both = " and hierarchies" if not own.guesses and own.has_hierarchies else ""
        lines += comment(f"{said}{both} come from {remark(own.side_car)}, the side-car.", "    ")
    if not own.has_hierarchies:
        lines += entry("    # hierarchies: hierarchies", "a folder, or a YAML file", _REASONS_FROM)
    named = [guess for guess in own.guesses if can_be_named(guess.column)]
    if len(named) < len(own.guesses):
        # Programs that number their rows write such a column.
        said = "A column without a proper name can have no role: rename it, or leave it out."
        lines += comment(said, "    ")
    if named:
        lines += ["    roles:", *_roles(named, with_reasons)]
    return lines


def _original(own: Starter) -> list[str]:
    if own.original is None:
        why = "the table before it was generalised"
        return entry("    # original: original.csv", why, _REASONS_FROM)
    line = f"original: {scalar(own.original)}"
    if own.original_problem is not None:
        why = f"The original is left out: {own.original_problem}."
        return [*comment(why, "    "), f"    # {line}"]
    return [f"    {line}"]


def _reading(own: Starter) -> list[str]:
    lines = []
    if own.delimiter is not None:
        mark = "tab" if own.delimiter == "\t" else own.delimiter
        lines.append(f"    delimiter: {scalar(mark)}")
    if own.encoding is not None:
        lines.append(f"    encoding: {scalar(own.encoding)}")
    return lines


def _roles(guesses: Sequence[Guess], with_reasons: bool) -> list[str]:
    lines = []
    for role in Role:
        members = [guess for guess in guesses if guess.role is role]
        if not members:
            continue
        lines.append(f"      # {_ROLE_HELP[role]}")
        lines.append(f"      {role.value}:")
        items = {guess: f"        - {scalar(guess.column)}" for guess in members}
        start = min(max(map(width, items.values())) + 2, _REASONS_FROM)
        for guess, item in items.items():
            lines += entry(item, guess.why, start) if with_reasons else [item]
    return lines


def _synthesizer(own: Starter) -> list[str]:
    return [
        *comment(
            "People whom the synthesizer never saw show how much is coincidence. With a table of "
            "such people, put this in the place of the Loader:"
        ),
        *commented(
            [
                "Splitter:",
                f"  {scalar(experiment_name(own.table))}:",
                "    method: custom_data",
                "    filepath:",
                f"      ori: {scalar(own.table)}",
                "      control: never_seen.csv",
                *_reading(own),
            ]
        ),
        "",
        "Synthesizer:",
        "  given:",
        "    method: custom_data",
        f"    filepath: {scalar(own.synthetic or '')}",
        *_reading(own),
    ]


def _not_yet(own: Starter) -> list[str]:
    """All that can be written while nothing can run."""
    first = _SINGLED_OUT if own.synthetic is not None else _CLASSES
    return [
        "# Nothing can be measured yet:",
        *(line for sentence in own.to_fill_in for line in comment(f"- {sentence}")),
        "# Then remove the marks of the following lines.",
        *commented(["Evaluator:", *first]),
        *commented(_REPORTER),
    ]


def _evaluator(own: Starter) -> list[str]:
    lines = ["Evaluator:"]
    if own.synthetic is not None:
        lines += comment("Which rows single out exactly one real person.", "  ")
        return [*lines, *_SINGLED_OUT]
    lines += comment("How many people share the quasi-identifiers, at the least.", "  ")
    lines += [*_CLASSES, ""]
    lines += comment("How much a person's class tells about what is sensitive; 0 is best.", "  ")
    if own.sensitive:
        lines += _CLOSENESS
    else:
        lines += comment("It needs a sensitive attribute: name it above.", "  ")
        lines += commented(_CLOSENESS, "  ")
    lines += [
        "",
        *comment("How precise the table still is, and what it still tells; 1 is best.", "  "),
    ]
    if own.measures_utility:
        lines += _UTILITY
    else:
        lines += comment("Both need the original and hierarchies: name them above.", "  ")
        lines += commented(_UTILITY, "  ")
    lines += ["", *comment("Whether publishing pays; put in figures that only you can know.", "  ")]
    return [*lines, *commented(_GAME, "  ")]


_CLASSES: Final = ["  classes:", "    method: k-anonymity", "    limit: 5"]
_CLOSENESS: Final = ["  closeness:", "    method: t-closeness", "    limit: 0.2"]
_UTILITY: Final = [
    "  precision:",
    "    method: precision",
    "    limit: 0.5",
    "  entropy:",
    "    method: non-uniform-entropy",
    "    limit: 0.5",
]
_GAME: Final = [
    "  profitability:",
    "    method: profitability",
    "    cost: 4                   # what an attack costs the attacker",
    "    gain: 300                 # what a successful attack brings",
    "    loss: 300                 # what a successful attack costs you",
    "    benefit: 1200             # what publishing a row brings you",
    "    allow_attack: true",
]
_SINGLED_OUT: Final = [
    "  singled_out:",
    "    method: mpuccs",
    "    max_baseline_cols: 3      # combine up to so many columns",
    "    profile: research         # or public, internal, development, high-risk",
]
_REPORTER: Final = ["Reporter:", "  figures:", "    method: save_report", "    granularity: global"]


def can_be_named(column: str) -> bool:
    """Whether a pipeline file can name a column: no blank name, and no null byte.

    >>> can_be_named("zip"), can_be_named("")
    (True, False)
    """
    return bool(column.strip()) and "\0" not in column


def experiment_name(table: str) -> str:
    """A name for runs: the file's own, as far as it may be part of a name of a file.

    >>> [experiment_name(name) for name in ("data/people 2024.csv", "benchmark://Adult", "*")]
    ['people_2024', 'Adult', 'table']
    """
    stem = re.split(r"[/\\]", table.rstrip("/\\"))[-1]
    stem = stem.lstrip(".").partition(".")[0]
    name = re.sub(r"[^\w-]+", "_", stem).strip("_-")[:_LONGEST_NAME].rstrip("_-")
    return name if name.isprintable() and name else "table"
