"""Every error and warning that petaudit raises on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

MOST_QUOTED = 3


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
        shown = f": {quoted(values)}{after_values}" if values else ""
        super().__init__(message + shown)


class InputError(PetauditError):
    """A table, file or frame cannot be read as it is."""


class EngineError(PetauditError):
    """The engine that holds a table failed while it was counting."""


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


class PetauditWarning(UserWarning):
    """The figure stands, but there is something about it that the reader should know."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known name, or nothing.

    >>> suggestion("zipp", ["zip", "age"])
    " (did you mean 'zip'?)"
    >>> suggestion("qwerty", ["zip", "age"])
    ''
    """
    by_folded_name = {candidate.casefold(): candidate for candidate in known}
    nearest = get_close_matches(name.casefold(), by_folded_name, n=1, cutoff=0.6)
    return f" (did you mean {by_folded_name[nearest[0]]!r}?)" if nearest else ""


def listing(names: Sequence[str], most: int = 20) -> str:
    """Join names for a message, cutting a long list short.

    >>> listing(["zip", "age"])
    'zip, age'
    >>> listing(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def quoted(labels: Sequence[str | None]) -> str:
    """Quote at most three labels: a message helps the owner without listing the data.

    >>> quoted(["a", "b", "c", "d"])
    "'a', 'b', 'c' and 1 more"
    """
    shown = [repr(label) if label is not None else "null" for label in labels[:MOST_QUOTED]]
    more = len(labels) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
