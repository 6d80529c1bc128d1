"""The text of a pipeline file to start from: whatever stands there uncommented can run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from petaudit.errors import Phrase, counted, phrase
from petaudit.i18n.phrases import translate
from petaudit.roles import Role
from petaudit.starter.roles import Guess
from petaudit.starter.starting_point import Starter
from petaudit.starter.yaml_text import comment, commented, entry, remark, scalar, width
from petaudit.tables import shown_table

__all__ = ["Starter", "can_be_named", "experiment_name", "starter_text"]

_LONGEST_NAME: Final = 40
_REASONS_FROM: Final = 34
_ROLE_HELP: Final = {
    Role.IDENTIFIER: phrase("Names a person directly: should be left out of what is released."),
    Role.QUASI_IDENTIFIER: phrase("Others may know these; together they may identify a person."),
    Role.SENSITIVE: phrase("Must not become known about a person."),
    Role.INSENSITIVE: phrase("Takes no part."),
}


def starter_text(own: Starter, *, with_reasons: bool = True) -> str:
    """Write the file, with comments in the chosen language.

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
    lines += comment(
        phrase(
            "An audit of {table} ({rows}, {columns}).",
            table=remark(shown_table(own.table)),
            rows=rows,
            columns=columns,
        )
    )
    if own.synthetic is not None:
        lines += comment(
            phrase(
                "mpuccs looks at all columns, whatever their role, so none is named here. "
                "Identifiers, such as names and numbers of people, should not be in a synthetic "
                "table at all."
            )
        )
    elif own.guesses:
        lines += comment(
            phrase(
                "The roles are guessed from the names of the columns and from counts. Check each "
                "of them, and move a column to another list where the guess is wrong."
            )
        )
    if own.identifying.text is not None:
        lines += ["#", *comment(own.identifying.text)]
    for caution in own.cautions:
        lines += ["#", *comment(phrase("CAUTION: {caution}", caution=caution))]
    file = remark(own.file or "audit.yaml")
    return [*lines, "#", f"#   petaudit validate {file}", f"#   petaudit run {file}"]


def _loader(own: Starter, with_reasons: bool) -> list[str]:
    what = phrase("the table to be released")
    if own.synthetic is not None:
        what = phrase("the original table")
    lines = ["Loader:", f"  {scalar(experiment_name(shown_table(own.table)))}:"]
    lines += entry(f"    filepath: {scalar(own.table)}", what, _REASONS_FROM)
    lines += _reading(own)
    if own.synthetic is not None:
        return lines
    lines += _original(own)
    if own.side_car is not None:
        lines += comment(_from_side_car(own, remark(own.side_car)), "    ")
    if not own.has_hierarchies:
        what = phrase("a folder, or a YAML file")
        lines += entry("    # hierarchies: hierarchies", what, _REASONS_FROM)
    named = [guess for guess in own.guesses if can_be_named(guess.column)]
    if len(named) < len(own.guesses):
        # Programs that number their rows write such a column.
        said = phrase(
            "A column without a proper name can have no role: rename it, or leave it out."
        )
        lines += comment(said, "    ")
    if named:
        lines += ["    roles:", *_roles(named, with_reasons)]
    return lines


def _from_side_car(own: Starter, file: str) -> Phrase:
    if own.guesses:
        return phrase("Hierarchies come from {file}, the side-car.", file=file)
    if own.has_hierarchies:
        return phrase("Roles and hierarchies come from {file}, the side-car.", file=file)
    return phrase("Roles come from {file}, the side-car.", file=file)


def _original(own: Starter) -> list[str]:
    if own.original is None:
        why = phrase("the table before it was generalised")
        return entry("    # original: original.csv", why, _REASONS_FROM)
    line = f"original: {scalar(own.original)}"
    if own.original_problem is not None:
        why = phrase("The original is left out: {problem}.", problem=own.original_problem)
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
        lines.append(f"      # {translate(_ROLE_HELP[role])}")
        lines.append(f"      {role.value}:")
        items = {guess: f"        - {scalar(guess.column)}" for guess in members}
        start = min(max(map(width, items.values())) + 2, _REASONS_FROM)
        for guess, item in items.items():
            lines += entry(item, guess.why, start) if with_reasons else [item]
    return lines


def _synthesizer(own: Starter) -> list[str]:
    return [
        *comment(
            phrase(
                "People whom the synthesizer never saw show how much is coincidence. With a table "
                "of such people, put this in the place of the Loader:"
            )
        ),
        *commented(
            [
                "Splitter:",
                f"  {scalar(experiment_name(shown_table(own.table)))}:",
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
    first = _singled_out() if own.synthetic is not None else _CLASSES
    return [
        *comment(phrase("Nothing can be measured yet:")),
        *(line for sentence in own.to_fill_in for line in comment(f"- {translate(sentence)}")),
        *comment(phrase("Then remove the marks of the following lines.")),
        *commented(["Evaluator:", *first]),
        *commented(_REPORTER),
    ]


def _evaluator(own: Starter) -> list[str]:
    lines = ["Evaluator:"]
    if own.synthetic is not None:
        lines += comment(phrase("Which rows single out exactly one real person."), "  ")
        return [*lines, *_singled_out()]
    lines += comment(phrase("How many people share the quasi-identifiers, at the least."), "  ")
    lines += [*_CLASSES, ""]
    said = phrase("How much a person's class tells about what is sensitive; 0 is best.")
    lines += comment(said, "  ")
    if own.sensitive:
        lines += _CLOSENESS
    else:
        lines += comment(phrase("It needs a sensitive attribute: name it above."), "  ")
        lines += commented(_CLOSENESS, "  ")
    said = phrase("How precise the table still is, and what it still tells; 1 is best.")
    lines += ["", *comment(said, "  ")]
    if own.measures_utility:
        lines += _UTILITY
    else:
        said = phrase("Both need the original and hierarchies: name them above.")
        lines += comment(said, "  ")
        lines += commented(_UTILITY, "  ")
    said = phrase("Whether publishing pays; put in figures that only you can know.")
    lines += ["", *comment(said, "  ")]
    return [*lines, *commented(_game(), "  ")]


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
_REPORTER: Final = ["Reporter:", "  figures:", "    method: save_report", "    granularity: global"]
_HELP_FROM: Final = 30


def _game() -> list[str]:
    settings = {
        "cost: 4": phrase("what an attack costs the attacker"),
        "gain: 300": phrase("what a successful attack brings"),
        "loss: 300": phrase("what a successful attack costs you"),
        "benefit: 1200": phrase("what publishing a row brings you"),
    }
    return [
        "  profitability:",
        "    method: profitability",
        *(line for own, what in settings.items() for line in _set(own, what)),
        "    allow_attack: true",
    ]


def _singled_out() -> list[str]:
    return [
        "  singled_out:",
        "    method: mpuccs",
        *_set("max_baseline_cols: 3", phrase("combine up to so many columns")),
        *_set("profile: research", phrase("or public, internal, development, high-risk")),
    ]


def _set(setting: str, what: Phrase) -> list[str]:
    return entry(f"    {setting}", what, _HELP_FROM)


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
