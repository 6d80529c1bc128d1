"""Every error and warning that petaudit raises on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Self

from petaudit.languages.current import here
from petaudit.languages.numbers import counted, exactly, numbered, share, steps, tally
from petaudit.languages.phrases import Phrase, joined, phrase, said, term

__all__ = [
    "ColumnError",
    "EngineError",
    "EngineLostError",
    "HierarchyError",
    "InputError",
    "ManyProblemsError",
    "NotMeasurableError",
    "OptionError",
    "PetauditError",
    "PetauditWarning",
    "Phrase",
    "RoleError",
    "UndecidedError",
    "counted",
    "exactly",
    "joined",
    "listing",
    "naming",
    "numbered",
    "phrase",
    "quoted",
    "said",
    "share",
    "shortened",
    "steps",
    "suggestion",
    "tally",
    "term",
]

MOST_QUOTED = 3
LONGEST_NAME = 60


class PetauditError(Exception):
    """Something is wrong with what petaudit was given; the message says what and where.

    Values of the data stand apart from the message, so that a report can leave them out.

    >>> problem = PetauditError("column 'age' has 1 unknown label", values=["1O"])
    >>> str(problem)
    "column 'age' has 1 unknown label: '1O'"
    >>> problem.without_values
    "column 'age' has 1 unknown label"
    """

    def __init__(
        self, message: str, *, values: Sequence[str | None] = (), after_values: str = ""
    ) -> None:
        self.without_values = message
        self._values = values
        self._after_values = after_values
        self.text = message
        """The whole message as a phrase where it was given as one; put this into other messages."""
        if values:
            self.text = phrase(
                "{message}: {values}{after}",
                message=message,
                values=quoted(values),
                after=after_values,
            )
        super().__init__(self.text)

    def __str__(self) -> str:
        return here(self.text)

    def found_in(self, origin: object) -> Self:
        """The same error, with the name of the file that it is about."""
        if str(origin) in self.without_values:
            return self
        message = phrase("{origin}: {message}", origin=str(origin), message=self.without_values)
        return type(self)(message, values=self._values, after_values=self._after_values)


class InputError(PetauditError):
    """A table, file or frame cannot be read as it is."""


class EngineError(PetauditError):
    """The engine that holds a table failed while it was counting."""


class EngineLostError(EngineError):
    """The engine that holds a table is gone: nothing more can be counted on it."""


class ColumnError(PetauditError):
    """A column is missing, named twice, or of a kind that cannot be counted."""


class RoleError(PetauditError):
    """The roles of the columns are missing or contradict each other."""


class HierarchyError(PetauditError):
    """A hierarchy is malformed or does not cover the data."""


class OptionError(PetauditError):
    """An option or limit has a value that makes no sense."""


class NotMeasurableError(PetauditError):
    """A measure lacks an input that it needs."""


class UndecidedError(NotMeasurableError):
    """There is a figure, but it does not show whether the limit holds."""

    def __init__(self, message: str, result: object = None) -> None:
        self.result = result
        super().__init__(message)

    def found_in(self, origin: object) -> Self:
        """The same error, with the name of the file that it is about."""
        message = phrase("{origin}: {message}", origin=str(origin), message=self.without_values)
        return type(self)(message, self.result)


class ManyProblemsError(PetauditError):
    """Several things are wrong; each has a message of its own.

    >>> ManyProblemsError(["a.yaml, line 1: x", "a.yaml, line 2: y"]).messages[1]
    'a.yaml, line 2: y'
    """

    def __init__(self, messages: Sequence[str]) -> None:
        self.messages = tuple(messages)
        super().__init__(joined(self.messages, "\n"))

    def found_in(self, origin: object) -> Self:
        """The messages name their files."""
        return self


@contextmanager
def naming(origin: object) -> Iterator[None]:
    """Make every error that is raised inside name the file that it is about."""
    try:
        yield
    except PetauditError as problem:
        raise problem.found_in(origin) from None


class PetauditWarning(UserWarning):
    """The figure stands, but there is something about it that the reader should know."""

    def __str__(self) -> str:
        return here(self.args[0]) if self.args else ""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known name, or nothing.

    >>> suggestion("zipp", ["zip", "age"])
    " (did you mean 'zip'?)"
    >>> suggestion("qwerty", ["zip", "age"])
    ''
    """
    if len(name) > LONGEST_NAME:
        return ""
    by_folded_name = {candidate.casefold(): candidate for candidate in known}
    nearest = get_close_matches(name.casefold(), by_folded_name, n=1, cutoff=0.6)
    if not nearest:
        return ""
    return phrase(" (did you mean {name!r}?)", name=by_folded_name[nearest[0]])


def listing(names: Sequence[str], most: int = 20) -> str:
    """Join names for a message, cutting a long list short.

    >>> listing(["zip", "age"])
    'zip, age'
    >>> listing(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = joined([shortened(name) for name in names[:most]])
    if len(names) <= most:
        return shown
    return phrase("{shown} and {number} more", shown=shown, number=len(names) - most)


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """Cut a name that would drown a message.

    >>> shortened("zip"), shortened("a very long name", 6)
    ('zip', 'a very…')
    """
    return name if len(name) <= longest else f"{name[:longest]}…"


def quoted(labels: Sequence[str | None]) -> str:
    """Quote at most three labels: a message helps the owner without listing the data.

    >>> quoted(["a", "b", "c", "d"])
    "'a', 'b', 'c' and 1 more"
    """
    shown = [
        repr(shortened(label)) if label is not None else term("null")
        for label in labels[:MOST_QUOTED]
    ]
    more = len(labels) - len(shown)
    if not more:
        return joined(shown)
    return phrase("{shown} and {number} more", shown=joined(shown), number=more)
