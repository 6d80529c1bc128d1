"""A pipeline file that was read, and where in it something stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from petaudit.auditing.policy import Policy
from petaudit.errors import ManyProblemsError, phrase
from petaudit.measures import Measure
from petaudit.pipelines.models import EXECUTOR, ExecutorSettings
from petaudit.system.yaml_files import Document, KeyPath, Problems, key_text

MOST_PROBLEMS: Final = 50


@dataclass(frozen=True)
class Experiment:
    """A named entry of a module."""

    module: str
    name: str
    model: Any
    measure: Measure | None = None
    """The measure of an Evaluator."""


@dataclass(frozen=True)
class Pipeline:
    """A pipeline file, read and checked as far as that goes without its tables."""

    origin: str
    executor: ExecutorSettings
    experiments: Mapping[str, tuple[Experiment, ...]]
    """By module, in the order in which the modules run."""
    document: Document
    policies: tuple[Policy, ...] = ()
    """The rules that set limits, with what was tighter by hand."""
    demanded: Mapping[str, str] = field(default_factory=dict)
    """Measures that some Evaluator must have, each with the policy that demands it."""

    def of(self, module: str) -> tuple[Experiment, ...]:
        """The experiments of a module."""
        return self.experiments.get(module, ())

    def line_of(self, *path: str) -> int | None:
        """The line on which something stands."""
        return self.document.line_of(path)


def place(origin: str, document: Document, at: KeyPath) -> str:
    """File, line and setting."""
    line = document.line_of(at)
    where = origin
    if line is not None:
        where = phrase("{origin}, line {line}", origin=origin, line=line)
    # The last key is named by the message itself, except for an experiment.
    least = 1 if EXECUTOR in at[:1] else 2
    keys = at[: max(len(at) - 1, least)] if len(at) > 1 else ()
    # A number is the place of an item, except in the name of an experiment.
    names = [key_text(key) for key in keys if not isinstance(key, int) or key in at[:2]]
    if not names:
        return where
    return phrase("{where}: {setting}", where=where, setting=".".join(names))


def raise_problems(origin: str, document: Document, problems: Problems) -> None:
    """Raise one error for all problems, in the order of the file; none for none."""
    if not problems:
        return
    found = sorted(problems, key=lambda own: document.line_of(own[0]) or 0)
    said: list[str] = list(
        dict.fromkeys(
            phrase("{where}: {message}", where=place(origin, document, at), message=what)
            for at, what in found
        )
    )
    if len(said) > MOST_PROBLEMS:
        more = phrase(
            "{origin}: and {number} more problems", origin=origin, number=len(said) - MOST_PROBLEMS
        )
        said = [*said[:MOST_PROBLEMS], more]
    raise ManyProblemsError(said)
