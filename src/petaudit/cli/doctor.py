"""``petaudit doctor``: what is installed, what is missing, and what petaudit would use."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Final

from petaudit._version import __version__
from petaudit.cli.streams import complain_of_error, say_json, say_lines
from petaudit.errors import EngineError, Phrase, joined, phrase, term
from petaudit.i18n.catalogue import language
from petaudit.i18n.text import terminal_width
from petaudit.reports.terminal import format_table, section, title_line
from petaudit.system.files import cache_folder, state_folder
from petaudit.system.memory import available_memory, memory_limit, memory_text, set_memory
from petaudit.system.threads import available_threads

DOCUMENT: Final = "petaudit.doctor/1"
BROKEN: Final = 2
_GIVES: Final = {
    "learn": term("the measure model-utility, which trains models"),
    "pandas": term("pandas frames as results"),
    "polars": term("Polars frames as results"),
    "postgres": term("tables in PostgreSQL, counted where they are"),
    "stat": term("files of SAS, SPSS and Stata"),
    "studio": term("petaudit studio: the work in a browser"),
    "spark": term("tables on Spark, counted where they are; it needs Java 17, too"),
}
_OF_DEVELOPERS: Final = ("test", "dev")
_MODULES: Final = {"pyyaml": "yaml"}
"""Where a package has another name than its module."""
_REQUIREMENT: Final = re.compile(
    r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?[^;]*(?:;.*extra == ['\"]([\w-]+)['\"])?"
)


@dataclass(frozen=True)
class Extra:
    """Packages that petaudit can use and does not need."""

    name: str
    packages: dict[str, str | None]

    @property
    def missing(self) -> list[str]:
        """Packages of it that are not installed."""
        return [name for name, number in self.packages.items() if number is None]

    @property
    def gives(self) -> str:
        """What it is good for."""
        return _GIVES.get(self.name, joined([*self.packages]))

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f"pip install 'petaudit[{self.name}]'"


def doctor(chosen: argparse.Namespace) -> int:
    """Say what is here; the exit code is about what petaudit cannot do without."""
    set_memory(chosen.memory)
    needed, extras = _packages()
    problems = [problem for name in needed if (problem := _import_problem(name)) is not None]
    folders = {
        "temporary": _folder(tempfile.gettempdir),
        "cache": _folder(cache_folder),
        "state": _folder(state_folder),
    }
    if not _is_writable(folders["temporary"]):
        problems.append(
            phrase(
                "there is no folder for temporary files that can be written to; set the "
                "environment variable TMPDIR to one"
            )
        )
    workers: list[dict[str, Any]] = []
    if chosen.spark_master is not None:
        # Large, and only here: what is missing without Spark is an answer, too.
        from petaudit.tables.engines.spark_workers import look_at_workers  # noqa: PLC0415

        try:
            workers = look_at_workers(chosen.spark_master)
        except EngineError as problem:
            problems.append(problem.text)
        problems += [each for worker in workers for each in _problems_of(worker)]
    facts = {
        "document": DOCUMENT,
        "petaudit": __version__,
        "healthy": not problems,
        "problems": [str(problem) for problem in problems],
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "packages": needed,
        "extras": {
            extra.name: {
                "installed": not extra.missing,
                "packages": extra.packages,
                "gives": str(extra.gives),
                "install": extra.install,
            }
            for extra in extras
        },
        "java": shutil.which("java"),
        "memory": {"limit": memory_limit(), "available": available_memory()},
        "threads": available_threads(),
        "folders": {
            name: {"path": None if path is None else str(path), "writable": _is_writable(path)}
            for name, path in folders.items()
        },
        "terminal": {
            "encoding": getattr(sys.stdout, "encoding", None),
            "columns": terminal_width(),
            "is_terminal": sys.stdout is not None and sys.stdout.isatty(),
        },
        "language": language(),
    }
    if chosen.spark_master is not None:
        facts["spark"] = {"master": chosen.spark_master, "workers": workers}
    if chosen.format == "json":
        say_json(facts)
    else:
        say_lines(_lines(facts, extras, problems))
        for each in problems:
            complain_of_error(each)
    return BROKEN if problems else 0


def _lines(facts: dict[str, Any], extras: list[Extra], problems: list[Phrase]) -> list[str]:
    about = [f"Python {facts['python']}", facts["platform"]]
    health = term("everything that petaudit needs is here")
    if problems:
        health = phrase(
            "{number} of the things that petaudit needs are broken", number=len(problems)
        )
    packages = [f"{name} {number or '-'}" for name, number in facts["packages"].items()]
    lines: list[str] = [title_line(health), *section(term("This machine"), _machine(facts, about))]
    lines += section(term("Packages"), [joined(packages)])
    workers = facts.get("spark", {}).get("workers", [])
    if workers:
        lines += section(term("Workers of Spark"), [_worker_line(worker) for worker in workers])
    rows = [
        [
            extra.name,
            term("missing") if extra.missing else joined([*filter(None, extra.packages.values())]),
            extra.gives,
        ]
        for extra in extras
    ]
    lines += [*format_table([term("extra"), term("installed"), term("what it gives")], rows), ""]
    commands = [extra.install for extra in extras if extra.missing]
    if commands:
        lines += [
            term(
                "To install an extra (in the folder of the source with a dot instead of petaudit):"
            ),
            # To be typed as they are.
            *(f"  {command}" for command in commands),
        ]
    return lines


def _machine(facts: dict[str, Any], about: list[str]) -> list[Phrase]:
    memory, terminal = facts["memory"], facts["terminal"]
    folders = [
        phrase("{path} ({state})", path=folder["path"] or "-", state=_state(folder["writable"]))
        for folder in facts["folders"].values()
    ]
    return [
        joined(about),
        phrase(
            "memory: at most {limit} of {available} (--memory), threads: {threads}",
            limit=memory_text(memory["limit"]),
            available=memory_text(memory["available"]),
            threads=facts["threads"],
        ),
        phrase("temporary files: {folder}", folder=folders[0]),
        phrase("downloaded tables: {folder}", folder=folders[1]),
        phrase("what --resume needs: {folder}", folder=folders[2]),
        phrase(
            "output: {encoding}, {columns} columns; language: {language}",
            encoding=terminal["encoding"] or "-",
            columns=terminal["columns"],
            language=facts["language"],
        ),
    ]


def _worker_line(worker: dict[str, Any]) -> str:
    packages = (f"{name} {number or '-'}" for name, number in worker["packages"].items())
    return joined([worker["host"], worker["executable"], f"Python {worker['python']}", *packages])


def _problems_of(worker: dict[str, Any]) -> Iterator[Phrase]:
    """What keeps a Python of Spark's workers from counting as this one does."""
    for name, number in worker["packages"].items():
        installed = __version__ if name == "petaudit" else _version(name)
        if number is None:
            yield phrase(
                "the worker {host} has no {package} in {executable}; install petaudit there, or "
                "send it with spark.archives",
                host=worker["host"],
                package=name,
                executable=worker["executable"],
            )
        elif name == "petaudit" and number != installed:
            yield phrase(
                "the worker {host} has petaudit {found} in {executable}, but this is "
                "petaudit {own}",
                host=worker["host"],
                found=number,
                executable=worker["executable"],
                own=installed,
            )


def _state(is_writable: bool) -> Phrase:
    return term("writable") if is_writable else term("not writable")


def _packages() -> tuple[dict[str, str | None], list[Extra]]:
    """What petaudit needs and the extras, each package with its version."""
    needed: dict[str, str | None] = {}
    extras: dict[str, Extra] = {}
    for requirement in _requirements():
        match = _REQUIREMENT.match(requirement)
        if match is None or match[2] in _OF_DEVELOPERS:
            continue
        name, extra = match[1].lower(), match[2]
        packages = needed if extra is None else extras.setdefault(extra, Extra(extra, {})).packages
        packages[name] = _version(name)
    return needed, [extras[name] for name in sorted(extras)]


def _requirements() -> list[str]:
    try:
        return requires("petaudit") or []
    except PackageNotFoundError:
        # The source without an installation.
        return []


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _import_problem(package: str) -> Phrase | None:
    try:
        importlib.import_module(_MODULES.get(package, package.replace("-", "_")))
    except Exception as problem:
        # Any problem: a library that was built for another machine fails in its own way.
        return phrase(
            "{package} cannot be imported ({kind}); install petaudit again",
            package=package,
            kind=type(problem).__name__,
        )
    return None


def _folder(find: Callable[[], str | Path]) -> Path | None:
    try:
        return Path(find())
    except (OSError, RuntimeError):
        # No folder can be written to, or the user has no home.
        return None


def _is_writable(folder: Path | None) -> bool:
    """Whether files can be made in a folder, or in the one where it would be made."""
    if folder is None:
        return False
    there = next((each for each in (folder, *folder.parents) if each.is_dir()), None)
    return there is not None and os.access(there, os.W_OK)
