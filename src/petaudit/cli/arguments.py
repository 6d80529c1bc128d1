"""Turning the text of options into names, levels and limits."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from petaudit.cli.options import reading_of
from petaudit.errors import OptionError, shortened
from petaudit.roles import Roles

_INPUTS: Final = (
    *("original", "control", "population", "hierarchies", "key", "person", "suppressed"),
)
"""Options about the inputs that Python's functions take by the same name."""


def split_names(given: Sequence[str] | None) -> list[str]:
    """Names from repeated options and commas; quotes protect a comma in a name.

    >>> split_names(["zip,age", '"a, b"'])
    ['zip', 'age', 'a, b']
    """
    names: list[str] = []
    for text in given or ():
        try:
            for row in csv.reader(io.StringIO(text, newline=""), skipinitialspace=True):
                names.extend(name for name in map(str.strip, row) if name)
        except csv.Error:
            raise OptionError(
                "{text!r} is not a list of names; put a name with a line break in quotes",
                text=shortened(text),
            ) from None
    return names


def split_pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """``name=value`` pairs; a name may hold ``=``, a value may not.

    >>> split_pairs(["age=2,zip=3"], "--levels")
    {'age': '2', 'zip': '3'}
    """
    pairs: dict[str, str] = {}
    for item in split_names(given):
        name, equals, value = item.rpartition("=")
        if not equals or not name.strip():
            raise OptionError("{option} {item!r}: expected NAME=VALUE", option=option, item=item)
        if name.strip() in pairs:
            raise OptionError("{option} names {name!r} twice", option=option, name=name.strip())
        pairs[name.strip()] = value.strip()
    return pairs


def split_options(given: Sequence[str] | None, option: str) -> dict[str, str | list[str]]:
    """The same for options that may be lists: what has no ``=`` goes on with the one before.

    >>> split_options(["m.columns=age,zip", "m.seed=1,m.folds=2"], "--option")
    {'m.columns': ['age', 'zip'], 'm.seed': '1', 'm.folds': '2'}
    """
    options: dict[str, str | list[str]] = {}
    for text in given or ():
        name = None
        for item in split_names([text]):
            if name is None or "=" in item:
                # Quoted, so that it is split as one.
                quoted = item.replace('"', '""')
                [(name, value)] = split_pairs([f'"{quoted}"'], option).items()
                if name in options:
                    raise OptionError("{option} names {name!r} twice", option=option, name=name)
                options[name] = value
            else:
                before = options[name]
                options[name] = [*(before if isinstance(before, list) else [before]), item]
    return options


def whole_number(text: str, option: str) -> int:
    """A whole number, or an error that names the option."""
    try:
        return int(text)
    except ValueError:
        raise OptionError(
            "{option} must be an integer, got {text!r}", option=option, text=shortened(text)
        ) from None


def inputs_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """What a command says of the table and of those beside it, as Python's functions take it."""
    given = {name: getattr(chosen, name, None) for name in _INPUTS}
    size = getattr(chosen, "population_size", None)
    given["population_size"] = None if size is None else option_value(size)
    known = {name: value for name, value in given.items() if value is not None}
    return {"roles": _roles(chosen), **known, **reading_of(chosen)}


def _roles(chosen: argparse.Namespace) -> Roles | Path | None:
    """The roles that options name, or the file that does; None when there is neither."""
    lists = {
        "quasi_identifiers": chosen.qi,
        "sensitive": chosen.sensitive,
        "identifiers": chosen.identifier,
        "insensitive": getattr(chosen, "insensitive", None),
    }
    if all(names is None for names in lists.values()):
        return None if chosen.roles is None else Path(chosen.roles)
    if chosen.roles is not None:
        raise OptionError(
            "--roles names a file that gives every column its role; leave out the roles of columns"
        )
    return Roles.of(**{role: split_names(names) for role, names in lists.items()})


def option_value(text: str | list[str]) -> Any:
    """The value of a free option: true, false, a whole number, text, or a list of such.

    >>> option_value("true"), option_value("5"), option_value("maximal"), option_value(["a", "5"])
    (True, 5, 'maximal', ['a', 5])
    """
    if isinstance(text, list):
        return [option_value(item) for item in text]
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    return int(text) if text.isdecimal() and text.isascii() else text
