"""What is being done and how far it is, for whoever watches: one way for every command.

Work says its stages with :func:`stage`; a command that somebody watches shows them. No value of
the data is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final, TypeAlias


@dataclass(frozen=True)
class Stage:
    """Something that takes a while."""

    what: str
    done: int | None = None
    """How many of ``total`` parts are done, or which of them it is; of a query, its rows."""
    total: int | None = None
    engine: str = ""
    """What a query asks; everything else is no query."""


Watcher: TypeAlias = Callable[[tuple[Stage, ...]], object]
_watcher: Final[ContextVar[Watcher | None]] = ContextVar("watcher", default=None)
_stages: Final[ContextVar[tuple[Stage, ...]]] = ContextVar("stages", default=())


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Have somebody told of every stage inside, with the stages around it first."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


@contextmanager
def stage(
    what: str, done: int | None = None, total: int | None = None, *, engine: str = ""
) -> Iterator[None]:
    """Say what is done inside.

    >>> seen = []
    >>> with watched(seen.append), stage("reading"), stage("k-anonymity", 1, 3):
    ...     advance("k-anonymity", 2, 3)
    >>> [[(each.what, each.done) for each in stages] for stages in seen[1:3]]
    [[('reading', None), ('k-anonymity', 1)], [('reading', None), ('k-anonymity', 2)]]
    """
    around = _stages.get()
    _tell((*around, Stage(what, done, total, engine)))
    try:
        yield
    finally:
        _tell(around)


def advance(what: str, done: int | None = None, total: int | None = None) -> None:
    """Say how far the stage is that is on."""
    *around, last = _stages.get() or (Stage(what),)
    _tell((*around, replace(last, what=what, done=done, total=total)))


def is_watched() -> bool:
    """Whether anybody is told."""
    return _watcher.get() is not None


def _tell(stages: tuple[Stage, ...]) -> None:
    watcher = _watcher.get()
    if watcher is not None:
        _stages.set(stages)
        watcher(stages)
