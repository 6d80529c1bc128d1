"""``petaudit validate``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from petaudit._version import __version__
from petaudit.cli.streams import complain_of_error, printed_warnings, say, say_json
from petaudit.errors import ManyProblemsError, PetauditError, counted, phrase
from petaudit.i18n.text import printable
from petaudit.pipelines.executor import Executor
from petaudit.reports.terminal import finished, indented

DOCUMENT = "petaudit.validate/1"
NOT_VALID = 2
_MOST_RUNS = 50


def validate(chosen: argparse.Namespace) -> int:
    """Say everything that is wrong with pipeline files, or which runs they stand for."""
    with printed_warnings():
        files = [_entry(name, chosen) for name in chosen.pipeline]
    is_valid = all(entry["valid"] for entry in files)
    if chosen.format == "json":
        head = {"document": DOCUMENT, "petaudit": __version__, "valid": is_valid}
        say_json(head | {"files": files})
    else:
        for entry in files:
            _show(entry)
    return 0 if is_valid else NOT_VALID


def _entry(name: str, chosen: argparse.Namespace) -> dict[str, Any]:
    problems: list[str] = []
    runs: list[str] = []
    try:
        executor = Executor(Path(name), overrides=chosen.set, only=chosen.only or ())
        executor.validate()
        runs = [run.name for run in executor.runs]
    except ManyProblemsError as problem:
        problems = [*problem.messages]
    except PetauditError as problem:
        problems = [problem.text]
    return {"name": name, "valid": not problems, "problems": problems, "runs": runs}


def _show(entry: dict[str, Any]) -> None:
    for message in entry["problems"]:
        complain_of_error(message)
    if entry["problems"]:
        return
    runs = entry["runs"]
    number = counted(len(runs), "run")
    lines = finished([phrase("{name} is valid: {runs}", name=entry["name"], runs=number)])
    lines += [f"  {name}" for name in runs[:_MOST_RUNS]]
    if len(runs) > _MOST_RUNS:
        lines.append(indented(phrase("and {number:,} more", number=len(runs) - _MOST_RUNS)))
    say("\n".join(map(printable, lines)) + "\n")
