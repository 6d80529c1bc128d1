"""Every error and warning that petaudit raises on purpose."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Self, TypeAlias

# Texts of messages are made where errors are raised: one import serves for both.
from petaudit.i18n.numbers import counted as counted
from petaudit.i18n.numbers import exactly as exactly
from petaudit.i18n.numbers import numbered as numbered
from petaudit.i18n.numbers import share as share
from petaudit.i18n.numbers import steps as steps
from petaudit.i18n.numbers import tally as tally
from petaudit.i18n.phrases import Phrase as Phrase
from petaudit.i18n.phrases import cells as hidden_cells
from petaudit.i18n.phrases import joined as joined
from petaudit.i18n.phrases import phrase as phrase
from petaudit.i18n.phrases import render as render
from petaudit.i18n.phrases import revealed as revealed
from petaudit.i18n.phrases import row_numbers, translate
from petaudit.i18n.phrases import term as term
from petaudit.i18n.phrases import without_row_numbers as without_row_numbers
from petaudit.i18n.text import LONGEST_NAME
from petaudit.i18n.text import shortened as shortened

MOST_QUOTED = 3
RowsOf: TypeAlias = Callable[[str, Sequence[str | None], bool], str]
"""Says which rows hold values of a column, and whether these should be leaves of a hierarchy."""
LONGEST_PATH = 300
_names_options: ContextVar[bool] = ContextVar("_names_options", default=False)
_UNSAFE = re.compile(r"[^\w@%+=:,./-]")
_SHORT_OPTIONS = {"options": "option", "overrides": "set", "quasi_identifiers": "qi"}


@dataclass(frozen=True)
class DataValues:
    """Values of the data that an error is about; they are shown only to whoever asks for them."""

    values: Sequence[str | None]
    column: str | None = None
    """Where the values are, so that their rows can be looked up."""
    are_leaves: bool = False
    """Whether they are leaves of a hierarchy, whose rows are those of the original."""
    after: str = ""
    """The text after the values."""


class PetauditError(Exception):
    """Something is wrong with what petaudit was given; the message says what and where.

    The message is a template with its fields, so that it can be translated. Values of the data are
    in no message, log or report; who may see them asks for them.

    >>> problem = PetauditError("column {name!r} has {number} unknown label", name="age", number=1,
    ...                         data=DataValues(["1O"]))
    >>> str(problem)
    "column 'age' has 1 unknown label"
    >>> problem.with_values
    "column 'age' has 1 unknown label: '1O'"
    """

    def __init__(self, template: str, /, *, data: DataValues | None = None, **fields: Any) -> None:
        self._message = template if isinstance(template, Phrase) else phrase(template, **fields)
        self._data = data
        self.choices: Sequence[str] = ()
        """What could be given instead, for who offers it."""
        self.text: Phrase = self._message
        """The whole message, to be put into other messages."""
        if data is not None and data.values:
            shown = phrase(": {values}{after}", values=quoted(data.values), after=data.after)
            parts = {"message": self._message, "values": hidden_cells(shown)}
            self.text = Phrase.filled("{message}{values}", parts)
        super().__init__(self.text)

    def __str__(self) -> str:
        return translate(self.text)

    @property
    def with_values(self) -> str:
        """The message with at most three of the values of the data that it is about."""
        return translate(revealed(self.text))

    def found_in(self, origin: object) -> Self:
        """Return the same error, with the name of the file that it is about."""
        if str(origin) in self._message:
            return self
        message = phrase("{origin}: {message}", origin=str(origin), message=self._message)
        return type(self)(message, data=self._data)

    def in_rows(self, rows_of: RowsOf) -> Self:
        """Return the same error, with the rows of the values as ``rows_of`` says them."""
        data = self._data
        if data is None or not data.values or data.column is None:
            return self
        rows = rows_of(data.column, data.values, data.are_leaves)
        parts = {"message": self._message, "rows": row_numbers(rows)}
        message = Phrase.filled("{message}{rows}", parts)
        return type(self)(message, data=replace(data, column=None))


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

    def __init__(self, template: str, /, *, result: object = None, **fields: Any) -> None:
        self.result = result
        super().__init__(template, **fields)

    def found_in(self, origin: object) -> Self:
        """Return the same error, with the name of the file that it is about."""
        message = phrase("{origin}: {message}", origin=str(origin), message=self.text)
        return type(self)(message, result=self.result)


class OutOfReachError(PetauditError):
    """A limit that dropping rows does not reach."""


class TooManyRowsError(PetauditError):
    """More rows would have to be dropped than is allowed."""


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
def error_context(origin: object) -> Iterator[None]:
    """Make every error that is raised inside name the file that it is about."""
    try:
        yield
    except PetauditError as problem:
        raise problem.found_in(origin) from None


@contextmanager
def naming_options() -> Iterator[None]:
    """Make errors name options of the command line instead of arguments of Python."""
    token = _names_options.set(True)
    try:
        yield
    finally:
        _names_options.reset(token)


def argument(name: str, *values: str) -> str:
    """Return how the caller gives an argument, with the values to choose from.

    >>> argument("quasi_identifiers"), argument("suppressed_rows", "drop", "blank")
    ('quasi_identifiers=', "suppressed_rows='drop' or 'blank'")
    >>> with naming_options():
    ...     argument("quasi_identifiers"), argument("suppressed_rows", "drop", "blank")
    ('--qi', '--suppressed-rows drop or blank')
    """
    first, *others = values or ("",)
    if _names_options.get():
        option = f"--{_SHORT_OPTIONS.get(name, name).replace('_', '-')}"
        # To be typed as it is; what begins like an option is joined to its own.
        typed = shlex.quote(first) if _UNSAFE.search(first) else first
        parts = [f"{option}{'=' if first.startswith('-') else ' '}{typed}".rstrip(), *others]
    else:
        parts = [f"{name}={first and repr(first)}", *map(repr, others)]
    return joined(parts, " or ") if others else parts[0]


def given_as(name: str, value: str) -> str:
    """Return an argument as the caller gave it.

    >>> given_as("only", "closeness")
    "only='closeness'"
    >>> with naming_options():
    ...     given_as("only", "closeness")
    "--only 'closeness'"
    """
    separator = " " if _names_options.get() else ""
    return f"{argument(name)}{separator}{shortened(value)!r}"


def names_in(given: object, name: str, error: type[PetauditError] = OptionError) -> tuple[str, ...]:
    """Return the names that an argument lists; a single one needs no list.

    >>> names_in("age", "sensitive"), names_in(["zip", "age"], "sensitive")
    (('age',), ('zip', 'age'))
    >>> names_in(5, "sensitive")
    Traceback (most recent call last):
    petaudit.errors.OptionError: sensitive= must be a name or a list of names, got 5
    """
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        message = phrase(
            "{argument} must be a name or a list of names, got {value!r}",
            argument=argument(name),
            value=given,
        )
        raise error(message)
    return tuple(map(str, given))


class PetauditWarning(UserWarning):
    """The figure is valid, but has a limitation that its reader should know.

    >>> import warnings, petaudit, pyarrow as pa
    >>> with warnings.catch_warnings(record=True, category=PetauditWarning) as raised:
    ...     _ = petaudit.k_anonymity(pa.table({"zip": ["1"]}), quasi_identifiers="zip", limit=1)
    >>> [warning.category.__name__ for warning in raised]
    ['PetauditWarning']
    """

    def __str__(self) -> str:
        return translate(self.args[0]) if self.args else ""


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


def refuse_unknown_keys(
    mapping: Mapping[Any, Any], known: Sequence[str], error: type[PetauditError]
) -> None:
    """Raise an error for a key of a file that nothing reads."""
    for key in mapping:
        if key not in known:
            raise error(
                "unknown key {key!r}{near}; keys are {keys}",
                key=str(key),
                near=suggestion(str(key), known),
                keys=listing(known),
            )


def listing(names: Sequence[str], most: int = 20) -> str:
    """Join names for a message, cutting a long list short.

    >>> listing(["zip", "age"])
    'zip, age'
    >>> listing(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return _cut_short([shortened(name) for name in names[:most]], len(names))


def quoted(labels: Sequence[str | None]) -> str:
    """Quote at most three labels: a message helps the owner without listing the data.

    >>> quoted(["a", "b", "c", "d"])
    "'a', 'b', 'c' and 1 more"
    """
    shown = [
        repr(shortened(label)) if label is not None else term("null")
        for label in labels[:MOST_QUOTED]
    ]
    return _cut_short(shown, len(labels))


def _cut_short(shown: Sequence[str], total: int) -> str:
    if len(shown) == total:
        return joined(shown)
    return phrase("{shown} and {number} more", shown=joined(shown), number=total - len(shown))
