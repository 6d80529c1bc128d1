"""``petaudit validate``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from petaudit._version import __version__
from petaudit.cli.streams import (
    as_json,
    complain_of_error,
    printable,
    say,
    takes_unicode,
    warnings_said,
)
from petaudit.errors import ManyProblemsError, PetauditError, counted, phrase
from petaudit.pipelines.executor import Executor
from petaudit.reports.terminal import finished, indented

DOCUMENT = "petaudit.validate/1"
NOT_VALID = 2
_MOST_RUNS = 50


@dataclass(frozen=True)
class _Found:
    """What is wrong with a file, or the runs that it stands for."""

    name: str
    problems: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


def run(chosen: argparse.Namespace) -> int:
    """Say everything that is wrong with pipeline files, or which runs they stand for."""
    with warnings_said():
        found = [_validated(name, chosen) for name in chosen.pipeline]
    if chosen.format == "json":
        say(as_json(_document(found), ascii_only=not takes_unicode()) + "\n")
    else:
        for own in found:
            _show(own)
    return NOT_VALID if any(own.problems for own in found) else 0


def _validated(name: str, chosen: argparse.Namespace) -> _Found:
    try:
        executor = Executor(Path(name), overrides=chosen.set, only=chosen.only or ())
        executor.validate()
    except ManyProblemsError as problem:
        return _Found(name, problem.messages)
    except PetauditError as problem:
        return _Found(name, (problem.text,))
    return _Found(name, (), tuple(own.name for own in executor.runs))


def _show(found: _Found) -> None:
    for message in found.problems:
        complain_of_error(message)
    if found.problems:
        return
    runs = counted(len(found.runs), "run")
    valid = phrase("{name} is valid: {runs}", name=found.name, runs=runs)
    lines = finished([valid])
    lines += [f"  {name}" for name in found.runs[:_MOST_RUNS]]
    if len(found.runs) > _MOST_RUNS:
        more = phrase("and {number:,} more", number=len(found.runs) - _MOST_RUNS)
        lines.append(indented(more))
    say("\n".join(map(printable, lines)) + "\n")


def _document(found: list[_Found]) -> dict[str, object]:
    return {
        "document": DOCUMENT,
        "petaudit": __version__,
        "valid": not any(own.problems for own in found),
        "files": [
            {
                "name": own.name,
                "valid": not own.problems,
                "problems": list(own.problems),
                "runs": list(own.runs),
            }
            for own in found
        ],
    }
