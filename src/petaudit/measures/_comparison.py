"""What the comparisons of a released table with its original share: columns, options, limits."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from petaudit.errors import NotMeasurableError, OptionError, phrase, suggestion
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.inputs import Inputs
from petaudit.labels.cells import trim
from petaudit.labels.hierarchies import LeavesUnder
from petaudit.measures import kinds
from petaudit.roles import Role
from petaudit.tables import Source
from petaudit.tables.headers import check_column

ROUNDING: Final = Fraction(1, 10**12)
"""Figures with roots in them equal a limit up to this."""


def the_original(inputs: Inputs) -> Source:
    """The original table, which these measures need."""
    if inputs.original is None:
        raise NotMeasurableError("the original table is needed and was not given")
    return inputs.original


def shared_columns(inputs: Inputs) -> tuple[str, ...]:
    """The columns of both tables that say something about people, in the table's order."""
    original = the_original(inputs)
    unwanted = {*inputs.roles.columns(Role.IDENTIFIER), inputs.key, inputs.person}
    found = tuple(
        name for name in inputs.table.columns if name in original.columns and name not in unwanted
    )
    if not found:
        raise NotMeasurableError(
            "{table} and {original} share no column (identifiers and the key do not count)",
            table=inputs.table.name,
            original=original.name,
        )
    return found


def chosen_columns(inputs: Inputs, given: Any, option: str = "columns") -> tuple[str, ...]:
    """The columns that an option names, each in both tables; all shared ones if it is not given."""
    if given is None:
        return shared_columns(inputs)
    names = column_names(given, option, inputs.table.columns)
    for table in (inputs.table, the_original(inputs)):
        for name in names:
            check_column(name, table.columns, table.name)
    return names


def column_names(given: Any, option: str, known: Sequence[str] = ()) -> tuple[str, ...]:
    """One name, several in a list, or several with commas as the shell passes them.

    >>> column_names("zip,age", "columns"), column_names("a,b", "columns", known=["a,b"])
    (('zip', 'age'), ('a,b',))
    """
    if not kinds.COLUMNS.takes(given):
        raise OptionError(
            "{option} is {value}; the name of a column or a list of names was expected",
            option=option,
            value=kinds.shown(given),
        )
    names = [trim(name) for name in ([given] if isinstance(given, str) else given)]
    if isinstance(given, str) and names[0] not in known:
        [row] = csv.reader(io.StringIO(" ".join(given.splitlines())), skipinitialspace=True)
        names = [trim(name) for name in row if trim(name)] or names
    return tuple(dict.fromkeys(names))


def given_list(columns: object) -> Any:
    """Python callers may pass a tuple where files have a list."""
    return list(columns) if isinstance(columns, tuple) else columns


def one_of(value: Any, option: str, words: Sequence[str]) -> str:
    """An option that is one of several words."""
    if not isinstance(value, str) or value not in words:
        raise OptionError(
            "{name} is {value}{near}; {expected} was expected",
            name=option,
            value=kinds.shown(value),
            near=suggestion(value, words) if isinstance(value, str) else "",
            expected=kinds.Choice(tuple(words)).expected,
        )
    return value


def whole(value: Any, option: str, least: int, most: int | None = None) -> int:
    """An option that is a whole number."""
    kind = kinds.Integer(least, most)
    if not kind.takes(value):
        raise OptionError(
            "{name} is {value}; {expected} was expected",
            name=option,
            value=kinds.shown(value),
            expected=kind.expected,
        )
    return int(value)


def upper_limit(limit: Number | None, measure: str) -> Fraction | None:
    """Read an upper limit."""
    name = phrase("the limit of {measure}", measure=measure)
    return None if limit is None else exact_nonnegative(limit, name)


def leaves_under(inputs: Inputs, column: str) -> LeavesUnder | None:
    """What the labels of a column stand for; None where it has no hierarchy."""
    return LeavesUnder(inputs.hierarchy(column)) if column in inputs.hierarchies else None
